CREATE OR REPLACE MACRO core.instance_kind(gpu, gpu_count, fabric, cluster_gpus, minimum_gpus, pricing) AS
    concat_ws(' ', gpu, 'x', CAST(gpu_count AS BIGINT), coalesce(fabric, 'fabric not said'), 'up to', cluster_gpus,
        'from', minimum_gpus, CASE WHEN pricing = 'spot' THEN 'on spot' END);
COMMENT ON MACRO core.instance_kind IS 'All that a plan depends on, in one text: GPU, GPUs, fabric, largest cluster, smallest purchase, and whether it can be taken back.';
