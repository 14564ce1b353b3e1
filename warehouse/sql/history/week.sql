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
        arg_max(usd, observed_at) FILTER (day = $days[1]) AS said_1,
        arg_max(usd, observed_at) FILTER (day = $days[2]) AS said_2,
        arg_max(usd, observed_at) FILTER (day = $days[3]) AS said_3,
        arg_max(usd, observed_at) FILTER (day = $days[4]) AS said_4,
        arg_max(usd, observed_at) FILTER (day = $days[5]) AS said_5,
        arg_max(usd, observed_at) FILTER (day = $days[6]) AS said_6,
        arg_max(usd, observed_at) FILTER (day = $days[7]) AS said_7
    FROM said GROUP BY offer_key  -- a text by its dictionary, which is faster than any number
), before AS (
    SELECT offer, market, day_7 AS day_0 FROM week
)
SELECT offer, market,
    coalesce(said_1, day_0) AS day_1,
    coalesce(said_2, day_1) AS day_2,
    coalesce(said_3, day_2) AS day_3,
    coalesce(said_4, day_3) AS day_4,
    coalesce(said_5, day_4) AS day_5,
    coalesce(said_6, day_5) AS day_6,
    coalesce(said_7, day_6) AS day_7
FROM before LEFT JOIN closing USING (offer);
