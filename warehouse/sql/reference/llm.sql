CREATE OR REPLACE TABLE ref.llm (
    llm VARCHAR,
    kind VARCHAR,
    params_total BIGINT,
    params_active BIGINT,
    tokens BIGINT,
    layers BIGINT,
    width BIGINT,
    attention_width BIGINT,
    seq_len BIGINT,
    architecture VARCHAR,
    source VARCHAR,
    confidence VARCHAR,
    notes VARCHAR,
    kv_heads BIGINT,
    head_size BIGINT,
    kv_source VARCHAR
);
INSERT INTO ref.llm BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE ref.llm IS 'Language models whose training is priced: size classes and published models, with parameters, tokens and shape.';
COMMENT ON COLUMN ref.llm.llm IS 'Size class (1B to 1T) or name of the model.';
COMMENT ON COLUMN ref.llm.kind IS 'size_class or named.';
COMMENT ON COLUMN ref.llm.params_total IS 'All parameters: they set the memory.';
COMMENT ON COLUMN ref.llm.params_active IS 'Parameters that one token passes through: they set the FLOP.';
COMMENT ON COLUMN ref.llm.tokens IS 'Training tokens.';
COMMENT ON COLUMN ref.llm.layers IS 'Layers; null where not known.';
COMMENT ON COLUMN ref.llm.width IS 'Width of the hidden state; null where not known.';
COMMENT ON COLUMN ref.llm.attention_width IS 'Heads x head size, which sets the FLOP of attention; null where it is the width.';
COMMENT ON COLUMN ref.llm.seq_len IS 'Tokens of a sequence during pre-training; null where not known.';
COMMENT ON COLUMN ref.llm.architecture IS 'dense or moe (mixture of experts).';
COMMENT ON COLUMN ref.llm.source IS 'Where parameters and tokens are from.';
COMMENT ON COLUMN ref.llm.confidence IS 'high, medium or low; definition for a size class.';
COMMENT ON COLUMN ref.llm.notes IS 'What to know about the row.';
COMMENT ON COLUMN ref.llm.kv_heads IS 'Heads whose keys and values are cached when it is served; null where not known.';
COMMENT ON COLUMN ref.llm.head_size IS 'Values of one head; latent attention is written as one head that holds as much.';
COMMENT ON COLUMN ref.llm.kv_source IS 'Where heads and their size are from.';
