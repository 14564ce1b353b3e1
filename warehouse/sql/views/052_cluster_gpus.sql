CREATE OR REPLACE MACRO core.cluster_gpus(fabric, stated, assumed, pricing) AS
    -- a stated size says how many are wired, not how many nobody else has rented
    CASE WHEN fabric IS DISTINCT FROM 'multi_node' THEN stated
         WHEN pricing = 'spot' THEN
             least(coalesce(stated, assumed), (SELECT CAST(value AS BIGINT) FROM ref.constant WHERE name = 'spot_gang_gpus'))
         ELSE coalesce(stated, assumed) END;
COMMENT ON MACRO core.cluster_gpus IS 'GPUs that one run can join: as stated, else what its kind of provider is known to have; on spot at most the gang that is known to be had.';
