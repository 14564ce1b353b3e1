-- Laid by each load with what it adds (load/closing_week), so that the history by day does not go through every look.
CREATE TABLE core.closing_week (
    provider VARCHAR NOT NULL,
    week INTEGER NOT NULL,
    offer_key VARCHAR NOT NULL,
    said_0 DECIMAL(18, 8),
    said_1 DECIMAL(18, 8),
    said_2 DECIMAL(18, 8),
    said_3 DECIMAL(18, 8),
    said_4 DECIMAL(18, 8),
    said_5 DECIMAL(18, 8),
    said_6 DECIMAL(18, 8)
);
COMMENT ON TABLE core.closing_week IS 'What each offer last said on each day, in USD per GPU-hour, the days of a week side by side; 0: that it was gone, null: nothing. A week in which an offer said nothing has no row.';
COMMENT ON COLUMN core.closing_week.provider IS 'Provider name.';
COMMENT ON COLUMN core.closing_week.week IS 'Weeks of seven days in UTC since 1970-01-01, a Thursday.';
COMMENT ON COLUMN core.closing_week.offer_key IS 'Offer, as in core.observation.';
COMMENT ON COLUMN core.closing_week.said_0 IS 'What it last said on Thursday.';
COMMENT ON COLUMN core.closing_week.said_1 IS 'What it last said on Friday.';
COMMENT ON COLUMN core.closing_week.said_2 IS 'What it last said on Saturday.';
COMMENT ON COLUMN core.closing_week.said_3 IS 'What it last said on Sunday.';
COMMENT ON COLUMN core.closing_week.said_4 IS 'What it last said on Monday.';
COMMENT ON COLUMN core.closing_week.said_5 IS 'What it last said on Tuesday.';
COMMENT ON COLUMN core.closing_week.said_6 IS 'What it last said on Wednesday.';

CREATE MACRO core.said_by_week(first_week, last_week) AS TABLE
WITH said AS (
    SELECT provider, offer_key, observed_at, epoch_us(observed_at) // 86400000000 AS day,
        CASE WHEN listed THEN usd_per_gpu_hour ELSE 0::DECIMAL(18, 8) END AS usd
    FROM core.observation
    WHERE observed_at >= to_timestamp(first_week * 604800) AND observed_at < to_timestamp((last_week + 1) * 604800)
)
SELECT provider, CAST(day // 7 AS INTEGER) AS week, offer_key,
    arg_max(usd, observed_at) FILTER (day % 7 = 0) AS said_0,
    arg_max(usd, observed_at) FILTER (day % 7 = 1) AS said_1,
    arg_max(usd, observed_at) FILTER (day % 7 = 2) AS said_2,
    arg_max(usd, observed_at) FILTER (day % 7 = 3) AS said_3,
    arg_max(usd, observed_at) FILTER (day % 7 = 4) AS said_4,
    arg_max(usd, observed_at) FILTER (day % 7 = 5) AS said_5,
    arg_max(usd, observed_at) FILTER (day % 7 = 6) AS said_6
FROM said GROUP BY ALL;
COMMENT ON MACRO TABLE core.said_by_week IS 'The rows of core.closing_week for these weeks, out of the history.';

INSERT INTO core.closing_week
FROM core.said_by_week((SELECT min(epoch_us(observed_at)) // 604800000000 FROM core.scrape),
    (SELECT max(epoch_us(observed_at)) // 604800000000 FROM core.scrape))
ORDER BY week, provider, offer_key;
