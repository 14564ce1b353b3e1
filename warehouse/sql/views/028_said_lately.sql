CREATE OR REPLACE MACRO core.said_lately(said, age_hours) AS
    CASE WHEN age_hours > 24 * (SELECT value FROM ref.constant WHERE name = 'stock_known_days') THEN NULL ELSE said END;
COMMENT ON MACRO core.said_lately IS 'What a look said of the stock; null where the look is older than that is known for (ref.constant, stock_known_days).';
