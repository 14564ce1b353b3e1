-- What the new looks changed: a row where an offer's state differs from its state before. A look says of an offer
-- what it is now, or that it is gone where the look read the book in which the offer last stood; of one whose row
-- was held back it says nothing. Rows are compared by a hash and fetched when they are known to be wanted.
INSERT INTO core.observation BY NAME
WITH before AS (
    SELECT arg_max(rowid, observed_at) AS old_row FROM core.observation
    WHERE provider IN (SELECT provider FROM new_scrape)
    GROUP BY offer_key
), known AS (
    SELECT rowid AS old_row, * FROM core.observation WHERE rowid IN (SELECT old_row FROM before)
    UNION ALL BY NAME
    SELECT rowid AS new_row, true AS listed, * FROM new_offer
), state AS (
    SELECT old_row, new_row, offer_key, provider, observed_at, book,
        -- all but the dates and pages and what moves with the exchange rate; null: not listed
        CASE WHEN listed THEN hash(
            book, country, gpu_family, form_factor, gpu_memory_gb, vcpus, memory_gb, list_price, upfront, currency, unit,
            available, quantity, minimum_gpus, fabric, cluster_gpus, effective_from, minimum_hours,
            offered_until, origin
        ) END AS said,
        CAST(usd_per_hour AS DOUBLE) / CAST(fx_rate AS DOUBLE) AS currency_per_hour
    FROM known
    -- an offer that stands in two books of one look counts once, at the lower price
    QUALIFY row_number() OVER (PARTITION BY offer_key, observed_at ORDER BY currency_per_hour, book) = 1
), expected AS (
    SELECT each.offer_key, each.provider, look.observed_at
    FROM (SELECT DISTINCT offer_key, provider FROM state) AS each
    JOIN new_scrape AS look USING (provider)
    ASOF JOIN state ON each.offer_key = state.offer_key AND look.observed_at > state.observed_at
    WHERE list_contains(look.books, state.book)
), event AS (
    SELECT * FROM state
    UNION ALL BY NAME
    SELECT * FROM expected
    ANTI JOIN state USING (offer_key, observed_at)
    ANTI JOIN new_move AS held ON held.held AND held.offer_key = expected.offer_key
        AND held.observed_at = expected.observed_at
), excerpted AS (
    SELECT offer_key, observed_at FROM new_offer JOIN new_scrape AS look USING (provider, observed_at)
    WHERE NOT list_contains(look.books, book)
), changed AS (
    SELECT offer_key, observed_at, old_row, new_row, said FROM event
    WINDOW looks AS (PARTITION BY offer_key ORDER BY observed_at)
    QUALIFY old_row IS NOT NULL
        OR said IS DISTINCT FROM lag(said) OVER looks
        -- an excerpt is no look at the book: that the price stood on its day is told by a row of its own
        OR (new_row IS NOT NULL AND (offer_key, observed_at) IN (SELECT offer_key, observed_at FROM excerpted))
        -- the same list price may be read differently by a later version; rates are stored with ten digits
        OR abs(currency_per_hour / lag(currency_per_hour) OVER looks - 1) > 0.0001
), gone AS (
    -- an offer that is gone repeats its last row
    SELECT gone.offer_key, gone.observed_at, last.old_row, last.new_row
    FROM (FROM changed WHERE old_row IS NULL AND new_row IS NULL) AS gone
    ASOF JOIN (FROM changed WHERE old_row IS NOT NULL OR new_row IS NOT NULL) AS last
        ON gone.offer_key = last.offer_key AND gone.observed_at > last.observed_at
)
SELECT *, true AS listed FROM new_offer WHERE rowid IN (SELECT new_row FROM changed)
UNION ALL BY NAME
SELECT new_offer.* REPLACE (gone.observed_at AS observed_at), false AS listed
FROM gone JOIN new_offer ON gone.new_row = new_offer.rowid
UNION ALL BY NAME
SELECT observation.* REPLACE (gone.observed_at AS observed_at, false AS listed)
FROM gone JOIN core.observation ON gone.old_row = observation.rowid
ORDER BY provider, observed_at, offer_key;
