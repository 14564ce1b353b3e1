"""Speed and memory, measured as whole processes and printed; nothing here is a test and nothing here is timed in CI.

`make bench` runs all of it; `python -m bench.<name>` one part.
"""
