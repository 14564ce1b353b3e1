CREATE OR REPLACE TABLE ref.constant AS SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE ref.constant IS 'Every constant of the cost engine with its range, unit and source.';
