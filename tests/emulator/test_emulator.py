"""Kernels on the CPU emulator: results, launch errors, and faults in a process that lives."""

import ctypes
import os
import re
import signal
import time
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.errors import FaultKind
from helpers.run.build import precompiled_headers

KERNELS = Path(__file__).parent / "kernels"
SIZES = (1, 3, 7, 255, 256, 257, 1000, 4099, 100_003)


class Library(emulator.Library):
    """A built .cu file: calls launchers by name."""

    def call(self, name, *arguments, stream=None):
        """Call a launcher and return its fault's words, "" if there is none.

        Tensors go as pointers, ints as int64_t, floats as float.
        """

        def convert(value):
            if isinstance(value, torch.Tensor):
                return ctypes.c_void_p(value.data_ptr())
            return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int64(value)

        getattr(self.dll, name)(*map(convert, arguments), ctypes.c_void_p(stream))
        self.fault = self.take_fault()
        return str(self.fault or "")


def build(folder, name, text):
    source = folder / name
    source.write_text(text, encoding="utf-8")
    output = folder / (source.stem + ".so")
    emulator.build(source, output, precompiled_headers())
    return Library(output)


FAULTS = (KERNELS / "faults.cu").read_text()


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    return build(tmp_path_factory.mktemp("mit Leerzeichen und Ümläuten"), "fäults.cu", FAULTS)


def assert_alive(library):
    x = torch.zeros(1000)
    assert library.call("ok", x, 1000) == ""
    assert library.take_error() == 0
    assert bool((x == 1).all())


HERE = r"faulty, block \((\d+), 0, 0\), thread \((\d+), 0, 0\): "
# what, blocks, threads, dynamic shared bytes, CUDA's error, the words
KERNEL_FAULTS = [
    (0, 2, 64, 0, 700, HERE + r"write to address 0x[0-9a-f]+, outside of every tensor"),
    (1, 2, 64, 0, 700, HERE + r"read from address 0x[0-9a-f]+, outside"),
    (
        2,
        1,
        1,
        0,
        716,
        HERE + r"a misaligned write to 0x[0-9a-f]+ as .*float4.* \(line LINE\).* of 16 bytes",
    ),
    (
        3,
        1,
        128,
        0,
        719,
        HERE + r"a barrier \(line LINE\).*threads 0-31 wait there, threads 32-127 never came",
    ),
    (
        4,
        1,
        32,
        0,
        719,
        HERE
        + r"a shuffle \(line LINE\) reads from lane 16.*already left the kernel.*lanes stay",
    ),
    (
        4,
        1,
        16,
        0,
        719,
        HERE + r"a shuffle \(line LINE\) reads from lane 16.*this block does not have",
    ),
    (5, 3, 64, 0, 702, HERE + r"still running after 0.5 s: a loop without an end\?"),
    (
        5,
        1 << 22,
        64,
        0,
        702,
        HERE + r"still running after 0.5 s: the launch has 4194304 blocks of 64 threads\. "
        r"Is that far too many, or is there a loop without an end\?",
    ),
    (6, 1, 64, 0, 710, HERE + r"assertion `i < 3` failed \(line LINE\)"),
    (7, 1, 64, 0, 719, r"thread \(5, 0, 0\): the kernel called __trap"),
    (10, 1, 64, 0, 719, HERE + r"an integer division by zero"),
    (
        11,
        1,
        65,
        0,
        700,
        r"thread \(64, 0, 0\): write to the shared array `tile`, past the end: element 64 of "
        r"its 64 \(line LINE\)",
    ),
    (
        12,
        1,
        65,
        256,
        700,
        r"thread \(64, 0, 0\): write to dynamic shared memory, element 64 of the 64",
    ),
    (13, 1, 64, 0, 700, HERE + r"write to address .*: a null pointer"),
    (
        14,
        1,
        32,
        0,
        719,
        HERE
        + r"a barrier \(line LINE\).*: threads 0-15 wait there, "
        + r"threads 16-31 at a warp operation \(line LINE\)",
    ),
    (
        15,
        1,
        32,
        0,
        719,
        r"thread \(8, 0, 0\): .*mask 0x000000ff does not name the lane that calls it, lane 8",
    ),
    (16, 1, 32, 0, 0, r"^$"),  # lanes that are not named need not come
    (
        17,
        1,
        32,
        0,
        719,
        r"waits for lanes that never come: its mask 0xffffffff names threads 16-31",
    ),
    (18, 1, 64, 0, 700, r"thread \(0, 0, 0\): write to address"),
    (19, 1, 1, 0, 700, r"the thread's stack overflowed"),
    (20, 1, 2, 0, 700, r"a write before the start of the shared array tile \(256 bytes\)"),
    (21, 1, 64, 0, 702, HERE + r"still running .*63 of the block's 64 threads wait"),
]

KINDS = dict.fromkeys((0, 1, 13, 18), FaultKind.OUT_OF_BOUNDS)
KINDS |= dict.fromkeys((3, 14), FaultKind.BARRIER) | dict.fromkeys((4, 15, 17), FaultKind.WARP)
KINDS |= dict.fromkeys((7, 8), FaultKind.TRAP)
KINDS |= dict.fromkeys((11, 12, 20), FaultKind.SHARED_OUT_OF_BOUNDS)
KINDS |= {
    2: FaultKind.MISALIGNED,
    **dict.fromkeys((5, 21), FaultKind.TIMEOUT),
    6: FaultKind.ASSERT,
    9: FaultKind.EXCEPTION,
    10: FaultKind.ARITHMETIC,
    19: FaultKind.STACK_OVERFLOW,
}


@pytest.mark.parametrize(
    ("what", "blocks", "threads", "shared", "error", "words"), KERNEL_FAULTS
)
def test_a_fault_is_text_and_the_process_lives(
    faults, monkeypatch, what, blocks, threads, shared, error, words
):
    endless = KINDS.get(what) is FaultKind.TIMEOUT
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "0.5" if endless else "60")
    x = emulator.guarded(64, torch.float32, 4, front=what == 18)
    x.zero_()
    text = faults.call("fault", what, x, 64, blocks, threads, shared)
    line = next(
        i for i, code in enumerate(FAULTS.split("\n"), start=1) if f"what == {what}" in code
    )
    assert re.search(words.replace("LINE", str(line)), text), text
    assert (faults.fault and faults.fault.kind) == KINDS.get(what)
    assert faults.take_error() == error
    assert faults.take_fault() is None
    monkeypatch.delenv("ELEMENTWISE_KERNEL_TIMEOUT")
    assert_alive(faults)


# what, the launcher's own fault
@pytest.mark.parametrize(
    ("what", "words"),
    [
        (0, "the launcher host threw a C++ exception: thrown in a launcher"),
        (1, "the launcher host threw a C++ exception: vector"),
        (2, "the launcher host itself accessed memory that it must not"),
        (3, "the launcher host called abort()"),
    ],
)
def test_a_fault_of_the_launcher_itself(faults, what, words):
    assert words in faults.call("host", what)
    assert faults.fault.kind is FaultKind.HOST and not faults.fault.thread
    assert faults.take_error() != 0
    assert_alive(faults)


@pytest.mark.parametrize(
    ("blocks", "threads", "shared", "error"),
    [
        (0, 32, 0, 9),
        (1, 0, 0, 9),
        (1, 1025, 0, 9),
        (1, 32, 49153, 1),
        (2**31, 32, 0, 9),
        (1, 1024, 49152 - 256, 0),
    ],
)
def test_launches_that_cuda_refuses(faults, blocks, threads, shared, error):
    x = torch.zeros(64)
    assert faults.call("fault", -1, x, 64, blocks, threads, shared) == ""
    assert faults.dll.cudaPeekAtLastError() == error
    assert faults.take_error() == error
    assert faults.take_error() == 0
    assert faults.error_words(9) == "invalid configuration argument"


def test_grids_and_raised_shared_memory(faults):
    x = torch.zeros(1)
    for y, z, error in ((65535, 1, 0), (65536, 1, 9), (1, 65536, 9)):
        faults.call("grid_y", x, y, z)
        assert faults.take_error() == error
    for value, size, error in (
        (100_000, 100_000 - 256, 0),
        (100_000, 100_001, 1),
        (227 * 1024 + 1, 256, 1),
    ):
        assert faults.call("raised", value, x, size) == ""
        assert faults.take_error() == error
    # The static array's 256 bytes count too.
    assert "too much shared memory: 256 bytes of arrays and 60000 of" in faults.call(
        "raised", 60_000, x, 60_000
    )
    assert faults.take_error() == 1


FEATURES = (KERNELS / "features.cu").read_text()
HEADER = (KERNELS / "wide.cuh").read_text()


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    folder = tmp_path_factory.mktemp("features")
    (folder / "wîde.cuh").write_text(HEADER, encoding="utf-8")
    return build(folder, "features.cu", FEATURES)


def bits(tensor):
    """Return the bits of a 16-bit float tensor, all NaNs made the same."""
    return torch.where(tensor.isnan(), torch.full_like(tensor, float("nan")), tensor).view(
        torch.int16
    )


SMALL = [(torch.float16, "f16"), (torch.bfloat16, "bf16")]


@pytest.mark.parametrize(("dtype", "name"), SMALL)
def test_every_16_bit_pattern_as_a_float(features, dtype, name):
    patterns = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(dtype)
    y = torch.zeros(65536)
    assert features.call(f"{name}_to_float", patterns, y, 65536) == ""
    expected = patterns.float()
    assert torch.equal(y.isnan(), expected.isnan())
    number = ~expected.isnan()
    assert torch.equal(y[number].view(torch.int32), expected[number].view(torch.int32))


def test_0_and_null_as_arguments(features):
    x = torch.arange(32.0)
    assert features.call("of_nulls", x, 32) == ""
    assert x.tolist() == [2 * (i + 1) for i in range(31, -1, -1)]


def test_floats_to_16_bits(features):
    generator = torch.Generator().manual_seed(0)
    anything = torch.randint(
        -(2**31), 2**31, (200_000,), generator=generator, dtype=torch.int64
    ).to(torch.int32)
    halves = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.float16).float()
    ties = torch.cat(
        [
            halves,
            torch.nextafter(halves, torch.tensor(1e9)),
            (halves + torch.roll(halves, 1)) / 2,
        ]
    )
    x = torch.cat(
        [anything.view(torch.float32), ties, torch.randn(100_000, generator=generator) * 1e-6]
    )
    half, brain = (
        torch.empty(len(x), dtype=torch.float16),
        torch.empty(len(x), dtype=torch.bfloat16),
    )
    assert features.call("narrow_both", x, half, brain, len(x)) == ""
    assert torch.equal(bits(half), bits(x.to(torch.float16)))
    assert torch.equal(bits(brain), bits(x.to(torch.bfloat16)))


@pytest.mark.parametrize(("dtype", "name"), SMALL)
def test_arithmetic_on_random_pairs(features, dtype, name):
    n = 200_000
    generator = torch.Generator().manual_seed(1)
    a, b, c = (
        torch.randint(-(2**15), 2**15, (n,), generator=generator).to(torch.int16).view(dtype)
        for _ in range(3)
    )
    out = torch.empty(8, n, dtype=dtype)
    assert features.call(f"{name}_binary", a, b, c, out, n) == ""
    wide_a, wide_b = a.double(), b.double()
    for row, expected in enumerate([a + b, a - b, a * b, a / b]):
        assert torch.equal(bits(out[row]), bits(expected)), row
    finite = (wide_a * wide_b + c.double()).isfinite()
    # Exact in integers of any size, then rounded once: Python's fractions say what a fused
    # multiply-add must be.
    from fractions import Fraction

    for i in torch.nonzero(finite).flatten()[:3000].tolist():
        exact = Fraction(wide_a[i].item()) * Fraction(wide_b[i].item()) + Fraction(c[i].item())
        got = out[4, i].double().item()
        if got in (float("inf"), float("-inf")):
            assert abs(exact) > Fraction(torch.finfo(dtype).max)
            continue
        near = [
            torch.nextafter(out[4, i], torch.tensor(s, dtype=dtype)).double().item()
            for s in (1e38, -1e38)
        ]
        near = [value for value in near if abs(value) != float("inf")]
        assert all(
            abs(exact - Fraction(got)) <= abs(exact - Fraction(value)) for value in near
        ), i
    both = ~(a.isnan() | b.isnan())
    assert torch.equal(out[5][both], torch.maximum(a, b)[both])
    assert torch.equal(bits(out[6][both]), bits(-torch.minimum(a, b)[both].abs()))
    assert torch.equal(out[7], (a < b).to(dtype))


@pytest.mark.parametrize("n", SIZES)
def test_sizes(features, faults, n):
    a, b = torch.randn(n).half(), torch.randn(n).half()
    out = emulator.guarded(n, torch.float16, 4)
    assert features.call("f16_pairs", a, b, out, n) == ""
    assert torch.equal(out, a + b)
    assert emulator.guarded_intact(out)
    x, y = torch.randn(n), torch.full((n,), float("nan"))
    assert features.call("doubled", x, y, n) == ""
    assert torch.equal(y, x + x)
    numbers, sums = (
        torch.randn(n, dtype=torch.float64),
        torch.zeros((n + 255) // 256, dtype=torch.float64),
    )
    assert features.call("sums_f64", numbers, sums, n) == ""
    expected = torch.nn.functional.pad(numbers, (0, -n % 256)).view(-1, 256).sum(1)
    torch.testing.assert_close(sums, expected, rtol=1e-12, atol=1e-12)
    faults.call("ok", x, n)
    assert bool((x == 1).all())


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (16, 16), (33, 7), (100, 255)])
def test_transpose(features, rows, cols):
    x, out = torch.randn(rows, cols), torch.zeros(cols, rows)
    features.take_largest_launch()  # of those before
    assert features.call("transposed", x, out, rows, cols) == ""
    assert torch.equal(out, x.t())
    size = features.take_largest_launch()
    assert size.grid == (-(-cols // 16), -(-rows // 16), 1) and size.block == (16, 16, 1)
    assert str(size).endswith(" of 16 x 16 threads") and size.threads == 256
    assert features.take_largest_launch().total == 0
    with features.grid_turned():
        out.zero_()
        assert features.call("transposed", x, out, rows, cols) == ""
    turned = features.take_largest_launch()
    assert turned.grid == (size.grid[1], size.grid[0], 1)
    assert torch.equal(out, x.t()) is (turned == size)
    assert features.call("transposed", x, out, rows, cols) == "" and torch.equal(out, x.t())


@pytest.mark.parametrize("threads", [1, 31, 32, 100, 1024])
def test_dynamic_shared_memory(features, threads):
    x = torch.arange(7 * threads, dtype=torch.float32).view(7, threads)
    expected = x.flip(1)
    assert features.call("reverse", x, 7, threads) == ""
    assert torch.equal(x, expected)


@pytest.mark.parametrize("byte", [0, 0x7F, 0xFF])
def test_what_a_block_finds_in_shared_memory(features, byte):
    """In an array of its own, and in that of the launch; usual is GARBAGE."""
    with features.shared_garbage(byte):
        out = torch.zeros(2, dtype=torch.int32)
        assert features.call("found_in_shared", out) == ""
    assert out.view(torch.uint8).tolist() == 8 * [byte]
    assert features.call("found_in_shared", out) == "" and out.tolist() == [-1, -1]


def test_atomics(features):
    i, f, u = (
        torch.zeros(5, dtype=torch.int32),
        torch.zeros(1),
        torch.zeros(3, dtype=torch.int32),
    )
    d, m, count = (
        torch.zeros(1, dtype=torch.float64),
        torch.zeros(1, dtype=torch.int64),
        torch.zeros(1, dtype=torch.int32),
    )
    assert features.call("atomics_all", i, f, u, d, m, count) == ""
    assert i.tolist() == [2000, -1000, 999, -999, 1000]
    expected = 0
    for t in range(1000):
        expected ^= t
    assert (f.item(), u.tolist(), d.item(), m.item(), count.item()) == (
        500.0,
        [-1, 0, expected],
        1000.0,
        3000,
        1000,
    )


@pytest.mark.parametrize("order", [emulator.REVERSE, emulator.SHUFFLED])
def test_blocks_meet_at_an_exchange_in_another_order(features, order):
    with features.workers(2), features.schedule(order), features.timeout(0.5):
        for _ in range(20):
            out = torch.zeros(1, dtype=torch.int32)
            assert features.call("exchanges_all", out, 1) == ""
            assert out.item() == 64
        words, end = "", time.monotonic() + 30
        while not words and time.monotonic() < end:  # a busy machine may run one worker first
            words = features.call("exchanges_all", torch.zeros(1, dtype=torch.int32), 0)
            features.take_error()
    assert "still running" in words


@pytest.mark.parametrize("order", [emulator.FORWARD, emulator.REVERSE, emulator.SHUFFLED])
def test_threads_meet_at_an_exchange_in_another_order(features, order):
    with features.workers(1), features.schedule(order):
        once, again = torch.zeros(2, 1, dtype=torch.int32)
        assert features.call("exchanges_of_threads", once, 0) == ""
        assert features.call("exchanges_of_threads", again, 1) == ""
    assert again.item() == 64 and (once.item() == 64) is (order == emulator.FORWARD)


def test_warp_operations(features):
    out = torch.zeros(12, 96, dtype=torch.int32)
    assert features.call("warps_all", out) == ""
    t = torch.arange(96)
    lane, base = t % 32, t // 32 * 32
    ballot = sum(1 << i for i in range(0, 32, 3))
    match = [sum(1 << j for j in range(32) if j // 10 == i // 10) for i in range(32)]
    low, high = (1 << 10) - 1, ((1 << 32) - 1) ^ ((1 << 10) - 1)
    signed = lambda x: x - (1 << 32) if x >> 31 else x  # noqa: E731
    expected = [
        lane,
        torch.where(lane < 3, t, t - 3),
        t ^ 5,
        base + lane // 8 * 8 + 1,
        torch.full((96,), signed(ballot)),
        torch.full((96,), 1),
        torch.tensor([signed(value) for value in match] * 3),
        torch.full((96,), 5010),
        torch.where(lane < 10, low, signed(high)),
        torch.where(lane < 10, base + 9 - lane, 22 + 100 * 11),
        torch.full((96,), 31 * 16),
        torch.full((96,), 1),
    ]
    for row, values in enumerate(expected):
        assert out[row].tolist() == values.tolist(), row


def test_schedules_show_a_race(features):
    def run(name, size, mode):
        out = torch.zeros(size, dtype=torch.int32)
        with features.schedule(mode, seed=7):
            assert features.call(name, out) == ""
        return out.tolist()

    forward, backward, shuffled = (run("orders", 65, mode)[1:] for mode in (0, 1, 2))
    assert forward == list(range(64))
    assert backward == forward[::-1]
    assert sorted(shuffled) == forward and shuffled not in (forward, backward)
    assert run("all_places", 120, 0) == run("all_places", 120, 1) == [2] * 120
    assert run("all_places", 120, 2) == [2] * 120
    assert run("race", 64, 0) == list(range(-1, 63))  # right by luck
    assert run("race", 64, 1) == [-1] * 64  # the garbage that shared memory begins with
    assert (
        run("warps_all", 12 * 96, 2)
        == run("warps_all", 12 * 96, 1)
        == run("warps_all", 12 * 96, 0)
    )


def test_printf_and_stream(features):
    assert features.call("talk", stream=1234) == ""
    assert features.last_stream == 1234
    assert features.has_report()
    assert features.take_printf() == "thread 0 of 3\nthread 1 of 3\nthread 2 of 3\n"
    assert features.take_printf() == "" and not features.has_report()


def test_a_child_process_after_a_launch(faults):
    assert_alive(faults)
    x = torch.zeros(
        200_000
    )  # made here: PyTorch's own threads do not survive a fork, the emulator's need not
    numbers = x.numpy()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        faults.call("ok", x, 200_000)
        os._exit(0 if (numbers == 1).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_two_versions_of_one_kernel_do_not_mix(tmp_path):
    text = """
    template <typename T>
    __global__ void k(T* x) {{ static int calls = 0; *x = {} + 0 * calls; }}
    extern "C" void run(float* x, cudaStream_t) {{ k<<<1, 1>>>(x); }}
    """
    x = torch.zeros(1)
    one, two = (
        build(tmp_path, "one.cu", text.format(1)),
        build(tmp_path, "two.cu", text.format(2)),
    )
    for library, expected in ((one, 1), (two, 2), (one, 1)):
        library.call("run", x)
        assert x.item() == expected


COMMONLY_WRITTEN = (KERNELS / "common.cu").read_text()


def test_what_code_from_elsewhere_looks_like(tmp_path):
    library = build(tmp_path, "common.cu", COMMONLY_WRITTEN)
    x = torch.full((2,), -1.0)
    assert library.call("run", x) == ""
    assert x.tolist() == [32 + 28 + 1 + 2 + 2 + 3 + 4 + 5 + 1 + 3 + 2, 0]


CHOSEN = """
__global__ void turned(const float* a, const float* b, float* out, int n, int odd) {
    __shared__ float even[64], other[64];
    int t = threadIdx.x;
    (odd ? other : even)[(t + n) % 64] = a[t];
    __syncthreads();
    out[t] = (odd ? other : even)[(t + n) % 64] + (odd ? b : a)[(t + 64) / n] +
             ((odd ? b : a))[t >> (n - 1)];
}
extern "C" void run(const float* a, const float* b, float* out, int n, int odd, cudaStream_t) {
    turned<<<1, 64>>>(a, b, out, n, odd);
}
"""


def test_an_element_of_one_of_two_arrays(tmp_path):
    """g++ takes `(c ? a : b)[i / n]` apart, and its check of shifts spoils the second part."""
    library = build(tmp_path, "chosen.cu", CHOSEN)
    a, n = torch.randint(0, 99, (64,), generator=torch.Generator().manual_seed(0)).float(), 5
    out, t = torch.zeros(64), torch.arange(64)
    library.call("run", a, 2 * a, out, n, 0)
    assert torch.equal(out, a + a[(t + 64) // n] + a[t >> (n - 1)])
