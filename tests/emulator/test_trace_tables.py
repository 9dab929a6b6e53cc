"""What the tracer's rows become: reads that nvcc makes one, atomics that one lane does."""

from helpers.emulator import trace_tables
from helpers.emulator.trace_tables import (
    SUMS,
    _Access,
    _combined,
    _in_registers,
    _Merge,
    _merged,
)
from helpers.emulator.traced import Line

UNROLLED = "#pragma unroll\nfor (int i = 0; i < 8; ++i)\n    sum += tile[y][i];\n"
KEPT = UNROLLED.replace("#pragma unroll", "#pragma unroll 1")


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


def test_one_lane_does_an_atomic_for_its_warp():
    """If all lanes have the same address, and the source says that they always do."""
    text = "__global__ void k(int* c) {\natomicAdd(c, 1);\natomicAdd(&c[threadIdx.x], 1);\n}"
    at, files = {7: Line("k.cu", 2), 8: Line("k.cu", 3)}, {"k.cu": text}

    def combined(**changes):
        row = {"pc": 7, "kind": 3, "is_sum": 1, "requests": 2, "lanes": 40, "sectors": 40}
        (one,) = _combined([_Access(**row | {"collisions": 38} | changes)], at, files)
        return one.lanes, one.sectors, one.collisions

    assert combined() == (2, 2, 0)
    as_it_was = (40, 40, 38)
    assert combined(is_sum=0) == combined(pc=8) == combined(pc=9) == as_it_was
    assert combined(space=1) == as_it_was
    assert combined(collisions=37) == (40, 40, 37)


def test_a_local_array_is_in_registers_unless_its_index_comes_from_data():
    def kept(**changes):
        row = {"space": 2, "requests": 2, "lanes": 64, "collisions": 62}
        return _in_registers(_Access(**row | changes))

    assert kept()
    assert not kept(has_place=1) and not kept(collisions=61) and not kept(space=1)


def test_the_tables_have_the_sizes_of_the_tracer_s_structs():
    sizes = [trace_tables.ctypes.sizeof(table) for table in trace_tables.TABLES]
    assert sizes == [336, 40, 24, 272, 64, 88, 16 + 4 * 8 * len(SUMS) + 336]
