"""A ledger of one LLM on one GPU, whose costs can be reckoned by hand: 14,400 hours, 1.4 for experiments."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
from ledgers import Ledger, offer

CONSTANTS = {
    "largest_cluster_gpus": 100_000, "longest_run_days": 270, "overhead": 1.4, "cluster_unstated_other": 1024,
    "hours_per_month": 730, "serving_utilisation": 0.4, "input_tokens_per_output": 3, "algorithm_halving_months": 8,
    "spot_gang_gpus": 512, "scale_loss_per_doubling": 0.025, "scale_loss_from_gpus_effective": 1024,
    "scale_efficiency_floor": 0.5,
}  # fmt: skip


def laid(ledger: Ledger, **frames: pl.DataFrame) -> Ledger:
    """The reference tables of a 7B model on H100: 14,400 hours, 2 GPUs for memory, 8 to end in time."""
    need = {
        "llm": "7B", "kind": "size_class", "gpu": "h100_sxm", "gpus_per_node": 8, "min_gpus": 2, "basis": "runs",
        "gpus_for_deadline": 8, "gpu_hours_p10": 10_000.0, "gpu_hours_p50": 14_400.0, "gpu_hours_p90": 20_000.0,
        "flop": 2e22, "peak_tflops": 989.4, "precision": "bf16", "utilisation_mid": 2e22 / 989.4e12 / 3600 / 14_400,
        "scale_efficiency": 1.0,
    }  # fmt: skip
    ledger.load()
    ledger.refer(
        gpu=pl.DataFrame({"gpu": ["h100_sxm"], "trains": [True]}),
        llm=pl.DataFrame({"llm": ["7B"], "kind": ["size_class"]}),
        constant=pl.DataFrame(
            {"name": list(CONSTANTS), "value": [float(value) for value in CONSTANTS.values()]}
        ).with_columns(low=pl.col("value"), high=pl.col("value")),
        training_requirement=pl.DataFrame([need]),
        **frames,
    )
    ledger.recompute()
    return ledger


def rented(sku: str, usd_per_gpu_hour: str, gpu_count: int = 8, **said):
    return offer(sku, str(Decimal(usd_per_gpu_hour) * gpu_count), gpu_count=Decimal(gpu_count), **said)
