-- What each offer is, by its last row: its kind of instance does not change, and what was learnt of it later holds.
-- Only whole cards that LLMs are trained on, as in core.training_offer.
CREATE OR REPLACE TEMP TABLE past_offer AS
WITH last AS MATERIALIZED (
    SELECT hash(offer_key) AS offer, arg_max(rowid, observed_at) AS last_row FROM core.observation GROUP BY offer_key
), found AS MATERIALIZED (  -- before anything is joined to it: one row an offer, out of all that it ever said
    SELECT offer, observation.* FROM core.observation JOIN last ON observation.rowid = last.last_row
), sized AS (
    SELECT found.* REPLACE (core.cluster_gpus(fabric, cluster_gpus, assumed.gpus, pricing) AS cluster_gpus),
        CAST(CASE WHEN upfront > 0 AND pricing NOT IN ('reserved', 'savings_plan', 'capacity_block')
             THEN upfront * fx_rate END AS DOUBLE) AS setup_usd
    FROM found LEFT JOIN ref.source AS source USING (provider)
    JOIN core.assumed_cluster AS assumed
        ON assumed.kind = CASE WHEN source.kind IN ('hyperscaler', 'gpu_cloud') THEN source.kind ELSE 'other' END
)
SELECT offer, provider, pricing, term_months, gpu, gpu_count, fabric, cluster_gpus, minimum_gpus, setup_usd, minimum_hours,
    offered_until, core.instance_kind(gpu, gpu_count, fabric, cluster_gpus, minimum_gpus, pricing) AS instance,
    dense_rank() OVER (ORDER BY provider, pricing, term_months, instance, setup_usd, minimum_hours, offered_until) AS market
FROM sized
WHERE gpu IN (SELECT gpu FROM ref.gpu WHERE trains) AND gpu_count >= 1 AND gpu_count = floor(gpu_count)
    AND pricing <> 'serverless' AND coalesce(form_factor, '') NOT IN ('MIG', 'vGPU') AND core.to_be_had(tier);

-- Before the first week none of them has a price.
CREATE OR REPLACE TEMP TABLE closing AS SELECT offer, market, CAST(NULL AS DECIMAL(18, 8)) AS usd FROM past_offer;
CREATE OR REPLACE TEMP TABLE market_day (market BIGINT, day BIGINT, usd_per_gpu_hour DECIMAL(18, 8));
