INSERT INTO core.rejected BY NAME
SELECT * FROM read_parquet($rejected)
ANTI JOIN core.rejected AS known USING (reject_key)
QUALIFY row_number() OVER (PARTITION BY reject_key ORDER BY observed_at) = 1
ORDER BY provider, observed_at, reject_key;
