CREATE OR REPLACE TABLE ref.constant (
    name VARCHAR,
    value DOUBLE,
    low DOUBLE,
    high DOUBLE,
    unit VARCHAR,
    source VARCHAR,
    note VARCHAR
);
INSERT INTO ref.constant BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE ref.constant IS 'Every constant of the cost models with its range, unit and source.';
COMMENT ON COLUMN ref.constant.name IS 'Name of the constant.';
COMMENT ON COLUMN ref.constant.value IS 'Value that is used.';
COMMENT ON COLUMN ref.constant.low IS 'Low end of the range that its source gives; the value itself where it gives none.';
COMMENT ON COLUMN ref.constant.high IS 'High end of that range.';
COMMENT ON COLUMN ref.constant.unit IS 'Unit of the three.';
COMMENT ON COLUMN ref.constant.source IS 'Where it is from.';
COMMENT ON COLUMN ref.constant.note IS 'What to know about it.';
