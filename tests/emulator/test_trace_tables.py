"""Which reads of shared memory are taken for one, by what the source says."""

import pytest

from helpers.emulator import trace_tables
from helpers.emulator.trace_tables import SUMS, _Access, _can_merge, _Merge, _merged
from helpers.emulator.traced import Line

UNROLLED = "#pragma unroll\nfor (int i = 0; i < 8; ++i)\n    sum += tile[y][i];\n"
KEPT = UNROLLED.replace("#pragma unroll", "#pragma unroll 1")


def can_merge(text, line=3, in_loop=True):
    return _can_merge(Line("k.cu", line), {"k.cu": text}, in_loop)


@pytest.mark.parametrize(
    ("text", "line", "merges"),
    [
        (UNROLLED, 3, True),
        (KEPT, 3, False),
        (KEPT.replace("unroll 1", "unroll(1)"), 3, False),
        (KEPT.replace("unroll 1", "nounroll"), 3, False),
        (KEPT.replace("unroll 1", "unroll 16"), 3, True),
        (UNROLLED.replace("[i]", "[at]"), 3, False),  # a place that comes from data
        ("for (int i = 0; i < 8; ++i) sum += tile[i];\n", 1, True),
        ("for (i = 0; i < 8; ++i) sum += tile[2 + i];\n", 1, True),
        ("while (left--) sum += tile[left];\n", 1, False),
        ("sum += tile[4 * t] + tile[4 * t + 1];\n", 1, False),
    ],
)
def test_a_read_in_a_loop_merges_if_the_loop_can_be_unrolled(text, line, merges):
    assert can_merge(text, line) is merges


def test_four_places_in_the_code_need_no_loop():
    assert can_merge("sum += tile[4 * t] + tile[4 * t + 1];\n", 1, in_loop=False)
    assert not can_merge(KEPT, in_loop=False)


def test_one_read_takes_the_place_of_four():
    reads = _Access(pc=7, kind=1, space=1, bytes=4, requests=9, lanes=288)
    merge = _Merge()
    merge.merged = _Access(pc=7, kind=1, space=1, bytes=16, requests=2, lanes=64)
    for k in range(4):
        merge.pc[k] = 7
        merge.replaced[k].requests, merge.replaced[k].lanes = 2, 64
    left = _merged([reads], [merge], {7: Line("k.cu", 3)}, {"k.cu": UNROLLED})
    assert [(row.bytes, row.requests, row.lanes) for row in left] == [(4, 1, 32), (16, 2, 64)]
    kept = _merged([reads], [merge], {7: Line("k.cu", 3)}, {"k.cu": KEPT})
    assert [row.bytes for row in kept] == [4]


def test_the_tables_have_the_sizes_of_the_tracer_s_structs():
    sizes = [trace_tables.ctypes.sizeof(table) for table in trace_tables.TABLES]
    assert sizes == [336, 40, 24, 272, 56, 88, 16 + 4 * 8 * len(SUMS) + 336]
