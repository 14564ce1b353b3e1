-- Empty tables for what the looks to load came to.
CREATE OR REPLACE TEMP TABLE new_offer AS SELECT * EXCLUDE (listed) FROM core.observation LIMIT 0;
CREATE OR REPLACE TEMP TABLE new_move AS SELECT * FROM core.move LIMIT 0;
