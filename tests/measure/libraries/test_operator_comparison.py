"""The comparison has every drawn cell, and keeps the fastest of each library and launch."""

from collections import Counter

import pytest
import torch

from helpers.measure.libraries import cells, interleaved, operator_comparison, sweep, tables
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.interleaved import ALONE, HOT, Setting
from helpers.measure.libraries.operators import Operator
from helpers.measure.timing import Times

ADD = Operator.of("add", "float32", "float32")
SETTING = Setting(ADD, 1 << 20, HOT)
STATE = interleaved.State(1980, 3201, 600.0, "")


def candidate(name, variant=""):
    return Candidate(
        name, "1", lambda inputs, out: lambda: torch.add(*inputs, out=out), variant
    )


def times(us):
    return Times(tuple((us,) for _ in range(5)))


def test_every_drawn_cell_is_there_with_its_role():
    roles = operator_comparison.roles()
    counts = {"test": 128, "rule": 64, "slice": 52, "neighbour": 32, "view": 110}
    assert Counter(roles.values()) == counts
    for cell in cells.draw():
        operator = Operator.of(cell.operator, cell.dtype, cell.out_dtype)
        assert roles[Setting(operator, cell.elements, cell.method)] == cell.role
    settings = operator_comparison.settings()
    assert settings == operator_comparison.settings() and set(settings) == set(roles)
    assert Counter(roles[setting] for setting in settings[:322])["rule"] == 0
    assert Counter(roles[setting] for setting in settings[:100])["test"] in range(35, 80)


def test_the_fastest_of_each_library_and_launch_is_kept():
    measured = {
        candidate("course"): times(1.0),
        candidate("course", "programmatic"): times(0.8),
        candidate("Triton", "a"): times(1.3),
        candidate("Triton", "b"): times(1.2),
        candidate("Triton", "a, programmatic"): times(0.9),
        candidate("torch"): times(1.1),
    }
    rows = operator_comparison.rows_of(SETTING, "test", measured, STATE)
    found = {(row["candidate"], row["variant"]): row for row in rows}
    assert set(found) == {
        ("course", None),
        ("course", "programmatic"),
        ("Triton", "b"),
        ("Triton", "a, programmatic"),
        ("torch", None),
    }
    assert found["course", None]["ratio"] == pytest.approx(0.9)
    assert found["course", "programmatic"]["ratio_low"] == pytest.approx(1.125)
    ours = [found["course", None][name] for name in ("ordinary", "ordinary_low")]
    assert ours == pytest.approx([1.1, 1.1])  # of the libraries' ordinary launches
    assert found["Triton", "b"]["ordinary"] == pytest.approx(1.1 / 1.2)
    assert "ordinary" not in found["course", "programmatic"]
    first = found["torch", None]
    assert (first["role"], first["sm_mhz"], first["watts"]) == ("test", 1980, 600.0)
    assert set(first) <= set(tables.COMPARISON.columns)


def test_without_a_library_there_is_no_ratio():
    (row,) = operator_comparison.rows_of(
        SETTING, "test", {candidate("course"): times(1)}, STATE
    )
    assert "ratio" not in row


def test_a_missing_library_is_said(monkeypatch, capsys):
    def missing(operator):
        raise ImportError("no module named triton")

    peers = operator_comparison.operator_peers
    monkeypatch.setattr(
        peers, "course", lambda operator, name, knobs: candidate("course", name)
    )
    monkeypatch.setattr(peers, "compiled", lambda operator: [candidate("torch.compile")])
    monkeypatch.setattr(peers, "triton", missing)
    monkeypatch.setattr(peers, "cub", lambda operator: [candidate("CUB")])
    names = [str(one) for one in operator_comparison.candidates(ADD)]
    assert names == ["course", "course, programmatic", "torch", "torch.compile", "CUB"]
    assert "without missing: ImportError: no module named triton" in capsys.readouterr().out


def test_alone_launches_stand_behind_a_flush(fake_gpu, monkeypatch):
    monkeypatch.setattr(interleaved, "_handle", lambda: None)
    monkeypatch.setattr(interleaved, "ALONE_ROUNDS", 4)
    fake_gpu.us = lambda k: 1000.0 if k % 2 == 0 else 7.0
    some = [candidate("course"), candidate("torch")]
    took, _ = interleaved.measure(SETTING._replace(method=ALONE), some, rounds=2)
    assert fake_gpu.captured == []
    assert [one.median_us for one in took.values()] == [7.0, 7.0]
    assert len(took[some[0]].samples) == 2 * 4


def test_sources_are_ours_and_cubs(monkeypatch):
    settings = operator_comparison.settings()
    names = [path.name for path in operator_comparison.sources(settings)]
    assert {"copy.cu", "add_views.cu", "cub_add.cu"} <= set(names)
    assert "cub_bias_gelu_residual.cu" not in names and len(names) == 19 + 2 + 18
    one = [setting for setting in settings if setting.operator.name == "tanh"]
    names = [path.name for path in operator_comparison.sources(one)]
    assert names == ["tanh.cu", "cub_tanh.cu"]
    assert sweep.SWEEP.table.name == "operator_sweep.csv"


def test_the_neighbours_are_between_kernels_or_alone():
    roles = operator_comparison.roles()
    found = {s for s, role in roles.items() if role == "neighbour"}
    some = [("add", "float32"), ("add", "float16"), ("relu", "float16"), ("sigmoid", "float16")]
    assert found == {
        Setting(Operator.of(name, dtype, dtype), 1 << power, method)
        for name, dtype in some
        for power in (16, 20, 22, 24)
        for method in ("graph between", "alone")
    }


def test_the_order_is_that_of_the_seed():
    names = [str(setting) for setting in operator_comparison.settings()]
    assert names[:3] == [
        "lerp float16, 67,108,864, graph cold",
        "add odd row float32, 65,601,536, graph cold",
        "silu float32, 262,144, graph hot",
    ]
    assert names[-1] == "cast float32 to bfloat16, 4,194,304, graph hot"


def test_a_setting_is_measured_in_four_places_with_its_role(monkeypatch):
    asked = []

    def measure(*given):
        asked.append(given)
        return {candidate("course"): times(2.0), candidate("torch"): times(3.0)}, STATE

    monkeypatch.setattr(interleaved, "measure", measure)
    monkeypatch.setattr(operator_comparison, "candidates", lambda operator: [operator])
    roles = operator_comparison.roles()
    setting = next(one for one, role in roles.items() if role == "slice")
    course, torch_ = operator_comparison.rows(setting)
    assert asked == [(setting, [setting.operator], 4, operator_comparison.ahead.turn, 4)]
    assert (course["role"], course["ratio"], torch_["ratio"]) == ("slice", 1.5, 1.0)
    assert course["ratio_low"] == course["ratio_high"] == 1.5


def test_both_launches_of_ours_are_candidates(monkeypatch):
    given = []
    peers = operator_comparison.operator_peers
    monkeypatch.setattr(peers, "course", lambda *words: given.append(words))
    for name in ("eager", "compiled", "triton", "cub"):
        monkeypatch.setattr(peers, name, lambda operator: [])
    operator_comparison.candidates(ADD)
    assert given == [
        (ADD, "", {"programmatic": 0}),
        (ADD, "programmatic", {"programmatic": 1}),
    ]


def test_the_plan_of_the_comparison():
    plan = operator_comparison.COMPARISON
    assert plan.module == "helpers.measure.libraries.operator_comparison"
    assert plan.table is tables.COMPARISON and plan.key == tables.PLACE
    assert plan.prepare is operator_comparison.operator_peers.prepare
