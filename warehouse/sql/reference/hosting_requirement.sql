CREATE OR REPLACE TABLE hosting_requirement (
    llm VARCHAR,
    llm_kind VARCHAR,
    gpu VARCHAR,
    precision VARCHAR,
    batch BIGINT,
    context BIGINT,
    weights_gb DOUBLE,
    kv_gb DOUBLE,
    gpus BIGINT,
    decode_tokens_per_second DOUBLE,
    decode_bound VARCHAR,
    prefill_tokens_per_second DOUBLE
);
INSERT INTO hosting_requirement BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE hosting_requirement IS 'What serving each LLM on each GPU takes: GPUs and speed of one replica. No price.';
COMMENT ON COLUMN hosting_requirement.llm IS 'Size class (1B to 1T) or named model, as in ref.llm; those whose KV heads are known.';
COMMENT ON COLUMN hosting_requirement.llm_kind IS 'size_class or named.';
COMMENT ON COLUMN hosting_requirement.gpu IS 'Chip or group of chips, as in ref.gpu.';
COMMENT ON COLUMN hosting_requirement.precision IS 'Precision of the weights; a chip that cannot compute in it computes in 16 bits.';
COMMENT ON COLUMN hosting_requirement.batch IS 'Sequences decoded at once.';
COMMENT ON COLUMN hosting_requirement.context IS 'Tokens of context kept for each.';
COMMENT ON COLUMN hosting_requirement.weights_gb IS 'Weights in GB.';
COMMENT ON COLUMN hosting_requirement.kv_gb IS 'KV cache of the whole batch in GB.';
COMMENT ON COLUMN hosting_requirement.gpus IS 'GPUs of one replica: 1, 2, 4, 8 or whole nodes.';
COMMENT ON COLUMN hosting_requirement.decode_tokens_per_second IS 'Output tokens a second of the whole batch.';
COMMENT ON COLUMN hosting_requirement.decode_bound IS 'What limits decoding: bandwidth or compute.';
COMMENT ON COLUMN hosting_requirement.prefill_tokens_per_second IS 'Input tokens a second.';
