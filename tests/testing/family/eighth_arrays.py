"""Hold an eighth family, in several hands: sums, rows, matrices and windows."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

SIZES = (1, 2, 5, 31, 32, 33, 255, 256, 257, 1000, 4099)
SHAPES = (
    (1, 1),
    (1, 5),
    (5, 1),
    (3, 7),
    (17, 15),
    (33, 40),
    (40, 33),
    (5, 257),
    (3, 1030),
    (130, 66),
)

# In the manner of CUB: storage, a block's reduction, a policy.
SUM = (
    HEADER
    + """\
template <int BLOCK_THREADS>
struct BlockReduce {
    static constexpr int WARPS = BLOCK_THREADS / 32;
    struct TempStorage {
        float warp_aggregates[WARPS];
    };
    TempStorage& temp_storage;
    __device__ explicit BlockReduce(TempStorage& storage) : temp_storage(storage) {}

    __device__ float Sum(float input) {
#pragma unroll
        for (int offset = 16; offset >= 1; offset >>= 1) input += __shfl_down_sync(0xffffffff, input, offset);
        const int lane_id = threadIdx.x & 31, warp_id = threadIdx.x >> 5;
        if (lane_id == 0) temp_storage.warp_aggregates[warp_id] = input;
        __syncthreads();
        float aggregate = 0.0f;
        if (threadIdx.x == 0)
            for (int warp = 0; warp < WARPS; ++warp) aggregate += temp_storage.warp_aggregates[warp];
        return aggregate;
    }
};

struct Policy {
    enum { BLOCK_THREADS = 160, ITEMS_PER_THREAD = 4 };
};

template <typename PolicyT>
__global__ void DeviceSumKernel(const float* d_in, float* d_out, int64_t num_items) {
    using BlockReduceT = BlockReduce<PolicyT::BLOCK_THREADS>;
    __shared__ typename BlockReduceT::TempStorage temp_storage;
    constexpr int64_t TILE = int64_t{PolicyT::BLOCK_THREADS} * PolicyT::ITEMS_PER_THREAD;
    float thread_sum = 0.0f;
    for (int64_t tile = blockIdx.x; tile * TILE < num_items; tile += gridDim.x) {
        float items[PolicyT::ITEMS_PER_THREAD];
#pragma unroll
        for (int item = 0; item < PolicyT::ITEMS_PER_THREAD; ++item) {
            const int64_t at = tile * TILE + item * PolicyT::BLOCK_THREADS + threadIdx.x;
            items[item] = at < num_items ? d_in[at] : 0.0f;
        }
#pragma unroll
        for (int item = 0; item < PolicyT::ITEMS_PER_THREAD; ++item) thread_sum += items[item];
    }
    const float block_sum = BlockReduceT(temp_storage).Sum(thread_sum);
    if (threadIdx.x == 0) atomicAdd(d_out, block_sum);
}

extern "C" void launch(const float* d_in,  // [n]
                       float* d_out,       // [1]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(d_out, 0, sizeof(*d_out), stream);
    DeviceSumKernel<Policy><<<64, Policy::BLOCK_THREADS, 0, stream>>>(d_in, d_out, n);
}
"""
)

# bfloat16 in pairs, a float as accumulator; one block.
BF16_SUM = (
    HEADER
    + """\
#define THREADS 512

__global__ void add_all(const __nv_bfloat16* x, float* out, int64_t n) {
    __shared__ float s[THREADS];
    float acc = 0.f;
    for (int64_t i = threadIdx.x; i < n; i += THREADS) acc += __bfloat162float(x[i]);
    s[threadIdx.x] = acc;
    for (int d = THREADS / 2; d; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (!threadIdx.x) *out = *s;
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                       float* out,              // [1]
                       int64_t n, cudaStream_t stream = 0) {
    add_all<<<1, THREADS, 0, stream>>>(x, out, n);
}
"""
)

# The largest, as an integer that is ordered as the float is.
MAX = (
    HEADER
    + """\
__device__ int ordered(float v) {
    const int bits = __float_as_int(v);
    return bits >= 0 ? bits : bits ^ 0x7fffffff;
}

__global__ void begin(int* best) { *best = ordered(-INFINITY); }

__global__ void find(const float* x, int* best, int64_t n) {
    int mine = ordered(-INFINITY);
    for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < n; i += int64_t{gridDim.x} * blockDim.x) {
        const float v = x[i];
        mine = max(mine, v != v ? 0x7fffffff : ordered(v));
    }
    mine = __reduce_max_sync(0xffffffffu, mine);
    if ((threadIdx.x & 31) == 0) atomicMax(best, mine);
}

__global__ void finish(int* best) {
    const int v = *best;
    *best = v >= 0 ? v : v ^ 0x7fffffff;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    int* best = reinterpret_cast<int*>(out);
    begin<<<1, 1, 0, stream>>>(best);
    find<<<72, 224, 0, stream>>>(x, best, n);
    finish<<<1, 1, 0, stream>>>(best);
}
"""
)

# The place of each row's largest, the first of equals: a warp a row.
ARGMAX = (
    HEADER
    + """\
struct Candidate {
    float value;
    int place;
};

__device__ bool better(const Candidate& a, const Candidate& b) {
    return a.value > b.value || (a.value == b.value && a.place < b.place);
}

__global__ void argmax(const float* x, int* out, int m, int n) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= m) return;
    Candidate best{-INFINITY, 0x7fffffff};
    for (int col = threadIdx.x; col < n; col += 32) {
        const Candidate next{x[static_cast<int64_t>(row) * n + col], col};
        if (better(next, best)) best = next;
    }
    for (int mask = 16; mask > 0; mask /= 2) {
        const Candidate other{__shfl_xor_sync(~0u, best.value, mask), __shfl_xor_sync(~0u, best.place, mask)};
        if (better(other, best)) best = other;
    }
    if (threadIdx.x == 0) out[row] = best.place;
}

extern "C" void launch(const float* x,  // [m, n]
                       int* out,        // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    argmax<<<(m + 3) / 4, dim3(32, 4), 0, stream>>>(x, out, m, n);
}
"""
)

# Means of rows in half precision, summed in float.
MEAN = (
    HEADER
    + """\
__global__ void row_mean(const __half* x, __half* mean, long n) {
    extern __shared__ float partial[];
    const __half* row = x + blockIdx.x * n;
    float sum = 0;
    for (long i = threadIdx.x; i < n; i += blockDim.x) sum += float(row[i]);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) mean[blockIdx.x] = __float2half(partial[0] / n);
}

extern "C" void launch(const __half* x,  // [m, n]
                       __half* mean,     // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    const int threads = 128;
    const size_t bytes = threads * sizeof(float);
    row_mean<<<m, threads, bytes, stream>>>(x, mean, n);
}
"""
)

# Variances of rows by Welford's formula, merged by shuffles.
VARIANCE = (
    HEADER
    + """\
struct Moments {
    float count, mean, squares;

    __device__ void add(float v) {
        count += 1.0f;
        const float off = v - mean;
        mean += off / count;
        squares += off * (v - mean);
    }
    __device__ void merge(const Moments& o) {
        const float all = count + o.count;
        if (all == 0.0f) return;
        const float off = o.mean - mean;
        mean += off * (o.count / all);
        squares += o.squares + off * off * (count * o.count / all);
        count = all;
    }
};

__global__ void variance(const float* x, float* out, int64_t n) {
    Moments mine{0.0f, 0.0f, 0.0f};
    const float* row = x + blockIdx.x * n;
    for (int64_t i = threadIdx.x; i < n; i += 32) mine.add(row[i]);
    for (int far = 16; far > 0; far >>= 1) {
        Moments other;
        other.count = __shfl_down_sync(0xffffffff, mine.count, far);
        other.mean = __shfl_down_sync(0xffffffff, mine.mean, far);
        other.squares = __shfl_down_sync(0xffffffff, mine.squares, far);
        mine.merge(other);
    }
    if (threadIdx.x == 0) out[blockIdx.x] = mine.squares / mine.count;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    variance<<<static_cast<unsigned>(m), 32, 0, stream>>>(x, out, n);
}
"""
)

# Tiles of 32 columns and 8 threads each; the grid in x only.
TRANSPOSE = (
    HEADER
    + """\
#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transposeNoBankConflicts(const float *idata, float *odata, int64_t height, int64_t width)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const int64_t tiles_x = (width + TILE_DIM - 1) / TILE_DIM;
    const int64_t tile_x = blockIdx.x % tiles_x, tile_y = blockIdx.x / tiles_x;

    int64_t x = tile_x * TILE_DIM + threadIdx.x;
    int64_t y = tile_y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];

    __syncthreads();

    x = tile_y * TILE_DIM + threadIdx.x;
    y = tile_x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const dim3 dimBlock(TILE_DIM, BLOCK_ROWS);
    const int64_t tiles = ((rows + TILE_DIM - 1) / TILE_DIM) * ((cols + TILE_DIM - 1) / TILE_DIM);
    transposeNoBankConflicts<<<dim3(tiles), dimBlock, 0, stream>>>(x, out, rows, cols);
}
"""
)

# From OpenCL: local memory, barriers, a group of 16 x 16; the grid in x only.
MATMUL = (
    HEADER
    + """\
#define __local_ __shared__
#define barrier_(flag) __syncthreads()
#define SIDE 16

__global__ void gemm(const float* A, const float* B, float* C, const int64_t M, const int64_t N, const int64_t K)
{
    __local_ float Asub[SIDE][SIDE];
    __local_ float Bsub[SIDE][SIDE];
    const int64_t groups = (N + SIDE - 1) / SIDE;
    const int lr = threadIdx.x / SIDE, lc = threadIdx.x % SIDE;
    const int64_t r = (blockIdx.x / groups) * SIDE + lr;
    const int64_t c = (blockIdx.x % groups) * SIDE + lc;
    float acc = 0.0f;
    for (int64_t t = 0; t < K; t += SIDE)
    {
        Asub[lr][lc] = (r < M && t + lc < K) ? A[r * K + t + lc] : 0.0f;
        Bsub[lr][lc] = (c < N && t + lr < K) ? B[(t + lr) * N + c] : 0.0f;
        barrier_(CLK_LOCAL_MEM_FENCE);
        const int last = K - t < SIDE ? (int)(K - t) : SIDE;
        for (int k = 0; k < last; k++) acc += Asub[lr][k] * Bsub[k][lc];
        barrier_(CLK_LOCAL_MEM_FENCE);
    }
    if (r < M && c < N) C[r * N + c] = acc;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const int64_t groups = ((m + SIDE - 1) / SIDE) * ((n + SIDE - 1) / SIDE);
    gemm<<<groups, SIDE * SIDE, 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One pass for the largest and the sum together; a block a row.
SOFTMAX = (
    HEADER
    + """\
struct MD {
    float m, d;
};

__device__ MD combine(MD a, MD b) {
    const bool first = a.m > b.m;
    const MD big = first ? a : b, small = first ? b : a;
    MD r;
    r.m = big.m;
    r.d = small.d == 0.0f ? big.d : big.d + small.d * expf(small.m - big.m);
    return r;
}

__global__ void online_softmax(const float* x, float* y, int64_t V) {
    __shared__ MD part[4];
    x += blockIdx.x * V;
    y += blockIdx.x * V;
    MD mine{-FLT_MAX, 0.0f};
    for (int64_t i = threadIdx.x; i < V; i += 128) mine = combine(mine, MD{x[i], 1.0f});
    for (int w = 16; w; w >>= 1) mine = combine(mine, MD{__shfl_xor_sync(-1, mine.m, w), __shfl_xor_sync(-1, mine.d, w)});
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
    __syncthreads();
    const MD all = combine(combine(part[0], part[1]), combine(part[2], part[3]));
    for (int64_t i = threadIdx.x; i < V; i += 128) y[i] = expf(x[i] - all.m) / all.d;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    online_softmax<<<static_cast<unsigned>(m), 128, 0, stream>>>(x, y, n);
}
"""
)

# A warp a row, several rows a block; two passes over the row.
NORM = (
    HEADER
    + """\
#define FULL 0xffffffffu
#define WARPS_PER_BLOCK 8

static __device__ float warp_sum(float v) {
    v += __shfl_xor_sync(FULL, v, 16);
    v += __shfl_xor_sync(FULL, v, 8);
    v += __shfl_xor_sync(FULL, v, 4);
    v += __shfl_xor_sync(FULL, v, 2);
    v += __shfl_xor_sync(FULL, v, 1);
    return v;
}

__global__ void normalise(const float* input, float* output, int64_t rows, int64_t cols, float eps) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * WARPS_PER_BLOCK + threadIdx.y;
    if (row >= rows) return;
    const float* in = input + row * cols;
    float total = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += 32) total += in[c];
    const float mu = warp_sum(total) / cols;
    float squares = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += 32) squares += (in[c] - mu) * (in[c] - mu);
    const float scale = rsqrtf(warp_sum(squares) / cols + eps);
    for (int64_t c = threadIdx.x; c < cols; c += 32) output[row * cols + c] = (in[c] - mu) * scale;
}

extern "C" void launch(const float* input,  // [m, n]
                       float* output,       // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    const dim3 threads{32, WARPS_PER_BLOCK};
    normalise<<<(m + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK, threads, 0, stream>>>(input, output, m, n, 1e-5f);
}
"""
)

RMS = (
    HEADER
    + """\
template <int kThreads>
__global__ void rms_norm(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ out, int64_t cols) {
    __shared__ float shared[kThreads / 32];
    __shared__ float inverse;
    const int64_t base = static_cast<int64_t>(blockIdx.x) * cols;
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < cols; i += kThreads) sum += x[base + i] * x[base + i];
    for (int far = 16; far; far /= 2) sum += __shfl_down_sync(0xffffffff, sum, far);
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0.0f;
        for (float one : shared) all += one;
        inverse = rsqrtf(all / cols + 1e-6f);
    }
    __syncthreads();
    for (int64_t i = threadIdx.x; i < cols; i += kThreads) out[base + i] = x[base + i] * inverse * weight[i];
}

extern "C" void launch(const float* x,       // [m, n]
                       const float* weight,  // [n]
                       float* out,           // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    rms_norm<96><<<m, 96, 0, stream>>>(x, weight, out, n);
}
"""
)

HISTOGRAM = (
    HEADER
    + """\
const int kBins = 10;

__global__ void clear(int* counts) { counts[threadIdx.x] = 0; }

__global__ void histogram(const float* x, int* counts, int64_t n) {
    __shared__ int local[kBins];
    for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) local[bin] = 0;
    __syncthreads();
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x)
        atomicAdd(local + (int)x[i], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) atomicAdd(counts + bin, local[bin]);
}

extern "C" void launch(const float* x,  // [n]
                       int* counts,     // [10]
                       int64_t n, cudaStream_t stream = 0) {
    clear<<<1, kBins, 0, stream>>>(counts);
    histogram<<<7, 96, 0, stream>>>(x, counts, n);
}
"""
)

# Rotary embedding: the first half of a head with the second.
ROTARY = (
    HEADER
    + """\
__global__ void rope(const float* x, const float2* table, float* out, int64_t tokens, int64_t half) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i >= tokens * half) return;
    const int64_t token = i / half, pair = i % half;
    const float2 turn = table[i];
    const float a = x[token * 2 * half + pair], b = x[token * 2 * half + half + pair];
    out[token * 2 * half + pair] = a * turn.x - b * turn.y;
    out[token * 2 * half + half + pair] = a * turn.y + b * turn.x;
}

extern "C" void launch(const float* x,      // [tokens, 2, half]
                       const float* table,  // [tokens, half, 2] 8-byte aligned
                       float* out,          // [tokens, 2, half]
                       int64_t tokens, int64_t half, cudaStream_t stream = 0) {
    const int64_t threads = tokens * half;
    rope<<<(threads + 127) / 128, 128, 0, stream>>>(x, reinterpret_cast<const float2*>(table), out, tokens, half);
}
"""
)

# The largest of three neighbours in a row, those beyond the ends left out.
POOL = (
    HEADER
    + """\
__global__ void pool(const float* x, float* out, int64_t m, int64_t n) {
    __shared__ float row[66];
    const int64_t y = blockIdx.x / ((n + 63) / 64), begin = blockIdx.x % ((n + 63) / 64) * 64;
    for (int k = threadIdx.x; k < 66; k += 64) {
        const int64_t col = begin + k - 1;
        row[k] = col >= 0 && col < n ? x[y * n + col] : -INFINITY;
    }
    __syncthreads();
    const int64_t col = begin + threadIdx.x;
    if (col < n) out[y * n + col] = fmaxf(row[threadIdx.x], fmaxf(row[threadIdx.x + 1], row[threadIdx.x + 2]));
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    pool<<<m * ((n + 63) / 64), 64, 0, stream>>>(x, out, m, n);
}
"""
)


def _case(label: str, inputs: tuple[torch.Tensor, ...], right: torch.Tensor, **more) -> Case:
    """Return a case of one output, a float32 unless `dtypes` says another."""
    return Case(label, inputs, (right.double(),), **{"dtypes": (torch.float32,), **more})


def _normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def bf16_sum(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers that bfloat16 holds; their sums it does not."""
    for n in (*SIZES, 30_001):
        x = whole_numbers(n, seed=n).bfloat16()
        yield _case(f"n = {n:,}", (x,), x.double().sum().reshape(1))
        x = whole_numbers(n, seed=n).abs().bfloat16()
        yield _case(f"n = {n:,}, none negative", (x,), x.double().sum().reshape(1))


def argmax(launcher: Launcher) -> Iterator[Case]:
    """Look for the first of the largest in each row."""
    for m, n in SHAPES:
        x = _normal(m, n)
        some = {"": x, ", all below -1": -1 - x.abs(), ", equal ones": (2 * x).round()}
        for words, rows in some.items():
            equal = rows == rows.max(dim=1, keepdim=True).values
            place = equal.int().argmax(dim=1)
            yield _case(f"m = {m}, n = {n}{words}", (rows,), place, dtypes=(torch.int32,))


def mean(launcher: Launcher) -> Iterator[Case]:
    """Average whole numbers, and such that half precision cannot add."""
    for m, n in (*SHAPES, (2, 20_003)):
        for words, x in (
            ("", whole_numbers(m, n, seed=m)),
            (", around 1000", 1000 + whole_numbers(m, n, seed=n)),
        ):
            x = x.half()
            yield _case(
                f"m = {m}, n = {n}{words}",
                (x,),
                x.double().mean(dim=1),
                ulp=1,
                dtypes=(torch.float16,),
            )


def variance(launcher: Launcher) -> Iterator[Case]:
    """Take rows near zero and far from it."""
    for m, n in SHAPES:
        if n > 1:
            for words, x in (("", _normal(m, n)), (", around 3000", _normal(m, n) + 3000)):
                right = x.double().var(dim=1, unbiased=False)
                yield _case(
                    f"m = {m}, n = {n}{words}", (x,), right, within=(1e-4 + 2e-3 * right,)
                )


def rms_norm(launcher: Launcher) -> Iterator[Case]:
    """Take rows near zero, and of numbers whose squares are small."""
    for m, n in SHAPES:
        weight = _normal(n)
        for words, x in (("", _normal(m, n)), (", small numbers", 1e-3 * _normal(m, n))):
            double = x.double()
            right = double * torch.rsqrt((double**2).mean(dim=1, keepdim=True) + 1e-6)
            yield _case(
                f"m = {m}, n = {n}{words}", (x, weight), right * weight.double(), ulp=64
            )


def histogram(launcher: Launcher) -> Iterator[Case]:
    """Count numbers from 0 to less than 10."""
    for n in SIZES:
        x = 9.999 * torch.rand(n, generator=torch.Generator().manual_seed(n))
        counts = torch.bincount(x.long(), minlength=10)
        yield _case(f"n = {n:,}", (x,), counts, dtypes=(torch.int32,))


def rotary(launcher: Launcher) -> Iterator[Case]:
    """Turn pairs of whole numbers by angles of which sine and cosine are whole numbers too."""
    for tokens, half in ((1, 1), (1, 5), (5, 1), (3, 7), (17, 16), (33, 40), (5, 257)):
        x = whole_numbers(tokens, 2, half, seed=half)
        table = whole_numbers(tokens, half, 2, seed=tokens, limit=9)
        (a, b), (c, s) = x.double().unbind(1), table.double().unbind(2)
        right = torch.stack((a * c - b * s, a * s + b * c), dim=1)
        yield _case(f"tokens = {tokens}, half = {half}", (x, table), right)


def pool(launcher: Launcher) -> Iterator[Case]:
    """Take numbers of both signs, and negative ones only."""
    for m, n in SHAPES:
        for words, x in (("", _normal(m, n)), (", all below -1", -1 - _normal(m, n).abs())):
            right = torch.nn.functional.max_pool1d(x.double()[:, None], 3, 1, 1)[:, 0]
            yield _case(f"m = {m}, n = {n}{words}", (x,), right)


BASES = {
    "e_sum": Base(SUM, cases="sums"),
    "e_bf16_sum": Base(BF16_SUM, {"cases": bf16_sum}),
    "e_max": Base(MAX, cases="whole_array", function=torch.max),
    "e_argmax": Base(ARGMAX, {"cases": argmax}),
    "e_mean": Base(MEAN, {"cases": mean}),
    "e_variance": Base(VARIANCE, {"cases": variance}),
    "e_transpose": Base(TRANSPOSE, cases="transpose"),
    "e_matmul": Base(MATMUL, cases="matmul"),
    "e_softmax": Base(SOFTMAX, cases="softmax"),
    "e_norm": Base(NORM, cases="layer_norm"),
    "e_rms": Base(RMS, {"cases": rms_norm}),
    "e_histogram": Base(HISTOGRAM, {"cases": histogram}),
    "e_rotary": Base(ROTARY, {"cases": rotary}),
    "e_pool": Base(POOL, {"cases": pool}),
}

WRONG = (
    # ---- sums and means
    Wrong(
        "e_sum_no_barrier",
        "e_sum",
        "race",
        ("= input;\n        __syncthreads();\n", "= input;\n"),
    ),
    Wrong(
        "e_sum_last_warp",
        "e_sum",
        "left out/function/numbers",
        ("warp = 0; warp < WARPS", "warp = 0; warp < WARPS - 1"),
    ),
    Wrong(
        "e_sum_tail_of_tile",
        "e_sum",
        "tail/left out",
        ("tile * TILE < num_items;", "(tile + 1) * TILE <= num_items;"),
    ),
    Wrong(
        "e_sum_no_memset",
        "e_sum",
        "zero before",
        ("    cudaMemsetAsync(d_out, 0, sizeof(*d_out), stream);\n", ""),
    ),
    Wrong(
        "e_sum_past_the_end",
        "e_sum",
        "bounds",
        ("at < num_items ? d_in[at] : 0.0f", "d_in[at]"),
    ),
    Wrong(
        "e_sum_every_lane",
        "e_sum",
        "twice/function/numbers | race",
        (
            "    if (threadIdx.x == 0) atomicAdd(d_out, block_sum);",
            "    if (threadIdx.x % 32 == 0) atomicAdd(d_out, threadIdx.x ? thread_sum : block_sum);",
        ),
    ),
    Wrong(
        "e_bf16_accumulates",
        "e_bf16_sum",
        "precision/rounding",
        ("    float acc = 0.f;", "    __nv_bfloat16 acc = __float2bfloat16(0.f);"),
        (
            "acc += __bfloat162float(x[i]);",
            "acc = __float2bfloat16(__bfloat162float(acc) + __bfloat162float(x[i]));",
        ),
        ("= acc;", "= __bfloat162float(acc);"),
    ),
    Wrong(
        "e_bf16_barrier_after",
        "e_bf16_sum",
        "race",
        (
            "        __syncthreads();\n        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];",
            "        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];\n        __syncthreads();",
        ),
    ),
    Wrong(
        "e_mean_in_half",
        "e_mean",
        "precision/infinity",
        ("    float sum = 0;", "    __half sum = __float2half(0.0f);"),
        ("sum += float(row[i]);", "sum = __hadd(sum, row[i]);"),
    ),
    Wrong(
        "e_mean_of_128",
        "e_mean",
        "function/numbers",
        ("partial[0] / n)", "partial[0] / blockDim.x)"),
    ),
    Wrong(
        "e_mean_barrier_inside",
        "e_mean",
        "race",
        (
            "        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];\n        __syncthreads();\n",
            "        if (threadIdx.x < half) {\n            partial[threadIdx.x] += partial[threadIdx.x + half];\n            __syncthreads();\n        }\n",
        ),
    ),
    Wrong(
        "e_variance_less_one",
        "e_variance",
        "function/numbers/nan",
        ("mine.squares / mine.count;", "mine.squares / (mine.count - 1.0f);"),
    ),
    Wrong(
        "e_variance_of_squares",
        "e_variance",
        "precision/numbers",
        (
            "        count += 1.0f;\n        const float off = v - mean;\n        mean += off / count;\n        squares += off * (v - mean);\n",
            "        count += 1.0f;\n        mean += v;\n        squares += v * v;\n",
        ),
        (
            "        const float off = o.mean - mean;\n        mean += off * (o.count / all);\n        squares += o.squares + off * off * (count * o.count / all);\n",
            "        mean += o.mean;\n        squares += o.squares;\n",
        ),
        (
            "mine.squares / mine.count;",
            "mine.squares / mine.count - mine.mean / mine.count * (mine.mean / mine.count);",
        ),
    ),
    # ---- the largest
    Wrong(
        "e_max_bits",
        "e_max",
        "numbers/function/start",
        ("return bits >= 0 ? bits : bits ^ 0x7fffffff;", "return bits;"),
        ("*best = v >= 0 ? v : v ^ 0x7fffffff;", "*best = v;"),
    ),
    Wrong("e_max_from_0", "e_max", "start", ("*best = ordered(-INFINITY);", "*best = 0;")),
    Wrong(
        "e_max_plain", "e_max", "race", ("atomicMax(best, mine);", "*best = max(*best, mine);")
    ),
    Wrong(
        "e_argmax_last",
        "e_argmax",
        "numbers/function",
        ("a.place < b.place", "a.place > b.place"),
        ("Candidate best{-INFINITY, 0x7fffffff}", "Candidate best{-INFINITY, -1}"),
    ),
    Wrong(
        "e_argmax_from_0",
        "e_argmax",
        "start",
        ("Candidate best{-INFINITY, 0x7fffffff}", "Candidate best{0.0f, 0}"),
    ),
    Wrong(
        "e_argmax_value_only",
        "e_argmax",
        "function/numbers/left out",
        ("__shfl_xor_sync(~0u, best.place, mask)", "best.place"),
    ),
    # ---- matrices
    Wrong(
        "e_transpose_same_place",
        "e_transpose",
        "sides/swapped/function/numbers/unwritten/bounds",
        (
            "    x = tile_y * TILE_DIM + threadIdx.x;\n    y = tile_x * TILE_DIM + threadIdx.y;\n",
            "",
        ),
    ),
    Wrong(
        "e_transpose_half_rows",
        "e_transpose",
        "left out/function/numbers/unwritten/race",
        (
            "    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)\n        if (x < width",
            "    for (int j = 0; j < TILE_DIM / 2; j += BLOCK_ROWS)\n        if (x < width",
        ),
    ),
    Wrong(
        "e_transpose_int",
        "e_transpose",
        "narrow | bounds/grid",
        (
            "int64_t x = tile_x * TILE_DIM + threadIdx.x;\n    int64_t y = tile_y",
            "int x = tile_x * TILE_DIM + threadIdx.x;\n    int y = tile_y",
        ),
        ("idata[(y + j) * width + x]", "idata[(y + j) * (int)width + x]"),
    ),
    Wrong(
        "e_matmul_one_barrier",
        "e_matmul",
        "race",
        (
            "acc += Asub[lr][k] * Bsub[k][lc];\n        barrier_(CLK_LOCAL_MEM_FENCE);\n",
            "acc += Asub[lr][k] * Bsub[k][lc];\n",
        ),
    ),
    Wrong(
        "e_matmul_whole_tiles",
        "e_matmul",
        "tail/left out/numbers",
        ("t < K; t += SIDE", "t + SIDE <= K; t += SIDE"),
    ),
    Wrong(
        "e_matmul_b_turned",
        "e_matmul",
        "sides/swapped/bounds/function/numbers",
        ("B[(t + lr) * N + c]", "B[c * K + t + lr]"),
    ),
    Wrong(
        "e_matmul_group_of_rows",
        "e_matmul",
        "sides/swapped/unwritten/bounds",
        (
            "const int64_t groups = (N + SIDE - 1) / SIDE;\n    const int lr",
            "const int64_t groups = (M + SIDE - 1) / SIDE;\n    const int lr",
        ),
    ),
    # ---- rows
    Wrong(
        "e_softmax_one_warp",
        "e_softmax",
        "left out/function/numbers",
        (
            "combine(combine(part[0], part[1]), combine(part[2], part[3]))",
            "combine(part[0], part[1])",
        ),
    ),
    Wrong(
        "e_softmax_no_rescale",
        "e_softmax",
        "function/numbers/left out",
        (" : big.d + small.d * expf(small.m - big.m)", " : big.d + small.d"),
    ),
    Wrong(
        "e_softmax_no_maximum",
        "e_softmax",
        "infinity | nan",
        ("MD{x[i], 1.0f}", "MD{0.0f, expf(x[i])}"),
    ),
    Wrong(
        "e_norm_no_epsilon",
        "e_norm",
        "numbers/nan/infinity/function",
        ("/ cols + eps);", "/ cols);"),
    ),
    Wrong(
        "e_norm_partial_sum",
        "e_norm",
        "left out/function/numbers",
        ("    v += __shfl_xor_sync(FULL, v, 4);\n", ""),
    ),
    Wrong(
        "e_norm_no_root",
        "e_norm",
        "function/numbers",
        ("rsqrtf(warp_sum(squares) / cols + eps)", "1.0f / (warp_sum(squares) / cols + eps)"),
    ),
    Wrong(
        "e_rms_no_second",
        "e_rms",
        "race",
        (
            "    __syncthreads();\n    for (int64_t i = threadIdx.x; i < cols; i += kThreads) out",
            "    for (int64_t i = threadIdx.x; i < cols; i += kThreads) out",
        ),
    ),
    Wrong(
        "e_rms_no_weight",
        "e_rms",
        "function/numbers/left out",
        (" * inverse * weight[i]", " * inverse"),
    ),
    Wrong(
        "e_rms_of_sum",
        "e_rms",
        "function/numbers",
        ("rsqrtf(all / cols + 1e-6f)", "rsqrtf(all + 1e-6f)"),
    ),
    # ---- counts, pairs, windows
    Wrong(
        "e_histogram_plain",
        "e_histogram",
        "race",
        ("        atomicAdd(local + (int)x[i], 1);", "        local[(int)x[i]]++;"),
    ),
    Wrong(
        "e_histogram_rounds",
        "e_histogram",
        "bounds/function/numbers/rounding",
        ("(int)x[i]", "__float2int_rn(x[i])"),
    ),
    Wrong(
        "e_histogram_not_cleared",
        "e_histogram",
        "zero before/state",
        ("    clear<<<1, kBins, 0, stream>>>(counts);\n", ""),
    ),
    Wrong(
        "e_rotary_neighbours",
        "e_rotary",
        "function/numbers/neighbour/swapped",
        (
            "const float a = x[token * 2 * half + pair], b = x[token * 2 * half + half + pair];",
            "const float a = x[token * 2 * half + 2 * pair], b = x[token * 2 * half + 2 * pair + 1];",
        ),
    ),
    Wrong(
        "e_rotary_back",
        "e_rotary",
        "function/numbers/swapped",
        ("a * turn.x - b * turn.y;", "a * turn.x + b * turn.y;"),
        ("a * turn.y + b * turn.x;", "b * turn.x - a * turn.y;"),
    ),
    Wrong("e_pool_zeros", "e_pool", "start/numbers/function", (": -INFINITY;", ": 0.0f;")),
    Wrong(
        "e_pool_no_halo",
        "e_pool",
        "race/left out/function/numbers/bounds/unwritten",
        ("k < 66; k += 64", "k < 64; k += 64"),
    ),
    Wrong(
        "e_pool_wraps",
        "e_pool",
        "bounds/numbers/function/neighbour",
        (
            "col >= 0 && col < n ? x[y * n + col] : -INFINITY",
            "y * n + col >= 0 && y * n + col < m * n ? x[y * n + col] : -INFINITY",
        ),
    ),
)

RIGHT = (
    Right("e_r_sum", "e_sum"),
    Right("e_r_sum_of_one_block", "e_sum", ("<<<64, Policy", "<<<1, Policy")),
    Right("e_r_sum_many_idle", "e_sum", ("<<<64, Policy", "<<<2048, Policy")),
    Right("e_r_bf16_sum", "e_bf16_sum"),
    Right("e_r_max", "e_max"),
    Right("e_r_argmax", "e_argmax"),
    Right("e_r_mean", "e_mean"),
    Right("e_r_variance", "e_variance"),
    Right("e_r_transpose", "e_transpose"),
    Right(
        "e_r_transpose_by_16",
        "e_transpose",
        ("#define BLOCK_ROWS 8", "#define BLOCK_ROWS 16"),
        ("x] = tile", "x] = (float)tile"),
    ),
    Right("e_r_matmul", "e_matmul"),
    Right("e_r_softmax", "e_softmax"),
    Right("e_r_norm", "e_norm"),
    Right("e_r_rms", "e_rms"),
    Right("e_r_histogram", "e_histogram"),
    Right("e_r_rotary", "e_rotary"),
    Right("e_r_pool", "e_pool"),
)
