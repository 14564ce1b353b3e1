-- Cost is hours x price: the plan of each kind of instance is multiplied by its cheapest price of the day.
CREATE OR REPLACE TABLE training_cost_history AS
WITH plan AS MATERIALIZED (
    SELECT llm, instance, gpu, gpus, wall_days, gpu_hours_p10, gpu_hours_p50, gpu_hours_p90
    FROM training_plan WHERE feasible AND llm_kind = 'size_class'
), cheapest AS (
    SELECT day, llm, provider, pricing,
        min(gpu_hours_p50 * usd_per_gpu_hour) AS usd,
        arg_min(instance, gpu_hours_p50 * usd_per_gpu_hour) AS instance
    FROM core.price_by_day JOIN plan USING (instance)
    GROUP BY ALL
), overhead AS (
    SELECT low, value AS mid, high FROM ref.constant WHERE name = 'overhead'
)
SELECT
    day, llm, provider, pricing, gpu, gpus, wall_days, gpu_hours_p50 AS gpu_hours,
    CAST(usd / gpu_hours_p50 AS DECIMAL(18, 8)) AS usd_per_gpu_hour,
    usd AS compute_usd_mid,
    usd * gpu_hours_p10 / gpu_hours_p50 * overhead.low AS total_usd_low,
    usd * overhead.mid AS total_usd_mid,
    usd * gpu_hours_p90 / gpu_hours_p50 * overhead.high AS total_usd_high
FROM cheapest JOIN plan USING (llm, instance), overhead
ORDER BY llm, provider, pricing, day;
COMMENT ON TABLE training_cost_history IS 'For each size class, provider and kind of price: the cheapest feasible training on each day on which the provider was read, by today''s hours.';
COMMENT ON COLUMN training_cost_history.day IS 'Day in UTC; prices are those that stood at its end.';
COMMENT ON COLUMN training_cost_history.gpu_hours IS 'GPU-hours that are paid, median; the same on every day, so that only the price moves.';
