"""Hold a nineteenth family, of other operators: whole arrays, columns, matrices and rows."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A reader of blog posts: shuffles in the warps, then among their sums, then an atomic addition.
TOTAL = (
    HEADER
    + """\
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

__global__ void total(const float* __restrict__ x, float* sum, int64_t n) {
    __shared__ float of_warp[kWarps];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t step = int64_t(gridDim.x) * kThreads;
    float mine = 0.0f;
    for (int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step) mine += x[i];
    for (int d = 16; d > 0; d >>= 1) mine += __shfl_down_sync(0xffffffffu, mine, d);
    if (lane == 0) of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        float all = lane < kWarps ? of_warp[lane] : 0.0f;
        for (int d = kWarps / 2; d > 0; d >>= 1) all += __shfl_down_sync(~0u, all, d);
        if (lane == 0) atomicAdd(sum, all);
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* sum,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    const int64_t wanted = (n + kThreads - 1) / kThreads;
    cudaMemsetAsync(sum, 0, sizeof(float), stream);
    total<<<wanted < 72 ? wanted : 72, kThreads, 0, stream>>>(x, sum, n);
}
"""
)

# A lover of bits: floats as unsigned numbers of the same order, of which atomicMax knows the
# largest. The result lies as such a number where it will be decoded, in a second pass.
LARGEST = (
    HEADER
    + """\
constexpr int THREADS = 128;

__device__ unsigned key_of(float v) {
    if (v != v) return 0xffffffffu;  // a NaN is larger than all
    const unsigned u = __float_as_uint(v);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}

__device__ float value_of(unsigned key) {
    return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

__global__ void find(const float* x, unsigned* key, int64_t n) {
    __shared__ unsigned buf[THREADS];
    const int t = threadIdx.x;
    unsigned best = 0;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + t; i < n; i += gridDim.x * (int64_t)THREADS) {
        best = max(best, key_of(x[i]));
    }
    buf[t] = best;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s) buf[t] = max(buf[t], buf[t + s]);
        __syncthreads();  // before the next step
    }
    if (t == 0) atomicMax(key, buf[0]);
}

__global__ void decode(float* out) { *out = value_of(__float_as_uint(*out)); }

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    int64_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 50) blocks = 50;
    cudaMemsetAsync(out, 0, sizeof(unsigned), stream);
    find<<<blocks, THREADS, 0, stream>>>(x, reinterpret_cast<unsigned*>(out), n);
    decode<<<1, 1, 0, stream>>>(out);
}
"""
)

# Someone from pandas: the sum of each column without its missing values, and how many it has.
COLUMNS = (
    HEADER
    + """\
#define ACROSS 32
#define DOWN 8

__global__ void columns(const float* x, float* sums, int* counts, int64_t m, int64_t n) {
    __shared__ float part[DOWN][ACROSS];
    __shared__ int seen[DOWN][ACROSS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t col = (int64_t)blockIdx.x * ACROSS + tx;
    float sum = 0.0f;
    int count = 0;
    if (col < n) {
        for (int64_t row = ty; row < m; row += DOWN) {
            float v = x[row * n + col];
            if (!isnan(v)) {
                sum += v;
                count += 1;
            }
        }
    }
    part[ty][tx] = sum;
    seen[ty][tx] = count;
    __syncthreads();
    if (ty == 0 && col < n) {
        for (int k = 1; k < DOWN; ++k) {
            sum += part[k][tx];
            count += seen[k][tx];
        }
        sums[col] = sum;
        counts[col] = count;
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* sums,     // [n]
                       int* counts,     // [n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    dim3 block(ACROSS, DOWN);
    columns<<<(n + ACROSS - 1) / ACROSS, block, 0, stream>>>(x, sums, counts, m, n);
}
"""
)

# A veteran: padded tiles, numbered in one dimension so that no side of the grid is too short.
TRANSPOSE = (
    HEADER
    + """\
constexpr int TILE = 32;
constexpr int ROWS = 8;

__global__ void __launch_bounds__(TILE * ROWS) transpose(const float* __restrict__ x, float* __restrict__ out, int64_t rows, int64_t cols) {
    __shared__ float tile[TILE][TILE + 1];
    const int64_t across = (cols + TILE - 1) / TILE;
    const int64_t top = blockIdx.x / across * TILE;
    const int64_t left = blockIdx.x % across * TILE;
    for (int k = threadIdx.y; k < TILE; k += ROWS) {
        const int64_t r = top + k, c = left + threadIdx.x;
        if (r < rows && c < cols) tile[k][threadIdx.x] = x[r * cols + c];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < TILE; k += ROWS) {
        const int64_t to_r = left + k, to_c = top + threadIdx.x;
        if (to_r < cols && to_c < rows) out[to_r * rows + to_c] = tile[threadIdx.x][k];
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t tiles = ((rows + TILE - 1) / TILE) * ((cols + TILE - 1) / TILE);
    transpose<<<tiles, dim3(TILE, ROWS), 0, stream>>>(x, out, rows, cols);
}
"""
)

# A student one chapter further: tiles, and two rows of the result for each thread.
MATMUL = (
    HEADER
    + """\
constexpr int T = 16;

__global__ void matmul(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    __shared__ float as[2 * T][T + 1];
    __shared__ float bs[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t across = (n + T - 1) / T;
    const int64_t row = blockIdx.x / across * (2 * T) + ty;
    const int64_t below = row + T;
    const int64_t col = blockIdx.x % across * T + tx;
    float upper = 0.0f, lower = 0.0f;
    for (int64_t from = 0; from < k; from += T) {
        const int64_t ka = from + tx, kb = from + ty;
        as[ty][tx] = row < m && ka < k ? a[row * k + ka] : 0.0f;
        as[ty + T][tx] = below < m && ka < k ? a[below * k + ka] : 0.0f;
        bs[ty][tx] = kb < k && col < n ? b[kb * n + col] : 0.0f;
        __syncthreads();  // the tiles are there
        for (int j = 0; j < T; ++j) {
            upper += as[ty][j] * bs[j][tx];
            lower += as[ty + T][j] * bs[j][tx];
        }
        __syncthreads();  // the tiles are used
    }
    if (row < m && col < n) c[row * n + col] = upper;
    if (below < m && col < n) c[below * n + col] = lower;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const int64_t blocks = ((m + 2 * T - 1) / (2 * T)) * ((n + T - 1) / T);
    matmul<<<blocks, dim3(T, T), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# A reader of papers: the online softmax, a block a row; pairs of maximum and sum are joined.
SOFTMAX = (
    HEADER
    + """\
constexpr int T = 64;

struct Running {
    float top;  // the maximum so far
    float sum;  // of exp(v - top)
};

__device__ Running join(Running a, Running b) {
    if (a.top == b.top) return Running{a.top, a.sum + b.sum};  // both may be -infinity
    const float top = fmaxf(a.top, b.top);
    return Running{top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
}

__global__ void softmax(const float* x, float* out, int64_t n) {
    __shared__ Running all[T];
    const int t = threadIdx.x;
    const int64_t r = blockIdx.x;
    const float* row = x + r * n;
    float* to = out + r * n;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t j = t; j < n; j += T) {
        const float v = row[j];
        if (v > top) {
            sum = sum * expf(top - v) + expf(v - v);  // 1, but NaN for infinity
            top = v;
        } else if (v != -INFINITY) {
            sum += expf(v - top);
        }
    }
    all[t] = Running{top, sum};
    __syncthreads();  // all have written
    for (int s = T / 2; s > 0; s /= 2) {
        if (t < s) all[t] = join(all[t], all[t + s]);
        __syncthreads();
    }
    const Running row_s = all[0];
    for (int64_t j = t; j < n; j += T) to[j] = expf(row[j] - row_s.top) / row_s.sum;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    softmax<<<m, T, 0, stream>>>(x, out, n);
}
"""
)

# A veteran: layer norm with weights, a warp a row, the mean first and then the deviations.
LAYER_NORM = (
    HEADER
    + """\
constexpr int WARPS = 4;

__device__ __forceinline__ float over_warp(float v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* out, int64_t m, int64_t n, float eps) {
    const int lane = threadIdx.x & 31;
    const int64_t r = (int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5);
    if (r >= m) return;
    const float* row = x + r * n;
    float sum = 0.0f;
    for (int64_t j = lane; j < n; j += 32) sum += row[j];
    const float mean = over_warp(sum) / n;
    float squares = 0.0f;
    for (int64_t j = lane; j < n; j += 32) {
        const float d = row[j] - mean;
        squares += d * d;
    }
    const float variance = over_warp(squares) / n;
    const float scale = 1.0f / sqrtf(variance + eps);
    for (int64_t j = lane; j < n; j += 32) out[r * n + j] = (row[j] - mean) * scale * gamma[j] + beta[j];
}

extern "C" void launch(const float* x,      // [m, n]
                       const float* gamma,  // [n]
                       const float* beta,   // [n]
                       float* out,          // [m, n]
                       int64_t m, int64_t n, float eps = 1e-5f, cudaStream_t stream = 0) {
    layer_norm<<<(m + WARPS - 1) / WARPS, 32 * WARPS, 0, stream>>>(x, gamma, beta, out, m, n, eps);
}
"""
)

SHAPES = ((1, 1), (1, 7), (5, 1), (2, 32), (4, 31), (33, 33), (50, 20), (9, 140), (3, 600))


def _draw(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Add up and count columns of whole numbers, with missing ones, few and many."""
    for m, n in (*SHAPES, (300, 40), (4001, 3)):
        for every in (1000, 3, 1):
            x = whole_numbers(m, n, seed=m + n)
            x[torch.randint(every, (m, n), generator=_draw(m * n)) == 0] = float("nan")
            right = x.double().nansum(dim=0), (~x.isnan()).sum(dim=0).double()
            label = f"m = {m:,}, n = {n}, one of {every:,} is NaN"
            yield Case(label, (x,), right, dtypes=(torch.float32, torch.int32))


def layer_norm(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of whole numbers, and of numbers not far from the root of eps."""
    for m, n in SHAPES:
        for scale in (1.0, 2.0**-12):
            x = whole_numbers(m, n, seed=m + n) * scale
            gamma = 1 + torch.randint(6, (n,), generator=_draw(n)).float()
            beta = whole_numbers(n, seed=n, limit=4)
            eps = 2.0**-16
            deviation = x.double() - x.double().mean(dim=1, keepdim=True)
            variance = deviation.square().mean(dim=1, keepdim=True)
            scaled = deviation / torch.sqrt(variance + eps) * gamma.double()
            # The sum may cancel: as many units of what is added as of what comes out.
            within = 2.0**-19 * (scaled.abs() + beta.double().abs() + gamma.double())
            yield Case(
                f"m = {m}, n = {n}, numbers times {scale}",
                (x, gamma, beta),
                (scaled + beta.double(),),
                {"eps": eps},
                ulp=12,
                dtypes=(torch.float32,),
                within=(within,),
            )


BASES = {
    "xix_total": Base(TOTAL, cases="sums"),
    "xix_largest": Base(LARGEST, cases="whole_array", function=torch.max),
    "xix_columns": Base(COLUMNS, {"cases": columns}),
    "xix_transpose": Base(TRANSPOSE, cases="transpose"),
    "xix_matmul": Base(MATMUL, cases="matmul"),
    "xix_softmax": Base(SOFTMAX, cases="softmax"),
    "xix_layer_norm": Base(LAYER_NORM, {"cases": layer_norm}),
}

WRONG = (
    # The sum is added to what lay there.
    Wrong(
        "xix_total_onto_old",
        "xix_total",
        "zero before / state / start | twice",
        ("    cudaMemsetAsync(sum, 0, sizeof(float), stream);\n", ""),
    ),
    # Half of a warp is not named in the mask, and takes part.
    Wrong(
        "xix_total_half_mask",
        "xix_total",
        "race",
        ("__shfl_down_sync(0xffffffffu, mine, d)", "__shfl_down_sync(0x0000ffffu, mine, d)"),
    ),
    # The upper half of each warp is not added.
    Wrong(
        "xix_total_from_eight",
        "xix_total",
        "left out | numbers / other element",
        ("for (int d = 16;", "for (int d = 8;"),
    ),
    # The first warp need not wait for the others.
    Wrong(
        "xix_total_unsynced",
        "xix_total",
        "race | left out / start",
        ("of_warp[warp] = mine;\n    __syncthreads();\n", "of_warp[warp] = mine;\n"),
    ),
    # Two blocks read the same sum, and one of the two additions is lost.
    Wrong(
        "xix_total_plain",
        "xix_total",
        "race | left out",
        ("atomicAdd(sum, all)", "*sum += all"),
    ),
    # The larger a negative number, the larger its bits: only the sign is turned.
    Wrong(
        "xix_largest_sign_only",
        "xix_largest",
        "numbers / function | start",
        ("? ~u : u | 0x80000000u", "? u ^ 0x80000000u : u | 0x80000000u"),
        ("key & 0x7fffffffu : ~key", "key & 0x7fffffffu : key ^ 0x80000000u"),
    ),
    # FLT_MIN is the least positive number (of those that are normal).
    Wrong(
        "xix_largest_flt_min",
        "xix_largest",
        "start / numbers",
        ("unsigned best = 0;", "unsigned best = key_of(FLT_MIN);"),
    ),
    # All bits set is the largest key, not the least.
    Wrong(
        "xix_largest_all_bits",
        "xix_largest",
        "start / nan / copy | numbers / zero before",
        ("cudaMemsetAsync(out, 0,", "cudaMemsetAsync(out, 0xff,"),
    ),
    # The tree begins a level too low: the upper half is not asked.
    Wrong(
        "xix_largest_quarter",
        "xix_largest",
        "left out | numbers / other element",
        ("int s = THREADS / 2;", "int s = THREADS / 4;"),
    ),
    # The warps of a block need not go down the tree together.
    Wrong(
        "xix_largest_tree_unsynced",
        "xix_largest",
        "race",
        ("        __syncthreads();  // before the next step\n", ""),
    ),
    # The last element is not read.
    Wrong(
        "xix_largest_without_last",
        "xix_largest",
        "tail / left out | nan / start / bounds",
        ("i < n; i +=", "i < n - 1; i +="),
    ),
    # A row's length is its number of columns.
    Wrong(
        "xix_columns_pitch",
        "xix_columns",
        "sides / bounds | other element",
        ("x[row * n + col]", "x[row * m + col]"),
    ),
    # The step down is that across.
    Wrong(
        "xix_columns_step_across",
        "xix_columns",
        "left out | sides / block size / numbers",
        ("row += DOWN", "row += ACROSS"),
    ),
    # The first thread's own part is added to itself.
    Wrong(
        "xix_columns_own_again",
        "xix_columns",
        "twice | start / function / numbers",
        ("for (int k = 1; k < DOWN", "for (int k = 0; k < DOWN"),
    ),
    # Missing ones are not added, and counted.
    Wrong(
        "xix_columns_all_counted",
        "xix_columns",
        "nan / numbers / function",
        (
            "                sum += v;\n                count += 1;\n            }\n",
            "                sum += v;\n            }\n            count += 1;\n",
        ),
    ),
    # As many blocks as would be needed for the rows.
    Wrong(
        "xix_columns_grid_of_rows",
        "xix_columns",
        "sides / grid / unwritten | left out / tail",
        ("<<<(n + ACROSS - 1) / ACROSS,", "<<<(m + ACROSS - 1) / ACROSS,"),
    ),
    # A thread's count of 256 rows and more is no byte.
    Wrong(
        "xix_columns_bytes",
        "xix_columns",
        "whole range / narrow / infinity | numbers",
        ("__shared__ int seen", "__shared__ uint8_t seen"),
    ),
    # The result's rows are as long as x has rows.
    Wrong(
        "xix_transpose_pitch",
        "xix_transpose",
        "sides / bounds | other element / unwritten / race",
        ("out[to_r * rows + to_c]", "out[to_r * cols + to_c]"),
    ),
    # The tiles change places, and in each all stays where it was.
    Wrong(
        "xix_transpose_tiles_only",
        "xix_transpose",
        "function / other element / sides / swapped | copy / bounds",
        ("tile[threadIdx.x][k];", "tile[k][threadIdx.x];"),
    ),
    # What other warps read is written before or after.
    Wrong(
        "xix_transpose_unsynced",
        "xix_transpose",
        "race",
        ("    __syncthreads();\n", ""),
    ),
    # The second test is that of the first part.
    Wrong(
        "xix_transpose_same_test",
        "xix_transpose",
        "sides / bounds / unwritten | tail",
        ("if (to_r < cols && to_c < rows)", "if (to_r < rows && to_c < cols)"),
    ),
    # Tiles in a row of tiles are counted by the rows.
    Wrong(
        "xix_transpose_across_rows",
        "xix_transpose",
        "sides / unwritten / grid | left out / other element",
        ("across = (cols + TILE - 1) / TILE", "across = (rows + TILE - 1) / TILE"),
    ),
    # Blocks of four rows take steps of eight.
    Wrong(
        "xix_transpose_four_rows",
        "xix_transpose",
        "unwritten / block size / left out | numbers",
        ("dim3(TILE, ROWS)", "dim3(TILE, 4)"),
    ),
    # Half of the tile has no place.
    Wrong(
        "xix_transpose_half_tile",
        "xix_transpose",
        "bounds | race",
        ("tile[TILE][TILE + 1]", "tile[TILE / 2][TILE + 1]"),
    ),
    # The last tile of k is left out unless it is whole.
    Wrong(
        "xix_matmul_whole_tiles",
        "xix_matmul",
        "left out / tail | sides / numbers",
        ("from < k; from += T", "from + T <= k; from += T"),
    ),
    # A fast warp overwrites what a slow one still reads.
    Wrong(
        "xix_matmul_one_barrier",
        "xix_matmul",
        "race",
        ("        __syncthreads();  // the tiles are used\n", ""),
    ),
    # The pitch of b is n.
    Wrong(
        "xix_matmul_pitch_of_b",
        "xix_matmul",
        "sides / bounds | other element",
        ("b[kb * n + col]", "b[kb * k + col]"),
    ),
    # The lower row is written if there is an upper one.
    Wrong(
        "xix_matmul_lower_untested",
        "xix_matmul",
        "bounds | tail / sides",
        ("if (below < m && col < n)", "if (row < m && col < n)"),
    ),
    # c = a b, not c += a b.
    Wrong(
        "xix_matmul_onto_old",
        "xix_matmul",
        "zero before / state / start | twice",
        ("c[row * n + col] = upper", "c[row * n + col] += upper"),
    ),
    # a is read as if its columns lay one after the other.
    Wrong(
        "xix_matmul_fortran",
        "xix_matmul",
        "sides / function / swapped / other element",
        ("? a[row * k + ka]", "? a[ka * m + row]"),
        ("? a[below * k + ka]", "? a[ka * m + below]"),
    ),
    # Zeros of a are to make up for whatever lies behind b.
    Wrong(
        "xix_matmul_b_untested",
        "xix_matmul",
        "bounds | nan / tail / sides / infinity",
        ("kb < k && col < n ?", "col < n ?"),
    ),
    # A new maximum does not rescale the sum.
    Wrong(
        "xix_softmax_not_rescaled",
        "xix_softmax",
        "function / numbers / left out | infinity",
        ("sum = sum * expf(top - v) +", "sum = sum +"),
    ),
    # In a row of very negative numbers all exponentials are 0.
    Wrong(
        "xix_softmax_from_zero",
        "xix_softmax",
        "start / numbers / nan | infinity / subnormal / precision",
        ("float top = -INFINITY, sum", "float top = 0.0f, sum"),
    ),
    # The tree begins before all leaves are there.
    Wrong(
        "xix_softmax_unsynced",
        "xix_softmax",
        "race",
        ("    __syncthreads();  // all have written\n", ""),
    ),
    # The product of row and length as an int.
    Wrong(
        "xix_softmax_int_row",
        "xix_softmax",
        "narrow | bounds",
        ("const float* row = x + r * n;", "const float* row = x + int(r * n);"),
    ),
    # Each thread divides by its own sum.
    Wrong(
        "xix_softmax_own_sum",
        "xix_softmax",
        "left out / function | numbers",
        ("const Running row_s = all[0];", "const Running row_s = {top, sum};"),
    ),
    # An epsilon against a division by 0, which cannot happen.
    Wrong(
        "xix_softmax_epsilon",
        "xix_softmax",
        "function / precision / numbers | rounding",
        ("/ row_s.sum;", "/ (row_s.sum + 1e-5f);"),
    ),
    # Bessel's correction.
    Wrong(
        "xix_layer_norm_less_one",
        "xix_layer_norm",
        "function / numbers | nan",
        ("over_warp(squares) / n;", "over_warp(squares) / (n - 1);"),
    ),
    # Epsilon belongs under the root.
    Wrong(
        "xix_layer_norm_eps_outside",
        "xix_layer_norm",
        "function / numbers | precision",
        ("sqrtf(variance + eps)", "(sqrtf(variance) + eps)"),
    ),
    # The lane is the column only for the first 32.
    Wrong(
        "xix_layer_norm_lane_weight",
        "xix_layer_norm",
        "other element / left out / sides | numbers",
        ("gamma[j]", "gamma[lane]"),
    ),
    # The deviations are kept in x.
    Wrong(
        "xix_layer_norm_in_place",
        "xix_layer_norm",
        "input",
        (
            "const float d = row[j] - mean;",
            "const float d = const_cast<float*>(row)[j] -= mean;",
        ),
        ("(row[j] - mean) * scale", "row[j] * scale"),
    ),
    # Only lane 0 of a warp has the whole sum.
    Wrong(
        "xix_layer_norm_down",
        "xix_layer_norm",
        "left out / function | numbers / other element / twice",
        ("__shfl_xor_sync", "__shfl_down_sync"),
    ),
    # beta for gamma, and gamma for beta.
    Wrong(
        "xix_layer_norm_exchanged",
        "xix_layer_norm",
        "swapped",
        ("stream>>>(x, gamma, beta, out,", "stream>>>(x, beta, gamma, out,"),
    ),
    # The squares are added to the sum.
    Wrong(
        "xix_layer_norm_old_sum",
        "xix_layer_norm",
        "start / function | numbers / nan",
        ("float squares = 0.0f;", "float squares = sum;"),
    ),
)

RIGHT = (
    # All lanes get the sum, and one of them adds it.
    Right(
        "xix_total_butterfly",
        "xix_total",
        ("__shfl_down_sync(0xffffffffu, mine, d)", "__shfl_xor_sync(0xffffffffu, mine, d)"),
    ),
    # A kernel of one thread sets the sum to 0.
    Right(
        "xix_total_zero_kernel",
        "xix_total",
        (
            "__global__ void total",
            "__global__ void clear(float* sum) { *sum = 0.0f; }\n\n__global__ void total",
        ),
        ("cudaMemsetAsync(sum, 0, sizeof(float), stream);", "clear<<<1, 1, 0, stream>>>(sum);"),
    ),
    # A function for a level of the tree that calls the next one.
    Right(
        "xix_largest_recursion",
        "xix_largest",
        (
            "__global__ void find",
            "template <int S>\n__device__ void fold(unsigned* buf, int t) {\n    if (t < S) buf[t] = max(buf[t], buf[t + S]);\n    __syncthreads();\n    if constexpr (S > 1) fold<S / 2>(buf, t);\n}\n\n__global__ void find",
        ),
        (
            "    for (int s = THREADS / 2; s > 0; s /= 2) {\n        if (t < s) buf[t] = max(buf[t], buf[t + s]);\n        __syncthreads();  // before the next step\n    }\n",
            "    fold<THREADS / 2>(buf, t);\n",
        ),
    ),
    # Five rows of threads, and not eight.
    Right("xix_columns_five", "xix_columns", ("#define DOWN 8", "#define DOWN 5")),
    # Banks collide, and nothing else does.
    Right(
        "xix_transpose_unpadded", "xix_transpose", ("tile[TILE][TILE + 1]", "tile[TILE][TILE]")
    ),
    # The last block of the grid begins.
    Right(
        "xix_transpose_last_first",
        "xix_transpose",
        ("blockIdx.x / across * TILE", "(gridDim.x - 1 - blockIdx.x) / across * TILE"),
        ("blockIdx.x % across * TILE", "(gridDim.x - 1 - blockIdx.x) % across * TILE"),
    ),
    # Sums of double.
    Right(
        "xix_matmul_double",
        "xix_matmul",
        ("float upper = 0.0f, lower = 0.0f;", "double upper = 0.0, lower = 0.0;"),
    ),
    # From the last product of a tile to the first.
    Right(
        "xix_matmul_backwards",
        "xix_matmul",
        ("for (int j = 0; j < T; ++j)", "for (int j = T; j-- > 0;)"),
    ),
    # The last row is the first block's.
    Right(
        "xix_softmax_last_row_first",
        "xix_softmax",
        ("const int64_t r = blockIdx.x;", "const int64_t r = gridDim.x - 1 - blockIdx.x;"),
    ),
    # A function over the columns of a row that takes a function.
    Right(
        "xix_layer_norm_lambda",
        "xix_layer_norm",
        (
            "    float sum = 0.0f;\n    for (int64_t j = lane; j < n; j += 32) sum += row[j];\n",
            "    const auto each = [=](auto&& what) {\n        for (int64_t j = lane; j < n; j += 32) what(j);\n    };\n    float sum = 0.0f;\n    each([&](int64_t j) { sum += row[j]; });\n",
        ),
    ),
    # The reciprocal of the root in one instruction.
    Right(
        "xix_layer_norm_rsqrt",
        "xix_layer_norm",
        ("1.0f / sqrtf(variance + eps)", "rsqrtf(variance + eps)"),
    ),
)
