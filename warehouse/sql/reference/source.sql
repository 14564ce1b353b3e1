CREATE OR REPLACE TABLE ref.source (
    provider VARCHAR,
    title VARCHAR,
    homepage VARCHAR,
    kind VARCHAR,
    access VARCHAR,
    every_hours DOUBLE,
    warn_hours DOUBLE,
    fail_hours DOUBLE,
    secret VARCHAR,
    ready BOOLEAN,
    unit_note VARCHAR,
    traps VARCHAR
);
INSERT INTO ref.source BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE ref.source IS 'The sources that this ledger looks at, with cadence and the age at which each is late or stale.';
COMMENT ON COLUMN ref.source.provider IS 'Name of the source, snake case.';
COMMENT ON COLUMN ref.source.title IS 'Name as people know it.';
COMMENT ON COLUMN ref.source.homepage IS 'Address for people.';
COMMENT ON COLUMN ref.source.kind IS 'hyperscaler, gpu_cloud, marketplace, serverless, aggregator or currency.';
COMMENT ON COLUMN ref.source.access IS 'How prices are had: api, page or catalogue.';
COMMENT ON COLUMN ref.source.every_hours IS 'Hours between two looks.';
COMMENT ON COLUMN ref.source.warn_hours IS 'Age in hours of the last good look from which the source is late.';
COMMENT ON COLUMN ref.source.fail_hours IS 'Age in hours of the last good look from which the source is stale.';
COMMENT ON COLUMN ref.source.secret IS 'Environment variable that must hold a key; empty where none is needed.';
COMMENT ON COLUMN ref.source.ready IS 'Whether the key was there, or none is needed.';
COMMENT ON COLUMN ref.source.unit_note IS 'What one printed price covers.';
COMMENT ON COLUMN ref.source.traps IS 'What is easily misread at this source.';
