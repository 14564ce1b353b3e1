"""`make bench`: every measurement, one after another."""

from __future__ import annotations

from bench import aws_offer_file, commands, cost, refresh, sites

for part in (refresh, commands, cost, sites, aws_offer_file):
    print(f"\n== {(part.__doc__ or '').splitlines()[0]}", flush=True)
    part.main()
