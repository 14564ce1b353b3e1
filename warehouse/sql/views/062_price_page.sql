CREATE OR REPLACE VIEW price_page AS
SELECT provider, sha256 AS page_sha256, arg_max(url, row(observed_at, url)) AS url,
    arg_max(name, row(observed_at, url, name)) AS name, max(bytes) AS bytes, arg_max(form, row(observed_at, form)) AS form,
    min(observed_at) AS first_seen_at, max(observed_at) AS last_seen_at
FROM core.scrape_page GROUP BY provider, sha256;
COMMENT ON VIEW price_page IS 'Every page that was kept, once: join it on provider and page_sha256 to see where a price was read.';
COMMENT ON COLUMN price_page.provider IS 'Provider name.';
COMMENT ON COLUMN price_page.page_sha256 IS 'SHA-256 of the kept bytes, as in price_now and training_cost.';
COMMENT ON COLUMN price_page.url IS 'Address it was last read from, without secrets.';
COMMENT ON COLUMN price_page.name IS 'Short name of the page.';
COMMENT ON COLUMN price_page.bytes IS 'Size of the kept bytes.';
COMMENT ON COLUMN price_page.form IS 'Of a recorded page, captured: as the site sent it; reduced: rows left out; reconstructed: real figures in the site''s format. Empty for a live page.';
COMMENT ON COLUMN price_page.first_seen_at IS 'First look that read these bytes, UTC.';
COMMENT ON COLUMN price_page.last_seen_at IS 'Last look that read these bytes, UTC.';
