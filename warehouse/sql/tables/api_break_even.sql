-- Serving oneself has a fixed price a month, an API one per token. Of the replicas on demand that can generate the
-- break-even volume at all and are not known to be taken, the one that costs least a month wins at the smallest volume.
CREATE OR REPLACE TABLE api_break_even AS
WITH mix AS (
    SELECT value AS input_per_output FROM ref.constant WHERE name = 'input_tokens_per_output'
), api AS (
    SELECT *, output_usd_per_million + input_per_output * input_usd_per_million AS usd_per_million_output
    FROM api_price, mix
), own AS (
    SELECT llm, provider, gpu, sku, region, rented_gpus, monthly_usd, setup_usd, in_stock,
        observed_at, origin, page_sha256, offer_key, output_tokens_per_month AS capacity
    FROM serving_now WHERE pricing = 'on_demand' AND feasible
), compared AS (
    SELECT api.*, own.* EXCLUDE (llm), monthly_usd / usd_per_million_output * 1e6 AS break_even_tokens,
        break_even_tokens <= capacity AS reachable
    FROM api JOIN own USING (llm) WHERE usd_per_million_output > 0
), chosen AS (
    SELECT unnest(arg_min(compared, row(NOT reachable, in_stock IS NOT DISTINCT FROM false,
        CASE WHEN reachable THEN break_even_tokens ELSE break_even_tokens / capacity END, offer_key)))
    FROM compared GROUP BY llm, api_provider, api_model
)
SELECT
    llm, api_provider, api_model, input_usd_per_million, output_usd_per_million, input_per_output,
    usd_per_million_output, provider, gpu, sku, region, rented_gpus, monthly_usd, setup_usd, break_even_tokens AS break_even_tokens_per_month,
    capacity AS capacity_tokens_per_month, reachable, in_stock, pricing_url, list_version, observed_at, origin, page_sha256, offer_key
FROM chosen ORDER BY llm, usd_per_million_output, api_provider, api_model;
COMMENT ON TABLE api_break_even IS 'For each price of a model API: the output tokens a month from which serving the same model on rented GPUs, on demand, is cheaper.';
COMMENT ON COLUMN api_break_even.input_per_output IS 'Input tokens that come with each output token (ref.constant, input_tokens_per_output).';
COMMENT ON COLUMN api_break_even.usd_per_million_output IS 'Bill of the API for a million output tokens with the input that belongs to them.';
COMMENT ON COLUMN api_break_even.provider IS 'Provider of the GPUs, as in price_now.';
COMMENT ON COLUMN api_break_even.monthly_usd IS 'USD a month of the GPUs, day and night.';
COMMENT ON COLUMN api_break_even.break_even_tokens_per_month IS 'Output tokens a month at which both cost the same.';
COMMENT ON COLUMN api_break_even.capacity_tokens_per_month IS 'Output tokens a month that the replicas generate at the usual use of their capacity, input included: output_tokens_per_month of hosting_cost.';
COMMENT ON COLUMN api_break_even.reachable IS 'False: at the usual use the GPUs would be full before they paid, so the API is cheaper at any volume.';
