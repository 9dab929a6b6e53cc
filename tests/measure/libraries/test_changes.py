"""A change of fast.cuh is measured beside fast.cuh, on short calls that may set the rule."""

from types import SimpleNamespace

import torch

from helpers.measure.libraries import changes, interleaved, sweep
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.interleaved import BETWEEN, HOT, Setting
from helpers.measure.libraries.operators import Operator

ADD = Operator.of("add", "float32", "float32")
NAMES = [
    "by the rule",
    "by the rule, branch",
    "by the rule, 32-bit index",
    "by the rule, programmatic",
    "by the rule, programmatic, next at once",
]


def test_the_settings_are_short_calls_of_the_sweep():
    found = changes.short_calls()
    assert found and set(found) < set(sweep.settings())
    for setting in found:
        assert setting.operator.bytes_per_element * setting.elements <= sweep.SHORT_BYTES
        assert not setting.offsets and setting.method != BETWEEN


def test_other_settings_have_several_inputs_and_sizes_of_their_own():
    found = changes.several_inputs()
    assert len(found) == 8 * 6 * 2 == len(set(found) - set(sweep.drawn()))
    assert {setting.operator.kind.arity for setting in found} == {2, 3}


def test_each_change_is_beside_the_unchanged_header(monkeypatch):
    asked = []
    monkeypatch.setattr(changes.operator_peers, "course", lambda *call: asked.append(call))
    changes.candidates(ADD, changes.CHANGES)
    made = [("", 0), ("branch", 0), ("32-bit index", 0), ("", 1), ("next at once", 1)]
    assert asked == [
        (ADD, name, {"programmatic": programmatic}, change)
        for name, (change, programmatic) in zip(NAMES, made, strict=True)
    ]


def test_what_leaving_saves_is_measured_alone(monkeypatch):
    asked = []
    measure = lambda setting, candidates, rounds: (asked.append(candidates), ({}, None))[1]  # noqa: E731
    monkeypatch.setattr(changes.interleaved, "measure", measure)
    monkeypatch.setattr(changes, "candidates", lambda operator, tried: tried)
    for setting in (changes.short_calls()[0], changes.several_inputs()[0]):
        assert list(changes.rows(setting)) == []
    assert asked == [changes.CHANGES, changes.LEAVING]


def test_a_setting_gives_a_row_for_each(fake_gpu, monkeypatch):
    monkeypatch.setattr(interleaved, "_handle", lambda: None)
    course = lambda x, out: lambda: torch.add(*x, out=out)  # noqa: E731
    own = [Candidate("course", "", course, name) for name in NAMES]
    monkeypatch.setattr(changes, "candidates", lambda operator, tried: own)
    rows = list(changes.rows(Setting(ADD, 1 << 12, HOT)))
    assert [row["variant"] for row in rows] == NAMES
    assert set(rows[0]) <= set(changes.TRIED.table.columns)


def test_the_plan(monkeypatch):
    fake = SimpleNamespace(fast="{}{}.cu".format, TRIED=changes.operator_sources.TRIED)
    monkeypatch.setattr(changes, "operator_sources", fake)
    plan = changes.TRIED
    assert plan.module == "helpers.measure.libraries.changes"
    assert plan.table.name == "operator_sweep.csv"
    some = [Setting(ADD, 1 << 12, HOT), Setting(ADD, 1 << 13, HOT)]
    assert {"add.cu", "addbranch.cu", "add32-bit index.cu"} <= set(plan.sources(some))
    assert len(plan.sources(some)) == 5
