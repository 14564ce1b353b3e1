-- What a witness said before of the books that the looks to load read gives way; $witnesses is a list of Parquet paths.
CREATE OR REPLACE TEMP TABLE newest_word AS
SELECT provider AS witness, book, max(observed_at) AS observed_at
FROM (SELECT provider, observed_at, unnest(books) AS book FROM new_scrape)
GROUP BY ALL;

DELETE FROM ref.witness USING newest_word AS newest
WHERE witness.witness = newest.witness AND witness.book = newest.book;

INSERT INTO ref.witness BY NAME
SELECT told.* FROM read_parquet($witnesses, union_by_name = true) AS told
SEMI JOIN newest_word AS newest USING (witness, book, observed_at)
ORDER BY witness, book, provider, gpu, pricing, term_months, tier, region;
