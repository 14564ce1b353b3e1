CREATE OR REPLACE MACRO core.training_offer_asof(moment) AS TABLE
WITH sized AS (
    -- where a fast network is stated and no size, the size of clusters that its kind of provider is known to have
    SELECT price.* REPLACE (core.cluster_gpus(fabric, cluster_gpus, assumed.gpus, pricing) AS cluster_gpus),
        core.cluster_assumption(fabric, cluster_gpus, assumed.gpus, assumed.kind, pricing) AS cluster_assumption
    FROM core.standing_price(moment) AS price LEFT JOIN ref.source AS source USING (provider)
    JOIN core.assumed_cluster AS assumed
        ON assumed.kind = CASE WHEN source.kind IN ('hyperscaler', 'gpu_cloud') THEN source.kind ELSE 'other' END
)
SELECT sized.*,
    core.instance_kind(gpu, gpu_count, fabric, cluster_gpus, minimum_gpus, pricing) AS instance,
    greatest(observed_at, least(utc_moment(moment), now())) AS since,
    core.lease_of(provider, pricing, minimum_hours, core.offered_days(offered_until, since)) AS lease
FROM sized JOIN ref.gpu USING (gpu)
WHERE trains AND gpu_count >= 1 AND gpu_count = floor(gpu_count) AND pricing <> 'serverless'
    AND coalesce(sized.form_factor, '') NOT IN ('MIG', 'vGPU') AND core.to_be_had(tier);
COMMENT ON MACRO TABLE core.training_offer_asof IS 'core.training_offer as it was at a moment.';
