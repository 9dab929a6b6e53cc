"""The trace against ncu's counters of the H200: every counter equal, or its reason stated."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from helpers import paths
from helpers.emulator.trace import Branch, Line, Trace
from helpers.measure import trace_compare
from helpers.measure.trace_workloads import WORKLOADS
from helpers.run.signature import declarations
from helpers.run.trace import load_traced, trace

# Files that CI builds, into one library: each kind of access, of conflict and of branch.
IN_CI = (
    *("v2_f32x4", "v5_f16x8", "v6_f16x8_pack", "bank_conflicts", "divergence", "warp_sync"),
    *("access_patterns", "widths", "shared_widths", "branches", "cooperation", "addresses"),
    *("ways", "indexed_pack", "template_flags", "sums"),
)


def one_file(paths):
    """Put several .cu files into one, each in a namespace, launchers renamed STEM__NAME."""
    includes, parts = {}, []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for line in re.findall(r"^#include .*$", text, flags=re.M):
            here = re.sub(r'"(.*)"', lambda found, at=path.parent: f'"{at / found[1]}"', line)
            includes[here] = None
        text = re.sub(r"^#include .*$", "//", text, flags=re.M)  # so that lines stay
        names = "|".join(declarations(text, path.name))
        text = re.sub(rf"(?<![.\w:])({names})(?= *\()", rf"{path.stem}__\1", text)
        parts.append(f"namespace of_{path.stem} {{\n{text}\n}}")
    return "\n".join([*includes, *parts])


class Traced:
    """Traces of workloads from one library, each made once."""

    def __init__(self, kernels, folder):
        paths = sorted({w.path for w in WORKLOADS if w.kernel in kernels})
        file = folder / "all.cu"
        text = one_file(paths)
        file.write_text(text, encoding="utf-8")
        lines = text.splitlines()
        self.above = {
            path.stem: lines.index(f"namespace of_{path.stem} {{") + 1 for path in paths
        }
        self.launchers = load_traced(file)[0].launchers
        self.seen = {}

    def of(self, path):
        """Return the launchers of one of the files by their own names, as a kernel has them."""
        start = f"{path.stem}__"
        own = {
            k.removeprefix(start): v for k, v in self.launchers.items() if k.startswith(start)
        }
        return SimpleNamespace(launchers=own)

    def __call__(self, workload):
        if workload.label not in self.seen:
            launcher = self.launchers[f"{workload.kernel}__{workload.launcher}"]
            tensors, card = workload.tensors(), trace_compare.GPU
            seen = trace(launcher, *tensors, card=card, **workload.arguments)
            above = self.above[workload.kernel]
            moved = [replace(b, line=Line("", b.line.number - above)) for b in seen.branches]
            self.seen[workload.label] = replace(seen, branches=tuple(moved))
        return self.seen[workload.label]


@pytest.fixture(scope="module")
def in_ci(tmp_path_factory):
    return Traced(IN_CI, tmp_path_factory.mktemp("traced"))


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    kernels = {w.kernel for w in WORKLOADS} - set(IN_CI)
    return Traced(kernels, tmp_path_factory.mktemp("others"))


def unexplained(workload, seen):
    record = trace_compare.recorded(workload.label)
    found = trace_compare.differences(workload.label, seen, record)
    stated = any(workload.label.startswith(start) for start in trace_compare.DIFFERENT)
    assert any(one.reason for one in found) == stated  # a reason of which no need is left
    return [one for one in found if not one.reason]


@pytest.mark.parametrize(
    "workload", [w for w in WORKLOADS if w.kernel in IN_CI], ids=lambda w: w.label
)
def test_the_trace_equals_the_counters(workload, in_ci):
    assert unexplained(workload, in_ci(workload)) == []


@pytest.mark.stress
@pytest.mark.parametrize(
    "workload",
    [w for w in WORKLOADS if w.kernel not in IN_CI],
    ids=lambda w: w.label,
)
def test_the_trace_equals_the_counters_of_the_other_kernels(workload, others):
    assert unexplained(workload, others(workload)) == []


@pytest.mark.parametrize("label", trace_compare.BRANCHES)
def test_branches_of_the_machine_code_diverge_as_often(label, in_ci):
    (workload,) = [one for one in WORKLOADS if one.label == label]
    record = trace_compare.recorded(label)
    assert trace_compare.branches(label, in_ci(workload), record) == []


def test_two_files_of_the_course_differ_each_shown_by_its_machine_code():
    ours = {label.partition(".")[0]: why for label, (_, why) in trace_compare.DIFFERENT.items()}
    for other in ("cooperation", "shared_blocks", "everyday"):  # not the course's
        del ours[other]
    assert set(ours) == {"launch_bounds", "fast_cast"}
    for kernel, why in ours.items():
        words, file = re.search(r"\(([A-Z a-z]+) in (data/sass/.*)\)", why).groups()
        assert file == f"data/sass/{kernel}.sm_90.txt"
        listing = (paths.ROOT / file).read_text(encoding="utf-8")
        assert all(re.search(rf" {word}\b", listing) for word in words.split(" and "))


def test_a_difference_has_both_numbers_and_its_reason():
    record = {"global load requests": 3.0, "global reduction sectors": 2.0}
    none, load = trace_compare.differences("v1.add", Trace(), record)
    assert (none.counter, none.traced, none.counted) == ("global load requests", 0, 3)
    assert (load.counter, load.counted) == ("global atomic sectors", 2)
    assert none.reason == ""
    spilled = "launch_bounds.subtract_max_8 n=1003"
    (store,) = trace_compare.differences(spilled, Trace(), {"local store sectors": 1})
    assert store.reason == trace_compare.SPILLS
    assert trace_compare.reason(spilled, "global store sectors") == ""


def test_only_lines_of_the_machine_code_count_as_branches():
    seen = Trace(
        branches=(Branch(Line("k.cu", 13), 5, 2, 96), Branch(Line("k.cu", 9), 7, 1, 9))
    )
    label = "branches.collatz n=1003"
    assert trace_compare.branches(label, seen, {"branches": 5, "divergent branches": 2}) == []
    (one,) = trace_compare.branches(label, seen, {"branches": 5, "divergent branches": 3})
    assert (one.counter, one.traced, one.counted) == ("divergent branches", 2, 3)
    nested = Trace(branches=(Branch(Line("k.cu", 29), 5, 2, 96),))
    record = {"branches": 9, "divergent branches": 2}
    assert trace_compare.branches("branches.nested n=1003", nested, record) == []


def test_the_table_names_a_workload_and_its_counters(capsys, monkeypatch, in_ci):
    monkeypatch.setattr(trace_compare, "load_traced", lambda path: (in_ci.of(path), {}))
    trace_compare.main(["v5_f16x8.add block_size=256"])
    words = capsys.readouterr().out
    assert words == "v5_f16x8.add block_size=256: 19 counters equal, branches not compared\n"


def test_the_counters_that_are_compared():
    memory = [
        (space, kind, unit)
        for space, kinds in (("global", ("load", "store")), ("local", ("load", "store")))
        for kind in kinds
        for unit in ("requests", "sectors")
    ]
    shared = {"requests": "instructions", "wavefronts": "wavefronts", "conflicts": "conflicts"}
    want = {key: (" ".join(key),) for key in memory}
    for unit in ("requests", "sectors"):
        names = (f"global atomic {unit}", f"global reduction {unit}")
        want["global", "atomic", unit] = names
    for kind in ("load", "store", "atomic"):
        for unit, counter in shared.items():
            want["shared", kind, unit] = (f"shared {kind} {counter}",)
    assert want == trace_compare.COMPARED and len(want) == 19
    every = {name for names in want.values() for name in names}
    assert every <= set(trace_compare.trace_counters.COUNTERS)


def test_reasons_belong_to_workloads_and_counters():
    labels = [workload.label for workload in WORKLOADS]
    counters = [name for names in trace_compare.COMPARED.values() for name in names]
    for start, (counter, why) in trace_compare.DIFFERENT.items():
        assert any(label.startswith(start) for label in labels), start
        assert any(name.startswith(counter) for name in counters), counter
        assert trace_compare.reason(start, counter) == why
    assert set(trace_compare.BRANCHES) <= set(labels)


def test_every_workload_has_a_line_and_words_choose(monkeypatch, capsys):
    monkeypatch.setattr(trace_compare, "traced", lambda workload: "traced ")
    monkeypatch.setattr(trace_compare, "line", lambda workload, seen: seen + workload.label)
    trace_compare.main([])
    lines = [f"traced {workload.label}" for workload in WORKLOADS]
    assert capsys.readouterr().out.splitlines() == lines
    trace_compare.main(["no such", "layer_norm."])
    assert 0 < len(capsys.readouterr().out.splitlines()) < 10


@pytest.mark.parametrize("label", ["v1_f32.add block_size=256", "branches.collatz n=1003"])
def test_a_line_names_what_differs_with_both_numbers(label, monkeypatch, capsys):
    (workload,) = [one for one in WORKLOADS if one.label == label]
    record = {"global load requests": 1234567.0, "branches": 5.0, "divergent branches": 1.0}
    monkeypatch.setattr(trace_compare, "recorded", lambda label: record)
    first, *others = trace_compare.line(workload, Trace()).splitlines()
    words = "    global load requests: trace 0, ncu 1,234,567: NOT EXPLAINED"
    branches = [
        "    branches: trace 0, ncu 5: NOT EXPLAINED",
        "    divergent branches: trace 0, ncu 1: NOT EXPLAINED",
    ]
    if label.startswith("v1"):
        monkeypatch.setattr(trace_compare.trace_counters, "changed", lambda gpu: {label})
        older = trace_compare.line(workload, Trace()).splitlines()[0]
        assert older == f"{first}; counted with older code"
        assert first == f"{label}: 18 counters equal, branches not compared"
        assert others == [words]
    else:
        assert first == f"{label}: 16 counters equal, branches compared"
        assert others == [words, *branches]


def test_the_record_of_one_workload():
    label = "v1_f32.add block_size=256"
    found = trace_compare.recorded(label)
    assert found["global load requests"] == 626 and found["global store sectors"] == 1251
    assert trace_compare.recorded("no such") == {}
