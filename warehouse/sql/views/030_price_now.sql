CREATE OR REPLACE VIEW price_now AS
WITH looked AS (
    SELECT provider, book, max(observed_at) AS looked_at
    FROM (SELECT provider, observed_at, unnest(books) AS book FROM core.scrape)
    GROUP BY provider, book
), latest AS (
    SELECT * FROM core.observation
    QUALIFY row_number() OVER (PARTITION BY offer_key ORDER BY observed_at DESC) = 1
), standing AS (
    SELECT latest.* EXCLUDE (observed_at), latest.observed_at AS changed_at, looked.looked_at AS observed_at
    FROM latest JOIN looked USING (provider, book)
    WHERE latest.listed
), restated AS (
    -- a list price in another currency is worth what the rate of the day before the look says
    SELECT standing.*,
        CASE WHEN standing.currency = 'USD' OR rate.usd_per_unit IS NULL THEN 1::DOUBLE
             ELSE rate.usd_per_unit / standing.fx_rate END AS restate
    FROM standing ASOF LEFT JOIN currency_rate AS rate
        ON standing.currency = rate.currency AND CAST(standing.observed_at AS DATE) > rate.rate_date
)
SELECT
    provider, sku, region, country, gpu, gpu_family, form_factor, gpu_memory_gb, gpu_count, vcpus, memory_gb,
    pricing, term_months, tier, list_price, upfront, currency, unit,
    CASE WHEN restate = 1 THEN usd_per_hour
         ELSE CAST(usd_per_hour * restate AS DECIMAL(18, 8)) END AS usd_per_hour,
    CASE WHEN restate = 1 THEN usd_per_gpu_hour
         ELSE CAST(usd_per_gpu_hour * restate AS DECIMAL(18, 8)) END AS usd_per_gpu_hour,
    available, observed_at, epoch(now() - observed_at) / 3600 AS age_hours, origin, page_sha256,
    changed_at, quantity, minimum_gpus, fabric, cluster_gpus, broker_of, gpu_text, book, effective_from, offer_key
FROM restated;
COMMENT ON VIEW price_now IS 'Every offer as last seen, with how long ago its part of the price list was last read.';
COMMENT ON COLUMN price_now.observed_at IS 'Last look that read this offer''s part of the price list, UTC.';
COMMENT ON COLUMN price_now.age_hours IS 'Hours since that look.';
COMMENT ON COLUMN price_now.changed_at IS 'The look that first saw this price.';
COMMENT ON COLUMN price_now.usd_per_hour IS 'USD per hour of the whole instance; other currencies at the rate of the day before the look.';
COMMENT ON COLUMN price_now.usd_per_gpu_hour IS 'USD per GPU-hour, likewise.';
