-- Aggregated before it is multiplied by anything: one price a market and day; null where all its offers are gone.
INSERT INTO market_day
SELECT market, unnest($days) AS day, unnest([*COLUMNS('day_\d')]) AS usd_per_gpu_hour
FROM (SELECT market, min(nullif(COLUMNS('day_\d'), 0)) FROM week GROUP BY market);
