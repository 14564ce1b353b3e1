CREATE OR REPLACE MACRO training_cost_change(earlier, later) AS TABLE
WITH option AS MATERIALIZED (
    SELECT *, 'then' AS side FROM core.training_option_asof(earlier)
    UNION ALL
    SELECT *, 'now' AS side FROM core.training_option_asof(later)
), first AS (
    SELECT unnest(arg_min(option, core.rank_of_cost(in_stock, total_usd_mid, commitment_usd, setup_usd, offer_key)))
    FROM option GROUP BY side, llm, pricing
), rate AS (
    -- what an hour of the earlier GPU is rented for later where the run costs least on it
    SELECT llm, pricing, gpu, arg_min(usd_per_gpu_hour,
        core.rank_of_cost(in_stock, total_usd_mid, commitment_usd, setup_usd, offer_key)) AS usd_per_gpu_hour
    FROM option WHERE side = 'now' GROUP BY llm, pricing, gpu
), halving AS (
    SELECT pow(0.5, epoch(utc_moment(later) - utc_moment(earlier)) / 86400 / 365.25 * 12 / value) AS algorithm
    FROM ref.constant WHERE name = 'algorithm_halving_months'
)
SELECT
    llm, was.llm_kind, pricing, was.gpu AS gpu_then, becomes.gpu AS gpu_now,
    was.provider AS provider_then, becomes.provider AS provider_now,
    was.compute_usd_mid AS usd_then, becomes.compute_usd_mid AS usd_now,
    CAST(coalesce(rate.usd_per_gpu_hour, was.usd_per_gpu_hour) AS DOUBLE) / CAST(was.usd_per_gpu_hour AS DOUBLE) AS price,
    usd_now / usd_then / price AS hardware, halving.algorithm, price * hardware * halving.algorithm AS same_capability
FROM (FROM first WHERE side = 'then') AS was
JOIN (FROM first WHERE side = 'now') AS becomes USING (llm, pricing)
LEFT JOIN rate ON rate.llm = was.llm AND rate.pricing = was.pricing AND rate.gpu = was.gpu, halving;
COMMENT ON MACRO TABLE training_cost_change IS 'How the cheapest final run of each LLM changed between two moments, as factors that multiply: price of the GPU of then, hardware (the step to the later GPU; all of the change where the earlier one is no longer rented), and algorithm (compute that the same capability takes: it halves every 8 months).';
