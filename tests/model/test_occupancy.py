"""Occupancy, against facts computed by hand and against NVIDIA's own cuda_occupancy.h."""

from __future__ import annotations

import importlib.util
import itertools
import math
import os
import re
import shutil
import subprocess
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.model import occupancy as occ
from helpers.model.occupancy import occupancy
from helpers.specs import compute_capabilities, compute_capability


def major_and_minor(cc: str) -> tuple[int, ...]:
    return tuple(map(int, cc.split(".")))


ALL = sorted(compute_capabilities(), key=major_and_minor)
# A newer row is compared once CI's toolkit knows it and this names it.
NEWEST_IN_THE_HEADER = (12, 1)
COMPARED = [cc for cc in ALL if major_and_minor(cc) <= NEWEST_IN_THE_HEADER]

# ---- Facts computed by hand ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cc", "block_size", "registers", "shared", "blocks", "warps", "fraction", "binding"),
    [
        ("9.0", 256, 40, 8192, 6, 48, 0.75, ("registers",)),
        ("9.0", 128, 40, 8192, 12, 48, 0.75, ("registers",)),
        ("9.0", 512, 40, 8192, 3, 48, 0.75, ("registers",)),
        ("9.0", 256, 32, 8192, 8, 64, 1.0, ("warps", "registers")),
        (
            "9.0",
            256,
            33,
            0,
            6,
            48,
            0.75,
            ("registers",),
        ),  # 33 x 32 rounds up to 1280, as 40 x 32 does
        ("9.0", 1024, 20, 0, 2, 64, 1.0, ("warps", "registers")),
        ("9.0", 32, 16, 0, 32, 32, 0.5, ("block slots",)),
        ("8.6", 32, 16, 0, 16, 16, 1 / 3, ("block slots",)),
        ("12.0", 32, 22, 0, 24, 24, 0.5, ("block slots",)),
        ("9.0", 32, 255, 0, 8, 8, 0.125, ("registers",)),
        ("9.0", 31, 16, 0, 32, 32, 0.5, ("block slots",)),  # 31 threads still take a whole warp
        ("9.0", 96, 16, 0, 21, 63, 63 / 64, ("warps",)),
        ("12.0", 1024, 16, 0, 1, 32, 2 / 3, ("warps",)),
        ("7.5", 64, 16, 0, 16, 32, 1.0, ("warps", "block slots")),
        ("7.5", 128, 32, 32768, 2, 8, 0.25, ("shared memory",)),  # no reserve before 8.0
        ("8.0", 128, 32, 32768, 4, 16, 0.25, ("shared memory",)),
    ],
)
def test_worked_examples(cc, block_size, registers, shared, blocks, warps, fraction, binding):
    result = occupancy(cc, block_size, registers, shared)
    assert (result.blocks, result.warps, result.threads) == (blocks, warps, blocks * block_size)
    assert result.fraction == pytest.approx(fraction, abs=1e-12)
    assert result.binding == binding


@pytest.mark.parametrize(("kib", "blocks"), [(4, 32), (8, 25), (16, 13), (227, 1)])
def test_shared_memory_on_9_0_counts_the_reserve_and_the_block_slots(kib, blocks):
    assert occupancy("9.0", 32, 16, kib * 1024).blocks == blocks


def test_the_block_sizes_that_any_gpu_accepts():
    assert occ.BLOCK_SIZES == tuple(range(1, 1025))


def test_limits_name_every_resource():
    assert occupancy("9.0", 256, 40, 8192).limits == {
        "warps": 8,
        "registers": 6,
        "shared memory": 25,
        "block slots": 32,
    }
    assert occupancy("7.5", 256, 32).limits["shared memory"] == math.inf


def test_capability_in_three_spellings_and_readable_text():
    a, b, c = (occupancy(cc, 256, 40) for cc in ("9.0", (9, 0), compute_capability("9.0")))
    assert a == b == c and len({a, b, c}) == 1
    assert str(a) == "6 blocks = 48 of 64 warps = 75.0%, limited by registers"
    assert str(occupancy("9.0", 1024, 40)).startswith("1 block = 32 of 64 warps = 50.0%")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (dict(block_size=0, registers=16), "0 threads a block"),
        (dict(block_size=1025, registers=16), "1025 threads a block"),
        (dict(block_size=256, registers=0), "0 registers a thread"),
        (dict(block_size=32, registers=256), "256 registers a thread"),
        (dict(block_size=1024, registers=65), "need 73728 registers"),
        (dict(block_size=512, registers=129), "a block has 65536"),
        (dict(block_size=32, registers=16, shared_bytes=232449), "allows 0 to 232448"),
        (dict(block_size=32, registers=16, shared_bytes=-1), "-1 bytes of shared memory"),
        (
            dict(block_size=32, registers=16, shared_bytes=49153, opt_in=False),
            "cudaFuncSetAttribute",
        ),
    ],
)
def test_impossible_launches_say_why(arguments, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        occupancy("9.0", **arguments)


def test_wrong_kinds_of_argument():
    with pytest.raises(KeyError, match=r"6\.1"):
        occupancy("6.1", 256, 32)
    with pytest.raises(TypeError):
        occupancy("9.0", 256.0, 32)


def test_launches_at_the_register_limit():
    assert occupancy("9.0", 1024, 64).blocks == 1
    assert occupancy("9.0", 512, 128).blocks == 1
    assert occupancy("9.0", 256, 255).blocks == 1


def test_rounding_steps_of_the_chapters_example():
    steps = occ.rounding_steps("9.0", 256, 40, 8192)
    assert [step.rule for step in steps] == [
        "registers as one pool",
        "registers in units of 256",
        "4 sub-partitions",
        "whole blocks",
        "shared memory and block slots",
    ]
    assert [step.warps for step in steps] == [51, 51, 48, 48, 48]
    assert f"{steps[0].fraction:.1%}" == "79.7%" and f"{steps[-1].fraction:.1%}" == "75.0%"
    # Each rule can be the one that costs warps.
    assert [step.warps for step in occ.rounding_steps("9.0", 96, 33, 16384)] == [
        62,
        51,
        48,
        48,
        39,
    ]
    assert [step.warps for step in occ.rounding_steps("9.0", 160, 40)] == [51, 51, 48, 45, 45]


@given(
    cc=st.sampled_from(ALL),
    block_size=st.integers(1, 1024),
    registers=st.integers(1, 255),
    shared=st.integers(0, 65536),
)
def test_rounding_only_takes_away_and_ends_at_the_occupancy(cc, block_size, registers, shared):
    try:
        result = occupancy(cc, block_size, registers, shared)
    except ValueError:
        return
    warps = [step.warps for step in occ.rounding_steps(cc, block_size, registers, shared)]
    assert warps == sorted(warps, reverse=True) and warps[-1] == result.warps
    assert 0 < result.fraction <= 1 and result.blocks == min(result.limits.values())


# Registers that ptxas 13.0 gave a kernel that wants more than 240, under
# __launch_bounds__(threads, blocks).
LAUNCH_BOUNDS = {
    (256, 8): 32, (256, 6): 40, (256, 5): 48, (256, 4): 64, (256, 3): 80, (256, 2): 128,
    (96, 10): 64, (96, 7): 80, (96, 5): 128, (96, 3): 168, (32, 16): 128, (32, 13): 128,
    (32, 5): 255, (128, 7): 72, (64, 9): 96, (1024, 1): 64, (768, 1): 80, (160, 3): 128,
    (33, 9): 96, (1024, 2): 32,
}  # fmt: skip


def test_max_registers_is_what_the_compiler_enforces():
    assert {
        case: occ.max_registers_for("9.0", *case) for case in LAUNCH_BOUNDS
    } == LAUNCH_BOUNDS
    assert occ.max_registers_for("8.6", 256, 6) == 40
    with pytest.raises(ValueError, match="never fit"):
        occ.max_registers_for("8.6", 256, 8)
    with pytest.raises(ValueError, match="never fit"):
        occ.max_registers_for("9.0", 256, 0)


@given(cc=st.sampled_from(ALL), block_size=st.integers(1, 1024), data=st.data())
def test_max_registers_is_the_largest_count_that_fits(cc, block_size, data):
    blocks = data.draw(st.integers(1, occupancy(cc, block_size, 1).blocks))
    most = occ.max_registers_for(cc, block_size, blocks)
    assert occupancy(cc, block_size, most).blocks >= blocks
    try:
        more = occupancy(cc, block_size, most + 1).blocks
    except ValueError:
        more = 0
    assert more < blocks


# ---- The block-size funnel -------------------------------------------------------------------


def test_floor_is_96_only_where_an_sm_holds_16_blocks_of_1536_threads():
    assert {cc for cc in ALL if occ.occupancy_floor(cc) == 96} == {"8.6", "8.7", "8.8"}
    assert {occ.occupancy_floor(cc) for cc in ALL} == {64, 96}
    assert all(type(occ.occupancy_floor(cc)) is int for cc in ALL)


def test_funnel_survivors():
    last = {cc: occ.block_size_funnel(cc, registers=18)[-1].survivors for cc in ALL}
    assert last["7.5"] == (64, 128, 256, 512, 1024)
    assert last["8.6"] == (96, 128, 192, 256, 384, 512, 768)
    assert last["12.0"] == (64, 96, 128, 192, 256, 384, 512, 768)
    assert last["9.0"] == (64, 128, 256, 512, 1024)  # 192 and 384 do not divide 2048
    assert all({128, 256, 512} <= set(survivors) for survivors in last.values())


def test_funnel_rows_narrow_in_order():
    rows = occ.block_size_funnel("9.0", registers=72)
    assert [len(row.survivors) for row in rows] == [
        32,
        31,
        5,
        4,
    ]  # 1024 threads x 72 registers do not launch
    assert [row.filter for row in rows] == [
        "warp alignment", "occupancy floor", "whole blocks", "register pressure"
    ]  # fmt: skip
    with pytest.raises(ValueError, match="300 registers"):
        occ.block_size_funnel("9.0", registers=300)


@pytest.mark.parametrize("cc", ALL)
def test_survivors_of_a_light_kernel_are_exactly_the_aligned_blocks_with_full_occupancy(cc):
    full = [
        size
        for size in occ.BLOCK_SIZES
        if size % 32 == 0 and occupancy(cc, size, 16).fraction == 1.0
    ]
    assert list(occ.block_size_funnel(cc, registers=16)[-1].survivors) == full


def test_curves_are_steps_down_and_zero_where_nothing_launches():
    registers, by_registers = occ.occupancy_by_registers("9.0", 1024)
    assert (registers[0], registers[-1]) == (1, 255)
    assert by_registers[31] == 1.0 and by_registers[32] == 0.5 and by_registers[64] == 0.0
    assert by_registers == sorted(by_registers, reverse=True)
    shared, by_shared = occ.occupancy_by_shared_bytes("9.0", 256, 32)
    assert shared[-1] == 227 * 1024 and by_shared[-1] == 0.125
    assert by_shared == sorted(by_shared, reverse=True)
    sizes, by_size = occ.occupancy_by_block_size("12.0", 16)
    assert dict(zip(sizes, by_size, strict=True))[1024] == pytest.approx(2 / 3)


# ---- NVIDIA's header -------------------------------------------------------------------------

HARNESS = r"""
#include <cstdio>
#include <cstdlib>
#include <climits>
#include <vector>
#include "cuda_occupancy.h"

// stdin: device limits, then three lists.
// stdout: six int32 for every combination, last list innermost.
static int number() {
    int value;
    if (std::scanf("%d", &value) != 1) std::exit(3);
    return value;
}
static std::vector<int> list() {
    std::vector<int> values(number());
    for (int& value : values) value = number();
    return values;
}
int main() {
    for (int devices = number(); devices > 0; --devices) {
        cudaOccDeviceProp sm;
        sm.computeMajor = number();
        sm.computeMinor = number();
        sm.maxThreadsPerBlock = number();
        sm.maxThreadsPerMultiprocessor = number();
        sm.regsPerBlock = number();
        sm.regsPerMultiprocessor = number();
        sm.warpSize = number();
        sm.sharedMemPerBlock = number();
        sm.sharedMemPerMultiprocessor = number();
        sm.sharedMemPerBlockOptin = number();
        sm.reservedSharedMemPerBlock = number();
        sm.numSms = 1;
        const std::vector<int> blocks = list(), registers = list(), shared = list();
        std::vector<int> rows;
        for (int block : blocks) for (int count : registers)
            for (size_t s = 0; s < shared.size(); s += 3) {  // static, dynamic, opted in
                cudaOccFuncAttributes kernel;
                kernel.maxThreadsPerBlock = INT_MAX;
                kernel.numRegs = count;
                kernel.sharedSizeBytes = shared[s];
                kernel.maxDynamicSharedSizeBytes = shared[s + 1];
                kernel.shmemLimitConfig =
                    shared[s + 2] ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
                kernel.numBlockBarriers = 1;
                cudaOccDeviceState state;
                cudaOccResult r;
                if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, &sm, &kernel, &state, block,
                                                            shared[s + 1]))
                    return 4;
                for (int value : {r.activeBlocksPerMultiprocessor, r.blockLimitWarps,
                                  r.blockLimitRegs, r.blockLimitSharedMem, r.blockLimitBlocks,
                                  (int)(r.limitingFactors & 15u)})
                    rows.push_back(value);
            }
        std::fwrite(rows.data(), sizeof(int), rows.size(), stdout);
    }
}
"""
INT_MAX = 2**31 - 1
FACTORS = {"warps": 1, "registers": 2, "shared memory": 4, "block slots": 8}


def header_folder() -> Path | None:
    """Find the folder of cuda_occupancy.h: the CUDA toolkit's, or its PyPI packages'."""
    folders = [
        Path(os.environ[name]) / "include"
        for name in ("CUDA_HOME", "CUDA_PATH")
        if os.environ.get(name)
    ]
    if nvcc := shutil.which("nvcc"):
        folders.append(Path(nvcc).resolve().parent.parent / "include")
    folders += sorted(Path("/usr/local").glob("cuda*/include"), reverse=True)
    spec = importlib.util.find_spec("nvidia")
    for site in (spec and spec.submodule_search_locations) or ():
        folders += sorted(Path(site).glob("*/include"), reverse=True)
    return next((folder for folder in folders if (folder / "cuda_occupancy.h").is_file()), None)


@pytest.fixture(scope="module")
def nvidia(tmp_path_factory):
    """Return a function from the grids, one a capability, to NVIDIA's rows of six numbers."""
    include, compiler = header_folder(), shutil.which("g++") or shutil.which("c++")
    if include is None:
        pytest.skip("cuda_occupancy.h is not on this machine (it comes with the CUDA toolkit)")
    if compiler is None:
        pytest.skip("no C++ compiler to build cuda_occupancy.h with")
    folder = tmp_path_factory.mktemp("cuda_occupancy")
    (folder / "harness.cpp").write_text(HARNESS)
    command = [compiler, "-O1", "-w", f"-I{include}", "harness.cpp", "-o", "harness"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)

    def run(grids):
        words = [len(grids)]
        for cc, (blocks, registers, shared) in grids.items():
            sm = compute_capability(cc)
            words += [*map(int, cc.split(".")), sm.max_threads_per_block, sm.max_threads_per_sm]
            words += [
                sm.max_regs_per_block,
                sm.regs_per_sm,
                sm.warp_size,
                sm.smem_per_block_default_bytes,
            ]
            words += [
                sm.smem_per_sm_bytes,
                sm.smem_per_block_optin_bytes,
                sm.reserved_smem_per_block_bytes,
            ]
            words += [
                len(blocks),
                *blocks,
                len(registers),
                *registers,
                3 * len(shared),
                *itertools.chain(*shared),
            ]
        text = " ".join(map(str, words)).encode()
        output = subprocess.run(
            [folder / "harness"], input=text, capture_output=True, check=True, timeout=60
        )
        return array("i", output.stdout)

    return run


def ours(cc, block_size, registers, static, dynamic, opt_in):
    """Return the harness's six numbers; of an impossible launch only the zero counts."""
    try:
        r = occupancy(cc, block_size, registers, static + dynamic, opt_in=bool(opt_in))
    except ValueError:
        return None
    limits = r.limits
    shared = limits["shared memory"]
    factors = sum(FACTORS[name] for name in r.binding)
    shared = INT_MAX if shared == math.inf else shared
    return (
        r.blocks,
        limits["warps"],
        limits["registers"],
        shared,
        limits["block slots"],
        factors,
    )


def compare(nvidia, grids) -> tuple[int, int]:
    """Return (combinations, those that launch); fail at the first difference."""
    theirs = nvidia(grids)
    count = launches = 0
    for cc, grid in grids.items():
        sm = compute_capability(cc)
        for block_size, registers, shared in itertools.product(*grid):
            expected = tuple(theirs[6 * count : 6 * count + 6])
            result = ours(sm, block_size, registers, *shared)
            count += 1
            if result is None:
                assert expected[0] == 0, (cc, block_size, registers, shared, expected)
            else:
                launches += 1
                assert result[0] >= 1, "a launch that leaves the SM empty must be an error"
                assert result == expected, (cc, block_size, registers, shared, result, expected)
    assert len(theirs) == 6 * count
    return count, launches


@pytest.mark.parametrize(
    "registers", [range(1, 256, 7), pytest.param(range(1, 256), marks=pytest.mark.stress)]
)
def test_equals_cuda_occupancy_h_on_blocks_x_registers_x_shared_memory(
    nvidia, record_property, registers
):
    """Registers are handed out by eights; steps of 7 meet every remainder."""
    odd = [1, 31, 33, 47, 65, 127, 161, 255, 257, 500, 1000, 1023]
    blocks = sorted([*range(32, 1025, 32), *odd])
    shared = [
        (0, 0, 1),
        (4096, 0, 1),
        (100, 8092, 1),
        (16384, 0, 1),
        (3001, 40000, 1),
        (0, 65536, 1),
    ]
    grids = {cc: (blocks, registers, shared) for cc in COMPARED}
    count, launches = compare(nvidia, grids)
    record_property("combinations", count)
    assert count == 44 * len(registers) * 6 * len(COMPARED) and launches > count // 2


@pytest.mark.parametrize(
    "registers",
    [
        (1, 40, 65),
        pytest.param((1, 16, 22, 32, 40, 64, 65, 128, 255), marks=pytest.mark.stress),
    ],
)
def test_equals_cuda_occupancy_h_for_every_block_size(nvidia, registers):
    shared = [(0, 0, 1), (1024, 0, 1)]
    grids = {cc: (range(1, 1027), registers, shared) for cc in COMPARED}
    count, _ = compare(nvidia, grids)
    assert count == 1026 * len(registers) * 2 * len(COMPARED)


@pytest.mark.parametrize("step", [241, pytest.param(61, marks=pytest.mark.stress)])
def test_equals_cuda_occupancy_h_for_fine_steps_of_shared_memory(nvidia, step):
    grids = {}
    for cc in COMPARED:
        sm = compute_capability(cc)
        most, default = sm.smem_per_block_optin_bytes, sm.smem_per_block_default_bytes
        amounts = [*range(0, most, step), most - 1, most, most + 1, most + 1024]
        shared = [(0, amount, 1) for amount in amounts]
        shared += [
            (amount, 0, 0) for amount in (0, 1, 1000, default - 1, default, default + 1, most)
        ]
        grids[cc] = ((32, 256), (16, 40), shared)
    count, launches = compare(nvidia, grids)
    assert 2_400_000 // step < count and launches < count
