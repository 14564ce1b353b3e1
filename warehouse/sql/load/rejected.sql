-- Each distinct row once, as first seen; $rejected is a list of Parquet paths.
INSERT INTO core.rejected BY NAME
SELECT * FROM read_parquet($rejected, union_by_name = true)
ANTI JOIN core.rejected AS known USING (reject_key)
QUALIFY row_number() OVER (PARTITION BY reject_key ORDER BY observed_at, detail, page_sha256) = 1
ORDER BY provider, observed_at, reject_key;
