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
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import partial_sums

DEVICE = machine.present().device
CASES = {  # file: its cases, and their number for each launcher
    "warp_ids": (kernel_cases.warp_ids, [22]),
    "divergence": (kernel_cases.divergence, [109] * 3),
    "warp_sync": (kernel_cases.swap, [84, 0]),
    "sums": (kernel_cases.sums, [113] * 4 + [117] * 2 + [113]),
    "promises": (kernel_cases.promises, [23] * 3),
    "matmul": (kernel_cases.matmul, [18, 18, 36, 18]),
    "bank_conflicts": (kernel_cases.bank_conflicts, [32, 24]),
    "latency_hiding": (kernel_cases.latency_hiding, [312]),
    "pointer_chase": (kernel_cases.pointer_chase, [6]),
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


@cache
def kernel(name):
    return jit.load(name)


# ---- right and wrong kernels


@pytest.mark.parametrize("name", CASES)
def test_the_courses_kernels_pass(name):
    cases, counts = CASES[name]
    of_launchers = [len(list(cases(one))) for one in kernel(name).launchers.values()]
    assert sorted(of_launchers) == sorted(counts)  # lessons print their sum
    answer = check.verdict(kernel(name), cases=cases)
    assert answer.ok, str(answer)
    assert answer.cases == sum(counts)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """Build all faults of a file at once; judge one of them, launcher by launcher."""
    folder, loaded = tmp_path_factory.mktemp("faults"), {}

    def verdicts(name, index):
        if name not in loaded:
            texts = {}
            for i, (right, wrong, _) in enumerate(FAULTS[name]):
                assert right in source(name)
                texts[f"fault{i}"] = source(name).replace(right, wrong)
            file = folder / f"{name}.cu"
            file.write_text(wrong_kernels.combined(texts), encoding="utf-8")
            loaded[name] = jit.load(file)

        prefix, cases = f"fault{index}_", CASES[name][0]

        def under_its_own_name(launcher):
            """Yield the cases of the launcher that was renamed."""
            own = launcher.declaration.name.removeprefix(prefix)
            declaration = replace(launcher.declaration, name=own)
            return cases(SimpleNamespace(declaration=declaration))

        for launcher in loaded[name].launchers:
            if launcher.startswith(prefix):
                yield check.verdict(loaded[name], cases=under_its_own_name, only=launcher)

    return verdicts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "index"),
    [(name, index) for name, faults in FAULTS.items() for index in range(len(faults))],
    ids=[f"{name}: {what}" for name, faults in FAULTS.items() for *_, what in faults],
)
def test_a_fault_is_found(name, index, faulty):
    assert not all(answer.ok for answer in faulty(name, index))


# ---- what is tried


def launcher_of(name, *arguments):
    """Stand for a launcher of that name that takes these scalars, x [n] and one output [m]."""
    tensors = (
        SimpleNamespace(role="input", shape=("n",)),
        SimpleNamespace(role="output", shape=("m",)),
    )
    scalars = tuple(SimpleNamespace(name=argument) for argument in arguments)
    declaration = SimpleNamespace(name=name, tensors=tensors, arguments=scalars)
    return SimpleNamespace(declaration=declaration)


def tried(cases, *key):
    """List the values of some arguments, in order, each once; None where a case has none."""
    return list(dict.fromkeys(tuple(case.arguments.get(k) for k in key) for case in cases))


def cases_of(some):
    """List the cases but the launches past 2^31."""
    return [case for case in some if isinstance(case, Case)]


SIZES = [1, 2, 3, 5, 31, 32, 33, 127, 255, 257, 1000, 4099]
BLOCKS = [32, 96, 100, 256, 1024]


def test_what_is_tried_on_warp_ids():
    cases = list(kernel_cases.warp_ids(launcher_of("warp_ids")))
    assert tried(cases, "bx", "by", "bz")[-3:] == [(8, 4, 3), (3, 5, 11), (1, 1, 64)]
    assert [case.size for case in cases[:4]] == [1, 4, 32, 113]
    lanes, leaders, _ = next(c for c in cases if c.label == "block 5 x 7, 123 threads").expected
    assert lanes[:36].tolist() == [*range(32), 0, 1, 2, 0]
    assert leaders[:36].tolist() == [0] * 32 + [32] * 3 + [0]
    assert {case.ignored for case in cases} == {("slot",)}


def test_what_is_tried_on_a_branch():
    cases = list(kernel_cases.divergence(launcher_of("branch")))
    exact = [case for case in cases if case.ulp == 0 and "block_size" not in case.arguments]
    assert [case.size for case in exact[:12]] == SIZES
    assert all(
        (case.inputs[0] % 256 == 0).all()
        for case in exact
        if "special" not in case.label
        and case.arguments["steps"]
        and case.size not in (33, 1000, 4099)
    )
    ulps = {case.arguments["steps"]: case.ulp for case in cases if case.ulp}
    assert ulps == {
        1: 2,
        2: 4,
        3: 6,
        4: 8,
        **{s: 8 for s in (5, 8, 16, 32, 37, 64, 100, 128, 256)},
    }
    assert tried(cases, "steps", "block_size")[-5:] == [(2, size) for size in BLOCKS]
    assert cases[-1].size == 1001
    positive = kernel_cases.divergence(launcher_of("all_long"))
    assert all(
        (case.inputs[0] >= 0).all() for case in positive if case.arguments["steps"] == 256
    )


def test_what_is_tried_on_swaps():
    cases = list(kernel_cases.swap(launcher_of("swap_synced")))
    assert [size for (size,) in tried(cases, "block_size")] == [256, 32, 96, 100, 1024, 33]
    assert len(cases) == 7 * len(SIZES)
    assert [case.size for case in cases[:12]] == SIZES


def test_what_is_tried_on_sums():
    cases = cases_of(kernel_cases.sums(launcher_of("sum_tree", "blocks", "block_size")))
    sizes = [case.inputs[0].numel() for case in cases]
    assert sizes[:39:3] == [*SIZES, 50_001]
    assert [case.size for case in cases[:3]] == [1, 3, 40]
    assert [case.arguments["blocks"] for case in cases[:3]] == [1, 3, 40]
    ulps = {n: case.ulp for n, case in zip(sizes, cases, strict=True) if case.ulp}
    assert ulps == {3: 1.5, 33: 16.5, 1000: 500, 4099: 2049.5}
    assert {case.size for case in cases if case.ulp} == {3}
    combinations = tried(cases, "block_size", "blocks")
    assert [one for one in combinations if one[0] and one[1] == 5] == [(b, 5) for b in BLOCKS]
    assert {
        n for n, case in zip(sizes, cases, strict=True) if "block_size" in case.arguments
    } == {3001}
    infinite, nan = cases[-2:]
    assert infinite.expected[0].isinf().all() and nan.expected[0].isnan().all()
    assert infinite.inputs[0].isinf().nonzero().tolist() == [[515]] and sizes[-1] == 517
    assert "blocks" not in next(kernel_cases.sums(launcher_of("sum_tree"))).arguments


def test_what_is_tried_on_rows_and_products():
    rows = list(kernel_cases.promises(launcher_of("row_sums_plain")))
    shapes = [tuple(case.inputs[0].shape) for case in rows]
    assert shapes[:18:2] == shapes[1:18:2] == list(kernel_cases.ROWS)
    assert [case.ulp for case in rows[:6]] == [0, 0.5, 0, 2, 0, 2]
    assert shapes[18:] == [(130, 8)] * 5 and tried(rows, "block_size")[1:] == [
        (b,) for b in BLOCKS
    ]
    products = list(kernel_cases.matmul(launcher_of("matmul_tile32", "padding")))
    assert tried(products, "padding") == [(0,), (1,)] and len(products) == 36
    assert [case.ulp for case in products[:15]] == [0] * 11 + [40, 0, 0, 0]
    in_a, in_b = products[12].expected[0], products[13].expected[0]
    assert in_a.isnan().nonzero()[:, 0].unique().tolist() == [33] and in_a[33].isnan().all()
    assert in_b.isnan().nonzero()[:, 1].unique().tolist() == [36] and in_b[:, 36].isnan().all()


def test_what_is_tried_on_bank_conflicts():
    walks = list(kernel_cases.bank_conflicts(launcher_of("strided_walk")))
    assert [key[0] for key in tried(walks, "stride")] == [0, 1, 2, 7, 31, 32]
    assert tried(walks, "rounds", "block_size") == [(0, 256), (45, 64), (1100, 256), (3, 96)]
    seventy = next(case for case in walks if case.size == 70 and case.arguments["stride"] == 7)
    assert seventy.expected[0].tolist() == [(i % 64 % 32 * 7 + 45) % 1024 for i in range(70)]
    moved = cases_of(kernel_cases.bank_conflicts(launcher_of("transpose", "padding")))
    assert tried(moved, "padding") == [(0,), (1,)]
    shapes = [tuple(case.inputs[0].shape) for case in moved[:7]]
    assert shapes == [(1, 1), (32, 32), (33, 31), (1, 100), (100, 1), (65, 97), (7, 130)]
    for case in moved:
        right = case.inputs[0].T.double()
        assert torch.equal(case.expected[0].nan_to_num(), right.nan_to_num())


def test_what_is_tried_on_latencies():
    reads = list(kernel_cases.latency_hiding(launcher_of("read_sum")))
    assert tried(reads, "unroll", "load_bytes") == [
        (u, b) for u in (1, 2, 4, 8) for b in (4, 16)
    ]
    assert tried(reads, "block_size", "shared_bytes") == [
        (64, None),
        (None, None),
        (None, 1024),
    ]
    assert [case.size for case in reads[:3]] == [300, 1, 77]
    assert [case.inputs[0].numel() for case in reads[:39:3]] == [*SIZES, 20_003]
    packs = next(
        case
        for case in reads
        if case.label.startswith("n = 1,000, threads = 77")
        and case.arguments["load_bytes"] == 16
    )
    x = packs.inputs[0].double()
    first = sum(x[4 * pack : 4 * pack + 4].sum() for pack in range(0, 250, 77))
    assert packs.expected[0][0] == first
    chases = list(kernel_cases.pointer_chase(launcher_of("chase")))
    assert [case.arguments["steps"] for case in chases] == [5, 50, 33, 1000, 0, 17]
    assert [case.expected[0].item() for case in chases[:2]] == [0, 0] and chases[4].expected[
        0
    ] == 0
    at = 0
    for _ in range(17):
        at = chases[5].inputs[0][at].item()
    assert chases[5].expected[0].item() == at and chases[5].ignored == ("cycles",)


# ---- the numbers


def test_whole_numbers_stay_exact_in_any_order():
    """Bound the largest partial sum of each kind by its sum of magnitudes: below 2^24."""
    assert 50_001 * 50 < 1 << 24
    assert max(k for _, _, k in kernel_cases.SHAPES) * 50 * 50 < 1 << 24


def test_whole_and_positive_numbers():
    x = kernel_cases.whole_numbers(100, 100, seed=1)
    assert x.shape == (100, 100) and x.dtype is torch.float32
    assert (x.min(), x.max()) == (-50, 50) and torch.equal(x, x.round())
    assert kernel_cases.whole_numbers(1000, seed=1, limit=9).abs().max() == 9
    y = kernel_cases.positive_numbers(1000, seed=1)
    assert y.min() >= 0.5 and y.max() < 1.5 and 0.9 < y.mean() < 1.1
    assert not torch.equal(y, kernel_cases.positive_numbers(1000, seed=2))


def test_the_long_way_and_the_short_one():
    assert kernel_cases.long_way(torch.tensor([4.0, 0.0]), 2).tolist() == [3.125, 0.875]
    declaration = SimpleNamespace(name="branch")
    cases = list(kernel_cases.divergence(SimpleNamespace(declaration=declaration)))
    special = next(case for case in cases if case.label == "special values, steps = 1")
    expected = dict(zip(special.inputs[0].tolist(), special.expected[0].tolist(), strict=True))
    assert (expected[-1.0], expected[1.0], expected[0.0]) == (0.0, 1.25, 0.5)
    assert special.ulp == 2
    assert [case.ulp for case in cases if case.label.endswith("steps = 256")] == [8, 8, 8]


def test_a_swap_leaves_a_last_odd_thread_alone():
    launcher = SimpleNamespace(declaration=SimpleNamespace(name="swap_synced"))
    cases = {case.label: case for case in kernel_cases.swap(launcher)}
    x, out = (
        cases["n = 5, block_size = 32"].inputs[0],
        cases["n = 5, block_size = 32"].expected[0],
    )
    assert out.tolist() == [x[i].item() for i in (1, 0, 3, 2, 4)]
    x, out = (
        cases["n = 127, block_size = 33"].inputs[0],
        cases["n = 127, block_size = 33"].expected[0],
    )
    assert (out[31], out[32], out[33]) == (x[30], x[32], x[34])  # 32 is the last of its block
    launcher.declaration.name = "swap_unsynced"
    assert list(kernel_cases.swap(launcher)) == []


def test_partial_sums_share_out_every_element():
    x = torch.arange(1.0, 1004.0)
    for name in ("sum_one_thread", "sum_tree", "sum_shuffle", "sum_block", "sum_two_pass"):
        for count, block_size in ((1, 32), (3, 100), (40, 256)):
            assert partial_sums(name, x, count, block_size).sum() == x.double().sum()
    assert partial_sums("sum_two_pass", x[:7], 1, 32).tolist() == [28.0]


@pytest.mark.parametrize(
    ("name", "block_size", "share"),
    [
        ("sum_one_thread", 256, 256),
        ("sum_tree", 100, 100),
        ("sum_block", 256, 256),
        ("sum_block", 100, 128),
        ("sum_shuffle", 256, 32),
    ],
)
def test_a_partial_sum_is_that_of_a_block_or_of_a_warp(name, block_size, share):
    x = torch.arange(1000.0)
    parts = [part.sum().item() for part in x.split(share)]
    assert partial_sums(name, x, len(parts), block_size).tolist() == parts


def test_two_passes_take_packs_of_four_and_leave_the_rest_to_the_first_threads():
    x = torch.zeros(4 * 64 + 3)
    x[4 * 32], x[4 * 64] = 1.0, 10.0  # the first pack of the second block, and the tail
    assert partial_sums("sum_two_pass", x, 2, 32).tolist() == [10.0, 1.0]


def test_a_reduction_of_the_whole_array():
    cases = cases_of(kernel_cases.whole_array(torch.max)(None))
    assert len(cases) == 315 and cases[1].label == "n = 1, seed = 1"
    for case in cases:
        assert case.expected[0].tolist() == [case.inputs[0].max().item()]
    assert max(case.inputs[0].abs().max() for case in cases) > 1e36


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
