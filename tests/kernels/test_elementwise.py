"""The elementwise template and its operators against PyTorch."""

import math

import pytest
import torch

from helpers import paths
from helpers.errors import LaunchError
from helpers.run import jit, machine

DEVICE = "cuda" if machine.present().is_gpu else "cpu"
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
SIZES = (1, 2, 3, 7, 8, 15, 17, 255, 257, 1000, 4099)
SUFFIX = {torch.float32: "", torch.float16: "_f16", torch.bfloat16: "_bf16"}
BITS = {4: torch.int32, 2: torch.int16, 1: torch.int8}

# What a learner may write, and what looks into the template.
PROBE = """
#include "elementwise.cuh"

struct Square {
    __device__ float operator()(float x) const { return x * x; }
};
extern "C" void square(const float* x,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    elementwise::unary(Square{}, n, out, x, {stream, block_size});
}

struct Blend {  // four inputs of three types
    __device__ float operator()(float a, int8_t b, __half c, float d) const {
        return a + static_cast<float>(b) * elementwise::to_float(c) - d;
    }
};
extern "C" void blend(const float* a,   // [n]
                      const int8_t* b,  // [n]
                      const half* c,    // [n]
                      const float* d,   // [n]
                      float* out,       // [n]
                      int64_t n, cudaStream_t stream = 0) {
    elementwise::transform(Blend{}, n, out, {stream}, a, b, c, d);
}

struct Negate {
    __device__ int8_t operator()(int8_t x) const { return static_cast<int8_t>(-x); }
};
extern "C" void negate(const int8_t* x,  // [n]
                       int8_t* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {
    elementwise::unary(Negate{}, n, out, x, {stream});
}

struct WhichPath {  // 2 for an element that came in a pair, 1 for one that came alone
    __device__ __half operator()(__half) const { return __float2half_rn(1.0f); }
    __device__ __half2 Apply2(__half2) const { return __float2half2_rn(2.0f); }
};
extern "C" void which_path(const half* x,  // [n]
                           half* out,      // [n]
                           int64_t n, cudaStream_t stream = 0) {
    elementwise::unary(WhichPath{}, n, out, x, {stream});
}

__global__ void write_number(int number, int* out) { *out = number; }

extern "C" void width_f16(const half* a,  // [n]
                          const half* b,  // [n]
                          half* c,        // [n]
                          int* width,     // [1]
                          int64_t n, cudaStream_t stream = 0) {
    write_number<<<1, 1, 0, stream>>>(n < 0 ? 0 : elementwise::pack_width(c, a, b), width);
}
extern "C" void width_cast(const float* a,  // [n]
                           half* c,         // [n]
                           int* width,      // [1]
                           int64_t n, cudaStream_t stream = 0) {
    write_number<<<1, 1, 0, stream>>>(n < 0 ? 0 : elementwise::pack_width(c, a), width);
}
extern "C" void width_row(const float* bias,  // [cols]
                          int* width,         // [1]
                          int64_t cols, cudaStream_t stream = 0) {
    float* aligned = nullptr;
    const elementwise::Row<float> row{bias, cols};
    write_number<<<1, 1, 0, stream>>>(elementwise::pack_width(aligned, row), width);
}
using FloatRow = elementwise::Row<float>;
__global__ void write_columns(FloatRow row, const int64_t* elements, int64_t* out, int64_t n) {
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = row.column(elements[i]);
}
extern "C" void columns(const int64_t* elements,  // [n]
                        int64_t* out,             // [n]
                        int64_t n, int64_t cols, cudaStream_t stream = 0) {
    write_columns<<<1, 256, 0, stream>>>(FloatRow(nullptr, cols), elements, out, n);
}
extern "C" void max_bytes(int* bytes,  // [1]
                          cudaStream_t stream = 0) {
    write_number<<<1, 1, 0, stream>>>(elementwise::kMaxBytes, bytes);
}
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probe")
    (folder / "probe.cu").write_text(PROBE)
    (folder / "elementwise.cuh").write_text((paths.KERNELS / "elementwise.cuh").read_text())
    return jit.load(folder / "probe.cu")


def numbers(
    n: int, dtype: torch.dtype, seed: int = 0, offset: int = 0, scale: float = 2.0
) -> torch.Tensor:
    """Draw n numbers that start `offset` elements behind an aligned address."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(n + offset, generator=generator) * scale).to(dtype).to(DEVICE)[offset:]


def poisoned(n: int, dtype: torch.dtype, offset: int = 0) -> torch.Tensor:
    """Fill n elements, and the memory around them, with NaN, for `untouched`."""
    whole = torch.full((n + offset + 64,), math.nan, device=DEVICE).to(dtype)
    return whole[offset : offset + n]


def untouched(out: torch.Tensor) -> bool:
    """Nothing before or behind a `poisoned` tensor has been written."""
    whole = out._base
    begin, end = out.storage_offset(), out.storage_offset() + out.numel()
    return bool(whole[:begin].isnan().all() and whole[end:].isnan().all())


def assert_same(out: torch.Tensor, want: torch.Tensor) -> None:
    """Compare the bits, except those of a NaN."""
    assert out.dtype == want.dtype
    numbers_agree = out.view(BITS[out.itemsize]) == want.view(BITS[out.itemsize])
    if out.is_floating_point():
        numbers_agree |= out.isnan() & want.isnan()
    assert bool(numbers_agree.all())


def assert_ulps(
    out: torch.Tensor, exact: torch.Tensor, ulps: float, absolute: float = 0.0
) -> None:
    """Compare with the float64 `exact`, within `ulps` or within `absolute`; NaN equals NaN."""
    assert torch.equal(out.isnan(), exact.isnan())
    exact = exact.nan_to_num(0.0, posinf=math.inf, neginf=-math.inf)
    ulp = torch.finfo(out.dtype).eps * exact.abs().clamp(min=torch.finfo(out.dtype).tiny)
    ulp = ulp.nan_to_num(0.0, posinf=0.0)
    distance = (out.double().nan_to_num(0.0, posinf=math.inf, neginf=-math.inf) - exact).abs()
    distance[out.double() == exact] = 0.0  # inf - inf
    assert bool((distance <= ulps * ulp + absolute).all()), distance.max()


def specials(dtype: torch.dtype) -> torch.Tensor:
    """List special values often enough that each comes at every position of a pack."""
    info = torch.finfo(dtype)
    values = [
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        info.max,
        info.min,
        info.tiny,
        -info.tiny,
    ]
    values += [info.tiny * info.eps, 1.0, -1.0, 1.0 + info.eps]
    return torch.tensor(values * 17, dtype=torch.float64).to(dtype).to(DEVICE)


# ---- add: the template's own mechanics


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", SIZES)
def test_add_is_exact_at_every_size(dtype, n):
    a, b, out = numbers(n, dtype, 1), numbers(n, dtype, 2), poisoned(n, dtype)
    jit.load("op_add")(a, b, out)
    assert_same(out, a + b)
    assert untouched(out)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "offsets", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (2, 4, 0), (4, 4, 4), (8, 8, 4)]
)
def test_add_takes_slices(dtype, offsets):
    n = 1003
    a, b = numbers(n, dtype, 1, offsets[0]), numbers(n, dtype, 2, offsets[1])
    out = poisoned(n, dtype, offsets[2])
    jit.load("op_add")(a, b, out)
    assert_same(out, a + b)
    assert untouched(out)


@pytest.mark.parametrize("dtype", FLOATS)
def test_add_of_special_values(dtype):
    a = specials(dtype)
    b = a.flip(0).roll(3).contiguous()
    out = poisoned(a.numel(), dtype)
    jit.load("op_add")(a, b, out)
    assert_same(out, a + b)


@pytest.mark.parametrize("block_size", [1, 32, 96, 1024])
@pytest.mark.parametrize("waves", [0, 1])
def test_any_block_size_and_a_capped_grid(block_size, waves):
    n = 300_007
    a, b, out = (
        numbers(n, torch.float16, 1),
        numbers(n, torch.float16, 2),
        poisoned(n, torch.float16),
    )
    jit.load("op_add")(a, b, out, block_size=block_size, waves=waves)
    assert_same(out, a + b)
    assert untouched(out)


@pytest.mark.slow
def test_a_capped_grid_strides_over_the_rest():
    n = (1 << 21) + 5  # more packs than a wave of any GPU has threads
    a, b, out = (
        numbers(n, torch.float32, 1),
        numbers(n, torch.float32, 2),
        poisoned(n, torch.float32),
    )
    jit.load("op_add")(a, b, out, waves=1)
    assert_same(out, a + b)


def test_too_large_a_block_is_an_error():
    a, out = numbers(100, torch.float32), poisoned(100, torch.float32)
    with pytest.raises(LaunchError):
        jit.load("op_add")(a, a, out, block_size=2048)


# ---- what the template chooses


def max_bytes(probe) -> int:
    out = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    probe.max_bytes(out)
    return int(out)


@pytest.mark.parametrize("offset", range(17))
@pytest.mark.parametrize("moved", ["a", "b", "c"])
def test_width_follows_the_least_aligned_pointer(probe, offset, moved):
    operands = {
        name: torch.zeros(64 + 32, dtype=torch.float16, device=DEVICE) for name in "abc"
    }
    assert all(x.data_ptr() % 64 == 0 for x in operands.values())
    operands = {
        name: x[offset:][:64] if name == moved else x[:64] for name, x in operands.items()
    }
    width = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    probe.width_f16(*operands.values(), width)
    aligned = (
        16 if offset == 0 else offset & -offset
    )  # the largest power of two that divides the offset
    assert int(width) == min(aligned, max_bytes(probe) // 2)


def test_width_of_a_cast_is_set_by_its_larger_type(probe):
    x = torch.zeros(64, device=DEVICE)
    out = torch.zeros(64, dtype=torch.float16, device=DEVICE)
    width = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    widest = max_bytes(probe) // 4
    for begin, expected in [(0, widest), (1, 1), (2, 2), (4, 4)]:
        probe.width_cast(x[:32], out[begin : begin + 32], width)
        assert int(width) == expected  # the output's slice is 2 bytes an element
        probe.width_cast(x[begin : begin + 32], out[:32], width)
        assert int(width) == expected


@pytest.mark.parametrize("cols", [1, 2, 3, 4, 6, 7, 12, 32, 100])
def test_a_row_s_packs_divide_its_length(probe, cols):
    bias = torch.zeros(cols, device=DEVICE)
    width = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    probe.width_row(bias, width)
    assert int(width) == min(cols & -cols, max_bytes(probe) // 4)


def test_pairs_are_used_where_there_are_pairs(probe):
    for n in (64, 65, 71):
        out = poisoned(n, torch.float16)
        probe.which_path(numbers(n, torch.float16), out)
        width = max_bytes(probe) // 2
        in_packs = n // width * width
        assert bool((out[:in_packs] == 2).all() and (out[in_packs:] == 1).all())
    out = poisoned(64, torch.float16)
    probe.which_path(
        numbers(64, torch.float16, offset=1), out
    )  # one element a pack: nothing to pair
    assert bool((out == 1).all())


@pytest.mark.parametrize("n", SIZES)
def test_a_learner_s_operator(probe, n):
    x, out = numbers(n, torch.float32), poisoned(n, torch.float32)
    probe.square(x, out)
    assert_same(out, x * x)


@pytest.mark.parametrize("n", SIZES)
def test_four_inputs_of_three_types(probe, n):
    a, d = numbers(n, torch.float32, 1), numbers(n, torch.float32, 2)
    b = torch.arange(n, device=DEVICE).remainder(251).sub(125).to(torch.int8)
    c = numbers(n, torch.float16, 3)
    out = poisoned(n, torch.float32)
    probe.blend(a, b, c, d, out)
    assert torch.allclose(
        out, a + b.float() * c.float() - d, rtol=1e-5, atol=1e-4
    )  # the compiler may fuse
    assert untouched(out)


@pytest.mark.parametrize("n", SIZES)
def test_bytes_without_a_pair_type(probe, n):
    x = torch.arange(n, device=DEVICE).remainder(251).sub(125).to(torch.int8)
    out = torch.full_like(x, 99)
    probe.negate(x, out)
    assert torch.equal(out, -x)


# ---- the operators


@pytest.mark.parametrize("dtype", FLOATS)
def test_relu(dtype):
    x = torch.cat([specials(dtype), numbers(1003, dtype)])
    out = poisoned(x.numel(), dtype)
    jit.load("op_relu")(x, out)
    assert torch.equal(out.isnan(), x.isnan())  # as in PyTorch, a NaN is kept
    assert torch.equal(out.nan_to_num(-1.0), torch.relu(x).nan_to_num(-1.0))
    assert untouched(out)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(dtype, approximate):
    x = torch.cat([specials(dtype), numbers(4099, dtype, scale=3.0)])
    out = poisoned(x.numel(), dtype)
    name = "gelu_tanh" if approximate == "tanh" else "gelu"
    getattr(jit.load("op_gelu"), name + SUFFIX[dtype])(x, out)
    exact = torch.nn.functional.gelu(x.double(), approximate=approximate)
    # 1 + erf(x) cancels for negative x: the float32 steps before leave an absolute error there.
    assert_ulps(out, exact, ulps=4.0 if dtype == torch.float32 else 0.51, absolute=1e-6)
    assert untouched(out)


@pytest.mark.sample(5)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("alpha", [0.0, -1.0, 0.1, 3.0])
def test_scale_by_a_number_of_the_host_and_of_the_device(dtype, alpha):
    kernel = jit.load("op_scale")
    x = torch.cat([specials(dtype), numbers(1003, dtype)])
    alpha32 = torch.tensor([alpha], dtype=torch.float32, device=DEVICE)
    want = (x.float() * alpha32).to(dtype)
    out = poisoned(x.numel(), dtype)
    getattr(kernel, "scale" + SUFFIX[dtype])(x, out, alpha)
    assert_same(out, want)
    out = poisoned(x.numel(), dtype)
    getattr(kernel, "scale_by" + SUFFIX[dtype])(x, alpha32, out)
    assert_same(out, want)
    assert untouched(out)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("offset", [0, 1, 2])
def test_cast(dtype, offset):
    ties = torch.linspace(-3, 3, 4099, device=DEVICE).to(dtype).float() * (1 + 2.0**-12)
    x = torch.cat(
        [
            specials(torch.float32),
            specials(dtype).float(),
            ties,
            numbers(1001, torch.float32, scale=1e4),
        ]
    )
    x, want = x[offset:], x[offset:].to(dtype)
    out = poisoned(x.numel(), dtype)
    getattr(jit.load("op_cast"), "cast" + SUFFIX[dtype])(x, out)
    assert_same(out, want)
    assert untouched(out)


@pytest.mark.sample(4)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", SIZES)
def test_multiply_add_rounds_once(dtype, n):
    a, b, c = (numbers(n, dtype, seed) for seed in (1, 2, 3))
    c[::3] = -(a.double() * b.double()).to(dtype)[
        ::3
    ]  # the product's own rounding error is what is left
    out = poisoned(n, dtype)
    jit.load("op_fma")(a, b, c, out)
    assert_ulps(out, a.double() * b.double() + c.double(), ulps=0.51)
    assert untouched(out)


@pytest.fixture(scope="module")
def fma_of_old_gpus(tmp_path_factory):
    """Load op_fma with the bfloat16 arithmetic of GPUs before compute capability 8.0."""
    text = (paths.KERNELS / "op_fma.cu").read_text()
    condition = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800"
    assert condition in text
    folder = tmp_path_factory.mktemp("old")
    (folder / "elementwise.cuh").write_text((paths.KERNELS / "elementwise.cuh").read_text())
    (folder / "op_fma.cu").write_text(text.replace(condition, "#if 1"))
    return jit.load(folder / "op_fma.cu").multiply_add_bf16


@pytest.mark.stress
def test_multiply_add_rounds_once_without_bfloat16_arithmetic(fma_of_old_gpus):
    """A float32 that rounds to nearest is wrong here: it would be rounded twice."""
    n = 4099
    a, b, c = (numbers(n, torch.bfloat16, seed) for seed in (1, 2, 3))
    a[0], b[0], c[0] = 1.0078125, 1.5, 2.0**-100  # just above the middle between two bfloat16
    a[1], b[1], c[1] = 1.0078125, 1.5, -(2.0**-100)
    a[2], b[2], c[2] = float("inf"), 1.0, 1.0
    a[3], b[3], c[3] = 3.3e38, 3.3e38, 1.0
    a[4], b[4], c[4] = 1.0, 1.0, -1.0
    c[5::3] = -(a.double() * b.double()).to(torch.bfloat16)[5::3]
    out, native = poisoned(n, torch.bfloat16), poisoned(n, torch.bfloat16)
    fma_of_old_gpus(a, b, c, out)
    jit.load("op_fma").multiply_add_bf16(a, b, c, native)
    assert_same(out, native)
    assert out[:2].tolist() == [1.515625, 1.5078125]
    assert untouched(out)


@pytest.mark.sample(5)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (7, 32), (33, 100), (5, 257), (4, 1024)])
def test_bias_gelu_residual(dtype, shape):
    rows, cols = shape
    x, residual = (
        numbers(rows * cols, dtype, 1).view(shape),
        numbers(rows * cols, dtype, 2).view(shape),
    )
    bias = numbers(cols, dtype, 3)
    out = poisoned(rows * cols, dtype)
    jit.load("op_bias_gelu_residual")(x, bias, residual, out.view(shape))
    exact = torch.nn.functional.gelu(x.double() + bias.double()) + residual.double()
    assert_ulps(
        out.view(shape), exact, ulps=4.0 if dtype == torch.float32 else 0.51, absolute=2e-6
    )
    assert untouched(out)


def test_bias_gelu_residual_of_slices():
    shape, dtype = (9, 64), torch.float16
    n = math.prod(shape)
    x, residual = numbers(n, dtype, 1, offset=1).view(shape), numbers(n, dtype, 2).view(shape)
    bias, out = numbers(64, dtype, 3, offset=4), poisoned(n, dtype, offset=2)
    jit.load("op_bias_gelu_residual")(x, bias, residual, out.view(shape))
    exact = torch.nn.functional.gelu(x.double() + bias.double()) + residual.double()
    assert_ulps(out.view(shape), exact, ulps=0.51, absolute=2e-6)
    assert untouched(out)


@pytest.mark.sample(7)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "shape",
    [
        (1, 1),
        (3, 5),
        (9, 32),
        (5, 100),
        (6, 1024),
        (3, 1028),
        (2, 4096),
        (2, 8200),
        (2, 40_004),
        (2, 4099),
    ],
)
def test_layer_norm(dtype, shape):
    rows, cols = shape
    x = (numbers(rows * cols, dtype, 1).view(shape).float() * 3 + 10).to(
        dtype
    )  # a mean far from 0
    gamma, beta = numbers(cols, dtype, 2), numbers(cols, dtype, 3)
    out = poisoned(rows * cols, dtype)
    jit.load("layer_norm")(x, gamma, beta, out.view(shape))
    exact = torch.nn.functional.layer_norm(
        x.double(), (cols,), gamma.double(), beta.double(), 1e-5
    )
    assert_ulps(
        out.view(shape), exact, ulps=0.51 if dtype != torch.float32 else 4.0, absolute=2e-5
    )
    assert untouched(out)


@pytest.mark.parametrize("block_size", [32, 100, 256, 1024])
def test_layer_norm_of_any_block_size(block_size):
    shape = (5, 2000)
    x, out = numbers(10_000, torch.float32).view(shape), poisoned(10_000, torch.float32)
    ones, zeros = torch.ones(2000, device=DEVICE), torch.zeros(2000, device=DEVICE)
    jit.load("layer_norm")(x, ones, zeros, out.view(shape), block_size=block_size)
    assert torch.allclose(
        out.view(shape), torch.nn.functional.layer_norm(x, (2000,)), atol=1e-5
    )
    assert untouched(out)


EDGES = [0, 1, 2, 3, 7, 1 << 15, 1 << 31, 1 << 32, 1 << 40, (1 << 40) + 12345, (1 << 62) - 1]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "cols",
    [
        *range(1, 34),
        *(127, 128, 129, 1000, 4096, 12_289, 300_001, 2**31 - 1, 2**31, 2**31 + 1),
        *(2**32 - 1, 2**32, 2**32 + 1, 3 * 2**38 + 1, 2**40),
    ],
)
def test_a_column_is_the_remainder_of_a_division(probe, cols):
    """The multiplication gives the quotient, also beside every multiple of the divisor."""
    multiples = [cols * k for k in (1, 2, 3, 1000, 2**20, (2**62) // cols - 1, 2**62 // cols)]
    near = [m + d for m in multiples for d in (-1, 0, 1)] + [e - 1 for e in EDGES if e]
    elements = sorted({e for e in [*near, *EDGES] if 0 <= e < 2**63 - 1})
    given = torch.tensor(elements, device=DEVICE)
    out = torch.full_like(given, -1)
    probe.columns(given, out, cols)
    assert out.tolist() == [e % cols for e in elements]
