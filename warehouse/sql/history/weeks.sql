-- The price of each offer at the end of each day of some weeks, the days of a week side by side: a day that says nothing
-- of an offer has the price of the day before it. 0: gone. $weeks in order; each week in which something was read.
CREATE OR REPLACE TEMP TABLE closed AS
WITH said AS (
    SELECT hash(offer_key) AS offer, week, COLUMNS('said_\d') FROM core.closing_week
    WHERE week BETWEEN $weeks[1] AND $weeks[-1]
), week AS (
    SELECT offer, market, week, COLUMNS('said_\d')
    FROM (SELECT offer, market, unnest($weeks) AS week FROM past_offer) LEFT JOIN said USING (offer, week)
    UNION ALL BY NAME
    SELECT offer, market, -1 AS week, usd AS said_6 FROM closing
), carried AS (
    SELECT *, lag(coalesce(said_6, said_5, said_4, said_3, said_2, said_1, said_0) IGNORE NULLS)
        OVER (PARTITION BY offer ORDER BY week) AS before
    FROM week
)
SELECT offer, market, week,
    coalesce(said_0, before) AS day_0,
    coalesce(said_1, day_0) AS day_1,
    coalesce(said_2, day_1) AS day_2,
    coalesce(said_3, day_2) AS day_3,
    coalesce(said_4, day_3) AS day_4,
    coalesce(said_5, day_4) AS day_5,
    coalesce(said_6, day_5) AS day_6
FROM carried WHERE week >= 0;
