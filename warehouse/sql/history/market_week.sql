-- Aggregated before it is multiplied by anything: one price a market and day.
INSERT INTO market_day
WITH cheapest AS (
    SELECT market,
        min(day_1) FILTER (day_1 > 0) AS day_1,
        min(day_2) FILTER (day_2 > 0) AS day_2,
        min(day_3) FILTER (day_3 > 0) AS day_3,
        min(day_4) FILTER (day_4 > 0) AS day_4,
        min(day_5) FILTER (day_5 > 0) AS day_5,
        min(day_6) FILTER (day_6 > 0) AS day_6,
        min(day_7) FILTER (day_7 > 0) AS day_7
    FROM week JOIN past_offer USING (offer) GROUP BY market
)
SELECT market, unnest($days) AS day, unnest([day_1, day_2, day_3, day_4, day_5, day_6, day_7]) AS usd_per_gpu_hour
FROM cheapest;
