"""Writes a bulk EC2 price file of any size in the layout of the real one, and lists the prices a reader must find.

Five lines of preamble, 91 columns, every filled cell in quotes and empty ones bare; about one row in twenty of a
GPU instance, rows in no order, and beside each wanted price the rows it is mistaken for: other systems and
licences, dedicated hosts, reserved capacity, capacity blocks at 0, convertible reservations. The list of wanted
prices is kept while writing and owes nothing to the reader. The prices are random; none is real.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

_HEADER = (
    "SKU,OfferTermCode,RateCode,TermType,PriceDescription,EffectiveDate,StartingRange,EndingRange,Unit,PricePerUnit,"
    "Currency,RelatedTo,LeaseContractLength,PurchaseOption,OfferingClass,Product Family,serviceCode,Location,"
    "Location Type,Instance Type,Current Generation,Instance Family,vCPU,Physical Processor,Clock Speed,Memory,"
    "Storage,Network Performance,Processor Architecture,Storage Media,Volume Type,Max Volume Size,Max IOPS/volume,"
    "Max IOPS Burst Performance,Max throughput/volume,Provisioned,Tenancy,EBS Optimized,Operating System,"
    "License Model,Group,Group Description,Transfer Type,From Location,From Location Type,To Location,"
    "To Location Type,usageType,operation,AvailabilityZone,CapacityStatus,ClassicNetworkingSupport,"
    "Dedicated EBS Throughput,ECU,Elastic Graphics Type,Enhanced Networking Supported,From Region Code,GPU,"
    "GPU Memory,Instance,Instance Capacity - 10xlarge,Instance Capacity - 12xlarge,Instance Capacity - 16xlarge,"
    "Instance Capacity - 18xlarge,Instance Capacity - 24xlarge,Instance Capacity - 2xlarge,"
    "Instance Capacity - 32xlarge,Instance Capacity - 4xlarge,Instance Capacity - 8xlarge,"
    "Instance Capacity - 9xlarge,Instance Capacity - large,Instance Capacity - medium,Instance Capacity - metal,"
    "Instance Capacity - xlarge,instanceSKU,Intel AVX2 Available,Intel AVX Available,Intel Turbo Available,"
    "MarketOption,Normalization Size Factor,Physical Cores,Pre Installed S/W,Processor Features,Product Type,"
    "Region Code,Resource Type,serviceName,SnapshotArchiveFeeType,To Region Code,Volume API Name,"
    "VPCNetworkingSupport"
)
HEADER = _HEADER.split(",")
PLACE = {title: place for place, title in enumerate(HEADER)}

# Operating system, licence model, pre-installed software, operation: the first is the one that is wanted.
SYSTEMS = [
    ("Linux", "No License required", "NA", "RunInstances"),
    ("RHEL", "No License required", "NA", "RunInstances:0010"),
    ("SUSE", "No License required", "NA", "RunInstances:000g"),
    ("Ubuntu Pro", "No License required", "NA", "RunInstances:0g00"),
    ("Windows", "No License required", "NA", "RunInstances:0002"),
    ("Windows", "Bring your own license", "NA", "RunInstances:0800"),
    ("Windows", "No License required", "SQL Web", "RunInstances:0202"),
    ("Windows", "No License required", "SQL Std", "RunInstances:0006"),
    ("Windows", "No License required", "SQL Ent", "RunInstances:0102"),
    ("Linux", "No License required", "SQL Web", "RunInstances:0200"),
    ("Linux", "No License required", "SQL Std", "RunInstances:0004"),
    ("Linux", "No License required", "SQL Ent", "RunInstances:0100"),
]
REGIONS = [
    ("us-east-1", "US East (N. Virginia)", ""),
    ("us-east-1-atl-1", "US East (Atlanta)", "ATL1-"),
    ("us-west-2", "US West (Oregon)", "USW2-"),
    ("ap-south-1", "Asia Pacific (Mumbai)", "APS3-"),
    ("eu-north-1", "EU (Stockholm)", "EUN1-"),
]
UPFRONT_SHARES = {"No Upfront": Decimal(0), "Partial Upfront": Decimal("0.5"), "All Upfront": Decimal(1)}
TERMS = [(f"{years}yr", option) for years in (1, 3) for option in UPFRONT_SHARES]
HOURS = {"1yr": 8760, "3yr": 26280}
CPU_TYPES_PER_GPU_TYPE = 19  # one row in twenty is of a GPU instance, as in the real file

Price = tuple[str, str, str, int | None, str]  # instance type, region, pricing, months, tier
Wanted = dict[Price, tuple[Decimal, Decimal]]  # hourly part, upfront fee


def known_types() -> list[dict[str, str]]:
    table = Path(__file__).parent.parent / "sources" / "providers" / "aws" / "instances.csv"
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


def rows_of_type(
    random_: random.Random, spec: dict[str, str] | None, name: str, region: tuple[str, str, str], wanted: Wanted
) -> Iterator[list[str]]:
    """Every row of one instance type in one region; the wanted prices of a GPU type are noted in `wanted`."""
    code, location, prefix = region
    per_gpu = Decimal(random_.randrange(240_000, 290_000)) / 100_000  # believable for every GPU of the table
    hourly = (per_gpu * Decimal(spec["gpu_count"]) if spec else Decimal(random_.randrange(5, 9000)) / 1000).quantize(
        Decimal("0.00001")
    )
    base = [""] * len(HEADER)
    neuron = name.startswith(("trn", "inf"))
    family = ("Machine Learning ASIC Instances" if neuron else "GPU instance") if spec else "General purpose"
    filled = {
        "EffectiveDate": "2026-11-01",
        "StartingRange": "0",
        "EndingRange": "Inf",
        "Currency": "USD",
        "Product Family": "Compute Instance",
        "serviceCode": "AmazonEC2",
        "Location": location,
        "Location Type": "AWS Region",
        "Instance Type": name,
        "Current Generation": "Yes",
        "Instance Family": family,
        "vCPU": spec["vcpus"] if spec else "8",
        "Physical Processor": "Intel Xeon Platinum 8175 (Skylake)",
        "Clock Speed": "3.1 GHz",
        "Memory": f"{spec['memory_gb'] if spec else 32} GiB",
        "Storage": "2 x 3800 NVMe SSD",
        "Network Performance": "Up to 25 Gigabit",
        "Processor Architecture": "64-bit",
        "AvailabilityZone": "NA",
        "ClassicNetworkingSupport": "false",
        "Dedicated EBS Throughput": "Up to 10000 Mbps",
        "ECU": "NA",
        "Enhanced Networking Supported": "Yes",
        "GPU": spec["gpu_count"] if spec else "",
        "GPU Memory": f"{spec['gpu_memory_gb']} GB HBM3" if spec else "NA",
        "Intel AVX2 Available": "Yes",
        "Intel AVX Available": "Yes",
        "Intel Turbo Available": "Yes",
        "Normalization Size Factor": "32",
        "Processor Features": "AMD Turbo; Intel AVX; Intel AVX2; Intel AVX512; Intel Turbo",
        "Region Code": code,
        "serviceName": "Amazon Elastic Compute Cloud",
        "VPCNetworkingSupport": "true",
    }
    for title, text in filled.items():
        base[PLACE[title]] = text

    def row(**cells: str) -> list[str]:
        made = base.copy()
        for title, text in cells.items():
            made[PLACE[title]] = text
        return made

    for place, (system, licence, software, operation) in enumerate(SYSTEMS):
        price = hourly * (1 + Decimal(place) / 10)
        plain = place == 0
        for tenancy, usage in (("Shared", "BoxUsage"), ("Dedicated", "DedicatedUsage")):
            sku = f"{random_.getrandbits(80):020X}"[:16]
            machine = {
                "SKU": sku,
                "Tenancy": tenancy,
                "Operating System": system,
                "License Model": licence,
                "Pre Installed S/W": software,
                "operation": operation,
                "usageType": f"{prefix}{usage}:{name}",
                "CapacityStatus": "Used",
                "MarketOption": "OnDemand",
            }
            cost = price if tenancy == "Shared" else price * Decimal("1.1")
            on_demand = {
                **machine,
                "TermType": "OnDemand",
                "OfferTermCode": "JRTCKXETXF",
                "RateCode": f"{sku}.JRTCKXETXF.6YS6EN2CT7",
                "PriceDescription": f"${cost:.10f} per On Demand {system} {name} Instance Hour",
                "Unit": "Hrs",
                "PricePerUnit": f"{cost:.10f}",
            }
            yield row(**on_demand)
            for status, usage_ in (("UnusedCapacityReservation", "UnusedBox"), ("AllocatedCapacityReservation", "Res")):
                free = "0.0000000000" if status.startswith("Allocated") else on_demand["PricePerUnit"]
                yield row(
                    **{
                        **on_demand,
                        "SKU": f"{random_.getrandbits(80):020X}"[:16],
                        "CapacityStatus": status,
                        "PricePerUnit": free,
                        "usageType": f"{prefix}{usage_}:{name}",
                    }
                )
            if plain and tenancy == "Shared" and spec:
                wanted[(name, code, "on_demand", None, "")] = (cost, Decimal(0))
                yield row(
                    **{
                        **on_demand,
                        "SKU": f"{random_.getrandbits(80):020X}"[:16],
                        "operation": "RunInstances:CB",
                        "MarketOption": "CapacityBlock",
                        "PricePerUnit": "0.0000000000",
                    }
                )
            if licence != "No License required" or system == "Ubuntu Pro":
                continue
            for offering in ("standard", "convertible"):
                for lease, option in TERMS:
                    term_code = f"{random_.getrandbits(50):010X}"
                    effective = (cost * Decimal("0.63" if lease == "1yr" else "0.43")).quantize(Decimal("0.00001"))
                    upfront_share = UPFRONT_SHARES[option]
                    upfront = (effective * upfront_share * HOURS[lease]).quantize(Decimal(1))
                    running = Decimal(0) if option == "All Upfront" else effective * (1 - upfront_share)
                    term = {
                        **machine,
                        "TermType": "Reserved",
                        "OfferTermCode": term_code,
                        "LeaseContractLength": lease,
                        "PurchaseOption": option,
                        "OfferingClass": offering,
                    }
                    yield row(
                        **{
                            **term,
                            "RateCode": f"{sku}.{term_code}.6YS6EN2CT7",
                            "PriceDescription": f"{system} (Amazon VPC), {name} reserved instance applied",
                            "Unit": "Hrs",
                            "PricePerUnit": f"{running:.10f}",
                        }
                    )
                    if upfront:
                        yield row(
                            **{
                                **term,
                                "RateCode": f"{sku}.{term_code}.2TG2D8R56U",
                                "PriceDescription": "Upfront Fee",
                                "Unit": "Quantity",
                                "PricePerUnit": str(upfront),
                            }
                        )
                    if plain and tenancy == "Shared" and spec and offering == "standard":
                        tier = option.lower().replace(" ", "_")
                        wanted[(name, code, "reserved", 12 if lease == "1yr" else 36, tier)] = (running, upfront)


def write_price_file(target: Path, megabytes: int, seed: int) -> Wanted:
    """A price file of about that many million bytes; gives the prices that a reader must find in it."""
    random_ = random.Random(seed)
    wanted: Wanted = {}
    specs = known_types()
    machines: list[tuple[dict[str, str] | None, str, tuple[str, str, str]]] = []
    for region in REGIONS:
        for number, known in enumerate(specs):
            machines.append((known, known["instance_type"], region))
            machines += [(None, f"m{number}x.{size}xlarge", region) for size in range(CPU_TYPES_PER_GPU_TYPE)]
    random_.shuffle(machines)
    written, pending = 0, list[list[str]]()

    def flush() -> int:
        random_.shuffle(pending)
        text = "".join(",".join(f'"{cell}"' if cell else "" for cell in cells) + "\n" for cells in pending).encode()
        file.write(text)
        pending.clear()
        return len(text)

    with target.open("wb") as file:
        head = ['"FormatVersion","v1.0"', '"Disclaimer","generated for a benchmark; not prices"']
        head += ['"Publication Date","2026-11-28T00:00:00Z"', '"Version","20261128000000"', '"OfferCode","AmazonEC2"']
        head.append(",".join(f'"{title}"' for title in HEADER))
        file.write(("\n".join(head) + "\n").encode())
        for spec, name, region in machines:
            pending += rows_of_type(random_, spec, name, region, wanted)
            if len(pending) > 20_000:
                written += flush()
            if written > megabytes * 1_000_000:
                break
        flush()
    return wanted
