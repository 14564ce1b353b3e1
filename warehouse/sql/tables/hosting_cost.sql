-- An instance serves as many replicas as it holds; a replica larger than one instance takes several over a fast fabric.
CREATE OR REPLACE TABLE hosting_cost AS
WITH usual AS (
    SELECT max(value) FILTER (name = 'serving_utilisation') AS used,
        max(value) FILTER (name = 'hours_per_month') AS hours_per_month
    FROM ref.constant
), offer AS MATERIALIZED (
    SELECT provider, pricing, gpu, gpu_count, fabric, cluster_gpus,
        min(usd_per_gpu_hour) AS usd_per_gpu_hour, arg_min(offer_key, usd_per_gpu_hour) AS offer_key
    FROM price_now
    WHERE gpu_count >= 1 AND gpu_count = floor(gpu_count) AND pricing NOT IN ('serverless', 'capacity_block')
        AND coalesce(form_factor, '') NOT IN ('MIG', 'vGPU')
    GROUP BY ALL
), sized AS (
    SELECT need.*, offer.* EXCLUDE (gpu), usual.*,
        CAST(ceil(need.gpus / gpu_count) * gpu_count AS BIGINT) AS rented_gpus,
        CAST(greatest(1, floor(gpu_count / need.gpus)) AS BIGINT) AS replicas,
        rented_gpus <= gpu_count OR fabric = 'multi_node' AND rented_gpus <= coalesce(cluster_gpus, rented_gpus)
            AS feasible
    FROM hosting_requirement AS need JOIN offer USING (gpu), usual
), priced AS (
    SELECT *, CAST(rented_gpus * usd_per_gpu_hour AS DOUBLE) AS usd_per_hour,
        replicas * decode_tokens_per_second AS output_tokens_per_second,
        usd_per_hour / (output_tokens_per_second * 3600) * 1e6 AS usd_per_million_output
    FROM sized
    QUALIFY row_number() OVER (
        PARTITION BY llm, provider, pricing ORDER BY coalesce(feasible, false) DESC, usd_per_million_output, offer_key
    ) = 1
)
SELECT
    llm, llm_kind, provider, pricing, gpu, coalesce(feasible, false) AS feasible,
    CASE WHEN feasible IS NOT true THEN format(
        'a replica needs {:,} GPUs; instances of {:,} are not joined here', gpus, CAST(gpu_count AS BIGINT)) END AS why_not,
    gpus AS replica_gpus, rented_gpus, replicas, precision, batch, context, decode_bound,
    output_tokens_per_second, replicas * prefill_tokens_per_second AS input_tokens_per_second,
    usd_per_gpu_hour, usd_per_hour, usd_per_hour * hours_per_month AS monthly_usd,
    usd_per_million_output / used AS usd_per_million_output,
    usd_per_million_output AS usd_per_million_output_full,
    output_tokens_per_second * 3600 * hours_per_month AS output_tokens_per_month,
    offer_key
FROM priced
ORDER BY llm_kind DESC, llm, usd_per_million_output, provider, pricing;
COMMENT ON TABLE hosting_cost IS 'For each LLM, provider and kind of price: serving it on the offer that is cheapest per output token, or on the cheapest and why not.';
COMMENT ON COLUMN hosting_cost.feasible IS 'A replica fits into one instance, or into instances that are joined.';
COMMENT ON COLUMN hosting_cost.why_not IS 'Why it is not feasible; null where it is.';
COMMENT ON COLUMN hosting_cost.replica_gpus IS 'GPUs of one replica.';
COMMENT ON COLUMN hosting_cost.rented_gpus IS 'GPUs that are rented: the least that can be, in whole instances.';
COMMENT ON COLUMN hosting_cost.replicas IS 'Replicas that they hold.';
COMMENT ON COLUMN hosting_cost.output_tokens_per_second IS 'Output tokens a second of all replicas, fully used.';
COMMENT ON COLUMN hosting_cost.input_tokens_per_second IS 'Input tokens a second of all replicas, when they do nothing else.';
COMMENT ON COLUMN hosting_cost.usd_per_hour IS 'USD per hour of the rented GPUs.';
COMMENT ON COLUMN hosting_cost.monthly_usd IS 'USD per month of 730 hours, day and night.';
COMMENT ON COLUMN hosting_cost.usd_per_million_output IS 'USD per million output tokens at the usual use of the capacity (ref.constant, serving_utilisation).';
COMMENT ON COLUMN hosting_cost.usd_per_million_output_full IS 'The same fully used: a bound.';
COMMENT ON COLUMN hosting_cost.output_tokens_per_month IS 'What it can generate in a month, fully used.';
