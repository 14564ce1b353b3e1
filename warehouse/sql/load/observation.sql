-- What the new looks changed: a row where an offer's state differs from its state before. A look says of an offer
-- what it is now, or that it is gone where the look read the book in which the offer last stood; of one whose row
-- was held back it says nothing.
INSERT INTO core.observation BY NAME
WITH seen AS (
    -- an offer that stands in two books of one look counts once, at the lower price
    SELECT * FROM new_offer
    QUALIFY row_number() OVER (PARTITION BY offer_key, observed_at ORDER BY usd_per_hour, book) = 1
), before AS (
    SELECT * FROM core.observation
    WHERE provider IN (SELECT provider FROM new_scrape)
    QUALIFY row_number() OVER (PARTITION BY offer_key ORDER BY observed_at DESC) = 1
), stood AS (
    SELECT offer_key, provider, book, observed_at FROM before
    UNION ALL
    SELECT offer_key, provider, book, observed_at FROM seen
), expected AS (
    SELECT each.offer_key, each.provider, look.observed_at
    FROM (SELECT DISTINCT offer_key, provider FROM stood) AS each
    JOIN new_scrape AS look USING (provider)
    ASOF JOIN stood ON each.offer_key = stood.offer_key AND look.observed_at > stood.observed_at
    WHERE list_contains(look.books, stood.book)
), event AS (
    SELECT *, true AS earlier FROM before
    UNION ALL BY NAME
    SELECT *, true AS listed, false AS earlier FROM seen
    UNION ALL BY NAME
    SELECT *, false AS listed, false AS earlier FROM expected
    ANTI JOIN seen USING (offer_key, observed_at)
    ANTI JOIN new_move AS held ON held.held AND held.offer_key = expected.offer_key
        AND held.observed_at = expected.observed_at
), stated AS (
    -- all but the dates and pages and what moves with the exchange rate
    SELECT *, CASE WHEN listed THEN {
        'book': book, 'country': country, 'gpu_family': gpu_family, 'form_factor': form_factor,
        'gpu_memory_gb': gpu_memory_gb, 'vcpus': vcpus, 'memory_gb': memory_gb, 'list_price': list_price,
        'upfront': upfront, 'currency': currency, 'unit': unit, 'available': available, 'quantity': quantity,
        'minimum_gpus': minimum_gpus, 'fabric': fabric, 'cluster_gpus': cluster_gpus,
        'effective_from': effective_from, 'origin': origin
    } END AS state,
    CAST(usd_per_hour AS DOUBLE) / CAST(fx_rate AS DOUBLE) AS currency_per_hour
    FROM event
), changed AS (
    SELECT * FROM stated
    WINDOW looks AS (PARTITION BY offer_key ORDER BY observed_at)
    QUALIFY earlier
        OR state IS DISTINCT FROM lag(state) OVER looks
        -- the same list price may be read differently by a later version; rates are stored with ten digits
        OR abs(currency_per_hour / lag(currency_per_hour) OVER looks - 1) > 0.0001
)
SELECT * EXCLUDE (earlier, state, currency_per_hour) FROM changed WHERE listed AND NOT earlier
UNION ALL BY NAME
SELECT prior.* EXCLUDE (earlier, state, currency_per_hour, observed_at, listed), gone.observed_at, false AS listed
FROM (SELECT offer_key, observed_at FROM changed WHERE NOT listed AND NOT earlier) AS gone
ASOF JOIN (SELECT * FROM changed WHERE listed OR earlier) AS prior
    ON gone.offer_key = prior.offer_key AND gone.observed_at > prior.observed_at
ORDER BY provider, observed_at, offer_key;
