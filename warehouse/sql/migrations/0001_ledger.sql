-- The ledger's own tables. Nothing in core is ever updated or deleted: a look and what it changed are facts.
CREATE SCHEMA IF NOT EXISTS core;
CREATE SCHEMA ref;

CREATE TABLE core.scrape (
    provider VARCHAR NOT NULL,
    observed_at TIMESTAMPTZ NOT NULL,
    origin VARCHAR NOT NULL CHECK (origin IN ('live', 'recorded')),
    status VARCHAR NOT NULL CHECK (status IN ('ok', 'partial', 'failed')),
    code VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    books VARCHAR[] NOT NULL,
    quotes BIGINT NOT NULL,
    offers BIGINT NOT NULL,
    rejected BIGINT NOT NULL,
    PRIMARY KEY (provider, observed_at)
);
COMMENT ON TABLE core.scrape IS 'One look at a provider, also when it failed or nothing had changed.';
COMMENT ON COLUMN core.scrape.provider IS 'Provider name, snake case.';
COMMENT ON COLUMN core.scrape.observed_at IS 'When the provider was asked, UTC; of a recording, the date of its figures.';
COMMENT ON COLUMN core.scrape.origin IS 'live: asked over the network. recorded: pages kept in the project, with their true date.';
COMMENT ON COLUMN core.scrape.status IS 'ok; partial: some books could not be read and keep their last good rows; failed: none could.';
COMMENT ON COLUMN core.scrape.code IS 'Named error of a partial or failed look (layout_changed, empty_answer, unreachable, ...), else empty.';
COMMENT ON COLUMN core.scrape.reason IS 'What went wrong, in words, else empty.';
COMMENT ON COLUMN core.scrape.books IS 'The parts of the price list that this look read whole; offers of other books are left as they were.';
COMMENT ON COLUMN core.scrape.quotes IS 'Rows that the parser read as prices.';
COMMENT ON COLUMN core.scrape.offers IS 'Offers that came out of them.';
COMMENT ON COLUMN core.scrape.rejected IS 'Rows put into quarantine.';

CREATE TABLE core.scrape_page (
    provider VARCHAR NOT NULL,
    observed_at TIMESTAMPTZ NOT NULL,
    book VARCHAR NOT NULL,
    url VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    bytes BIGINT NOT NULL,
    unchanged BOOLEAN NOT NULL
);
COMMENT ON TABLE core.scrape_page IS 'The pages of a look; the bytes are kept under this hash in the raw store.';
COMMENT ON COLUMN core.scrape_page.provider IS 'Provider name.';
COMMENT ON COLUMN core.scrape_page.observed_at IS 'The look the page belongs to.';
COMMENT ON COLUMN core.scrape_page.book IS 'The part of the price list the page belongs to.';
COMMENT ON COLUMN core.scrape_page.url IS 'Address asked, without secrets.';
COMMENT ON COLUMN core.scrape_page.name IS 'Short name of the page.';
COMMENT ON COLUMN core.scrape_page.sha256 IS 'SHA-256 of the kept bytes.';
COMMENT ON COLUMN core.scrape_page.bytes IS 'Size of the kept bytes.';
COMMENT ON COLUMN core.scrape_page.unchanged IS 'True when the provider said that the page had not changed since the look before.';

CREATE TABLE core.observation (
    offer_key VARCHAR NOT NULL,
    observed_at TIMESTAMPTZ NOT NULL,
    listed BOOLEAN NOT NULL,
    provider VARCHAR NOT NULL,
    book VARCHAR NOT NULL,
    sku VARCHAR NOT NULL,
    region VARCHAR NOT NULL,
    country VARCHAR,
    gpu VARCHAR NOT NULL,
    gpu_family VARCHAR NOT NULL,
    form_factor VARCHAR,
    gpu_memory_gb DECIMAL(9, 2),
    gpu_count DECIMAL(18, 8) NOT NULL CHECK (gpu_count > 0),
    vcpus DECIMAL(12, 3),
    memory_gb DECIMAL(14, 3),
    pricing VARCHAR NOT NULL,
    term_months INTEGER,
    tier VARCHAR NOT NULL,
    list_price DECIMAL(18, 8) NOT NULL,
    upfront DECIMAL(18, 8),
    currency VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    usd_per_hour DECIMAL(18, 8) NOT NULL CHECK (usd_per_hour > 0),
    usd_per_gpu_hour DECIMAL(18, 8) NOT NULL CHECK (usd_per_gpu_hour > 0),
    fx_rate DECIMAL(18, 10) NOT NULL CHECK (fx_rate > 0),
    fx_date DATE,
    available BOOLEAN,
    quantity BIGINT,
    minimum_gpus BIGINT,
    fabric VARCHAR,
    cluster_gpus BIGINT,
    effective_from DATE,
    broker_of VARCHAR NOT NULL,
    machine VARCHAR NOT NULL,
    gpu_text VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    page_sha256 VARCHAR NOT NULL,
    PRIMARY KEY (offer_key, observed_at)
);
COMMENT ON TABLE core.observation IS 'Change-only history: a row when an offer appears, changes or vanishes (listed = false).';
COMMENT ON COLUMN core.observation.offer_key IS 'Stable identity of an offer: provider, SKU, GPU, count, region, pricing, term, tier.';
COMMENT ON COLUMN core.observation.observed_at IS 'The look that first saw this state, UTC.';
COMMENT ON COLUMN core.observation.listed IS 'False: the offer was gone from its book at this look; the row repeats its last price.';
COMMENT ON COLUMN core.observation.provider IS 'Provider name.';
COMMENT ON COLUMN core.observation.book IS 'The part of the provider''s price list the offer stands in.';
COMMENT ON COLUMN core.observation.sku IS 'The provider''s own name: instance type, plan, GPU id.';
COMMENT ON COLUMN core.observation.region IS 'The provider''s own region text; empty where it names none.';
COMMENT ON COLUMN core.observation.country IS 'ISO 3166 alpha-2 country of the region, or null.';
COMMENT ON COLUMN core.observation.gpu IS 'Canonical GPU at the finest level the site states (ref.gpu).';
COMMENT ON COLUMN core.observation.gpu_family IS 'Canonical GPU family.';
COMMENT ON COLUMN core.observation.form_factor IS 'SXM, PCIe, NVL, OAM, ... or null where not said.';
COMMENT ON COLUMN core.observation.gpu_memory_gb IS 'Nominal memory of one GPU in GB.';
COMMENT ON COLUMN core.observation.gpu_count IS 'GPUs in the instance; a fraction is a slice of a card.';
COMMENT ON COLUMN core.observation.vcpus IS 'Virtual CPUs of the instance.';
COMMENT ON COLUMN core.observation.memory_gb IS 'Host memory of the instance in GB.';
COMMENT ON COLUMN core.observation.pricing IS 'on_demand, spot, reserved, savings_plan, capacity_block or serverless.';
COMMENT ON COLUMN core.observation.term_months IS 'Length of the commitment in months, or null.';
COMMENT ON COLUMN core.observation.tier IS 'The provider''s own distinction: secure, community, no_upfront, cluster, ...';
COMMENT ON COLUMN core.observation.list_price IS 'Amount as published, in major units of currency per unit.';
COMMENT ON COLUMN core.observation.upfront IS 'One-time fee of the whole instance for the term, in currency.';
COMMENT ON COLUMN core.observation.currency IS 'ISO 4217 code of the list price.';
COMMENT ON COLUMN core.observation.unit IS 'What the list price covers: per_gpu_hour, per_instance_hour, per_term, ...';
COMMENT ON COLUMN core.observation.usd_per_hour IS 'USD per hour of the whole instance, upfront part spread over the term.';
COMMENT ON COLUMN core.observation.usd_per_gpu_hour IS 'USD per GPU-hour.';
COMMENT ON COLUMN core.observation.fx_rate IS 'USD per unit of currency used; 1 for USD.';
COMMENT ON COLUMN core.observation.fx_date IS 'Day of that reference rate; null for USD.';
COMMENT ON COLUMN core.observation.available IS 'Whether the site said that it can be had; null where it does not say.';
COMMENT ON COLUMN core.observation.quantity IS 'How many instances were free, where said.';
COMMENT ON COLUMN core.observation.minimum_gpus IS 'Smallest purchase in GPUs, where said.';
COMMENT ON COLUMN core.observation.fabric IS 'multi_node: instances join over a fast fabric; single_node: they do not; null: not said.';
COMMENT ON COLUMN core.observation.cluster_gpus IS 'Largest joined cluster in GPUs, where said.';
COMMENT ON COLUMN core.observation.effective_from IS 'Date from which the provider says the price holds, where said.';
COMMENT ON COLUMN core.observation.broker_of IS 'Of a broker''s offer, the provider that runs the machine; else empty.';
COMMENT ON COLUMN core.observation.machine IS 'A marketplace''s machine, hashed: offers that share it are one machine listed in several sizes; else empty.';
COMMENT ON COLUMN core.observation.gpu_text IS 'The GPU name as printed.';
COMMENT ON COLUMN core.observation.origin IS 'live or recorded.';
COMMENT ON COLUMN core.observation.page_sha256 IS 'Hash of the page the price was read from.';

CREATE TABLE core.rejected (
    reject_key VARCHAR PRIMARY KEY,
    provider VARCHAR NOT NULL,
    book VARCHAR NOT NULL,
    observed_at TIMESTAMPTZ NOT NULL,
    reason VARCHAR NOT NULL,
    detail VARCHAR NOT NULL,
    sku VARCHAR NOT NULL,
    region VARCHAR NOT NULL,
    gpu_text VARCHAR NOT NULL,
    amount VARCHAR NOT NULL,
    currency VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    pricing VARCHAR NOT NULL,
    page_sha256 VARCHAR NOT NULL
);
COMMENT ON TABLE core.rejected IS 'Quarantine: each distinct row that was not accepted as a price, when it was first seen.';
COMMENT ON COLUMN core.rejected.reject_key IS 'Hash of everything below but the date and the page.';
COMMENT ON COLUMN core.rejected.provider IS 'Provider name.';
COMMENT ON COLUMN core.rejected.book IS 'The part of the price list the row stands in.';
COMMENT ON COLUMN core.rejected.observed_at IS 'The look that first saw the row.';
COMMENT ON COLUMN core.rejected.reason IS 'Reason code: unknown_gpu, not_a_price, out_of_bounds, future_price, duplicate, ...';
COMMENT ON COLUMN core.rejected.detail IS 'The reason in words.';
COMMENT ON COLUMN core.rejected.sku IS 'The provider''s own name.';
COMMENT ON COLUMN core.rejected.region IS 'The provider''s own region text.';
COMMENT ON COLUMN core.rejected.gpu_text IS 'The GPU name as printed.';
COMMENT ON COLUMN core.rejected.amount IS 'The amount as printed; empty where there was none.';
COMMENT ON COLUMN core.rejected.currency IS 'Currency of the amount.';
COMMENT ON COLUMN core.rejected.unit IS 'What the amount covers.';
COMMENT ON COLUMN core.rejected.pricing IS 'Kind of price.';
COMMENT ON COLUMN core.rejected.page_sha256 IS 'Hash of the page it was read from.';

CREATE TABLE ref.currency_rate (
    currency VARCHAR NOT NULL,
    rate_date DATE NOT NULL,
    per_eur DECIMAL(18, 8) NOT NULL CHECK (per_eur > 0),
    page_sha256 VARCHAR NOT NULL,
    PRIMARY KEY (currency, rate_date)
);
COMMENT ON TABLE ref.currency_rate IS 'Reference rates of the European Central Bank, by day.';
COMMENT ON COLUMN ref.currency_rate.currency IS 'ISO 4217 code.';
COMMENT ON COLUMN ref.currency_rate.rate_date IS 'Day of the rate; published that afternoon, so used from the next day on.';
COMMENT ON COLUMN ref.currency_rate.per_eur IS 'Units of currency for one euro.';
COMMENT ON COLUMN ref.currency_rate.page_sha256 IS 'Hash of the page it was read from.';
