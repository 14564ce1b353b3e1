INSERT INTO core.scrape
SELECT provider, observed_at, origin, status, code, reason, books, quotes, offers, rejected
FROM new_scrape ORDER BY provider, observed_at;

INSERT INTO core.scrape_page
SELECT provider, observed_at, page.book, page.url, page.name, page.sha256, page.bytes, page.unchanged,
    coalesce(page.form, '')
FROM (SELECT provider, observed_at, unnest(pages) AS page FROM new_scrape)
ORDER BY provider, observed_at, page.book, page.url;
