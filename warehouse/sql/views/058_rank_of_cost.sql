CREATE OR REPLACE MACRO core.rank_of_cost(in_stock, total_usd, commitment_usd, setup_usd, offer_key) AS
    row(in_stock IS NOT DISTINCT FROM false, greatest(total_usd, commitment_usd + setup_usd), offer_key);
COMMENT ON MACRO core.rank_of_cost IS 'Of feasible offers the least of these is chosen: what was not free at the last look comes last; a term is paid to its end.';
