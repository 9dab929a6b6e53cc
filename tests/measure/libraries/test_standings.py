"""The report compares like with like, and names what falls behind."""

import dataclasses

import pandas as pd
import pytest

from helpers.measure.libraries import standings, tables


def row(candidate, variant, time_us, elements=1024, role="test", **more):
    place = ("add", "float32", "float32", elements, "graph hot", None)
    return {
        **dict(zip(tables.PLACE, place, strict=True)),
        **{"candidate": candidate, "variant": variant, "time_us": time_us, "role": role},
        **{"ratio": 1.0, "ratio_low": 0.9, "ratio_high": 1.1, "gb_per_s": 1000.0},
        **more,
    }


ROWS = [
    row("course", None, 2.0, ratio=0.8),
    row("course", "programmatic", 1.6, ratio=1.0),
    row("torch", None, 2.1),
    row("Triton", "1024 elements, 4 warps", 2.2),
    row("Triton", "1024 elements, 4 warps, programmatic", 1.6),
    row("course", None, 2.0, elements=7, role="rule"),
    row("torch", None, 1.9, elements=7, role="rule"),
    row("course", None, 2.0, elements=9),  # no library: nothing to compare with
]


@pytest.fixture
def table(tmp_path):
    return dataclasses.replace(tables.COMPARISON, folder=tmp_path).frame(ROWS)


def test_ordinary_launches_are_compared_with_ordinary_ones(table):
    found = standings.standings(table)
    assert found.elements.tolist() == [1024, 7]
    assert found.ordinary.tolist() == pytest.approx([1.05, 0.95])
    assert found["all"].tolist() == [0.8, 1.0] and found.fastest[0] == "Triton"
    assert found.programmatic[0] == 1.0 and pd.isna(found.programmatic[1])


def test_the_report_names_what_falls_behind(table):
    text = standings.report(standings.standings(table))
    lines = text.splitlines()
    assert lines[0] == "test: 1 settings"
    expected = "ordinary launches: median 1.050, from 1.050 to 1.050; at least 0.985 in 1 of 1"
    assert expected in lines[2]
    assert "programmatic, against all: none" in text  # of the rule's cell
    assert "behind: add float32 float32 7 graph hot : 0.950 (torch)" in lines[-1]
    assert text.count("behind") == 1


def test_a_folder_can_be_named(tmp_path, capsys):
    table = dataclasses.replace(tables.COMPARISON, folder=tmp_path)
    table.append([one | {"gpu": "NVIDIA H200", "date": "2026-01-01"} for one in ROWS])
    standings.main([str(tmp_path)])
    assert capsys.readouterr().out.startswith("test: 1 settings\n  graph hot\n")
