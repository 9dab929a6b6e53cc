"""Hold an eleventh family: rows, a product, a rotation, a stencil."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

SHAPES = ((1, 1), (1, 7), (5, 1), (3, 8), (33, 20), (20, 33), (66, 35), (6, 129), (3, 300))

# A veteran: one reduction for both the maximum and the sum.
LOG_SOFTMAX = (
    HEADER
    + """\
struct Max { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct Sum { __device__ float operator()(float a, float b) const { return a + b; } };

template <class Op>
__device__ float over_block(float v, Op op, float* parts) {
    for (int d = 16; d; d >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    return op(op(parts[0], parts[1]), op(parts[2], parts[3]));
}

__global__ void log_softmax(const float* x, float* y, int64_t rows, int64_t cols) {
    __shared__ float parts[4];
    const float* in = x + blockIdx.x * cols;
    float* out = y + blockIdx.x * cols;
    float top = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += 128) top = fmaxf(top, in[c]);
    top = over_block(top, Max(), parts);
    float total = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += 128) total += expf(in[c] - top);
    total = over_block(total, Sum(), parts);
    for (int64_t c = threadIdx.x; c < cols; c += 128) out[c] = in[c] - top - logf(total);
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    log_softmax<<<rows, 128, 0, stream>>>(x, y, rows, cols);
}
"""
)

# A student: a tree in shared memory, one block for each row.
RMS_NORM = (
    HEADER
    + """\
#define THREADS 64
#define EPS 1e-5f

__global__ void rms_norm(const float* x, const float* gamma, float* y, int64_t m, int64_t n) {
    __shared__ float s[THREADS];
    int64_t row = blockIdx.x;
    int t = threadIdx.x;
    float sum = 0;
    for (int64_t j = t; j < n; j += THREADS) {
        sum += x[row * n + j] * x[row * n + j];
    }
    s[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half = half / 2) {
        if (t < half) {
            s[t] = s[t] + s[t + half];
        }
        __syncthreads();
    }
    float mean = s[0] / n;
    float scale = 1.0f / sqrtf(mean + EPS);
    for (int64_t j = t; j < n; j += THREADS) {
        y[row * n + j] = x[row * n + j] * scale * gamma[j];
    }
}

extern "C" void launch(const float* x,      // [m, n]
                       const float* gamma,  // [n]
                       float* y,            // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    rms_norm<<<m, THREADS, 0, stream>>>(x, gamma, y, m, n);
}
"""
)

# A code generator: a warp for each row, four rows for each block.
MATVEC = (
    HEADER
    + """\
__global__ void gemv_w32_r4(const float* __restrict__ p0, const float* __restrict__ p1,
                            float* __restrict__ p2, int64_t s0, int64_t s1) {
    const int v0 = threadIdx.x & 31;
    const int64_t v1 = (int64_t)blockIdx.x * 4 + (threadIdx.x >> 5);
    if (v1 >= s0) return;
    float v2 = 0.0f;
    for (int64_t v3 = v0; v3 < s1; v3 += 32) v2 = fmaf(p0[v1 * s1 + v3], p1[v3], v2);
    v2 += __shfl_xor_sync(0xffffffffu, v2, 16);
    v2 += __shfl_xor_sync(0xffffffffu, v2, 8);
    v2 += __shfl_xor_sync(0xffffffffu, v2, 4);
    v2 += __shfl_xor_sync(0xffffffffu, v2, 2);
    v2 += __shfl_xor_sync(0xffffffffu, v2, 1);
    if (v0 == 0) p2[v1] = v2;
}

extern "C" void launch(const float* p0,  // [s0, s1]
                       const float* p1,  // [s1]
                       float* p2,        // [s0]
                       int64_t s0, int64_t s1, cudaStream_t stream = 0) {
    gemv_w32_r4<<<(s0 + 3) / 4, 128, 0, stream>>>(p0, p1, p2, s0, s1);
}
"""
)

# Image processing: a quarter turn clockwise, through a tile.
QUARTER = (
    HEADER
    + """\
constexpr int S = 16;

__global__ void quarter_turn(const float* src, float* dst, int64_t h, int64_t w, int64_t tiles) {
    __shared__ float tile[S][S + 1];
    const int64_t y0 = blockIdx.x / tiles * S, x0 = blockIdx.x % tiles * S;
    int64_t y = y0 + threadIdx.y, x = x0 + threadIdx.x;
    if (y < h && x < w) tile[threadIdx.y][threadIdx.x] = src[y * w + x];
    __syncthreads();
    y = y0 + threadIdx.x;
    x = x0 + threadIdx.y;
    if (y < h && x < w) dst[x * h + (h - 1 - y)] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const float* src,  // [h, w]
                       float* dst,        // [w, h]
                       int64_t h, int64_t w, cudaStream_t stream = 0) {
    const int64_t tiles = (w + S - 1) / S;
    quarter_turn<<<tiles * ((h + S - 1) / S), dim3(S, S), 0, stream>>>(src, dst, h, w, tiles);
}
"""
)

# A numpy person: flat numbers, rows and columns by // and %; nothing outside of the matrix.
LAPLACE = (
    HEADER
    + """\
__global__ void laplace(const float* u, float* out, int64_t rows, int64_t cols) {
    const int64_t size = rows * cols;
    const int64_t flat = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (flat >= size) return;
    const int64_t i = flat / cols, j = flat % cols;
    const float north = i > 0 ? u[flat - cols] : 0.0f;
    const float south = i < rows - 1 ? u[flat + cols] : 0.0f;
    const float west = j > 0 ? u[flat - 1] : 0.0f;
    const float east = j < cols - 1 ? u[flat + 1] : 0.0f;
    out[flat] = north + south + west + east - 4.0f * u[flat];
}

extern "C" void launch(const float* u,  // [rows, cols]
                       float* out,      // [rows, cols]
                       int64_t rows, int64_t cols, int block_size = 128, cudaStream_t stream = 0) {
    laplace<<<(rows * cols + block_size - 1) / block_size, block_size, 0, stream>>>(u, out, rows, cols);
}
"""
)

# A student with a textbook: sums up to and with each element of a row, chunk by chunk.
RUNNING = (
    HEADER
    + """\
#define CHUNK 64

__global__ void running_sum(const float* x, float* y, int64_t m, int64_t n) {
    __shared__ float s[CHUNK];
    const int t = threadIdx.x;
    const float* in = x + (int64_t)blockIdx.x * n;
    float* out = y + (int64_t)blockIdx.x * n;
    float carry = 0.0f;
    for (int64_t begin = 0; begin < n; begin += CHUNK) {
        s[t] = begin + t < n ? in[begin + t] : 0.0f;
        __syncthreads();
        for (int d = 1; d < CHUNK; d *= 2) {
            const float left = t >= d ? s[t - d] : 0.0f;
            __syncthreads();  // all have read
            s[t] += left;
            __syncthreads();  // all have written
        }
        if (begin + t < n) out[begin + t] = carry + s[t];
        carry += s[CHUNK - 1];
        __syncthreads();  // the next chunk
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    running_sum<<<m, CHUNK, 0, stream>>>(x, y, m, n);
}
"""
)


def _case(m: int, n: int, inputs: tuple, right: torch.Tensor, **more) -> Case:
    """Return a case of one float32 output."""
    return Case(f"m = {m}, n = {n}", inputs, (right.double(),), dtypes=(torch.float32,), **more)


def _draw(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def log_softmax(launcher: Launcher) -> Iterator[Case]:
    """Take the logarithm of the softmax of each row, some with large values."""
    for m, n in SHAPES:
        x = (4 if m % 2 else 100) * _draw(m, n, seed=m + n)
        right = torch.log_softmax(x.double(), dim=1)
        yield _case(m, n, (x,), right, within=(1e-6 * (10 + x.double().abs() + right.abs()),))


def rms_norm(launcher: Launcher) -> Iterator[Case]:
    """Divide each row by its root mean square; some rows are small."""
    for m, n in SHAPES:
        size = 10.0 ** -torch.arange(m).remainder(4)
        x, gamma = size[:, None] * _draw(m, n, seed=m + n), _draw(n, seed=n)
        mean = x.double().square().mean(dim=1, keepdim=True)
        yield _case(m, n, (x, gamma), x.double() * (mean + 1e-5).rsqrt() * gamma, ulp=8)


def matvec(launcher: Launcher) -> Iterator[Case]:
    """Multiply a matrix and a vector of whole numbers."""
    for m, n in SHAPES:
        a, x = whole_numbers(m, n, seed=m + n), whole_numbers(n, seed=n)
        yield _case(m, n, (a, x), a.double() @ x.double())


def quarter_turn(launcher: Launcher) -> Iterator[Case]:
    """Turn a matrix clockwise by a quarter."""
    for m, n in SHAPES:
        x = _draw(m, n, seed=m + n)
        yield _case(m, n, (x,), torch.rot90(x, -1))


def laplace(launcher: Launcher) -> Iterator[Case]:
    """Apply the five-point Laplacian to whole numbers, with zeros around them."""
    for m, n in SHAPES:
        u = whole_numbers(m, n, seed=m + n)
        around = torch.nn.functional.pad(u.double(), (1, 1, 1, 1))
        across = around[1:-1, :-2] + around[1:-1, 2:]
        yield _case(m, n, (u,), across + around[:-2, 1:-1] + around[2:, 1:-1] - 4 * u.double())


def running_sum(launcher: Launcher) -> Iterator[Case]:
    """Sum whole numbers along each row, up to and with each element."""
    for m, n in SHAPES:
        x = whole_numbers(m, n, seed=m + n)
        yield _case(m, n, (x,), x.double().cumsum(dim=1))


BASES = {
    "v_log_softmax": Base(LOG_SOFTMAX, {"cases": log_softmax}),
    "v_rms": Base(RMS_NORM, {"cases": rms_norm}),
    "v_matvec": Base(MATVEC, {"cases": matvec}),
    "v_quarter": Base(QUARTER, {"cases": quarter_turn}),
    "v_laplace": Base(LAPLACE, {"cases": laplace}),
    "v_running": Base(RUNNING, {"cases": running_sum}),
}

WRONG = (
    Wrong(
        "v_log_softmax_no_maximum",
        "v_log_softmax",
        "infinity/nan | numbers/whole range",
        ("expf(in[c] - top)", "expf(in[c])"),
        ("in[c] - top - logf(total)", "in[c] - logf(total)"),
    ),
    Wrong(
        "v_log_softmax_wrong_stride",
        "v_log_softmax",
        "sides/bounds",
        ("in = x + blockIdx.x * cols", "in = x + blockIdx.x * rows"),
    ),
    Wrong(
        "v_log_softmax_parts_reused",
        "v_log_softmax",
        "race",
        ("v, d));\n    __syncthreads();\n", "v, d));\n"),
    ),
    Wrong(
        "v_rms_epsilon_outside",
        "v_rms",
        "function/numbers | precision",
        ("1.0f / sqrtf(mean + EPS)", "1.0f / (sqrtf(mean) + EPS)"),
    ),
    Wrong(
        "v_rms_one_less",
        "v_rms",
        "function/sides | nan/infinity",
        ("s[0] / n", "s[0] / (n - 1)"),
    ),
    Wrong(
        "v_rms_gamma_of_row",
        "v_rms",
        "bounds/sides/other element | swapped/neighbour",
        ("* gamma[j]", "* gamma[row]"),
    ),
    Wrong(
        "v_matvec_whole_blocks",
        "v_matvec",
        "tail/unwritten/grid",
        ("<<<(s0 + 3) / 4,", "<<<s0 / 4 > 0 ? s0 / 4 : 1,"),
    ),
    Wrong(
        "v_matvec_lanes_of_16",
        "v_matvec",
        "twice/left out | race",
        ("v0 = threadIdx.x & 31", "v0 = threadIdx.x & 15"),
    ),
    Wrong(
        "v_quarter_off_by_one",
        "v_quarter",
        "bounds/neighbour | unwritten",
        ("(h - 1 - y)", "(h - y)"),
    ),
    Wrong(
        "v_quarter_sides_of_store",
        "v_quarter",
        "sides/bounds/unwritten",
        ("if (y < h && x < w) dst", "if (y < w && x < h) dst"),
    ),
    Wrong(
        "v_laplace_west_wraps",
        "v_laplace",
        "neighbour/other element/bounds/sides",
        ("j > 0 ?", "flat > 0 ?"),
    ),
    Wrong(
        "v_laplace_four_by_count",
        "v_laplace",
        "function/sides",
        ("- 4.0f * u", "- ((i > 0) + (i < rows - 1) + (j > 0) + (j < cols - 1)) * u"),
    ),
    Wrong(
        "v_running_no_carry",
        "v_running",
        "left out/start",
        ("        carry += s[CHUNK - 1];\n", ""),
    ),
    Wrong(
        "v_running_read_and_write",
        "v_running",
        "race",
        ("            __syncthreads();  // all have read\n", ""),
    ),
)

RIGHT = (
    Right(
        "r_v_log_softmax_backwards",
        "v_log_softmax",
        (
            "c < cols; c += 128) total += expf(in[c] - top)",
            "c < cols; c += 128) total += expf(in[cols - 1 - c] - top)",
        ),
        (
            "for (int64_t c = threadIdx.x; c < cols; c += 128) out[c] = in[c] - top - logf(total)",
            "for (int64_t c = cols - 1 - threadIdx.x; c >= 0; c -= 128) out[c] = in[c] - top - logf(total)",
        ),
    ),
    Right(
        "r_v_matvec_lanes_in_rows",
        "v_matvec",
        (
            "for (int64_t v3 = v0; v3 < s1; v3 += 32) v2 = fmaf(p0[v1 * s1 + v3], p1[v3], v2);",
            "const int64_t v4 = (s1 + 31) / 32;\n    for (int64_t v3 = v0 * v4; v3 < (v0 + 1) * v4; ++v3) {\n        if (v3 < s1) v2 += p0[v1 * s1 + v3] * p1[v3];\n    }",
        ),
    ),
    Right(
        "r_v_quarter_without_the_tile",
        "v_quarter",
        ("    __shared__ float tile[S][S + 1];\n", ""),
        ("    if (y < h && x < w) tile[threadIdx.y][threadIdx.x] = src[y * w + x];\n", ""),
        ("    __syncthreads();\n", ""),
        ("tile[threadIdx.x][threadIdx.y]", "__ldg(src + y * w + x)"),
    ),
    Right(
        "r_v_running_from_the_start",
        "v_running",
        (
            "const float left = t >= d ? s[t - d] : 0.0f;",
            "if (d > 1) break;\n            float left = 0.0f;\n            for (int k = 0; k < t; ++k) left += s[k];",
        ),
    ),
)
