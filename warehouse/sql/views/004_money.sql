-- DuckDB multiplies two decimals of up to 18 digits into 18 digits, and a price times a count does not fit; of 20 digits
-- and more it keeps 38.
CREATE OR REPLACE MACRO core.money(amount) AS CAST(amount AS DECIMAL(20, 8));
COMMENT ON MACRO core.money IS 'An amount that can be multiplied with counts and hours.';
