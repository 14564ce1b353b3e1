CREATE OR REPLACE TABLE ref.spot_gang (
    nodes BIGINT,
    interruptions_per_hour DOUBLE,
    goodput DOUBLE,
    calendar DOUBLE
);
INSERT INTO ref.spot_gang BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE ref.spot_gang IS 'What interruptions do to a run on spot: one node that is reclaimed stops all of them.';
COMMENT ON COLUMN ref.spot_gang.nodes IS 'Nodes of the run; of a size between two rows the larger counts.';
COMMENT ON COLUMN ref.spot_gang.interruptions_per_hour IS 'Of the whole gang, each node being reclaimed as often as is usual (ref.constant, spot_monthly_interruption).';
COMMENT ON COLUMN ref.spot_gang.goodput IS 'Share of the paid time that moves the run on, at the best interval between saves.';
COMMENT ON COLUMN ref.spot_gang.calendar IS 'Factor on the days by waiting for capacity after each interruption.';
