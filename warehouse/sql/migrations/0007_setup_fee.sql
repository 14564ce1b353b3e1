ALTER TABLE core.market ADD COLUMN setup_usd DOUBLE;
COMMENT ON COLUMN core.market.setup_usd IS 'One-off fee of an instance in USD, as last seen; null where there is none.';
COMMENT ON TABLE core.market IS 'Where LLMs can be trained or ever could: a provider, a kind of price, a kind of instance and a fee to set it up.';
COMMENT ON COLUMN core.observation.upfront IS 'One-time fee of the whole instance in currency: part of the price of a term; beside a price by the hour a fee to set it up, due once.';
COMMENT ON COLUMN core.observation.usd_per_hour IS 'USD per hour of the whole instance, the upfront part of a term spread over it; a fee to set it up is not in it.';
