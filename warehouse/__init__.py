"""The ledger: offers into observations, observations into what people query, and publishing it safely.

SQL lives in `sql/`, one object a file. Does not belong here: fetching, parsing or normalising a price
(sources, models), and Dagster (pipelines).
"""
