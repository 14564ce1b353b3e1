"""Faults that users of such tools reported, each with the test of ours that stands on it, and that test exists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

REPORTED = {
    "spot, Low Priority and Windows meters taken for on demand": (
        "sources/test_azure.py::test_spot_low_priority_and_windows_are_told_apart_although_all_are_consumption"
    ),
    "the total of a reservation taken for an hour": (
        "sources/test_azure.py::test_a_reservation_holds_the_price_of_its_whole_term"
    ),
    "a meter that is not sold yet, at 0": "sources/test_azure.py::test_meters_that_are_not_sold_yet_have_no_price",
    "an announced price taken for the one in force": (
        "sources/test_azure.py::test_the_price_in_force_wins_over_the_past_and_the_announced_one"
    ),
    "meters of other products that double a size": (
        "sources/test_azure.py::test_other_products_under_the_same_size_do_not_double_it"
    ),
    "a 429 in the middle of paging, and a row on a page border": (
        "sources/test_azure_paging.py::test_the_walk_waits_when_told_to_and_an_item_on_a_page_border_counts_once"
    ),
    "the currency of the answer ignored": "sources/test_azure.py::test_an_answer_in_euros_stays_in_euros",
    "a sixth of a card counted as one": "sources/test_azure.py::test_a_share_of_a_card_is_not_a_card",
    "capacity blocks and tenancy taken for on demand": (
        "sources/test_aws_price_list.py::test_only_plain_linux_on_shared_hosts_in_use_is_the_price_of_a_machine"
    ),
    "the upfront fee of a reservation lost": (
        "sources/test_aws_price_list.py::test_reservation_with_an_upfront_part_is_two_rows_and_one_price"
    ),
    "GPU memory and counts as an API misreports them": (
        "sources/test_aws.py::test_memory_and_counts_are_of_whole_cards_whatever_the_api_reports"
    ),
    "nanos without units, and a part for the machine": (
        "sources/test_gcp.py::test_a_machine_costs_its_gpu_and_its_cores_and_its_ram"
    ),
    "the price of all GPUs of an offer taken for one": (
        "sources/test_vast.py::test_price_is_for_all_gpus_of_the_offer_and_without_disk"
    ),
    "nulls where numbers are documented": "sources/test_vast.py::test_nulls_cost_a_price_and_never_the_other_one",
    "a price per GPU divided again": (
        "sources/test_runpod.py::test_every_price_is_per_gpu_and_the_two_clouds_are_two_products"
    ),
    "an error under HTTP 200 taken for an empty list": (
        "sources/test_runpod.py::test_errors_under_200_fail_the_look_even_beside_good_rows"
    ),
    "cents, two A100 sizes and a CPU type in one list": (
        "sources/test_lambda.py::test_the_api_lists_whole_instances_in_cents_with_the_regions_that_have_some"
    ),
    "a valid but empty answer that empties the table": (
        "pipelines/test_failing_sources.py::test_the_last_good_rows_stay_published_with_their_own_date"
    ),
    "a redesigned table read by position": (
        "sources/test_tables.py::test_a_redesigned_table_is_reported_and_never_read_by_position"
    ),
    "struck-out, monthly, from and sold-out price cells": (
        "sources/test_reading.py::test_eight_kinds_of_price_cells_are_told_apart"
    ),
    "prices in hundred millionths, before tax": (
        "sources/test_ovh.py::test_integers_are_hundred_millionths_before_tax_and_a_month_is_730_hours"
    ),
    "the stock of spot taken for that of on demand": (
        "sources/test_shadeform.py::test_a_free_spot_region_is_not_an_on_demand_one"
    ),
    "the memory of all cards taken for that of one": (
        "sources/test_digitalocean.py::test_memory_is_that_of_all_cards_and_each_region_is_an_offer"
    ),
    "an unknown card guessed or dropped": (
        "sources/test_shadeform.py::test_an_unknown_card_is_held_with_its_name_beside_a_known_one"
    ),
    "prices a hundredfold or an eighth of yesterday's published": (
        "pipelines/test_held_prices.py::test_a_broken_page_is_held_back_and_a_real_cut_is_not"
    ),
    "spot and on-demand columns swapped": (
        "models/test_normalise_rivals.py::test_spot_above_on_demand_holds_both_rows_of_that_machine_only"
    ),
    "a copy of nine days ago dated today": (
        "pipelines/test_dirty_lists.py::test_a_copy_from_nine_days_ago_is_never_dated_today"
    ),
    "a node's price per GPU, a sparse peak, 40 for 0.40 in a training cost": (
        "models/training/test_estimate.py::test_a_dense_7b_on_140b_tokens_on_eight_gpu_nodes"
    ),
    "NaN, none and 0 as the cheapest price": (
        "pipelines/test_dirty_lists.py::test_nothing_that_is_no_price_is_ever_the_cheapest_or_in_an_average"
    ),
    "an open reader that stops the load": (
        "warehouse/test_two_programs.py::test_a_person_in_the_private_file_is_waited_for_so_long_and_then_named"
    ),
    "a tick lost or doubled when the clocks change": (
        "pipelines/test_definitions.py::test_schedules_are_on_by_default_in_utc"
    ),
    "columns and decimals that appear after the first rows": (
        "pipelines/test_dirty_lists.py::test_prices_and_columns_that_appear_late_are_all_there"
    ),
    "dates with offsets read in the zone of the machine": (
        "models/test_moments.py::test_the_same_moment_whatever_the_zone_of_the_machine"
    ),
}


@pytest.mark.parametrize("fault", REPORTED)
def test_every_reported_fault_has_its_test(fault: str):
    file, _, name = REPORTED[fault].partition("::")
    tree = ast.parse((Path(__file__).parents[1] / file).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
