CREATE OR REPLACE VIEW rejected AS SELECT * EXCLUDE (reject_key) FROM core.rejected;
COMMENT ON VIEW rejected IS 'Quarantine: each distinct row that was not accepted as a price, with the reason and when it was first seen.';
