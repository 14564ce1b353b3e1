CREATE OR REPLACE VIEW price_history AS
SELECT
    provider, sku, region, country, gpu, gpu_family, form_factor, gpu_memory_gb, gpu_count, vcpus, memory_gb,
    pricing, term_months, tier, core.money(list_price) AS list_price, core.money(upfront) AS upfront, currency, unit,
    core.money(usd_per_hour) AS usd_per_hour, core.money(usd_per_gpu_hour) AS usd_per_gpu_hour, available,
    observed_at AS valid_from,
    lead(observed_at) OVER (PARTITION BY offer_key ORDER BY observed_at) AS valid_to,
    quantity, minimum_gpus, fabric, cluster_gpus, broker_of, machine, gpu_text, book, origin,
    CASE WHEN origin = 'recorded' THEN form END AS form,
    CASE WHEN currency <> 'USD' THEN fx_rate END AS fx_rate, fx_date, effective_from, minimum_hours,
    offered_until, page_sha256, offer_key
FROM core.observation LEFT JOIN core.recorded_form USING (provider, page_sha256)
QUALIFY listed;
COMMENT ON VIEW price_history IS 'Each price of each offer with the time it was seen to hold; a vanished offer has a closed range.';
COMMENT ON COLUMN price_history.valid_from IS 'The look that first saw this price, UTC.';
COMMENT ON COLUMN price_history.valid_to IS 'The look that saw it changed or gone; null while it still stands.';
COMMENT ON COLUMN price_history.form IS 'Of a price of a recording, its page is captured: as the site sent it; reduced: rows left out; reconstructed: real figures in the site''s format. Null for a live one.';
COMMENT ON COLUMN price_history.fx_rate IS 'USD per unit of currency that its USD figures are at; null for USD, as in price_now.';
