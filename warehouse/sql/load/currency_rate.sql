INSERT INTO ref.currency_rate BY NAME
SELECT currency, rate_date, per_eur, page_sha256 FROM read_parquet($rates)
ANTI JOIN ref.currency_rate AS known USING (currency, rate_date)
QUALIFY row_number() OVER (PARTITION BY currency, rate_date ORDER BY observed_at) = 1
ORDER BY currency, rate_date;
