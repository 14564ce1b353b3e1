"""An offer to plan on, and the plan there: 8 H100 in a cluster of 1,024 at 2 USD, unless said otherwise."""

from __future__ import annotations

from decimal import Decimal

from models.costs.plan import plans
from models.gpus import gpus
from models.training.clusters import RentalOffer


def offer(key="a", usd="2.00", **changes):
    given_ = {
        "offer_key": key,
        "provider": "somewhere",
        "gpu": "h100_sxm",
        "gpu_count": Decimal(8),
        "usd_per_gpu_hour": Decimal(usd),
        "pricing": "on_demand",
        "fabric": "multi_node",
        "cluster_gpus": 1024,
        "country": "US",
        "provider_kind": "gpu_cloud",
    }
    return RentalOffer(**{**given_, **changes})


def only(llm, one, wishes=None, chips=None):
    return plans(llm, [one], chips or gpus(), wishes)[0]
