-- Aggregated before it is multiplied by anything: one price a market and day; null where all its offers are gone.
INSERT INTO market_day
SELECT market, week * 7 + unnest(range(7)) AS day, unnest([*COLUMNS('day_\d')]) AS usd_per_gpu_hour
FROM (SELECT market, week, min(nullif(COLUMNS('day_\d'), 0)) FROM closed GROUP BY market, week);

-- the state from which the next weeks go on
CREATE OR REPLACE TEMP TABLE closing AS
SELECT offer, market, day_6 AS usd FROM closed QUALIFY week = max(week) OVER ();
