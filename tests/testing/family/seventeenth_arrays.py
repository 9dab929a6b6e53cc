"""Hold a seventeenth family, of other operators: rows, matrices, counts and places."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Someone from numpy: x.var(axis=1), the mean first and then the squares, a block for each row.
VARIANCE = (
    HEADER
    + """\
constexpr int THREADS = 128;

__device__ float block_sum(float part, float* buf) {
    const int t = threadIdx.x;
    buf[t] = part;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    const float total = buf[0];
    __syncthreads();  // buf is used again
    return total;
}

__global__ void row_var(const float* x, float* var, int64_t n) {
    __shared__ float buf[THREADS];
    const float* row = x + blockIdx.x * n;
    float sum = 0.0f;
    for (int64_t j = threadIdx.x; j < n; j += THREADS) sum += row[j];
    const float mean = block_sum(sum, buf) / n;
    float squares = 0.0f;
    for (int64_t j = threadIdx.x; j < n; j += THREADS) {
        const float d = row[j] - mean;
        squares += d * d;
    }
    const float total = block_sum(squares, buf);
    if (threadIdx.x == 0) var[blockIdx.x] = total / n;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* var,      // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    row_var<<<m, THREADS, 0, stream>>>(x, var, n);
}
"""
)

# A veteran of cooperative groups: a warp for each row of the matrix.
MATVEC = (
    HEADER
    + """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void matvec(const float* __restrict__ a, const float* __restrict__ v, float* __restrict__ y, int64_t m, int64_t k) {
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= m) return;
    float sum = 0.0f;
    for (int64_t c = warp.thread_rank(); c < k; c += 32) sum = fmaf(a[row * k + c], v[c], sum);
    for (int d = 16; d > 0; d /= 2) sum += warp.shfl_down(sum, d);
    if (warp.thread_rank() == 0) y[row] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* v,  // [k]
                       float* y,        // [m]
                       int64_t m, int64_t k, cudaStream_t stream = 0) {
    constexpr int block = 128, rows = block / 32;
    matvec<<<(m + rows - 1) / rows, block, 0, stream>>>(a, v, y, m, k);
}
"""
)

# Someone who brings CPU loops along: the (first) place of each row's least number.
ARGMIN = (
    HEADER
    + """\
constexpr int T = 64;

__global__ void argmin(const float* x, int64_t* place, int64_t n) {
    __shared__ float least[T];
    __shared__ int64_t where[T];
    const int t = threadIdx.x;
    const float* row = x + blockIdx.x * n;
    float best = INFINITY;
    int64_t at = t;
    for (int64_t j = t; j < n; j += T) {
        if (row[j] < best) {
            best = row[j];
            at = j;
        }
    }
    least[t] = best;
    where[t] = at;
    __syncthreads();
    for (int half = T / 2; half > 0; half /= 2) {
        if (t < half) {
            const float other = least[t + half];
            const int64_t its = where[t + half];
            if (other < least[t] || (other == least[t] && its < where[t])) {
                least[t] = other;
                where[t] = its;
            }
        }
        __syncthreads();
    }
    if (t == 0) place[blockIdx.x] = where[0];
}

extern "C" void launch(const float* x,  // [m, n]
                       int64_t* place,  // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    argmin<<<m, T, 0, stream>>>(x, place, n);
}
"""
)

# A student: each block counts for itself, and adds its counts at the end.
HISTOGRAM = (
    HEADER
    + """\
__global__ void histogram(const uint8_t* x, int* counts, int64_t n) {
    __shared__ int bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(&bins[x[i]], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        if (bins[b] > 0) atomicAdd(&counts[b], bins[b]);
    }
}

extern "C" void launch(const uint8_t* x,  // [n]
                       int* counts,       // [256]
                       int64_t n, cudaStream_t stream = 0) {
    int64_t blocks = (n + 127) / 128;
    if (blocks > 32) blocks = 32;
    cudaMemsetAsync(counts, 0, 256 * sizeof(int), stream);
    histogram<<<blocks, 128, 0, stream>>>(x, counts, n);
}
"""
)

# A veteran: the softmax of attention, where row r sees no column after r; a warp a row.
CAUSAL = (
    HEADER
    + """\
constexpr unsigned FULL = 0xffffffffu;

__global__ void causal_softmax(const float* x, float* out, int64_t m, int64_t n) {
    const int lane = threadIdx.x;
    const int64_t r = blockIdx.x * int64_t(blockDim.y) + threadIdx.y;
    if (r >= m) return;
    const int64_t seen = r + 1 < n ? r + 1 : n;
    const float* from = x + r * n;
    float* to = out + r * n;
    float top = -INFINITY;
    for (int64_t c = lane; c < seen; c += 32) top = fmaxf(top, from[c]);
    for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(FULL, top, d));
    float sum = 0.0f;
    for (int64_t c = lane; c < seen; c += 32) sum += expf(from[c] - top);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(FULL, sum, d);
    for (int64_t c = lane; c < n; c += 32) to[c] = c < seen ? expf(from[c] - top) / sum : 0.0f;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    const dim3 block(32, 4);
    causal_softmax<<<(m + 3) / 4, block, 0, stream>>>(x, out, m, n);
}
"""
)

# Someone who thinks in flat indices: max pooling of each row, windows of 3, two apart.
MAX_POOL = (
    HEADER
    + """\
constexpr int WIDTH = 3;
constexpr int STRIDE = 2;

__global__ void max_pool(const float* x, float* out, int64_t m, int64_t n, int64_t p) {
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i >= m * p) return;
    const int64_t r = i / p;
    const int64_t o = i % p;
    const float* window = x + r * n + o * STRIDE;
    float best = window[0];
    for (int k = 1; k < WIDTH; ++k) best = fmaxf(best, window[k]);
    out[i] = best;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, p]
                       int64_t m, int64_t n, int64_t p, cudaStream_t stream = 0) {
    max_pool<<<(m * p + 255) / 256, 256, 0, stream>>>(x, out, m, n, p);
}
"""
)

# A student of scans: running sums of each row, a tile at a time, with what came before.
CUMSUM = (
    HEADER
    + """\
const int TILE = 256;

__global__ void cumsum(const float* x, float* out, int64_t n) {
    __shared__ float buf[TILE];
    int t = threadIdx.x;
    const float* row = x + blockIdx.x * n;
    float* to = out + blockIdx.x * n;
    float before = 0.0f;
    for (int64_t first = 0; first < n; first += TILE) {
        int64_t j = first + t;
        buf[t] = j < n ? row[j] : 0.0f;
        __syncthreads();
        for (int d = 1; d < TILE; d *= 2) {
            float left = t >= d ? buf[t - d] : 0.0f;
            __syncthreads();  // all have read
            buf[t] += left;
            __syncthreads();  // all have written
        }
        if (j < n) to[j] = before + buf[t];
        before += buf[TILE - 1];
        __syncthreads();  // the next tile overwrites buf
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    cumsum<<<m, TILE, 0, stream>>>(x, out, n);
}
"""
)

# A friend of templates: rows of a table by their numbers, four floats at a time if they fit.
EMBEDDING = (
    HEADER
    + """\
template <bool kWide>
__global__ void embedding(const float* __restrict__ table, const int* __restrict__ ids, float* __restrict__ out, int64_t d) {
    const int64_t token = blockIdx.x;
    const int64_t id = ids[token];
    const float* from = table + id * d;
    float* to = out + token * d;
    if constexpr (kWide) {
        for (int64_t q = threadIdx.x; q < d / 4; q += blockDim.x)
            reinterpret_cast<float4*>(to)[q] = reinterpret_cast<const float4*>(from)[q];
    } else {
        for (int64_t c = threadIdx.x; c < d; c += blockDim.x) to[c] = from[c];
    }
}

static bool by16(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

extern "C" void launch(const float* table,  // [v, d]
                       const int* ids,      // [n]
                       float* out,          // [n, d]
                       int64_t v, int64_t n, int64_t d, cudaStream_t stream = 0) {
    if (d % 4 == 0 && by16(table) && by16(out))
        embedding<true><<<n, 64, 0, stream>>>(table, ids, out, d);
    else
        embedding<false><<<n, 64, 0, stream>>>(table, ids, out, d);
}
"""
)

# Someone from numpy: np.add.at(sums, ids, x).
SCATTER_ADD = (
    HEADER
    + """\
__global__ void add_at(const float* x, const int* ids, float* sums, int64_t n) {
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sums + ids[i], x[i]);
}

extern "C" void launch(const float* x,  // [n]
                       const int* ids,  // [n]
                       float* sums,     // [k]
                       int64_t n, int64_t k, cudaStream_t stream = 0) {
    cudaMemsetAsync(sums, 0, k * sizeof(float), stream);
    add_at<<<(n + 255) / 256, 256, 0, stream>>>(x, ids, sums, n);
}
"""
)

# A student with a book: the product of two stacks of matrices, by tiles in shared memory.
BMM = (
    HEADER
    + """\
constexpr int T = 16;

__global__ void bmm(const float* a, const float* b, float* c, int64_t m, int64_t k, int64_t n) {
    __shared__ float as[T][T];
    __shared__ float bs[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t row = (int64_t)blockIdx.y * T + ty;
    const int64_t col = (int64_t)blockIdx.x * T + tx;
    a += blockIdx.z * m * k;
    b += blockIdx.z * k * n;
    c += blockIdx.z * m * n;
    float sum = 0.0f;
    for (int64_t at = 0; at < k; at += T) {
        as[ty][tx] = row < m && at + tx < k ? a[row * k + at + tx] : 0.0f;
        bs[ty][tx] = at + ty < k && col < n ? b[(at + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < T; ++i) sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" void launch(const float* a,  // [s, m, k]
                       const float* b,  // [s, k, n]
                       float* c,        // [s, m, n]
                       int64_t s, int64_t m, int64_t k, int64_t n, cudaStream_t stream = 0) {
    dim3 block(T, T);
    dim3 grid((n + T - 1) / T, (m + T - 1) / T, s);
    bmm<<<grid, block, 0, stream>>>(a, b, c, m, k, n);
}
"""
)

# An engineer of signals: complex numbers are float2, the real part first.
COMPLEX = (
    HEADER
    + """\
__global__ void cmul(const float2* a, const float2* b, float2* out, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float2 z = a[i];
        const float2 w = b[i];
        const float re = z.x * w.x - z.y * w.y;
        const float im = z.x * w.y + z.y * w.x;
        z.x = re;
        z.y = im;
        out[i] = z;
    }
}

extern "C" void launch(const float* a,  // [n, 2] 8-byte aligned
                       const float* b,  // [n, 2] 8-byte aligned
                       float* out,      // [n, 2] 8-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    int64_t blocks = (n + 127) / 128;
    if (blocks > 16) blocks = 16;
    cmul<<<blocks, 128, 0, stream>>>((const float2*)a, (const float2*)b, (float2*)out, n);
}
"""
)

# A veteran: RMS norm with a weight for each column; warps add, then the first one adds theirs.
RMS_NORM = (
    HEADER
    + """\
constexpr int BLOCK = 256;
constexpr int WARPS = BLOCK / 32;

__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void __launch_bounds__(BLOCK) rms_norm(const float* x, const float* weight, float* out, int64_t n, float eps) {
    __shared__ float parts[WARPS];
    __shared__ float scale;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t r = blockIdx.x;
    float squares = 0.0f;
    for (int64_t j = threadIdx.x; j < n; j += BLOCK) squares += x[r * n + j] * x[r * n + j];
    squares = warp_sum(squares);
    if (lane == 0) parts[warp] = squares;
    __syncthreads();
    if (warp == 0) {
        const float total = warp_sum(lane < WARPS ? parts[lane] : 0.0f);
        if (lane == 0) scale = 1.0f / sqrtf(total / n + eps);
    }
    __syncthreads();
    for (int64_t j = threadIdx.x; j < n; j += BLOCK) out[r * n + j] = x[r * n + j] * scale * weight[j];
}

extern "C" void launch(const float* x,       // [m, n]
                       const float* weight,  // [n]
                       float* out,           // [m, n]
                       int64_t m, int64_t n, float eps = 1e-5f, cudaStream_t stream = 0) {
    rms_norm<<<m, BLOCK, 0, stream>>>(x, weight, out, n, eps);
}
"""
)

# Someone who has read the sample of the last block: how many numbers are positive?
COUNT = (
    HEADER
    + """\
constexpr int MOST = 32;

__device__ int parts[MOST];
__device__ unsigned finished = 0;

__global__ void count_positive(const float* x, int64_t* count, int64_t n) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int mine = 0;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        if (x[i] > 0.0f) ++mine;
    }
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        if (atomicAdd(&finished, 1u) == gridDim.x - 1) {
            __threadfence();
            int64_t total = 0;
            for (int b = 0; b < gridDim.x; ++b) total += *(volatile int*)&parts[b];
            *count = total;
            finished = 0;
        }
    }
}

extern "C" void launch(const float* x,  // [n]
                       int64_t* count,  // [1]
                       int64_t n, cudaStream_t stream = 0) {
    const int64_t blocks = (n + 127) / 128;
    count_positive<<<blocks < MOST ? blocks : MOST, 128, 0, stream>>>(x, count, n);
}
"""
)

SHAPES = ((1, 1), (1, 9), (6, 1), (3, 32), (5, 31), (32, 32), (40, 24), (7, 130), (3, 700))


def _case(label: str, inputs: tuple, right: torch.Tensor, dtype=torch.float32, **more) -> Case:
    """Return a case of one output."""
    return Case(label, inputs, (right.double(),), dtypes=(dtype,), **more)


def _draw(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def variance(launcher: Launcher) -> Iterator[Case]:
    """Take the variance of rows of whole numbers, about 0 and about 4,096."""
    for m, n in SHAPES:
        for about in (0, 4096):
            x = whole_numbers(m, n, seed=m + n) + about
            right = x.double().var(dim=1, correction=0)
            yield _case(f"m = {m}, n = {n}, numbers about {about}", (x,), right, ulp=16)


def matvec(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices of whole numbers by a vector: exact in any order."""
    for m, k in SHAPES:
        a, v = whole_numbers(m, k, seed=m + k), whole_numbers(k, seed=k)
        yield _case(f"m = {m}, k = {k}", (a, v), a.double() @ v.double())


def argmin(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the least numbers of each row: of a few, of many, of large ones."""
    for m, n in SHAPES:
        for what, limit, plus in (
            ("few different numbers", 2, 0),
            ("many", 10_000, 0),
            ("positive", 50, 60),
        ):
            x = whole_numbers(m, n, seed=m + n, limit=limit) + plus
            first = [min(range(n), key=row.__getitem__) for row in x.tolist()]
            label = f"m = {m}, n = {n}, {what}"
            yield _case(label, (x,), torch.tensor(first), torch.int64)


def histogram(launcher: Launcher) -> Iterator[Case]:
    """Count bytes: of all values, of a few, and all the same."""
    for n in (1, 2, 127, 128, 129, 1000, 5003, 20_001):
        for what, low, high in (("all values", 0, 256), ("a few", 250, 256), ("one", 7, 8)):
            x = torch.randint(low, high, (n,), generator=_draw(n)).to(torch.uint8)
            right = torch.bincount(x.long(), minlength=256)
            yield _case(f"n = {n:,}, {what}", (x,), right, torch.int32)


def causal(launcher: Launcher) -> Iterator[Case]:
    """Take the softmax of what each row sees, of small and of large numbers."""
    for m, n in SHAPES:
        for scale in (1 / 8, 16):
            x = whole_numbers(m, n, seed=m + n) * scale
            hidden = torch.ones(m, n, dtype=torch.bool).triu(1)
            right = torch.softmax(x.double().masked_fill(hidden, -torch.inf), dim=1)
            yield _case(f"m = {m}, n = {n}, numbers times {scale}", (x,), right, ulp=24)


def max_pool(launcher: Launcher) -> Iterator[Case]:
    """Pool rows of at least three numbers; some rows are negative throughout."""
    for m, n in ((1, 3), (1, 4), (4, 5), (5, 9), (9, 8), (20, 33), (6, 700), (300, 7)):
        x = whole_numbers(m, n, seed=m + n)
        x[::2] = -x[::2].abs() - 1
        right = x.double().unfold(1, 3, 2).amax(dim=2)
        yield _case(f"m = {m}, n = {n}", (x,), right)


def cumsum(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of whole numbers, of up to four tiles."""
    for m, n in (*SHAPES, (2, 256), (2, 257), (3, 513), (2, 1000)):
        x = whole_numbers(m, n, seed=m + n)
        yield _case(f"m = {m}, n = {n}", (x,), x.double().cumsum(dim=1))


def embedding(launcher: Launcher) -> Iterator[Case]:
    """Take rows of small and of large tables; the last row is among them."""
    for v, n, d in (
        (1, 1, 1),
        (5, 7, 4),
        (9, 3, 6),
        (30, 40, 17),
        (11, 6, 300),
        (8, 9, 302),
        (40_000, 50, 3),
        (40_000, 20, 8),
    ):
        table = torch.arange(v * d, dtype=torch.float32).reshape(v, d)
        ids = torch.randint(v, (n,), generator=_draw(v + n))
        ids[-1] = v - 1
        for offset in (0, 1):
            label = f"v = {v:,}, n = {n}, d = {d}, offset {offset}"
            yield _case(label, (table, ids.int()), table[ids], offset=offset)


def scatter_add(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers at given places; some places get none."""
    for n, k in ((1, 1), (1, 5), (33, 4), (255, 300), (256, 7), (257, 1), (3000, 1000)):
        x = whole_numbers(n, seed=n + k)
        ids = torch.randint(k, (n,), generator=_draw(n + k))
        right = torch.zeros(k, dtype=torch.float64).index_add_(0, ids, x.double())
        yield _case(f"n = {n:,}, k = {k:,}", (x, ids.int()), right)


def bmm(launcher: Launcher) -> Iterator[Case]:
    """Multiply stacks of matrices of whole numbers, of odd sides too: all is exact."""
    for s, m, k, n in (
        (1, 1, 1, 1),
        (1, 16, 16, 16),
        (3, 16, 16, 16),
        (2, 5, 7, 3),
        (2, 40, 16, 17),
        (3, 17, 33, 40),
        (4, 1, 50, 20),
    ):
        a = whole_numbers(s, m, k, seed=m + k)
        b = whole_numbers(s, k, n, seed=k + n + 1)
        yield _case(f"s = {s}, m = {m}, k = {k}, n = {n}", (a, b), a.double() @ b.double())


def complex_product(launcher: Launcher) -> Iterator[Case]:
    """Multiply complex numbers whose parts are whole: exact."""
    for n in (1, 2, 3, 127, 128, 129, 1000, 5003):
        a, b = whole_numbers(n, 2, seed=n), whole_numbers(n, 2, seed=n + 1)
        product = torch.view_as_complex(a.double()) * torch.view_as_complex(b.double())
        yield _case(f"n = {n:,}", (a, b), torch.view_as_real(product))


def rms_norm(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of whole numbers, and of numbers not far from the root of eps."""
    for m, n in SHAPES:
        for scale in (1.0, 2.0**-12):
            x = whole_numbers(m, n, seed=m + n) * scale
            weight = 1 + torch.randint(6, (n,), generator=_draw(n)).float()
            eps = 2.0**-16
            mean = x.double().square().mean(dim=1, keepdim=True)
            right = x.double() / torch.sqrt(mean + eps) * weight.double()
            label = f"m = {m}, n = {n}, numbers times {scale}"
            yield _case(label, (x, weight), right, arguments={"eps": eps}, ulp=12)


def count(launcher: Launcher) -> Iterator[Case]:
    """Count the positive ones of whole numbers, 0 among them."""
    for n in (1, 2, 127, 128, 129, 1000, 4095, 4097, 20_001):
        x = whole_numbers(n, seed=n, limit=3)
        yield _case(f"n = {n:,}", (x,), (x > 0).sum().reshape(1), torch.int64)


BASES = {
    "sv_variance": Base(VARIANCE, {"cases": variance}),
    "sv_matvec": Base(MATVEC, {"cases": matvec}),
    "sv_argmin": Base(ARGMIN, {"cases": argmin}),
    "sv_histogram": Base(HISTOGRAM, {"cases": histogram}),
    "sv_causal": Base(CAUSAL, {"cases": causal}),
    "sv_max_pool": Base(MAX_POOL, {"cases": max_pool}),
    "sv_cumsum": Base(CUMSUM, {"cases": cumsum}),
    "sv_embedding": Base(EMBEDDING, {"cases": embedding}),
    "sv_scatter_add": Base(SCATTER_ADD, {"cases": scatter_add}),
    "sv_bmm": Base(BMM, {"cases": bmm}),
    "sv_complex": Base(COMPLEX, {"cases": complex_product}),
    "sv_rms_norm": Base(RMS_NORM, {"cases": rms_norm}),
    "sv_count": Base(COUNT, {"cases": count}),
}

WRONG = (
    # The mean of the squares less the square of the mean: two large numbers cancel.
    Wrong(
        "sv_variance_of_squares",
        "sv_variance",
        "precision / rounding / numbers",
        ("const float d = row[j] - mean;", "const float d = row[j];"),
        ("var[blockIdx.x] = total / n;", "var[blockIdx.x] = total / n - mean * mean;"),
    ),
    # The second sum may be on its way while a slow thread still wants the first one's total.
    Wrong(
        "sv_variance_buf_again",
        "sv_variance",
        "race",
        ("    __syncthreads();  // buf is used again\n", ""),
    ),
    # The pitch of a row is its number of columns, not that of the rows.
    Wrong(
        "sv_matvec_pitch",
        "sv_matvec",
        "sides / bounds | other element",
        ("a[row * k + c]", "a[row * m + c]"),
    ),
    # Of several least ones, any may be found.
    Wrong(
        "sv_argmin_any_of_equals",
        "sv_argmin",
        "numbers / function / left out | other element",
        (
            "other < least[t] || (other == least[t] && its < where[t])",
            "other < least[t]",
        ),
    ),
    # Nothing in a row of positive numbers is less than 0.
    Wrong(
        "sv_argmin_from_zero",
        "sv_argmin",
        "start / numbers",
        ("best = INFINITY", "best = 0.0f"),
    ),
    # Two threads that meet the same value count one.
    Wrong(
        "sv_histogram_plain_add",
        "sv_histogram",
        "race | left out",
        ("atomicAdd(&bins[x[i]], 1)", "bins[x[i]] += 1"),
    ),
    # A block has 128 threads: half of the bins start with what lay there.
    Wrong(
        "sv_histogram_half_cleared",
        "sv_histogram",
        "start / unwritten / zero before / left out | state / block size / numbers",
        (
            "for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;",
            "if (threadIdx.x < 256) bins[threadIdx.x] = 0;",
        ),
    ),
    # The exponentials are kept where the numbers were.
    Wrong(
        "sv_causal_in_place",
        "sv_causal",
        "input",
        ("causal_softmax(const float* x,", "causal_softmax(float* x,"),
        ("const float* from", "float* from"),
        ("sum += expf(from[c] - top);", "sum += from[c] = expf(from[c] - top);"),
        ("? expf(from[c] - top) / sum", "? from[c] / sum"),
        ("stream>>>(x, out,", "stream>>>(const_cast<float*>(x), out,"),
    ),
    # The maximum is found and not subtracted.
    Wrong(
        "sv_causal_not_shifted",
        "sv_causal",
        "infinity / nan / numbers",
        ("sum += expf(from[c] - top)", "sum += expf(from[c])"),
        ("? expf(from[c] - top) / sum", "? expf(from[c]) / sum"),
    ),
    # Row and place in it are counted the other way round.
    Wrong(
        "sv_max_pool_exchanged",
        "sv_max_pool",
        "sides / other element / swapped",
        ("r = i / p", "r = i % m"),
        ("o = i % p", "o = i / m"),
    ),
    # A neighbour may have added before it is read.
    Wrong(
        "sv_cumsum_read_late",
        "sv_cumsum",
        "race",
        ("            __syncthreads();  // all have read\n", ""),
    ),
    # Only the last tile's sum is carried, not those before it.
    Wrong(
        "sv_cumsum_short_memory",
        "sv_cumsum",
        "left out / start | function / numbers",
        ("before += buf[TILE - 1]", "before = buf[TILE - 1]"),
    ),
    # Rows of six floats do not lie at multiples of 16 bytes, and are not whole float4.
    Wrong(
        "sv_embedding_any_width",
        "sv_embedding",
        "alignment / tail | unwritten",
        ("d % 4 == 0 && by16(table)", "by16(table)"),
    ),
    # Row 32,768 has no number in 16 bits.
    Wrong(
        "sv_embedding_short",
        "sv_embedding",
        "narrow / whole range | bounds / numbers",
        ("const int64_t id = ids[token];", "const short id = ids[token];"),
    ),
    # The last argument is bytes, not floats: a quarter is cleared.
    Wrong(
        "sv_scatter_add_bytes",
        "sv_scatter_add",
        "zero before / start / state | unwritten / left out",
        ("k * sizeof(float)", "k"),
    ),
    # The sums are cleared on another stream than the one on which they are added.
    Wrong(
        "sv_scatter_add_cleared_elsewhere",
        "sv_scatter_add",
        "stream | race",
        ("k * sizeof(float), stream)", "k * sizeof(float))"),
    ),
    # The last tile of a row runs on into the next one.
    Wrong(
        "sv_bmm_whole_tiles",
        "sv_bmm",
        "bounds / tail | other element / sides",
        ("row < m && at + tx < k ?", "row < m ?"),
        ("at + ty < k && col < n ?", "col < n ?"),
    ),
    # The grid is as wide as c is high.
    Wrong(
        "sv_bmm_grid_turned",
        "sv_bmm",
        "sides / grid / unwritten | swapped",
        (
            "grid((n + T - 1) / T, (m + T - 1) / T, s)",
            "grid((m + T - 1) / T, (n + T - 1) / T, s)",
        ),
    ),
    # The imaginary part is made of the new real part.
    Wrong(
        "sv_complex_too_early",
        "sv_complex",
        "function | numbers",
        ("const float re = z.x * w.x - z.y * w.y;", "z.x = z.x * w.x - z.y * w.y;"),
        ("const float im = z.x * w.y + z.y * w.x;", "z.y = z.x * w.y + z.y * w.x;"),
        ("        z.x = re;\n        z.y = im;\n", ""),
    ),
    # A weight is for a column, not for a row.
    Wrong(
        "sv_rms_norm_weight_of_row",
        "sv_rms_norm",
        "sides / bounds / other element | left out",
        ("weight[j]", "weight[r]"),
    ),
    # Four of the eight warps are asked for their sums.
    Wrong(
        "sv_rms_norm_four_warps",
        "sv_rms_norm",
        "left out | function / numbers",
        ("lane < WARPS ? parts[lane]", "lane < 4 ? parts[lane]"),
    ),
    # The ticket is not given back: in a later call no block is the last one.
    Wrong(
        "sv_count_ticket_kept",
        "sv_count",
        "state / unwritten | start",
        ("            finished = 0;\n", ""),
    ),
)

RIGHT = (
    # All sums are double.
    Right(
        "sv_variance_double",
        "sv_variance",
        (
            "__device__ float block_sum(float part, float* buf)",
            "__device__ double block_sum(double part, double* buf)",
        ),
        ("const float total = buf[0];", "const double total = buf[0];"),
        ("__shared__ float buf", "__shared__ double buf"),
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("const float mean", "const double mean"),
        ("float squares = 0.0f;", "double squares = 0.0;"),
        ("const float d =", "const double d ="),
        ("const float total = block_sum", "const double total = block_sum"),
    ),
    # The tree's own thread keeps its number unless the other one wins.
    Right(
        "sv_argmin_unless",
        "sv_argmin",
        (
            "if (other < least[t] || (other == least[t] && its < where[t]))",
            "if (!(least[t] < other || (least[t] == other && where[t] <= its)))",
        ),
    ),
    # No counts of a block's own: all add to the result at once.
    Right(
        "sv_histogram_at_once",
        "sv_histogram",
        ("atomicAdd(&bins[x[i]], 1)", "atomicAdd(&counts[x[i]], 1)"),
    ),
    # What is not seen is -infinity, whose exponential is 0.
    Right(
        "sv_causal_minus_infinity",
        "sv_causal",
        (
            "for (int64_t c = lane; c < seen; c += 32) sum += expf(from[c] - top);",
            "for (int64_t c = lane; c < n; c += 32) sum += expf(c < seen ? from[c] - top : -INFINITY);",
        ),
        (
            "c < seen ? expf(from[c] - top) / sum : 0.0f",
            "expf(c < seen ? from[c] - top : -INFINITY) / sum",
        ),
    ),
    # No scan: each thread adds up what lies before its own element.
    Right(
        "sv_cumsum_by_hand",
        "sv_cumsum",
        (
            "for (int d = 1; d < TILE; d *= 2) {\n            float left = t >= d ? buf[t - d] : 0.0f;",
            "{\n            float left = 0.0f;\n            for (int s = t - 1; s >= 0; --s) left += buf[s];",
        ),
    ),
    # Small tiles, of less than a warp.
    Right("sv_bmm_tiles_of_four", "sv_bmm", ("constexpr int T = 16;", "constexpr int T = 4;")),
    # One block for all.
    Right(
        "sv_count_one_block",
        "sv_count",
        ("constexpr int MOST = 32;", "constexpr int MOST = 1;"),
    ),
)
