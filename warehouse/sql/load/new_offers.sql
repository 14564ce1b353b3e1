CREATE OR REPLACE TEMP TABLE new_offer AS SELECT * FROM read_parquet($offers);
