-- Cost is hours x price: the plan of each kind of instance is multiplied by its cheapest price of the day. Numbers
-- stand for names where there are many rows.
TRUNCATE core.cost_by_day;
INSERT INTO core.cost_by_day BY NAME
WITH plan AS MATERIALIZED (
    SELECT llm, instance, gpu_hours_p50,
        CAST(dense_rank() OVER (ORDER BY llm) AS INTEGER) AS model,
        CAST(dense_rank() OVER (ORDER BY instance) AS INTEGER) AS kind
    FROM training_plan WHERE feasible AND llm_kind = 'size_class'
), sold AS MATERIALIZED (
    SELECT market, kind, CAST(dense_rank() OVER (ORDER BY provider, pricing) AS INTEGER) AS seller
    FROM core.market JOIN (SELECT DISTINCT instance, kind FROM plan) USING (instance)
), cheapest AS (
    SELECT day, model, seller,
        min(gpu_hours_p50 * usd_per_gpu_hour) AS compute_usd,
        arg_min(market, gpu_hours_p50 * usd_per_gpu_hour) AS market
    FROM core.price_by_day JOIN sold USING (market) JOIN plan USING (kind)
    GROUP BY ALL
)
SELECT day, llm, market, compute_usd FROM cheapest JOIN (SELECT DISTINCT model, llm FROM plan) USING (model);
