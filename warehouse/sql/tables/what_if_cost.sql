-- At the price at which the model as it is can be trained on that GPU, so that only the telling differs.
CREATE OR REPLACE TABLE what_if_cost AS
WITH price AS (
    SELECT llm, provider, gpu, sku, region, usd_per_gpu_hour, setup_usd, in_stock, assumption, observed_at, origin, page_sha256, offer_key
    FROM training_cost WHERE feasible AND pricing = 'on_demand' AND llm_kind = 'size_class'
    QUALIFY row_number() OVER (PARTITION BY llm, gpu
        ORDER BY in_stock IS NOT DISTINCT FROM false, total_usd_mid, offer_key) = 1
)
SELECT
    llm, variant, gpu, provider, sku, region, usd_per_gpu_hour, gpu_hours_mid AS gpu_hours, hours_ratio, min_gpus,
    gpu_hours_low * usd_per_gpu_hour AS compute_usd_low,
    gpu_hours_mid * usd_per_gpu_hour AS compute_usd_mid,
    gpu_hours_high * usd_per_gpu_hour AS compute_usd_high,
    setup_usd, in_stock, assumption, note, observed_at, origin, page_sha256, offer_key
FROM what_if_requirement JOIN price USING (llm, gpu)
ORDER BY llm, variant, in_stock IS NOT DISTINCT FROM false, compute_usd_mid, gpu;
COMMENT ON TABLE what_if_cost IS 'Each size class told otherwise (FP8, FP4, mixture of experts, distilled) on each GPU, at the cheapest feasible on-demand offer of the model as it is, free ones before taken ones.';
COMMENT ON COLUMN what_if_cost.gpu_hours IS 'GPU-hours, median.';
