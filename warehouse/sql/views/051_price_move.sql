CREATE OR REPLACE VIEW price_move AS SELECT * FROM core.move;
COMMENT ON VIEW price_move IS 'Remarkable moves of prices: believed with a mark, or held back while the last good price stands.';
