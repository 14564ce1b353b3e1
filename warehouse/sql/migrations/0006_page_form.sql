-- A migration is never edited once it is committed: a ledger laid by another text of it is laid anew.
ALTER TABLE core.scrape_page ADD COLUMN form VARCHAR DEFAULT '';
COMMENT ON COLUMN core.scrape_page.form IS 'Of a recorded page, captured: as the site sent it; reduced: rows left out; reconstructed: real figures in the site''s format. Empty for a live page.';
COMMENT ON COLUMN core.migration.digest IS 'Hash of that file as it was applied.';
COMMENT ON COLUMN core.observation.page_sha256 IS 'Hash of the page on which this price was first seen. While it stands no row is added; the page that last confirmed it is in core.scrape_page under the offer''s provider and book and the last look.';
