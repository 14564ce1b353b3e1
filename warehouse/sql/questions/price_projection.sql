CREATE OR REPLACE TABLE price_projection (
    gpu VARCHAR,
    day DATE,
    provider VARCHAR,
    usd_per_gpu_hour_low DOUBLE,
    usd_per_gpu_hour_mid DOUBLE,
    usd_per_gpu_hour_high DOUBLE,
    per_year_low DOUBLE,
    per_year_mid DOUBLE,
    per_year_high DOUBLE,
    basis VARCHAR,
    sku VARCHAR,
    region VARCHAR,
    observed_at TIMESTAMPTZ,
    page_sha256 VARCHAR,
    offer_key VARCHAR
);
INSERT INTO price_projection BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE price_projection IS 'The cheapest on-demand price, of offers not known to be sold out where there are such, of each GPU that trains, on the day of the newest look and on the same day of five years to come: a fan by the ledger''s own trend of the card over at least a year, else of its family, else by the published fall of the price of a FLOP.';
COMMENT ON COLUMN price_projection.day IS 'Day, UTC; the first is that of the newest look.';
COMMENT ON COLUMN price_projection.usd_per_gpu_hour_low IS '10th percentile.';
COMMENT ON COLUMN price_projection.usd_per_gpu_hour_mid IS 'Median.';
COMMENT ON COLUMN price_projection.usd_per_gpu_hour_high IS '90th percentile.';
COMMENT ON COLUMN price_projection.per_year_low IS 'Factor a year, 10th percentile: 0.8 is a fall of 20%.';
COMMENT ON COLUMN price_projection.per_year_mid IS 'Factor a year, median.';
COMMENT ON COLUMN price_projection.per_year_high IS 'Factor a year, 90th percentile.';
COMMENT ON COLUMN price_projection.basis IS 'Where the trend is from, in one line.';
