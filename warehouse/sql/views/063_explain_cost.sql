CREATE OR REPLACE MACRO explain_cost(model, key) AS TABLE
WITH cost AS (
    SELECT cost.*, need.flop_per_token, need.attention, need.attention_share, need.flop, need.precision,
        need.peak_tflops, need.tokens,
        need.utilisation_low * cost.scale_efficiency / need.scale_efficiency AS utilisation_low,
        need.utilisation_mid * cost.scale_efficiency / need.scale_efficiency AS utilisation_mid,
        need.utilisation_high * cost.scale_efficiency / need.scale_efficiency AS utilisation_high,
        need.params_active, need.state_gb, need.min_gpus, llm.source AS llm_source, gpu.source AS gpu_source
    FROM training_cost AS cost
    JOIN training_requirement AS need ON need.llm = cost.llm AND need.gpu = cost.gpu
    JOIN ref.llm AS llm ON llm.llm = cost.llm JOIN ref.gpu AS gpu ON gpu.gpu = cost.gpu
    WHERE lower(cost.llm) = lower(model) AND cost.offer_key = key
), page AS (
    SELECT coalesce(any_value(url), 'page') || ' (sha256 ' || any_value(page_sha256) || ')' AS source
    FROM price_page JOIN cost USING (provider, page_sha256)
), said AS (
    SELECT max(source) FILTER (name = 'flop_per_parameter_token') AS flop,
        max(source) FILTER (name = 'state_bytes_mixed_adam') AS state,
        max(source) FILTER (name = 'overhead') AS overhead,
        max(source) FILTER (name = 'spot_monthly_interruption') AS spot,
        max(low) FILTER (name = 'overhead') AS overhead_low,
        max(value) FILTER (name = 'overhead') AS overhead_mid,
        max(high) FILTER (name = 'overhead') AS overhead_high
    FROM ref.constant
), step AS (
    SELECT unnest([
        {n: 1, step: 'parameters', value: params_active::DOUBLE, low: NULL::DOUBLE, high: NULL::DOUBLE,
            unit: 'active parameters', formula: 'given', source: llm_source},
        {n: 2, step: 'tokens', value: tokens, low: NULL, high: NULL, unit: 'tokens', formula: 'given', source: llm_source},
        {n: 3, step: 'flop_per_token', value: flop_per_token, low: NULL, high: NULL, unit: 'FLOP',
            formula: format('6 x parameters, attention {} adds {:.1f}%', attention, 100 * attention_share), source: said.flop},
        {n: 4, step: 'flop', value: cost.flop, low: NULL, high: NULL, unit: 'FLOP', formula: 'flop_per_token x tokens',
            source: 'computed'},
        {n: 5, step: 'peak', value: peak_tflops, low: NULL, high: NULL, unit: 'dense ' || upper(precision) || ' TFLOPS',
            formula: gpu, source: gpu_source},
        {n: 6, step: 'utilisation', value: utilisation_mid, low: utilisation_low, high: utilisation_high,
            unit: 'share of the peak', source: basis, formula: format(
                'of billed hours; {:.1f}% lost to the scale of the cluster is taken off', 100 * (1 - scale_efficiency))},
        {n: 7, step: 'goodput', value: goodput, low: NULL, high: NULL, unit: 'share of the paid time',
            formula: CASE WHEN pricing = 'spot' THEN 'less what interruptions lose' ELSE 'held by the utilisation' END,
            source: CASE WHEN pricing = 'spot' THEN said.spot ELSE 'computed' END},
        {n: 8, step: 'gpu_hours', value: gpu_hours_p50, low: gpu_hours_p10, high: gpu_hours_p90, unit: 'GPU-hours',
            formula: 'flop / (peak x utilisation x 3600) / goodput', source: 'computed'},
        {n: 9, step: 'state', value: state_gb, low: NULL, high: NULL, unit: 'GB',
            formula: 'all parameters x bytes of state', source: said.state},
        {n: 10, step: 'gpus', value: gpus, low: NULL, high: NULL, unit: 'GPUs',
            formula: format('whole instances; memory needs {:,}', min_gpus),
            source: coalesce('assumed: ' || assumption, 'computed')},
        {n: 11, step: 'wall_days', value: wall_days, low: NULL, high: NULL, unit: 'days',
            formula: CASE WHEN pricing = 'spot' THEN format('gpu_hours / gpus / 24 x {:.3f} of waiting for machines anew',
                wall_days * gpus * 24 / gpu_hours_p50) ELSE 'gpu_hours / gpus / 24' END, source: 'computed'},
        {n: 12, step: 'price', value: usd_per_gpu_hour::DOUBLE, low: NULL, high: NULL, unit: 'USD per GPU-hour',
            formula: format('{}: {:f} {} {}, read {}', concat_ws(' ', provider, sku,
                CASE WHEN NOT regexp_full_match(region, '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}') THEN region END, pricing), list_price, currency,
                replace(unit, '_', ' '), strftime(observed_at AT TIME ZONE 'UTC', '%Y-%m-%d')), source: page.source},
        {n: 13, step: 'compute_usd', value: compute_usd_mid, low: compute_usd_low, high: compute_usd_high, unit: 'USD',
            formula: 'gpu_hours x price', source: 'computed'},
        {n: 14, step: 'overhead', value: said.overhead_mid, low: said.overhead_low, high: said.overhead_high,
            unit: 'x compute', formula: 'failed runs and experiments', source: said.overhead},
        {n: 15, step: 'setup_usd', value: setup_usd, low: NULL, high: NULL, unit: 'USD',
            formula: 'one-off fees of the instances, once', source: page.source},
        {n: 16, step: 'total_usd', value: total_usd_mid, low: total_usd_low, high: total_usd_high, unit: 'USD',
            formula: 'compute_usd x overhead (by its middle) + setup_usd', source: 'computed'},
        {n: 17, step: 'commitment_usd', value: commitment_usd::DOUBLE, low: NULL, high: NULL, unit: 'USD',
            formula: format('{} for wall_days x overhead on {} x price: due whole, used or not',
                CASE WHEN pricing = 'capacity_block'
                     THEN core.counted(round(commitment_usd / gpus / usd_per_gpu_hour / 24), 'day') || ' in blocks'
                     WHEN term_months IS NULL
                     THEN format('the shortest rental, {:,.0f} hours,', commitment_usd / gpus / usd_per_gpu_hour)
                     ELSE core.counted(round(commitment_usd / gpus / usd_per_gpu_hour / core.term_hours(term_months)), 'term')
                         || ' of ' || core.counted(term_months, 'month') END,
                core.counted(gpus, 'GPU')), source: 'computed'}
    ], recursive := true)
    FROM cost, page, said
)
SELECT step, value, coalesce(low, value) AS low, coalesce(high, value) AS high, unit, formula, source
FROM step WHERE step <> 'commitment_usd' OR value IS NOT NULL ORDER BY n;
COMMENT ON MACRO TABLE explain_cost IS 'A total of training_cost, and what has to be taken for it, led back to each term, its formula, its source and the page of the price: SELECT * FROM explain_cost(''7B'', offer_key). An attached ledger is first made the current one (USE).';
