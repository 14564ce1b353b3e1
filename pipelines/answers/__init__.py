"""What commands and tables ask of the published ledger: prices with their page, what can be rented for a job, time."""


class NothingFits(Exception):
    """No offer of the ledger can do what was asked: an answer, with its reason."""


READ_FROM = ("observed_at", "origin", "page_url", "page_sha256", "offer_key")  # where the price of a row was read
