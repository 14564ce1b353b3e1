CREATE OR REPLACE VIEW core.recorded_form AS
SELECT provider, sha256 AS page_sha256, max(form) AS form FROM core.scrape_page WHERE form <> '' GROUP BY provider, sha256;
COMMENT ON VIEW core.recorded_form IS 'How each page of a recording came to be kept: captured, reduced or reconstructed.';
COMMENT ON COLUMN core.recorded_form.provider IS 'Provider name.';
COMMENT ON COLUMN core.recorded_form.page_sha256 IS 'Hash of the page.';
COMMENT ON COLUMN core.recorded_form.form IS 'captured, reduced or reconstructed.';
