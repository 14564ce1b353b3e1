"""What commands and tables ask of the published ledger: prices with their page, what can be rented for a job, time."""


class NothingFits(Exception):
    """No offer of the ledger can do what was asked: an answer, with its reason."""
