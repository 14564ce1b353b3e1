CREATE OR REPLACE VIEW training_cost AS
WITH limits AS (
    SELECT
        max(value) FILTER (name = 'largest_cluster_gpus') AS largest_cluster_gpus,
        max(value) FILTER (name = 'longest_run_days') AS longest_run_days,
        max(low) FILTER (name = 'overhead') AS overhead_low,
        max(value) FILTER (name = 'overhead') AS overhead_mid,
        max(high) FILTER (name = 'overhead') AS overhead_high
    FROM ref.constant
), rentable AS (
    -- whole cards that can train, by the hour or by commitment; slices and serverless are other products
    SELECT price_now.*,
        CASE WHEN fabric = 'multi_node'
             THEN floor(coalesce(cluster_gpus, largest_cluster_gpus) / gpu_count) * gpu_count
             ELSE gpu_count END AS joinable_gpus
    FROM price_now JOIN ref.gpu USING (gpu) CROSS JOIN limits
    WHERE trains AND gpu_count >= 1 AND gpu_count = floor(gpu_count) AND pricing <> 'serverless'
), sized AS (
    SELECT rentable.*, need.llm, need.kind, need.min_gpus, need.gpu_hours_p10, need.gpu_hours_p50, need.gpu_hours_p90,
        greatest(need.min_gpus, least(need.gpus_for_deadline, largest_cluster_gpus), coalesce(minimum_gpus, 1))
            AS needed_gpus,
        -- beyond one instance a joined cluster comes in whole nodes, also where the price is given for one card
        CASE WHEN needed_gpus <= gpu_count OR fabric IS DISTINCT FROM 'multi_node' THEN gpu_count
             ELSE ceil(need.gpus_per_node / gpu_count) * gpu_count END AS block_gpus,
        ceil(needed_gpus / block_gpus) * block_gpus AS wanted_gpus,
        limits.*
    FROM rentable JOIN training_requirement AS need USING (gpu) CROSS JOIN limits
), planned AS (
    SELECT *, CAST(least(wanted_gpus, greatest(joinable_gpus, gpu_count)) AS BIGINT) AS gpus,
        gpu_hours_p50 / least(wanted_gpus, greatest(joinable_gpus, gpu_count)) / 24 AS wall_days
    FROM sized
), judged AS (
    SELECT *,
        CASE
            WHEN min_gpus > joinable_gpus AND fabric = 'multi_node'
                THEN format('memory needs {:d} GPUs; the largest cluster here has {:d}', min_gpus, CAST(joinable_gpus AS BIGINT))
            WHEN min_gpus > joinable_gpus AND fabric = 'single_node'
                THEN format('memory needs {:d} GPUs; this is a single node of {:d}', min_gpus, CAST(gpu_count AS BIGINT))
            WHEN min_gpus > joinable_gpus
                THEN format('memory needs {:d} GPUs; no fast network between nodes of {:d} is stated', min_gpus, CAST(gpu_count AS BIGINT))
            WHEN wall_days > longest_run_days AND fabric = 'multi_node'
                THEN format('takes {:.0f} days on the {:d} GPUs of the largest cluster', wall_days, gpus)
            WHEN wall_days > longest_run_days
                THEN format('takes {:.0f} days on one node of {:d} GPUs', wall_days, gpus)
        END AS why_not
    FROM planned
)
SELECT
    llm, kind AS llm_kind, provider, gpu, pricing, term_months, tier, sku, region, country, why_not IS NULL AS feasible,
    why_not, gpus, wall_days, gpu_hours_p10, gpu_hours_p50, gpu_hours_p90, usd_per_gpu_hour,
    gpu_hours_p10 * usd_per_gpu_hour AS compute_usd_low,
    gpu_hours_p50 * usd_per_gpu_hour AS compute_usd_mid,
    gpu_hours_p90 * usd_per_gpu_hour AS compute_usd_high,
    gpu_hours_p10 * usd_per_gpu_hour * overhead_low AS total_usd_low,
    gpu_hours_p50 * usd_per_gpu_hour * overhead_mid AS total_usd_mid,
    gpu_hours_p90 * usd_per_gpu_hour * overhead_high AS total_usd_high,
    available, observed_at, origin, page_sha256, offer_key
FROM judged;
COMMENT ON VIEW training_cost IS 'What training each LLM would cost at each current offer, and whether it can be done there at all.';
COMMENT ON COLUMN training_cost.llm IS 'Size class (1B to 1T) or named model, as in ref.llm.';
COMMENT ON COLUMN training_cost.llm_kind IS 'size_class or named.';
COMMENT ON COLUMN training_cost.feasible IS 'The state fits into GPUs that can be joined, and the run ends within the longest run (ref.constant).';
COMMENT ON COLUMN training_cost.why_not IS 'Why it is not feasible; null where it is.';
COMMENT ON COLUMN training_cost.gpus IS 'GPUs of the plan, in whole instances: enough for memory and for the deadline, as far as they can be joined.';
COMMENT ON COLUMN training_cost.wall_days IS 'Days at the median hours on those GPUs.';
COMMENT ON COLUMN training_cost.gpu_hours_p10 IS 'GPU-hours, 10th percentile.';
COMMENT ON COLUMN training_cost.gpu_hours_p50 IS 'GPU-hours, median.';
COMMENT ON COLUMN training_cost.gpu_hours_p90 IS 'GPU-hours, 90th percentile.';
COMMENT ON COLUMN training_cost.compute_usd_low IS 'Final run only: p10 GPU-hours x price.';
COMMENT ON COLUMN training_cost.compute_usd_mid IS 'Final run only: median GPU-hours x price. Reserved prices assume that the rest of the term is used.';
COMMENT ON COLUMN training_cost.compute_usd_high IS 'Final run only: p90 GPU-hours x price.';
COMMENT ON COLUMN training_cost.total_usd_low IS 'With failed runs and experiments: low hours x low overhead (ref.constant).';
COMMENT ON COLUMN training_cost.total_usd_mid IS 'With failed runs and experiments: median hours x default overhead.';
COMMENT ON COLUMN training_cost.total_usd_high IS 'With failed runs and experiments: high hours x high overhead.';
