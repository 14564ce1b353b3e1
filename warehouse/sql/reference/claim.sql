CREATE OR REPLACE TABLE claim (
    claim_id VARCHAR,
    source VARCHAR,
    place VARCHAR,
    statement VARCHAR,
    published_low DOUBLE,
    published_high DOUBLE,
    unit VARCHAR,
    ours_low DOUBLE,
    ours_high DOUBLE,
    verdict VARCHAR,
    reason VARCHAR,
    calculation VARCHAR
);
INSERT INTO claim BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE claim IS 'Published figures of training cost, each beside ours with a verdict. A contradiction is shown and not reproduced.';
COMMENT ON COLUMN claim.claim_id IS 'Stable name: C-, B- or A- and a number for a statement of a text, else table.row.column of a printed cell.';
COMMENT ON COLUMN claim.source IS 'The document it stands in.';
COMMENT ON COLUMN claim.place IS 'Where in it: table, row and column, or what its text is on.';
COMMENT ON COLUMN claim.statement IS 'What it says, in our words.';
COMMENT ON COLUMN claim.published_low IS 'Figure as published; low end of a range. Null where it is no number.';
COMMENT ON COLUMN claim.published_high IS 'High end of a range, else the same.';
COMMENT ON COLUMN claim.unit IS 'Unit of the four figures.';
COMMENT ON COLUMN claim.ours_low IS 'Our figure by the same question; null where there is nothing to compute.';
COMMENT ON COLUMN claim.ours_high IS 'High end of ours.';
COMMENT ON COLUMN claim.verdict IS 'match: both say the same within the rounding of the text; plausible: the ranges meet, and one says less than the other (a price of ours may span tenfold); contradiction: they do not meet; input: taken as given.';
COMMENT ON COLUMN claim.reason IS 'Why, in a sentence.';
COMMENT ON COLUMN claim.calculation IS 'The function and inputs that ours comes from; empty where there is none.';
