-- Nobody serves on what can be reclaimed at two minutes' notice, or rented for some days only.
-- An instance serves as many replicas as it holds; a replica larger than one instance takes several over a fast fabric.
CREATE OR REPLACE VIEW core.hosting_option AS
WITH offer AS (
    SELECT provider, pricing, term_months, gpu, gpu_count, fabric, cluster_gpus, available, quantity, setup_usd,
        min(usd_per_gpu_hour) AS usd_per_gpu_hour, arg_min(offer_key, usd_per_gpu_hour) AS offer_key,
        arg_min(observed_at, usd_per_gpu_hour) AS observed_at,
        arg_min(sku, usd_per_gpu_hour) AS sku, arg_min(region, usd_per_gpu_hour) AS region
    FROM main.price_now
    WHERE gpu_count >= 1 AND gpu_count = floor(gpu_count) AND pricing NOT IN ('serverless', 'capacity_block', 'spot')
        AND coalesce(form_factor, '') NOT IN ('MIG', 'vGPU') AND tier <> 'bid_floor'
    GROUP BY ALL
)
SELECT
    need.llm, need.llm_kind, provider, pricing, term_months, gpu, sku, region, gpu_count, need.gpus AS replica_gpus,
    CAST(ceil(need.gpus / gpu_count) * gpu_count AS BIGINT) AS rented_gpus,
    CAST(greatest(1, floor(gpu_count / need.gpus)) AS BIGINT) AS replicas,
    rented_gpus <= gpu_count OR coalesce(fabric = 'multi_node' AND rented_gpus <= coalesce(cluster_gpus, rented_gpus), false)
        AS feasible,
    need.precision, need.batch, need.context, need.decode_bound,
    replicas * need.decode_tokens_per_second AS output_tokens_per_second,
    replicas * need.prefill_tokens_per_second AS input_tokens_per_second,
    usd_per_gpu_hour, CAST(rented_gpus * usd_per_gpu_hour AS DOUBLE) AS usd_per_hour,
    -- for a month: a term is paid to its end
    core.commitment_usd(pricing, term_months, rented_gpus, core.term_hours(1) / 24, usd_per_gpu_hour)::DOUBLE AS commitment_usd,
    core.setup_usd(setup_usd, gpu_count, rented_gpus) AS setup_usd,
    core.in_stock(available, quantity, gpu_count, rented_gpus) AS in_stock, observed_at, offer_key
FROM main.hosting_requirement AS need JOIN offer USING (gpu);
COMMENT ON VIEW core.hosting_option IS 'Every way to serve each LLM: the cheapest offer of each provider, kind of price, term, GPU, size of instance and stock.';
COMMENT ON COLUMN core.hosting_option.gpu_count IS 'GPUs in one instance.';
COMMENT ON COLUMN core.hosting_option.feasible IS 'A replica fits into one instance, or into instances that are joined.';
COMMENT ON COLUMN core.hosting_option.replica_gpus IS 'GPUs of one replica.';
COMMENT ON COLUMN core.hosting_option.rented_gpus IS 'GPUs that are rented: the least that can be, in whole instances.';
COMMENT ON COLUMN core.hosting_option.replicas IS 'Replicas that they hold.';
COMMENT ON COLUMN core.hosting_option.output_tokens_per_second IS 'Output tokens a second of all replicas, fully used.';
COMMENT ON COLUMN core.hosting_option.input_tokens_per_second IS 'Input tokens a second of all replicas, when they do nothing else.';
COMMENT ON COLUMN core.hosting_option.usd_per_hour IS 'USD per hour of the rented GPUs.';
COMMENT ON COLUMN core.hosting_option.commitment_usd IS 'The whole term that has to be taken to serve for a month, used or not, in USD. Null without one.';
COMMENT ON COLUMN core.hosting_option.setup_usd IS 'One-off fees of the instances in USD, beside the price by the hour; 0 where there are none.';
COMMENT ON COLUMN core.hosting_option.in_stock IS 'Whether those GPUs were free at the last look, by what the site says; null where it says nothing.';
