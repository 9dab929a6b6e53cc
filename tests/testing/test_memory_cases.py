"""The cases of the kernels that measure the memory: sizes, numbers, results."""

import itertools

import torch

from helpers.model.pointer_chase import random_cycle
from helpers.testing import memory_cases


def drawn(x, *shape):
    """Test whether x holds whole numbers up to 50 of both signs, of a shape."""
    assert tuple(x.shape) == shape
    assert torch.equal(x, x.round()) and float(x.abs().max()) <= 50
    if x.numel() > 999:
        assert float(x.min()) == -50 and float(x.max()) == 50
    return True


def test_residency_copies_or_writes_zeros():
    cases = memory_cases.residency(None)
    others = ({}, {"block_size": 96}, {"shared_bytes": 1024})
    keys = itertools.product((1, 31, 33, 256, 1000, 4099), (1, 0), others)
    for case, (n, loads, other) in zip(cases, keys, strict=True):
        assert case.arguments == {"loads": loads, "stores": 1, **other}
        assert case.label.startswith(f"n = {n:,}, loads = {loads}, stores = 1")
        (x,), (right,) = case.inputs, case.expected
        assert drawn(x, n) and case.dtypes == (torch.float32,) and case.ulp == 0
        assert right.tolist() == (x.tolist() if loads else n * [0.0])


def test_a_loaded_chase_ends_where_the_chain_leads():
    cases = memory_cases.loaded_chase(None)
    keys = [(1, 3, 1, 1), (50, 60, 1003, 300), (7, 0, 4096, 77)]
    for case, (count, steps, n, threads) in zip(cases, keys, strict=True):
        assert case.label == f"count = {count}, steps = {steps}, n = {n:,}, threads = {threads}"
        (links, x), (end, cycles, sums) = case.inputs, case.expected
        assert drawn(x, n) and torch.equal(
            links, torch.from_numpy(random_cycle(count, 4, count))
        )
        at, reads = 0, [0.0] * threads
        for _ in range(steps):
            at = int(links[at])
        for pack in range(n // 4):
            reads[pack % threads] += float(x[4 * pack : 4 * pack + 4].sum())
        for k in range(n % 4):  # the tail goes to the first threads
            reads[k % threads] += float(x[n // 4 * 4 + k])
        assert end.tolist() == cycles.tolist() == [at] and sums.tolist() == reads
        assert case.arguments == {"steps": steps} and case.ignored == ("cycles",)
        assert case.dtypes == (torch.int32, torch.int64, torch.float32)


def test_read_share_adds_its_inputs_into_each_output():
    cases = memory_cases.read_share(None)
    mixes = [(3, 1), (2, 1), (1, 1), (1, 2), (0, 1)]
    keys = [(*mix, n) for mix in mixes for n in (4, 8, 1020, 1024, 6144, 6148, 20_000)]
    for case, (reads, writes, count) in zip(cases, keys, strict=True):
        assert case.label == f"reads = {reads}, writes = {writes}, count = {count:,}"
        (x,), (right,) = case.inputs, case.expected
        assert drawn(x, max(reads, 1) * count) and case.dtypes == (torch.float32,)
        total = sum(x[k * count : (k + 1) * count] for k in range(reads)) + torch.zeros(count)
        assert right.tolist() == total.tolist() * writes
        assert case.arguments == {"reads": reads, "writes": writes}


def test_narrow_and_wide_loads_add_whole_packs():
    cases = memory_cases.narrow_wide(None)
    keys = itertools.product((8, 64, 4096, 20_008), (0, 1), (0, 1))
    for case, (n, loads, stores) in zip(cases, keys, strict=True):
        (a, b), (right,) = case.inputs, case.expected
        assert case.label == f"n = {n:,}, narrow_loads = {loads}, narrow_stores = {stores}"
        assert case.arguments == {"narrow_loads": loads, "narrow_stores": stores}
        assert drawn(a, n) and drawn(b, n) and not torch.equal(a, b)
        assert a.dtype is b.dtype is torch.float16 and case.dtypes == (torch.float16,)
        assert right.dtype is torch.float64 and torch.equal(right, a.double() + b.double())


def test_a_strided_copy_begins_and_ends_where_it_should():
    cases = memory_cases.strided_copy(None)
    sizes, strides = (1, 31, 2048, 2049, 10_007), (1, 2, 7, 8, 33)
    keys = [(n, stride, start) for n in sizes for stride in strides for start in (0, 1, 5)]
    for case, (n, stride, start) in zip(cases, keys, strict=True):
        assert case.label == f"n = {n:,}, stride = {stride}, start = {start}"
        (x,), (right,) = case.inputs, case.expected
        assert drawn(x, start + (n - 1) * stride + 1)  # nothing lies behind the last one
        numbers = x.tolist()
        assert right.tolist() == [numbers[start + k * stride] for k in range(n)]
        assert case.arguments == {"stride": stride, "start": start}


def test_a_wide_walk_ends_where_its_chain_leads():
    cases = memory_cases.wide_walk(None)
    sizes = ((1, 0, 256), (70, 45, 64), (999, 300, 96))
    keys = [(stride, *size) for stride in (0, 1, 3, 8) for size in sizes]
    for case, (stride, n, rounds, block_size) in zip(cases, keys, strict=True):
        assert case.arguments == {"stride": stride, "rounds": rounds, "block_size": block_size}
        assert case.label.startswith(f"n = {n}, stride = ") and case.dtypes == (torch.int32,)
        ends = [(k % block_size % 32 * stride + rounds) % 256 for k in range(n)]
        assert case.expected[0].tolist() == ends and case.inputs == ()


def test_tiles_are_copied_across_and_down():
    cases = memory_cases.tile_copy(None)
    sides = [(1, 1), (32, 32), (33, 31), (1, 100), (100, 1), (65, 97), (7, 130)]
    keys = [(down, *side) for down in (0, 1) for side in sides]
    for case, (down, rows, cols) in zip(cases, keys, strict=True):
        assert case.label == f"rows = {rows}, cols = {cols}, down = {down}"
        assert drawn(case.inputs[0], rows, cols) and case.arguments == {"down": down}
        assert case.expected[0].tolist() == case.inputs[0].tolist()


def test_pieces_are_copied_in_every_width_with_a_barrier_and_without():
    cases = list(memory_cases.piece_copy(None))
    sides = [(1, 1), (33, 31), (5, 1030), (64, 257)]
    widths = (32, 64, 128, 256, 512, 1024)
    keys = [(width, barrier, *side) for width in widths for barrier in (0, 1) for side in sides]
    for case, (width, barrier, rows, cols) in zip(cases, keys, strict=True):
        assert f"cols = {cols}, width = {width}, barrier = {barrier}" in case.label
        assert drawn(case.inputs[0], rows, cols)
        assert case.arguments == {"width": width, "barrier": barrier}
        assert case.expected[0].tolist() == case.inputs[0].tolist()


def test_fewer_blocks_multiply_matrices():
    cases = memory_cases.fewer_blocks(None)
    sides = ((1, 1, 1), (33, 17, 40), (70, 150, 20))
    keys = [(*side, blocks) for side in sides for blocks in (1, 7, 1000)]
    for case, (m, n, k, blocks) in zip(cases, keys, strict=True):
        a, b = case.inputs
        assert case.label == f"m = {m}, n = {n}, k = {k}, blocks = {blocks}"
        assert drawn(a, m, k) and drawn(b, k, n) and case.arguments == {"blocks": blocks}
        assert a.flatten()[:1].tolist() != b.flatten()[:1].tolist()  # drawn for themselves
        assert case.expected[0].tolist() == (a @ b).tolist()
