-- What nobody is sure of a machine at: the least bid an auction takes, what others paid or bid on average, and what is
-- listed and cannot be ordered.
CREATE OR REPLACE MACRO core.to_be_had(tier) AS tier NOT IN (
    'bid_floor', 'market_average', 'weighted_mean_of_bids', 'not_for_sale');
COMMENT ON MACRO core.to_be_had IS 'Whether a machine can be had at a price of this tier: no least bid of an auction, no average and nothing that cannot be ordered; those are shown and in no cost table.';
