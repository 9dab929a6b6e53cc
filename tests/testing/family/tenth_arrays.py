"""Hold the whole-array kernels of the tenth family, but for its layer norm."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A veteran: a warp a row, float16 in, float32 out.
ROW_SUM = (
    HEADER
    + """\
template <typename Acc>
__global__ void row_sum(const half* __restrict__ x, float* __restrict__ sums, int64_t rows, int64_t cols) {
    const int lane = threadIdx.x % 32;
    const int64_t row = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    Acc acc = 0.0f;
    for (int64_t c = lane; c < cols; c += 32) acc = Acc(float(acc) + float(x[row * cols + c]));
    float sum = float(acc);
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0) sums[row] = sum;
}

extern "C" void launch(const half* x,  // [rows, cols]
                       float* sums,    // [rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const unsigned blocks = unsigned((rows + 3) / 4);
    row_sum<float><<<blocks, 128, 0, stream>>>(x, sums, rows, cols);
}
"""
)

# A student: a block a row, a tree in shared memory.
ARGMAX = (
    HEADER
    + """\
#define THREADS 256
__global__ void argmax_rows(const float* x, int64_t* where, int64_t n) {
    __shared__ float best[THREADS];
    __shared__ int64_t place[THREADS];
    const float* row = x + (int64_t)blockIdx.x * n;
    int t = threadIdx.x;
    float v = -INFINITY;
    int64_t p = 0;
    for (int64_t i = t; i < n; i += THREADS) {
        if (row[i] > v) {
            v = row[i];
            p = i;
        }
    }
    best[t] = v;
    place[t] = p;
    __syncthreads();
    for (int half_way = THREADS / 2; half_way > 0; half_way /= 2) {
        if (t < half_way) {
            float w = best[t + half_way];
            int64_t q = place[t + half_way];
            if (w > best[t] || (w == best[t] && q < place[t])) {
                best[t] = w;
                place[t] = q;
            }
        }
        __syncthreads();
    }
    if (t == 0) where[blockIdx.x] = place[0];
}

extern "C" void launch(const float* x,  // [m, n]
                       int64_t* where,  // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    argmax_rows<<<(unsigned)m, THREADS, 0, stream>>>(x, where, n);
}
"""
)

# A veteran: 32 x 32 elements through shared memory by 32 x 8 threads.
TRANSPOSE = (
    HEADER
    + """\
constexpr int kSide = 32, kStep = 8;

__global__ void transpose(const float* __restrict__ x, float* __restrict__ out, int64_t rows, int64_t cols) {
    __shared__ float tile[kSide][kSide + 1];
    const int64_t left = int64_t(blockIdx.x) * kSide, top = int64_t(blockIdx.y) * kSide;
    for (int j = threadIdx.y; j < kSide; j += kStep) {
        const int64_t r = top + j, c = left + threadIdx.x;
        if (r < rows && c < cols) tile[j][threadIdx.x] = x[r * cols + c];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < kSide; j += kStep) {
        const int64_t r = left + j, c = top + threadIdx.x;
        if (r < cols && c < rows) out[r * rows + c] = tile[threadIdx.x][j];
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const dim3 grid(unsigned((cols + kSide - 1) / kSide), unsigned((rows + kSide - 1) / kSide));
    transpose<<<grid, dim3(kSide, kStep), 0, stream>>>(x, out, rows, cols);
}
"""
)

# A code generator: three passes over a row, one shared buffer for both reductions.
SOFTMAX = (
    HEADER
    + """\
#define RBLOCK 128
__global__ void per_fused_softmax_0(const float* in_ptr0, float* out_ptr0, const int64_t rnumel) {
    __shared__ float buf0[RBLOCK];
    const int64_t xbase = static_cast<int64_t>(blockIdx.x) * rnumel;
    const int rtid = threadIdx.x;
    float tmp0 = -INFINITY;
    for (int64_t rindex = rtid; rindex < rnumel; rindex += RBLOCK) {
        const float tmp1 = in_ptr0[xbase + rindex];
        tmp0 = tmp0 > tmp1 || tmp0 != tmp0 ? tmp0 : tmp1;
    }
    buf0[rtid] = tmp0;
    __syncthreads();
    for (int s = RBLOCK / 2; s > 0; s >>= 1) {
        if (rtid < s) {
            const float tmp2 = buf0[rtid + s];
            const float tmp3 = buf0[rtid];
            buf0[rtid] = tmp3 > tmp2 || tmp3 != tmp3 ? tmp3 : tmp2;
        }
        __syncthreads();
    }
    const float tmp4 = buf0[0];
    __syncthreads();  // before buf0 is used again
    float tmp5 = 0.0f;
    for (int64_t rindex = rtid; rindex < rnumel; rindex += RBLOCK) {
        tmp5 += expf(in_ptr0[xbase + rindex] - tmp4);
    }
    buf0[rtid] = tmp5;
    __syncthreads();
    for (int s = RBLOCK / 2; s > 0; s >>= 1) {
        if (rtid < s) buf0[rtid] += buf0[rtid + s];
        __syncthreads();
    }
    const float tmp6 = buf0[0];
    for (int64_t rindex = rtid; rindex < rnumel; rindex += RBLOCK) {
        const float tmp7 = expf(in_ptr0[xbase + rindex] - tmp4);
        out_ptr0[xbase + rindex] = tmp7 / tmp6;
    }
}

extern "C" void launch(const float* in_ptr0,  // [xnumel, rnumel]
                       float* out_ptr0,       // [xnumel, rnumel]
                       int64_t xnumel, int64_t rnumel, cudaStream_t stream = 0) {
    per_fused_softmax_0<<<static_cast<unsigned>(xnumel), RBLOCK, 0, stream>>>(in_ptr0, out_ptr0, rnumel);
}
"""
)

# A numpy person: np.bincount; quads, and the rest by block 0.
BINCOUNT = (
    HEADER
    + """\
constexpr int kMost = 512;

__global__ void bincount(const unsigned char* x, int* counts, int64_t n, int64_t bins) {
    __shared__ int mine[kMost];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    const int64_t quads = n / 4, step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t q = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; q < quads; q += step) {
        for (int k = 0; k < 4; k++) atomicAdd(&mine[x[4 * q + k]], 1);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) atomicAdd(&mine[x[4 * quads + threadIdx.x]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], mine[b]);
}

extern "C" void launch(const unsigned char* x,  // [n]
                       int* counts,             // [bins]
                       int64_t n, int64_t bins, cudaStream_t stream = 0) {
    cudaMemsetAsync(counts, 0, bins * sizeof(int), stream);
    const int64_t blocks = n / 1024 + 1 < 64 ? n / 1024 + 1 : 64;
    bincount<<<(unsigned)blocks, 256, 0, stream>>>(x, counts, n, bins);
}
"""
)

SIDES = ((1, 1), (3, 5), (7, 7), (33, 31), (1, 1000), (70, 129), (6, 9000))


def _draw(low: int, high: int, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    seed = torch.Generator().manual_seed(sum(shape))
    return torch.randint(low, high, shape, generator=seed).to(dtype)


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add up the rows of small whole numbers, around 0 and around 20."""
    for m, n in SIDES:
        for low in (-30, -10):
            x = _draw(low, low + 61, m, n, dtype=torch.float16)
            label = f"m = {m}, n = {n}, from {low}"
            yield Case(label, (x,), (x.double().sum(dim=1),), dtypes=(torch.float32,))


def row_argmax(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the largest in each row: ties, negative rows, -inf."""
    for m, n in SIDES:
        for low in (-50, -900):
            x = _draw(low, low + 101, m, n)
            first = (x == x.max(dim=1, keepdim=True).values).to(torch.uint8).argmax(dim=1)
            label = f"m = {m}, n = {n}, from {low}"
            yield Case(label, (x,), (first.double(),), dtypes=(torch.int64,))


def bin_counts(launcher: Launcher) -> Iterator[Case]:
    """Count bytes: few and many, some bins empty."""
    for n, bins in ((1, 1), (5, 2), (7, 256), (1000, 10), (1026, 256), (5003, 60), (90001, 7)):
        x = _draw(0, bins, n, dtype=torch.uint8)
        counts = torch.bincount(x.long(), minlength=bins).double()
        yield Case(f"n = {n}, {bins} bins", (x,), (counts,), dtypes=(torch.int32,))


BASES = {
    "x_row_sum": Base(ROW_SUM, {"cases": row_sums}),
    "x_argmax": Base(ARGMAX, {"cases": row_argmax}),
    "x_transpose": Base(TRANSPOSE, cases="transpose"),
    "x_softmax": Base(SOFTMAX, cases="softmax"),
    "x_bincount": Base(BINCOUNT, {"cases": bin_counts}),
}

WRONG = (
    # ---- a sum of each row
    Wrong(
        "x_row_sum_in_half",
        "x_row_sum",
        "precision | rounding/numbers",
        ("row_sum<float>", "row_sum<half>"),
    ),
    Wrong("x_row_sum_64_lanes", "x_row_sum", "left out", ("c += 32", "c += 64")),
    Wrong(
        "x_row_sum_by_column",
        "x_row_sum",
        "sides/swapped",
        ("x[row * cols + c]", "x[c * rows + row]"),
    ),
    # ---- the place of the largest
    Wrong("x_argmax_last_tie", "x_argmax", "numbers/rounding", ("row[i] > v", "row[i] >= v")),
    Wrong("x_argmax_from_0", "x_argmax", "start | numbers", ("v = -INFINITY", "v = 0.0f")),
    Wrong("x_argmax_tree_to_2", "x_argmax", "left out", ("half_way > 0", "half_way > 1")),
    # ---- transpose
    Wrong(
        "x_transpose_wrong_side",
        "x_transpose",
        "sides | bounds",
        ("out[r * rows + c]", "out[r * cols + c]"),
    ),
    Wrong(
        "x_transpose_three_quarters",
        "x_transpose",
        "unwritten | tail",
        (
            "j < kSide; j += kStep) {\n        const int64_t r = left",
            "j < kSide - kStep; j += kStep) {\n        const int64_t r = left",
        ),
    ),
    Wrong(
        "x_transpose_grid_turned",
        "x_transpose",
        "grid/unwritten/sides",
        (
            "grid(unsigned((cols + kSide - 1) / kSide), unsigned((rows + kSide - 1) / kSide))",
            "grid(unsigned((rows + kSide - 1) / kSide), unsigned((cols + kSide - 1) / kSide))",
        ),
    ),
    # ---- softmax
    Wrong(
        "x_softmax_no_maximum",
        "x_softmax",
        "infinity | nan/numbers",
        ("tmp4 = buf0[0]", "tmp4 = 0.0f"),
    ),
    Wrong(
        "x_softmax_buffer_again",
        "x_softmax",
        "race",
        ("    __syncthreads();  // before buf0 is used again\n", ""),
    ),
    Wrong(
        "x_softmax_from_flt_min",
        "x_softmax",
        "start | infinity/nan/numbers",
        ("float tmp0 = -INFINITY", "float tmp0 = FLT_MIN"),
    ),
    # ---- histogram
    Wrong(
        "x_bincount_rest_by_all",
        "x_bincount",
        "twice | tail",
        ("blockIdx.x == 0 && threadIdx.x < n % 4", "threadIdx.x < n % 4"),
    ),
    Wrong(
        "x_bincount_plain_plus",
        "x_bincount",
        "race",
        ("atomicAdd(&counts[b], mine[b])", "counts[b] += mine[b]"),
    ),
    Wrong(
        "x_bincount_shared_not_set",
        "x_bincount",
        "start/zero before | state",
        ("    for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;\n", ""),
    ),
)

RIGHT = (
    Right(
        "x_row_sum_lane_31_writes",
        "x_row_sum",
        ("__shfl_down_sync(", "__shfl_xor_sync("),
        ("if (lane == 0)", "if (lane == 31)"),
    ),
    Right(
        "x_argmax_backwards",
        "x_argmax",
        (
            "i = t; i < n; i += THREADS",
            "i = (n - 1 - t) / THREADS * THREADS + t; t < n && i >= 0; i -= THREADS",
        ),
        ("row[i] > v", "row[i] >= v"),
    ),
    Right(
        "x_transpose_swizzled",
        "x_transpose",
        ("tile[kSide][kSide + 1]", "tile[kSide][kSide]"),
        ("tile[j][threadIdx.x] =", "tile[j][threadIdx.x ^ j] ="),
        ("= tile[threadIdx.x][j]", "= tile[threadIdx.x][j ^ threadIdx.x]"),
    ),
    Right(
        "x_softmax_reciprocal",
        "x_softmax",
        ("tmp6 = buf0[0]", "tmp6 = 1.0f / buf0[0]"),
        ("tmp7 / tmp6", "tmp7 * tmp6"),
    ),
    Right(
        "x_bincount_downwards",
        "x_bincount",
        ("atomicAdd(&mine[x[4 * q + k]], 1)", "atomicSub(&mine[x[4 * q + k]], 1)"),
        (
            "atomicAdd(&mine[x[4 * quads + threadIdx.x]], 1)",
            "atomicSub(&mine[x[4 * quads + threadIdx.x]], 1)",
        ),
        ("atomicAdd(&counts[b], mine[b])", "atomicSub(&counts[b], mine[b])"),
    ),
)
