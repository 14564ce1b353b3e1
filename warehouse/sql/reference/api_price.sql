CREATE OR REPLACE TABLE api_price (
    llm VARCHAR,
    api_provider VARCHAR,
    api_model VARCHAR,
    input_usd_per_million DOUBLE,
    output_usd_per_million DOUBLE,
    pricing_url VARCHAR,
    list_version VARCHAR
);
INSERT INTO api_price BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE api_price IS 'What model APIs charge for tokens of the open models of ref.llm, as listed by the package genai-prices.';
COMMENT ON COLUMN api_price.llm IS 'Model, as in ref.llm.';
COMMENT ON COLUMN api_price.api_provider IS 'Who serves it.';
COMMENT ON COLUMN api_price.api_model IS 'Name of the model there; variants of the same weights stand on their own.';
COMMENT ON COLUMN api_price.input_usd_per_million IS 'USD per million input tokens.';
COMMENT ON COLUMN api_price.output_usd_per_million IS 'USD per million output tokens.';
COMMENT ON COLUMN api_price.pricing_url IS 'Price page that the list names.';
COMMENT ON COLUMN api_price.list_version IS 'Version of the list.';
