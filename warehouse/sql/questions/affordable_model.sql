CREATE OR REPLACE TABLE affordable_model (
    budget_usd DOUBLE,
    spent_usd DOUBLE,
    provider VARCHAR,
    gpu VARCHAR,
    usd_per_gpu_hour DOUBLE,
    gpu_hours DOUBLE,
    params_low DOUBLE,
    params_mid DOUBLE,
    params_high DOUBLE,
    tokens_low DOUBLE,
    tokens_mid DOUBLE,
    tokens_high DOUBLE,
    flop_mid DOUBLE,
    min_gpus BIGINT,
    gpus BIGINT,
    sizing VARCHAR,
    setup_usd DOUBLE,
    sku VARCHAR,
    region VARCHAR,
    in_stock BOOLEAN,
    observed_at TIMESTAMPTZ,
    page_sha256 VARCHAR,
    offer_key VARCHAR
);
INSERT INTO affordable_model BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE affordable_model IS 'The largest sensible dense model that a budget trains, experiments and what a large cluster loses included, on each GPU at the on-demand offer where that is largest, sold out ones last: its GPUs can be joined to hold it and end it within the longest run.';
COMMENT ON COLUMN affordable_model.budget_usd IS 'USD to spend, experiments included.';
COMMENT ON COLUMN affordable_model.spent_usd IS 'USD of the budget that are spent, experiments, fees and what has to be taken included: less than all of it where more GPUs cannot be joined there.';
COMMENT ON COLUMN affordable_model.gpu_hours IS 'GPU-hours of the final run.';
COMMENT ON COLUMN affordable_model.params_low IS 'Parameters at a low utilisation.';
COMMENT ON COLUMN affordable_model.params_mid IS 'Parameters at the median utilisation of published runs.';
COMMENT ON COLUMN affordable_model.params_high IS 'Parameters at a high utilisation.';
COMMENT ON COLUMN affordable_model.tokens_low IS 'Training tokens, likewise.';
COMMENT ON COLUMN affordable_model.tokens_mid IS 'Training tokens at the median.';
COMMENT ON COLUMN affordable_model.tokens_high IS 'Training tokens at a high utilisation.';
COMMENT ON COLUMN affordable_model.flop_mid IS 'FLOP of the final run at the median.';
COMMENT ON COLUMN affordable_model.min_gpus IS 'GPUs that hold the training state of the middle one.';
COMMENT ON COLUMN affordable_model.gpus IS 'GPUs in whole instances that end the final run within the longest run (ref.constant), at least min_gpus.';
COMMENT ON COLUMN affordable_model.setup_usd IS 'One-off fees of the instances in USD, paid from the budget; 0 where there are none.';
COMMENT ON COLUMN affordable_model.in_stock IS 'Whether something was free at the last look, by what the site says; null where it says nothing or the look is old.';
COMMENT ON COLUMN affordable_model.sizing IS 'How compute was divided between parameters and tokens.';
