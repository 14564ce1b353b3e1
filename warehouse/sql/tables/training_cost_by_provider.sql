-- Cost is hours x price, and the hours depend on the kind of instance alone. So the offers of one provider at one kind
-- of price, instance and stock are compared with each other once, and only their cheapest is compared for each LLM.
CREATE OR REPLACE TABLE training_cost_by_provider AS
WITH overhead AS (
    SELECT value AS mid FROM ref.constant WHERE name = 'overhead'
), cheapest AS (
    SELECT provider, pricing, term_months, lease, instance, offer_key, gpu_count, available, quantity, usd_per_gpu_hour,
        setup_usd, count(*) OVER alike AS alike
    FROM offer_now
    WINDOW alike AS (PARTITION BY provider, pricing, term_months, lease, instance, setup_usd, available, quantity)
    QUALIFY row_number() OVER (alike ORDER BY usd_per_gpu_hour, offer_key) = 1
), judged AS (
    SELECT provider, pricing, offer_key, alike, available, quantity, gpu_count,
        plan.* EXCLUDE (gpu) REPLACE (
            feasible AND core.lease_too_short(lease, wall_days, overhead.mid) IS NULL AS feasible,
            coalesce(why_not, core.lease_too_short(lease, wall_days, overhead.mid)) AS why_not
        ),
        CASE WHEN plan.feasible THEN core.commitment_usd(lease, term_months, gpus, wall_days, overhead.mid,
            usd_per_gpu_hour) END AS commitment_usd,
        gpu_hours_p50 * usd_per_gpu_hour * overhead.mid AS used_usd, core.setup_usd(setup_usd, gpu_count, gpus) AS fees_usd
    FROM cheapest JOIN plan_now AS plan USING (instance), overhead
), due AS (
    SELECT *, greatest(used_usd, commitment_usd) + fees_usd AS due_usd FROM judged
), chosen AS (
    -- first what can be done; what was not free at the last look comes last; a term is paid to its end; where nothing
    -- can be done, the shortest run says best why not: a small node would only tell that it is small
    SELECT unnest(arg_min(due, row(NOT feasible, CASE WHEN NOT feasible THEN wall_days END,
            core.in_stock(available, quantity, gpu_count, gpus) IS NOT DISTINCT FROM false, due_usd, offer_key))),
        CAST(sum(alike) AS BIGINT) AS offers,
        CAST(coalesce(sum(alike) FILTER (feasible), 0) AS BIGINT) AS feasible_offers
    FROM due GROUP BY llm, provider, pricing
), middle AS (
    SELECT llm, provider, pricing,
        median(total_usd) FILTER (feasible) AS of_feasible, median(total_usd) AS of_all
    FROM (
        SELECT llm, provider, pricing,
            feasible AND core.lease_too_short(lease, wall_days, overhead.mid) IS NULL AS feasible,
            gpu_hours_p50 * usd_per_gpu_hour * overhead.mid + core.setup_usd(setup_usd, gpu_count, gpus) AS total_usd
        FROM offer_now JOIN plan_now USING (instance), overhead
    )
    GROUP BY llm, provider, pricing
)
SELECT
    llm, llm_kind, provider, pricing, term_months, tier, offer.gpu, sku, region, country, feasible, why_not,
    CASE WHEN gpus > gpu_count THEN cluster_assumption END AS assumption, gpus,
    wall_days, gpu_hours_p50 AS gpu_hours, list_price, currency, unit, usd_per_gpu_hour,
    core.setup_usd(offer.setup_usd, gpu_count, gpus) AS setup_usd,
    gpu_hours_p10 * usd_per_gpu_hour AS compute_usd_low,
    gpu_hours_p50 * usd_per_gpu_hour AS compute_usd_mid,
    gpu_hours_p90 * usd_per_gpu_hour AS compute_usd_high,
    gpu_hours_p10 * usd_per_gpu_hour * overhead.mid + core.setup_usd(offer.setup_usd, gpu_count, gpus) AS total_usd_low,
    gpu_hours_p50 * usd_per_gpu_hour * overhead.mid + core.setup_usd(offer.setup_usd, gpu_count, gpus) AS total_usd_mid,
    gpu_hours_p90 * usd_per_gpu_hour * overhead.mid + core.setup_usd(offer.setup_usd, gpu_count, gpus) AS total_usd_high,
    coalesce(of_feasible, of_all) AS median_total_usd,
    commitment_usd,
    scale_efficiency, goodput, offers, feasible_offers, available, core.in_stock(available, quantity, gpu_count, gpus) AS in_stock,
    observed_at, origin, form, basis, page_sha256, offer_key,
    format('{:.4g} FLOP / ({:g} dense {} TFLOPS x {:.3g} x 3600 s{}) = {:.4g} GPU-hours; x {} USD, read {} at {}; '
        'x {:g} for failed runs and experiments{}{}{}; each source: explain_cost(''{}'', ''{}'')',
        flop, peak_tflops, upper(precision), utilisation_mid * scale_efficiency / required_efficiency, CASE WHEN goodput < 1 THEN format(' x {:.3g} goodput', goodput)
        ELSE '' END, gpu_hours_p50, usd_per_gpu_hour,
        strftime(observed_at AT TIME ZONE 'UTC', '%Y-%m-%d'), coalesce(url, 'page ' || page_sha256),
        overhead.mid, coalesce(format('; {:,.0f} USD are to be taken, used or not',
            CAST(commitment_usd AS DOUBLE)), ''),
        CASE WHEN offer.setup_usd > 0 THEN format('; {:,.0f} USD to set it up, once',
            core.setup_usd(offer.setup_usd, gpu_count, gpus)) ELSE '' END,
        CASE WHEN gpus > gpu_count THEN coalesce('; assumed: ' || cluster_assumption, '') ELSE '' END,
        llm, offer_key) AS explanation
FROM (SELECT * EXCLUDE (alike, available, quantity, gpu_count) FROM chosen) AS chosen
JOIN offer_now AS offer USING (provider, pricing, offer_key)
JOIN middle USING (llm, provider, pricing)
JOIN (SELECT llm, gpu, flop, peak_tflops, precision, utilisation_mid, scale_efficiency AS required_efficiency
    FROM training_requirement) AS need
    ON need.llm = chosen.llm AND need.gpu = offer.gpu
LEFT JOIN (SELECT provider, page_sha256, url FROM price_page) AS page USING (provider, page_sha256), overhead
ORDER BY llm_kind DESC, min(flop) OVER (PARTITION BY llm), llm, feasible DESC, in_stock IS NOT DISTINCT FROM false,
    due_usd, provider, pricing;
COMMENT ON TABLE training_cost_by_provider IS 'For each LLM, provider and kind of price: the cheapest feasible offer of those not known to be taken, by the larger of total_usd_mid and commitment_usd with setup_usd: who has no other use for a term pays all of it; where all are taken, the cheapest with in_stock false; where none is feasible, the one that would take least time, and why not.';
COMMENT ON COLUMN training_cost_by_provider.gpu_hours IS 'GPU-hours, median.';
COMMENT ON COLUMN training_cost_by_provider.median_total_usd IS 'Median total over the provider''s feasible offers; over all where none is feasible.';
COMMENT ON COLUMN training_cost_by_provider.explanation IS 'The total in one line: FLOP, peak, utilisation, hours, the price with its day and page, the overhead, what has to be taken or paid once, and what the size of the cluster takes for granted.';
COMMENT ON COLUMN training_cost_by_provider.offers IS 'Offers of the provider at this kind of price that were compared.';
COMMENT ON COLUMN training_cost_by_provider.feasible_offers IS 'How many of them are feasible.';
