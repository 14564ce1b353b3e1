-- The series of an instance, without its size: a3-megagpu of a3-megagpu-8g, p5 of p5.48xlarge (models.witnesses.series).
CREATE OR REPLACE MACRO core.series_of(sku) AS regexp_extract(sku, '^(.*)[-.][^-.]*$', 1);
COMMENT ON MACRO core.series_of IS 'The name of an instance without its last part, which tells the size; empty where it has no parts.';
CREATE OR REPLACE VIEW price_agreement AS
WITH paired AS (
    -- cards that may be the same one: of one family, not two cards that are told apart (editions of one card are), and
    -- nothing that both state contradicts
    SELECT
        told.witness, told.provider, told.gpu, told.pricing, told.term_months, told.tier, told.region,
        core.money(told.usd_per_gpu_hour) AS theirs, told.sku AS their_sku, coalesce(told.as_of, told.observed_at) AS their_date,
        ours.usd_per_gpu_hour AS ours, ours.sku AS our_sku, ours.observed_at AS our_date,
        told.tier <> '' AND ours.tier = told.tier AS same_tier,
        ours.gpu = told.gpu AS same_gpu, core.series_of(ours.sku) = core.series_of(told.sku) AND core.series_of(told.sku) <> '' AS same_series,
        ours.tier = 'composed' AND told.tier <> 'composed' AS composed,
        (ours.form_factor IS NULL AND told.form_factor IS NOT NULL)
            OR (ours.gpu_memory_gb IS NULL AND told.gpu_memory_gb IS NOT NULL) AS vaguer,
        told.region <> '' AND ours.region = told.region AS same_region
    FROM ref.witness AS told JOIN price_now AS ours
        ON ours.provider = told.provider AND ours.gpu_family = told.gpu_family AND ours.pricing = told.pricing
        AND ours.term_months IS NOT DISTINCT FROM told.term_months
        AND coalesce(ours.form_factor = told.form_factor, true)
        AND coalesce(ours.gpu_memory_gb = told.gpu_memory_gb, true)
    LEFT JOIN ref.gpu AS our_gpu ON our_gpu.gpu = ours.gpu LEFT JOIN ref.gpu AS their_gpu ON their_gpu.gpu = told.gpu
    WHERE (same_gpu OR our_gpu.level IS DISTINCT FROM 'card' OR their_gpu.level IS DISTINCT FROM 'card')
        AND ours.tier <> 'not_for_sale' AND ours.gpu_count >= 1 AND coalesce(ours.form_factor NOT IN ('MIG', 'vGPU'), true)
), alike AS (
    SELECT * FROM paired
    QUALIFY rank() OVER (
        PARTITION BY witness, provider, gpu, pricing, term_months, tier
        ORDER BY same_tier DESC, same_gpu DESC, vaguer, same_region DESC
    ) = 1
), likest AS (
    SELECT * FROM alike
    QUALIFY rank() OVER (
        PARTITION BY witness, provider, gpu, pricing, term_months, tier, CASE WHEN same_region THEN region END
        ORDER BY same_series DESC
    ) = 1
), lowest AS (
    SELECT
        witness, provider, gpu, pricing, term_months, tier, CASE WHEN same_region THEN region ELSE '' END AS region,
        min(ours) AS our_usd_per_gpu_hour, min(theirs) AS their_usd_per_gpu_hour,
        -- of prices that are equal, that of the first SKU
        arg_min(our_date, row(ours, our_sku, our_date)) AS our_date,
        arg_min(their_date, row(theirs, their_sku, their_date)) AS their_date,
        arg_min(composed, row(ours, our_sku)) AS composed,
        arg_min(our_sku, row(ours, our_sku)) AS our_sku, arg_min(their_sku, row(theirs, their_sku)) AS their_sku
    FROM likest GROUP BY ALL
), measured AS (
    SELECT *,
        CAST(100 * (our_usd_per_gpu_hour / their_usd_per_gpu_hour - 1) AS DOUBLE) AS difference_percent,
        abs(our_usd_per_gpu_hour - their_usd_per_gpu_hour) <= 0.20 * their_usd_per_gpu_hour AS agrees,
        abs(epoch(our_date - their_date)) / 86400 AS days_apart
    FROM lowest
)
SELECT
    witness, provider, gpu, pricing, term_months, tier, region, our_usd_per_gpu_hour, their_usd_per_gpu_hour,
    difference_percent, our_date, their_date, days_apart,
    CASE WHEN composed THEN 'composed differently' WHEN agrees THEN 'agrees'
        WHEN days_apart > 45 THEN 'dates too far apart'
        ELSE 'differs' END AS verdict,
    our_sku, their_sku
FROM measured
ORDER BY abs(difference_percent) DESC, witness, provider, gpu, pricing, tier, region;
COMMENT ON VIEW price_agreement IS 'Our price beside an aggregator''s per provider, GPU and kind of price: the lowest per GPU-hour in each region that both name, else the lowest anywhere; of one series of instances where both name it.';
COMMENT ON COLUMN price_agreement.witness IS 'The aggregator.';
COMMENT ON COLUMN price_agreement.provider IS 'Whose price it is.';
COMMENT ON COLUMN price_agreement.gpu IS 'Canonical GPU at the level the aggregator states; ours may be finer.';
COMMENT ON COLUMN price_agreement.pricing IS 'on_demand, spot, reserved, savings_plan, capacity_block or serverless.';
COMMENT ON COLUMN price_agreement.term_months IS 'Length of the commitment in months, or null.';
COMMENT ON COLUMN price_agreement.tier IS 'The provider''s own distinction as the aggregator states it; ours is of the same where we list it.';
COMMENT ON COLUMN price_agreement.region IS 'The region both prices are of; empty where they are the lowest anywhere.';
COMMENT ON COLUMN price_agreement.our_usd_per_gpu_hour IS 'Our lowest, USD per GPU-hour.';
COMMENT ON COLUMN price_agreement.their_usd_per_gpu_hour IS 'Their lowest, USD per GPU-hour.';
COMMENT ON COLUMN price_agreement.difference_percent IS 'Ours over theirs, less one, in percent.';
COMMENT ON COLUMN price_agreement.our_date IS 'When we last saw our price, UTC.';
COMMENT ON COLUMN price_agreement.their_date IS 'When they read theirs, or where they do not say, when we asked them, UTC.';
COMMENT ON COLUMN price_agreement.days_apart IS 'Days between the two.';
COMMENT ON COLUMN price_agreement.verdict IS 'agrees: within 20 %; differs; dates too far apart: the prices differ and were read more than 45 days apart; composed differently: ours is of a machine put together of priced parts (tier composed), theirs of parts that they do not say.';
COMMENT ON COLUMN price_agreement.our_sku IS 'The provider''s own name of our lowest.';
COMMENT ON COLUMN price_agreement.their_sku IS 'The name of theirs, as the aggregator writes it.';
