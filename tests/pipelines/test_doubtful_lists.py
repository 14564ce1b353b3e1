"""A list that is wrong as a whole is named, keeps its last good prices, and stays named until it is confirmed.

The pages are Crusoe's of 2026-09-30, which prints six prices, broken as sites and parsers break them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from exchanges import Site
from recorded_site import keep_good_look, publish_ledger

from pipelines.cli import main
from pipelines.frames.reference import reference_frames
from pipelines.home import Home
from pipelines.looks.drifting import drift_of
from pipelines.looks.keeping import keep_reading
from pipelines.refreshing import doubts
from sources.pages import Look, PageStore, recorded_pages
from sources.providers.crusoe import SOURCE, URL
from sources.source import Page
from warehouse.database import opened_to_write, rows
from warehouse.laying import load_reference
from warehouse.load import load
from warehouse.offer_files import OfferFiles, Scrape

DAY = datetime(2026, 10, 1, tzinfo=UTC)
GOOD = list(recorded_pages("crusoe").values())[-1][0].page.text
PRINTED = {"H200": "4.29", "H100": "3.90", "A100 SXM": "2.30", "A100 PCIe": "2.00", "L40S": "1.50", "MI300X": "3.45"}
OTHER_FRAME = ('class="divider is-pricing"', 'class="band"')
See = Callable[..., Scrape]


def priced(text: str, times: Decimal, places: range = range(6)) -> str:
    """The page with the printed prices at these places multiplied."""
    place = iter(range(6))
    return re.sub(
        r"\$([\d.]+)/GPU-hr",
        lambda price: f"${Decimal(price[1]) * (times if next(place) in places else 1)}/GPU-hr",
        text,
    )


def without(text: str, *gpus: str) -> str:
    return "\n".join(line for line in text.splitlines() if not any(f">{gpu}<" in line for gpu in gpus))


TENTH = priced(GOOD, Decimal("0.1"))
HALF = without(GOOD, "NVIDIA A100", "NVIDIA H200", "NVIDIA H100")
RENAMED = re.sub(r">NVIDIA (H200|H100|A100|L40S)<", r">NVIDIA Tesla \1<", GOOD)


@pytest.fixture
def home(new_home: Home) -> Home:
    return new_home


@pytest.fixture
def see(home: Home) -> See:
    """What a live look at these hours after the first came to."""
    store, files = PageStore(home.raw), OfferFiles(home.offers)

    def look(hours: int, text: str) -> Scrape:
        at = DAY + timedelta(hours=hours)
        kept = Look("crusoe", at, "live", [Page(URL, text.encode(), at, "pricing.html")])
        store.keep(kept)
        return keep_reading(kept, store, files, [SOURCE])[0]

    return look


def standing(home: Home) -> list[Decimal]:
    load(home.warehouse, OfferFiles(home.offers))
    load_reference(home.warehouse, reference_frames([SOURCE]))
    with opened_to_write(home.warehouse) as ledger:
        found = rows(ledger, "SELECT usd_per_gpu_hour AS usd FROM price_now ORDER BY usd DESC")
    return [row["usd"] for row in found]


AS_PRINTED = sorted(map(Decimal, PRINTED.values()), reverse=True)


def test_the_page_prints_what_is_taken_here_for_true():
    assert sorted(re.findall(r"\$([\d.]+)/GPU-hr", GOOD)) == sorted(PRINTED.values())


@pytest.mark.parametrize("times", ["0.1", "8", "10"], ids=lambda times: f"times {times}")
def test_a_list_that_moved_as_a_whole_is_held_until_three_looks_and_a_day_say_so(home: Home, see: See, times: str):
    see(0, GOOD)
    broken = priced(GOOD, Decimal(times))
    for hours in (6, 12):
        scrape = see(hours, broken)
        assert (scrape.status, scrape.offers) == ("partial", 0)
        assert "6 prices held back, for example" in scrape.reason
        assert doubts(home, ["crusoe"]) == {"crusoe": scrape.reason}
        assert standing(home) == AS_PRINTED
    see(18, GOOD)
    assert doubts(home, ["crusoe"]) == {}


def test_a_list_that_really_moved_is_believed_in_the_end(home: Home, see: See):
    dear = priced(GOOD, Decimal(6), range(6))  # what such a card may cost, or it would be refused in itself
    see(0, GOOD)
    said = [see(hours, dear).status for hours in (6, 18, 30)]
    assert said == ["partial", "partial", "ok"]
    assert standing(home) == [6 * usd for usd in AS_PRINTED]
    assert see(36, dear).reason == ""


def test_one_price_that_fell_to_a_tenth_is_no_moved_list(see: See):
    see(0, GOOD)
    scrape = see(6, priced(GOOD, Decimal("0.19"), range(4, 5)))
    assert (scrape.status, scrape.offers) == ("ok", 6)
    assert scrape.code == "drifted"  # the only L40S
    assert scrape.reason == "the median of l40s on_demand went from 1.5 to 0.285 USD per GPU-hour"


def test_prices_refused_in_themselves_count_as_held_back(home: Home, see: See):
    before = see(0, GOOD)
    scrape = see(6, priced(GOOD, Decimal("0.001"), range(4)))
    assert (scrape.status, scrape.code, scrape.offers) == ("partial", "out_of_bounds", 2)
    assert scrape.rejected == before.rejected + 4
    assert scrape.reason.startswith("4 prices held back, for example")
    assert standing(home) == AS_PRINTED


def test_a_first_look_that_refuses_most_of_the_list_is_not_whole(see: See):
    scrape = see(0, priced(GOOD, Decimal("0.001"), range(4)))
    assert (scrape.status, scrape.code, scrape.offers) == ("partial", "out_of_bounds", 2)
    assert scrape.reason.startswith("4 rows refused, for example")


def test_what_a_redesigned_page_lost_stands_until_the_new_page_is_seen_again(home: Home, see: See):
    see(0, GOOD)
    cut = HALF.replace(*OTHER_FRAME)
    scrape = see(6, cut)
    assert (scrape.status, scrape.code) == ("partial", "layout_changed")
    assert standing(home) == AS_PRINTED  # L40S and MI300X as seen now, the rest as last seen
    scrape = see(12, cut)
    assert (scrape.status, scrape.code, scrape.reason) == ("ok", "drifted", "2 rows where there were 6")
    assert standing(home) == [Decimal("3.45"), Decimal("1.50")]


def test_what_closed_is_gone_in_the_end_where_two_layouts_take_turns(home: Home, see: See):
    see(0, GOOD)
    frames = [HALF.replace(*OTHER_FRAME), HALF.replace(OTHER_FRAME[0], 'class="strip"')]
    for turn, hours in enumerate((6, 12, 18, 24)):
        assert see(hours, frames[turn % 2]).code == "layout_changed"
        assert standing(home) == AS_PRINTED
    see(30, frames[0])
    assert standing(home) == [Decimal("3.45"), Decimal("1.50")]


def test_a_redesigned_page_that_is_read_whole_again_has_lost_nothing(home: Home, see: See):
    see(0, GOOD)
    see(6, HALF.replace(*OTHER_FRAME))
    scrape = see(12, GOOD.replace(*OTHER_FRAME))
    assert (scrape.status, scrape.reason, scrape.offers) == ("ok", "", 6)
    assert standing(home) == AS_PRINTED


def test_a_list_that_lost_half_stays_named_until_it_has_said_so_for_a_day(home: Home, see: See):
    told = "2 rows where there were 6"
    see(0, GOOD)
    for hours in (6, 12, 18):
        assert (see(hours, HALF).reason, doubts(home, ["crusoe"])) == (told, {"crusoe": told})
    assert see(30, HALF).reason == ""
    assert doubts(home, ["crusoe"]) == {}


def test_a_page_cut_in_the_middle_of_its_list_is_named_at_once_and_then(home: Home, see: See):
    lines = GOOD.splitlines()
    cut = "\n".join(lines[: next(n for n, line in enumerate(lines) if ">NVIDIA A100<" in line)])
    see(0, GOOD)
    for hours in (6, 12):
        scrape = see(hours, cut)
        assert 0 < scrape.offers < 6
        assert re.search(r"2 (?:rows|offers) where (?:there were )?6", scrape.reason)
        assert doubts(home, ["crusoe"]) == {"crusoe": scrape.reason}


def test_a_list_that_is_back_is_no_longer_doubted(home: Home, see: See):
    for hours, text in enumerate((GOOD, HALF, GOOD)):
        scrape = see(hours, text)
    assert (scrape.reason, drift_of(OfferFiles(home.offers), scrape).flags) == ("", [])


def test_prices_that_are_right_again_after_one_bad_look_stand_at_once(home: Home, see: See):
    see(0, GOOD)
    see(1, priced(GOOD, Decimal("0.1"), range(3)))  # half of the list: it is believed, and named
    assert doubts(home, ["crusoe"])
    scrape = see(2, GOOD)
    assert (scrape.status, scrape.reason, scrape.offers) == ("ok", "", 6)
    assert standing(home) == AS_PRINTED
    assert doubts(home, ["crusoe"]) == {}


def test_prices_that_stay_wrong_after_one_bad_look_are_drifted_until_a_day_confirms_them(home: Home, see: See):
    see(0, GOOD)
    bad = priced(GOOD, Decimal("0.1"), range(3))
    assert [see(hours, bad).code for hours in (1, 2, 14, 25, 26)] == ["drifted", "drifted", "drifted", "", ""]


def test_one_held_price_of_six_is_doubted(home: Home, see: See):
    see(0, GOOD)
    scrape = see(6, priced(GOOD, Decimal("0.01"), range(1)))  # cents: H200 or H100 for less than any costs
    assert (scrape.status, scrape.offers) == ("ok", 5)
    assert doubts(home, ["crusoe"]) == {"crusoe": scrape.reason}
    assert scrape.reason.startswith("1 price held back, for example")


def test_skus_that_vanished_are_named(see: See):
    see(0, GOOD)
    scrape = see(6, RENAMED)
    assert scrape.code == "drifted"
    assert scrape.reason == "5 of 6 SKUs vanished and 5 are new"


def test_the_command_line_names_it_and_strict_counts_it(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    keep_good_look(home, SOURCE, datetime.now(UTC).replace(microsecond=0) - timedelta(hours=6), [SOURCE])
    publish_ledger(home, [SOURCE])
    site = Site(lambda request: {"status": 404} if "robots" in (request.url or "") else {"body": TENTH})
    monkeypatch.setattr("sources.http.WholeAnswers", lambda **_: site)  # the network
    monkeypatch.setenv("GPULEDGER_HOME", str(home.root))

    def ended(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["gpuledger", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capsys.readouterr()

    code, printed, told = ended("refresh", "crusoe", "--strict", "--format", "json")
    (line,) = [line for line in told.splitlines() if "crusoe is to be doubted: 6 prices held back" in line]
    (row,) = [row for row in json.loads(printed) if row["provider"] == "crusoe"]
    assert code == 3
    assert (row["status"], row["code"], row["offers"]) == ("partial", "suspicious_move", 6)
    assert row["reason"] in line
    _, printed, _ = ended("offers", "--provider", "crusoe", "--format", "json")
    assert sorted(Decimal(str(offer["usd_per_gpu_hour"])) for offer in json.loads(printed)) == sorted(AS_PRINTED)
