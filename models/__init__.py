"""The pure domain, in both senses of the word "model".

Here: what a price is (quote, offer, rejection, GPU, currency, region) and which language models are priced. Below:
what training them takes (training), what that comes to (costs), and what others published (claims). Frames and
numbers in, frames and numbers out. The base knows nothing of the three, training nothing of costs.

Does not belong here: HTTP, files other than the CSVs beside the modules, DuckDB, Dagster.
"""
