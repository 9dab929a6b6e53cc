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
        **{"ratio": 1.0, "ratio_low": 0.9, "ratio_high": 1.1},
        **more,
    }


ROWS = [
    row("course", None, 2.0, ratio=0.8, ordinary_low=1.02, ordinary_high=1.08),
    row("course", "programmatic", 1.6, ratio=1.0),
    row("torch", None, 2.1),
    row("Triton", "1024 elements, 4 warps", 2.2),
    row("Triton", "1024 elements, 4 warps, programmatic", 1.6),
    row("course", None, 2.0, elements=7, role="rule"),  # no interval was recorded
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


def test_the_sentences_leave_out_the_cells_that_set_the_rule(table):
    lines = standings.sentences(standings.standings(table))
    assert lines == [
        "1 cells of 1 operators, which had no part in the tuning: ordinary launches median "
        "1.050x, from 1.050x to 1.050x; programmatic ones, against every launch of every "
        "library, median 1.000x, from 1.000x to 1.000x",
        "behind by more than 1.5%: 0 of them (ordinary), 0 with the whole 95% interval",
    ]


def test_a_cell_whose_whole_interval_lies_below_the_line_is_counted(tmp_path):
    some = [
        row("course", None, 2.0, elements=n, ordinary_low=low, ordinary_high=low + 0.02)
        for n, low in ((1, 0.93), (2, 0.97), (3, 0.99))
    ]
    some += [row("torch", None, 1.95 + 0.05 * (n == 3), elements=n) for n in (1, 2, 3)]
    some.append(row("course", "programmatic", 1.9, elements=1))
    table = dataclasses.replace(tables.COMPARISON, folder=tmp_path).frame(some)
    found = standings.standings(table)
    words = "behind by more than 1.5%: 2 of them (ordinary), 1 with the whole 95% interval"
    assert standings.sentences(found)[1] == words
    report = standings.report(found)
    assert "add float32 float32 1 graph hot : 0.975 [0.930, 0.950] (torch)" in report
    assert "; 1 programmatic ones, against every launch" in standings.sentences(found)[0]


def test_the_sentences_part_slices_and_neighbours():
    found = pd.DataFrame(
        {
            "operator": "add",
            "role": ["test", "test", "slice", *4 * ["neighbour"]],
            "method": ["graph hot", *2 * ["graph cold"], *3 * ["alone"], "graph between"],
            "ordinary": [0.98, 1.1, 0.9, 0.95, 0.97, 1.0, 2.0],
            "programmatic": [1.0, 1.2, 1.0, 1.0, 1.0, 1.0, 1.0],
            "ordinary_high": None,
        }
    )
    behind, slices, between, alone = standings.sentences(found)[1:]
    assert behind == "behind by more than 1.5%: 1 of them (ordinary)"
    assert slices == "slices: 1 settings, median 0.900x, from 0.900x to 0.900x"
    once = "1 settings, median 2.000x, from 2.000x to 2.000x"
    assert between == f"between PyTorch's kernels: {once}"
    assert alone == "alone, L2 flushed: 3 settings, median 0.970x, from 0.950x to 1.000x"


def test_a_folder_can_be_named(tmp_path, capsys):
    table = dataclasses.replace(tables.COMPARISON, folder=tmp_path)
    table.append([one | {"gpu": "NVIDIA H200", "date": "2026-01-01"} for one in ROWS])
    standings.main([str(tmp_path)])
    assert capsys.readouterr().out.startswith("test: 1 settings\n  graph hot\n")


@pytest.mark.parametrize(
    ("argument", "status", "said"),
    [("--help", 0, "usage: "), ("nowhere", 2, "there is no folder nowhere")],
)
def test_help_and_a_folder_that_is_not_there(capsys, argument, status, said):
    with pytest.raises(SystemExit) as end:
        standings.main([argument])
    told = capsys.readouterr()
    assert end.value.code == status and said in told.out + told.err


def test_each_card_has_a_report_of_its_own(tmp_path, capsys):
    table = dataclasses.replace(tables.COMPARISON, folder=tmp_path)
    for card in ("NVIDIA H200", "NVIDIA L4"):
        table.append([one | {"gpu": card, "date": "2026-01-01"} for one in ROWS])
    standings.main([str(tmp_path)])
    told = capsys.readouterr().out
    assert told.startswith("NVIDIA H200:\ntest: 1 settings\n")
    assert told.count("NVIDIA L4:\ntest: 1 settings\n") == 1
    with pytest.raises(ValueError, match="of 2 cards"):
        standings.standings(table.load())


def test_the_whole_report():
    some = [
        {"role": "rule", "method": "graph hot", "ordinary": 0.985, "programmatic": 1.0},
        {"role": "rule", "method": "graph hot", "ordinary": 0.9, "programmatic": None},
        {"role": "rule", "method": "graph cold", "ordinary": 0.98, "programmatic": 0.5},
        {"role": "neighbour", "method": "alone", "ordinary": 2.0, "programmatic": 0.985},
    ]
    place = {"operator": "add", "dtype": "a", "out_dtype": "b", "elements": 1234}
    place |= {"offsets": "1 0 0", "fastest": "CUB", "ordinary_high": None}
    assert standings.report(pd.DataFrame([place | one for one in some])).splitlines() == [
        "rule: 3 settings",
        "  graph hot",
        "    ordinary launches: median 0.943, from 0.900 to 0.985; at least 0.985 in 1 of 2",
        "    programmatic, against all: median 1.000, from 1.000 to 1.000; "
        "at least 0.985 in 1 of 1",
        "  graph cold",
        "    ordinary launches: median 0.980, from 0.980 to 0.980; at least 0.985 in 0 of 1",
        "    programmatic, against all: median 0.500, from 0.500 to 0.500; "
        "at least 0.985 in 0 of 1",
        "    behind: add a b 1,234 graph hot 1 0 0: 0.900 (CUB)",
        "    behind: add a b 1,234 graph cold 1 0 0: 0.980 (CUB)",
        "neighbour: 1 settings",
        "  alone",
        "    ordinary launches: median 2.000, from 2.000 to 2.000; at least 0.985 in 1 of 1",
        "    programmatic, against all: median 0.985, from 0.985 to 0.985; "
        "at least 0.985 in 1 of 1",
    ]


def test_a_standing_has_the_numbers_of_the_course_s_ordinary_launch(table):
    first = standings.standings(table).iloc[0]
    assert (first["role"], first["low"], first["high"]) == (
        "test",
        0.9,
        1.1,
    )
    assert (first["operator"], first["offsets"]) == ("add", "")


def test_the_roles_come_in_the_order_of_what_they_tell():
    assert standings.ROLES == ("test", "rule", "slice", "neighbour", "view")


def test_a_library_with_programmatic_launches_only_is_no_peer_of_ordinary_ones(tmp_path):
    some = [row("course", None, 2.0), row("Triton", "a, programmatic", 1.0)]
    some += [
        row("course", "programmatic", 2.0, elements=5),
        row("torch", None, 1.0, elements=5),
    ]
    table = dataclasses.replace(tables.COMPARISON, folder=tmp_path).frame(some)
    assert standings.standings(table).empty


def test_of_several_commits_the_last_one_counts(tmp_path):
    table = dataclasses.replace(tables.COMPARISON, folder=tmp_path)
    common = {"gpu": "NVIDIA H200", "date": "2026-01-01"}
    table.append([one | common | {"commit": "b"} for one in ROWS])
    faster = [row("course", None, 1.0), row("torch", None, 1.5)]
    table.append([one | common | {"commit": "a"} for one in faster])
    found = standings.standings(table.load())
    assert found.ordinary.tolist() == pytest.approx([0.95, 1.5])
