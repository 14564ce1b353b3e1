CREATE OR REPLACE MACRO core.term_hours(term_months) AS
    term_months * (SELECT value FROM ref.constant WHERE name = 'hours_per_month');
COMMENT ON MACRO core.term_hours IS 'Hours of a term of so many months.';
CREATE OR REPLACE MACRO core.block_rule(rule, provider) AS
    coalesce((SELECT max(value) FROM ref.constant WHERE name = rule || '_' || provider),
        (SELECT max(value) FROM ref.constant WHERE name = rule));
COMMENT ON MACRO core.block_rule IS 'Days of a capacity block by the rule of its provider (capacity_block_... in ref.constant), else by the rule of AWS.';
CREATE OR REPLACE MACRO core.block_of(provider, pricing) AS
    CASE WHEN pricing = 'capacity_block' THEN {
        longest: core.block_rule('capacity_block_days', provider), single: core.block_rule('capacity_block_single_days', provider)
    } END;
COMMENT ON MACRO core.block_of IS 'How long a capacity block may be, and up to how many days it is sold by the day; null for every other kind of price. Looked up once an offer: it is slow.';
CREATE OR REPLACE MACRO core.block_too_short(block, wall_days) AS
    CASE WHEN ceil(wall_days - 1e-9) > block.longest
        THEN format('a capacity block ends after {}; the run takes {:,.0f}', core.counted(block.longest, 'day'), wall_days) END;
COMMENT ON MACRO core.block_too_short IS 'Why a run of so many days cannot be done in a block (core.block_of); null where it can, and where no block is bought.';
CREATE OR REPLACE MACRO core.block_days(days, longest, single) AS
    -- the longest block as often as it takes, and one for the rest: in whole days at first, then in whole weeks
    floor(ceil(days - 1e-9) / longest) * longest
    + CASE WHEN ceil(days - 1e-9) % longest <= single THEN ceil(days - 1e-9) % longest
           ELSE ceil(ceil(days - 1e-9) % longest / 7) * 7 END;
COMMENT ON MACRO core.block_days IS 'Days of the blocks that hold so many days.';
CREATE OR REPLACE MACRO core.commitment_usd(block, term_months, gpus, wall_days, experiments, usd_per_gpu_hour) AS
    CASE
        WHEN ceil(wall_days - 1e-9) <= block.longest THEN
            gpus * usd_per_gpu_hour * 24 * core.block_days(greatest(1, wall_days * experiments), block.longest, block.single)
        WHEN block IS NULL AND term_months > 0 THEN
            gpus * usd_per_gpu_hour * core.term_hours(term_months)
            * greatest(1, ceil(wall_days * experiments * 24 / core.term_hours(term_months) - 1e-9))  -- a longer one takes a further term
    END;
COMMENT ON MACRO core.commitment_usd IS 'What the terms or the blocks (core.block_of) cost that have to be taken for a run of wall_days and its experiments (a multiplier; 1 without), used or not; null where nothing is committed and where no block holds the run.';
