CREATE OR REPLACE MACRO price_asof(moment) AS TABLE
SELECT * REPLACE (core.said_lately(available, age_hours) AS available, core.said_lately(quantity, age_hours) AS quantity)
FROM core.standing_price(moment);
COMMENT ON MACRO TABLE price_asof IS 'price_now as it was at a moment, with the looks and rates known then: SELECT * FROM price_asof(''2026-08-01''). An attached ledger is first made the current one (USE).';
