-- What the new looks changed. For every offer and every new look that read its book: its state, or its absence;
-- kept where that differs from the state before. A moved exchange rate or page hash alone is not a change.
INSERT INTO core.observation BY NAME
WITH seen AS (
    SELECT * FROM new_offer
), before AS (
    SELECT * FROM core.observation
    WHERE provider IN (SELECT provider FROM new_scrape)
    QUALIFY row_number() OVER (PARTITION BY offer_key ORDER BY observed_at DESC) = 1
), known AS (
    SELECT offer_key, provider, book FROM before
    UNION
    SELECT offer_key, provider, book FROM seen
), looked AS (
    SELECT provider, observed_at, unnest(books) AS book FROM new_scrape
), absent AS (
    SELECT known.offer_key, known.provider, known.book, looked.observed_at
    FROM known JOIN looked USING (provider, book)
    ANTI JOIN seen ON seen.offer_key = known.offer_key AND seen.observed_at = looked.observed_at
), event AS (
    SELECT *, true AS earlier FROM before
    UNION ALL BY NAME
    SELECT *, true AS listed, false AS earlier FROM seen
    UNION ALL BY NAME
    SELECT *, false AS listed, false AS earlier FROM absent
), stated AS (
    SELECT *, CASE WHEN listed THEN {
        'list_price': list_price, 'upfront': upfront, 'currency': currency, 'unit': unit, 'book': book,
        'available': available, 'quantity': quantity, 'minimum_gpus': minimum_gpus, 'fabric': fabric,
        'cluster_gpus': cluster_gpus, 'effective_from': effective_from, 'origin': origin
    } END AS state
    FROM event
), changed AS (
    SELECT * FROM stated
    QUALIFY NOT earlier
        AND state IS DISTINCT FROM lag(state) OVER (PARTITION BY offer_key ORDER BY observed_at, earlier DESC)
)
SELECT * EXCLUDE (earlier, state) FROM changed WHERE listed
UNION ALL BY NAME
SELECT prior.* EXCLUDE (earlier, state, observed_at, listed), gone.observed_at, false AS listed
FROM (SELECT offer_key, observed_at FROM changed WHERE NOT listed) AS gone
ASOF JOIN (SELECT * FROM stated WHERE listed) AS prior
    ON gone.offer_key = prior.offer_key AND gone.observed_at > prior.observed_at
ORDER BY provider, observed_at, offer_key;
