ALTER TABLE core.market ADD COLUMN term_months INTEGER;
COMMENT ON COLUMN core.market.term_months IS 'Length of the commitment, as in core.observation; null by the hour.';
COMMENT ON TABLE core.market IS 'Where LLMs can be trained or ever could: a provider, a kind of price, its term, a kind of instance and a fee to set it up.';
