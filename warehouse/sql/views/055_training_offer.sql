CREATE OR REPLACE VIEW core.training_offer AS
SELECT price_now.*,
    concat_ws(' ', gpu, 'x', CAST(gpu_count AS BIGINT), coalesce(fabric, 'fabric not said'), 'up to', cluster_gpus,
        'from', minimum_gpus) AS instance
FROM price_now JOIN ref.gpu USING (gpu)
WHERE trains AND gpu_count >= 1 AND gpu_count = floor(gpu_count) AND pricing <> 'serverless'
    AND coalesce(price_now.form_factor, '') NOT IN ('MIG', 'vGPU');
COMMENT ON VIEW core.training_offer IS 'Current offers of whole cards that LLMs are trained on, by the hour or by commitment; slices and serverless are other products.';
COMMENT ON COLUMN core.training_offer.instance IS 'All that a plan depends on: GPU, GPUs, fabric, largest cluster, smallest purchase.';
