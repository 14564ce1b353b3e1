CREATE OR REPLACE TABLE fine_tuning_requirement (
    llm VARCHAR,
    llm_kind VARCHAR,
    method VARCHAR,
    gpu VARCHAR,
    tokens BIGINT,
    flop DOUBLE,
    gpu_hours_low DOUBLE,
    gpu_hours_mid DOUBLE,
    gpu_hours_high DOUBLE,
    setup_hours DOUBLE,
    state_gb DOUBLE,
    min_gpus BIGINT,
    gpus BIGINT
);
INSERT INTO fine_tuning_requirement BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE fine_tuning_requirement IS 'What fine-tuning each LLM on each GPU takes for one billion tokens, by method. No price.';
COMMENT ON COLUMN fine_tuning_requirement.llm IS 'Size class (1B to 1T) or named model, as in ref.llm.';
COMMENT ON COLUMN fine_tuning_requirement.llm_kind IS 'size_class or named.';
COMMENT ON COLUMN fine_tuning_requirement.method IS 'full, lora, qlora or dpo.';
COMMENT ON COLUMN fine_tuning_requirement.gpu IS 'Chip or group of chips, as in ref.gpu.';
COMMENT ON COLUMN fine_tuning_requirement.tokens IS 'Tokens of the job, all epochs; computing grows in proportion, the set-up does not.';
COMMENT ON COLUMN fine_tuning_requirement.flop IS 'FLOP of the job: 6 N a token full, 4 N with adapters, 8 N for DPO.';
COMMENT ON COLUMN fine_tuning_requirement.gpu_hours_low IS 'GPU-hours of computing at a high utilisation.';
COMMENT ON COLUMN fine_tuning_requirement.gpu_hours_mid IS 'GPU-hours of computing.';
COMMENT ON COLUMN fine_tuning_requirement.gpu_hours_high IS 'GPU-hours of computing at a low utilisation.';
COMMENT ON COLUMN fine_tuning_requirement.setup_hours IS 'Hours until all GPUs compute, paid on each of them.';
COMMENT ON COLUMN fine_tuning_requirement.state_gb IS 'Weights and what is trained of them in GB.';
COMMENT ON COLUMN fine_tuning_requirement.min_gpus IS 'Fewest GPUs that hold the state.';
COMMENT ON COLUMN fine_tuning_requirement.gpus IS 'GPUs of the job: 1, 2, 4, 8 or whole nodes.';
