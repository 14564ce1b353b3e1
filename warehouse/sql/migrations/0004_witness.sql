-- What others say that providers charge; each look at a witness takes the place of the one before.
CREATE TABLE ref.witness (
    witness VARCHAR NOT NULL,
    book VARCHAR NOT NULL,
    provider VARCHAR NOT NULL,
    gpu VARCHAR NOT NULL,
    gpu_family VARCHAR NOT NULL,
    form_factor VARCHAR,
    gpu_memory_gb DECIMAL(9, 2),
    gpu_count DECIMAL(18, 8) NOT NULL CHECK (gpu_count >= 1),
    pricing VARCHAR NOT NULL,
    term_months INTEGER,
    tier VARCHAR NOT NULL,
    region VARCHAR NOT NULL,
    country VARCHAR,
    usd_per_gpu_hour DECIMAL(18, 8) NOT NULL CHECK (usd_per_gpu_hour > 0),
    sku VARCHAR NOT NULL,
    gpu_text VARCHAR NOT NULL,
    as_of TIMESTAMPTZ,
    observed_at TIMESTAMPTZ NOT NULL,
    origin VARCHAR NOT NULL,
    page_sha256 VARCHAR NOT NULL
);
COMMENT ON TABLE ref.witness IS 'What an aggregator says that a provider charges: the lowest price per card, kind of price and region, as last read. Compared with ours in price_agreement; no price or cost is made of it.';
COMMENT ON COLUMN ref.witness.witness IS 'The aggregator that says it, a source of this ledger.';
COMMENT ON COLUMN ref.witness.book IS 'The part of the aggregator''s list it stands in.';
COMMENT ON COLUMN ref.witness.provider IS 'Whose price it is, by our name.';
COMMENT ON COLUMN ref.witness.gpu IS 'Canonical GPU at the level the aggregator states (ref.gpu).';
COMMENT ON COLUMN ref.witness.gpu_family IS 'Canonical GPU family.';
COMMENT ON COLUMN ref.witness.form_factor IS 'SXM, PCIe, NVL, OAM, ... or null where not said.';
COMMENT ON COLUMN ref.witness.gpu_memory_gb IS 'Nominal memory of one GPU in GB, or null where not said.';
COMMENT ON COLUMN ref.witness.gpu_count IS 'GPUs in the instance with that price.';
COMMENT ON COLUMN ref.witness.pricing IS 'on_demand, spot, reserved, savings_plan, capacity_block or serverless.';
COMMENT ON COLUMN ref.witness.term_months IS 'Length of the commitment in months, or null.';
COMMENT ON COLUMN ref.witness.tier IS 'The provider''s own distinction, where the aggregator keeps it: secure, community.';
COMMENT ON COLUMN ref.witness.region IS 'Region as the aggregator writes it; empty where it names none.';
COMMENT ON COLUMN ref.witness.country IS 'ISO 3166 alpha-2 country of the region, or null.';
COMMENT ON COLUMN ref.witness.usd_per_gpu_hour IS 'USD per GPU-hour.';
COMMENT ON COLUMN ref.witness.sku IS 'The instance with that price, as the aggregator names it.';
COMMENT ON COLUMN ref.witness.gpu_text IS 'The GPU name as the aggregator writes it.';
COMMENT ON COLUMN ref.witness.as_of IS 'When the aggregator says that it read the price, UTC; null where it does not say.';
COMMENT ON COLUMN ref.witness.observed_at IS 'When the aggregator was asked, UTC.';
COMMENT ON COLUMN ref.witness.origin IS 'live or recorded.';
COMMENT ON COLUMN ref.witness.page_sha256 IS 'Hash of the page it was read from.';
