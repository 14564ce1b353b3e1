"""The commands of `gpuledger`, a module a question; what changes the ledger is in pipelines.cli.

Does not belong here: calculation (models), queries that others could want (views in warehouse/sql).
"""
