CREATE OR REPLACE MACRO core.term_hours(term_months) AS
    term_months * (SELECT value FROM ref.constant WHERE name = 'hours_per_month');
COMMENT ON MACRO core.term_hours IS 'Hours of a term of so many months.';
CREATE OR REPLACE MACRO core.block_rule(rule, provider) AS
    coalesce((SELECT max(value) FROM ref.constant WHERE name = rule || '_' || provider),
        (SELECT max(value) FROM ref.constant WHERE name = rule));
COMMENT ON MACRO core.block_rule IS 'Days of a capacity block by the rule of its provider (capacity_block_... in ref.constant), else by the rule of AWS.';
CREATE OR REPLACE MACRO core.block_too_short(provider, pricing, wall_days) AS
    CASE WHEN pricing = 'capacity_block' AND ceil(wall_days - 1e-9) > core.block_rule('capacity_block_days', provider)
        THEN format('a capacity block ends after {}; the run takes {:,.0f}',
            core.counted(core.block_rule('capacity_block_days', provider), 'day'), wall_days) END;
COMMENT ON MACRO core.block_too_short IS 'Why a run of so many days cannot be done in a block of this provider; null where it can, and where no block is bought.';
CREATE OR REPLACE MACRO core.block_days(days, longest, single) AS
    -- the longest block as often as it takes, and one for the rest: in whole days at first, then in whole weeks
    floor(ceil(days - 1e-9) / longest) * longest
    + CASE WHEN ceil(days - 1e-9) % longest <= single THEN ceil(days - 1e-9) % longest
           ELSE ceil(ceil(days - 1e-9) % longest / 7) * 7 END;
COMMENT ON MACRO core.block_days IS 'Days of the blocks that hold so many days.';
CREATE OR REPLACE MACRO core.commitment_usd(provider, pricing, term_months, gpus, wall_days, experiments, usd_per_gpu_hour) AS
    CASE
        WHEN pricing = 'capacity_block' THEN
            CASE WHEN core.block_too_short(provider, pricing, wall_days) IS NULL THEN
                gpus * usd_per_gpu_hour * 24 * core.block_days(greatest(1, wall_days * experiments),
                    core.block_rule('capacity_block_days', provider),
                    core.block_rule('capacity_block_single_days', provider)) END
        WHEN term_months > 0 THEN
            gpus * usd_per_gpu_hour * core.term_hours(term_months)
            * greatest(1, ceil(wall_days * experiments * 24 / core.term_hours(term_months) - 1e-9))  -- a longer one takes a further term
    END;
COMMENT ON MACRO core.commitment_usd IS 'What the terms or the blocks cost that have to be taken for a run of wall_days and its experiments (a multiplier; 1 without), used or not; null where nothing is committed and where no block holds the run.';
