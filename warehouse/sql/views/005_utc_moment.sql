CREATE OR REPLACE MACRO utc_moment(moment) AS
    CASE WHEN regexp_matches(CAST(moment AS VARCHAR), '[0-9]:[0-9.:]+ ?[A-Za-z+-]')
         THEN CAST(CAST(moment AS VARCHAR) AS TIMESTAMPTZ)
         ELSE CAST(CAST(moment AS VARCHAR) AS TIMESTAMP) AT TIME ZONE 'UTC' END;
COMMENT ON MACRO utc_moment IS 'A date, time or text as a moment: UTC where it names no zone, whatever the zone of the session.';
