CREATE OR REPLACE TABLE training_requirement (
    llm VARCHAR,
    kind VARCHAR,
    architecture VARCHAR,
    gpu VARCHAR,
    gpu_family VARCHAR,
    params_total BIGINT,
    params_active BIGINT,
    tokens BIGINT,
    attention VARCHAR,
    flop_per_token DOUBLE,
    attention_share DOUBLE,
    flop DOUBLE,
    precision VARCHAR,
    peak_tflops DOUBLE,
    utilisation_low DOUBLE,
    utilisation_mid DOUBLE,
    utilisation_high DOUBLE,
    scale_efficiency DOUBLE,
    gpu_hours_p10 DOUBLE,
    gpu_hours_p50 DOUBLE,
    gpu_hours_p90 DOUBLE,
    state_gb DOUBLE,
    gpu_memory_gb DOUBLE,
    min_gpus BIGINT,
    gpus_for_deadline BIGINT,
    gpus_per_node BIGINT,
    gpus BIGINT,
    wall_days DOUBLE,
    basis VARCHAR
);
INSERT INTO training_requirement BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE training_requirement IS 'What training each LLM on each GPU takes: FLOP, GPU-hours with their spread, memory, GPUs, days. No price.';
COMMENT ON COLUMN training_requirement.llm IS 'Size class (1B to 1T) or named model, as in ref.llm.';
COMMENT ON COLUMN training_requirement.kind IS 'size_class or named.';
COMMENT ON COLUMN training_requirement.architecture IS 'dense or moe (mixture of experts).';
COMMENT ON COLUMN training_requirement.gpu IS 'Chip or group of chips, as in ref.gpu.';
COMMENT ON COLUMN training_requirement.gpu_family IS 'Family of the chip.';
COMMENT ON COLUMN training_requirement.params_total IS 'All parameters: they set the memory.';
COMMENT ON COLUMN training_requirement.params_active IS 'Parameters that one token passes through: they set the FLOP.';
COMMENT ON COLUMN training_requirement.tokens IS 'Training tokens.';
COMMENT ON COLUMN training_requirement.attention IS 'Convention by which attention is counted: full, causal or none.';
COMMENT ON COLUMN training_requirement.flop_per_token IS 'Training FLOP of one token.';
COMMENT ON COLUMN training_requirement.attention_share IS 'FLOP of attention as a share of 6 N.';
COMMENT ON COLUMN training_requirement.flop IS 'Training FLOP, attention counted by the stated convention.';
COMMENT ON COLUMN training_requirement.precision IS 'Precision of the peak that was used.';
COMMENT ON COLUMN training_requirement.peak_tflops IS 'Dense peak in TFLOPS.';
COMMENT ON COLUMN training_requirement.utilisation_low IS 'Share of the peak over the billed hours, 10th percentile, loss of scale included; of `flop`, so where attention is counted it is higher than the share in 6 N D of published runs, by up to attention_share.';
COMMENT ON COLUMN training_requirement.utilisation_mid IS 'The same, median.';
COMMENT ON COLUMN training_requirement.utilisation_high IS 'The same, 90th percentile.';
COMMENT ON COLUMN training_requirement.scale_efficiency IS 'Part of the utilisation that the size of the cluster leaves; 1 up to 1,024 GPUs.';
COMMENT ON COLUMN training_requirement.gpu_hours_p10 IS 'GPU-hours, 10th percentile.';
COMMENT ON COLUMN training_requirement.gpu_hours_p50 IS 'GPU-hours, median, at the effective utilisation of published runs.';
COMMENT ON COLUMN training_requirement.gpu_hours_p90 IS 'GPU-hours, 90th percentile.';
COMMENT ON COLUMN training_requirement.state_gb IS 'Weights, gradients and optimiser state of all parameters in GB.';
COMMENT ON COLUMN training_requirement.gpu_memory_gb IS 'Memory of one GPU that was counted on, in GB.';
COMMENT ON COLUMN training_requirement.min_gpus IS 'Fewest GPUs that hold the training state.';
COMMENT ON COLUMN training_requirement.gpus_for_deadline IS 'Fewest GPUs that end within the default deadline, memory aside.';
COMMENT ON COLUMN training_requirement.gpus_per_node IS 'GPUs in the usual node.';
COMMENT ON COLUMN training_requirement.gpus IS 'Cluster that the hours and days are for, in whole nodes.';
COMMENT ON COLUMN training_requirement.wall_days IS 'Days at the median hours on that cluster.';
COMMENT ON COLUMN training_requirement.basis IS 'Where the utilisation is from, in one line.';
