"""What Dagster shows: an asset for every source and table, when each is made, and the checks that turn red.

Nothing is read or computed here; the work is in looks, frames and warehouse.
"""
