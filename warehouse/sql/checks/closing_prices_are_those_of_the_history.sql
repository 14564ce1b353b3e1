-- What each offer last said on a day is laid by each load; one that was kept from it would leave the history wrong.
WITH laid AS (
    UNPIVOT core.closing_week ON COLUMNS('said_\d') INTO NAME said VALUE usd
), last AS (
    SELECT provider, offer_key, epoch_us(observed_at) // 86400000000 AS day,
        CASE WHEN listed THEN usd_per_gpu_hour ELSE 0 END AS usd
    FROM core.observation
    QUALIFY observed_at = max(observed_at) OVER (PARTITION BY offer_key, day)
)
SELECT coalesce(laid.provider, last.provider) AS provider, coalesce(laid.offer_key, last.offer_key) AS offer_key, day,
    laid.usd AS laid, last.usd AS in_the_history
FROM laid FULL JOIN last
    ON laid.offer_key = last.offer_key AND laid.week * 7 + CAST(right(said, 1) AS INTEGER) = day
WHERE laid.usd IS DISTINCT FROM last.usd;
