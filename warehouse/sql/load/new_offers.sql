-- The offers that the looks to load came to; $offers is a list of Parquet paths.
INSERT INTO new_offer BY NAME SELECT * FROM read_parquet($offers, union_by_name = true);
