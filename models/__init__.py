"""The pure domain, in both senses of the word "model".

What a price is (quote, offer, rejection, GPU, currency, region), and the language models whose
training is priced (size, FLOP, memory, hours, dollars). Frames and numbers in, frames and numbers out.

Does not belong here: HTTP, files other than the CSVs beside the modules, DuckDB, Dagster.
"""
