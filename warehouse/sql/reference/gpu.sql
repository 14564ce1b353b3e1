CREATE OR REPLACE TABLE ref.gpu AS SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE ref.gpu IS 'Chips and chip families with dense peaks, memory, bounds of a plausible price, and the source of each row.';
