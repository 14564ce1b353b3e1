CREATE OR REPLACE TABLE ref.llm AS SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE ref.llm IS 'Language models whose training is priced: size classes and published models, with parameters, tokens and shape.';
