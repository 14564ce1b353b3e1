"""What it comes to in money: bills, bases, plans, hosting, the past and the future.

Does not belong here: what a run takes (models.training), what a price is (models.offers, models.normalise).
"""
