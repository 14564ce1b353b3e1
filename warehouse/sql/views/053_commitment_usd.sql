CREATE OR REPLACE MACRO core.term_hours(term_months) AS
    term_months * (SELECT value FROM ref.constant WHERE name = 'hours_per_month');
COMMENT ON MACRO core.term_hours IS 'Hours of a term of so many months.';
CREATE OR REPLACE MACRO core.commitment_usd(pricing, term_months, gpus, wall_days, usd_per_gpu_hour) AS
    CASE
        -- a block is bought in whole days up to 14, then in whole weeks up to 182 days
        WHEN pricing = 'capacity_block' AND wall_days <= 182 THEN
            gpus * usd_per_gpu_hour * 24
            * CASE WHEN wall_days <= 14 THEN greatest(1, ceil(wall_days)) ELSE ceil(ceil(wall_days) / 7) * 7 END
        WHEN term_months > 0 THEN
            gpus * usd_per_gpu_hour * core.term_hours(term_months)
            * greatest(1, ceil(wall_days * 24 / core.term_hours(term_months)))  -- a longer run takes a further term
    END;
COMMENT ON MACRO core.commitment_usd IS 'What the terms or the block that have to be taken for a run cost in all, used or not; null where nothing is committed.';
