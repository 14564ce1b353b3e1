-- The looks to load, from their summary files; $scrapes is a list of JSON paths.
CREATE OR REPLACE TEMP TABLE new_scrape AS
SELECT provider, observed_at, origin, status, code, reason, books, quotes, offers, rejected, pages
FROM read_json($scrapes, format = 'unstructured', columns = {
    provider: 'VARCHAR', observed_at: 'TIMESTAMPTZ', origin: 'VARCHAR', status: 'VARCHAR', code: 'VARCHAR',
    reason: 'VARCHAR', books: 'VARCHAR[]', quotes: 'BIGINT', offers: 'BIGINT', rejected: 'BIGINT',
    pages: 'STRUCT(book VARCHAR, url VARCHAR, name VARCHAR, sha256 VARCHAR, bytes BIGINT, unchanged BOOLEAN,
        form VARCHAR)[]'
});
