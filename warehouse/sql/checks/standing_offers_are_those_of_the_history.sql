-- What is on offer is laid by each load; one that was kept from it, or an older program, would leave what is no more.
SELECT coalesce(laid.provider, told.provider) AS provider, offer_key,
    laid.offer_key IS NOT NULL AS laid, told.offer_key IS NOT NULL AS in_the_history
FROM core.standing AS laid FULL JOIN core.standing_price('9999-12-31') AS told USING (offer_key)
WHERE laid.observed_at IS DISTINCT FROM told.observed_at OR laid.usd_per_hour IS DISTINCT FROM told.usd_per_hour;
