"""What a trace says of its counts: averages, sums by line, short names."""

from helpers.emulator.trace import Branch, Request, SharedArray, Trace, Traffic
from helpers.emulator.traced import Line

NOBODY = Request((), 0)
LINE, NEXT = Line("k.cu", 5), Line("k.cu", 6)
#                 line, kind, space, width, requests, lanes, asked, sectors, lines, waves, ideal
LOADS = Traffic(LINE, "load", "global", 4, 2, 48, 192, 12, 4, 0, 0, 0, NOBODY, 8)
MORE = Traffic(NEXT, "load", "global", 16, 2, 64, 1024, 32, 8, 0, 0, 0, NOBODY, 16)
TILE = Traffic(NEXT, "load", "shared", 4, 3, 96, 384, 0, 0, 9, 3, 0, NOBODY, 3)
STORE = Traffic(LINE, "store", "shared", 4, 1, 32, 128, 0, 0, 2, 1, 0, NOBODY, 2)
SEEN = Trace(
    traffic=(LOADS, MORE, TILE, STORE),
    branches=(Branch(LINE, 6, 1, 192), Branch(NEXT, 2, 1, 64)),
)


def test_averages_are_by_request():
    assert (LOADS.sectors_per_request, LOADS.lanes_per_request) == (6, 24)
    assert LOADS.efficiency == 0.5
    assert TILE.wavefronts_per_request == 3 and TILE.conflicts == 6


def test_traffic_adds_up_over_lines_and_keeps_the_widest_and_worst():
    both = SEEN.loads
    assert both.line == LINE
    assert (both.requests, both.lanes, both.bytes_asked, both.sectors) == (4, 112, 1216, 44)
    assert (both.bytes_per_lane, both.worst_cost) == (16, 16)
    assert SEEN.of("load", line=6) == MORE
    assert SEEN.of("load", line=7) is None and SEEN.of("atomic") is None


def test_what_is_not_there_counts_nothing():
    for nothing in (SEEN.stores, SEEN.atomics, Trace().shared_loads, Trace().shared_stores):
        assert (nothing.requests, nothing.sectors, nothing.wavefronts, nothing.lanes) == (
            0,
        ) * 4
        assert nothing.efficiency == nothing.sectors_per_request == 0
        assert nothing.lanes_per_request == nothing.wavefronts_per_request == 0
    assert (SEEN.atomics.kind, SEEN.atomics.space) == ("atomic", "global")


def test_conflicts_and_branches_are_summed():
    assert SEEN.bank_conflicts == 7
    assert SEEN.divergent_branches == 2 and SEEN.branch_efficiency == 0.75
    assert SEEN.branches[0].efficiency == 5 / 6
    assert Trace().branch_efficiency == 1 and not SEEN.uses("barrier")


def test_a_trace_shows_itself_by_lines():
    assert repr(Trace(blocks=1)) == "Trace(blocks=1, threads=0)"
    branch = Branch(Line("k.cu", 3), 1200, 1, 9)
    seen = Trace(branches=(branch,), blocks=2, threads=1024)
    words = "k.cu:3: 1 of 1,200 branches divergent"
    assert str(seen) == words
    assert repr(seen) == f"Trace(blocks=2, threads=1024)\n{words}"


def test_a_request_has_no_address_for_lanes_that_take_no_part():
    assert Request.of(0b101, [16, 20, 24, 28], 4) == Request((16, None, 24, None), 4)


def test_a_place_in_a_shared_array_is_an_element():
    tile = SharedArray("tile", 1000, 128, 4)
    assert tile.place(1000 + 33 * 4) == "tile[33]"
    assert tile.place(1002) == "tile[0] (byte 2 of it)"
    assert SharedArray("", 0, 8, 4).place(4) == "dynamic shared memory[1]"
