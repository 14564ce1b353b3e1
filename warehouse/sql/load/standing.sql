-- all looks, also of a machine whose clock is ahead of the reader's
TRUNCATE core.standing;
INSERT INTO core.standing SELECT * REPLACE (NULL AS age_hours) FROM core.standing_price('9999-12-31');
