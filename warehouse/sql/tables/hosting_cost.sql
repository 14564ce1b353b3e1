CREATE OR REPLACE TABLE hosting_cost AS
WITH priced AS (
    SELECT *, usd_per_hour / (output_tokens_per_second * 3600) * 1e6 AS usd_per_million_output_full,
        monthly_usd / output_tokens_per_month * 1e6 AS usd_per_million_output,
        -- what has to be paid over what a month costs
        greatest(1, coalesce(commitment_usd / monthly_usd, 1)) AS due
    FROM serving_now
), chosen AS (
    SELECT unnest(arg_min(priced, row(NOT feasible, CASE WHEN NOT feasible THEN -gpu_count END,
        in_stock IS NOT DISTINCT FROM false, usd_per_million_output * due, offer_key)))
    FROM priced GROUP BY llm, provider, pricing
)
SELECT
    llm, llm_kind, provider, pricing, term_months, gpu, sku, region, feasible,
    CASE WHEN NOT feasible THEN format(
        'a replica needs {}; instances of {:,} are not joined here', core.counted(replica_gpus, 'GPU'), CAST(gpu_count AS BIGINT))
    END AS why_not,
    replica_gpus, rented_gpus, replicas, precision, batch, context, decode_bound,
    output_tokens_per_second, input_tokens_per_second, usd_per_gpu_hour, usd_per_hour,
    monthly_usd, commitment_usd, setup_usd,
    usd_per_million_output, usd_per_million_output_full, output_tokens_per_month,
    in_stock, observed_at, origin, page_sha256, offer_key
FROM chosen
ORDER BY llm_kind DESC, llm, feasible DESC, in_stock IS NOT DISTINCT FROM false, usd_per_million_output * due, provider, pricing;
COMMENT ON TABLE hosting_cost IS 'For each LLM, provider and kind of price: serving it on the offer that is cheapest per output token, free ones before taken ones, by the larger of a month and the term that has to be taken, so that of two terms the shorter one stands for its provider (core.hosting_option has each); where none holds it, on the largest instance, and why not.';
COMMENT ON COLUMN hosting_cost.why_not IS 'Why it is not feasible; null where it is.';
COMMENT ON COLUMN hosting_cost.commitment_usd IS 'The whole term that has to be taken, used or not: what is due if it serves for a month only. Null without one.';
COMMENT ON COLUMN hosting_cost.usd_per_million_output IS 'USD per million output tokens with the input that belongs to them, the rest of a term used, at the usual use of the capacity (ref.constant, serving_utilisation and input_tokens_per_output): monthly_usd over output_tokens_per_month.';
COMMENT ON COLUMN hosting_cost.usd_per_million_output_full IS 'The same for output alone, fully used: a bound.';
