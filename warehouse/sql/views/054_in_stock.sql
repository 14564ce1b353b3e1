CREATE OR REPLACE MACRO core.in_stock(available, quantity, gpu_count, gpus) AS
    CASE WHEN available = false OR quantity * gpu_count < gpus THEN false
         WHEN available OR quantity IS NOT NULL THEN true END;
COMMENT ON MACRO core.in_stock IS 'Whether so many GPUs were free at the last look, by what the site says; null where it says nothing.';
