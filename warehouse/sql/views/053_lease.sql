CREATE OR REPLACE MACRO core.term_hours(term_months) AS
    term_months * (SELECT value FROM ref.constant WHERE name = 'hours_per_month');
COMMENT ON MACRO core.term_hours IS 'Hours of a term of so many months.';
CREATE OR REPLACE MACRO core.block_rule(rule, provider) AS
    coalesce((SELECT max(value) FROM ref.constant WHERE name = rule || '_' || provider),
        (SELECT max(value) FROM ref.constant WHERE name = rule));
COMMENT ON MACRO core.block_rule IS 'Days of a capacity block by the rule of its provider (capacity_block_... in ref.constant), else by the rule of AWS.';
CREATE OR REPLACE MACRO core.lease_of(provider, pricing, minimum_hours, offered_days) AS
    CASE WHEN pricing = 'capacity_block' THEN {
            longest: core.block_rule('capacity_block_days', provider), single: core.block_rule('capacity_block_single_days', provider),
            least_hours: NULL
        } WHEN minimum_hours IS NOT NULL OR offered_days IS NOT NULL THEN {
            longest: CAST(offered_days AS DOUBLE), single: NULL, least_hours: CAST(minimum_hours AS DOUBLE)
        } END;
COMMENT ON MACRO core.lease_of IS 'For how long an offer is rented beside its term: the most days, the least hours; of a capacity block also up to how many days it is sold by the day. Null where nothing is said. Looked up once an offer: it is slow.';
CREATE OR REPLACE MACRO core.offered_days(offered_until, since) AS
    CASE WHEN offered_until IS NOT NULL THEN greatest(0, offered_until - CAST(since AT TIME ZONE 'UTC' AS DATE)) END;
COMMENT ON MACRO core.offered_days IS 'Whole days from a moment, now or the one that is asked about, to the last day on which an offer can be had.';
CREATE OR REPLACE MACRO core.days_in_lease(lease, wall_days, experiments) AS
    -- experiments may have blocks of their own; a host that takes its machine back takes it from them too
    ceil(wall_days * CASE WHEN lease.single IS NULL THEN experiments ELSE 1 END - 1e-9);
COMMENT ON MACRO core.days_in_lease IS 'Whole days that have to lie within the lease: the run, and where no block is bought its experiments (a multiplier; 1 without).';
CREATE OR REPLACE MACRO core.lease_too_short(lease, wall_days, experiments) AS
    CASE WHEN lease.longest = 0 THEN 'no whole day of the offer is left'
        WHEN core.days_in_lease(lease, wall_days, experiments) > lease.longest
        THEN format('{} ends after {}; the run {} {:,.0f}',
            CASE WHEN lease.single IS NULL THEN 'the offer' ELSE 'a capacity block' END, core.counted(lease.longest, 'day'),
            CASE WHEN lease.single IS NULL AND experiments > 1 THEN 'and its experiments take' ELSE 'takes' END,
            wall_days * CASE WHEN lease.single IS NULL THEN experiments ELSE 1 END) END;
COMMENT ON MACRO core.lease_too_short IS 'Why a run of so many days cannot be done there (core.lease_of): the block, or the offer, ends before; null where it can.';
CREATE OR REPLACE MACRO core.block_days(days, longest, single) AS
    -- the longest block as often as it takes, and one for the rest: in whole days at first, then in whole weeks
    floor(ceil(days - 1e-9) / longest) * longest
    + CASE WHEN ceil(days - 1e-9) % longest <= single THEN ceil(days - 1e-9) % longest
           ELSE ceil(ceil(days - 1e-9) % longest / 7) * 7 END;
COMMENT ON MACRO core.block_days IS 'Days of the blocks that hold so many days.';
CREATE OR REPLACE MACRO core.commitment_usd(lease, term_months, gpus, wall_days, experiments, usd_per_gpu_hour) AS
    CASE
        WHEN core.days_in_lease(lease, wall_days, experiments) > lease.longest THEN NULL
        WHEN lease.single IS NOT NULL THEN
            gpus * usd_per_gpu_hour * 24 * core.block_days(greatest(1, wall_days * experiments), lease.longest, lease.single)
        WHEN term_months > 0 THEN
            gpus * usd_per_gpu_hour * core.term_hours(term_months)
            * greatest(1, ceil(wall_days * experiments * 24 / core.term_hours(term_months) - 1e-9))  -- a longer one takes a further term
        WHEN wall_days * experiments * 24 < lease.least_hours THEN gpus * usd_per_gpu_hour * lease.least_hours
    END;
COMMENT ON MACRO core.commitment_usd IS 'What has to be taken for a run of wall_days and its experiments (a multiplier; 1 without), used or not: whole terms or blocks, or the shortest rental where the run is shorter; null where nothing is, and where the offer or the block ends before the run.';
