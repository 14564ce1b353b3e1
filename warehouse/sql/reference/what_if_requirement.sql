CREATE OR REPLACE TABLE what_if_requirement (
    llm VARCHAR,
    gpu VARCHAR,
    variant VARCHAR,
    gpu_hours_low DOUBLE,
    gpu_hours_mid DOUBLE,
    gpu_hours_high DOUBLE,
    hours_ratio DOUBLE,
    min_gpus BIGINT,
    note VARCHAR
);
INSERT INTO what_if_requirement BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE what_if_requirement IS 'Each size class told otherwise on each GPU that trains: in FP8 and FP4, as a mixture of experts, distilled. No price.';
COMMENT ON COLUMN what_if_requirement.llm IS 'Size class, as in ref.llm.';
COMMENT ON COLUMN what_if_requirement.gpu IS 'Chip or group of chips, as in ref.gpu.';
COMMENT ON COLUMN what_if_requirement.variant IS 'as it is, in FP8, in FP4, as a mixture (the active share of DeepSeek-V3), distilled (a student of the next smaller size class).';
COMMENT ON COLUMN what_if_requirement.gpu_hours_low IS 'GPU-hours, 10th percentile.';
COMMENT ON COLUMN what_if_requirement.gpu_hours_mid IS 'GPU-hours, median.';
COMMENT ON COLUMN what_if_requirement.gpu_hours_high IS 'GPU-hours, 90th percentile.';
COMMENT ON COLUMN what_if_requirement.hours_ratio IS 'Median hours over those of the model as it is, both on the cluster of that.';
COMMENT ON COLUMN what_if_requirement.min_gpus IS 'GPUs that hold the training state.';
COMMENT ON COLUMN what_if_requirement.note IS 'What makes the difference, in one line.';
