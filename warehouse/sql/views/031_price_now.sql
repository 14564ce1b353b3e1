CREATE OR REPLACE VIEW price_now AS
SELECT * REPLACE (core.said_lately(available, age_hours) AS available, core.said_lately(quantity, age_hours) AS quantity)
FROM (SELECT * REPLACE (epoch(now() - observed_at) / 3600 AS age_hours) FROM core.standing);
COMMENT ON VIEW price_now IS 'Every offer as last seen, with how long ago its part of the price list was last read.';
COMMENT ON COLUMN price_now.observed_at IS 'Last look that saw this price: read this offer''s part of the list, and did not hold the offer back, UTC.';
COMMENT ON COLUMN price_now.age_hours IS 'Hours since that look.';
COMMENT ON COLUMN price_now.available IS 'Whether it could be rented at the last look, by what the site says; null where it says nothing or the look is older than stock is known for (ref.constant, stock_known_days). price_history keeps what was said.';
COMMENT ON COLUMN price_now.quantity IS 'Instances that were free at the last look; null likewise.';
COMMENT ON COLUMN price_now.setup_usd IS 'One-off fee of the whole instance in USD, due once however long it is rented; null where there is none. It is not in usd_per_hour.';
COMMENT ON COLUMN price_now.form IS 'Of a price of a recording, its page is captured: as the site sent it; reduced: rows left out; reconstructed: real figures in the site''s format. Null for a live one.';
COMMENT ON COLUMN price_now.page_sha256 IS 'Hash of the page on which this price was first seen, at changed_at; that it stood at observed_at was read from the pages of that look (core.scrape_page, same provider and book), as is what a price is put together with: a rate and a discount, say.';
COMMENT ON COLUMN price_now.changed_at IS 'The look that first saw this price.';
COMMENT ON COLUMN price_now.usd_per_hour IS 'USD per hour of the whole instance; other currencies at the rate of the day before the look.';
COMMENT ON COLUMN price_now.usd_per_gpu_hour IS 'USD per GPU-hour, likewise.';
COMMENT ON COLUMN price_now.fx_rate IS 'USD per unit of currency that its USD figures are at; null for USD.';
COMMENT ON COLUMN price_now.fx_date IS 'Day of that reference rate; null for USD.';
