CREATE OR REPLACE VIEW price_move AS
SELECT * REPLACE (core.money(usd_per_hour) AS usd_per_hour, core.money(last_usd_per_hour) AS last_usd_per_hour)
FROM core.move;
COMMENT ON VIEW price_move IS 'Remarkable moves of prices: believed with a mark, or held back while the last good price stands.';
COMMENT ON COLUMN price_move.reason IS 'large_move, currency_rate, confirmed_move (believed); suspicious_move, not_shown by a page that was redesigned and lost most of its list, or why the row was refused (held).';
