"""Putting it together: what is looked at when, as Dagster assets, and the command line.

The only package that knows Dagster. Does not belong here: reading a page, what a price means, SQL.
"""
