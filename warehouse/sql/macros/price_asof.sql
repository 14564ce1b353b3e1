CREATE OR REPLACE MACRO price_asof(moment) AS TABLE
WITH standing AS (
    SELECT * FROM price_history
    WHERE valid_from <= CAST(moment AS TIMESTAMPTZ)
      AND (valid_to IS NULL OR valid_to > CAST(moment AS TIMESTAMPTZ))
), rate AS (
    SELECT currency, arg_max(usd_per_unit, rate_date) AS usd_per_unit FROM currency_rate
    WHERE rate_date < CAST(CAST(moment AS TIMESTAMPTZ) AS DATE) GROUP BY currency
), restated AS (
    SELECT standing.*,
        CASE WHEN standing.currency = 'USD' OR rate.usd_per_unit IS NULL THEN 1::DOUBLE
             ELSE rate.usd_per_unit / standing.fx_rate END AS restate
    FROM standing LEFT JOIN rate USING (currency)
)
SELECT
    provider, sku, region, country, gpu, gpu_family, form_factor, gpu_memory_gb, gpu_count, vcpus, memory_gb,
    pricing, term_months, tier, list_price, upfront, currency, unit,
    CASE WHEN restate = 1 THEN usd_per_hour
         ELSE CAST(usd_per_hour * restate AS DECIMAL(18, 8)) END AS usd_per_hour,
    CASE WHEN restate = 1 THEN usd_per_gpu_hour
         ELSE CAST(usd_per_gpu_hour * restate AS DECIMAL(18, 8)) END AS usd_per_gpu_hour,
    available, valid_from, valid_to, origin, page_sha256, offer_key
FROM restated;
COMMENT ON MACRO TABLE price_asof IS 'The prices that stood at a moment: SELECT * FROM price_asof(''2026-08-01'').';
