TRUNCATE core.past_instance;
INSERT INTO core.past_instance
SELECT DISTINCT ON (instance) instance, gpu, gpu_count, fabric, cluster_gpus, minimum_gpus, pricing = 'spot' AS on_spot
FROM past_offer;

TRUNCATE core.price_by_day;
INSERT INTO core.price_by_day BY NAME
WITH looked AS (
    SELECT DISTINCT provider, epoch_us(observed_at) // 86400000000 AS day FROM core.scrape WHERE status <> 'failed'
), market AS (
    SELECT DISTINCT market, provider, pricing, instance FROM past_offer
)
SELECT DATE '1970-01-01' + CAST(day AS INTEGER) AS day, provider, pricing, instance, usd_per_gpu_hour
FROM market_day JOIN market USING (market) SEMI JOIN looked USING (provider, day)
ORDER BY day, provider, pricing, instance;
