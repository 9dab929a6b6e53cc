"""Bytes, blocks and sectors of a launch, counted by hand."""

import pytest

from helpers.model import ladder
from helpers.model.launch_shape import LaunchShape

V5 = LaunchShape(8, 2, 32, load_bytes=4, lane_stride=16)
V6 = LaunchShape(8, 2, 32)


@pytest.mark.parametrize(
    "shape, moved, in_flight",
    [
        (LaunchShape(4, 4, 256), 12, 32),
        (LaunchShape(4, 4, 256, reads=1, out_bytes=2), 6, 16),  # a cast from float32 to float16
        (LaunchShape(4, 4, 256, reads=3), 16, 48),  # a fused multiply-add of three tensors
        (LaunchShape(4, 4, 256, reads=1, writes=2), 12, 16),
        (LaunchShape(4, 4, 256, reads=0), 4, 16),  # a fill
        (LaunchShape(4, 4, 256, reads=0, out_bytes=2, writes=3), 6, 24),
    ],
)
def test_bytes_of_operators(shape, moved, in_flight):
    assert shape.bytes_per_element == moved
    assert shape.bytes_in_flight_per_thread == in_flight


def test_loads_and_stores_of_one_element():
    cast = LaunchShape(4, 4, 256, reads=3, writes=2, out_bytes=2)
    assert (cast.loaded_per_element, cast.stored_per_element) == (12, 4)


@pytest.mark.parametrize("elements, blocks", [(1, 1), (256, 1), (257, 2), (2**20, 4096)])
def test_blocks_cover_the_elements(elements, blocks):
    assert V6.blocks(elements) == blocks
    assert V6.elements_per_block == 256


def test_a_grid_stride_launch_has_the_blocks_that_it_says():
    assert LaunchShape(8, 2, 32, grid=7).blocks(1) == 7


@pytest.mark.parametrize("block_size, warps", [(1, 1), (32, 1), (33, 2), (1024, 32)])
def test_warps_of_a_block(block_size, warps):
    assert LaunchShape(1, 4, block_size).warps_per_block == warps


@pytest.mark.parametrize(
    "shape, sectors, replayed",
    [
        # warps x (2 loads + 1 store) x sectors of a request
        (LaunchShape(1, 4, 256), 8 * 3 * 4, 0),
        (LaunchShape(1, 2, 256), 8 * 3 * 2, 0),
        (LaunchShape(1, 2, 33), 2 * 3 * 2, 2 * 3 * 2 - 33 * 6 / 32),  # an almost empty warp
        (V6, 3 * 16, 0),
        (V5, 4 * 3 * 16, 3 * 3 * 16),  # each request touches the sectors of all four
        (LaunchShape(8, 4, 128), 4 * 3 * 2 * 16, 0),  # a share of 32 bytes: two loads of 16
        (LaunchShape(1, 1, 32), 3, 0),
        (LaunchShape(1, 4, 32, lane_stride=64), 3 * 32, 3 * 28),  # a sector for each lane
        (LaunchShape(1, 4, 32, lane_stride=32), 3 * 32, 3 * 28),
        (LaunchShape(1, 4, 32, lane_stride=8), 3 * 8, 3 * 4),
        # casts: an output's lanes lie as far apart as its own elements say
        (LaunchShape(4, 4, 32, reads=1, out_bytes=2), 16 + 8, 0),
        (LaunchShape(4, 2, 32, reads=1, out_bytes=4), 8 + 16, 0),
        (LaunchShape(4, 4, 32, reads=1, writes=2, out_bytes=2), 16 + 2 * 8, 0),
        (LaunchShape(1, 4, 32, reads=0), 4, 0),
        (LaunchShape(1, 1, 32, reads=1, out_bytes=1, lane_stride=1), 2, 0),
    ],
)
def test_sectors_that_pass_l1(shape, sectors, replayed):
    assert shape.sectors_per_block() == sectors
    assert shape.replayed_sectors() == pytest.approx(replayed)


def test_never_fewer_than_no_replays():
    # 32-byte lanes of one load: counted as one sector a lane, although each store covers two
    assert LaunchShape(8, 4, 32, load_bytes=32, out_bytes=8).replayed_sectors() == 0


@pytest.mark.parametrize(
    "field", ["elements_per_thread", "element_bytes", "block_size", "writes", "registers"]
)
def test_counts_below_1_are_refused(field):
    good = dict(elements_per_thread=1, element_bytes=4, block_size=32)
    assert getattr(LaunchShape(**good | {field: 1}), field) == 1
    with pytest.raises(ValueError, match=f"{field} must be 1 or more, not 0"):
        LaunchShape(**good | {field: 0})
    with pytest.raises(TypeError, match=field):
        LaunchShape(**good | {field: 1.5})


@pytest.mark.parametrize("field", ["out_bytes", "load_bytes", "lane_stride", "grid"])
def test_optional_sizes_below_1_are_refused(field):
    assert getattr(LaunchShape(1, 4, 32, **{field: 1}), field) == 1
    with pytest.raises(ValueError, match=f"{field} must be 1 or more, not 0"):
        LaunchShape(1, 4, 32, **{field: 0})


def test_a_kernel_may_read_nothing_but_not_less():
    with pytest.raises(ValueError, match=r"^reads must be 0 or more, not -1"):
        LaunchShape(1, 4, 32, reads=-1)


def test_the_defaults_are_an_addition():
    shape = LaunchShape(1, 4, 32)
    assert (shape.reads, shape.writes, shape.registers) == (2, 1, 32)
    assert (shape.out_bytes, shape.load_bytes, shape.lane_stride, shape.grid) == (None,) * 4


def test_v5s_sectors_pass_l1_in_half_the_time_that_v5_takes():
    """At 2^28 elements on an H200: 193 us of 390 to 436, so L1's sectors are no ceiling."""
    v5 = ladder.SHAPES["v5_f16x8"]
    sectors = v5.blocks(2**28) * v5.sectors_per_block()
    assert sectors == 4 * (3 * 2 * 2**28 / 32)  # four times as many as V6's
    assert sectors / 132 / 4 / 1980 == pytest.approx(192.6, abs=0.1)  # SMs, a cycle, MHz


def test_a_last_load_that_is_not_full_counts_whole():
    shape = LaunchShape(3, 4, 32, load_bytes=8)  # 12 bytes by loads of 8: two
    assert shape.sectors_per_block() == 2 * 3 * 8


def test_a_block_has_at_most_1024_threads():
    assert LaunchShape(1, 4, 1024).warps_per_block == 32
    with pytest.raises(ValueError, match="block_size is 1025: a block has at most 1024"):
        LaunchShape(1, 4, 1025)
