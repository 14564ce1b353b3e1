"""A refresh by hand: the same assets as the schedules', materialised in this process and recorded in the instance.

Two runs, like the scheduled path: the looks, then the load with everything after it, whatever failed before.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal
from uuid import uuid4

import dagster as dg
from dagster_shared.check import CheckError
from requests.adapters import BaseAdapter
from sqlalchemy.exc import SQLAlchemyError

from pipelines.assets.ledger import OBSERVATION
from pipelines.assets.providers import CHECK, LOOKS, offers_key, raw_key
from pipelines.definitions import build_defs
from pipelines.home import Home
from pipelines.looks.keeping import AHEAD, DAMAGED, mending, unread
from pipelines.looks.replaying import new_recordings
from pipelines.runs.event_log import connections_kept
from pipelines.runs.instance import dagster_home, opened_instance, set_damaged_aside
from pipelines.runs.rebuilding import read_what_earlier_code_read
from pipelines.runs.running import ended_by_signals, held
from sources.pages import PageStore, is_recorded
from sources.source import MissingSecret, Source, all_sources
from warehouse.offer_files import OfferFiles


class RefreshFailed(Exception):
    """Loading, recomputing or publishing failed; what was published stays."""


_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def refresh(
    at: Home,
    names: Sequence[str] = (),
    *,
    recorded: bool = False,
    say: Callable[[str], None] = lambda line: None,
    sources: Sequence[Source] | None = None,
    adapters: Mapping[str, BaseAdapter] | None = None,
) -> list[str]:
    """Look, load, recompute, publish. Returns the names of the sources whose look failed.

    Raises KeyError for an unknown source, MissingSecret when the only sources named lack their key, FileNotFoundError
    when nothing is recorded of those named, and RefreshFailed when loading or publishing failed.
    """
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", module="dagster")
    known = {source.name: source for source in (all_sources().values() if sources is None else sources)}
    asked = _asked(known, names, recorded)
    defs = build_defs(at, list(known.values()), recorded=recorded, adapters=adapters, say=say)

    def work() -> list[str]:
        with opened_instance(at, say) as instance, connections_kept(instance):
            read_what_earlier_code_read(at, list(known.values()), say, asked if recorded else ())
            say(f"looking at {len(asked)} sources")
            news = [name for name in asked if not recorded or _has_news(at, known[name], list(known.values()))]
            keys = [key for name in news for key in (raw_key(name), offers_key(name))]
            looks = _materialise(at, defs, instance, dg.AssetSelection.assets(*keys, LOOKS), "the looks")
            failed = _failures(at, asked, list(known.values()), looks, "recorded" if recorded else "live", say)
            for name, reason in failed.items():
                say(f"{name} failed: {_with_remedy(reason, at)}")
            say("loading, recomputing, publishing")
            following = dg.AssetSelection.assets(OBSERVATION).downstream()
            try:
                load = _materialise(at, defs, instance, following, "loading or publishing")
            except RefreshFailed as error:
                if at.warehouse.exists():
                    raise
                say(f"{error}: once more")  # it was damaged and is set aside
                load = _materialise(at, defs, instance, following, "loading or publishing")
            for entry in instance.all_logs(load.run_id):
                if entry.level == logging.WARNING:
                    say(entry.user_message)
        return list(failed)

    try:
        return ended_by_signals(work, say)
    except (OSError, SQLAlchemyError, CheckError) as error:
        advice = ""
        if not isinstance(error, OSError):  # of Dagster's databases
            history = dagster_home(at) / "history"
            advice = f"; if it stays so, move {history} away, which loses the list of runs and nothing of the ledger"
            if set_damaged_aside(at, say):
                advice = "; run it again, which goes on from what is kept"
        raise RefreshFailed(f"the refresh stopped: {_with_remedy(str(error).splitlines()[0], at)}{advice}") from error


def doubts(at: Home, names: Sequence[str] = (), *, recorded: bool = False) -> dict[str, str]:
    """Of sources whose last look did not fail: why it is to be doubted.

    A part was not read, the list drifted, or prices are held back.
    """
    files = OfferFiles(at.offers)
    doubted: dict[str, str] = {}
    for name in names or [source.name for source in all_sources().values() if recorded or source.ready]:
        last = files.last(name, "recorded" if recorded else "live")
        if last is None or last.status == "failed":
            continue
        if last.status == "partial" or last.drift or last.code not in ("", AHEAD, DAMAGED):
            doubted[name] = last.reason
    return doubted


def _asked(known: Mapping[str, Source], names: Sequence[str], recorded: bool) -> list[str]:
    for name in names:
        if name not in known:
            raise KeyError(f"no source is called {name!r}; there are {', '.join(known)}")
    ready = [name for name in names or known if (is_recorded(name) if recorded else known[name].ready)]
    if not ready and recorded:
        raise FileNotFoundError(f"nothing is recorded of {', '.join(names)}")
    if not ready:
        lacking = known[names[0]]
        raise MissingSecret(f"{lacking.name} needs {lacking.secret} in the environment")
    return ready


def _has_news(at: Home, source: Source, sources: Sequence[Source]) -> bool:
    """Whether a recording is not kept as it is now, or a kept look is not read yet."""
    store, files = PageStore(at.raw), OfferFiles(at.offers)
    return any(True for _ in new_recordings(source, store, sources)) or bool(unread(source.name, store, files))


def _failures(
    at: Home,
    asked: Sequence[str],
    sources: Sequence[Source],
    looks: dg.ExecuteInProcessResult,
    origin: Literal["live", "recorded"],
    say: Callable[[str], None],
) -> dict[str, str]:
    """Why each source failed that did: at this look, else at the last one of its kind where there was no news."""
    told = {
        check.asset_key.path[-1]: (check.passed or check.severity != dg.AssetCheckSeverity.ERROR, check.description)
        for check in looks.get_asset_check_evaluations()
        if check.check_name == CHECK
    }
    failed: dict[str, str] = {}
    for name in asked:
        if name not in told:
            store, files = PageStore(at.raw), OfferFiles(at.offers)
            last = mending(partial(files.last, name, origin), name, store, files, sources, say)
            told[name] = last is not None and last.status != "failed", last.reason if last else "nothing came back"
        good, reason = told[name]
        if not good:
            failed[name] = reason or ""
    return failed


def _materialise(
    at: Home, defs: dg.Definitions, instance: dg.DagsterInstance, selection: dg.AssetSelection, what: str
) -> dg.ExecuteInProcessResult:
    job = dg.define_asset_job("refresh", selection=selection)
    resolved = dg.Definitions.merge(defs, dg.Definitions(jobs=[job])).resolve_job_def("refresh")
    run_id = str(uuid4())
    with held(at.running, run_id, instance):  # from before it is created until its end is written
        result = resolved.execute_in_process(instance=instance, run_config=_QUIET, raise_on_error=False, run_id=run_id)
    if not result.success:
        raise RefreshFailed(f"{what} failed: {_with_remedy(_first_fault(result), at)}")
    return result


def _with_remedy(fault: str, at: Home) -> str:
    """A fault of the disk as what it is and what to do; any other as it stands."""
    if "disk I/O error" in fault:
        return f"the disk is full or fails: free space for {at.root} and run it again, which goes on from what is kept"
    if any(sign in fault for sign in ("No space left", "disk is full", "Disk quota exceeded")):
        return f"the disk is full: free space for {at.root} and run it again, which goes on from what is kept"
    named = re.search(r"\[Errno \d+\] (?:File exists|Not a directory): '(.+)'", fault)
    path = Path(named[1]) if named else at.root
    blocking = next((one for one in (path, *path.parents) if one.is_file()), None)
    return f"{blocking} is a file where a folder should be: move it away and run it again" if blocking else fault


def _first_fault(result: dg.ExecuteInProcessResult) -> str:
    for check in result.get_asset_check_evaluations():
        if check.blocking and not check.passed:
            return f"{check.description}; the published ledger stays as it was"
    for event in result.all_events:
        if event.is_step_failure and event.step_failure_data.error:
            fault = event.step_failure_data.error
            while fault.cause and (fault.cls_name or "").startswith("Dagster"):  # ours names the remedy
                fault = fault.cause
            line = fault.message.strip().splitlines()[0]
            return line.partition(f"{fault.cls_name}: ")[2] or line
    return "see the run in `gpuledger ui`"
