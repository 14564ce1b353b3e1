-- Cost is hours x price: the plan of each kind of instance is multiplied by its cheapest price of the day. What does
-- not change with the day is made before, and numbers stand for names where there are many rows.
CREATE OR REPLACE TEMP TABLE planned AS
WITH place AS MATERIALIZED (
    SELECT *, core.block_of(provider, pricing) AS block FROM core.market
)
SELECT market, llm, gpu_hours_p50,
    -- a term or block is paid to its end; of two that cost the same the first
    greatest(gpu_hours_p50 * overhead,
        core.commitment_usd(block, term_months, plan.gpus, wall_days, overhead, 1)) * (1 + market * 1e-14)
        AS paid_hours,
    core.setup_usd(setup_usd, gpu_count, plan.gpus) AS fees_usd,
    CAST(dense_rank() OVER (ORDER BY llm, provider, pricing) AS INTEGER) AS sold
FROM place JOIN training_plan AS plan USING (instance),
    (SELECT coalesce(max(value), 1) AS overhead FROM ref.constant WHERE name = 'overhead')
WHERE feasible AND llm_kind = 'size_class' AND core.block_too_short(block, wall_days) IS NULL;

-- The days of a week stay side by side here: to find one group for all of them takes less than to weigh its rows.
CREATE OR REPLACE TEMP TABLE cheapest AS
WITH price AS (
    SELECT days, market, CAST(COLUMNS('day_\d') AS DOUBLE) FROM market_week
), of_week AS (
    SELECT days[1] AS week, sold, arg_min(market, paid_hours * COLUMNS('day_\d') + fees_usd)
    FROM price JOIN planned USING (market)
    GROUP BY week, sold
)
SELECT sold, DATE '1970-01-01' + CAST(unnest(days) AS INTEGER) AS day, unnest([*COLUMNS('day_\d')]) AS market
FROM of_week JOIN (SELECT DISTINCT days FROM market_week) ON week = days[1];

TRUNCATE core.cost_by_day;
INSERT INTO core.cost_by_day BY NAME
SELECT day, llm, market, gpu_hours_p50 * CAST(usd_per_gpu_hour AS DOUBLE) AS compute_usd
FROM cheapest JOIN core.price_by_day USING (day, market) JOIN planned USING (sold, market);
