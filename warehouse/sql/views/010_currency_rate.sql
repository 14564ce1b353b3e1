CREATE OR REPLACE VIEW currency_rate AS
WITH usd AS (
    SELECT rate_date, per_eur FROM ref.currency_rate WHERE currency = 'USD'
)
SELECT other.currency, other.rate_date, CAST(usd.per_eur / other.per_eur AS DECIMAL(18, 10)) AS usd_per_unit
FROM ref.currency_rate AS other JOIN usd USING (rate_date)
WHERE other.currency <> 'USD'
UNION ALL
SELECT 'EUR' AS currency, rate_date, CAST(per_eur AS DECIMAL(18, 10)) AS usd_per_unit FROM usd;
COMMENT ON VIEW currency_rate IS 'USD for one unit of a currency, by day, from the European Central Bank''s reference rates.';
COMMENT ON COLUMN currency_rate.currency IS 'ISO 4217 code.';
COMMENT ON COLUMN currency_rate.rate_date IS 'Day of the rate; used from the next day on.';
COMMENT ON COLUMN currency_rate.usd_per_unit IS 'USD for one unit, crossed through the euro.';
