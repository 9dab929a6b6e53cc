"""Hold a ninth family, in five hands: sums, rows, matrices, windows and look-ups."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

SHAPES = (
    (1, 1),
    (1, 6),
    (6, 1),
    (4, 9),
    (31, 17),
    (34, 65),
    (65, 34),
    (7, 300),
    (3, 1101),
    (150, 70),
)

# A tree in dynamic shared memory, and one atomic a block.
SQUARES = (
    HEADER
    + """\
__global__ void add_squares(const float* v, float* total, int64_t n) {
    extern __shared__ float cache[];
    float mine = 0.0f;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x)
        mine += v[i] * v[i];
    cache[threadIdx.x] = mine;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, cache[0]);
}

extern "C" void launch(const float* v,  // [n]
                       float* total,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
    const int threads = 256;
    int64_t blocks = (n + threads - 1) / threads;
    if (blocks > 216) blocks = 216;
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    add_squares<<<blocks, threads, threads * sizeof(float), stream>>>(v, total, n);
}
"""
)

# The smallest, by one block that walks and shuffles.
SMALLEST = (
    HEADER
    + """\
__device__ float lesser(float a, float b) { return (a < b || isnan(a)) ? a : b; }

__global__ void smallest(const float* v, float* least, int64_t n) {
    __shared__ float of_warp[32];
    float best = INFINITY;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) best = lesser(best, v[i]);
    for (int o = 16; o; o >>= 1) best = lesser(best, __shfl_xor_sync(~0u, best, o));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x < 32) {
        best = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : INFINITY;
        for (int o = 16; o; o >>= 1) best = lesser(best, __shfl_xor_sync(~0u, best, o));
        if (threadIdx.x == 0) *least = best;
    }
}

extern "C" void launch(const float* v,  // [n]
                       float* least,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
    smallest<<<1, 512, 0, stream>>>(v, least, n);
}
"""
)

# The mean of each column, a thread for a column, rows in four groups.
COLUMNS = (
    HEADER
    + """\
__global__ void column_means(const float* a, float* means, int64_t m, int64_t n) {
    __shared__ double part[4][64];
    const int64_t col = (int64_t)blockIdx.x * 64 + threadIdx.x;
    double sum = 0.0;
    if (col < n)
        for (int64_t row = threadIdx.y; row < m; row += 4) sum += a[row * n + col];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && col < n) {
        for (int k = 1; k < 4; ++k) sum += part[k][threadIdx.x];
        means[col] = (float)(sum / (double)m);
    }
}

extern "C" void launch(const float* a,  // [m, n]
                       float* means,    // [n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    column_means<<<(n + 63) / 64, dim3(64, 4), 0, stream>>>(a, means, m, n);
}
"""
)

# A tile of 16 x 16 with a padded column.
TURN = (
    HEADER
    + """\
enum { SIDE = 16 };

__global__ void turn(const float* from, float* to, int64_t rows, int64_t cols, int64_t across) {
    __shared__ float tile[SIDE][SIDE + 1];
    const int64_t bx = blockIdx.x % across, by = blockIdx.x / across;
    int64_t c = bx * SIDE + threadIdx.x, r = by * SIDE + threadIdx.y;
    if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = from[r * cols + c];
    __syncthreads();
    c = by * SIDE + threadIdx.x;
    r = bx * SIDE + threadIdx.y;
    if (r < cols && c < rows) to[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const float* from,  // [rows, cols]
                       float* to,          // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t across = (cols + SIDE - 1) / SIDE, down = (rows + SIDE - 1) / SIDE;
    turn<<<across * down, dim3(SIDE, SIDE), 0, stream>>>(from, to, rows, cols, across);
}
"""
)

# Tiles of both factors in shared memory.
GEMM = (
    HEADER
    + """\
#define T 8

__global__ void gemm(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K, int64_t wide) {
    __shared__ float As[T][T], Bs[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t row = blockIdx.x / wide * T + ty, col = blockIdx.x % wide * T + tx;
    float acc = 0.0f;
    for (int64_t k0 = 0; k0 < K; k0 += T) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = col < N && k0 + ty < K ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < T; ++j) acc = fmaf(As[ty][j], Bs[j][tx], acc);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

extern "C" void launch(const float* A,  // [M, K]
                       const float* B,  // [K, N]
                       float* C,        // [M, N]
                       int64_t M, int64_t N, int64_t K, cudaStream_t stream = 0) {
    const int64_t wide = (N + T - 1) / T, high = (M + T - 1) / T;
    gemm<<<wide * high, dim3(T, T), 0, stream>>>(A, B, C, M, N, K, wide);
}
"""
)

# One warp for a row, three walks.
SOFT = (
    HEADER
    + """\
__device__ float warp_max(float v) {
    for (int d = 1; d < 32; d *= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}
__device__ float warp_sum(float v) {
    for (int d = 1; d < 32; d *= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void rows_softmax(const float* in, float* out, int64_t m, int64_t n) {
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * 4 + (threadIdx.x >> 5);
    if (row >= m) return;
    in += row * n;
    out += row * n;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t j = lane; j < n; j += 32) top = fmaxf(top, in[j]);
    top = warp_max(top);
    for (int64_t j = lane; j < n; j += 32) sum += expf(in[j] - top);
    sum = warp_sum(sum);
    for (int64_t j = lane; j < n; j += 32) out[j] = expf(in[j] - top) / sum;
}

extern "C" void launch(const float* in,  // [m, n]
                       float* out,       // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    rows_softmax<<<(m + 3) / 4, 128, 0, stream>>>(in, out, m, n);
}
"""
)

# Five taps over each row, zeros beyond its ends.
CONV = (
    HEADER
    + """\
__global__ void conv5(const float* x, const float* w, float* y, int64_t m, int64_t n) {
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= m * n) return;
    const int64_t row = at / n, col = at % n;
    float acc = 0.0f;
    for (int tap = 0; tap < 5; ++tap) {
        const int64_t j = col + tap - 2;
        if (j >= 0 && j < n) acc += w[tap] * x[row * n + j];
    }
    y[at] = acc;
}

extern "C" void launch(const float* x,  // [m, n]
                       const float* w,  // [5]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    conv5<<<(m * n + 127) / 128, 128, 0, stream>>>(x, w, y, m, n);
}
"""
)

# Rows of a table.
LOOKUP = (
    HEADER
    + """\
__global__ void gather(const float* table, const int* ids, float* out, int64_t tokens, int64_t width) {
    for (int64_t t = blockIdx.x; t < tokens; t += gridDim.x)
        for (int64_t j = threadIdx.x; j < width; j += blockDim.x) out[t * width + j] = table[ids[t] * width + j];
}

extern "C" void launch(const float* table,  // [vocab, width]
                       const int* ids,      // [tokens]
                       float* out,          // [tokens, width]
                       int64_t vocab, int64_t tokens, int64_t width, cudaStream_t stream = 0) {
    gather<<<tokens < 64 ? tokens : 64, 96, 0, stream>>>(table, ids, out, tokens, width);
}
"""
)

# The exclusive sum of each row, by one warp.
BEFORE = (
    HEADER
    + """\
__global__ void exclusive(const float* x, float* before, int64_t m, int64_t n) {
    const int64_t row = blockIdx.x;
    const int lane = threadIdx.x;
    float carry = 0.0f;
    for (int64_t start = 0; start < n; start += 32) {
        const int64_t j = start + lane;
        const float mine = j < n ? x[row * n + j] : 0.0f;
        float sum = mine;
        for (int d = 1; d < 32; d <<= 1) {
            const float left = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += left;
        }
        if (j < n) before[row * n + j] = carry + sum - mine;
        carry += __shfl_sync(0xffffffffu, sum, 31);
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* before,   // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    exclusive<<<m, 32, 0, stream>>>(x, before, m, n);
}
"""
)

# Weights of a byte, a scale for each row.
DEQUANT = (
    HEADER
    + """\
__global__ void dequantize(const int8_t* q, const float* scale, __half* w, int64_t m, int64_t n) {
    const int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m * n) w[j] = __float2half_rn((float)q[j] * scale[j / n]);
}

extern "C" void launch(const int8_t* q,     // [m, n]
                       const float* scale,  // [m]
                       __half* w,           // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    dequantize<<<(m * n + 255) / 256, 256, 0, stream>>>(q, scale, w, m, n);
}
"""
)

# Counts of 16 kinds, first in shared memory.
COUNT = (
    HEADER
    + """\
__global__ void count_kinds(const int* kind, int* counts, int64_t n) {
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        atomicAdd(&mine[kind[i] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

extern "C" void launch(const int* kind,  // [n]
                       int* counts,      // [16]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(counts, 0, 16 * sizeof(int), stream);
    count_kinds<<<n < 128 * 40 ? (n + 127) / 128 : 40, 128, 0, stream>>>(kind, counts, n);
}
"""
)


def _case(label: str, inputs: tuple[torch.Tensor, ...], right: torch.Tensor, **more) -> Case:
    """Return a case of one output, a float32 unless `dtypes` says another."""
    return Case(label, inputs, (right.double(),), **{"dtypes": (torch.float32,), **more})


def columns(launcher: Launcher) -> Iterator[Case]:
    """Average each column of whole numbers."""
    for m, n in (*SHAPES, (5001, 3)):
        x = whole_numbers(m, n, seed=m + n)
        yield _case(f"m = {m}, n = {n}", (x,), x.double().mean(dim=0), ulp=2)


def conv(launcher: Launcher) -> Iterator[Case]:
    """Filter whole numbers by whole numbers."""
    for m, n in SHAPES:
        x, w = whole_numbers(m, n, seed=m), whole_numbers(5, seed=n, limit=9)
        right = torch.nn.functional.conv1d(
            x.double()[:, None], w.double()[None, None], padding=2
        )
        yield _case(f"m = {m}, n = {n}", (x, w), right[:, 0])


def lookup(launcher: Launcher) -> Iterator[Case]:
    """Take rows of a table in any order, some twice."""
    for vocab, tokens, width in (
        (1, 1, 1),
        (5, 7, 3),
        (40, 9, 100),
        (9, 130, 33),
        (300, 65, 97),
    ):
        generator = torch.Generator().manual_seed(vocab)
        table = torch.randn(vocab, width, generator=generator)
        ids = torch.randint(vocab, (tokens,), generator=generator).int()
        label = f"vocab = {vocab}, tokens = {tokens}, width = {width}"
        yield _case(label, (table, ids), table[ids.long()])


def before(launcher: Launcher) -> Iterator[Case]:
    """Add the whole numbers that stand before each one in its row."""
    for m, n in SHAPES:
        x = whole_numbers(m, n, seed=m + n)
        yield _case(f"m = {m}, n = {n}", (x,), x.double().cumsum(dim=1) - x.double())


def dequant(launcher: Launcher) -> Iterator[Case]:
    """Scale bytes, a scale for each row."""
    for m, n in SHAPES:
        generator = torch.Generator().manual_seed(m + n)
        q = torch.randint(-128, 128, (m, n), generator=generator).to(torch.int8)
        scale = 0.01 + torch.rand(m, generator=generator)
        right = q.double() * scale.double()[:, None]
        yield _case(f"m = {m}, n = {n}", (q, scale), right, ulp=1, dtypes=(torch.float16,))


def count(launcher: Launcher) -> Iterator[Case]:
    """Count the kinds from 0 to 15."""
    for n in (1, 2, 31, 33, 127, 128, 129, 1000, 5119, 5121, 20_003):
        kind = torch.randint(16, (n,), generator=torch.Generator().manual_seed(n)).int()
        right = torch.bincount(kind.long(), minlength=16)
        yield _case(f"n = {n:,}", (kind,), right, dtypes=(torch.int32,))


BASES = {
    "n_squares": Base(SQUARES, cases="whole_array", function=lambda x: (x * x).sum()),
    "n_smallest": Base(SMALLEST, cases="whole_array", function=torch.min),
    "n_columns": Base(COLUMNS, {"cases": columns}),
    "n_turn": Base(TURN, cases="transpose"),
    "n_gemm": Base(GEMM, cases="matmul"),
    "n_soft": Base(SOFT, cases="softmax"),
    "n_conv": Base(CONV, {"cases": conv}),
    "n_lookup": Base(LOOKUP, {"cases": lookup}),
    "n_before": Base(BEFORE, {"cases": before}),
    "n_dequant": Base(DEQUANT, {"cases": dequant}),
    "n_count": Base(COUNT, {"cases": count}),
}

WRONG = (
    # ---- sums, means, maxima
    Wrong("n_squares_tree_short", "n_squares", "left out", ("s > 0; s /= 2", "s > 1; s /= 2")),
    Wrong(
        "n_squares_no_barrier",
        "n_squares",
        "race",
        (
            "    cache[threadIdx.x] = mine;\n    __syncthreads();",
            "    cache[threadIdx.x] = mine;",
        ),
    ),
    Wrong(
        "n_squares_plain_add",
        "n_squares",
        "race",
        ("atomicAdd(total, cache[0])", "*total += cache[0]"),
    ),
    Wrong("n_squares_absolute", "n_squares", "function", ("v[i] * v[i]", "fabsf(v[i])")),
    Wrong(
        "n_squares_no_memset",
        "n_squares",
        "zero before/start/state",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    Wrong(
        "n_smallest_from_flt_min",
        "n_smallest",
        "start",
        ("float best = INFINITY;", "float best = FLT_MIN;"),
    ),
    Wrong(
        "n_smallest_nine_warps",
        "n_smallest",
        "left out",
        ("threadIdx.x < blockDim.x / 32 ?", "threadIdx.x < 9 ?"),
    ),
    Wrong(
        "n_smallest_xor_eight",
        "n_smallest",
        "left out",
        (
            "if (threadIdx.x < 32) {\n        best = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : INFINITY;\n        for (int o = 16;",
            "if (threadIdx.x < 32) {\n        best = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : INFINITY;\n        for (int o = 4;",
        ),
    ),
    Wrong("n_columns_three_groups", "n_columns", "left out", ("k < 4; ++k", "k < 3; ++k")),
    Wrong("n_columns_by_n", "n_columns", "function/sides", ("(double)m", "(double)n")),
    Wrong(
        "n_columns_int_mean",
        "n_columns",
        "rounding",
        ("(float)(sum / (double)m)", "(float)((int64_t)sum / m)"),
    ),
    # ---- matrices
    Wrong("n_turn_no_barrier", "n_turn", "race", ("    __syncthreads();\n", "")),
    Wrong(
        "n_turn_across_by_rows",
        "n_turn",
        "sides/unwritten/grid | twice/bounds",
        ("across = (cols + SIDE - 1) / SIDE, down", "across = (rows + SIDE - 1) / SIDE, down"),
    ),
    Wrong(
        "n_turn_tile_not_turned",
        "n_turn",
        "swapped/neighbour/sides",
        ("tile[threadIdx.x][threadIdx.y];", "tile[threadIdx.y][threadIdx.x];"),
    ),
    Wrong(
        "n_gemm_last_of_k", "n_gemm", "left out | tail", ("k0 + tx < K ?", "k0 + tx < K - 1 ?")
    ),
    Wrong(
        "n_gemm_second_barrier", "n_gemm", "race", ("acc);\n        __syncthreads();", "acc);")
    ),
    Wrong(
        "n_gemm_b_by_k",
        "n_gemm",
        "sides/bounds",
        ("(k0 + ty) * N + col", "(k0 + ty) * K + col"),
    ),
    Wrong(
        "n_gemm_acc_half",
        "n_gemm",
        "precision/narrow",
        (
            "acc = fmaf(As[ty][j], Bs[j][tx], acc);",
            "acc = __half2float(__float2half(fmaf(As[ty][j], Bs[j][tx], acc)));",
        ),
    ),
    # ---- rows
    Wrong(
        "n_soft_no_top",
        "n_soft",
        "infinity/nan/start",
        ("sum += expf(in[j] - top)", "sum += expf(in[j])"),
        ("out[j] = expf(in[j] - top)", "out[j] = expf(in[j])"),
    ),
    Wrong(
        "n_soft_top_from_zero",
        "n_soft",
        "start | nan/infinity",
        ("float top = -INFINITY", "float top = 0.0f"),
    ),
    Wrong("n_soft_sum_of_lane", "n_soft", "left out", ("    sum = warp_sum(sum);\n", "")),
    Wrong("n_conv_flipped", "n_conv", "swapped/neighbour/function", ("w[tap]", "w[4 - tap]")),
    Wrong(
        "n_conv_runs_over",
        "n_conv",
        "bounds/neighbour/sides | tail",
        ("if (j >= 0 && j < n)", "if (row * n + j >= 0 && row * n + j < m * n)"),
    ),
    Wrong("n_conv_four_taps", "n_conv", "left out", ("tap < 5", "tap < 4")),
    Wrong(
        "n_lookup_row_is_token",
        "n_lookup",
        "function/neighbour/left out/bounds",
        ("table[ids[t] * width + j]", "table[(ids[t] * 0 + t) * width + j]"),
    ),
    Wrong(
        "n_lookup_once",
        "n_lookup",
        "unwritten",
        ("t < tokens; t += gridDim.x", "t < gridDim.x; t += gridDim.x"),
    ),
    Wrong(
        "n_before_inclusive",
        "n_before",
        "function/neighbour/left out/twice",
        ("carry + sum - mine", "carry + sum"),
    ),
    Wrong("n_before_no_carry", "n_before", "left out", ("carry += __shfl", "carry = __shfl")),
    Wrong(
        "n_dequant_scale_of_column",
        "n_dequant",
        "sides/neighbour/bounds",
        ("scale[j / n]", "scale[j % n]"),
    ),
    Wrong(
        "n_dequant_unsigned",
        "n_dequant",
        "numbers/function/whole range",
        ("(float)q[j]", "(float)(uint8_t)q[j]"),
    ),
    Wrong(
        "n_count_no_zero",
        "n_count",
        "start/race/unwritten/zero before",
        ("    if (threadIdx.x < 16) mine[threadIdx.x] = 0;\n", ""),
    ),
    Wrong(
        "n_count_eight_kinds",
        "n_count",
        "other element | twice",
        ("kind[i] & 15", "kind[i] & 7"),
    ),
    Wrong(
        "n_count_shared_plain",
        "n_count",
        "race",
        ("atomicAdd(&mine[kind[i] & 15], 1)", "mine[kind[i] & 15] += 1"),
    ),
)

RIGHT = (
    Right("r_n_squares", "n_squares"),
    Right(
        "r_n_squares_pow",
        "n_squares",
        ("mine += v[i] * v[i];", "{ const float u = v[i]; mine = fmaf(u, u, mine); }"),
    ),
    Right("r_n_smallest", "n_smallest"),
    Right("r_n_columns", "n_columns"),
    Right(
        "r_n_columns_all_write",
        "n_columns",
        (
            "if (threadIdx.y == 0 && col < n) {\n        for (int k = 1; k < 4; ++k) sum +=",
            "if (threadIdx.y == 3 && col < n) {\n        for (int k = 0; k < 3; ++k) sum +=",
        ),
    ),
    Right("r_n_turn", "n_turn"),
    Right(
        "r_n_turn_skewed",
        "n_turn",
        ("[SIDE + 1]", "[SIDE]"),
        (
            "tile[threadIdx.y][threadIdx.x] = from",
            "tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = from",
        ),
        ("tile[threadIdx.x][threadIdx.y];", "tile[threadIdx.x][threadIdx.y ^ threadIdx.x];"),
    ),
    Right("r_n_gemm", "n_gemm"),
    Right("r_n_soft", "n_soft"),
    Right(
        "r_n_soft_log",
        "n_soft",
        ("out[j] = expf(in[j] - top) / sum", "out[j] = __fdividef(expf(in[j] - top), sum)"),
    ),
    Right("r_n_conv", "n_conv"),
    Right(
        "r_n_conv_backwards",
        "n_conv",
        ("int tap = 0; tap < 5; ++tap", "int tap = 4; tap >= 0; --tap"),
    ),
    Right("r_n_lookup", "n_lookup"),
    Right("r_n_before", "n_before"),
    Right("r_n_dequant", "n_dequant"),
    Right("r_n_count", "n_count"),
)
