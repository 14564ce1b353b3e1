CREATE OR REPLACE TABLE ref.source AS SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE ref.source IS 'The sources that this ledger looks at, with cadence and the age at which each is late or stale.';
