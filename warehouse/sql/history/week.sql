-- The price of each offer at the end of each of seven days on which something was read, the days side by side: grouped
-- by offer alone, and a day that says nothing of an offer has the price of the day before, in the week before at first.
-- 0: gone. Days are counted from 1970 in UTC.
CREATE OR REPLACE TEMP TABLE week AS
WITH said AS (
    SELECT offer_key, observed_at, epoch_us(observed_at) // 86400000000 AS day,
        CASE WHEN listed THEN usd_per_gpu_hour ELSE 0::DECIMAL(18, 8) END AS usd
    FROM core.observation
    WHERE observed_at >= to_timestamp($days[1] * 86400) AND observed_at < to_timestamp(($days[7] + 1) * 86400)
), closing AS (
    SELECT hash(offer_key) AS offer,
        arg_max(usd, observed_at) FILTER (day = $days[1]) AS day_1,
        arg_max(usd, observed_at) FILTER (day = $days[2]) AS day_2,
        arg_max(usd, observed_at) FILTER (day = $days[3]) AS day_3,
        arg_max(usd, observed_at) FILTER (day = $days[4]) AS day_4,
        arg_max(usd, observed_at) FILTER (day = $days[5]) AS day_5,
        arg_max(usd, observed_at) FILTER (day = $days[6]) AS day_6,
        arg_max(usd, observed_at) FILTER (day = $days[7]) AS day_7
    FROM said GROUP BY offer_key  -- a text by its dictionary, which is faster than any number
)
SELECT offer,
    coalesce(closing.day_1, week.day_7) AS day_1,
    coalesce(closing.day_2, closing.day_1, week.day_7) AS day_2,
    coalesce(closing.day_3, closing.day_2, closing.day_1, week.day_7) AS day_3,
    coalesce(closing.day_4, closing.day_3, closing.day_2, closing.day_1, week.day_7) AS day_4,
    coalesce(closing.day_5, closing.day_4, closing.day_3, closing.day_2, closing.day_1, week.day_7) AS day_5,
    coalesce(closing.day_6, closing.day_5, closing.day_4, closing.day_3, closing.day_2, closing.day_1, week.day_7) AS day_6,
    coalesce(closing.day_7, closing.day_6, closing.day_5, closing.day_4, closing.day_3, closing.day_2, closing.day_1,
        week.day_7) AS day_7
FROM closing FULL JOIN week USING (offer);
