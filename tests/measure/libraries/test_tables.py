"""The tables of the operators' measurements have the columns that their rows fill."""

import dataclasses

import pytest

from helpers.measure.libraries import tables

PLACE = ("add", "float32", "float32", 1 << 20, "graph hot", "")


@pytest.mark.parametrize("table", [tables.SWEEP, tables.COMPARISON], ids=lambda one: one.name)
def test_a_row_is_written_and_read(table, tmp_path):
    here = dataclasses.replace(table, folder=tmp_path)
    row = dict(zip(tables.PLACE, PLACE, strict=True))
    row |= {"gpu": "NVIDIA H200", "date": "2026-01-01", "candidate": "course"}
    here.append([row | {"time_us": 1.23456, "watts": 600.4}])
    (read,) = here.load(gpu="H200").to_dict("records")
    assert (read["time_us"], read["watts"], read["elements"]) == (1.235, 600, 1 << 20)
    assert set(table.key) <= set(table.columns)


def test_the_comparison_has_a_ratio_with_its_interval_and_the_cells_role():
    extra = [name for name in tables.COMPARISON.columns if name not in tables.SWEEP.columns]
    ends = ("", "_low", "_high")
    assert extra == ["role", *(name + end for name in ("ratio", "ordinary") for end in ends)]


@pytest.mark.parametrize("table", [tables.SWEEP, tables.COMPARISON], ids=lambda one: one.name)
def test_the_committed_file_is_as_declared(table, check_declaration):
    assert len(check_declaration(table)) > 500


def test_the_keys_and_decimals():
    place = ("operator", "dtype", "out_dtype", "elements", "method", "offsets")
    assert place == tables.PLACE
    assert tables.SWEEP.key == ("gpu", *place, "candidate", "variant")
    assert tables.COMPARISON.key == ("gpu", "date", "commit", *place, "candidate", "variant")
    rounded = {"time_us": 3, "low_us": 3, "high_us": 3, "watts": 0}
    assert tables.SWEEP.decimals == rounded
    ends = ("", "_low", "_high")
    ratios = {name + end: 4 for name in ("ratio", "ordinary") for end in ends}
    assert tables.COMPARISON.decimals == rounded | ratios
