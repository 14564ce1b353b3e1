CREATE OR REPLACE MACRO core.whole_instances(wanted, gpu_count, minimum_gpus) AS
    CAST(ceil(greatest(wanted, coalesce(minimum_gpus, 1)) / gpu_count) * gpu_count AS BIGINT);
COMMENT ON MACRO core.whole_instances IS 'GPUs to rent for so many: whole instances, as many as are sold at least.';
