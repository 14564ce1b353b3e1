-- Made anew by every recompute; here so that the views over them can be laid first.
CREATE TABLE core.market (
    market BIGINT PRIMARY KEY,
    provider VARCHAR NOT NULL,
    pricing VARCHAR NOT NULL,
    instance VARCHAR NOT NULL,
    gpu VARCHAR NOT NULL,
    gpu_count DECIMAL(18, 8) NOT NULL,
    fabric VARCHAR,
    cluster_gpus BIGINT,
    minimum_gpus BIGINT
);
COMMENT ON TABLE core.market IS 'Where LLMs can be trained or ever could: a provider, a kind of price and a kind of instance.';
COMMENT ON COLUMN core.market.market IS 'Number of the market, given anew by every recompute.';
COMMENT ON COLUMN core.market.provider IS 'Provider name.';
COMMENT ON COLUMN core.market.pricing IS 'on_demand, spot, reserved, savings_plan or capacity_block.';
COMMENT ON COLUMN core.market.instance IS 'All that a plan depends on: GPU, GPUs, fabric, largest cluster, smallest purchase, spot or not.';
COMMENT ON COLUMN core.market.gpu IS 'Canonical GPU (ref.gpu).';
COMMENT ON COLUMN core.market.gpu_count IS 'GPUs in the instance.';
COMMENT ON COLUMN core.market.fabric IS 'multi_node, single_node, or null where it was not said.';
COMMENT ON COLUMN core.market.cluster_gpus IS 'Largest joined cluster in GPUs, where said or assumed.';
COMMENT ON COLUMN core.market.minimum_gpus IS 'Smallest purchase in GPUs, where said.';

CREATE TABLE core.price_by_day (
    market BIGINT NOT NULL,
    day DATE NOT NULL,
    usd_per_gpu_hour DECIMAL(18, 8) NOT NULL
);
COMMENT ON TABLE core.price_by_day IS 'The cheapest price of each market at the end of each day on which its provider was read.';
COMMENT ON COLUMN core.price_by_day.market IS 'Market, as in core.market.';
COMMENT ON COLUMN core.price_by_day.day IS 'Day in UTC with a good look at the provider.';
COMMENT ON COLUMN core.price_by_day.usd_per_gpu_hour IS 'USD per GPU-hour of the cheapest offer that stood at the end of the day, at the rate of the look that first saw its price.';

CREATE TABLE core.cost_by_day (
    day DATE NOT NULL,
    llm VARCHAR NOT NULL,
    market BIGINT NOT NULL,
    compute_usd DOUBLE NOT NULL
);
COMMENT ON TABLE core.cost_by_day IS 'The cheapest feasible market of each provider and kind of price for each size class, day by day; training_cost_history shows it in words.';
COMMENT ON COLUMN core.cost_by_day.day IS 'Day in UTC with a good look at the provider.';
COMMENT ON COLUMN core.cost_by_day.llm IS 'Size class.';
COMMENT ON COLUMN core.cost_by_day.market IS 'Market, as in core.market.';
COMMENT ON COLUMN core.cost_by_day.compute_usd IS 'Final run only: median GPU-hours x price.';
