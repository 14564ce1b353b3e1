-- Aggregated before it is multiplied by anything: one price a market and day. Most offers of a busy market say
-- something every day, so only the others are spread over the days that they stood unchanged.
INSERT INTO market_day
SELECT market, day, min(usd_per_gpu_hour)
FROM (
    SELECT market, day, usd_per_gpu_hour FROM span JOIN past_offer USING (offer)
    WHERE usd_per_gpu_hour > 0 AND day >= $first
    UNION ALL
    SELECT market, unnest(range(day + 1, next_day)) AS day, usd_per_gpu_hour FROM span JOIN past_offer USING (offer)
    WHERE usd_per_gpu_hour > 0 AND next_day > day + 1
)
GROUP BY ALL;
