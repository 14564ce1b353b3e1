CREATE OR REPLACE VIEW focus AS
SELECT
    provider AS ProviderName, region AS RegionId, sku AS SkuId, offer_key AS SkuPriceId,
    CASE pricing WHEN 'on_demand' THEN 'Standard' WHEN 'serverless' THEN 'Standard' WHEN 'spot' THEN 'Dynamic'
                 ELSE 'Committed' END AS PricingCategory,
    CASE WHEN unit LIKE 'per_gpu%' THEN 'GPU-' ELSE '' END
        || CASE WHEN unit LIKE '%second' THEN 'Seconds' WHEN unit LIKE '%minute' THEN 'Minutes'
                WHEN unit LIKE '%month' THEN 'Months' WHEN unit = 'per_term' THEN 'Terms' ELSE 'Hours' END
        AS PricingUnit,
    list_price AS ListUnitPrice, currency AS PricingCurrency,
    term_months AS x_TermMonths, upfront AS x_UpfrontFee, gpu AS x_Gpu, gpu_count AS x_GpuCount,
    usd_per_hour AS x_UsdPerHour, usd_per_gpu_hour AS x_UsdPerGpuHour, observed_at AS x_ObservedAt
FROM price_now;
COMMENT ON VIEW focus IS 'Current offers under the column names of the FinOps FOCUS specification; what it has no name for starts with x_.';
COMMENT ON COLUMN focus.ProviderName IS 'Provider name.';
COMMENT ON COLUMN focus.RegionId IS 'The provider''s own region text; empty where it names none.';
COMMENT ON COLUMN focus.SkuId IS 'The provider''s own name: instance type, plan, GPU id.';
COMMENT ON COLUMN focus.SkuPriceId IS 'Stable identity of the offer: offer_key of price_now.';
COMMENT ON COLUMN focus.PricingCategory IS 'Standard: on demand and serverless; Dynamic: spot; Committed: what has a term.';
COMMENT ON COLUMN focus.PricingUnit IS 'What ListUnitPrice covers: Hours, GPU-Hours, Months, Terms, ...';
COMMENT ON COLUMN focus.ListUnitPrice IS 'Amount as published, in PricingCurrency per PricingUnit.';
COMMENT ON COLUMN focus.PricingCurrency IS 'ISO 4217 code of the list price.';
COMMENT ON COLUMN focus.x_TermMonths IS 'Length of the commitment in months, or null.';
COMMENT ON COLUMN focus.x_UpfrontFee IS 'One-time fee of the whole instance for the term, in PricingCurrency.';
COMMENT ON COLUMN focus.x_Gpu IS 'Canonical GPU (ref.gpu).';
COMMENT ON COLUMN focus.x_GpuCount IS 'GPUs in the instance; a fraction is a slice of a card.';
COMMENT ON COLUMN focus.x_UsdPerHour IS 'USD per hour of the whole instance.';
COMMENT ON COLUMN focus.x_UsdPerGpuHour IS 'USD per GPU-hour.';
COMMENT ON COLUMN focus.x_ObservedAt IS 'Last look that read this offer''s part of the price list, UTC.';
