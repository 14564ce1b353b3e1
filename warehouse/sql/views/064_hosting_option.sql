-- Nobody serves on what can be reclaimed at two minutes' notice, or rented for some days only.
-- An instance serves as many replicas as it holds; a replica larger than one instance takes several over a fast fabric.
CREATE OR REPLACE VIEW core.hosting_option AS
WITH offer AS (
    SELECT price.* EXCLUDE (usd_per_hour)  -- that of one instance
        REPLACE (core.cluster_gpus(fabric, cluster_gpus, assumed.gpus, pricing) AS cluster_gpus)
    FROM main.price_now AS price LEFT JOIN ref.source AS source USING (provider)
    JOIN core.assumed_cluster AS assumed
        ON assumed.kind = CASE WHEN source.kind IN ('hyperscaler', 'gpu_cloud') THEN source.kind ELSE 'other' END
    WHERE gpu_count >= 1 AND gpu_count = floor(gpu_count) AND pricing NOT IN ('serverless', 'capacity_block', 'spot')
        AND coalesce(form_factor, '') NOT IN ('MIG', 'vGPU') AND core.to_be_had(tier)
        AND coalesce(core.offered_days(offered_until, greatest(observed_at, now())) >= core.term_hours(1) / 24, true)
    QUALIFY row_number() OVER (
        PARTITION BY provider, pricing, term_months, gpu, gpu_count, fabric, cluster_gpus, minimum_gpus, available,
            quantity, setup_usd, minimum_hours
        ORDER BY usd_per_gpu_hour, offer_key
    ) = 1
), usual AS (
    SELECT max(value) FILTER (name = 'serving_utilisation') AS used,
        max(value) FILTER (name = 'input_tokens_per_output') AS input_per_output,
        max(value) FILTER (name = 'hours_per_month') AS hours_per_month
    FROM ref.constant
)
SELECT
    need.llm, need.llm_kind, provider, pricing, term_months, gpu, sku, region, gpu_count, need.gpus AS replica_gpus,
    core.whole_instances(need.gpus, gpu_count, minimum_gpus) AS rented_gpus,
    core.whole_instances(need.gpus, gpu_count, NULL) AS joined_gpus,
    CAST(floor(rented_gpus / joined_gpus) * greatest(1, floor(gpu_count / need.gpus)) AS BIGINT) AS replicas,
    joined_gpus <= gpu_count OR coalesce(fabric = 'multi_node' AND joined_gpus <= cluster_gpus, false)
        AS feasible,
    need.precision, need.batch, need.context, need.decode_bound,
    replicas * need.decode_tokens_per_second AS output_tokens_per_second,
    replicas * need.prefill_tokens_per_second AS input_tokens_per_second,
    -- a token of output takes its own time and that of the input before it
    3600 * hours_per_month * used / (1 / output_tokens_per_second + input_per_output / input_tokens_per_second)
        AS output_tokens_per_month,
    usd_per_gpu_hour, CAST(rented_gpus * usd_per_gpu_hour AS DOUBLE) AS usd_per_hour,
    usd_per_hour * hours_per_month AS monthly_usd,
    -- for a month: a term is paid to its end; no blocks stand here, which core.lease_of would look up for each row
    core.commitment_usd(
        {longest: NULL::DOUBLE, single: NULL::DOUBLE, least_hours: CAST(minimum_hours AS DOUBLE)},
        term_months, rented_gpus, core.term_hours(1) / 24, 1, usd_per_gpu_hour)::DOUBLE AS commitment_usd,
    core.setup_usd(setup_usd, gpu_count, rented_gpus) AS setup_usd,
    core.in_stock(available, quantity, gpu_count, rented_gpus) AS in_stock, observed_at, origin, page_sha256, offer_key
FROM main.hosting_requirement AS need JOIN offer USING (gpu), usual;
COMMENT ON VIEW core.hosting_option IS 'Every way to serve each LLM: the cheapest offer of each provider, kind of price, term, GPU, size of instance, least purchase and stock.';
COMMENT ON COLUMN core.hosting_option.gpu_count IS 'GPUs in one instance.';
COMMENT ON COLUMN core.hosting_option.feasible IS 'A replica fits into one instance, or into instances that are joined.';
COMMENT ON COLUMN core.hosting_option.replica_gpus IS 'GPUs of one replica.';
COMMENT ON COLUMN core.hosting_option.rented_gpus IS 'GPUs that are rented: the least that can be, in whole instances and no fewer than are sold.';
COMMENT ON COLUMN core.hosting_option.joined_gpus IS 'GPUs of the instances that one replica runs on, or several replicas where an instance holds them.';
COMMENT ON COLUMN core.hosting_option.output_tokens_per_month IS 'Output tokens a month at the usual use of the capacity, each with the time that its input takes (ref.constant, serving_utilisation and input_tokens_per_output).';
COMMENT ON COLUMN core.hosting_option.replicas IS 'Replicas that they hold.';
COMMENT ON COLUMN core.hosting_option.output_tokens_per_second IS 'Output tokens a second of all replicas, fully used.';
COMMENT ON COLUMN core.hosting_option.input_tokens_per_second IS 'Input tokens a second of all replicas, when they do nothing else.';
COMMENT ON COLUMN core.hosting_option.usd_per_hour IS 'USD per hour of the rented GPUs.';
COMMENT ON COLUMN core.hosting_option.monthly_usd IS 'USD per month of 730 hours, day and night; setup_usd is due once beside it.';
COMMENT ON COLUMN core.hosting_option.commitment_usd IS 'The whole term that has to be taken to serve for a month, used or not, in USD. Null without one.';
COMMENT ON COLUMN core.hosting_option.setup_usd IS 'One-off fees of the instances in USD, beside the price by the hour; 0 where there are none.';
COMMENT ON COLUMN core.hosting_option.in_stock IS 'Whether those GPUs were free at the last look, by what the site says; null where it says nothing.';
