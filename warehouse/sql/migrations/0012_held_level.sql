COMMENT ON COLUMN core.move.usd_per_hour IS 'New price in USD per hour of the whole instance; where the row held none, the one for which it was held back before, else null.';
