"""The coalescing calculator: known patterns, limits and properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.model import coalescing as co
from helpers.model.coalescing import coalesce, coalesce_all, contiguous, strided


@pytest.mark.parametrize(
    ("version", "requests", "sectors", "lines", "requested", "efficiency", "distinct"),
    [
        ("V1", 1, 4, 1, 128, 1.0, 4),
        ("V2", 1, 16, 4, 512, 1.0, 16),
        ("V3", 1, 2, 1, 64, 1.0, 2),
        ("V4", 1, 4, 1, 128, 1.0, 4),
        (
            "V5",
            4,
            64,
            16,
            512,
            0.25,
            16,
        ),  # 16 sectors a request, each request a quarter of every sector
        ("V6", 1, 16, 4, 512, 1.0, 16),
    ],
)
def test_ladder(version, requests, sectors, lines, requested, efficiency, distinct):
    result = co.ladder(version).coalescing()
    assert (result.requests, result.sectors, result.lines) == (requests, sectors, lines)
    assert (result.bytes_requested, result.bytes_moved) == (requested, 32 * sectors)
    assert (result.efficiency, result.distinct_sectors) == (efficiency, distinct)


def test_v5_and_v6_touch_the_same_sectors_a_request_for_a_quarter_of_the_bytes():
    v5, v6 = (
        coalesce(p.requests[0], p.bytes_per_lane) for p in (co.ladder("V5"), co.ladder("V6"))
    )
    assert v5.sectors == v6.sectors == 16
    assert 4 * v5.bytes_requested == v6.bytes_requested
    assert co.ladder("V5").coalescing().sectors_per_request == 16


@pytest.mark.parametrize(
    ("addresses", "width", "sectors", "lines", "efficiency"),
    [
        (contiguous(4, start=4), 4, 5, 2, 0.8),  # a misaligned start costs one sector ...
        (contiguous(4, start=32), 4, 4, 2, 1.0),  # ... unless it is a whole sector off
        (contiguous(4, start=124), 4, 5, 2, 0.8),
        (contiguous(2, start=2), 2, 3, 1, 2 / 3),
        (contiguous(16, start=16), 16, 17, 5, 16 / 17),
        (strided(8), 4, 8, 2, 0.5),
        (strided(32), 4, 32, 8, 0.125),
        (strided(128), 4, 32, 32, 0.125),
        (strided(4096), 1, 32, 32, 1 / 32),
        (
            [0] * 32,
            4,
            1,
            1,
            0.125,
        ),  # all lanes read one float: a byte asked for 32 times counts once
        ([64], 4, 1, 1, 0.125),  # a tail: one active lane
        (contiguous(32), 32, 32, 8, 1.0),
    ],
)
def test_patterns(addresses, width, sectors, lines, efficiency):
    result = coalesce(addresses, width)
    assert (result.sectors, result.lines) == (sectors, lines)
    assert result.efficiency == pytest.approx(efficiency)


def test_a_misaligned_start_in_the_ladder():
    assert co.ladder("V1", start=4).coalescing().sectors == 5
    with pytest.raises(ValueError, match="lane 0 is at byte 4"):
        co.ladder("V6", start=4).coalescing()  # x[1:] of a float32 tensor


@pytest.mark.parametrize(
    ("addresses", "width", "says"),
    [
        ([0], 3, "3 bytes a lane"),
        ([], 4, "0 addresses"),
        ([0] * 33, 4, "33 addresses"),
        ([0, 4, 6], 4, "lane 2 is at byte 6"),
        ([-4], 4, "lane 0 is at byte -4"),
    ],
)
def test_errors(addresses, width, says):
    for function in (coalesce, co.lane_sectors, co.sector_grid):
        with pytest.raises(ValueError, match=says):
            function(addresses, width)
    with pytest.raises(ValueError, match="no requests"):
        coalesce_all([], 4)
    with pytest.raises(ValueError, match="V0"):
        co.ladder("V0")


def test_grid_to_draw():
    grid = co.sector_grid(contiguous(4, start=4), 4)
    assert grid.sectors == (0, 1, 2, 3, 4)
    assert [sum(column) for column in zip(*grid.cells, strict=True)] == [28, 32, 32, 32, 4]
    assert co.lane_sectors(contiguous(4, start=160), 4)[0] == (
        1,
    )  # counted from the start of the line
    v5 = co.sector_grid(co.ladder("V5").requests[1], 4)
    assert {cell for row in v5.cells for cell in row} == {0, 4} and v5.sectors == tuple(
        range(16)
    )


WARP = st.tuples(
    st.sampled_from(co.WIDTHS), st.lists(st.integers(0, 5000), min_size=1, max_size=32)
).map(lambda pair: ([pair[0] * i for i in pair[1]], pair[0]))


@given(WARP)
def test_properties(warp):
    addresses, width = warp
    result = coalesce(addresses, width)
    asked = {byte for a in addresses for byte in range(a, a + width)}
    assert result.sectors == len({byte // 32 for byte in asked})
    assert result.lines == len({byte // 128 for byte in asked})
    assert result.bytes_requested == len(asked)
    assert 0 < result.efficiency <= 1 and result.lines <= result.sectors <= 4 * result.lines
    assert coalesce(addresses[::-1], width) == result  # the order of the lanes does not matter
    grid = co.sector_grid(addresses, width)
    assert len(grid.sectors) == result.sectors and [sum(row) for row in grid.cells] == [
        width
    ] * len(addresses)


@given(WARP, st.integers(1, 4))
def test_repeating_a_request_moves_the_bytes_again_but_no_new_sector(warp, times):
    addresses, width = warp
    one, many = coalesce(addresses, width), coalesce_all([addresses] * times, width)
    assert many.sectors == times * one.sectors and many.requests == times
    assert many.distinct_sectors == one.sectors and many.efficiency == one.efficiency


def test_sectors_are_counted_from_the_line_of_the_lowest_address():
    """Also where the lowest address is not lane 0's."""
    assert co.lane_sectors([300, 128, 256], 4) == [(5,), (0,), (4,)]
    assert co.lane_sectors([127, 384], 1) == [(3,), (12,)]
    grid = co.sector_grid([1024 + 32, 1024, 512], 4)
    assert grid.sectors == (0, 16, 17)
    assert grid.cells == ((0, 0, 4), (0, 4, 0), (4, 0, 0))


def test_several_different_requests():
    both = coalesce_all([[0, 4], [32, 64, 64]], 4)
    assert (both.requests, both.sectors, both.lines, both.distinct_sectors) == (2, 3, 2, 3)
    assert both.bytes_requested == 16 and both.bytes_moved == 96
    assert both.sectors_per_request == 1.5 and both.efficiency == pytest.approx(16 / 96)


def test_patterns_have_a_lane_each():
    assert contiguous(8) == [8 * lane for lane in range(32)]
    assert contiguous(4, 12) == strided(4, 12) == [12 + 4 * lane for lane in range(32)]
    assert co.WIDTHS == (1, 2, 4, 8, 16, 32)


def test_the_requests_of_a_version():
    v5, v2 = co.ladder("V5", start=64), co.ladder("v2_f32x4")
    assert (v5.name, v5.bytes_per_lane, len(v5.requests)) == ("V5", 4, 4)
    assert [request[:2] for request in v5.requests] == [(64, 80), (68, 84), (72, 88), (76, 92)]
    assert (v2.name, v2.bytes_per_lane, v2.requests) == ("V2", 16, (tuple(strided(16)),))


def test_an_address_is_a_whole_number():
    with pytest.raises(TypeError):
        coalesce([0.0], 4)
