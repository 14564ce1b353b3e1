CREATE OR REPLACE VIEW training_plan AS
WITH limits AS (
    SELECT
        max(value) FILTER (name = 'largest_cluster_gpus') AS largest_cluster_gpus,
        max(value) FILTER (name = 'longest_run_days') AS longest_run_days,
        max(value) FILTER (name = 'scale_loss_per_doubling') AS loss_per_doubling,
        max(value) FILTER (name = 'scale_loss_from_gpus_effective') AS loss_from_gpus,
        max(value) FILTER (name = 'scale_efficiency_floor') AS efficiency_floor
    FROM ref.constant
), kind AS (
    SELECT DISTINCT instance, gpu, gpu_count, fabric, cluster_gpus, minimum_gpus, pricing = 'spot' AS on_spot
    FROM core.market
), joined AS (
    SELECT kind.*, limits.*,
        CASE WHEN fabric = 'multi_node'
             THEN greatest(gpu_count, floor(coalesce(cluster_gpus, largest_cluster_gpus) / gpu_count) * gpu_count)
             ELSE gpu_count END AS joinable_gpus
    FROM kind CROSS JOIN limits
), sized AS (
    SELECT joined.*, need.* EXCLUDE (gpu),
        greatest(need.min_gpus, least(need.gpus_for_deadline, largest_cluster_gpus), coalesce(minimum_gpus, 1))
            AS needed_gpus,
        -- beyond one instance a joined cluster comes in whole nodes, also where the price is given for one card
        CASE WHEN needed_gpus <= gpu_count OR fabric IS DISTINCT FROM 'multi_node' THEN gpu_count
             ELSE ceil(need.gpus_per_node / gpu_count) * gpu_count END AS block_gpus
    FROM joined JOIN (
        SELECT gpu, llm, kind AS llm_kind, min_gpus, gpus_for_deadline, gpus_per_node,
            gpu_hours_p10, gpu_hours_p50, gpu_hours_p90, scale_efficiency AS required_efficiency, basis
        FROM training_requirement
    ) AS need USING (gpu)
), planned AS (
    SELECT *,
        CAST(least(ceil(needed_gpus / block_gpus) * block_gpus, joinable_gpus) AS BIGINT) AS gpus,
        CASE WHEN on_spot THEN CAST(ceil(gpus / gpus_per_node) AS BIGINT) END AS spot_nodes
    FROM sized
), scaled AS (
    -- the hours of the requirement hold the loss of its own cluster; a smaller one, or a single node, loses less
    SELECT * REPLACE (
            gpu_hours_p10 * required_efficiency / scale_efficiency AS gpu_hours_p10,
            gpu_hours_p50 * required_efficiency / scale_efficiency AS gpu_hours_p50,
            gpu_hours_p90 * required_efficiency / scale_efficiency AS gpu_hours_p90
        )
    FROM (
        SELECT *, greatest(efficiency_floor, 1 - loss_per_doubling * greatest(0, log2(gpus / loss_from_gpus)))
            AS scale_efficiency
        FROM planned
    )
), interrupted AS (
    -- one node that is taken back stops the whole gang; the next larger gang of the table counts
    SELECT scaled.*, coalesce(gang.goodput, 1) AS goodput, coalesce(gang.calendar, 1) AS calendar
    FROM scaled ASOF LEFT JOIN ref.spot_gang AS gang ON scaled.spot_nodes <= gang.nodes
), timed AS (
    SELECT * REPLACE (
            gpu_hours_p10 / goodput AS gpu_hours_p10,
            gpu_hours_p50 / goodput AS gpu_hours_p50,
            gpu_hours_p90 / goodput AS gpu_hours_p90
        ), gpu_hours_p50 / goodput / gpus / 24 * calendar AS wall_days
    FROM interrupted
), judged AS (
    SELECT *, CASE
        WHEN min_gpus > joinable_gpus AND fabric = 'multi_node' THEN format(
            'memory needs {}; the largest cluster here has {:,}', core.counted(min_gpus, 'GPU'), CAST(joinable_gpus AS BIGINT))
        WHEN min_gpus > joinable_gpus AND fabric = 'single_node' THEN format(
            'memory needs {}; this is a single node of {:,}', core.counted(min_gpus, 'GPU'), CAST(gpu_count AS BIGINT))
        WHEN min_gpus > joinable_gpus THEN format(
            'memory needs {}; no fast network between nodes of {:,} is stated', core.counted(min_gpus, 'GPU'),
            CAST(gpu_count AS BIGINT))
        WHEN wall_days > longest_run_days AND fabric = 'multi_node' THEN format(
            'takes {} on the {} of the largest cluster', core.counted(round(wall_days), 'day'), core.counted(gpus, 'GPU'))
        WHEN wall_days > longest_run_days THEN format(
            'takes {} on one node of {}', core.counted(round(wall_days), 'day'), core.counted(gpus, 'GPU'))
    END AS why_not
    FROM timed
)
SELECT
    llm, llm_kind, instance, gpu, why_not IS NULL AS feasible, why_not, gpus, wall_days,
    gpu_hours_p10, gpu_hours_p50, gpu_hours_p90, scale_efficiency, goodput, basis
FROM judged;
COMMENT ON VIEW training_plan IS 'How each LLM would be trained on each kind of instance on offer now or before, whatever its price: GPUs, days, or why not.';
COMMENT ON COLUMN training_plan.llm IS 'Size class (1B to 1T) or named model, as in ref.llm.';
COMMENT ON COLUMN training_plan.llm_kind IS 'size_class or named.';
COMMENT ON COLUMN training_plan.instance IS 'Kind of instance: GPU, GPUs, fabric, largest cluster, smallest purchase, spot or not.';
COMMENT ON COLUMN training_plan.gpu IS 'Canonical GPU (ref.gpu). Of a family, where the form is not said, the least of its cards counts.';
COMMENT ON COLUMN training_plan.feasible IS 'The state fits into GPUs that can be joined, and the run ends within the longest run (ref.constant). Stock is not asked.';
COMMENT ON COLUMN training_plan.why_not IS 'Why it is not feasible; null where it is.';
COMMENT ON COLUMN training_plan.gpus IS 'GPUs of the plan, in whole instances: enough for memory and for the deadline, as far as they can be joined; what interruptions cost on spot comes on top.';
COMMENT ON COLUMN training_plan.wall_days IS 'Days at the median hours on those GPUs.';
COMMENT ON COLUMN training_plan.gpu_hours_p10 IS 'GPU-hours that are paid, 10th percentile.';
COMMENT ON COLUMN training_plan.gpu_hours_p50 IS 'GPU-hours that are paid, median; on spot with those that interruptions lose.';
COMMENT ON COLUMN training_plan.gpu_hours_p90 IS 'GPU-hours that are paid, 90th percentile.';
COMMENT ON COLUMN training_plan.scale_efficiency IS 'Part of the utilisation that the size of the cluster leaves: 1 up to 1,024 GPUs, and so on one node.';
COMMENT ON COLUMN training_plan.goodput IS 'Share of the paid time that moves the run on: 1, on spot less what interruptions of the gang lose.';
COMMENT ON COLUMN training_plan.basis IS 'Where the utilisation behind the hours is from, in one line.';
