TRUNCATE core.market;
INSERT INTO core.market BY NAME
SELECT DISTINCT ON (market) market, provider, pricing, term_months, instance, gpu, gpu_count, fabric, cluster_gpus,
    minimum_gpus, setup_usd, minimum_hours, offered_until
FROM past_offer;

TRUNCATE core.price_by_day;
INSERT INTO core.price_by_day BY NAME
WITH looked AS (
    SELECT DISTINCT provider, epoch_us(observed_at) // 86400000000 AS day FROM core.scrape WHERE status <> 'failed'
), read AS (
    SELECT market, day FROM core.market JOIN looked USING (provider)
)
SELECT market, DATE '1970-01-01' + CAST(day AS INTEGER) AS day, usd_per_gpu_hour
FROM market_day SEMI JOIN read USING (market, day) WHERE usd_per_gpu_hour IS NOT NULL
ORDER BY day, market;
