-- Cost is hours x price: the plan of each kind of instance is multiplied by its cheapest price of the day. What does
-- not change with the day is made before, and numbers stand for names where there are many rows.
CREATE OR REPLACE TEMP TABLE planned AS
WITH place AS MATERIALIZED (
    SELECT *, core.lease_of(provider, pricing, minimum_hours, NULL) AS lease FROM core.market
)
SELECT market, llm, gpu_hours_p50,
    -- a term or block is paid to its end; of two that cost the same the first
    greatest(gpu_hours_p50 * overhead,
        core.commitment_usd(lease, term_months, plan.gpus, wall_days, overhead, 1)) * (1 + market * 1e-14)
        AS paid_hours,
    core.setup_usd(setup_usd, gpu_count, plan.gpus) AS fees_usd,
    -- what begins later outlasts the offer; days since 1970
    CASE WHEN pricing <> 'capacity_block'
        THEN offered_until - DATE '1970-01-01' - core.days_in_lease(lease, wall_days, overhead) END AS last_start,
    CAST(dense_rank() OVER (ORDER BY llm, provider, pricing) AS INTEGER) AS sold
FROM place JOIN training_plan AS plan USING (instance),
    (SELECT coalesce(max(value), 1) AS overhead FROM ref.constant WHERE name = 'overhead')
WHERE feasible AND llm_kind = 'size_class' AND core.lease_too_short(lease, wall_days, overhead) IS NULL;

-- The days of a week stand side by side: to find the group of a row takes longer than seven comparisons in it.
CREATE OR REPLACE TEMP TABLE cheapest AS
WITH price AS (
    SELECT market, day - DATE '1970-01-01' AS number, CAST(usd_per_gpu_hour AS DOUBLE) AS usd FROM core.price_by_day
), week AS (
    SELECT market, number // 7 AS week,
        max(usd) FILTER (number % 7 = 0) AS day_0,
        max(usd) FILTER (number % 7 = 1) AS day_1,
        max(usd) FILTER (number % 7 = 2) AS day_2,
        max(usd) FILTER (number % 7 = 3) AS day_3,
        max(usd) FILTER (number % 7 = 4) AS day_4,
        max(usd) FILTER (number % 7 = 5) AS day_5,
        max(usd) FILTER (number % 7 = 6) AS day_6
    FROM price GROUP BY ALL
), due AS (
    SELECT week, sold, market, paid_hours * COLUMNS('day_\d') + fees_usd
    FROM week JOIN planned USING (market) WHERE last_start IS NULL
    UNION ALL
    SELECT week, sold, market,
        CASE WHEN week * 7 <= last_start THEN paid_hours * day_0 + fees_usd END,
        CASE WHEN week * 7 + 1 <= last_start THEN paid_hours * day_1 + fees_usd END,
        CASE WHEN week * 7 + 2 <= last_start THEN paid_hours * day_2 + fees_usd END,
        CASE WHEN week * 7 + 3 <= last_start THEN paid_hours * day_3 + fees_usd END,
        CASE WHEN week * 7 + 4 <= last_start THEN paid_hours * day_4 + fees_usd END,
        CASE WHEN week * 7 + 5 <= last_start THEN paid_hours * day_5 + fees_usd END,
        CASE WHEN week * 7 + 6 <= last_start THEN paid_hours * day_6 + fees_usd END
    FROM week JOIN planned USING (market) WHERE last_start IS NOT NULL
), best AS (
    SELECT week, sold, arg_min(market, COLUMNS('day_\d')) FROM due GROUP BY week, sold
)
SELECT sold, DATE '1970-01-01' + CAST(week * 7 + unnest(range(7)) AS INTEGER) AS day, unnest([*COLUMNS('day_\d')]) AS market
FROM best;

TRUNCATE core.cost_by_day;
INSERT INTO core.cost_by_day BY NAME
SELECT day, llm, market, gpu_hours_p50 * CAST(usd_per_gpu_hour AS DOUBLE) AS compute_usd
FROM cheapest JOIN core.price_by_day USING (day, market) JOIN planned USING (sold, market);
