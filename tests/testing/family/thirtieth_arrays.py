"""Hold half of a thirtieth family: transposes, products, softmax, norms, sums and maxima.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and all wrong ones but two wrong, or refused by a fault, some
only so:

    xxx_transpose_tiles_no_barrier        of more than one element
    xxx_transpose_tiles_place_kept        from two tiles on
    xxx_transpose_tiles_bounds_of_input   if the sides differ
    xxx_product_naive_by_rows             if rows and columns differ
    xxx_product_naive_integer_sum         of products that are no integers
    xxx_product_naive_blocks_down         unless the elements are whole blocks
    xxx_product_heads_divided             by another scale than 1
    xxx_product_heads_half_sum            of sums that no half has
    xxx_product_heads_keys_by_queries     from 2 heads on, if queries and keys differ in number
    xxx_product_heads_four_only           from 5 heads on
    xxx_product_residual_not_awaited      from 9 inside on
    xxx_product_residual_bias_each_tile   from 9 inside on
    xxx_product_residual_whole_tiles      if the inner side is no whole tiles
    xxx_matvec_warp_to_two                from 2 columns on
    xxx_matvec_warp_first_row             from 2 rows on
    xxx_matvec_warp_few_blocks            from 5 rows on
    xxx_matvec_warp_bound_of_rows         if the sides differ
    xxx_softmax_block_from_zero           of rows far below 0
    xxx_softmax_block_no_level            from 33 columns on
    xxx_softmax_masked_times_temperature  by another temperature than 1
    xxx_softmax_masked_first_mask         from 2 rows on
    xxx_softmax_lse_from_zero             of rows far below 0
    xxx_norm_layer_square_of_mean         of rows far from 0
    xxx_norm_add_rms_three_warps          from 97 columns on
    xxx_norm_add_rms_no_mean              from 2 columns on
    xxx_columns_means_int_sum             of sums past 2^31
    xxx_columns_means_integer_quotient    of means that are no integers
    xxx_columns_means_by_columns          if the sides differ
    xxx_columns_means_of_rows             of more than one row and column
    xxx_columns_means_one_more            if the columns are no whole blocks of 64
    xxx_columns_places_last               of equal numbers
    xxx_columns_places_from_zero          of columns without a number above 0
    xxx_columns_places_nan_lost           of NaN
    xxx_columns_places_one_each           from 65 columns on
    xxx_rows_groups_first_scales          from 2 rows on
    xxx_rows_groups_past_end              if the columns are no whole groups
    xxx_rows_groups_byte_sum              of a group's sums out of a byte's range
    xxx_rows_scan_carry_set               from 129 columns on
    xxx_rows_scan_no_end                  if the columns are no whole parts

Two are wrong by reasoning, where warps run at once:

    xxx_rows_scan_carry_not_awaited       from 65 columns on
    xxx_rows_groups_no_barrier            from 513 columns on
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student's tiles: a padded tile in shared memory, four rows a thread.
TILES = """\
#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transposeTiled(float *odata, const float *idata, int64_t width, int64_t height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int64_t x = (int64_t)blockIdx.x * TILE_DIM + threadIdx.x;
    int64_t y = (int64_t)blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];

    __syncthreads();

    x = (int64_t)blockIdx.y * TILE_DIM + threadIdx.x;  // the block's place is turned, too
    y = (int64_t)blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void launch(float *odata /* [width, height] */, const float *idata /* [height, width] */, int64_t width, int64_t height, cudaStream_t stream = 0)
{
    dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
    transposeTiled<<<grid, dim3(TILE_DIM, BLOCK_ROWS), 0, stream>>>(odata, idata, width, height);
}
"""

# A student's first product: one thread an element, all in one dimension.
NAIVE = """\
__global__ void mm(const float* a, const float* b, float* c, int64_t M, int64_t K, int64_t N) {
  int64_t idx = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;
  if (idx >= M * N) return;
  int64_t i = idx / N;
  int64_t j = idx % N;
  float s = 0;
  for (int64_t k = 0; k < K; k++) {
    s += a[i * K + k] * b[k * N + j];
  }
  c[idx] = s;
}

extern "C" void launch(const float* a /* [M, K] */, const float* b /* [K, N] */, float* c /* [M, N] */, int64_t M, int64_t K, int64_t N, cudaStream_t stream = 0) {
  int threads = 96;
  int64_t blocks = (M * N + threads - 1) / threads;
  mm<<<blocks, threads, 0, stream>>>(a, b, c, M, K, N);
}
"""

# A junior's attention scores: queries times turned keys, halves, a head in the grid's z.
HEADS = """\
__global__ void qk_scores(const __half* __restrict__ q, const __half* __restrict__ k, __half* __restrict__ s, int64_t heads, int64_t nq, int64_t nk, int64_t dim, float scale) {
    const int64_t j = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t i = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (i >= nq || j >= nk) return;
    for (int64_t h = blockIdx.z; h < heads; h += gridDim.z) {
        const __half* qi = q + (h * nq + i) * dim;
        const __half* kj = k + (h * nk + j) * dim;
        float dot = 0.f;
        for (int64_t d = 0; d < dim; ++d) dot = fmaf(__half2float(qi[d]), __half2float(kj[d]), dot);
        s[(h * nq + i) * nk + j] = __float2half(scale * dot);
    }
}

extern "C" void launch(const __half* q /* [heads, nq, dim] */, const __half* k /* [heads, nk, dim] */, __half* s /* [heads, nq, nk] */, float scale, int64_t heads, int64_t nq, int64_t nk, int64_t dim, cudaStream_t stream = 0) {
    const dim3 threads(16, 4);
    const dim3 blocks(unsigned((nk + 15) / 16), unsigned((nq + 3) / 4), unsigned(heads < 4 ? heads : 4));
    qk_scores<<<blocks, threads, 0, stream>>>(q, k, s, heads, nq, nk, dim, scale);
}
"""

# A junior's epilogue: a tiled product, and a bias and a residual behind it.
RESIDUAL = """\
template <int T>
__global__ void gemm_bias_residual(int64_t m, int64_t n, int64_t k, const float* A, const float* B, const float* bias, const float* res, float* D)
{
    __shared__ float As[T][T], Bs[T][T];
    const int64_t row = blockIdx.y * int64_t(T) + threadIdx.y;
    const int64_t col = blockIdx.x * int64_t(T) + threadIdx.x;
    float acc = 0.f;
    for (int64_t k0 = 0; k0 < k; k0 += T) {
        const int64_t ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < m && ka < k) ? A[row * k + ka] : 0.f;
        Bs[threadIdx.y][threadIdx.x] = (col < n && kb < k) ? B[kb * n + col] : 0.f;
        __syncthreads();  // filled
#pragma unroll
        for (int e = 0; e < T; ++e) acc += As[threadIdx.y][e] * Bs[e][threadIdx.x];
        __syncthreads();  // done
    }
    if (row < m && col < n) D[row * n + col] = acc + bias[col] + res[row * n + col];
}

extern "C" void launch(float* D /* [m, n] */, const float* A /* [m, k] */, const float* B /* [k, n] */, const float* bias /* [n] */, const float* res /* [m, n] */, int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0)
{
    constexpr int T = 8;
    const dim3 grid(unsigned((n + T - 1) / T), unsigned((m + T - 1) / T));
    gemm_bias_residual<T><<<grid, dim3(T, T), 0, stream>>>(m, n, k, A, B, bias, res, D);
}
"""

# A student's warp a row.
WARP = """\
#define WARP 32

__global__ void mv_warp(const float *A, const float *x, float *y, int64_t m, int64_t n)
{
    int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t row = thread / WARP;
    int lane = thread % WARP;
    if (row >= m) return;

    float sum = 0.0f;
    for (int64_t j = lane; j < n; j += WARP)
        sum += A[row * n + j] * x[j];

    for (int offset = WARP / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);

    if (lane == 0)
        y[row] = sum;
}

extern "C" void launch(const float *A /* [m, n] */, const float *x /* [n] */, float *y /* [m] */, int64_t m, int64_t n, cudaStream_t stream = 0)
{
    int threads = 128;
    int64_t blocks = (m * WARP + threads - 1) / threads;
    mv_warp<<<(unsigned)blocks, threads, 0, stream>>>(A, x, y, m, n);
}
"""

# A student's softmax: a block a row, a tree for the maximum and one for the sum.
SOFT = """\
__global__ void softmax_rows(const float* in, float* out, int64_t ncols)
{
    extern __shared__ float red[];
    int tid = threadIdx.x;
    in += blockIdx.x * ncols;
    out += blockIdx.x * ncols;

    float big = -INFINITY;
    for (int64_t i = tid; i < ncols; i += blockDim.x) big = fmaxf(big, in[i]);
    red[tid] = big;
    __syncthreads();  // maxima
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] = fmaxf(red[tid], red[tid + s]);
        __syncthreads();  // max level
    }
    big = red[0];
    __syncthreads();  // big is read

    float sum = 0.0f;
    for (int64_t i = tid; i < ncols; i += blockDim.x) sum += expf(in[i] - big);
    red[tid] = sum;
    __syncthreads();  // sums
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] += red[tid + s];
        __syncthreads();  // sum level
    }
    sum = red[0];

    for (int64_t i = tid; i < ncols; i += blockDim.x) out[i] = expf(in[i] - big) / sum;
}

extern "C" void launch(const float* in /* [nrows, ncols] */, float* out /* [nrows, ncols] */, int64_t nrows, int64_t ncols, cudaStream_t stream = 0)
{
    int threads = 64;
    softmax_rows<<<nrows, threads, threads * sizeof(float), stream>>>(in, out, ncols);
}
"""

# A junior's masked softmax: a byte says who may be seen, a warp a row; a row of none is zeros.
MASKED = """\
__global__ void masked_softmax(const float* __restrict__ logits, const uint8_t* __restrict__ keep, float* __restrict__ probs, int64_t rows, int64_t cols, float temperature) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float inv_t = 1.0f / temperature;
  float peak = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += 32)
    if (keep[row * cols + c]) peak = fmaxf(peak, logits[row * cols + c] * inv_t);
  for (int m = 16; m; m >>= 1) peak = fmaxf(peak, __shfl_xor_sync(~0u, peak, m));
  float total = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += 32)
    if (keep[row * cols + c]) total += expf(logits[row * cols + c] * inv_t - peak);
  for (int m = 16; m; m >>= 1) total += __shfl_xor_sync(~0u, total, m);
  for (int64_t c = threadIdx.x; c < cols; c += 32) {
    float p = 0.0f;
    if (keep[row * cols + c]) p = expf(logits[row * cols + c] * inv_t - peak) / total;
    probs[row * cols + c] = p;
  }
}

extern "C" void launch(const float* logits /* [rows, cols] */, const uint8_t* keep /* [rows, cols] */, float* probs /* [rows, cols] */, int64_t rows, int64_t cols, float temperature = 1.0f, cudaStream_t stream = 0) {
  const dim3 block(32, 4);
  masked_softmax<<<static_cast<unsigned>((rows + 3) / 4), block, 0, stream>>>(logits, keep, probs, rows, cols, temperature);
}
"""

# A junior's log-sum-exp: one pass that keeps the maximum and the sum, a thread a row.
LSE = """\
__global__ void logsumexp_online(float* lse, const __half* x, int64_t B, int64_t V)
{
    const int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (b < B)
    {
        float m = -INFINITY, d = 0.f;
        for (int64_t v = 0; v < V; ++v)
        {
            const float z = __half2float(x[b * V + v]);
            if (z == -INFINITY) continue;  // adds nothing
            const float top = fmaxf(m, z);
            d = d * expf(m - top) + expf(z - top);
            m = top;
        }
        lse[b] = m + logf(d);
    }
}

extern "C" void launch(float* lse /* [B] */, const __half* x /* [B, V] */, int64_t B, int64_t V, cudaStream_t stream = 0)
{
    logsumexp_online<<<(unsigned)((B + 31) / 32), 32, 0, stream>>>(lse, x, B, V);
}
"""

# A student's layer norm: a block a row, two trees by one function.
LAYER = """\
#define T 128

__device__ float blockSum(float v, float *buf)
{
    buf[threadIdx.x] = v;
    __syncthreads();  // filled
    for (int h = T / 2; h >= 1; h /= 2) {
        if (threadIdx.x < h)
            buf[threadIdx.x] += buf[threadIdx.x + h];
        __syncthreads();  // halved
    }
    float r = buf[0];
    __syncthreads();  // r is read
    return r;
}

__global__ void layerNorm(const float *X, const float *gamma, const float *beta, float *Y, int64_t D, float eps)
{
    __shared__ float buf[T];
    const float *x = X + blockIdx.x * D;
    float s = 0, q = 0;
    for (int64_t d = threadIdx.x; d < D; d += T)
        s += x[d];
    float mean = blockSum(s, buf) / D;
    for (int64_t d = threadIdx.x; d < D; d += T)
        q += (x[d] - mean) * (x[d] - mean);
    float var = blockSum(q, buf) / D;
    float scale = rsqrtf(var + eps);
    for (int64_t d = threadIdx.x; d < D; d += T)
        Y[blockIdx.x * D + d] = (x[d] - mean) * scale * gamma[d] + beta[d];
}

extern "C" void launch(const float *X /* [N, D] */, const float *gamma /* [D] */, const float *beta /* [D] */, float *Y /* [N, D] */, int64_t N, int64_t D, float eps = 1e-5f, cudaStream_t stream = 0)
{
    layerNorm<<<N, T, 0, stream>>>(X, gamma, beta, Y, D, eps);
}
"""

# A junior's residual and RMS norm in one; the sum is written for the next layer.
ADD_RMS = """\
__global__ void add_rms_norm(const __half* __restrict__ x, const __half* __restrict__ residual, const __half* __restrict__ weight, __half* __restrict__ sum_out, __half* __restrict__ normed, int64_t hidden, float epsilon) {
  __shared__ float s_part[4];
  const int64_t base = blockIdx.x * hidden;
  float sq = 0.f;
  for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) {
    const __half h = __float2half(__half2float(x[base + i]) + __half2float(residual[base + i]));
    sum_out[base + i] = h;
    const float f = __half2float(h);
    sq += f * f;
  }
  for (int o = 16; o > 0; o >>= 1) sq += __shfl_down_sync(0xffffffffu, sq, o);
  if ((threadIdx.x & 31) == 0) s_part[threadIdx.x >> 5] = sq;
  __syncthreads();  // parts
  const float ms = (s_part[0] + s_part[1] + s_part[2] + s_part[3]) / hidden;
  const float r = rsqrtf(ms + epsilon);
  for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x)
    normed[base + i] = __float2half(__half2float(sum_out[base + i]) * r * __half2float(weight[i]));
}

extern "C" void launch(const __half* x /* [tokens, hidden] */, const __half* residual /* [tokens, hidden] */, const __half* weight /* [hidden] */, __half* sum_out /* [tokens, hidden] */, __half* normed /* [tokens, hidden] */, int64_t tokens, int64_t hidden, float epsilon = 1e-6f, cudaStream_t stream = 0) {
  add_rms_norm<<<unsigned(tokens), 128, 0, stream>>>(x, residual, weight, sum_out, normed, hidden, epsilon);
}
"""

# A student's means of columns: a thread a column.
MEANS = """\
__global__ void col_mean(const int* data, float* mean, int64_t h, int64_t w) {
    int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (c < w) {
        long long acc = 0;
        for (int64_t r = 0; r < h; r++)
            acc += data[r * w + c];
        mean[c] = (double)acc / h;
    }
}

extern "C" void launch(float* mean /* [w] */, const int* data /* [h, w] */, int64_t h, int64_t w, cudaStream_t stream = 0) {
    col_mean<<<(w + 63) / 64, 64, 0, stream>>>(data, mean, h, w);
}
"""

# A student's running sum: a block a row, doubled distances in two arrays by turns.
SCAN = """\
#define BS 64

__global__ void scan_rows(const float *in, float *out, int64_t n)
{
    __shared__ float buf[2][BS];
    int t = threadIdx.x;
    const float *src = in + blockIdx.x * n;
    float carry = 0.0f;
    for (int64_t start = 0; start < n; start += BS) {
        int cur = 0;
        buf[0][t] = start + t < n ? src[start + t] : 0.0f;
        __syncthreads();  // loaded
        for (int d = 1; d < BS; d *= 2) {
            buf[1 - cur][t] = t >= d ? buf[cur][t] + buf[cur][t - d] : buf[cur][t];
            cur = 1 - cur;
            __syncthreads();  // one distance
        }
        if (start + t < n) out[blockIdx.x * n + start + t] = carry + buf[cur][t];
        carry += buf[cur][BS - 1];
        __syncthreads();  // carry taken
    }
}

extern "C" void launch(const float *in /* [m, n] */, float *out /* [m, n] */, int64_t m, int64_t n, cudaStream_t stream = 0)
{
    scan_rows<<<m, BS, 0, stream>>>(in, out, n);
}
"""
# A junior's places of the largest of columns: the first of equals, a thread a column.
PLACES = """\
__global__ void argmax_dim0(const __half* __restrict__ x, int64_t* __restrict__ place, float* __restrict__ top, int64_t rows, int64_t cols)
{
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t c = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; c < cols; c += step)
    {
        float best = __half2float(x[c]);
        int64_t at = 0;
        for (int64_t r = 1; r < rows; ++r)
        {
            const float v = __half2float(x[r * cols + c]);
            if (v > best || (isnan(v) && !isnan(best))) { best = v; at = r; }
        }
        place[c] = at;
        top[c] = best;
    }
}

extern "C" void launch(const __half* x /* [rows, cols] */, float* top /* [cols] */, int64_t* place /* [cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    argmax_dim0<<<2, 32, 0, stream>>>(x, place, top, rows, cols);
}
"""

# A junior's quantised rows: bytes are summed, with a scale for each group of 16 columns.
GROUPS = """\
constexpr int kGroup = 16;

__global__ void grouped_row_sum(const int8_t* q, const float* scales, float* sums, int64_t rows, int64_t cols, int64_t groups) {
  const int64_t row = blockIdx.x;
  __shared__ float total;
  if (threadIdx.x == 0) total = 0.0f;
  __syncthreads();  // total is 0
  for (int64_t g = threadIdx.x; g < groups; g += blockDim.x) {
    int group_sum = 0;
    const int64_t first = g * kGroup;
    const int64_t last = first + kGroup < cols ? first + kGroup : cols;
    for (int64_t c = first; c < last; ++c) group_sum += q[row * cols + c];
    atomicAdd(&total, scales[row * groups + g] * group_sum);
  }
  __syncthreads();  // all have added
  if (threadIdx.x == 0) sums[row] = total;
}

extern "C" void launch(const int8_t* q /* [rows, cols] */, const float* scales /* [rows, groups] */, float* sums /* [rows] */, int64_t rows, int64_t cols, int64_t groups, cudaStream_t stream = 0) {
  grouped_row_sum<<<unsigned(rows), 64, 0, stream>>>(q, scales, sums, rows, cols, groups);
}
"""

FLOAT, HALF, LONG = (torch.float32,), (torch.float16,), (torch.int64,)
INF, NAN = float("inf"), float("nan")
SIDES = ((1, 1), (1, 33), (5, 7), (40, 3), (3, 100), (2, 300), (9, 64), (70, 20))
PRODUCTS = ((1, 1, 1), (4, 6, 9), (16, 16, 16), (35, 10, 41), (21, 52, 12), (3, 64, 30))


def _numbers(*size: int, limit: int = 30) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(7 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    right = right if isinstance(right, tuple) else (right,)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, inputs, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def tiles(launcher: Launcher) -> Iterator[Case]:
    """Turn floats: whole tiles and not."""
    for size in ((1, 1), (32, 32), (64, 32), (40, 100), (100, 40), (1, 70), (70, 1), (33, 31)):
        x = _numbers(*size, limit=9000) / 8
        yield _case("", (x,), x.T.contiguous(), FLOAT)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply floats."""
    for m, k, n in PRODUCTS:
        a, b = _numbers(m, k), _numbers(k, n) / 4
        yield _case("", (a, b), a.double() @ b.double(), FLOAT)


def heads(launcher: Launcher) -> Iterator[Case]:
    """Take scores of one and of many heads, by several scales."""
    for count, nq, nk, dim in (
        (1, 1, 1, 1),
        (2, 5, 7, 16),
        (6, 4, 16, 8),
        (9, 10, 33, 40),
        (3, 20, 6, 64),
    ):
        for scale in (1.0, 0.125, 0.3):
            q, k = _numbers(count, nq, dim) / 8, _numbers(count, nk, dim) / 4
            right = scale * (q.double() @ k.double().transpose(1, 2))
            slack = 2.0**-18 * (q.abs().double() @ k.abs().double().transpose(1, 2))
            options = {"ulp": 1, "within": (slack,)}
            yield _case("", (q.half(), k.half()), right, HALF, {"scale": scale}, **options)


def residual(launcher: Launcher) -> Iterator[Case]:
    """Multiply, and add a bias and a residual."""
    for m, k, n in PRODUCTS:
        a, b, bias, res = (
            _numbers(m, k),
            _numbers(k, n) / 4,
            _numbers(n),
            _numbers(m, n, limit=50),
        )
        right = a.double() @ b.double() + bias.double() + res.double()
        yield _case("", (a, b, bias, res), right, FLOAT)


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices by vectors."""
    for m, n in SIDES:
        a, x = _numbers(m, n), _numbers(n, limit=9) / 4
        yield _case("", (a, x), a.double() @ x.double(), FLOAT)


def soft(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of usual and of distant rows."""
    for m, n in SIDES:
        near = _numbers(m, n) / 8
        for words, x in {"": near, "300 less": near - 300, "300 more": near + 300}.items():
            right = torch.softmax(x.double(), dim=1)
            yield _case(words, (x,), right, FLOAT, ulp=2, within=(2.0**-19 * right,))


def masked(launcher: Launcher) -> Iterator[Case]:
    """Take masked softmax, by several temperatures; the largest is often hidden."""
    for m, n in SIDES:
        x = _numbers(m, n) / 8
        keep = _numbers(m, n, limit=9) > -4
        keep[m // 2] = False
        for words, shift in (("", 0), ("200 less", -200), ("200 more", 200)):
            for temperature in (1.0, 0.5, 4.0):
                z = torch.where(keep, (x + shift).double() / temperature, -INF)
                right = torch.softmax(z, dim=1).nan_to_num(0)
                inputs, scalars = (
                    (x + shift, keep.to(torch.uint8)),
                    {"temperature": temperature},
                )
                yield _case(
                    words, inputs, right, FLOAT, scalars, ulp=2, within=(2.0**-18 * right,)
                )


def lse(launcher: Launcher) -> Iterator[Case]:
    """Take log-sum-exp of usual and of distant rows."""
    for m, n in SIDES:
        for words, shift in (("", 0), ("300 less", -300), ("300 more", 300)):
            x = (_numbers(m, n) / 8 + shift).half()
            right = torch.logsumexp(x.double(), dim=1)
            yield _case(
                words, (x,), right, FLOAT, ulp=2, within=(2.0**-18 * (right.abs() + 1),)
            )


def layer(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows."""
    for m, n in SIDES:
        for scale, shift in ((1.0, 0.0), (1.0, 1000.0), (2.0**-6, 0.0), (0.0, 3.0)):
            x, w, b = _numbers(m, n) * scale + shift, _numbers(n, limit=3) + 4, _numbers(n)
            mean = x.double().mean(dim=1, keepdim=True)
            away = x.double() - mean
            inverse = 1 / torch.sqrt(away.square().mean(dim=1, keepdim=True) + 2.0**-10)
            right = away * inverse * w.double() + b.double()
            slack = 2.0**-18 * (x.double().abs().amax(dim=1, keepdim=True) * inverse * w + 30)
            words = f"about {shift}, times {scale}"
            options = {"ulp": 2, "within": (slack,)}
            yield _case(words, (x, w, b), right, FLOAT, {"eps": 2.0**-10}, **options)


def add_rms(launcher: Launcher) -> Iterator[Case]:
    """Norm sums of halves: zeros, small, usual and large ones."""
    for m, n in SIDES:
        for scale in (0.0, 2.0**-9, 1.0, 100.0):
            x, r = (_numbers(m, n) * scale).half(), (_numbers(m, n, limit=20) * scale).half()
            w = (_numbers(n, limit=90) / 64).half()
            total = (x.float() + r.float()).half()
            square = total.double().square().mean(dim=1, keepdim=True)
            right = total.double() / torch.sqrt(square + 2.0**-12) * w.double()
            within = (torch.zeros(m, n).double(), 2.0**-17 * right.abs())
            options = {"ulp": 1, "within": within}
            inputs, scalars = (x, r, w), {"epsilon": 2.0**-12}
            yield _case(
                f"times {scale}", inputs, (total.double(), right), HALF * 2, scalars, **options
            )


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means of columns of small and of large integers."""
    for m, n in SIDES:
        for words, limit in (("", 30), ("large", 2**30)):
            x = _numbers(m, n, limit=limit).abs().int()
            yield _case(words, (x,), x.double().mean(dim=0), FLOAT, ulp=1)


def scan(launcher: Launcher) -> Iterator[Case]:
    """Add up integers as floats: every sum is exact."""
    for m, n in SIDES:
        x = _numbers(m, n)
        yield _case("", (x,), x.double().cumsum(dim=1), FLOAT)


def places(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest of columns: mixed, negative, equal, infinite and NaN."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=300) / 8
        kinds = {
            "": x,
            "negative": x - 50,
            "equal": x.clamp(max=-9),
            "infinite": x * 0 - INF,
            "NaN": x,
        }
        for words, rows in kinds.items():
            rows = rows.nan_to_num(nan=-INF, neginf=-INF).half()
            if words == "NaN":
                rows[m // 2, ::2] = NAN
            top = rows.double().amax(dim=0)
            row = torch.arange(m)[:, None].expand(m, n)
            largest = (rows.double() == top) | rows.isnan()
            place = torch.where(largest, row, m).amin(dim=0)
            yield _case(words, (rows,), (top, place), FLOAT + LONG)


def groups(launcher: Launcher) -> Iterator[Case]:
    """Sum bytes with scales, in whole groups and not."""
    for m, n in (*SIDES, (4, 16), (3, 2000)):
        q = _numbers(m, n, limit=127).to(torch.int8)
        count = (n + 15) // 16
        scales = (_numbers(m, count) + 31) / 64
        right = (q.double() * scales.double().repeat_interleave(16, dim=1)[:, :n]).sum(dim=1)
        yield _case("", (q, scales), right, FLOAT, ulp=1)


BASES = {
    "xxx_transpose_tiles": Base(HEADER + TILES, {"cases": tiles}),
    "xxx_product_naive": Base(HEADER + NAIVE, {"cases": products}),
    "xxx_product_heads": Base(HEADER + HEADS, {"cases": heads}),
    "xxx_product_residual": Base(HEADER + RESIDUAL, {"cases": residual}),
    "xxx_matvec_warp": Base(HEADER + WARP, {"cases": vectors}),
    "xxx_softmax_block": Base(HEADER + SOFT, {"cases": soft}),
    "xxx_softmax_masked": Base(HEADER + MASKED, {"cases": masked}),
    "xxx_softmax_lse": Base(HEADER + LSE, {"cases": lse}),
    "xxx_norm_layer": Base(HEADER + LAYER, {"cases": layer}),
    "xxx_norm_add_rms": Base(HEADER + ADD_RMS, {"cases": add_rms}),
    "xxx_columns_means": Base(HEADER + MEANS, {"cases": means}),
    "xxx_rows_scan": Base(HEADER + SCAN, {"cases": scan}),
    "xxx_columns_places": Base(HEADER + PLACES, {"cases": places}),
    "xxx_rows_groups": Base(HEADER + GROUPS, {"cases": groups}),
}

WRONG = (
    # ---- transposes
    # The tile is read before it is full.
    Wrong(
        "xxx_transpose_tiles_no_barrier",
        "xxx_transpose_tiles",
        "race | unwritten / other element / state / numbers / left out",
        ("    __syncthreads();\n\n", ""),
    ),
    # The block's place stays as it was.
    Wrong(
        "xxx_transpose_tiles_place_kept",
        "xxx_transpose_tiles",
        "swapped / other element / sides / unwritten | left out / function / numbers / neighbour / bounds",
        (
            "x = (int64_t)blockIdx.y * TILE_DIM + threadIdx.x;  //",
            "x = (int64_t)blockIdx.x * TILE_DIM + threadIdx.x;  //",
        ),
        ("    y = (int64_t)blockIdx.x * TILE_DIM", "    y = (int64_t)blockIdx.y * TILE_DIM"),
    ),
    # Sixteen rows of threads are expected.
    Wrong(
        "xxx_transpose_tiles_rows_of_threads",
        "xxx_transpose_tiles",
        "unwritten / block size / left out | other element / sides / tail / grid",
        ("dim3(TILE_DIM, BLOCK_ROWS)", "dim3(TILE_DIM, BLOCK_ROWS / 2)"),
    ),
    # The bounds of the input, for the output.
    Wrong(
        "xxx_transpose_tiles_bounds_of_input",
        "xxx_transpose_tiles",
        "bounds / sides / unwritten / swapped | tail / other element / left out",
        ("if (x < height && y + j < width)", "if (x < width && y + j < height)"),
    ),
    # ---- products
    # One too far inside.
    Wrong(
        "xxx_product_naive_one_too_far",
        "xxx_product_naive",
        "bounds | other element / numbers / twice / neighbour",
        ("k < K; k++", "k <= K; k++"),
    ),
    # Row and column by the wrong side.
    Wrong(
        "xxx_product_naive_by_rows",
        "xxx_product_naive",
        "sides / other element / swapped / bounds | unwritten / left out",
        ("i = idx / N;", "i = idx / M;"),
        ("j = idx % N;", "j = idx % M;"),
    ),
    # The sum is an integer.
    Wrong(
        "xxx_product_naive_integer_sum",
        "xxx_product_naive",
        "rounding / precision | numbers / function / whole range",
        ("float s = 0;", "int s = 0;"),
    ),
    # The second matrix is read by rows.
    Wrong(
        "xxx_product_naive_second_by_rows",
        "xxx_product_naive",
        "swapped / other element / sides / bounds | function / numbers",
        ("b[k * N + j]", "b[j * K + k]"),
    ),
    # Whole blocks only.
    Wrong(
        "xxx_product_naive_blocks_down",
        "xxx_product_naive",
        "tail / unwritten / grid | left out / refused / sides",
        ("(M * N + threads - 1) / threads;", "M * N / threads;"),
    ),
    # Divided by the scale.
    Wrong(
        "xxx_product_heads_divided",
        "xxx_product_heads",
        "function | numbers / infinity / other element",
        ("__float2half(scale * dot)", "__float2half(dot / scale)"),
    ),
    # A sum of halves.
    Wrong(
        "xxx_product_heads_half_sum",
        "xxx_product_heads",
        "precision / rounding | numbers / infinity / sides / whole range",
        ("float dot = 0.f;", "__half dot = __float2half(0.f);"),
        (
            "dot = fmaf(__half2float(qi[d]), __half2float(kj[d]), dot);",
            "dot = __hadd(dot, __hmul(qi[d], kj[d]));",
        ),
        ("scale * dot", "scale * __half2float(dot)"),
    ),
    # The keys' heads lie as far apart as those of the queries.
    Wrong(
        "xxx_product_heads_keys_by_queries",
        "xxx_product_heads",
        "other element / sides / bounds | swapped / left out / function",
        ("k + (h * nk + j) * dim;", "k + (h * nq + j) * dim;"),
    ),
    # Four heads only.
    Wrong(
        "xxx_product_heads_four_only",
        "xxx_product_heads",
        "unwritten / grid / left out | sides / tail",
        (
            "    for (int64_t h = blockIdx.z; h < heads; h += gridDim.z) {",
            "    const int64_t h = blockIdx.z;\n    if (h < heads) {",
        ),
    ),
    # The bias goes by rows.
    Wrong(
        "xxx_product_residual_bias_of_row",
        "xxx_product_residual",
        "other element / sides / bounds / swapped | function / numbers",
        ("bias[col]", "bias[row]"),
    ),
    # Not awaited before the next tile.
    Wrong(
        "xxx_product_residual_not_awaited",
        "xxx_product_residual",
        "race | other element / numbers / left out / function / twice",
        ("        __syncthreads();  // done\n", ""),
    ),
    # The bias is in every tile's sum.
    Wrong(
        "xxx_product_residual_bias_each_tile",
        "xxx_product_residual",
        "twice / function | sides / numbers / other element",
        (
            "        __syncthreads();  // done\n",
            "        __syncthreads();  // done\n        if (col < n) acc += bias[col];\n",
        ),
        ("acc + bias[col] + res", "acc + res"),
    ),
    # The last part of a tile is left out.
    Wrong(
        "xxx_product_residual_whole_tiles",
        "xxx_product_residual",
        "left out / tail | sides / numbers / function",
        ("k0 < k; k0 += T", "k0 + T <= k; k0 += T"),
    ),
    # No residual.
    Wrong(
        "xxx_product_residual_none",
        "xxx_product_residual",
        "left out / function | numbers",
        (" + res[row * n + col];", ";"),
    ),
    # ---- matrix times vector
    # Every lane writes.
    Wrong(
        "xxx_matvec_warp_all_write",
        "xxx_matvec_warp",
        "race / left out / other element / function | numbers / sides",
        ("    if (lane == 0)\n", ""),
    ),
    # Shuffles by half.
    Wrong(
        "xxx_matvec_warp_to_two",
        "xxx_matvec_warp",
        "left out | numbers / sides / other element / function",
        ("offset > 0; offset /= 2", "offset > 1; offset /= 2"),
    ),
    # No row offset.
    Wrong(
        "xxx_matvec_warp_first_row",
        "xxx_matvec_warp",
        "other element / left out / sides | copy / function / numbers",
        ("A[row * n + j]", "A[j]"),
    ),
    # Blocks for a thread a row.
    Wrong(
        "xxx_matvec_warp_few_blocks",
        "xxx_matvec_warp",
        "unwritten / grid / left out | tail / sides",
        ("(m * WARP + threads - 1)", "(m + threads - 1)"),
    ),
    # The number of rows is the bound inside.
    Wrong(
        "xxx_matvec_warp_bound_of_rows",
        "xxx_matvec_warp",
        "sides / bounds / left out / swapped | other element / numbers",
        ("j < n; j += WARP", "j < m; j += WARP"),
    ),
    # ---- softmax
    # Zero as the start of the maximum.
    Wrong(
        "xxx_softmax_block_from_zero",
        "xxx_softmax_block",
        "start | nan / infinity / numbers / function",
        ("float big = -INFINITY;", "float big = 0.0f;"),
    ),
    # The maximum is not yet read by all.
    Wrong(
        "xxx_softmax_block_big_overwritten",
        "xxx_softmax_block",
        "race | left out / numbers / function / other element",
        ("    __syncthreads();  // big is read\n", ""),
    ),
    # Levels of the sum do not wait.
    Wrong(
        "xxx_softmax_block_no_level",
        "xxx_softmax_block",
        "race | left out / numbers / function / other element",
        ("        __syncthreads();  // sum level\n", ""),
    ),
    # One thread's elements only.
    Wrong(
        "xxx_softmax_block_own_sum",
        "xxx_softmax_block",
        "left out | function / numbers / sides / other element",
        ("    sum = red[0];\n", ""),
    ),
    # Not divided.
    Wrong(
        "xxx_softmax_block_not_divided",
        "xxx_softmax_block",
        "function / left out | numbers",
        ("expf(in[i] - big) / sum;", "expf(in[i] - big);"),
    ),
    # As many bytes as threads.
    Wrong(
        "xxx_softmax_block_bytes",
        "xxx_softmax_block",
        "bounds",
        ("threads * sizeof(float), stream", "threads * sizeof(char), stream"),
    ),
    # ---- masked softmax
    # Hidden ones are in the sum.
    Wrong(
        "xxx_softmax_masked_hidden_total",
        "xxx_softmax_masked",
        "function / left out / other element / numbers",
        ("    if (keep[row * cols + c]) total +=", "    total +="),
    ),
    # The mask of the first row.
    Wrong(
        "xxx_softmax_masked_first_mask",
        "xxx_softmax_masked",
        "other element / left out | function / numbers / sides / nan",
        ("if (keep[row * cols + c]) p =", "if (keep[c]) p ="),
    ),
    # Times the temperature.
    Wrong(
        "xxx_softmax_masked_times_temperature",
        "xxx_softmax_masked",
        "function | numbers / infinity / nan",
        ("1.0f / temperature;", "temperature;"),
    ),
    # Hidden places are left as they are.
    Wrong(
        "xxx_softmax_masked_hidden_left",
        "xxx_softmax_masked",
        "unwritten | left out / zero before / numbers",
        (
            "    float p = 0.0f;\n    if (keep[row * cols + c]) p = ",
            "    if (keep[row * cols + c]) probs[row * cols + c] = ",
        ),
        ("    probs[row * cols + c] = p;\n", ""),
    ),
    # ---- log-sum-exp
    # What was summed is not brought to the new maximum.
    Wrong(
        "xxx_softmax_lse_not_rescaled",
        "xxx_softmax_lse",
        "function / left out | numbers / other element",
        ("d = d * expf(m - top) + expf", "d = d + expf"),
    ),
    # The maximum starts at 0.
    Wrong(
        "xxx_softmax_lse_from_zero",
        "xxx_softmax_lse",
        "start | infinity / numbers / function",
        ("float m = -INFINITY,", "float m = 0.f,"),
    ),
    # The first is counted before the loop, and in it.
    Wrong(
        "xxx_softmax_lse_sum_from_one",
        "xxx_softmax_lse",
        "twice / start | function / numbers / other element / left out",
        ("float m = -INFINITY, d = 0.f;", "float m = __half2float(x[b * V]), d = 1.f;"),
    ),
    # Another logarithm.
    Wrong(
        "xxx_softmax_lse_log2", "xxx_softmax_lse", "function | numbers", ("logf(d)", "log2f(d)")
    ),
    # ---- layer norm
    # Epsilon behind the root.
    Wrong(
        "xxx_norm_layer_epsilon_after",
        "xxx_norm_layer",
        "function | numbers / infinity / nan / precision",
        ("rsqrtf(var + eps);", "rsqrtf(var) + eps;"),
    ),
    # Squares less the square of the mean.
    Wrong(
        "xxx_norm_layer_square_of_mean",
        "xxx_norm_layer",
        "precision / nan | function / numbers / infinity",
        ("q += (x[d] - mean) * (x[d] - mean);", "q += x[d] * x[d];"),
        ("blockSum(q, buf) / D;", "blockSum(q, buf) / D - mean * mean;"),
    ),
    # A tree's level does not wait.
    Wrong(
        "xxx_norm_layer_no_level",
        "xxx_norm_layer",
        "race | left out / numbers / function / other element",
        ("        __syncthreads();  // halved\n", ""),
    ),
    # Gamma of the row.
    Wrong(
        "xxx_norm_layer_gamma_of_row",
        "xxx_norm_layer",
        "other element / bounds / sides | function / numbers",
        ("gamma[d]", "gamma[blockIdx.x]"),
    ),
    # The mean by the threads.
    Wrong(
        "xxx_norm_layer_by_threads",
        "xxx_norm_layer",
        "function | numbers / sides / block size",
        ("blockSum(s, buf) / D;", "blockSum(s, buf) / T;"),
    ),
    # ---- residual and RMS norm
    # The squares are those of the input alone.
    Wrong(
        "xxx_norm_add_rms_of_input",
        "xxx_norm_add_rms",
        "left out / function | numbers",
        ("const float f = __half2float(h);", "const float f = __half2float(x[base + i]);"),
    ),
    # Three warps of four.
    Wrong(
        "xxx_norm_add_rms_three_warps",
        "xxx_norm_add_rms",
        "left out | function / sides / numbers",
        (" + s_part[3])", ")"),
    ),
    # Not the mean.
    Wrong(
        "xxx_norm_add_rms_no_mean",
        "xxx_norm_add_rms",
        "function / left out | numbers / sides",
        ("s_part[3]) / hidden;", "s_part[3]);"),
    ),
    # Parts are read at once.
    Wrong(
        "xxx_norm_add_rms_no_barrier",
        "xxx_norm_add_rms",
        "race | unwritten / left out / numbers / function / state",
        ("  __syncthreads();  // parts\n", ""),
    ),
    # The sum for the next layer is the input.
    Wrong(
        "xxx_norm_add_rms_in_residual",
        "xxx_norm_add_rms",
        "input | unwritten",
        (
            "sum_out[base + i] = h;",
            "sum_out[base + i] = h;\n    const_cast<__half*>(residual)[base + i] = h;",
        ),
    ),
    # ---- means of columns
    # A sum in 32 bits.
    Wrong(
        "xxx_columns_means_int_sum",
        "xxx_columns_means",
        "whole range / narrow / infinity | numbers / sides / function",
        ("long long acc = 0;", "int acc = 0;"),
    ),
    # An integer quotient.
    Wrong(
        "xxx_columns_means_integer_quotient",
        "xxx_columns_means",
        "rounding / function / precision | numbers / sides",
        ("(double)acc / h;", "acc / h;"),
    ),
    # By the number of columns.
    Wrong(
        "xxx_columns_means_by_columns",
        "xxx_columns_means",
        "sides / function / swapped | numbers",
        ("(double)acc / h;", "(double)acc / w;"),
    ),
    # Rows instead of columns.
    Wrong(
        "xxx_columns_means_of_rows",
        "xxx_columns_means",
        "swapped / sides / other element / bounds | function / left out / numbers",
        ("data[r * w + c]", "data[c * h + r]"),
    ),
    # One thread too many.
    Wrong(
        "xxx_columns_means_one_more",
        "xxx_columns_means",
        "bounds",
        ("if (c < w)", "if (c <= w)"),
    ),
    # ---- running sums
    # In place, in one array.
    Wrong(
        "xxx_rows_scan_one_array",
        "xxx_rows_scan",
        "race | twice / other element / numbers / function / left out",
        ("            buf[1 - cur][t] = t >= d", "            buf[cur][t] = t >= d"),
        ("            cur = 1 - cur;\n", ""),
    ),
    # The carry is that of the last part only.
    Wrong(
        "xxx_rows_scan_carry_set",
        "xxx_rows_scan",
        "left out / function | sides / numbers / other element",
        ("carry += buf", "carry = buf"),
    ),
    # The test of the distance is one too strict.
    Wrong(
        "xxx_rows_scan_greater",
        "xxx_rows_scan",
        "left out | other element / numbers / function / neighbour",
        ("t >= d ?", "t > d ?"),
    ),
    # The next part overwrites what others still read.
    Wrong(
        "xxx_rows_scan_carry_not_awaited",
        "xxx_rows_scan",
        "race | left out / numbers / other element / function / state",
        ("        __syncthreads();  // carry taken\n", ""),
    ),
    # No end.
    Wrong(
        "xxx_rows_scan_no_end",
        "xxx_rows_scan",
        "bounds | race / other element / tail / sides",
        ("if (start + t < n) out", "out"),
    ),
    # ---- places of the largest of columns
    # The last of equals.
    Wrong(
        "xxx_columns_places_last",
        "xxx_columns_places",
        "other element / function | numbers / left out / infinity",
        ("v > best ||", "v >= best ||"),
    ),
    # The largest starts at 0.
    Wrong(
        "xxx_columns_places_from_zero",
        "xxx_columns_places",
        "start | numbers / infinity / other element / function / left out",
        ("float best = __half2float(x[c]);", "float best = 0.0f;"),
        ("int64_t r = 1; r", "int64_t r = 0; r"),
    ),
    # The place in the array, not in the column.
    Wrong(
        "xxx_columns_places_in_array",
        "xxx_columns_places",
        "function / other element / sides | numbers / neighbour",
        ("best = v; at = r;", "best = v; at = r * cols + c;"),
    ),
    # NaN is never larger.
    Wrong(
        "xxx_columns_places_nan_lost",
        "xxx_columns_places",
        "nan | numbers / other element / left out / start",
        ("v > best || (isnan(v) && !isnan(best))", "v > best"),
    ),
    # The grid is too small for a thread a column.
    Wrong(
        "xxx_columns_places_one_each",
        "xxx_columns_places",
        "unwritten / grid / left out | tail / sides",
        ("; c < cols; c += step)", "; c < cols; c = cols)"),
    ),
    # ---- sums of groups of bytes
    # The first groups are added before the start.
    Wrong(
        "xxx_rows_groups_no_barrier",
        "xxx_rows_groups",
        "race | left out / start / numbers / state / zero before",
        ("  __syncthreads();  // total is 0\n", ""),
    ),
    # The scales of the first row.
    Wrong(
        "xxx_rows_groups_first_scales",
        "xxx_rows_groups",
        "other element / left out | function / numbers / sides",
        ("scales[row * groups + g]", "scales[g]"),
    ),
    # The last group is taken for a whole one.
    Wrong(
        "xxx_rows_groups_past_end",
        "xxx_rows_groups",
        "bounds / other element / tail | sides / numbers",
        ("first + kGroup < cols ? first + kGroup : cols;", "first + kGroup;"),
    ),
    # A group's sum is a byte.
    Wrong(
        "xxx_rows_groups_byte_sum",
        "xxx_rows_groups",
        "whole range / narrow / infinity | numbers / function",
        ("int group_sum = 0;", "int8_t group_sum = 0;"),
    ),
)

RIGHT = (
    # Eight rows more a turn, and a tile of other padding.
    Right(
        "xxx_transpose_tiles_other_rows",
        "xxx_transpose_tiles",
        ("#define BLOCK_ROWS 8", "#define BLOCK_ROWS 16"),
        ("[TILE_DIM + 1];", "[TILE_DIM + 3];"),
    ),
    # From the end, in double, by more blocks.
    Right(
        "xxx_product_naive_backwards",
        "xxx_product_naive",
        ("float s = 0;", "double s = 0;"),
        ("k = 0; k < K; k++", "k = K - 1; k >= 0; k--"),
        ("/ threads;\n  mm", "/ threads + 2;\n  mm"),
    ),
    # Queries are scaled first; two heads at a time.
    Right(
        "xxx_product_heads_scaled_first",
        "xxx_product_heads",
        ("fmaf(__half2float(qi[d]),", "fmaf(scale * __half2float(qi[d]),"),
        ("__float2half(scale * dot)", "__float2half(dot)"),
        ("heads < 4 ? heads : 4", "2"),
    ),
    # The bias and the residual come first, tiles of 16.
    Right(
        "xxx_product_residual_first",
        "xxx_product_residual",
        (
            "float acc = 0.f;",
            "float acc = row < m && col < n ? bias[col] + res[row * n + col] : 0.f;",
        ),
        ("acc + bias[col] + res[row * n + col];", "acc;"),
        ("T = 8;", "T = 16;"),
    ),
    # A butterfly, and the last lane writes.
    Right(
        "xxx_matvec_warp_last_lane",
        "xxx_matvec_warp",
        ("__shfl_down_sync", "__shfl_xor_sync"),
        ("lane == 0", "lane == 31"),
        ("threads = 128;", "threads = 32;"),
    ),
    # The inverse, and one more level of nothing.
    Right(
        "xxx_softmax_block_inverse",
        "xxx_softmax_block",
        ("    sum = red[0];\n", "    sum = 1.0f / red[0];\n"),
        ("big) / sum;", "big) * sum;"),
        ("threads = 64;", "threads = 256;"),
    ),
    # Two warps a block, the quotient by a product, an idle block.
    Right(
        "xxx_softmax_masked_two_warps",
        "xxx_softmax_masked",
        ("block(32, 4);", "block(32, 2);"),
        ("(rows + 3) / 4)", "rows / 2 + 2)"),
        (
            "const float inv_t = 1.0f / temperature;",
            "const float inv_t = __frcp_rn(temperature);",
        ),
    ),
    # Backwards, in double.
    Right(
        "xxx_softmax_lse_double",
        "xxx_softmax_lse",
        ("float m = -INFINITY, d = 0.f;", "float m = -INFINITY;\n        double d = 0.0;"),
        ("v = 0; v < V; ++v", "v = V - 1; v >= 0; --v"),
        ("logf(d)", "log(d)"),
    ),
    # A root and a division, a smaller block.
    Right(
        "xxx_norm_layer_quotient",
        "xxx_norm_layer",
        ("#define T 128", "#define T 32"),
        ("= rsqrtf(var + eps);", "= 1.0f / sqrtf(var + eps);"),
    ),
    # The sum is made again.
    Right(
        "xxx_norm_add_rms_again",
        "xxx_norm_add_rms",
        (
            "__half2float(sum_out[base + i]) * r",
            "__half2float(__float2half(__half2float(residual[base + i]) + __half2float(x[base + i]))) * r",
        ),
    ),
    # From the last row, by one block more.
    Right(
        "xxx_columns_means_backwards",
        "xxx_columns_means",
        ("r = 0; r < h; r++", "r = h - 1; r >= 0; r--"),
        ("(w + 63) / 64, 64,", "w / 32 + 1, 32,"),
    ),
    # A larger block, and the carry is in the first element.
    Right(
        "xxx_rows_scan_carry_first",
        "xxx_rows_scan",
        ("#define BS 64", "#define BS 128"),
        ("src[start + t] : 0.0f;", "src[start + t] + (t == 0 ? carry : 0.0f) : 0.0f;"),
        ("= carry + buf[cur][t];", "= buf[cur][t];"),
        ("carry += buf", "carry = buf"),
    ),
    # Five blocks of one warp, and from the last row.
    Right(
        "xxx_columns_places_from_last",
        "xxx_columns_places",
        ("= __half2float(x[c]);", "= __half2float(x[(rows - 1) * cols + c]);"),
        ("at = 0;", "at = rows - 1;"),
        ("r = 1; r < rows; ++r", "r = rows - 2; r >= 0; --r"),
        ("v > best || (isnan(v) && !isnan(best))", "v >= best || isnan(v)"),
        ("<<<2, 32,", "<<<5, 32,"),
    ),
    # Each thread adds once.
    Right(
        "xxx_rows_groups_added_once",
        "xxx_rows_groups",
        (
            "  for (int64_t g = threadIdx.x;",
            "  float own = 0.0f;\n  for (int64_t g = threadIdx.x;",
        ),
        (
            "    atomicAdd(&total, scales[row * groups + g] * group_sum);\n  }\n",
            "    own += scales[row * groups + g] * group_sum;\n  }\n  atomicAdd(&total, own);\n",
        ),
    ),
)
