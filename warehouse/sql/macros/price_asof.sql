CREATE OR REPLACE MACRO price_asof(moment) AS TABLE
WITH standing AS (
    SELECT * FROM price_history
    WHERE valid_from <= CAST(moment AS TIMESTAMPTZ)
      AND (valid_to IS NULL OR valid_to > CAST(moment AS TIMESTAMPTZ))
), restated AS (
    SELECT standing.*,
        CASE WHEN standing.currency = 'USD' OR rate.usd_per_unit IS NULL THEN 1::DOUBLE
             ELSE rate.usd_per_unit / standing.fx_rate END AS restate
    FROM standing ASOF LEFT JOIN currency_rate AS rate
        ON standing.currency = rate.currency AND CAST(CAST(moment AS TIMESTAMPTZ) AS DATE) > rate.rate_date
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
