CREATE OR REPLACE MACRO core.cluster_assumption(fabric, stated, assumed, kind, pricing) AS
    CASE WHEN fabric IS DISTINCT FROM 'multi_node' THEN NULL
         WHEN pricing = 'spot' THEN format('that up to {:,} are free on spot at once (spot_gang_gpus)',
             core.cluster_gpus(fabric, stated, assumed, pricing))
         WHEN stated IS NULL THEN format('a cluster of {:,}, whose size is not stated (cluster_unstated_{})', assumed, kind)
    END;
COMMENT ON MACRO core.cluster_assumption IS 'What is taken for granted where a run joins more GPUs than one instance has, with the name of the constant (ref.constant); null where the provider states it.';
