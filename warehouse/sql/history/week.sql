-- The price of each offer at the end of each day of a week, the days side by side: grouped by offer alone, and a day
-- that says nothing of an offer has the price of the day before. 0: gone. Days are counted from 1970 in UTC.
CREATE OR REPLACE TEMP TABLE week AS
WITH said AS (
    SELECT hash(offer_key) AS offer, CASE WHEN listed THEN usd_per_gpu_hour ELSE 0 END AS usd,
        epoch_us(observed_at) // 86400000000 - $first AS day,
        CAST(epoch_ms(observed_at) - CAST($first AS BIGINT) * 86400000 AS INTEGER) AS moment  -- ms of the week
    FROM core.observation
    WHERE observed_at >= to_timestamp($first * 86400) AND observed_at < to_timestamp(($first + 7) * 86400)
), closing AS (
    SELECT offer,
        arg_max(usd, moment) FILTER (day = 0) AS day_0,
        arg_max(usd, moment) FILTER (day = 1) AS day_1,
        arg_max(usd, moment) FILTER (day = 2) AS day_2,
        arg_max(usd, moment) FILTER (day = 3) AS day_3,
        arg_max(usd, moment) FILTER (day = 4) AS day_4,
        arg_max(usd, moment) FILTER (day = 5) AS day_5,
        arg_max(usd, moment) FILTER (day = 6) AS day_6
    FROM said GROUP BY offer
)
SELECT offer,
    coalesce(closing.day_0, usd_per_gpu_hour) AS day_0,
    coalesce(day_1, day_0, usd_per_gpu_hour) AS day_1,
    coalesce(day_2, day_1, day_0, usd_per_gpu_hour) AS day_2,
    coalesce(day_3, day_2, day_1, day_0, usd_per_gpu_hour) AS day_3,
    coalesce(day_4, day_3, day_2, day_1, day_0, usd_per_gpu_hour) AS day_4,
    coalesce(day_5, day_4, day_3, day_2, day_1, day_0, usd_per_gpu_hour) AS day_5,
    coalesce(day_6, day_5, day_4, day_3, day_2, day_1, day_0, usd_per_gpu_hour) AS day_6
FROM closing FULL JOIN standing USING (offer);
