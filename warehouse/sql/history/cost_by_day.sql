-- Cost is hours x price: the plan of each kind of instance is multiplied by its cheapest price of the day. Numbers
-- stand for names where there are many rows.
TRUNCATE core.cost_by_day;
INSERT INTO core.cost_by_day BY NAME
WITH plan AS MATERIALIZED (
    SELECT llm, instance, gpu_hours_p50, gpus,
        CAST(dense_rank() OVER (ORDER BY llm) AS INTEGER) AS model,
        CAST(dense_rank() OVER (ORDER BY instance) AS INTEGER) AS kind
    FROM training_plan WHERE feasible AND llm_kind = 'size_class'
), sold AS MATERIALIZED (
    SELECT market, kind, gpu_count, setup_usd, CAST(dense_rank() OVER (ORDER BY provider, pricing) AS INTEGER) AS seller
    FROM core.market JOIN (SELECT DISTINCT instance, kind FROM plan) USING (instance)
), cheapest AS (
    SELECT day, model, seller,
        arg_min(struct_pack(market := market, compute_usd := gpu_hours_p50 * usd_per_gpu_hour),
            gpu_hours_p50 * usd_per_gpu_hour * coalesce(overhead, 1) + core.setup_usd(setup_usd, gpu_count, gpus)) AS best
    FROM core.price_by_day JOIN sold USING (market) JOIN plan USING (kind),
        (SELECT max(value) AS overhead FROM ref.constant WHERE name = 'overhead')
    GROUP BY day, model, seller
)
SELECT day, llm, best.market, best.compute_usd FROM cheapest JOIN (SELECT DISTINCT model, llm FROM plan) USING (model);
