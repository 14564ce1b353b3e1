CREATE TABLE core.definition (
    name VARCHAR PRIMARY KEY,
    digest VARCHAR NOT NULL
);
COMMENT ON TABLE core.definition IS 'Reference tables and views as last laid, so that a refresh leaves alone what is still the same.';
COMMENT ON COLUMN core.definition.name IS 'File under warehouse/sql, without the ending.';
COMMENT ON COLUMN core.definition.digest IS 'Hash of that file and of the rows it was given.';
COMMENT ON TABLE core.migration IS 'The migrations that this ledger has seen.';
COMMENT ON COLUMN core.migration.version IS 'Number of the migration.';
COMMENT ON COLUMN core.migration.name IS 'Its file.';
