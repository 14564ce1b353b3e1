CREATE OR REPLACE VIEW training_cost AS
WITH overhead AS (
    SELECT value AS mid FROM ref.constant WHERE name = 'overhead'
)
SELECT
    llm, llm_kind, provider, offer.gpu, pricing, term_months, tier, sku, region, country,
    feasible AND core.lease_too_short(lease, wall_days, overhead.mid) IS NULL AS feasible,
    coalesce(why_not, core.lease_too_short(lease, wall_days, overhead.mid)) AS why_not,
    CASE WHEN gpus > gpu_count THEN cluster_assumption END AS assumption, gpus, wall_days,
    gpu_hours_p10, gpu_hours_p50, gpu_hours_p90, list_price, currency, unit, usd_per_gpu_hour,
    core.setup_usd(offer.setup_usd, gpu_count, gpus) AS setup_usd,
    gpu_hours_p10 * usd_per_gpu_hour AS compute_usd_low,
    gpu_hours_p50 * usd_per_gpu_hour AS compute_usd_mid,
    gpu_hours_p90 * usd_per_gpu_hour AS compute_usd_high,
    gpu_hours_p10 * usd_per_gpu_hour * overhead.mid + core.setup_usd(offer.setup_usd, gpu_count, gpus) AS total_usd_low,
    gpu_hours_p50 * usd_per_gpu_hour * overhead.mid + core.setup_usd(offer.setup_usd, gpu_count, gpus) AS total_usd_mid,
    gpu_hours_p90 * usd_per_gpu_hour * overhead.mid + core.setup_usd(offer.setup_usd, gpu_count, gpus) AS total_usd_high,
    CASE WHEN plan.feasible THEN core.commitment_usd(lease, term_months, gpus, wall_days, overhead.mid, usd_per_gpu_hour)
        END AS commitment_usd,
    scale_efficiency, goodput, available, core.in_stock(available, quantity, gpu_count, gpus) AS in_stock, observed_at,
    origin, form, basis, page_sha256, offer_key
FROM core.training_offer AS offer JOIN training_plan AS plan USING (instance), overhead;
COMMENT ON VIEW training_cost IS 'What training each LLM would cost at each current offer, and whether it can be done there at all.';
COMMENT ON COLUMN training_cost.compute_usd_low IS 'Final run only: p10 GPU-hours x price.';
COMMENT ON COLUMN training_cost.compute_usd_mid IS 'Final run only: median GPU-hours x price. Reserved prices assume that the rest of the term is used.';
COMMENT ON COLUMN training_cost.compute_usd_high IS 'Final run only: p90 GPU-hours x price.';
COMMENT ON COLUMN training_cost.total_usd_low IS 'P10 by the spread of the hours, with failed runs and experiments: p10 hours x the usual overhead (ref.constant), and setup_usd once.';
COMMENT ON COLUMN training_cost.total_usd_mid IS 'Median, with failed runs and experiments: median hours x the usual overhead (ref.constant), and setup_usd once.';
COMMENT ON COLUMN training_cost.total_usd_high IS 'P90 by the spread of the hours, with failed runs and experiments: p90 hours x the usual overhead (ref.constant), and setup_usd once. That the overhead is uncertain too widens it by 0.2%.';
COMMENT ON COLUMN training_cost.assumption IS 'What the size of the cluster takes for granted, with the name of the constant (ref.constant): feasible rests on it. Null where one instance does or the provider states the size.';
COMMENT ON COLUMN training_cost.setup_usd IS 'One-off fees of the instances in USD, due once however long the run; 0 where there are none.';
COMMENT ON COLUMN training_cost.commitment_usd IS 'What has to be taken for the final run, failed runs and experiments, used or not: whole terms or blocks, or the shortest rental where that is longer. Null where nothing is, and where the run cannot be done.';
COMMENT ON COLUMN training_cost.in_stock IS 'Whether the GPUs of the plan were free at the last look, by what the site says; null where it says nothing.';
