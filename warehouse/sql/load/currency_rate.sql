-- The rate that was published first for a day stands; $rates is a list of Parquet paths.
INSERT INTO ref.currency_rate BY NAME
SELECT currency, rate_date, per_eur, page_sha256 FROM read_parquet($rates, union_by_name = true)
ANTI JOIN ref.currency_rate AS known USING (currency, rate_date)
QUALIFY row_number() OVER (PARTITION BY currency, rate_date ORDER BY observed_at, page_sha256) = 1
ORDER BY currency, rate_date;
