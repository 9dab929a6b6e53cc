"""Hold a twelfth family, in four hands: a softmax, a permutation, a mean, a dot product."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A veteran: a warp for each row, three sweeps, the temperature as its reciprocal.
TEMPER = (
    HEADER
    + """\
constexpr unsigned ALL = 0xffffffffu;

struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};

template <class Op>
__device__ float warp_all(float v, Op op) {
    for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_xor_sync(ALL, v, d));
    return v;
}

__global__ void softmax_t(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t n, float beta) {
    const int lane = threadIdx.x % 32;
    const int64_t row = blockIdx.x * int64_t(blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    const float* from = x + row * n;
    float* to = y + row * n;
    float top = -INFINITY;
    for (int64_t c = lane; c < n; c += 32) top = fmaxf(top, from[c]);
    top = warp_all(top, Max{});
    float sum = 0.0f;
    for (int64_t c = lane; c < n; c += 32) sum += expf((from[c] - top) * beta);
    sum = warp_all(sum, Plus{});
    for (int64_t c = lane; c < n; c += 32) to[c] = expf((from[c] - top) * beta) / sum;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, float temperature, cudaStream_t stream = 0) {
    constexpr int block = 128, warps = block / 32;
    softmax_t<<<(m + warps - 1) / warps, block, 0, stream>>>(x, y, m, n, 1.0f / temperature);
}
"""
)

# A student: the last two axes of three change places, by a tile for each plane.
PERMUTE = (
    HEADER
    + """\
#define TILE 16

__global__ void permute(const float* in, float* out, int64_t h, int64_t w) {
    __shared__ float tile[TILE][TILE + 1];
    const float* from = in + blockIdx.z * h * w;
    float* to = out + blockIdx.z * h * w;
    int64_t col = (int64_t)blockIdx.x * TILE + threadIdx.x;
    int64_t row = (int64_t)blockIdx.y * TILE + threadIdx.y;
    if (row < h && col < w) {
        tile[threadIdx.y][threadIdx.x] = from[row * w + col];
    }
    __syncthreads();
    int64_t new_col = (int64_t)blockIdx.y * TILE + threadIdx.x;
    int64_t new_row = (int64_t)blockIdx.x * TILE + threadIdx.y;
    if (new_row < w && new_col < h) {
        to[new_row * h + new_col] = tile[threadIdx.x][threadIdx.y];
    }
}

extern "C" void launch(const float* in,  // [planes, h, w]
                       float* out,       // [planes, w, h]
                       int64_t planes, int64_t h, int64_t w, cudaStream_t stream = 0) {
    dim3 block(TILE, TILE);
    dim3 grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE, planes);
    permute<<<grid, block, 0, stream>>>(in, out, h, w);
}
"""
)

# Someone from numpy: np.average(x, axis=1, weights=w), a block for each row.
AVERAGE = (
    HEADER
    + """\
constexpr int T = 256;

__global__ void average(const float* x, const float* w, float* out, int64_t n) {
    __shared__ float top[T];
    __shared__ float bottom[T];
    const int t = threadIdx.x;
    const int64_t r = blockIdx.x;
    float num = 0, den = 0;
    for (int64_t j = t; j < n; j += T) {
        num += x[r * n + j] * w[j];
        den += w[j];
    }
    top[t] = num;
    bottom[t] = den;
    __syncthreads();
    for (int half = T / 2; half > 0; half /= 2) {
        if (t < half) {
            top[t] += top[t + half];
            bottom[t] += bottom[t + half];
        }
        __syncthreads();
    }
    if (t == 0) out[r] = top[0] / bottom[0];
}

extern "C" void launch(const float* x,  // [m, n]
                       const float* w,  // [n]
                       float* out,      // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    average<<<m, T, 0, stream>>>(x, w, out, n);
}
"""
)

# A code generator: a product, a warp's sum, and one atomic addition a warp.
DOT = (
    HEADER
    + """\
__global__ void red_fused_dot_1(const float* in_ptr0, const float* in_ptr1, float* out_ptr0, int64_t rnumel) {
    const int64_t rbase = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t rstep = (int64_t)gridDim.x * blockDim.x;
    float tmp0 = 0.0f;
    for (int64_t roffset = rbase; roffset < rnumel; roffset += rstep) {
        tmp0 = fmaf(in_ptr0[roffset], in_ptr1[roffset], tmp0);
    }
    tmp0 += __shfl_down_sync(0xffffffffu, tmp0, 16);
    tmp0 += __shfl_down_sync(0xffffffffu, tmp0, 8);
    tmp0 += __shfl_down_sync(0xffffffffu, tmp0, 4);
    tmp0 += __shfl_down_sync(0xffffffffu, tmp0, 2);
    tmp0 += __shfl_down_sync(0xffffffffu, tmp0, 1);
    if ((threadIdx.x & 31) == 0) atomicAdd(out_ptr0, tmp0);
}

extern "C" void launch(const float* in_ptr0,  // [rnumel]
                       const float* in_ptr1,  // [rnumel]
                       float* out_ptr0,       // [1]
                       int64_t rnumel, cudaStream_t stream = 0) {
    int64_t RBLOCKS = (rnumel + 127) / 128;
    if (RBLOCKS > 64) RBLOCKS = 64;
    cudaMemsetAsync(out_ptr0, 0, sizeof(float), stream);
    red_fused_dot_1<<<RBLOCKS, 128, 0, stream>>>(in_ptr0, in_ptr1, out_ptr0, rnumel);
}
"""
)

SHAPES = ((1, 1), (1, 7), (5, 1), (3, 16), (4, 33), (33, 20), (17, 129), (6, 700), (130, 48))


def _case(label: str, inputs: tuple[torch.Tensor, ...], right: torch.Tensor, **more) -> Case:
    """Return a case of one float32 output."""
    return Case(label, inputs, (right.double(),), dtypes=(torch.float32,), **more)


def temper(launcher: Launcher) -> Iterator[Case]:
    """Take the softmax of rows at several temperatures, of small and of large numbers.

    Numbers are eighths and temperatures powers of two, so that only expf, the sum and the
    division round.
    """
    for m, n in SHAPES:
        for temperature, scale in ((1.0, 1), (0.5, 1), (4.0, 100)):
            x = whole_numbers(m, n, seed=m + n) * scale / 8
            right = torch.softmax(x.double() / temperature, dim=1)
            label = f"m = {m}, n = {n}, temperature = {temperature}, numbers times {scale}"
            yield _case(label, (x,), right, arguments={"temperature": temperature}, ulp=24)


def permute(launcher: Launcher) -> Iterator[Case]:
    """Exchange the last two of three axes."""
    for planes, h, w in (
        (1, 1, 1),
        (1, 16, 16),
        (3, 16, 16),
        (2, 5, 9),
        (4, 40, 17),
        (3, 1, 70),
    ):
        x = torch.arange(planes * h * w, dtype=torch.float32).reshape(planes, h, w)
        yield _case(
            f"planes = {planes}, h = {h}, w = {w}", (x,), x.permute(0, 2, 1).contiguous()
        )


def average(launcher: Launcher) -> Iterator[Case]:
    """Average rows of whole numbers, weighted by whole numbers of which all are positive."""
    for m, n in SHAPES:
        x = whole_numbers(m, n, seed=m + n)
        w = 1 + torch.randint(6, (n,), generator=torch.Generator().manual_seed(n)).float()
        right = (x.double() * w.double()).sum(dim=1) / w.double().sum()
        yield _case(f"m = {m}, n = {n}", (x, w), right, ulp=1)


def dot(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers and add the products, which are exact in any order."""
    for n in (1, 2, 31, 32, 33, 127, 128, 129, 1000, 8191, 8193, 20_001):
        generator = torch.Generator().manual_seed(n)
        a, b = (torch.randint(-5, 10, (n,), generator=generator).float() for _ in range(2))
        yield _case(f"n = {n:,}", (a, b), (a.double() * b.double()).sum().reshape(1))


BASES = {
    "w_temper": Base(TEMPER, {"cases": temper}),
    "w_permute": Base(PERMUTE, {"cases": permute}),
    "w_average": Base(AVERAGE, {"cases": average}),
    "w_dot": Base(DOT, {"cases": dot}),
}

WRONG = (
    # Nothing is subtracted before expf: large numbers overflow. Small ones come out right.
    Wrong(
        "w_temper_not_shifted",
        "w_temper",
        "infinity / nan | numbers",
        ("top = warp_all(top, Max{});", "top = 0.0f;"),
    ),
    # Each half of the warp adds for itself.
    Wrong(
        "w_temper_half_warps",
        "w_temper",
        "left out | function / numbers",
        (
            "sum = warp_all(sum, Plus{});",
            "for (int d = 8; d > 0; d >>= 1) sum += __shfl_xor_sync(ALL, sum, d);",
        ),
    ),
    # A tile is read while others still fill it.
    Wrong("w_permute_no_wait", "w_permute", "race", ("    __syncthreads();\n", "")),
    # A plane is h * h numbers: right for squares, and for a single plane.
    Wrong(
        "w_permute_planes_square",
        "w_permute",
        "sides / bounds | other element",
        ("in + blockIdx.z * h * w", "in + blockIdx.z * h * h"),
    ),
    # Divided by the number of elements, as if all weights were 1.
    Wrong(
        "w_average_by_n",
        "w_average",
        "function / left out | numbers",
        ("top[0] / bottom[0]", "top[0] / n"),
    ),
    # The tree starts at a quarter: half of the partial sums are never added.
    Wrong(
        "w_average_quarter",
        "w_average",
        "left out | function / numbers",
        ("half = T / 2", "half = T / 4"),
    ),
    # Nobody sets the result to 0: a second call adds to the first one's.
    Wrong(
        "w_dot_not_cleared",
        "w_dot",
        "zero before / state / start | unwritten",
        ("    cudaMemsetAsync(out_ptr0, 0, sizeof(float), stream);\n", ""),
    ),
    # Two lanes of each warp add: the upper half of a warp's products counts more than once.
    Wrong(
        "w_dot_two_lanes",
        "w_dot",
        "twice",
        ("(threadIdx.x & 31) == 0", "(threadIdx.x & 15) == 0"),
    ),
)

RIGHT = (
    # A block is one warp, and the maximum starts at the row's first number.
    Right(
        "w_temper_small_blocks",
        "w_temper",
        (
            "constexpr int block = 128, warps = block / 32;",
            "constexpr int block = 32, warps = 1;",
        ),
        ("-INFINITY", "from[0]"),
    ),
    # No tile in use: each thread writes its own element across.
    Right(
        "w_permute_across",
        "w_permute",
        (
            "tile[threadIdx.y][threadIdx.x] = from[row * w + col];",
            "to[col * h + row] = from[row * w + col];",
        ),
        ("new_row < w && new_col < h", "false && new_row < w && new_col < h"),
    ),
    # The sums of threads and warps are double.
    Right(
        "w_dot_double",
        "w_dot",
        ("float tmp0 = 0.0f;", "double tmp0 = 0.0;"),
        (
            "tmp0 = fmaf(in_ptr0[roffset], in_ptr1[roffset], tmp0);",
            "tmp0 += (double)in_ptr0[roffset] * in_ptr1[roffset];",
        ),
        ("atomicAdd(out_ptr0, tmp0)", "atomicAdd(out_ptr0, (float)tmp0)"),
    ),
)
