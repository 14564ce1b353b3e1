CREATE OR REPLACE TABLE core.standing AS FROM core.standing_price('9999-12-31') LIMIT 0;
COMMENT ON TABLE core.standing IS 'Every offer that stands: core.standing_price after all looks. Each load lays it anew, so that reading what is on offer does not take the whole history.';
COMMENT ON COLUMN core.standing.age_hours IS 'Null: it grows by itself, see price_now.';
