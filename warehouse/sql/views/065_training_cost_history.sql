CREATE OR REPLACE VIEW training_cost_history AS
WITH overhead AS (
    SELECT value AS mid FROM ref.constant WHERE name = 'overhead'
)
SELECT
    day, llm, provider, pricing, term_months, market.gpu, gpus, wall_days, gpu_hours_p50 AS gpu_hours,
    compute_usd / gpu_hours_p50 AS usd_per_gpu_hour,
    core.setup_usd(market.setup_usd, gpu_count, gpus) AS setup_usd,
    compute_usd AS compute_usd_mid,
    compute_usd * gpu_hours_p10 / gpu_hours_p50 * overhead.mid + core.setup_usd(market.setup_usd, gpu_count, gpus) AS total_usd_low,
    compute_usd * overhead.mid + core.setup_usd(market.setup_usd, gpu_count, gpus) AS total_usd_mid,
    compute_usd * gpu_hours_p90 / gpu_hours_p50 * overhead.mid + core.setup_usd(market.setup_usd, gpu_count, gpus) AS total_usd_high,
    core.commitment_usd(lease, term_months, gpus, wall_days, overhead.mid, compute_usd / gpu_hours_p50) AS commitment_usd
FROM core.cost_by_day JOIN (SELECT *, core.lease_of(provider, pricing, minimum_hours, NULL) AS lease FROM core.market) AS market USING (market)
JOIN training_plan AS plan USING (llm, instance), overhead;
COMMENT ON VIEW training_cost_history IS 'For each size class, provider and kind of price: the cheapest feasible training, a term paid to its end, on each day on which the provider was read, whether or not it was in stock, by today''s hours. A part of its list that was not read that day counts as it was last read, as in price_asof.';
COMMENT ON COLUMN training_cost_history.day IS 'Day in UTC; prices are those that stood at its end.';
COMMENT ON COLUMN training_cost_history.gpu_hours IS 'GPU-hours that are paid, median; the same on every day, so that only the price moves.';
