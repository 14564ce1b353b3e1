CREATE OR REPLACE VIEW focus AS
SELECT
    provider AS ProviderName, region AS RegionId, offer_key AS SkuPriceId, sku AS SkuId, gpu AS SkuMeter,
    CASE pricing WHEN 'on_demand' THEN 'Standard' WHEN 'serverless' THEN 'Standard' WHEN 'spot' THEN 'Dynamic'
                 ELSE 'Committed' END AS PricingCategory,
    CASE WHEN unit LIKE 'per_gpu%' THEN 'GPU-Hours' ELSE 'Hours' END AS PricingUnit,
    list_price AS ListUnitPrice, currency AS PricingCurrency, usd_per_hour AS PricingCurrencyListUnitPriceUSD,
    CASE WHEN term_months IS NULL THEN NULL ELSE 'P' || term_months || 'M' END AS CommitmentDiscountTerm,
    observed_at AS x_ObservedAt, usd_per_gpu_hour AS x_UsdPerGpuHour
FROM price_now;
COMMENT ON VIEW focus IS 'Current offers under the names of the FinOps FOCUS specification.';
