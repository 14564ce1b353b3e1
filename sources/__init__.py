"""Where prices come from: how a page is fetched and kept, and what each provider's page says.

A provider is one file in `sources/providers`. Does not belong here: what a price means (models.normalise),
where it is stored (warehouse), when it is fetched (pipelines).
"""
