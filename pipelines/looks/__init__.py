"""From a look at the world to what it came to: asked, read book by book, judged against the last, kept, recorded.

No Dagster and no ledger here: pages in, offer files out.
"""
