CREATE OR REPLACE MACRO core.training_option_asof(moment) AS TABLE
WITH overhead AS (
    SELECT value AS mid FROM ref.constant WHERE name = 'overhead'
)
SELECT
    llm, llm_kind, provider, pricing, offer.gpu, sku, region, country, CASE WHEN gpus > gpu_count THEN cluster_assumption END AS assumption, gpus, wall_days, gpu_hours_p50 AS gpu_hours,
    list_price, currency, unit, usd_per_gpu_hour, core.setup_usd(offer.setup_usd, gpu_count, gpus) AS setup_usd,
    gpu_hours_p50 * usd_per_gpu_hour AS compute_usd_mid,
    gpu_hours_p10 * usd_per_gpu_hour * overhead.mid + core.setup_usd(offer.setup_usd, gpu_count, gpus) AS total_usd_low,
    gpu_hours_p50 * usd_per_gpu_hour * overhead.mid + core.setup_usd(offer.setup_usd, gpu_count, gpus) AS total_usd_mid,
    gpu_hours_p90 * usd_per_gpu_hour * overhead.mid + core.setup_usd(offer.setup_usd, gpu_count, gpus) AS total_usd_high,
    core.commitment_usd(lease, term_months, gpus, wall_days, overhead.mid, usd_per_gpu_hour) AS commitment_usd,
    core.in_stock(core.said_lately(available, age_hours), core.said_lately(quantity, age_hours), gpu_count, gpus)
        AS in_stock,
    observed_at, page_sha256, offer_key
FROM core.training_offer_asof(moment) AS offer JOIN training_plan USING (instance), overhead
WHERE feasible AND core.lease_too_short(lease, wall_days, overhead.mid) IS NULL;
COMMENT ON MACRO TABLE core.training_option_asof IS 'Every offer that stood at a moment and could train an LLM, with what that would have cost there, by today''s hours.';
CREATE OR REPLACE MACRO training_cost_asof(moment) AS TABLE
SELECT unnest(arg_min(option, core.rank_of_cost(in_stock, total_usd_mid, commitment_usd, setup_usd, offer_key)))
FROM core.training_option_asof(moment) AS option
GROUP BY llm, provider, pricing;
COMMENT ON MACRO TABLE training_cost_asof IS 'What training each LLM cost at each provider at a moment: the feasible offer that stood then and is cheapest by the larger of total_usd_mid and commitment_usd with setup_usd, sold out ones last, by today''s hours: SELECT * FROM training_cost_asof(''2026-08-01''). An attached ledger is first made the current one (USE).';
