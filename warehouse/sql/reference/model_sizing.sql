CREATE OR REPLACE TABLE model_sizing (
    flop DOUBLE,
    coefficients VARCHAR,
    tokens_served_per_training_token DOUBLE,
    params DOUBLE,
    tokens DOUBLE,
    tokens_per_parameter DOUBLE,
    loss DOUBLE,
    saved_share DOUBLE
);
INSERT INTO model_sizing BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE model_sizing IS 'How large a model for a compute budget, by three fits of the scaling law and by 20 tokens per parameter; and the smaller model of the same loss that is cheapest with the tokens it will serve. No price.';
COMMENT ON COLUMN model_sizing.flop IS 'Compute of the training that is optimal when nothing is served.';
COMMENT ON COLUMN model_sizing.coefficients IS 'hoffmann_printed (rounded: drifts, only to reproduce quotations), hoffmann_unrounded, epoch_2024, or the ratio.';
COMMENT ON COLUMN model_sizing.tokens_served_per_training_token IS 'Tokens that will be served for each token of that optimal training; 0: training alone counts.';
COMMENT ON COLUMN model_sizing.params IS 'Parameters of the model to train.';
COMMENT ON COLUMN model_sizing.tokens IS 'Tokens to train it on.';
COMMENT ON COLUMN model_sizing.tokens_per_parameter IS 'Their ratio.';
COMMENT ON COLUMN model_sizing.loss IS 'Loss by that fit; null for the plain ratio.';
COMMENT ON COLUMN model_sizing.saved_share IS 'FLOP of training and serving saved over the optimum for training alone; 0 without serving.';
