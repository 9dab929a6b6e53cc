"""The course's own kernels pass their cases, and kernels with a known fault do not."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from helpers import paths
from helpers.errors import LaunchError
from helpers.model import shared_memory
from helpers.run import jit, machine
from helpers.testing import check, kernel_cases, wrong_kernels

DEVICE = machine.present().device
CASES = {  # file: its cases, and their number for each launcher
    "warp_ids": (kernel_cases.warp_ids, [22]),
    "divergence": (kernel_cases.divergence, [109] * 3),
    "two_stores": (kernel_cases.divergence, [109]),
    "warp_sync": (kernel_cases.swap, [84, 0]),
    "sums": (kernel_cases.sums, [113] * 4 + [117] * 2 + [113]),
    "promises": (kernel_cases.promises, [23] * 3),
    "matmul": (kernel_cases.matmul, [18, 18, 36, 18]),
    "bank_conflicts": (kernel_cases.bank_conflicts, [32, 24]),
    "latency_hiding": (kernel_cases.latency_hiding, [312]),
    "pointer_chase": (kernel_cases.pointer_chase, [6]),
}
FAULTS = {  # file: (right, wrong, the launcher that it breaks, what it breaks)
    "sums": [
        (
            "offset = WARP / 2",
            "offset = WARP / 4",
            "sum_shuffle",
            "the first round of the shuffle",
        ),
        ("(left + 1) / 2", "left / 2", "sum_tree", "a tree over an odd number"),
        (
            "lane < warps ? of_warp[lane] : 0.0f",
            "of_warp[lane]",
            "sum_block",
            "warps that do not exist",
        ),
        (
            "4 * count + first < n ?",
            "4 * count + first + 1 < n ?",
            "sum_two_pass",
            "the last element of the tail",
        ),
        (
            "zero_kernel<<<1, 1, 0, stream>>>(total);\n    atomic_each",
            "atomic_each",
            "sum_atomic_each",
            "the start of a total",
        ),
    ],
    "divergence": [
        ("value >= 0.0f ?", "value > 0.0f ?", "select_both", "zero on the wrong side"),
        (
            "case 4: branch_kernel<4>",
            "case 4: branch_kernel<8>",
            "branch",
            "another number of steps",
        ),
        ("return x + 1.0f", "return x + 1.0001f", "branch", "the short way"),
    ],
    "two_stores": [
        (
            "if (!(value",
            "if (value < -1.0f && !(value",
            "two_stores",
            "a store that is left out",
        ),
        (
            "case 2: two_stores_kernel<2>",
            "case 2: two_stores_kernel<1>",
            "two_stores",
            "a step",
        ),
    ],
    "warp_ids": [
        (
            "threadIdx.y + blockDim.y * threadIdx.z",
            "threadIdx.z + blockDim.z * threadIdx.y",
            "warp_ids",
            "y after z",
        )
    ],
    "warp_sync": [
        (
            "if (SYNCED) __syncwarp();",
            "",
            "swap_synced",
            "the order of writing and reading",
        )
    ],
    "promises": [
        (
            "for (int i = 0; i < length; ++i)",
            "for (int i = 0; i < length / 4 * 4; ++i)",
            "row_sums_plain",
            "the rest of a row",
        )
    ],
    "matmul": [
        (
            "row < rows && start + a_col < k",
            "row < rows",
            "matmul_registers",
            "what lies right of A",
        ),
        (
            "int i = 0; i < TILE; ++i",
            "int i = 0; i < TILE - 1; ++i",
            "matmul_tile16",
            "the last column of a tile",
        ),
    ],
    "bank_conflicts": [
        (
            "if (row < cols && col < rows)",
            "if (row < cols)",
            "transpose",
            "what lies below the result",
        ),
        ("% 32 * stride", "% 16 * stride", "strided_walk", "half of the lanes"),
    ],
    "latency_hiding": [
        (
            "for (; i < count; i += threads) sum",
            "for (; i + 1 < count; i += threads) sum",
            "read_sum",
            "the rest of the packs",
        ),
        (
            "WIDTH * count + thread",
            "WIDTH * count + thread + 1",
            "read_sum",
            "an element of the tail",
        ),
    ],
    "pointer_chase": [("s < steps", "s < steps - 1", "pointer_chase", "the last link")],
}


@cache
def source(name):
    return (paths.KERNELS / f"{name}.cu").read_text(encoding="utf-8")


@cache
def kernel(name):
    return jit.load(name)


# ---- right and wrong kernels

TEST_OF_FAULTS = "test_a_fault_is_found"


@pytest.mark.stress  # in every run a lesson checks each and prints how many cases were right
@pytest.mark.parametrize("name", CASES)
def test_the_courses_kernels_pass(name):
    cases, counts = CASES[name]
    of_launchers = [len(list(cases(one))) for one in kernel(name).launchers.values()]
    assert sorted(of_launchers) == sorted(counts)  # lessons print their sum
    answer = check.verdict(kernel(name), cases=cases)
    assert answer.ok, str(answer)
    assert answer.cases == sum(counts)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory, request):
    """Build the faults of a file that are tried at once; judge the launcher that one breaks."""
    folder, loaded = tmp_path_factory.mktemp("faults"), {}
    tests = [
        one
        for one in request.session.items
        if getattr(one, "originalname", "") == TEST_OF_FAULTS
    ]
    tried = {(one.callspec.params["name"], one.callspec.params["index"]) for one in tests}

    def verdict(name, index):
        if name not in loaded:
            texts = {}
            for i, (right, wrong, *_) in enumerate(FAULTS[name]):
                assert right in source(name)
                if (name, i) in tried:
                    texts[f"fault{i}"] = source(name).replace(right, wrong)
            file = folder / f"{name}.cu"
            file.write_text(wrong_kernels.combined(texts), encoding="utf-8")
            loaded[name] = jit.load(file)
        broken = FAULTS[name][index][2]

        def under_its_own_name(launcher):
            """Yield the cases of the launcher that was renamed."""
            declaration = replace(launcher.declaration, name=broken)
            return CASES[name][0](SimpleNamespace(declaration=declaration))

        only = f"fault{index}_{broken}"
        return check.verdict(loaded[name], cases=under_its_own_name, only=only)

    return verdict


@pytest.mark.slow
@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("name", "index"),
    [(name, index) for name, faults in FAULTS.items() for index in range(len(faults))],
    ids=[f"{name}: {what}" for name, faults in FAULTS.items() for *_, what in faults],
)
def test_a_fault_is_found(name, index, faulty):
    assert not faulty(name, index).ok


# ---- what no case says


def tensor(values):
    return torch.as_tensor(values).to(DEVICE)


def outputs(count, *shape, dtype=torch.float32):
    return [torch.full(shape, -77, dtype=dtype, device=DEVICE) for _ in range(count)]


@pytest.mark.parametrize("block", [(256,), (100,), (16, 16), (5, 7), (8, 4, 3), (3, 5, 11)])
def test_threads_of_a_warp_share_a_slot_and_no_others_do(block):
    bx, by, bz = (*block, 1, 1)[:3]
    threads = bx * by * bz
    lane, leader, slot = outputs(3, threads, dtype=torch.int32)
    kernel("warp_ids")(lane, leader, slot, bx, by, bz)
    warps = -(-threads // 32)
    pairs = set(zip(leader.tolist(), slot.tolist(), strict=True))
    assert len(pairs) == len(set(slot.tolist())) == warps


def test_two_passes_give_the_same_bits_every_time():
    x = tensor(torch.randn(50_001, generator=torch.Generator().manual_seed(0)))
    seen = set()
    for _ in range(3):
        (partials,), (total,) = outputs(1, 13), outputs(1, 1)
        kernel("sums").sum_two_pass(x, partials, total)
        seen.add(total.item())
    assert len(seen) == 1


def test_the_packed_sums_refuse_a_slice_that_is_not_aligned():
    (partials,), (total,) = outputs(1, 4), outputs(1, 1)
    with pytest.raises(ValueError, match="clone"):
        kernel("sums").sum_two_pass(tensor(torch.zeros(1001))[1:], partials, total)


def test_the_cycles_of_a_chase_are_not_negative():
    (last,), (cycles,) = outputs(1, 1, dtype=torch.int32), outputs(1, 1, dtype=torch.int64)
    kernel("pointer_chase")(tensor(torch.tensor([1, 2, 0], dtype=torch.int32)), last, cycles, 4)
    assert last.item() == 1 and cycles.item() >= 0


def test_more_than_48_kb_of_shared_memory():
    x, (sums,) = tensor(torch.arange(1000.0)), outputs(1, 300)
    kernel("latency_hiding")(x, sums, 4, 16, shared_bytes=100 * 1024)
    assert sums.sum().item() == 999 * 500


def test_a_version_that_does_not_exist_is_refused():
    with pytest.raises(LaunchError):
        kernel("latency_hiding")(tensor(torch.zeros(8)), *outputs(1, 8), unroll=3)


def test_the_tiles_of_the_products_have_no_bank_conflict_with_or_without_padding():
    """Follow a warp's reads in `tile_kernel`: a word of A (a broadcast) and a row of B."""
    conflict = shared_memory.bank_conflict
    for pitch in (32, 33):
        assert conflict(np.full(32, 4 * (5 * pitch + 3))) == 1  # tile_a[y][i], y the same
        assert conflict(shared_memory.row_addresses(7, pitch)) == 1  # tile_b[i][x]
    lanes = np.arange(32)  # a tile 16 wide: two rows of A and of B
    assert conflict(4 * (lanes // 16 * 16 + 3)) == 1
    assert conflict(4 * (lanes % 16)) == 1
    # `registers_kernel` writes 8 columns of A as 8 rows of shared memory: padding matters.
    written = {p: conflict(4 * (lanes % 8 * p + lanes // 8)) for p in (128, 132)}
    assert written == {128: 8, 132: 1}
