-- The weeks of the new looks, anew: what each offer of their providers last said on each day.
CREATE OR REPLACE TEMP TABLE new_week AS
SELECT DISTINCT provider, CAST(epoch_us(observed_at) // 604800000000 AS INTEGER) AS week FROM new_scrape;

SET VARIABLE first_week = (SELECT min(week) FROM new_week);
SET VARIABLE last_week = (SELECT max(week) FROM new_week);

DELETE FROM core.closing_week USING new_week
WHERE closing_week.provider = new_week.provider AND closing_week.week = new_week.week;

INSERT INTO core.closing_week
FROM core.said_by_week(getvariable('first_week'), getvariable('last_week')) SEMI JOIN new_week USING (provider, week)
ORDER BY week, provider, offer_key;
