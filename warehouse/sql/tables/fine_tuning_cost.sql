-- A job of hours is paid by the hour, on demand and on spot: a term or a block would be paid to its end for it. Offers alike are compared before they are multiplied.
CREATE OR REPLACE TABLE fine_tuning_cost AS
WITH offer AS MATERIALIZED (
    SELECT * FROM offer_now WHERE pricing IN ('on_demand', 'spot') AND term_months IS NULL
    QUALIFY row_number() OVER (
        PARTITION BY provider, pricing, instance, available, quantity, setup_usd, lease ORDER BY usd_per_gpu_hour, offer_key
    ) = 1
), sized AS (
    SELECT need.llm, need.method, need.gpu, provider, pricing, offer_key,
        -- whole instances: one that is larger than the job works on it with all its GPUs
        core.whole_instances(need.gpus, gpu_count, minimum_gpus) AS instance_gpus,
        CASE WHEN fabric = 'multi_node' THEN greatest(gpu_count, cluster_gpus) ELSE gpu_count END AS joinable_gpus,
        core.lease_too_short(lease, (gpu_hours_mid / instance_gpus + setup_hours) / 24, 1) AS ends,
        instance_gpus <= joinable_gpus AND ends IS NULL AS feasible,
        core.in_stock(available, quantity, gpu_count, instance_gpus) AS in_stock,
        core.setup_usd(setup_usd, gpu_count, instance_gpus) AS setup_usd,
        -- the shortest rental is paid to its end
        instance_gpus * coalesce(lease.least_hours, 0) AS least_gpu_hours,
        greatest(gpu_hours_mid + instance_gpus * setup_hours, least_gpu_hours) AS gpu_hours,
        gpu_hours * usd_per_gpu_hour
            + core.setup_usd(offer.setup_usd, gpu_count, instance_gpus) AS usd_mid
    FROM fine_tuning_requirement AS need JOIN offer USING (gpu)
), chosen AS (
    SELECT unnest(arg_min(sized, row(NOT feasible, CASE WHEN NOT feasible THEN -joinable_gpus END,
        in_stock IS NOT DISTINCT FROM false, usd_mid, offer_key)))
    FROM sized GROUP BY llm, method, provider, pricing
)
SELECT
    llm, llm_kind, method, chosen.provider, chosen.pricing, gpu, sku, region, feasible,
    CASE WHEN ends IS NOT NULL AND instance_gpus <= joinable_gpus THEN ends WHEN NOT feasible THEN format(
        '{}; {:,} can be joined', CASE WHEN min_gpus > joinable_gpus THEN 'memory needs ' || core.counted(min_gpus, 'GPU')
            ELSE 'at least ' || core.counted(instance_gpus, 'GPU') || ' are rented' END, CAST(joinable_gpus AS BIGINT)) END AS why_not,
    CASE WHEN instance_gpus > gpu_count THEN cluster_assumption END AS assumption,
    CAST(instance_gpus AS BIGINT) AS gpus, tokens,
    gpu_hours,
    gpu_hours_mid / instance_gpus + setup_hours AS wall_hours,
    usd_per_gpu_hour, chosen.setup_usd,
    greatest(gpu_hours_low + instance_gpus * setup_hours, least_gpu_hours) * usd_per_gpu_hour + chosen.setup_usd AS usd_low,
    usd_mid,
    greatest(gpu_hours_high + instance_gpus * setup_hours, least_gpu_hours) * usd_per_gpu_hour + chosen.setup_usd AS usd_high,
    in_stock, observed_at, origin, page_sha256, offer_key
FROM chosen JOIN fine_tuning_requirement USING (llm, method, gpu) JOIN offer USING (offer_key, gpu)
ORDER BY llm_kind DESC, llm, method, feasible DESC, in_stock IS NOT DISTINCT FROM false, usd_mid, provider, pricing;
COMMENT ON TABLE fine_tuning_cost IS 'For each LLM, method, provider and kind of price by the hour (on demand and spot; what has to be taken for a term is left out, it costs more than the job): fine-tuning on one billion tokens at the cheapest offer that holds it, free ones before taken ones; where none does, at the one that joins most GPUs, and why not.';
COMMENT ON COLUMN fine_tuning_cost.feasible IS 'The state fits into GPUs that can be joined, and the offer does not end before the job.';
COMMENT ON COLUMN fine_tuning_cost.why_not IS 'Why it is not feasible; null where it is.';
COMMENT ON COLUMN fine_tuning_cost.gpus IS 'GPUs that are rented, in whole instances and no fewer than are sold.';
COMMENT ON COLUMN fine_tuning_cost.gpu_hours IS 'GPU-hours that are paid: computing at the middle utilisation, and the set-up of every GPU; the shortest rental where that is more.';
COMMENT ON COLUMN fine_tuning_cost.wall_hours IS 'Hours from start to end.';
COMMENT ON COLUMN fine_tuning_cost.setup_usd IS 'One-off fees of the instances in USD, held by usd_low, usd_mid and usd_high; 0 where there are none.';
COMMENT ON COLUMN fine_tuning_cost.assumption IS 'What the size of the cluster takes for granted (ref.constant); null where one instance does or the provider states it.';
COMMENT ON COLUMN fine_tuning_cost.in_stock IS 'Whether the GPUs were free at the last look, by what the site says; null where it says nothing.';
COMMENT ON COLUMN fine_tuning_cost.usd_low IS 'Cost at the high end of the utilisation (ref.constant, utilisation_finetune): the range of a figure, not P10.';
COMMENT ON COLUMN fine_tuning_cost.usd_mid IS 'Cost of the job; the base model was trained before and is not in it.';
COMMENT ON COLUMN fine_tuning_cost.usd_high IS 'Cost at the low end of the utilisation, likewise: not P90.';
