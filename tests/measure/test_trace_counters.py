"""The trace against ncu's counters of the H200, and the reader of ncu's table."""

import pytest

from helpers.measure import trace_counters
from helpers.measure.ncu import NoCountersError
from helpers.measure.trace_workloads import COURSE, OTHERS, WORKLOADS
from helpers.run.trace import _load, trace

RECORDED = trace_counters.TABLE.load(gpu="NVIDIA H200")
# What the trace counts, beside the counter that it must equal.
EQUAL = (
    ("global", "load", "requests", "global load requests"),
    ("global", "load", "sectors", "global load sectors"),
    ("global", "store", "requests", "global store requests"),
    ("global", "store", "sectors", "global store sectors"),
    ("shared", "load", "requests", "shared load instructions"),
    ("shared", "load", "wavefronts", "shared load wavefronts"),
    ("shared", "load", "conflicts", "shared load conflicts"),
    ("shared", "store", "requests", "shared store instructions"),
    ("shared", "store", "wavefronts", "shared store wavefronts"),
    ("shared", "store", "conflicts", "shared store conflicts"),
)
FAST = (
    "v5_f16x8.add block_size=256",
    "v6_f16x8_pack.add block_size=256",
    "split_struct.add_split",
    "bank_conflicts.transpose rows=130 cols=70 padding=0",
    "shared_widths.walk8 n=2048 stride=16",
    "shared_widths.walk16 n=2048 stride=32",
)


def recorded(label):
    rows = RECORDED[RECORDED.workload == label]
    return dict(zip(rows.quantity, rows.value, strict=True))


def counted(workload):
    loaded, _ = _load(workload.path)
    launcher = loaded.launchers[workload.launcher]
    seen = trace(launcher, *workload.tensors(), **workload.arguments)
    found = {}
    for space, kind, unit, name in EQUAL:
        total = seen.of(kind, space)
        found[name] = getattr(total, unit) if total else 0
    return found


def test_every_workload_was_counted():
    assert set(RECORDED.workload) == {workload.label for workload in WORKLOADS}
    assert len({workload.kernel for workload in COURSE}) >= 30
    assert len(OTHERS) >= 10


@pytest.mark.parametrize("label", FAST)
def test_the_trace_equals_the_counters(label):
    (workload,) = [one for one in WORKLOADS if one.label == label]
    record = recorded(label)
    assert counted(workload) == {name: record[name] for *_, name in EQUAL}


def test_rows_belong_to_the_workload_whose_marker_came_last():
    text = (
        'a line of the program\n"ID","Kernel Name","Grid Size","Metric Name","Metric Value"\n'
        '"0","nothing()","(3, 1, 1)","m","5"\n"1","x(int)","(9,1,1)","m","1,234"\n'
        '"2","y","(9,1,1)","m","2"\n"3","nothing()","(4, 1, 1)","m","5"\n'
        '"4","y","(9,1,1)","m","n/a"\n'
    )
    found = {number: dict(values) for number, values in trace_counters.parse(text).items()}
    assert found == {3: {"m": 1236.0}, 4: {"m": 0.0}}


def test_a_text_without_a_table_is_an_error_with_its_last_words():
    with pytest.raises(NoCountersError, match="==ERROR== no permission"):
        trace_counters.parse("==ERROR== no permission")


def test_the_command_profiles_the_launches_of_this_module():
    words = trace_counters.command("ncu", ["a", "b"])
    assert words[0] == "ncu" and words[words.index("--metrics") + 1] == "a,b"
    assert words[-2:] == ["helpers.measure.trace_counters", "launch"]
