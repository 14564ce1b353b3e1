-- The last price of each offer on each day that said something of it, from $first to before $past, and what stood
-- before; each holds until the next. A price of 0: gone. Days are counted from 1970 in UTC.
CREATE OR REPLACE TEMP TABLE span AS
SELECT offer, day, usd_per_gpu_hour, lead(day, 1, $past) OVER (PARTITION BY offer ORDER BY day) AS next_day
FROM (
    SELECT hash(offer_key) AS offer, epoch_us(observed_at) // 86400000000 AS day,
        arg_max(CASE WHEN listed THEN usd_per_gpu_hour ELSE 0 END, observed_at) AS usd_per_gpu_hour
    FROM core.observation
    WHERE observed_at >= to_timestamp($first * 86400) AND observed_at < to_timestamp($past * 86400)
    GROUP BY ALL
    UNION ALL
    FROM standing
);
