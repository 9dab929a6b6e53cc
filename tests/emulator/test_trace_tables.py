"""What the tracer's rows become: reads that nvcc makes one, atomics that one lane does."""

from helpers.emulator import trace_tables
from helpers.emulator.trace_tables import (
    SUMS,
    _Access,
    _Again,
    _combined,
    _hoisted,
    _in_registers,
    _Merge,
    _merged,
)
from helpers.emulator.traced import Line

UNROLLED = "#pragma unroll\nfor (int i = 0; i < 8; ++i)\n    sum += tile[y][i];\n"
KEPT = UNROLLED.replace("#pragma unroll", "#pragma unroll 1")


def test_one_read_takes_the_place_of_four():
    reads = _Access(pc=7, kind=1, space=1, bytes=4, requests=9, lanes=288)
    merge = _Merge(pieces=4)
    merge.merged = _Access(pc=7, kind=1, space=1, bytes=16, requests=2, lanes=64)
    for k in range(4):
        merge.pc[k] = 7
        merge.replaced[k].requests, merge.replaced[k].lanes = 2, 64
    left = _merged([reads], [merge], {7: Line("k.cu", 3)}, {"k.cu": UNROLLED})
    assert [(row.bytes, row.requests, row.lanes) for row in left] == [(4, 1, 32), (16, 2, 64)]
    kept = _merged([reads], [merge], {7: Line("k.cu", 3)}, {"k.cu": KEPT})
    assert [row.bytes for row in kept] == [4]


def _pair(*places, bytes_=4, requests=2):
    merge = _Merge(pieces=len(places))
    whole = bytes_ * len(places)
    merge.merged = _Access(pc=places[0], kind=2, space=1, bytes=whole, requests=requests)
    for k, place in enumerate(places):
        merge.pc[k] = place
        merge.replaced[k].requests = requests
    return merge


def test_a_place_is_part_of_the_widest_access_only():
    files = {"k.cu": "s[0] = 1; s[1] = 2; s[2] = 3; s[3] = 4;\nif (b) s[5] = 1;\n"}
    at = {pc: Line("k.cu", 2 if pc == 5 else 1) for pc in range(1, 6)}

    def left(*merges):
        writes = [_Access(pc=pc, kind=2, space=1, bytes=4, requests=2) for pc in range(1, 6)]
        return [(row.pc, row.bytes) for row in _merged(writes, merges, at, files)]

    assert left(_pair(1, 2, 3, 4), _pair(1, 2), _pair(3, 4)) == [(5, 4), (1, 16)]
    assert left(_pair(1, 2)) == [(3, 4), (4, 4), (5, 4), (1, 8)]
    assert left(_pair(4, 5)) == [(pc, 4) for pc in range(1, 6)]  # one is behind an if


def test_a_read_that_a_loop_repeats_is_done_before_it():
    files = {"k.cu": "for (int k = 0; k < n; ++k) sum += x[r] * y[k];\n"}
    at = dict.fromkeys((7, 8, 9), Line("k.cu", 1))

    def left(pc=7, first=7, requests=6):
        read = _Access(pc=pc, kind=1, space=0, bytes=4, requests=10)
        again = _Again(pc=pc, first_pc=first, bytes=4)
        again.counts.requests = requests
        return [row.requests for row in _hoisted([read], [again], at, files)]

    assert left() == [4] and left(8, 9) == [4]
    assert left(requests=10) == []
    assert left(requests=5) == [5] and left(requests=4) == [10]  # seldom: by its data
    assert left(first=3) == [10]  # a line of no known place


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
    assert sizes == [336, 40, 24, 272, 72, 88, 24 + 4 * 8 * len(SUMS) + 336, 80]
