-- Made anew by every recompute; here so that the views over them can be laid first.
CREATE TABLE core.past_instance (
    instance VARCHAR PRIMARY KEY,
    gpu VARCHAR NOT NULL,
    gpu_count DECIMAL(18, 8) NOT NULL,
    fabric VARCHAR,
    cluster_gpus BIGINT,
    minimum_gpus BIGINT,
    on_spot BOOLEAN NOT NULL
);
COMMENT ON TABLE core.past_instance IS 'Kinds of instance that LLMs can be trained on and that were ever on offer.';
COMMENT ON COLUMN core.past_instance.instance IS 'All that a plan depends on: GPU, GPUs, fabric, largest cluster, smallest purchase, spot or not.';
COMMENT ON COLUMN core.past_instance.gpu IS 'Canonical GPU (ref.gpu).';
COMMENT ON COLUMN core.past_instance.gpu_count IS 'GPUs in the instance.';
COMMENT ON COLUMN core.past_instance.fabric IS 'multi_node, single_node, or null where it was not said.';
COMMENT ON COLUMN core.past_instance.cluster_gpus IS 'Largest joined cluster in GPUs, where said.';
COMMENT ON COLUMN core.past_instance.minimum_gpus IS 'Smallest purchase in GPUs, where said.';
COMMENT ON COLUMN core.past_instance.on_spot IS 'Whether it can be taken back at any time.';

CREATE TABLE core.price_by_day (
    day DATE NOT NULL,
    provider VARCHAR NOT NULL,
    pricing VARCHAR NOT NULL,
    instance VARCHAR NOT NULL,
    usd_per_gpu_hour DECIMAL(18, 8) NOT NULL
);
COMMENT ON TABLE core.price_by_day IS 'The cheapest price of each provider, kind of price and kind of instance at the end of each day on which the provider was read.';
COMMENT ON COLUMN core.price_by_day.day IS 'Day in UTC with a good look at the provider.';
COMMENT ON COLUMN core.price_by_day.provider IS 'Provider name.';
COMMENT ON COLUMN core.price_by_day.pricing IS 'on_demand, spot, reserved, savings_plan or capacity_block.';
COMMENT ON COLUMN core.price_by_day.instance IS 'Kind of instance, as in core.past_instance.';
COMMENT ON COLUMN core.price_by_day.usd_per_gpu_hour IS 'USD per GPU-hour of the cheapest offer that stood at the end of the day, at the rate of the look that first saw its price.';
