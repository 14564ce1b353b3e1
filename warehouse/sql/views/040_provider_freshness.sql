CREATE OR REPLACE VIEW provider_freshness AS
WITH looked AS (
    SELECT
        provider,
        max(observed_at) AS last_looked_at,
        max(observed_at) FILTER (status <> 'failed') AS last_good_at,
        max(observed_at) FILTER (status = 'ok') AS last_whole_at,
        arg_max(status, observed_at) AS last_status,
        arg_max(origin, observed_at) AS last_origin,
        arg_max(code, observed_at) AS code,
        arg_max(reason, observed_at) AS reason,
        arg_max(rejected, observed_at) FILTER (status <> 'failed' OR rejected > 0) AS rejected
    FROM core.scrape GROUP BY provider
), standing AS (
    SELECT provider, count(*) AS offers, min(observed_at) AS oldest_offer_at
    FROM (SELECT provider, observed_at FROM price_now UNION ALL SELECT witness AS provider, NULL FROM ref.witness)
    GROUP BY provider
), source AS (
    SELECT provider, kind, fail_hours, warn_hours, ready, secret, false AS removed FROM ref.source
    UNION ALL BY NAME SELECT provider, true AS removed FROM core.removed_source
), rates AS (
    SELECT count(*) AS offers FROM ref.currency_rate
)
SELECT
    source.provider,
    source.kind,
    looked.last_looked_at,
    looked.last_good_at,
    epoch(now() - looked.last_good_at) / 3600 AS age_hours,
    source.fail_hours AS allowed_hours,
    standing.oldest_offer_at,
    CASE
        WHEN source.removed THEN 'removed'
        WHEN looked.last_looked_at IS NULL THEN CASE WHEN source.ready THEN 'never looked at' ELSE 'needs a key' END
        WHEN looked.last_status = 'failed' AND looked.last_good_at IS NULL THEN 'failed'
        -- a clock was wrong; such a look is left out of the next load
        WHEN looked.last_looked_at > now() + INTERVAL 5 MINUTE THEN 'stale'
        WHEN looked.last_origin = 'recorded' THEN 'recorded'
        WHEN epoch(now() - looked.last_good_at) / 3600 > source.fail_hours THEN 'stale'
        WHEN looked.last_status = 'failed' THEN 'failed'
        WHEN looked.last_status = 'partial' THEN 'partial'
        WHEN epoch(now() - looked.last_good_at) / 3600 > source.warn_hours THEN 'late'
        ELSE 'fresh'
    END AS status,
    CASE WHEN source.kind = 'currency' THEN rates.offers ELSE coalesce(standing.offers, 0) END AS offers,
    coalesce(looked.rejected, 0) AS rejected,
    coalesce(looked.code, '') AS code,
    CASE WHEN source.removed THEN 'no source of this name any more: nobody looks at it, its offers stand as they were last read'
         WHEN looked.last_looked_at IS NULL AND NOT source.ready THEN 'set ' || source.secret || ' to look at it'
         WHEN looked.last_looked_at > now() + INTERVAL 5 MINUTE THEN 'its last look is dated in the future: set the clock '
            || 'of this machine right and run `gpuledger refresh`'
         WHEN looked.last_origin = 'recorded' AND NOT source.ready
            THEN concat_ws('; ', nullif(looked.reason, ''), 'set ' || source.secret || ' to look at it live')
         ELSE coalesce(looked.reason, '') END AS reason
FROM source CROSS JOIN rates
LEFT JOIN looked USING (provider) LEFT JOIN standing USING (provider)
ORDER BY source.provider;
COMMENT ON VIEW provider_freshness IS 'One row a source, also of one that was removed while its offers stand: when it was last looked at, how old its last good look is, and what is wrong.';
COMMENT ON COLUMN provider_freshness.provider IS 'Source name.';
COMMENT ON COLUMN provider_freshness.kind IS 'hyperscaler, gpu_cloud, marketplace, serverless, aggregator or currency; null of a removed one.';
COMMENT ON COLUMN provider_freshness.last_looked_at IS 'Last look, also a failed one, UTC.';
COMMENT ON COLUMN provider_freshness.last_good_at IS 'Last look that read at least a part of the list, UTC.';
COMMENT ON COLUMN provider_freshness.age_hours IS 'Hours since last_good_at.';
COMMENT ON COLUMN provider_freshness.allowed_hours IS 'Age at which the source is stale: three times its cadence.';
COMMENT ON COLUMN provider_freshness.oldest_offer_at IS 'When the offer that was not seen for longest was last seen, UTC: parts of a list may be older than the last look. Null without offers.';
COMMENT ON COLUMN provider_freshness.status IS 'fresh, late, stale, partial, failed, recorded, needs a key, never looked at, or removed: it is no source any more.';
COMMENT ON COLUMN provider_freshness.offers IS 'Offers standing; for a currency source, rates held; for an aggregator, prices of others that it tells.';
COMMENT ON COLUMN provider_freshness.rejected IS 'Rows put into quarantine at the last look that read any.';
COMMENT ON COLUMN provider_freshness.code IS 'Named error of the last look (layout_changed, unreachable, ...), as docs/operations.md lists them; empty when nothing.';
COMMENT ON COLUMN provider_freshness.reason IS 'What went wrong at the last look, or what to do; empty when nothing.';
