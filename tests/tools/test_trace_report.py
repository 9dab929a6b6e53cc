"""The report on the trace: its three parts, without building a kernel."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers.emulator.trace import Trace
from helpers.errors import FaultKind, KernelFault
from helpers.measure.trace_workloads import WORKLOADS
from tools import trace_report

BY_LABEL = {one.label: one for one in WORKLOADS}
RACY = replace(Trace(), faults=(KernelFault("k.cu: a race", kind=FaultKind.RACE),))


def test_workloads_are_left_in_peace_but_the_one_that_has_a_race(monkeypatch):
    seen = {"warp_sync.swap_unsynced": RACY, "op_relu.relu": RACY}
    compare = trace_report.trace_compare
    monkeypatch.setattr(compare, "traced", lambda one: seen.get(one.label, Trace()))
    monkeypatch.setattr(compare, "line", lambda one, _: one.label)
    chosen = [BY_LABEL[name] for name in (*seen, "warp_sync.swap_synced")]
    assert list(trace_report.counters(chosen)) == [
        *("warp_sync.swap_unsynced", "    a race, as meant: k.cu: a race"),
        *("op_relu.relu", "    a race, NOT EXPLAINED: k.cu: a race"),
        *("warp_sync.swap_synced", "3 workloads, 1 of them left in peace"),
    ]


def test_planted_races_and_their_right_twins(monkeypatch):
    names = ("one", "one_right", "two_racy", "two_right", "three", "three_right", "other")
    kernel = SimpleNamespace(launchers={name: name for name in names})
    monkeypatch.setattr(trace_report, "load_traced", lambda path: (kernel, {}))
    faulty = {"one": "lost", "two_racy": "late", "two_right": "wrong"}
    monkeypatch.setattr(trace_report, "first_fault", lambda name: faulty.get(name, ""))
    assert list(trace_report.races([Path("races.cu")])) == [
        *("one: lost", "two: late", "    two_right, WHICH IS RIGHT: wrong"),
        *("three: NOT FOUND", "2 of 3 races found, 2 of 3 right twins left in peace"),
    ]
    assert len(list(trace_report.races([Path("races.cu")], ["tw"]))) == 3
    assert all((trace_report.KERNELS / name).is_file() for name in trace_report.PLANTED)


def test_a_fault_that_ends_the_kernel_counts_as_found(monkeypatch):
    def trace(launcher, x, out):
        assert x.numel() == out.numel() == 1024 and float(x.max()) == 199
        if launcher == "ends":
            raise KernelFault("a barrier", kind=FaultKind.BARRIER)
        return launcher

    monkeypatch.setattr(trace_report, "trace", trace)
    found = [trace_report.first_fault(one) for one in ("ends", RACY, Trace())]
    assert found == ["a barrier", "k.cu: a race", ""]


@pytest.mark.parametrize(
    ("label", "want"),
    [
        ("v1_f32.add block_size=256", "v1_f32.add n=65536 block_size=256"),
        ("divergence.branch steps=7", "divergence.branch n=65536 steps=7"),
        ("bank_conflicts.strided_walk n=1024 stride=2 rounds=20", None),
        ("layer_norm.layer_norm rows=9 cols=96", ""),
    ],
)
def test_the_workloads_of_65536_elements(label, want):
    one = trace_report.enlarged(BY_LABEL[label])
    if want == "":
        assert one is None
    else:
        assert one.label == (want or label.replace("n=1024", "n=65536"))
        assert max(x.numel() for x in one.tensors()) == 65536


def test_the_longest_time_stands_below(monkeypatch):
    launchers = {"add": None, "branch": None}
    kernel = SimpleNamespace(launchers=launchers)
    monkeypatch.setattr(trace_report, "load_traced", lambda path: (kernel, {}))
    monkeypatch.setattr(trace_report, "trace", lambda *_, **__: None)
    clock = iter((1.0, 1.25, 2.0, 3.5))
    monkeypatch.setattr(trace_report.time, "process_time", lambda: next(clock))
    chosen = [BY_LABEL[k] for k in ("v1_f32.add block_size=256", "divergence.branch steps=7")]
    assert list(trace_report.times(chosen)) == [
        "  0.25 s  v1_f32.add n=65536 block_size=256",
        "  1.50 s  divergence.branch n=65536 steps=7",
        "at most 1.50 s of CPU time: divergence.branch n=65536 steps=7",
    ]
    assert list(trace_report.times([])) == ["none of this size"]


def test_the_parts_that_are_asked_for(monkeypatch, capsys):
    monkeypatch.setattr(trace_report, "counters", lambda chosen: [f"{len(list(chosen))} w"])
    monkeypatch.setattr(trace_report, "races", lambda files, words: [f"{len(files)} {words}"])
    monkeypatch.setattr(trace_report, "times", lambda chosen: ["t"])
    assert trace_report.main([]) == 0
    printed = f"== counters\n{len(WORKLOADS)} w\n== races\n3 []\n== times\nt\n"
    assert capsys.readouterr().out == printed
    trace_report.main(["races", "counters", "--only", "v1_f32", "op_relu"])
    assert capsys.readouterr().out == "== races\n3 ['v1_f32', 'op_relu']\n== counters\n3 w\n"
    with pytest.raises(SystemExit):
        trace_report.main(["raced"])
    assert "no part ['raced']: counters, races, times" in capsys.readouterr().err
