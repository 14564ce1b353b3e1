-- Prices that moved so far that somebody should know, and those that were held back for it.
CREATE TABLE core.move (
    offer_key VARCHAR NOT NULL,
    observed_at TIMESTAMPTZ NOT NULL,
    provider VARCHAR NOT NULL,
    book VARCHAR NOT NULL,
    sku VARCHAR NOT NULL,
    region VARCHAR NOT NULL,
    gpu VARCHAR NOT NULL,
    pricing VARCHAR NOT NULL,
    held BOOLEAN NOT NULL,
    reason VARCHAR NOT NULL,
    detail VARCHAR NOT NULL,
    usd_per_hour DECIMAL(18, 8),
    last_usd_per_hour DECIMAL(18, 8) NOT NULL,
    last_fx_rate DECIMAL(18, 10) NOT NULL,
    last_seen_at TIMESTAMPTZ NOT NULL,
    held_since TIMESTAMPTZ,
    held_looks BIGINT NOT NULL,
    PRIMARY KEY (offer_key, observed_at)
);
COMMENT ON TABLE core.move IS 'A remarkable move of an offer''s price at one look: believed with a mark, or held back while the last good price stands.';
COMMENT ON COLUMN core.move.offer_key IS 'The offer, as in core.observation.';
COMMENT ON COLUMN core.move.observed_at IS 'The look that saw the move, UTC.';
COMMENT ON COLUMN core.move.provider IS 'Provider name.';
COMMENT ON COLUMN core.move.book IS 'The part of the provider''s price list the offer stands in.';
COMMENT ON COLUMN core.move.sku IS 'The provider''s own name: instance type, plan, GPU id.';
COMMENT ON COLUMN core.move.region IS 'The provider''s own region text; empty where it names none.';
COMMENT ON COLUMN core.move.gpu IS 'Canonical GPU (ref.gpu).';
COMMENT ON COLUMN core.move.pricing IS 'on_demand, spot, reserved, savings_plan, capacity_block or serverless.';
COMMENT ON COLUMN core.move.held IS 'True: the new price was not believed and the last good one stands, with its own date.';
COMMENT ON COLUMN core.move.reason IS 'large_move, currency_rate, confirmed_move (believed); suspicious_move or why the row was refused (held).';
COMMENT ON COLUMN core.move.detail IS 'The reason in words.';
COMMENT ON COLUMN core.move.usd_per_hour IS 'New price in USD per hour of the whole instance; null where the row held none.';
COMMENT ON COLUMN core.move.last_usd_per_hour IS 'Last believed price in USD per hour, at the rate of its look.';
COMMENT ON COLUMN core.move.last_fx_rate IS 'USD per unit of currency at that look; 1 for USD.';
COMMENT ON COLUMN core.move.last_seen_at IS 'The look that last saw that price, UTC.';
COMMENT ON COLUMN core.move.held_since IS 'The first of the looks in a row that held the offer back, UTC; null where none did.';
COMMENT ON COLUMN core.move.held_looks IS 'How many looks in a row held it back, this one included.';
