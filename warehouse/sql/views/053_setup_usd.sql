CREATE OR REPLACE MACRO core.setup_usd(fee, gpu_count, gpus) AS
    CAST(coalesce(fee, 0) * ceil(gpus / gpu_count) AS DOUBLE);
COMMENT ON MACRO core.setup_usd IS 'The one-off fees of so many GPUs in whole instances, in USD; 0 where there is no fee.';
