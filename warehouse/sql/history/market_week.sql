-- Aggregated before it is multiplied by anything: one price a market and day; null where all its offers are gone.
INSERT INTO market_week BY NAME
SELECT $days AS days, market, min(nullif(COLUMNS('day_\d'), 0))
FROM week GROUP BY market;
