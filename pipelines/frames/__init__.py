"""Frames that SQL cannot make: reference tables, token prices, what each question takes of every model on a chip."""
