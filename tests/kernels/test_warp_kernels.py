"""The kernels about warps, run on what there is (the emulator or a GPU) and compared with NumPy and torch."""

from functools import cache

import numpy as np
import pytest
import torch

from helpers import emulator
from helpers.errors import LaunchError
from helpers.model import pointer_chase, shared_memory, warps
from helpers.run import jit, machine

SIZES = [1, 31, 33, 255, 257, 1000, 4099]


@cache
def kernel(name):
    return jit.load(name)


def device():
    return machine.present().device


def numbers(*shape, seed=0):
    """Random float32 input: on the emulator a read beyond its end is a fault, on a GPU it meets NaN."""
    values = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
    if device() == "cpu":
        memory = emulator.guarded(values.numel(), torch.float32, alignment=16)
    else:
        memory = torch.full((values.numel() + 4096,), float("nan"), device=device())[
            : values.numel()
        ]
    return memory.view(shape).copy_(values)


def poisoned(*shape, dtype=torch.float32):
    """An output that no kernel has written: a forgotten element cannot pass for a right one."""
    return torch.full(
        shape, float("nan") if dtype.is_floating_point else -77, dtype=dtype, device=device()
    )


# ---- warp_ids -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "block",
    [(32,), (256,), (100,), (16, 16), (5, 7), (8, 4, 3), (3, 5, 11), (1, 1, 64), (1, 33)],
)
def test_the_hardware_agrees_with_the_layout(block):
    layout = warps.thread_layout(block)
    lane, leader, slot = (poisoned(layout.threads, dtype=torch.int32) for _ in range(3))
    kernel("warp_ids")(lane, leader, slot, *layout.block)
    assert lane.tolist() == layout.lane.ravel().tolist()
    assert (leader // 32).tolist() == layout.warp.ravel().tolist()
    assert (leader % 32 == 0).all()
    # Threads of one warp share a slot, threads of different warps of a block never do.
    assert (
        len({(w, s) for w, s in zip(leader.tolist(), slot.tolist(), strict=True)})
        == layout.warps
    )
    assert len(set(slot.tolist())) == layout.warps


def test_warp_ids_over_several_blocks_and_a_tail():
    lane, leader, slot = (poisoned(100, dtype=torch.int32) for _ in range(3))
    kernel("warp_ids")(lane, leader, slot, bx=40)
    assert lane.tolist() == [i % 40 % 32 for i in range(100)]
    assert leader.tolist() == [i % 40 // 32 * 32 for i in range(100)]


# ---- divergence ---------------------------------------------------------------------------------------------------


def long_way(x, steps):
    for _ in range(steps):
        x = x * 0.75 + 0.5
    return x


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4, 8, 16, 37, 100])
@pytest.mark.parametrize("launcher", ["branch", "select_both", "all_long"])
def test_both_ways_of_the_branch(launcher, steps):
    for n in SIZES[:5]:
        x, out = numbers(n, seed=n), poisoned(n)
        getattr(kernel("divergence"), launcher)(x, out, steps=steps, block_size=96)
        expected = long_way(x, steps)
        if launcher != "all_long":
            expected = torch.where(x >= 0, expected, x + 1)
        torch.testing.assert_close(out, expected)


@pytest.mark.parametrize("launcher", ["branch", "select_both"])
def test_zeros_take_the_long_way_and_nan_the_short_one(launcher):
    x, out = torch.tensor([float("nan"), -0.0, 0.0], device=device()), poisoned(3)
    getattr(kernel("divergence"), launcher)(x, out, steps=1)
    torch.testing.assert_close(
        out, torch.tensor([float("nan"), 0.5, 0.5], device=device()), equal_nan=True
    )


# ---- sums ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("launcher", ["sum_one_thread", "sum_tree", "sum_shuffle", "sum_block"])
@pytest.mark.parametrize("block_size", [32, 96, 100, 256, 1024])
def test_partial_sums_add_up_to_the_sum(launcher, block_size):
    for n in SIZES:
        for count in (1, 3, 40):
            x, partials = numbers(n, seed=n), poisoned(count)
            getattr(kernel("sums"), launcher)(x, partials, block_size=block_size)
            torch.testing.assert_close(
                partials.double().sum(), x.double().sum(), rtol=1e-5, atol=1e-4
            )


@pytest.mark.parametrize("launcher", ["sum_one_thread", "sum_tree", "sum_block"])
def test_with_a_block_for_every_256_elements_each_partial_is_that_blocks_sum(launcher):
    x = (
        torch.randint(-50, 50, (1000,), generator=torch.Generator().manual_seed(1))
        .float()
        .to(device())
    )
    partials = poisoned(4)
    getattr(kernel("sums"), launcher)(x, partials)
    assert partials.tolist() == [part.sum().item() for part in x.split(256)]


def test_a_shuffle_leaves_one_partial_per_warp():
    x = torch.arange(1000.0, device=device())
    partials = poisoned(32)
    kernel("sums").sum_shuffle(x, partials)
    assert partials.tolist() == [part.sum().item() for part in x.split(32)]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 127, 1000, 4099, 100_003])
def test_the_whole_arrays_sum(n):
    x = numbers(n, seed=n)
    expected = x.double().sum()
    sums = kernel("sums")
    each, atomic, two_pass = poisoned(1), poisoned(1), poisoned(1)
    sums.sum_atomic_each(x, each)
    sums.sum_atomic(x, atomic, blocks=7)
    sums.sum_two_pass(x, poisoned(5), two_pass, block_size=64)
    for total in (each, atomic, two_pass):
        torch.testing.assert_close(total.double()[0], expected, rtol=1e-5, atol=1e-3)


def test_two_passes_give_the_same_bits_every_time():
    x, seen = numbers(50_001), set()
    for _ in range(3):
        total = poisoned(1)
        kernel("sums").sum_two_pass(x, poisoned(13), total)
        seen.add(total.item())
    assert len(seen) == 1


def test_the_packed_sums_refuse_a_slice_that_is_not_aligned():
    with pytest.raises(ValueError, match="clone"):
        kernel("sums").sum_two_pass(numbers(1001)[1:], poisoned(4), poisoned(1))


# ---- pointer_chase and latency_hiding -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "stride", "steps"),
    [(1, 1, 5), (50, 1, 50), (50, 32, 33), (100, 3, 1000), (7, 1, 0)],
)
def test_the_chase_ends_where_the_chain_leads(count, stride, steps):
    following = pointer_chase.random_cycle(count, stride, seed=3)
    at = 0
    for _ in range(steps):
        at = following[at]
    last, cycles = poisoned(1, dtype=torch.int32), poisoned(1, dtype=torch.int64)
    kernel("pointer_chase")(torch.from_numpy(following).to(device()), last, cycles, steps)
    assert last.item() == at
    assert cycles.item() >= 0


@pytest.mark.parametrize("unroll", [1, 2, 4, 8])
@pytest.mark.parametrize("load_bytes", [4, 16])
def test_every_version_reads_every_element_once(unroll, load_bytes):
    for n in SIZES:
        x = (
            torch.randint(-9, 9, (n,), generator=torch.Generator().manual_seed(n))
            .float()
            .to(device())
        )
        sums = poisoned(300)
        kernel("latency_hiding")(x, sums, unroll, load_bytes, shared_bytes=1024, block_size=64)
        assert sums.sum().item() == x.sum().item()
    kernel("latency_hiding")(
        x, sums, unroll, load_bytes, shared_bytes=100 * 1024
    )  # more than 48 KB a block
    assert sums.sum().item() == x.sum().item()


def test_a_version_that_does_not_exist_is_refused():
    with pytest.raises(LaunchError):
        kernel("latency_hiding")(numbers(8), poisoned(8), unroll=3)


# ---- matmul -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "launcher", ["matmul_plain", "matmul_tile16", "matmul_tile32", "matmul_registers"]
)
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [(1, 1, 1), (3, 5, 7), (33, 17, 40), (130, 1, 9), (1, 131, 33), (70, 150, 20)],
)
def test_matrix_products(launcher, m, n, k):
    a, b, c = numbers(m, k, seed=1), numbers(k, n, seed=2), poisoned(m, n)
    getattr(kernel("matmul"), launcher)(a, b, c)
    expected = (a.double() @ b.double()).float()
    torch.testing.assert_close(c, expected, rtol=1e-4, atol=1e-4)


def test_padding_changes_nothing_in_the_result():
    a, b = numbers(40, 50, seed=3), numbers(50, 60, seed=4)
    padded, plain = poisoned(40, 60), poisoned(40, 60)
    kernel("matmul").matmul_tile32(a, b, padded, padding=1)
    kernel("matmul").matmul_tile32(a, b, plain, padding=0)
    assert torch.equal(padded, plain)


def test_the_tiles_of_the_products_have_no_bank_conflict_with_or_without_padding():
    """What a warp reads in one step of `tile_kernel`: one word of A (a broadcast), a row of B; 16 wide, two of each."""
    for pitch in (32, 33):
        assert (
            shared_memory.bank_conflict(np.full(32, 4 * (5 * pitch + 3))) == 1
        )  # tile_a[y][i], y the same for all
        assert shared_memory.bank_conflict(shared_memory.row_addresses(7, pitch)) == 1  # tile_b[i][x]
    lanes = np.arange(32)
    assert shared_memory.bank_conflict(4 * (lanes // 16 * 16 + 3)) == 1
    assert shared_memory.bank_conflict(4 * (lanes % 16)) == 1
    # `registers_kernel` writes 8 columns of A as 8 rows of shared memory: here the padding matters.
    written = {
        pitch: shared_memory.bank_conflict(4 * (lanes % 8 * pitch + lanes // 8)) for pitch in (128, 132)
    }
    assert written == {128: 8, 132: 1}


# ---- bank_conflicts and promises ----------------------------------------------------------------------------------


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize(
    ("rows", "cols"), [(1, 1), (32, 32), (33, 31), (1, 100), (100, 1), (65, 97)]
)
def test_transposes(padding, rows, cols):
    x, out = numbers(rows, cols), poisoned(cols, rows)
    kernel("bank_conflicts").transpose(x, out, padding=padding)
    assert torch.equal(out, x.T)


@pytest.mark.parametrize("stride", [0, 1, 2, 7, 32])
def test_walks_through_shared_memory(stride):
    out = poisoned(70, dtype=torch.int32)
    kernel("bank_conflicts").strided_walk(out, stride=stride, rounds=45, block_size=64)
    assert out.tolist() == [(i % 64 % 32 * stride + 45) % 1024 for i in range(70)]


@pytest.mark.parametrize("launcher", ["row_sums_plain", "row_sums_assume", "row_sums_assert"])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 4), (257, 12), (40, 5), (10, 6), (9, 64)])
def test_row_sums_keep_their_promise(launcher, m, n):
    x, out = numbers(m, n), poisoned(m)
    getattr(kernel("promises"), launcher)(x, out)
    torch.testing.assert_close(out, x.sum(dim=1), rtol=1e-4, atol=1e-5)
