CREATE OR REPLACE VIEW core.training_offer AS
SELECT * REPLACE (core.said_lately(available, age_hours) AS available, core.said_lately(quantity, age_hours) AS quantity)
FROM (SELECT * REPLACE (epoch(now() - observed_at) / 3600 AS age_hours) FROM core.training_offer_asof('9999-12-31'));
COMMENT ON VIEW core.training_offer IS 'Current offers of whole cards that LLMs are trained on, by the hour or by commitment; slices and serverless are other products, and the floor of an auction is no price.';
COMMENT ON COLUMN core.training_offer.instance IS 'All that a plan depends on: GPU, GPUs, fabric, largest cluster, smallest purchase, spot or not.';
COMMENT ON COLUMN core.training_offer.cluster_gpus IS 'Largest joined cluster in GPUs, where stated or assumed; on spot at most the gang that is known to be had.';
COMMENT ON COLUMN core.training_offer.cluster_assumption IS 'What that size takes for granted, with the name of the constant (ref.constant); null where the provider states it.';
COMMENT ON COLUMN core.training_offer.lease IS 'For how long it is rented beside its term (core.lease_of): the most days, the least hours, of a capacity block up to how many days it is sold by the day; null where nothing is said.';
COMMENT ON COLUMN core.training_offer.since IS 'From when the days of its lease are counted: now; as of a day that is asked about, that day.';
