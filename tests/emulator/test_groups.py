"""Cooperative groups, barriers, copies and CUB on the emulator, beside what NumPy says."""

import ctypes
from pathlib import Path

import numpy as np
import pytest

from helpers import emulator
from helpers.emulator import FORWARD, REVERSE, SHUFFLED, Library, front_end, groups
from helpers.errors import FaultKind
from tests.emulator import two_builds

KERNELS = Path(__file__).parent / "kernels"


@pytest.fixture(scope="module")
def library(tmp_path_factory, headers):
    output = tmp_path_factory.mktemp("groups") / "groups.so"
    emulator.build(KERNELS / "groups.cu", output, headers)
    return Library(output)


@pytest.fixture(params=[FORWARD, REVERSE, SHUFFLED])
def run(library, request):
    def call(name, *arguments):
        def convert(value):
            is_array = isinstance(value, np.ndarray)
            return ctypes.c_void_p(value.ctypes.data) if is_array else ctypes.c_int64(value)

        with library.schedule(request.param, seed=3):
            library.dll[f"run_{name}"](*map(convert, arguments), None)
        error, fault = library.take_error(), library.take_fault()
        return fault or (OSError(error, library.take_refusal().words) if error else None)

    return call


def test_tiles_of_tiles(run):
    out = np.zeros((7, 96), np.int32)
    assert run("tiles", out) is None
    t = np.arange(96)
    expected = [
        t % 32 // 4,
        np.full(96, 8),
        t // 8,
        np.full(96, 12),
        t % 16 * 100 + 16,
        t // 32 * 10 + 3,
        t // 4 * 4 + 1 + t % 4 * 1000,
    ]
    assert np.array_equal(out, expected)


def test_partitions_reductions_and_scans(run):
    out = np.zeros((6, 64), np.int32)
    assert run("partitions", out) is None
    t = np.arange(64)
    lane, warps = t % 32, t.reshape(2, 32)
    sizes = np.array([11, 11, 10])
    mixed = warps * 37 % 64
    expected = [
        np.where(lane % 2, 256, 240),
        sizes[lane % 3] * 100 + lane // 3,
        warps.cumsum(1).ravel(),
        (warps.cumsum(1) - warps).ravel(),
        np.maximum.accumulate(mixed, 1).ravel(),
        np.repeat(mixed.min(1), 32),
    ]
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("n", [64, 1000, 128 * 64])
def test_a_barrier_of_the_grid(run, n):
    x = np.arange(1, n + 1, dtype=np.float32) % 8
    out, sums = np.zeros_like(x), np.zeros(128, np.float32)
    assert run("grid", x, sums, out, n) is None
    assert np.array_equal(out, x / x.sum())


def test_a_cooperative_launch_that_is_too_large(run):
    error = run("grid", np.zeros(1, np.float32), *[np.zeros(1, np.float32)] * 2, 1000 * 64)
    assert error.errno == 720
    assert "is a cooperative launch of 1000 blocks, and at most 128 of this size" in str(error)


def test_a_grid_barrier_needs_a_cooperative_launch(run):
    fault = run("not_cooperative")
    assert fault.kind is FaultKind.BARRIER
    assert "launch the kernel by cudaLaunchCooperativeKernel" in str(fault)


def test_copies_that_a_gpu_makes_in_the_background(run):
    x, out = np.random.default_rng(1).random(128, np.float32), np.zeros(128, np.float32)
    assert run("copies", x, out) is None
    assert np.allclose(out, 15 * x[::-1])


def test_tiles_of_several_warps_and_shuffles_of_more_than_8_bytes(run):
    out = np.zeros((7, 256), np.int32)
    assert run("large_tiles", out) is None
    t = np.arange(256)
    last = t // 64 * 64 + 63
    expected = [
        t % 128 * 10 + t // 128,
        t % 128 // 64 * 10 + 2,
        t % 64 // 8 * 10 + 8,
        last,
        t.reshape(4, 64).sum(1).repeat(64),
        np.where(t < 128, 3, 0),
        (t ^ 1) * 1001,
    ]
    assert np.array_equal(out, expected)


@pytest.mark.stress
def test_a_thread_that_is_interrupted_while_it_arrives_is_counted(library):
    """The clock parks a thread that runs for long: one in a hundred runs, at a bad place."""
    x, out = np.arange(5 * 96, dtype=np.float32), np.zeros((7, 256), np.int32)
    call = [ctypes.c_void_p(one.ctypes.data) for one in (x, out)]
    with library.schedule(SHUFFLED, seed=3):
        for _ in range(600):
            library.dll.run_large_tiles(call[1], None)
            library.dll.run_roles(*call, None)
            assert library.take_fault() is None


def test_a_pipeline_of_producers_and_consumers(run):
    x, out = np.arange(5 * 96, dtype=np.float32), np.zeros((2, 96), np.float32)
    assert run("roles", x, out) is None
    assert np.array_equal(out, [x.reshape(5, 96).sum(0)[::-1]] * 2)


def test_named_barriers_of_a_part_of_the_block(run):
    x = np.random.default_rng(2).integers(-99, 99, 128, np.int32)
    out = np.zeros((3, 128), np.int32)
    assert run("named", x, out, 1, 64) is None
    other = x[np.arange(128) ^ 32]
    assert np.array_equal(out, [other, other + 1, other + 2])


@pytest.mark.parametrize(
    ("first", "count", "words"),
    [
        (15, 64, "with the number 16: a block has 16, from 0 to 15"),
        (1, 48, "for 48 threads: whole warps are meant, so a multiple of 32"),
        (1, 160, "for 160 threads never opens: the block has 128"),
    ],
)
def test_a_named_barrier_that_cannot_be(run, first, count, words):
    fault = run("named", np.zeros(128, np.int32), np.zeros((3, 128), np.int32), first, count)
    assert fault.kind is FaultKind.BARRIER and words in str(fault)


def test_cub(run):
    x = np.random.default_rng(2).integers(-99, 99, 128, np.int32)
    out = np.zeros((5, 128), np.int32)
    assert run("collectives", x, out) is None
    assert np.array_equal(out[0], x.cumsum())
    assert np.array_equal(out[1], x.cumsum() - x)
    assert (out[2] == x.sum()).all() and out[3, 0] == x.max()
    assert np.array_equal(out[4, ::32], x.reshape(4, 32).sum(1))


@pytest.fixture(scope="module")
def plain_groups(tmp_path_factory):
    """Return the library of kernels with plain groups, and one in which they stay."""
    if front_end.problem() is not None:
        pytest.skip(front_end.problem())
    found, kernels = two_builds.build(
        KERNELS / "plain_groups.cu",
        tmp_path_factory.mktemp("plain_groups"),
        groups,
        lambda *_: None,
        counted="_BEGIN(",  # of phases
    )
    assert kernels == [3, 0]
    return found


@pytest.mark.parametrize("mode", two_builds.MODES)
@pytest.mark.parametrize("threads", [64, 192])
@pytest.mark.parametrize("name", ["warps", "blocks", "reduced", "others", "parts"])
def test_groups_written_otherwise_do_the_same(plain_groups, name, threads, mode):
    two_builds.assert_same_results(plain_groups, name, threads, mode)
