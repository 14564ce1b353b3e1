CREATE OR REPLACE VIEW core.removed_source AS
SELECT DISTINCT provider FROM core.scrape ANTI JOIN ref.source USING (provider);
COMMENT ON VIEW core.removed_source IS 'Sources that were looked at once and are none any more: what they offered stands as it was last read.';
COMMENT ON COLUMN core.removed_source.provider IS 'Name of the source, as in price_now.';
