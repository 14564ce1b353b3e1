CREATE OR REPLACE MACRO core.standing_price(moment) AS TABLE
WITH clock AS (
    SELECT utc_moment(moment) AS utc
), looked AS (
    SELECT provider, book, max(observed_at) AS looked_at
    FROM (
        SELECT provider, observed_at, unnest(books) AS book FROM core.scrape, clock
        WHERE observed_at <= clock.utc
    )
    GROUP BY provider, book
), newest AS (
    SELECT offer_key, max(observed_at) AS changed_at FROM core.observation, clock
    WHERE observed_at <= clock.utc
    GROUP BY offer_key
), standing AS (
    SELECT said.* EXCLUDE (observed_at), changed_at,
        -- a look that shows an excerpt of a book says what it shows, and is no look at the book
        coalesce(held.last_seen_at, greatest(looked_at, changed_at)) AS observed_at
    FROM newest JOIN core.observation AS said ON said.offer_key = newest.offer_key AND said.observed_at = changed_at
    LEFT JOIN looked USING (provider, book)
    LEFT JOIN core.move AS held
        ON held.held AND held.offer_key = newest.offer_key AND held.observed_at = looked_at
    WHERE listed
), restated AS (
    -- a list price in another currency is worth what the rate of the day before the look says
    SELECT standing.*,
        CASE WHEN standing.currency = 'USD' OR rate.usd_per_unit IS NULL THEN 1::DOUBLE
             ELSE CAST(rate.usd_per_unit AS DOUBLE) / CAST(standing.fx_rate AS DOUBLE) END AS restate,
        rate.usd_per_unit, rate.rate_date
    FROM standing ASOF LEFT JOIN currency_rate AS rate
        ON standing.currency = rate.currency
        AND CAST(standing.observed_at AT TIME ZONE 'UTC' AS DATE) > rate.rate_date
)
SELECT
    provider, sku, region, country, gpu, gpu_family, form_factor, gpu_memory_gb, gpu_count, vcpus, memory_gb,
    pricing, term_months, tier, core.money(list_price) AS list_price, core.money(upfront) AS upfront, currency, unit,
    CASE WHEN currency <> 'USD' THEN coalesce(usd_per_unit, fx_rate) END AS fx_rate,
    CASE WHEN currency <> 'USD' THEN coalesce(rate_date, fx_date) END AS fx_date,
    CASE WHEN restate = 1 THEN core.money(usd_per_hour) ELSE core.money(usd_per_hour * restate) END AS usd_per_hour,
    CASE WHEN restate = 1 THEN core.money(usd_per_gpu_hour)
         ELSE core.money(usd_per_gpu_hour * restate) END AS usd_per_gpu_hour,
    -- a fee beside a term is part of its price; beside a price by the hour it is due once, however long it runs
    CASE WHEN upfront > 0 AND pricing NOT IN ('reserved', 'savings_plan', 'capacity_block')
         THEN core.money(upfront * CAST(restated.fx_rate AS DOUBLE) * restate) END AS setup_usd,
    available, observed_at, epoch(clock.utc - observed_at) / 3600 AS age_hours, origin,
    CASE WHEN origin = 'recorded' THEN recorded.form END AS form, page_sha256,
    changed_at, quantity, minimum_gpus, fabric, cluster_gpus, broker_of, machine, gpu_text, book, effective_from, offer_key,
    minimum_hours, offered_until
FROM clock CROSS JOIN restated LEFT JOIN core.recorded_form AS recorded USING (provider, page_sha256);
COMMENT ON MACRO TABLE core.standing_price IS 'Every offer that stood at a moment, with what was last said of its stock, however long ago.';
