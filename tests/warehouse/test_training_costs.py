"""training_cost and training_cost_by_provider on a small market, with answers worked out by hand."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import product

import polars as pl
import pytest
from ledgers import Ledger, moment, offer

from models.constants import constant
from models.training.clusters import RentalOffer, cluster, too_small
from warehouse.publish import failed_checks

# per LLM: GPU-hours p10, p50, p90, GPUs for memory, GPUs to end within 90 days (p50 / 2,160 h), all of an H100
NEEDS = {
    "7B": (10_000, 14_400, 20_000, 2, 7),
    "70B": (800_000, 1_000_000, 1_500_000, 16, 463),
    "1T": (15_000_000, 20_000_000, 30_000_000, 224, 9260),
}
LARGEST = 100_000
EFFICIENCY = {"1T": 1 - 0.025 * math.log2(9264 / 1024)}  # what the cluster of the requirement leaves, from 1,024 GPUs

AS_PUBLISHED = {
    "largest_cluster_gpus": float(LARGEST),
    "longest_run_days": 270.0,
    "cluster_unstated_other": constant("cluster_unstated_gpu_cloud"),
    "spot_gang_gpus": 512.0,
    "scale_loss_per_doubling": 0.025,
    "scale_loss_from_gpus_effective": 1024.0,
    "scale_efficiency_floor": 0.5,
}


def requirement() -> pl.DataFrame:
    rows = [
        {
            "llm": llm, "kind": "size_class", "gpu": gpu, "gpus_per_node": 8, "min_gpus": memory,
            "gpus_for_deadline": in_time, "gpu_hours_p10": p10, "gpu_hours_p50": p50, "gpu_hours_p90": p90,
            "scale_efficiency": EFFICIENCY.get(llm, 1.0), "flop": float(p50),
        }
        for llm, (p10, p50, p90, memory, in_time) in NEEDS.items()
        for gpu in ("h100_sxm", "h100")
    ]  # fmt: skip
    return pl.DataFrame(rows)


def market(root, *offers, **constants) -> Ledger:
    ledger = Ledger(root)
    for provider in sorted({one.provider for one in offers}):
        ledger.look(moment(1), *(one for one in offers if one.provider == provider), provider=provider)
    ledger.load()
    ledger.refer(
        gpu=pl.DataFrame({"gpu": ["h100_sxm", "h100", "l4"], "trains": [True, True, False]}),
        llm=pl.DataFrame({"llm": list(NEEDS), "kind": ["size_class"] * 3}),
        constant=pl.DataFrame(
            {
                "name": ["overhead", *AS_PUBLISHED, *constants],
                "value": [1.4, *AS_PUBLISHED.values(), *constants.values()],
                "low": [1.3, *AS_PUBLISHED.values(), *constants.values()],
                "high": [1.5, *AS_PUBLISHED.values(), *constants.values()],
            }
        ),
        training_requirement=requirement(),
    )
    ledger.recompute()
    return ledger


def rented(sku, usd_per_gpu_hour, gpus, **said):
    return offer(sku, str(Decimal(usd_per_gpu_hour) * gpus), gpu_count=Decimal(gpus), **said)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    return market(
        tmp_path_factory.mktemp("market"),
        rented("one card", "2", 1),
        rented("node", "3", 8, fabric="single_node"),
        rented("small cluster", "4", 8, fabric="multi_node", cluster_gpus=64),
        rented("by the card", "5", 1, fabric="multi_node", minimum_gpus=16),
        rented("half a card", "0.1", Decimal("0.5")),
        rented("seven sevenths", "0.1", 1, form_factor="MIG"),
        rented("worker", "0.1", 8, pricing="serverless"),
        rented("inference card", "0.1", 8, gpu="l4", gpu_family="l4"),
        rented("spot node", "1", 8, pricing="spot", fabric="single_node"),
        rented("least bid", "0.1", 8, pricing="spot", fabric="single_node", tier="bid_floor"),
        rented("average trade", "0.1", 8, pricing="spot", fabric="single_node", tier="market_average"),
        rented("average bid", "0.1", 8, fabric="single_node", tier="weighted_mean_of_bids"),
        rented("pair", "1", 2, provider="bolt"),
        rented("four", "1.5", 4, provider="bolt"),
        rented("small", "0.2", 8, gpu="l4", gpu_family="l4", provider="inference only"),
    )


def test_only_whole_cards_that_train_by_the_hour_or_by_commitment_are_priced(ledger):
    assert {row["sku"] for row in ledger.rows("FROM training_cost")} == {
        "one card", "node", "small cluster", "by the card", "spot node", "pair", "four",
    }  # fmt: skip
    assert len(ledger.rows("FROM training_cost")) == 7 * 3


@pytest.mark.parametrize(
    ("llm", "sku", "gpus", "days", "why_not"),
    [
        ("7B", "one card", 1, 600, "memory needs 2 GPUs; no fast network between nodes of 1 is stated"),
        ("7B", "node", 8, 75, None),  # 7 for the deadline, in whole instances; 14,400 h / 8 / 24
        ("7B", "small cluster", 8, 75, None),
        ("7B", "by the card", 16, 37.5, None),  # the smallest purchase
        ("7B", "pair", 2, 300, "takes 300 days on one node of 2 GPUs"),
        ("7B", "four", 4, 150, None),
        ("70B", "node", 8, 5208.3, "memory needs 16 GPUs; this is a single node of 8"),
        ("70B", "small cluster", 64, 651.04, "takes 651 days on the 64 GPUs of the largest cluster"),
        ("70B", "by the card", 464, 89.8, None),  # 463 in whole nodes
        (
            "1T",
            "small cluster",
            64,
            13020.8 * EFFICIENCY["1T"],
            "memory needs 224 GPUs; the largest cluster here has 64",
        ),
        ("1T", "by the card", 9264, 89.95, None),
        (
            "1T",
            "four",
            4,
            208333.3 * EFFICIENCY["1T"],
            "memory needs 224 GPUs; no fast network between nodes of 4 is stated",
        ),
    ],
)
def test_a_plan_is_feasible_by_memory_cluster_and_days(ledger, llm, sku, gpus, days, why_not):
    (row,) = ledger.rows("FROM training_cost WHERE llm = $1 AND sku = $2", llm, sku)
    assert (row["gpus"], row["feasible"], row["why_not"]) == (gpus, why_not is None, why_not)
    assert row["wall_days"] == pytest.approx(days, rel=1e-3)


def test_cost_is_hours_times_price_with_the_overhead_once(ledger):
    (row,) = ledger.rows("FROM training_cost WHERE llm = '7B' AND sku = 'node'")
    assert [row[f"compute_usd_{end}"] for end in ("low", "mid", "high")] == [30_000, 43_200, 60_000]
    assert [row[f"total_usd_{end}"] for end in ("low", "mid", "high")] == pytest.approx([42_000, 60_480, 84_000])


BY_PROVIDER = """
SELECT llm, sku, feasible, round(total_usd_mid) AS total, round(median_total_usd) AS median, offers, feasible_offers
FROM training_cost_by_provider WHERE provider = $1 AND pricing = $2 ORDER BY gpu_hours
"""


def test_the_cheapest_feasible_offer_stands_for_a_provider(ledger):
    assert [tuple(row.values()) for row in ledger.rows(BY_PROVIDER, "acme", "on_demand")] == [
        ("7B", "node", True, 60_480, 80_640, 4, 3),  # of 60,480, 80,640 and 100,800
        ("70B", "by the card", True, 7_000_000, 7_000_000, 4, 1),
        ("1T", "by the card", True, 140_000_000, 140_000_000, 4, 1),
    ]


def test_where_none_is_feasible_the_shortest_run_says_why_not(ledger):
    assert [tuple(row.values()) for row in ledger.rows(BY_PROVIDER, "bolt", "on_demand")] == [
        ("7B", "four", True, 30_240, 30_240, 2, 1),  # the pair is cheaper and takes 300 days
        ("70B", "four", False, 2_100_000, 1_750_000, 2, 0),  # twice as fast as the pair, at 1.5
        ("1T", "four", False, round(42e6 * EFFICIENCY["1T"]), round(35e6 * EFFICIENCY["1T"]), 2, 0),
    ]
    (row,) = ledger.rows("FROM training_cost_by_provider WHERE provider = 'bolt' AND llm = '70B'")
    assert row["why_not"] == "memory needs 16 GPUs; no fast network between nodes of 4 is stated"


def test_what_is_taken_stands_for_a_provider_only_where_all_that_can_do_it_is(tmp_path):
    node = {"fabric": "single_node"}
    ledger = market(
        tmp_path,
        rented("taken node", "1", 8, available=False, **node),
        rented("free node", "3", 8, available=True, **node),
        rented("last node", "2", 8, available=None, quantity=0, **node),
        rented("taken cluster", "4", 8, available=False, fabric="multi_node", cluster_gpus=800),
        rented("unsaid node", "2", 8, available=None, provider="bolt", **node),
    )
    found = ledger.rows("SELECT provider, llm, sku, feasible, in_stock FROM training_cost_by_provider ORDER BY ALL")
    assert {tuple(row.values()) for row in found} >= {
        ("acme", "7B", "free node", True, True),
        ("acme", "70B", "taken cluster", True, False),  # nothing else is large enough: said, not hidden
        ("bolt", "7B", "unsaid node", True, None),
    }
    (row,) = ledger.rows("FROM training_cost_by_provider WHERE provider = 'acme' AND llm = '1T'")
    assert row["why_not"].startswith("takes 959 days on the 800 GPUs")  # 20e6 h x 0.921 / 800 / 24


@pytest.fixture(scope="module")
def fees_and_clusters(tmp_path_factory):
    node = {"fabric": "single_node", "gpu_count": Decimal(8)}
    return market(
        tmp_path_factory.mktemp("fees"),
        offer("with a fee", "8", upfront=Decimal(40_000), term_months=1, **node),
        offer("dearer an hour", "10", **node),
        rented("wired", "4", 8, fabric="multi_node", provider="bolt"),
        rented("stated", "5", 8, fabric="multi_node", cluster_gpus=16_384, provider="bolt"),
        rented("spare", "1", 8, fabric="multi_node", cluster_gpus=16_384, pricing="spot", provider="bolt"),
        rented("gone", "1", 8, provider="taken", available=False, fabric="single_node"),
        stock_known_days=3.0,
    )


def test_a_fee_is_paid_once_and_not_every_month(fees_and_clusters):
    rows = {
        row["sku"]: row for row in fees_and_clusters.rows("FROM training_cost WHERE llm = '7B' AND provider = 'acme'")
    }
    assert rows["with a fee"]["setup_usd"] == 40_000
    assert rows["with a fee"]["total_usd_mid"] == pytest.approx(14_400 * 1 * 1.4 + 40_000)  # 75 days
    assert rows["dearer an hour"]["total_usd_mid"] == pytest.approx(14_400 * 1.25 * 1.4)
    (best,) = fees_and_clusters.rows("FROM training_cost_by_provider WHERE llm = '7B' AND provider = 'acme'")
    assert (best["sku"], best["setup_usd"]) == ("dearer an hour", 0)  # the cheapest hour is not the cheapest run
    (price,) = fees_and_clusters.rows("FROM price_now WHERE sku = 'with a fee'")
    assert (price["usd_per_hour"], price["setup_usd"]) == (8, 40_000)
    history = "FROM training_cost_history WHERE llm = '7B' AND provider = 'acme'"
    assert [row["total_usd_mid"] for row in fees_and_clusters.rows(history)] == [best["total_usd_mid"]]
    explained = f"SELECT value FROM explain_cost('7B', '{rows['with a fee']['offer_key']}') WHERE step = 'setup_usd'"
    assert fees_and_clusters.rows(explained) == [{"value": 40_000}]


def test_what_a_cluster_takes_for_granted_is_told_and_spot_is_no_cluster_of_thousands(fees_and_clusters):
    asked = (
        "SELECT sku, feasible, gpus, assumption FROM training_cost WHERE llm = '70B' AND provider = 'bolt' ORDER BY sku"
    )
    spare = "that up to 512 are free on spot at once (spot_gang_gpus)"
    wired = "a cluster of 16,384, whose size is not stated (cluster_unstated_other)"
    assert [tuple(row.values()) for row in fees_and_clusters.rows(asked)] == [
        ("spare", True, 464, spare),
        ("stated", True, 464, None),
        ("wired", True, 464, wired),
    ]
    (large,) = fees_and_clusters.rows("FROM training_cost WHERE llm = '1T' AND sku = 'spare'")
    assert (large["feasible"], large["gpus"]) == (False, 512)
    (row,) = fees_and_clusters.rows(
        "FROM training_cost_by_provider WHERE llm = '70B' AND provider = 'bolt' AND pricing = 'spot'"
    )
    assert row["assumption"] == spare


def test_stock_of_an_old_look_is_not_known(fees_and_clusters):
    # read in August, asked today: whoever had them may have given them back
    (now,) = fees_and_clusters.rows("SELECT available, observed_at FROM price_now WHERE sku = 'gone'")
    (cost,) = fees_and_clusters.rows("SELECT in_stock FROM training_cost WHERE llm = '7B' AND sku = 'gone'")
    assert (now["available"], cost["in_stock"]) == (None, None)
    for asked, known in (("2026-08-02", False), ("2026-08-05", None)):
        (then,) = fees_and_clusters.rows("SELECT available FROM price_asof($1) WHERE sku = 'gone'", asked)
        assert then["available"] is known
    assert fees_and_clusters.rows("SELECT available FROM price_history WHERE sku = 'gone'") == [{"available": False}]


def test_every_size_class_stands_for_every_provider_that_rents_a_card_to_train_on(ledger):
    found = ledger.rows("SELECT DISTINCT provider, pricing, llm FROM training_cost_by_provider")
    assert {tuple(row.values()) for row in found} == set(
        product(["acme"], ["on_demand", "spot"], NEEDS)
    ) | set(product(["bolt"], ["on_demand"], NEEDS))  # fmt: skip
    with ledger.opened() as connection:
        assert failed_checks(connection) == {}
        connection.execute("BEGIN")
        connection.execute("DELETE FROM training_cost_by_provider WHERE provider = 'bolt' AND llm = '70B'")
        assert failed_checks(connection) == {
            "every_size_at_every_training_provider": [{"provider": "bolt", "llm": "70B"}]
        }
        connection.execute("ROLLBACK")


def test_the_tables_agree_offer_by_offer(ledger):
    """The table by provider is made without the view; it must pick what the view shows."""
    picked = ledger.rows("FROM training_cost_by_provider")
    best = ledger.rows(
        "SELECT * FROM training_cost QUALIFY row_number() OVER "
        "(PARTITION BY llm, provider, pricing ORDER BY feasible DESC, CASE WHEN NOT feasible THEN wall_days END, "
        "in_stock IS NOT DISTINCT FROM false, total_usd_mid, offer_key) = 1"
    )
    shared = ("llm", "offer_key", "feasible", "why_not", "gpus", "wall_days", "total_usd_low", "total_usd_high")
    assert {tuple(row[name] for name in shared) for row in picked} == {
        tuple(row[name] for name in shared) for row in best
    }


def test_clusters_are_sized_as_in_the_plans_of_models(tmp_path):
    kinds = list(product([None, "single_node", "multi_node"], [1, 2, 4, 8, 16], [None, 4, 12, 64], [None, 24]))
    ledger = market(
        tmp_path,
        *(
            rented(str(number), "1", count, fabric=fabric, cluster_gpus=largest, minimum_gpus=least)
            for number, (fabric, count, largest, least) in enumerate(kinds)
        ),
    )
    for row in ledger.rows("FROM training_cost"):
        fabric, count, largest, least = kinds[int(row["sku"])]
        alike = RentalOffer(
            "", "acme", "h100_sxm", Decimal(count), Decimal(1), "on_demand",
            provider_kind="gpu_cloud", fabric=fabric, cluster_gpus=largest, minimum_gpus=least,
        )  # fmt: skip
        *_, memory, in_time = NEEDS[row["llm"]]
        assert row["gpus"] == cluster(alike, max(memory, min(in_time, LARGEST)), 8).gpus
        small = too_small(alike, memory)
        assert small == row["why_not"] or (small is None and (row["feasible"] or "days" in row["why_not"]))
