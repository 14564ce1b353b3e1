CREATE OR REPLACE TABLE training_cost_by_provider AS
WITH ranked AS (
    SELECT *,
        row_number() OVER offer AS place,
        count(*) OVER market AS offers,
        count(*) FILTER (feasible) OVER market AS feasible_offers,
        median(total_usd_mid) FILTER (feasible) OVER market AS median_of_feasible,
        median(total_usd_mid) OVER market AS median_of_all
    FROM training_cost
    WINDOW market AS (PARTITION BY llm, provider, pricing),
        offer AS (PARTITION BY llm, provider, pricing ORDER BY feasible DESC, total_usd_mid, offer_key)
)
SELECT
    llm, llm_kind, provider, pricing, term_months, tier, gpu, sku, region, country, feasible, why_not, gpus, wall_days,
    gpu_hours_p50 AS gpu_hours, usd_per_gpu_hour, compute_usd_low, compute_usd_mid, compute_usd_high,
    total_usd_low, total_usd_mid, total_usd_high, coalesce(median_of_feasible, median_of_all) AS median_total_usd,
    offers, feasible_offers, available, observed_at, origin, offer_key
FROM ranked WHERE place = 1
ORDER BY llm_kind DESC, gpu_hours, llm, total_usd_mid, provider, pricing;
COMMENT ON TABLE training_cost_by_provider IS 'For each LLM, provider and kind of price: the cheapest feasible offer; where none is feasible, the cheapest and why not.';
COMMENT ON COLUMN training_cost_by_provider.gpu_hours IS 'GPU-hours, median.';
COMMENT ON COLUMN training_cost_by_provider.median_total_usd IS 'Median total over the provider''s feasible offers; over all where none is feasible.';
COMMENT ON COLUMN training_cost_by_provider.offers IS 'Offers of the provider at this kind of price that were compared.';
COMMENT ON COLUMN training_cost_by_provider.feasible_offers IS 'How many of them are feasible.';
