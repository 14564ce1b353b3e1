"""A refresh by hand: the same assets as the schedules', materialised in this process and recorded in the instance.

Two runs, like the scheduled path: the looks, then the load with everything after it, whatever failed before.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping, Sequence

import dagster as dg
from requests.adapters import BaseAdapter

from pipelines.definitions import build_defs
from pipelines.event_log import connections_kept
from pipelines.home import Home
from pipelines.instance import dagster_home
from pipelines.provider_assets import LOOKS, offers_key, raw_key
from pipelines.warehouse_assets import OBSERVATION
from sources.pages import PageStore, is_recorded, recorded_moments
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
    defs = build_defs(at, list(known.values()), recorded=recorded, adapters=adapters)
    with dg.DagsterInstance.from_config(str(dagster_home(at))) as instance, connections_kept(instance):
        say(f"looking at {len(asked)} sources")
        news = [name for name in asked if not recorded or _has_unread_recording(at, name)]
        keys = [key for name in news for key in (raw_key(name), offers_key(name))]
        _materialise(defs, instance, dg.AssetSelection.assets(*keys, LOOKS), "the looks")
        failed = [name for name in asked if _failed(at, name)]
        for name in failed:
            last = OfferFiles(at.offers).last(name)
            say(f"{name} failed: {last.reason if last else 'nothing came back'}")
        say("loading, recomputing, publishing")
        following = dg.AssetSelection.assets(OBSERVATION).downstream()
        _materialise(defs, instance, following, "loading or publishing")
    return failed


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


def _has_unread_recording(at: Home, name: str) -> bool:
    return not set(recorded_moments(name)) <= set(PageStore(at.raw).moments(name))


def _failed(at: Home, name: str) -> bool:
    last = OfferFiles(at.offers).last(name)
    return last is None or last.status == "failed"


def _materialise(defs: dg.Definitions, instance: dg.DagsterInstance, selection: dg.AssetSelection, what: str) -> None:
    job = dg.define_asset_job("refresh", selection=selection)
    resolved = dg.Definitions.merge(defs, dg.Definitions(jobs=[job])).resolve_job_def("refresh")
    result = resolved.execute_in_process(instance=instance, run_config=_QUIET, raise_on_error=False)
    if not result.success:
        raise RefreshFailed(f"{what} failed: {_first_fault(result)}")


def _first_fault(result: dg.ExecuteInProcessResult) -> str:
    for check in result.get_asset_check_evaluations():
        if check.blocking and not check.passed:
            return f"{check.description}; the published ledger stays as it was"
    for event in result.all_events:
        if event.is_step_failure and event.step_failure_data.error:
            fault = event.step_failure_data.error
            while fault.cause:
                fault = fault.cause
            return fault.message.strip().splitlines()[0]
    return "see the run in `gpuledger ui`"
