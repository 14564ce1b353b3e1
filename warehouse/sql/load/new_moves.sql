-- The remarkable moves of the looks to load; $moves is a list of Parquet paths.
INSERT INTO new_move BY NAME SELECT * FROM read_parquet($moves, union_by_name = true);
