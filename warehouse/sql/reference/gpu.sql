CREATE OR REPLACE TABLE ref.gpu (
    gpu VARCHAR,
    gpu_family VARCHAR,
    level VARCHAR,
    name VARCHAR,
    vendor VARCHAR,
    architecture VARCHAR,
    form_factor VARCHAR,
    edition VARCHAR,
    named_apart BOOLEAN,
    kind VARCHAR,
    release_date VARCHAR,
    memory_gb DECIMAL(18, 6),
    usable_memory_gb DECIMAL(18, 6),
    memory_type VARCHAR,
    mem_bw_gb_s DECIMAL(18, 6),
    fp16_dense_tflops DECIMAL(18, 6),
    bf16_dense_tflops DECIMAL(18, 6),
    fp8_dense_tflops DECIMAL(18, 6),
    fp4_dense_tflops DECIMAL(18, 6),
    int8_dense_tops DECIMAL(18, 6),
    sparse_16bit_tflops DECIMAL(18, 6),
    tdp_w DECIMAL(18, 6),
    scaleup_bw_gb_s DECIMAL(18, 6),
    gpus_per_node_typical BIGINT,
    bf16_matmul_achieved_tflops DECIMAL(18, 6),
    trains BOOLEAN,
    usd_per_gpu_hour_low DECIMAL(18, 6),
    usd_per_gpu_hour_high DECIMAL(18, 6),
    source_confidence VARCHAR,
    source VARCHAR,
    note VARCHAR
);
INSERT INTO ref.gpu BY NAME SELECT * FROM read_parquet(getvariable('file'));
COMMENT ON TABLE ref.gpu IS 'Chips and groups of chips with dense peaks, memory, bounds of a plausible price, and the source of each row.';
COMMENT ON COLUMN ref.gpu.gpu IS 'Slug of the row, as in price_now.';
COMMENT ON COLUMN ref.gpu.gpu_family IS 'Slug of the family.';
COMMENT ON COLUMN ref.gpu.level IS 'card: one product; group: what a site left open, with the least figures of its cards.';
COMMENT ON COLUMN ref.gpu.name IS 'Name in full.';
COMMENT ON COLUMN ref.gpu.vendor IS 'Who makes it.';
COMMENT ON COLUMN ref.gpu.architecture IS 'Generation: Ampere, Hopper, Blackwell, CDNA3, ...';
COMMENT ON COLUMN ref.gpu.form_factor IS 'SXM, PCIe, NVL, OAM, Superchip; null where a group leaves it open or there is one only.';
COMMENT ON COLUMN ref.gpu.edition IS 'server, workstation or max_q, where one name is sold in several; else null.';
COMMENT ON COLUMN ref.gpu.named_apart IS 'True: the plain family name never means this card.';
COMMENT ON COLUMN ref.gpu.kind IS 'datacenter, workstation, consumer, tpu or npu.';
COMMENT ON COLUMN ref.gpu.release_date IS 'Day, month or year of release.';
COMMENT ON COLUMN ref.gpu.memory_gb IS 'Nominal memory in GB; null where a group leaves it open.';
COMMENT ON COLUMN ref.gpu.usable_memory_gb IS 'Least memory that is printed for it, where that is far below nominal.';
COMMENT ON COLUMN ref.gpu.memory_type IS 'HBM2, HBM3, GDDR6, ...';
COMMENT ON COLUMN ref.gpu.mem_bw_gb_s IS 'Memory bandwidth in GB/s.';
COMMENT ON COLUMN ref.gpu.fp16_dense_tflops IS 'Dense FP16 peak in TFLOPS, FP32 accumulation; null where there is no matrix rate.';
COMMENT ON COLUMN ref.gpu.bf16_dense_tflops IS 'Dense BF16 peak in TFLOPS.';
COMMENT ON COLUMN ref.gpu.fp8_dense_tflops IS 'Dense FP8 peak in TFLOPS.';
COMMENT ON COLUMN ref.gpu.fp4_dense_tflops IS 'Dense FP4 peak in TFLOPS.';
COMMENT ON COLUMN ref.gpu.int8_dense_tops IS 'Dense INT8 peak in TOPS.';
COMMENT ON COLUMN ref.gpu.sparse_16bit_tflops IS '16-bit peak with sparsity as advertised: to recognise it, never to compute with it.';
COMMENT ON COLUMN ref.gpu.tdp_w IS 'Thermal design power in W.';
COMMENT ON COLUMN ref.gpu.scaleup_bw_gb_s IS 'NVLink, Infinity Fabric or PCIe bandwidth of one GPU in GB/s.';
COMMENT ON COLUMN ref.gpu.gpus_per_node_typical IS 'GPUs in the usual node.';
COMMENT ON COLUMN ref.gpu.bf16_matmul_achieved_tflops IS 'Measured ceiling of a BF16 matrix product in TFLOPS, where known.';
COMMENT ON COLUMN ref.gpu.trains IS 'Whether LLMs are trained on it: memory, matrix rate and kind allow it.';
COMMENT ON COLUMN ref.gpu.usd_per_gpu_hour_low IS 'USD per GPU-hour below which a price is a unit error.';
COMMENT ON COLUMN ref.gpu.usd_per_gpu_hour_high IS 'USD per GPU-hour above which a price is a unit error.';
COMMENT ON COLUMN ref.gpu.source_confidence IS 'high, medium or low.';
COMMENT ON COLUMN ref.gpu.source IS 'Where the figures are from.';
COMMENT ON COLUMN ref.gpu.note IS 'What to know about the row.';
