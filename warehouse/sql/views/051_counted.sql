CREATE OR REPLACE MACRO core.counted(n, noun) AS
    CASE WHEN n = 1 THEN '1 ' || noun ELSE format('{:,} {}s', CAST(n AS BIGINT), noun) END;
COMMENT ON MACRO core.counted IS 'A whole number of something in words: 1 GPU, 1,024 GPUs.';
