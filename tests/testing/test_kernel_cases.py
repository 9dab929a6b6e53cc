"""The cases of helpers.testing.kernel_cases: the course's own kernels pass them, and kernels with a known fault do not."""

from functools import cache

import pytest
import torch

from helpers import paths
from helpers.run import jit
from helpers.testing import check, kernel_cases

ALL = {
    "warp_ids": kernel_cases.warp_ids,
    "divergence": kernel_cases.divergence,
    "warp_sync": kernel_cases.swap,
    "sums": kernel_cases.sums,
    "promises": kernel_cases.promises,
    "matmul": kernel_cases.matmul,
    "bank_conflicts": kernel_cases.bank_conflicts,
    "latency_hiding": kernel_cases.latency_hiding,
    "pointer_chase": kernel_cases.pointer_chase,
}
FAULTS = {  # file: (right, wrong, what it breaks)
    "sums": [
        ("offset = WARP / 2", "offset = WARP / 4", "the first round of the shuffle"),
        ("(left + 1) / 2", "left / 2", "a tree over an odd number"),
        ("lane < warps ? of_warp[lane] : 0.0f", "of_warp[lane]", "warps that do not exist"),
        (
            "4 * count + first < n ?",
            "4 * count + first + 1 < n ?",
            "the last element of the tail",
        ),
        (
            "zero_kernel<<<1, 1, 0, stream>>>(total);\n    atomic_each",
            "atomic_each",
            "the start of a total",
        ),
    ],
    "divergence": [
        ("value >= 0.0f ?", "value > 0.0f ?", "zero on the wrong side"),
        ("case 4: branch_kernel<4>", "case 4: branch_kernel<8>", "another number of steps"),
        ("return x + 1.0f", "return x + 1.0001f", "the short way"),
    ],
    "warp_ids": [
        (
            "threadIdx.y + blockDim.y * threadIdx.z",
            "threadIdx.z + blockDim.z * threadIdx.y",
            "y after z",
        )
    ],
    "warp_sync": [("if (SYNCED) __syncwarp();", "", "the order of writing and reading")],
    "promises": [
        (
            "for (int i = 0; i < length; ++i)",
            "for (int i = 0; i < length / 4 * 4; ++i)",
            "the rest of a row",
        )
    ],
    "matmul": [
        ("row < rows && start + a_col < k", "row < rows", "what lies right of A"),
        (
            "int i = 0; i < TILE; ++i",
            "int i = 0; i < TILE - 1; ++i",
            "the last column of a tile",
        ),
    ],
    "bank_conflicts": [
        ("if (row < cols && col < rows)", "if (row < cols)", "what lies below the result"),
        ("% 32 * stride", "% 16 * stride", "half of the lanes"),
    ],
    "latency_hiding": [
        (
            "for (; i < count; i += threads) sum",
            "for (; i + 1 < count; i += threads) sum",
            "the rest of the packs",
        ),
        ("WIDTH * count + thread", "WIDTH * count + thread + 1", "an element of the tail"),
    ],
    "pointer_chase": [("s < steps", "s < steps - 1", "the last link")],
}


@cache
def source(name):
    return (paths.KERNELS / f"{name}.cu").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ALL)
def test_the_courses_kernels_pass(name):
    answer = check.verdict(jit.load(name), cases=ALL[name])
    assert answer.ok, str(answer)
    assert answer.cases >= 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [(name, *fault[:2]) for name, faults in FAULTS.items() for fault in faults],
)
def test_a_fault_is_found(name, right, wrong, tmp_path):
    assert right in source(name)
    file = tmp_path / f"{name}.cu"
    file.write_text(source(name).replace(right, wrong))
    assert not check.verdict(jit.load(file), cases=ALL[name]).ok


def test_whole_numbers_stay_exact_in_any_order():
    """The largest case of each kind: the sum of magnitudes, a bound for any partial sum, is below 2^24."""
    assert 50_001 * 50 < 1 << 24
    assert max(k for _, _, k in kernel_cases.SHAPES) * 50 * 50 < 1 << 24


def test_partial_sums_share_out_every_element():
    x = torch.arange(1.0, 1004.0)
    for name in ("sum_one_thread", "sum_tree", "sum_shuffle", "sum_block", "sum_two_pass"):
        for count, block_size in ((1, 32), (3, 100), (40, 256)):
            assert (
                kernel_cases.partial_sums(name, x, count, block_size).sum() == x.double().sum()
            )
    assert kernel_cases.partial_sums("sum_two_pass", x[:7], 1, 32).tolist() == [28.0]
    assert kernel_cases.partial_sums("sum_shuffle", x[:70], 3, 256).tolist() == [
        part.sum().item() for part in x[:70].split(32)
    ]
