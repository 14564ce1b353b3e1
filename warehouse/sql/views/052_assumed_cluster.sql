CREATE OR REPLACE VIEW core.assumed_cluster AS
SELECT name[len('cluster_unstated_') + 1:] AS kind, CAST(value AS BIGINT) AS gpus
FROM ref.constant WHERE starts_with(name, 'cluster_unstated_');
COMMENT ON VIEW core.assumed_cluster IS 'GPUs of a joined cluster that a kind of provider is known to have, for offers that state a fast network and no size.';
COMMENT ON COLUMN core.assumed_cluster.kind IS 'hyperscaler, gpu_cloud or other.';
COMMENT ON COLUMN core.assumed_cluster.gpus IS 'GPUs (ref.constant, cluster_unstated_...).';
