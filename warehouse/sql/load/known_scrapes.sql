-- The looks that the ledger holds, as their summary files are called.
SELECT provider || '/' || strftime(observed_at AT TIME ZONE 'UTC', '%Y%m%dT%H%M%S.%fZ') || '.scrape.json' AS name
FROM core.scrape;
