-- Cost is hours x price: the plan of each kind of instance is multiplied by its cheapest price of the day. What does
-- not change with the day is made before, and numbers stand for names where there are many rows.
TRUNCATE core.cost_by_day;
INSERT INTO core.cost_by_day BY NAME
WITH place AS MATERIALIZED (
    SELECT *, core.block_of(provider, pricing) AS block FROM core.market
), planned AS MATERIALIZED (
    SELECT market, llm, gpu_hours_p50,
        -- a term or block is paid to its end; of two that cost the same the first
        greatest(gpu_hours_p50 * overhead,
            core.commitment_usd(block, term_months, plan.gpus, wall_days, overhead, 1)) * (1 + market * 1e-14)
            AS paid_hours,
        core.setup_usd(setup_usd, gpu_count, plan.gpus) AS fees_usd,
        CAST(dense_rank() OVER (ORDER BY llm, provider, pricing) AS INTEGER) AS sold
    FROM place JOIN training_plan AS plan USING (instance),
        (SELECT coalesce(max(value), 1) AS overhead FROM ref.constant WHERE name = 'overhead')
    WHERE feasible AND llm_kind = 'size_class' AND core.block_too_short(block, wall_days) IS NULL
), price AS (
    SELECT market, day, CAST(usd_per_gpu_hour AS DOUBLE) AS usd_per_gpu_hour FROM core.price_by_day
), cheapest AS (
    SELECT day, sold, arg_min(market, paid_hours * usd_per_gpu_hour + fees_usd) AS market
    FROM price JOIN planned USING (market)
    GROUP BY day, sold
)
SELECT day, llm, market, gpu_hours_p50 * usd_per_gpu_hour AS compute_usd
FROM cheapest JOIN price USING (day, market) JOIN planned USING (sold, market);
