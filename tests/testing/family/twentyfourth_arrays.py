"""Hold a twenty-fourth family: transposes, products, softmax, norms, sums and maxima of rows.

Of the 65 wrong ones three are wrong by reasoning, as the emulator runs one block after another:

    xxiv_transpose_small_int_place        of more than 2^31 halves, in matrices that fit
    xxiv_product_vector_memset_elsewhere  if `stream` does not wait for the default stream
    xxiv_product_vector_no_atomic         if two blocks add to a row's number at the same time
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Somebody who ports from OpenCL: the tile is local memory, whose bytes the host counts.
TILES = (
    HEADER
    + """\
__global__ void transpose(int32_t* dst, const int32_t* src, int64_t width, int64_t height) {
    extern __shared__ int32_t local_mem[];
    const int lx = threadIdx.x, ly = threadIdx.y, side = blockDim.x, pitch = side + 1;
    const int64_t x0 = (int64_t)blockIdx.x * side;
    for (int64_t y0 = (int64_t)blockIdx.y * side; y0 < height; y0 += (int64_t)gridDim.y * side) {
        if (x0 + lx < width && y0 + ly < height) local_mem[ly * pitch + lx] = src[(y0 + ly) * width + x0 + lx];
        __syncthreads();  // CLK_LOCAL_MEM_FENCE
        if (x0 + ly < width && y0 + lx < height) dst[(x0 + ly) * height + y0 + lx] = local_mem[lx * pitch + ly];
        __syncthreads();  // the tile is free
    }
}

extern "C" void launch(const int32_t* src /* [height, width] */, int32_t* dst /* [width, height] */, int64_t height, int64_t width, cudaStream_t stream = 0) {
    const int side = 16;
    const int64_t across = (width + side - 1) / side, down = (height + side - 1) / side;
    const dim3 local(side, side), groups(across, down < 3 ? down : 3);
    transpose<<<groups, local, side * (side + 1) * sizeof(int32_t), stream>>>(dst, src, width, height);
}
"""
)

# Somebody who serves language models: heads before tokens, in packs of four if all is round.
HEADS = (
    HEADER
    + """\
template <typename P>
__global__ void heads_first(const P* in, P* out, int64_t total, int64_t tokens, int64_t heads, int64_t dim) {
    const int64_t step = int64_t{gridDim.x} * blockDim.x;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total; i += step) {
        const int64_t d = i % dim;
        const int64_t line = i / dim;  // of the output
        const int64_t t = line % tokens, h = line / tokens % heads, b = line / tokens / heads;
        out[i] = in[((b * tokens + t) * heads + h) * dim + d];
    }
}

bool round16(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

extern "C" void launch(const float* in /* [batch, tokens, heads, dim] */, float* out /* [batch, heads, tokens, dim] */, int64_t batch, int64_t tokens, int64_t heads, int64_t dim, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t total = batch * tokens * heads * dim;
    if (dim % 4 == 0 && round16(in) && round16(out)) {
        heads_first<<<9, block_size, 0, stream>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), total / 4, tokens, heads, dim / 4);
    } else {
        heads_first<<<9, block_size, 0, stream>>>(in, out, total, tokens, heads, dim);
    }
}
"""
)

# A C programmer with many small matrices: each goes through shared memory, if it fits.
SMALL = (
    HEADER
    + """\
enum { FITS = 1024 };

__global__ void turn_small(const half *in, half *out, int64_t batch, int r, int c)
{
    __shared__ half s[FITS];
    const int n = r * c;
    for (int64_t b = blockIdx.x; b < batch; b += gridDim.x) {
        for (int j = threadIdx.x; j < n; j += blockDim.x) s[j] = in[b * n + j];
        __syncthreads();  /* loaded */
        for (int j = threadIdx.x; j < n; j += blockDim.x) out[b * n + j] = s[j % r * c + j / r];
        __syncthreads();  /* stored */
    }
}

__global__ void turn_large(const half *in, half *out, int64_t total, int64_t r, int64_t c)
{
    const int64_t n = r * c, step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step) {
        const int64_t b = i / n, j = i % n;
        out[b * n + j % c * r + j / c] = in[i];
    }
}

extern "C" void launch(const half *in /* [batch, r, c] */, half *out /* [batch, c, r] */, int64_t batch, int64_t r, int64_t c, int block_size = 128, cudaStream_t stream = 0)
{
    if (r * c <= FITS)
        turn_small<<<(unsigned)(batch < 7 ? batch : 7), block_size, 0, stream>>>(in, out, batch, (int)r, (int)c);
    else
        turn_large<<<13, block_size, 0, stream>>>(in, out, batch * r * c, r, c);
}
"""
)

# A reader of blog posts, at the third step: a thread has two results, 16 rows apart.
TILED = (
    HEADER
    + """\
constexpr int T = 16;

__global__ void matmul(const half* A, const half* B, half* C, int64_t m, int64_t n, int64_t k, int64_t across, int64_t tiles) {
    __shared__ float sA[2 * T][T], sB[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t y = tile / across * 2 * T + ty, x = tile % across * T + tx;
        float upper = 0.0f, lower = 0.0f;
        for (int64_t s = 0; s < k; s += T) {
            sA[ty][tx] = y < m && s + tx < k ? __half2float(A[y * k + s + tx]) : 0.0f;
            sA[ty + T][tx] = y + T < m && s + tx < k ? __half2float(A[(y + T) * k + s + tx]) : 0.0f;
            sB[ty][tx] = s + ty < k && x < n ? __half2float(B[(s + ty) * n + x]) : 0.0f;
            __syncthreads();  // loaded
            for (int i = 0; i < T; i++) {
                upper += sA[ty][i] * sB[i][tx];
                lower += sA[ty + T][i] * sB[i][tx];
            }
            __syncthreads();  // used
        }
        if (y < m && x < n) C[y * n + x] = __float2half(upper);
        if (y + T < m && x < n) C[(y + T) * n + x] = __float2half(lower);
    }
}

extern "C" void launch(const half* A /* [m, k] */, const half* B /* [k, n] */, half* C /* [m, n] */, int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const int64_t across = (n + T - 1) / T, down = (m + 2 * T - 1) / (2 * T), tiles = across * down;
    matmul<<<(unsigned)(tiles < 6 ? tiles : 6), dim3(T, T), 0, stream>>>(A, B, C, m, n, k, across, tiles);
}
"""
)

# Somebody who quantizes networks: bytes times transposed bytes, by words where these are round.
BYTES = (
    HEADER
    + """\
__device__ int dot(const int8_t* a, const int8_t* b, int64_t k) {
    int sum = 0;
    int64_t p = 0;
    if ((uintptr_t)a % 4 == 0 && (uintptr_t)b % 4 == 0) {
        for (; p + 4 <= k; p += 4) sum = __dp4a(*(const int*)(a + p), *(const int*)(b + p), sum);
    }
    for (; p < k; ++p) sum += a[p] * b[p];
    return sum;
}

__global__ void nt(const int8_t* a, const int8_t* b, int32_t* out, int64_t m, int64_t n, int64_t k) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < m * n; i += step) {
        const int64_t row = i / n, col = i % n;
        out[i] = dot(a + row * k, b + col * k, k);
    }
}

extern "C" void launch(const int8_t* a /* [m, k] */, const int8_t* b /* [n, k] */, int32_t* out /* [m, n] */, int64_t m, int64_t n, int64_t k, int block_size = 64, cudaStream_t stream = 0) {
    nt<<<11, block_size, 0, stream>>>(a, b, out, m, n, k);
}
"""
)

# Somebody with wide matrices: blocks share out the parts of the rows, and atomics join them.
VECTOR = (
    HEADER
    + """\
constexpr int64_t kPart = 200;

__global__ void gemv(const float* A, const float* x, float* y, int64_t n, int64_t parts, int64_t jobs) {
    __shared__ float sum;
    for (int64_t job = blockIdx.x; job < jobs; job += gridDim.x) {
        if (threadIdx.x == 0) sum = 0.0f;
        __syncthreads();  // the sum is 0
        const int64_t row = job / parts, from = job % parts * kPart;
        const int64_t to = min(from + kPart, n);
        float mine = 0.0f;
        for (int64_t j = from + threadIdx.x; j < to; j += blockDim.x) mine += A[row * n + j] * x[j];
        atomicAdd(&sum, mine);
        __syncthreads();  // all have added
        if (threadIdx.x == 0) atomicAdd(&y[row], sum);
    }
}

extern "C" void launch(const float* A /* [m, n] */, const float* x /* [n] */, float* y /* [m] */, int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    cudaMemsetAsync(y, 0, m * sizeof(float), stream);
    const int64_t parts = (n + kPart - 1) / kPart, jobs = m * parts;
    if (jobs > 0) gemv<<<(unsigned)(jobs < 7 ? jobs : 7), block_size, 0, stream>>>(A, x, y, n, parts, jobs);
}
"""
)

# A careful engineer: softmax, and as much of a row as fits stays in shared memory.
CACHED = (
    HEADER
    + """\
constexpr int64_t kRoom = 512;  // numbers of a row that are kept

template <typename F>
__device__ float all(float v, float* part, F join) {
    for (int o = 16; o > 0; o /= 2) v = join(v, __shfl_xor_sync(0xffffffff, v, o));
    __syncthreads();  // part has been read
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();  // part is there
    v = part[0];
    for (int w = 1; w < blockDim.x / 32; ++w) v = join(v, part[w]);
    return v;
}

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols) {
    extern __shared__ float kept[];
    __shared__ float part[32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + row * cols;
        float top = -INFINITY;
        for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
            const float v = in[i];
            if (i < kRoom) kept[i] = v;
            top = fmaxf(top, v);
        }
        top = all(top, part, [](float a, float b) { return fmaxf(a, b); });
        float sum = 0.0f;
        for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
            const float e = expf((i < kRoom ? kept[i] : in[i]) - top);
            if (i < kRoom) kept[i] = e;
            sum += e;
        }
        sum = all(sum, part, [](float a, float b) { return a + b; });
        for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
            y[row * cols + i] = (i < kRoom ? kept[i] : expf(in[i] - top)) / sum;
        }
    }
}

extern "C" void launch(const float* x /* [rows, cols] */, float* y /* [rows, cols] */, int64_t rows, int64_t cols, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    const size_t bytes = (cols < kRoom ? cols : kRoom) * sizeof(float);
    softmax<<<(unsigned)(rows < 5 ? rows : 5), threads, bytes, stream>>>(x, y, rows, cols);
}
"""
)

# Somebody who samples tokens: softmax of bfloat16 with a temperature, a warp a row.
WARM = (
    HEADER
    + """\
__global__ void softmax(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols, float temperature) {
    const int lane = threadIdx.x & 31;
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / 32);
    for (int64_t row = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < rows; row += warps) {
        const __nv_bfloat16* in = x + row * cols;
        float top = -INFINITY;
        for (int64_t i = lane; i < cols; i += 32) top = fmaxf(top, __bfloat162float(in[i]) / temperature);
        for (int o = 1; o < 32; o <<= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
        float sum = 0.0f;
        for (int64_t i = lane; i < cols; i += 32) sum += expf(__bfloat162float(in[i]) / temperature - top);
        for (int o = 1; o < 32; o <<= 1) sum += __shfl_xor_sync(~0u, sum, o);
        for (int64_t i = lane; i < cols; i += 32) {
            const float p = expf(__bfloat162float(in[i]) / temperature - top) / sum;
            y[row * cols + i] = __float2bfloat16(p);
        }
    }
}

extern "C" void launch(const __nv_bfloat16* x /* [rows, cols] */, __nv_bfloat16* y /* [rows, cols] */, int64_t rows, int64_t cols, float temperature = 1.0f, int block_size = 64, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    softmax<<<4, threads, 0, stream>>>(x, y, rows, cols, temperature);
}
"""
)

# Somebody else who ports from OpenCL: log-softmax with a tree in local memory, for any group.
TREE = (
    HEADER
    + """\
__global__ void log_softmax(const float* x, float* y, int64_t rows, int64_t cols, int half) {
    extern __shared__ float scratch[];
    const int lid = threadIdx.x, size = blockDim.x;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + row * cols;
        float acc = -INFINITY;
        for (int64_t i = lid; i < cols; i += size) acc = fmaxf(acc, in[i]);
        scratch[lid] = acc;
        __syncthreads();
        for (int s = half; s > 0; s >>= 1) {
            if (lid < s && lid + s < size) scratch[lid] = fmaxf(scratch[lid], scratch[lid + s]);
            __syncthreads();  // of the maxima
        }
        const float top = scratch[0];
        __syncthreads();  // all have the maximum
        acc = 0.0f;
        for (int64_t i = lid; i < cols; i += size) acc += expf(in[i] - top);
        scratch[lid] = acc;
        __syncthreads();
        for (int s = half; s > 0; s >>= 1) {
            if (lid < s && lid + s < size) scratch[lid] += scratch[lid + s];
            __syncthreads();  // of the sums
        }
        const float logSum = logf(scratch[0]);
        for (int64_t i = lid; i < cols; i += size) y[row * cols + i] = (in[i] - top) - logSum;
        __syncthreads();  // all have the sum
    }
}

extern "C" void launch(const float* x /* [rows, cols] */, float* y /* [rows, cols] */, int64_t rows, int64_t cols, int block_size = 128, cudaStream_t stream = 0) {
    int half = 1;
    while (2 * half < block_size) half *= 2;
    log_softmax<<<(unsigned)(rows < 4 ? rows : 4), block_size, block_size * sizeof(float), stream>>>(x, y, rows, cols, half);
}
"""
)

# A reader of Welford and of Chan: layer norm of halves in one pass, a warp a row.
WELFORD = (
    HEADER
    + """\
struct Stat {
    long long n;
    float mean;
    float m2;  // the sum of the squared distances
};

__device__ Stat merge(Stat a, Stat b) {
    const long long n = a.n + b.n;
    if (n == 0) return a;
    const float d = b.mean - a.mean, f = (float)b.n / (float)n;
    return {n, a.mean + d * f, a.m2 + b.m2 + d * d * f * (float)a.n};
}

__device__ Stat of_other(Stat s, int o) {
    return {__shfl_xor_sync(~0u, s.n, o), __shfl_xor_sync(~0u, s.mean, o), __shfl_xor_sync(~0u, s.m2, o)};
}

__global__ void layer_norm(const half* x, const half* weight, const half* bias, half* y, int64_t rows, int64_t d, float eps) {
    const int lane = threadIdx.x;
    for (int64_t row = (int64_t)blockIdx.x * 4 + threadIdx.y; row < rows; row += (int64_t)gridDim.x * 4) {
        Stat s = {0, 0.0f, 0.0f};
        for (int64_t i = lane; i < d; i += 32) {
            const float v = __half2float(x[row * d + i]), off = v - s.mean;
            s.n += 1;
            s.mean += off / (float)s.n;
            s.m2 += off * (v - s.mean);
        }
        for (int o = 16; o > 0; o >>= 1) s = merge(s, of_other(s, o));
        const float rstd = rsqrtf(s.m2 / (float)s.n + eps);
        for (int64_t i = lane; i < d; i += 32) {
            const float v = (__half2float(x[row * d + i]) - s.mean) * rstd;
            y[row * d + i] = __float2half(v * __half2float(weight[i]) + __half2float(bias[i]));
        }
    }
}

extern "C" void launch(const half* x /* [rows, d] */, const half* weight /* [d] */, const half* bias /* [d] */, half* y /* [rows, d] */, int64_t rows, int64_t d, float eps = 1e-5f, cudaStream_t stream = 0) {
    layer_norm<<<3, dim3(32, 4), 0, stream>>>(x, weight, bias, y, rows, d, eps);
}
"""
)

# Somebody who fuses: the residual is added, kept and RMS-normed, by fours if possible.
FUSED = (
    HEADER
    + """\
__device__ float plus(float a, float b) { return a + b; }
__device__ float4 plus(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float squares(float a) { return a * a; }
__device__ float squares(float4 a) { return a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w; }
__device__ float times(float a, float s, float w) { return a * s * w; }
__device__ float4 times(float4 a, float s, float4 w) { return make_float4(a.x * s * w.x, a.y * s * w.y, a.z * s * w.z, a.w * s * w.w); }

template <typename P>
__global__ void add_rms(const P* x, const P* res, const P* w, P* h, P* y, int64_t rows, int64_t d, float eps) {
    __shared__ float part[32];
    const int64_t packs = d / (sizeof(P) / sizeof(float));
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const int64_t at = row * packs;
        float q = 0.0f;
        for (int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
            const P v = plus(x[at + i], res[at + i]);
            h[at + i] = v;
            q += squares(v);
        }
        for (int o = 16; o > 0; o >>= 1) q += __shfl_down_sync(0xffffffff, q, o);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = q;
        __syncthreads();  // the sums of the warps are there
        float total = 0.0f;
        for (int i = 0; i < blockDim.x / 32; ++i) total += part[i];
        const float scale = rsqrtf(total / d + eps);
        for (int64_t i = threadIdx.x; i < packs; i += blockDim.x) y[at + i] = times(h[at + i], scale, w[i]);
        __syncthreads();  // the sums of the warps have been read
    }
}

extern "C" void launch(const float* x /* [rows, d] */, const float* res /* [rows, d] */, const float* w /* [d] */, float* h /* [rows, d] */, float* y /* [rows, d] */, int64_t rows, int64_t d, float eps = 1e-6f, int block_size = 128, cudaStream_t stream = 0) {
    const unsigned blocks = rows < 6 ? rows : 6, threads = (block_size + 31) / 32 * 32;
    const uintptr_t bits = (uintptr_t)x | (uintptr_t)res | (uintptr_t)w | (uintptr_t)h | (uintptr_t)y;
    if (bits % 16 == 0 && d % 4 == 0) {
        add_rms<<<blocks, threads, 0, stream>>>((const float4*)x, (const float4*)res, (const float4*)w, (float4*)h, (float4*)y, rows, d, eps);
    } else {
        add_rms<<<blocks, threads, 0, stream>>>(x, res, w, h, y, rows, d, eps);
    }
}
"""
)

# A beginner with doubles: layer norm, a thread a row.
PLAIN = (
    HEADER
    + """\
__global__ void layerNorm(const double* x, const double* weight, const double* bias, double* y, int64_t rows, int64_t cols, double eps) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double sum = 0;
        for (int64_t j = 0; j < cols; j++) sum += x[row * cols + j];
        double mean = sum / cols;
        sum = 0;
        for (int64_t j = 0; j < cols; j++) {
            double diff = x[row * cols + j] - mean;
            sum += diff * diff;
        }
        double var = sum / cols;
        double scale = pow(var + eps, -0.5);
        for (int64_t j = 0; j < cols; j++) {
            y[row * cols + j] = (x[row * cols + j] - mean) * scale * weight[j] + bias[j];
        }
    }
}

extern "C" void launch(const double* x /* [rows, cols] */, const double* weight /* [cols] */, const double* bias /* [cols] */, double* y /* [rows, cols] */, int64_t rows, int64_t cols, double eps = 1e-5, int block_size = 64, cudaStream_t stream = 0) {
    layerNorm<<<(unsigned)((rows + block_size - 1) / block_size), block_size, 0, stream>>>(x, weight, bias, y, rows, cols, eps);
}
"""
)

# Somebody who knows the bits of floats: maxima of rows by atomics on keys; NaN is the largest.
KEYS = (
    HEADER
    + """\
constexpr int64_t kPart = 300;

__device__ unsigned key(float v) {
    const unsigned bits = __float_as_uint(v);
    if (isnan(v)) return 0xffffffffu;
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__device__ float number(unsigned k) { return __uint_as_float(k >> 31 ? k & 0x7fffffffu : ~k); }

__global__ void highest(const float* x, unsigned* keys, int64_t n, int64_t parts, int64_t jobs) {
    __shared__ unsigned top;
    for (int64_t job = blockIdx.x; job < jobs; job += gridDim.x) {
        if (threadIdx.x == 0) top = 0;
        __syncthreads();  // top is set
        const int64_t row = job / parts, from = job % parts * kPart;
        for (int64_t i = from + threadIdx.x; i < n && i < from + kPart; i += blockDim.x) atomicMax(&top, key(x[row * n + i]));
        __syncthreads();  // all have been seen
        if (threadIdx.x == 0) atomicMax(&keys[row], top);
    }
}

__global__ void numbers(float* y, int64_t m) {
    const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < m) y[i] = number(__float_as_uint(y[i]));
}

extern "C" void launch(const float* x /* [m, n] */, float* y /* [m] */, int64_t m, int64_t n, int block_size = 96, cudaStream_t stream = 0) {
    const int64_t parts = (n + kPart - 1) / kPart, jobs = m * parts;
    cudaMemsetAsync(y, 0, m * sizeof(float), stream);
    if (jobs > 0) highest<<<(unsigned)(jobs < 6 ? jobs : 6), block_size, 0, stream>>>(x, reinterpret_cast<unsigned*>(y), n, parts, jobs);
    numbers<<<(unsigned)((m + 127) / 128), 128, 0, stream>>>(y, m);
}
"""
)

# A C programmer with pictures: sums of rows of bytes, by 16 from the first round address on.
PIXELS = (
    HEADER
    + """\
__device__ unsigned four(unsigned word, unsigned sum) { return __dp4a(word, 0x01010101u, sum); }

__global__ void row_sums(const uint8_t *x, int64_t *y, int64_t m, int64_t n)
{
    const int lane = threadIdx.x;
    for (int64_t row = (int64_t)blockIdx.x * 4 + threadIdx.y; row < m; row += (int64_t)gridDim.x * 4) {
        const uint8_t *p = x + row * n;
        const int64_t odd = (16 - (uintptr_t)p % 16) % 16, head = odd < n ? odd : n;
        const int64_t packs = (n - head) / 16;
        const uint4 *q = (const uint4 *)(p + head);
        long long sum = 0;
        for (int64_t i = lane; i < head; i += 32) sum += p[i];
        for (int64_t i = lane; i < packs; i += 32) sum += four(q[i].x, four(q[i].y, four(q[i].z, four(q[i].w, 0))));
        for (int64_t i = head + packs * 16 + lane; i < n; i += 32) sum += p[i];
        for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
        if (lane == 0) y[row] = sum;
    }
}

extern "C" void launch(const uint8_t *x /* [m, n] */, int64_t *y /* [m] */, int64_t m, int64_t n, cudaStream_t stream = 0)
{
    row_sums<<<5, dim3(32, 4), 0, stream>>>(x, y, m, n);
}
"""
)

SHAPES = ((1, 1), (1, 5), (11, 1), (6, 32), (9, 47), (2, 333), (3, 1100), (300, 7))
BLOCKS = (64, 33, 320, 1)
# m, n and k: results down and across, and the numbers that are added.
PRODUCTS = (
    (1, 1, 1),
    (4, 6, 3),
    (16, 32, 16),
    (50, 7, 41),
    (23, 70, 90),
    (130, 40, 9),
    (2, 3, 700),
)
HALF, FLOAT, DOUBLE = (torch.float16,), (torch.float32,), (torch.float64,)
INF, NAN = float("inf"), float("nan")


def _whole(*size: int, limit: int = 40) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, x: tuple, right, dtypes: tuple, scalars=None, **options):
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in x)
    right = right if isinstance(right, tuple) else (right,)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, x, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def turned(launcher: Launcher) -> Iterator[Case]:
    """Turn integers that need all their bits."""
    for size in ((1, 1), (16, 16), (5, 70), (70, 5), (100, 3), (33, 64), (130, 50)):
        x = _whole(*size).int() * 9_876_543
        yield _case("", (x,), x.T.contiguous(), (torch.int32,))


def heads(launcher: Launcher) -> Iterator[Case]:
    """Bring heads before tokens, in fours and not in fours."""
    sizes = (
        (1, 1, 1, 1),
        (1, 3, 2, 4),
        (2, 5, 3, 41),
        (3, 7, 2, 8),
        (2, 4, 4, 12),
        (1, 60, 9, 5),
    )
    for size in sizes:
        for block_size in BLOCKS:
            x, scalars = _whole(*size, limit=9999), {"block_size": block_size}
            yield _case("", (x,), x.transpose(1, 2).contiguous(), FLOAT, scalars)


def turned_pages(launcher: Launcher) -> Iterator[Case]:
    """Turn few and many small matrices, and those that are too large for a block."""
    sizes = (1, 1, 1), (3, 4, 4), (20, 3, 7), (5, 32, 32), (2, 2, 600), (3, 40, 30), (200, 6, 2)
    for size in sizes:
        for block_size in BLOCKS:
            x, scalars = _whole(*size, limit=999).half(), {"block_size": block_size}
            yield _case("", (x,), x.transpose(1, 2).contiguous(), HALF, scalars)


def product(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole halves, whose sums are exact until they are stored; some are too large."""
    for m, n, k in PRODUCTS:
        broken = _whole(m, k)
        broken[m // 2, -1] = INF
        broken[-1, 0] = NAN
        for words, a in (
            ("small", _whole(m, k)),
            ("large", _whole(m, k) + 70),
            ("broken", broken),
        ):
            b = _whole(k, n) + (30 if words == "large" else 0)
            yield _case(words, (a.half(), b.half()), a.double() @ b.double(), HALF)


def bytes_product(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes, also the least ones."""
    for m, n, k in (*PRODUCTS, (3, 2, 2604), (2, 2, 1303)):
        for words, shift in (("usual", 0), ("very negative", -88)):
            a, b = (_whole(m, k) + shift).char(), (_whole(n, k) + shift).char()
            scalars = {"block_size": BLOCKS[(m + n) % 4]}
            yield _case(words, (a, b), a.int() @ b.int().T, (torch.int32,), scalars)


def vector(launcher: Launcher) -> Iterator[Case]:
    """Multiply a matrix by a vector."""
    for m, n in SHAPES:
        for block_size in BLOCKS:
            a, x, scalars = _whole(m, n), _whole(n, limit=30), {"block_size": block_size}
            yield _case("", (a, x), a.double() @ x.double(), FLOAT, scalars)


def _scores(m: int, n: int) -> Iterator[tuple[str, torch.Tensor]]:
    near = _whole(m, n) / 16
    yield from (("near 0", near), ("800 less", near - 800), ("times 250", near * 250))
    yield "times 2^33", near * 2.0**33
    half, middle = (slice(None), slice((n + 1) // 2)), (m // 2, n // 3)
    for words, place, value in (
        ("masked", half, -INF),
        ("a row masked", m // 2, -INF),
        ("a NaN", middle, NAN),
        ("an infinity", middle, INF),
    ):
        odd = near.clone()
        odd[place] = value
        yield words, odd


def softmax(launcher: Launcher) -> Iterator[Case]:
    """Take rows near to and far from 0, with infinities and NaN."""
    for m, n in SHAPES:
        for words, x in _scores(m, n):
            right = torch.softmax(x.double(), dim=1)
            scalars = {"block_size": BLOCKS[(m + len(words)) % 4]}
            options = {"ulp": 12, "within": (2.0**-18 * right.nan_to_num(0) + 2.0**-122,)}
            yield _case(words, (x,), right, FLOAT, scalars, **options)


def warm(launcher: Launcher) -> Iterator[Case]:
    """Take the same rows with several temperatures."""
    for m, n in SHAPES:
        for words, x in _scores(m, n):
            x, temperature = x.bfloat16(), (1.0, 0.7, 3.0)[len(words) % 3]
            right = torch.softmax(x.double() / temperature, dim=1)
            scalars = {"temperature": temperature, "block_size": BLOCKS[(m + n) % 4]}
            options = {"ulp": 1, "within": (2.0**-122 + 0 * right.nan_to_num(0),)}
            if words != "times 2^33":  # where a quotient's last bit is a matter of e^1000
                yield _case(words, (x,), right, (torch.bfloat16,), scalars, **options)


def logs(launcher: Launcher) -> Iterator[Case]:
    """Take the same rows for log-softmax."""
    for m, n in SHAPES:
        for words, x in _scores(m, n):
            right = torch.log_softmax(x.double(), dim=1)
            scalars = {"block_size": BLOCKS[(m + len(words)) % 4]}
            options = {"ulp": 8, "within": (2.0**-20 * (1 + right.nan_to_num(0, 0, 0).abs()),)}
            yield _case(words, (x,), right, FLOAT, scalars, **options)


def _layer(dtype: torch.dtype, bits: int, blocks: bool) -> Iterator[Case]:
    for m, n in SHAPES:
        for scale, shift in ((1.0, 0.0), (1.0, 1000.0), (2.0**-9, 0.0), (0.0, 3.0)):
            x = (_whole(m, n, limit=6) * scale + shift).to(dtype)
            w, b = (_whole(n, limit=3) + 6).to(dtype), _whole(n, limit=5).to(dtype)
            scalars = {"eps": 2.0**-13} | ({"block_size": BLOCKS[m % 4]} if blocks else {})
            mean = x.double().mean(dim=1, keepdim=True)
            var = (x.double() - mean).square().mean(dim=1, keepdim=True)
            rstd = 1 / torch.sqrt(var + scalars["eps"])
            right = (x.double() - mean) * rstd * w.double() + b.double()
            large = x.double().abs().amax(dim=1, keepdim=True)
            slack = 2.0**-bits * (large * rstd * w.double() + right.abs() + b.double().abs())
            options, words = {"ulp": 1, "within": (slack,)}, f"about {shift}, times {scale}"
            yield _case(words, (x, w, b), right, (dtype,), scalars, **options)


def halves_layer(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of small, of usual, of distant and of equal halves."""
    yield from _layer(torch.float16, 19, blocks=False)


def doubles_layer(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of the same numbers as doubles."""
    yield from _layer(torch.float64, 45, blocks=True)


def fused(launcher: Launcher) -> Iterator[Case]:
    """Add and norm rows of zeros, of small, of usual and of large numbers, also in fours."""
    for m, n in (*SHAPES, (7, 64), (3, 700)):
        for scale in (0.0, 2.0**-8, 1.0, 500.0):
            x, res = _whole(m, n, limit=9) * scale, _whole(m, n, limit=8) * scale
            w = (_whole(n, limit=6) + 9) / 4
            scalars = {"eps": 2.0**-12, "block_size": BLOCKS[(m + n) % 4]}
            h = x.double() + res.double()
            root = torch.sqrt(h.square().mean(dim=1, keepdim=True) + scalars["eps"])
            right = h, h / root * w
            yield _case(f"times {scale}", (x, res, w), right, FLOAT * 2, scalars, ulp=16)


def highest(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of mixed, of negative, of very low and of broken rows."""
    for m, n in SHAPES:
        x = _whole(m, n, limit=999) / 8
        broken, low = x.clone(), x - 500
        broken[m // 2, n // 2], low[m // 3] = NAN, -INF
        for words, rows in (("mixed", x), ("negative", x - 200), ("NaN", broken), ("low", low)):
            scalars = {"block_size": BLOCKS[(m + n) % 4]}
            yield _case(words, (rows,), rows.amax(dim=1), FLOAT, scalars)


def pixels(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of dark and of light bytes."""
    for m, n in (*SHAPES, (5, 16), (4, 160), (2, 5003)):
        for words, shift in (("dark", 40), ("light", 215)):
            x = (_whole(m, n) + shift).to(torch.uint8)
            yield _case(words, (x,), x.long().sum(dim=1), (torch.int64,))


BASES = {
    "xxiv_transpose_tiles": Base(TILES, {"cases": turned}),
    "xxiv_transpose_heads": Base(HEADS, {"cases": heads}),
    "xxiv_transpose_small": Base(SMALL, {"cases": turned_pages}),
    "xxiv_product_tiled": Base(TILED, {"cases": product}),
    "xxiv_product_bytes": Base(BYTES, {"cases": bytes_product}),
    "xxiv_product_vector": Base(VECTOR, {"cases": vector}),
    "xxiv_softmax_cached": Base(CACHED, {"cases": softmax}),
    "xxiv_softmax_warm": Base(WARM, {"cases": warm}),
    "xxiv_softmax_tree": Base(TREE, {"cases": logs}),
    "xxiv_norm_welford": Base(WELFORD, {"cases": halves_layer}),
    "xxiv_norm_fused": Base(FUSED, {"cases": fused}),
    "xxiv_norm_plain": Base(PLAIN, {"cases": doubles_layer}),
    "xxiv_rows_keys": Base(KEYS, {"cases": highest}),
    "xxiv_rows_pixels": Base(PIXELS, {"cases": pixels}),
}

WRONG = (
    # The host counts the bytes of the tile without its padding.
    Wrong(
        "xxiv_transpose_tiles_bytes_without_padding",
        "xxiv_transpose_tiles",
        "bounds | sides / tail / race / other element",
        ("side * (side + 1) * sizeof(int32_t)", "side * side * sizeof(int32_t)"),
    ),
    # The guard of the load was copied to the store.
    Wrong(
        "xxiv_transpose_tiles_guard_copied",
        "xxiv_transpose_tiles",
        "bounds / swapped / unwritten / sides / tail | other element / left out / race / twice",
        ("(x0 + ly < width && y0 + lx < height)", "(x0 + lx < width && y0 + ly < height)"),
    ),
    # The launch has three lines of groups at most, and the kernel no loop.
    Wrong(
        "xxiv_transpose_tiles_without_loop",
        "xxiv_transpose_tiles",
        "grid / left out / unwritten | tail / sides",
        (
            "for (int64_t y0 = (int64_t)blockIdx.y * side; y0 < height; y0 += (int64_t)gridDim.y * side) {",
            "const int64_t y0 = (int64_t)blockIdx.y * side;\n    {",
        ),
    ),
    # The next tile is loaded while others still read this one.
    Wrong(
        "xxiv_transpose_tiles_not_free",
        "xxiv_transpose_tiles",
        "race | other element / left out / sides / twice",
        ("        __syncthreads();  // the tile is free\n", ""),
    ),
    # In the launch, rows come first: as many groups across as there are down.
    Wrong(
        "xxiv_transpose_tiles_groups_swapped",
        "xxiv_transpose_tiles",
        "grid / swapped / unwritten / left out / sides | tail",
        ("groups(across, down < 3 ? down : 3);", "groups(down, across < 3 ? across : 3);"),
    ),
    # Only the address of the input is tested.
    Wrong(
        "xxiv_transpose_heads_output_not_round",
        "xxiv_transpose_heads",
        "alignment",
        ("round16(in) && round16(out)", "round16(in)"),
    ),
    # The number of packs is that of the numbers.
    Wrong(
        "xxiv_transpose_heads_as_many_packs",
        "xxiv_transpose_heads",
        "bounds | sides / alignment / other element",
        ("total / 4, tokens,", "total, tokens,"),
    ),
    # A multiplication by the reciprocal is thought to be a faster division.
    Wrong(
        "xxiv_transpose_heads_reciprocal",
        "xxiv_transpose_heads",
        "precision / rounding / other element / sides | narrow / bounds / twice / left out / function",
        ("line = i / dim;", "line = static_cast<int64_t>(i * (1.0f / dim));"),
    ),
    # The number of heads is forgotten in the last quotient.
    Wrong(
        "xxiv_transpose_heads_batch_is_head",
        "xxiv_transpose_heads",
        "bounds / other element / sides | function / left out",
        ("b = line / tokens / heads;", "b = line / tokens;"),
    ),
    # The view of NumPy: shape and strides change, the numbers stay where they are.
    Wrong(
        "xxiv_transpose_heads_stay",
        "xxiv_transpose_heads",
        "copy / function / swapped / sides / other element | left out",
        ("(b * tokens + t) * heads + h)", "(b * heads + h) * tokens + t)"),
    ),
    # One side of 32 or less is thought to be enough for a place in shared memory.
    Wrong(
        "xxiv_transpose_small_one_side_of_32",
        "xxiv_transpose_small",
        "bounds | sides / left out / other element / race",
        ("if (r * c <= FITS)", "if (r <= 32 || c <= 32)"),
    ),
    # The remainder goes by the one side, the quotient by the other.
    Wrong(
        "xxiv_transpose_small_other_divisor",
        "xxiv_transpose_small",
        "other element / sides / swapped / function | bounds / twice / unwritten / start / state / left out / race",
        ("s[j % r * c + j / r]", "s[j % r * c + j / c]"),
    ),
    # A block goes on by its threads, as in a loop over numbers.
    Wrong(
        "xxiv_transpose_small_step_of_threads",
        "xxiv_transpose_small",
        "left out / unwritten / grid / block size | twice / sides / race / tail",
        ("b += gridDim.x) {\n        for", "b += blockDim.x) {\n        for"),
    ),
    # The place in the input is an int again.
    Wrong(
        "xxiv_transpose_small_int_place",
        "xxiv_transpose_small",
        "narrow | bounds / other element / whole range / twice / left out / sides",
        ("s[j] = in[b * n + j];", "s[j] = in[(int)(b * n + j)];"),
    ),
    # Sums are set to zero once, and a block has several tiles.
    Wrong(
        "xxiv_product_tiled_sums_go_on",
        "xxiv_product_tiled",
        "start / twice / other element / zero before | grid / state / numbers / sides / function / left out",
        ("        float upper = 0.0f, lower = 0.0f;\n", ""),
        ("ty = threadIdx.y;\n", "ty = threadIdx.y;\n    float upper = 0.0f, lower = 0.0f;\n"),
    ),
    # B is 0 past the common side, so that A need not be, it is thought.
    Wrong(
        "xxiv_product_tiled_zeros_of_b_do",
        "xxiv_product_tiled",
        "bounds / nan / infinity | tail / other element / sides / numbers",
        ("sA[ty][tx] = y < m && s + tx < k ?", "sA[ty][tx] = y < m ?"),
    ),
    # The sums are kept as halves from tile to tile.
    Wrong(
        "xxiv_product_tiled_halves_between",
        "xxiv_product_tiled",
        "precision / rounding | numbers / infinity / whole range / narrow / sides / nan",
        (
            "            __syncthreads();  // used",
            "            upper = __half2float(__float2half(upper)), lower = __half2float(__float2half(lower));\n            __syncthreads();  // used",
        ),
    ),
    # What is too large for a half becomes the largest one.
    Wrong(
        "xxiv_product_tiled_largest_half",
        "xxiv_product_tiled",
        "infinity / nan / whole range / numbers | function",
        ("__float2half(upper);", "__float2half(fminf(fmaxf(upper, -65504.0f), 65504.0f));"),
        ("__float2half(lower);", "__float2half(fminf(fmaxf(lower, -65504.0f), 65504.0f));"),
    ),
    # The result is cut off, as a C cast from float to int would do.
    Wrong(
        "xxiv_product_tiled_cut_off",
        "xxiv_product_tiled",
        "rounding | precision / infinity / numbers / whole range",
        ("__float2half(upper);", "__float2half_rz(upper);"),
        ("__float2half(lower);", "__float2half_rz(lower);"),
    ),
    # Only the first matrix's address is tested.
    Wrong(
        "xxiv_product_bytes_one_address",
        "xxiv_product_bytes",
        "alignment | sides",
        ("if ((uintptr_t)a % 4 == 0 && (uintptr_t)b % 4 == 0)", "if ((uintptr_t)a % 4 == 0)"),
    ),
    # The last word may begin in the row and end in the next one.
    Wrong(
        "xxiv_product_bytes_last_word",
        "xxiv_product_bytes",
        "bounds / tail / other element | sides / function / twice / alignment",
        ("p + 4 <= k; p += 4", "p < k; p += 4"),
    ),
    # Words are taken as unsigned, and their bytes with them.
    Wrong(
        "xxiv_product_bytes_unsigned",
        "xxiv_product_bytes",
        "whole range / numbers / function | narrow / alignment / sides",
        (
            "__dp4a(*(const int*)(a + p), *(const int*)(b + p), sum);",
            "__dp4a(*(const uint32_t*)(a + p), *(const uint32_t*)(b + p), (uint32_t)sum);",
        ),
    ),
    # The sum is a float.
    Wrong(
        "xxiv_product_bytes_float_sum",
        "xxiv_product_bytes",
        "precision / rounding / narrow | numbers / whole range / sides",
        ("int sum = 0;", "float sum = 0;"),
    ),
    # The size of the memset is one of floats, and should be one of bytes.
    Wrong(
        "xxiv_product_vector_memset_of_numbers",
        "xxiv_product_vector",
        "zero before / state / start | left out / twice / nan / numbers / sides / tail / unwritten / infinity",
        ("m * sizeof(float), stream", "m, stream"),
    ),
    # The memset goes to the default stream.
    Wrong(
        "xxiv_product_vector_memset_elsewhere",
        "xxiv_product_vector",
        "stream | race / zero before / state / start",
        ("Async(y, 0, m * sizeof(float), stream);", "(y, 0, m * sizeof(float));"),
    ),
    # The part of the vector is taken to begin at 0.
    Wrong(
        "xxiv_product_vector_first_part_of_x",
        "xxiv_product_vector",
        "other element / left out / function | twice / sides / numbers / copy",
        ("* x[j];", "* x[j - from];"),
    ),
    # Threads of several blocks add to a row's number, without an atomic.
    Wrong(
        "xxiv_product_vector_no_atomic",
        "xxiv_product_vector",
        "race | left out / numbers / sides / other element / grid",
        ("atomicAdd(&y[row], sum);", "y[row] += sum;"),
    ),
    # All of a row is kept, for which there is no room.
    Wrong(
        "xxiv_softmax_cached_all_kept",
        "xxiv_softmax_cached",
        "bounds | sides / tail / race",
        ("if (i < kRoom) kept[i] = v;", "kept[i] = v;"),
    ),
    # The maximum starts at 0.
    Wrong(
        "xxiv_softmax_cached_from_zero",
        "xxiv_softmax_cached",
        "start / numbers | infinity / nan / subnormal / precision / function / whole range",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # The powers that find no room are kept in the input.
    Wrong(
        "xxiv_softmax_cached_rest_in_input",
        "xxiv_softmax_cached",
        "input | state / race / sides",
        ("kept[i] = e;", "kept[i] = e;\n            else const_cast<float*>(in)[i] = e;"),
        ("expf(in[i] - top)) / sum;", "in[i]) / sum;"),
    ),
    # There is room for the numbers of eight warps.
    Wrong(
        "xxiv_softmax_cached_eight_warps",
        "xxiv_softmax_cached",
        "bounds / block size | race / left out / other element",
        ("float part[32];", "float part[8];"),
    ),
    # The power is taken again of what is one.
    Wrong(
        "xxiv_softmax_cached_power_of_power",
        "xxiv_softmax_cached",
        "twice / function | numbers / infinity / sides / whole range / nan / precision",
        (
            "(i < kRoom ? kept[i] : expf(in[i] - top)) / sum;",
            "expf((i < kRoom ? kept[i] : in[i]) - top) / sum;",
        ),
    ),
    # The sum misses the last hop: each half of a warp has its own.
    Wrong(
        "xxiv_softmax_warm_half_a_warp",
        "xxiv_softmax_warm",
        "left out / function / other element | sides / numbers / tail / infinity / nan",
        ("o < 32; o <<= 1) sum", "o < 16; o <<= 1) sum"),
    ),
    # Powers of two are faster, but they are others.
    Wrong(
        "xxiv_softmax_warm_powers_of_two",
        "xxiv_softmax_warm",
        "function | numbers / precision / infinity",
        ("sum += expf(", "sum += exp2f("),
        ("p = expf(", "p = exp2f("),
    ),
    # The quotient is rounded to bfloat16 where the result is formed.
    Wrong(
        "xxiv_softmax_warm_rounded_quotient",
        "xxiv_softmax_warm",
        "rounding / precision | numbers / function / infinity",
        (
            "p = expf(__bfloat162float(in[i]) / temperature - top)",
            "p = expf(__bfloat162float(__float2bfloat16(__bfloat162float(in[i]) / temperature)) - top)",
        ),
    ),
    # A warp goes on by as many rows as the grid has threads.
    Wrong(
        "xxiv_softmax_warm_step_of_threads",
        "xxiv_softmax_warm",
        "grid / left out / unwritten / block size | sides / tail",
        ("(int64_t)gridDim.x * (blockDim.x / 32);", "(int64_t)gridDim.x * blockDim.x;"),
    ),
    # A fast thread writes its sum where a slow one still has to read the maximum.
    Wrong(
        "xxiv_softmax_tree_maximum_lost",
        "xxiv_softmax_tree",
        "race | start / numbers / nan / infinity / other element / block size / function / sides / left out",
        ("        __syncthreads();  // all have the maximum\n", ""),
    ),
    # The logarithm of what softmax gives.
    Wrong(
        "xxiv_softmax_tree_log_of_softmax",
        "xxiv_softmax_tree",
        "infinity / precision / subnormal / numbers / whole range | nan / function / rounding",
        ("= (in[i] - top) - logSum;", "= logf(expf(in[i] - top) / scratch[0]);"),
    ),
    # The logarithm is added to a maximum that may be large.
    Wrong(
        "xxiv_softmax_tree_log_swallowed",
        "xxiv_softmax_tree",
        "precision / rounding / numbers | infinity / whole range / left out / function",
        ("= (in[i] - top) - logSum;", "= in[i] - (top + logSum);"),
    ),
    # The sum starts with the thread's maximum, which the name held before.
    Wrong(
        "xxiv_softmax_tree_sum_from_maximum",
        "xxiv_softmax_tree",
        "start | numbers / function / infinity / nan / other element / twice / zero before / block size / sides",
        ("        acc = 0.0f;\n", ""),
    ),
    # The tree is that of the usual group.
    Wrong(
        "xxiv_softmax_tree_of_128",
        "xxiv_softmax_tree",
        "block size / left out | numbers / sides / function / infinity / nan / other element",
        ("while (2 * half < block_size)", "while (2 * half < 128)"),
    ),
    # Two means are joined as if as many numbers stood behind each.
    Wrong(
        "xxiv_norm_welford_equal_parts",
        "xxiv_norm_welford",
        "function / sides / tail | numbers / precision / left out / other element / twice",
        ("f = (float)b.n / (float)n;", "f = 0.5f;"),
    ),
    # Two lanes without a number have a mean of 0 / 0.
    Wrong(
        "xxiv_norm_welford_two_empty_lanes",
        "xxiv_norm_welford",
        "nan / sides | tail / start / numbers / infinity / function",
        ("    if (n == 0) return a;\n", ""),
    ),
    # Epsilon is the usual one, whatever the caller says.
    Wrong(
        "xxiv_norm_welford_usual_eps",
        "xxiv_norm_welford",
        "left out / function / numbers | precision / copy",
        ("(float)s.n + eps);", "(float)s.n + 1e-5f);"),
    ),
    # What is normed is rounded to a half before weight and bias come to it.
    Wrong(
        "xxiv_norm_welford_rounded_between",
        "xxiv_norm_welford",
        "rounding / precision | numbers",
        (
            "v * __half2float(weight[i])",
            "__half2float(__float2half(v)) * __half2float(weight[i])",
        ),
    ),
    # The weight is that of the lane.
    Wrong(
        "xxiv_norm_welford_weight_of_lane",
        "xxiv_norm_welford",
        "other element / sides / tail | function / left out / twice",
        ("weight[i]", "weight[lane]"),
    ),
    # The weight came later, and its address is not tested.
    Wrong(
        "xxiv_norm_fused_weight_not_round",
        "xxiv_norm_fused",
        "alignment",
        (" | (uintptr_t)w |", " |"),
    ),
    # The mean is taken over the packs.
    Wrong(
        "xxiv_norm_fused_mean_of_packs",
        "xxiv_norm_fused",
        "function / sides | numbers / alignment / precision / left out / other element",
        ("rsqrtf(total / d + eps)", "rsqrtf(total / packs + eps)"),
    ),
    # The residual is brought up to date, as in the version that works in place.
    Wrong(
        "xxiv_norm_fused_in_place",
        "xxiv_norm_fused",
        "input | state / twice / race",
        ("h[at + i] = v;", "h[at + i] = v;\n            const_cast<P*>(res)[at + i] = v;"),
    ),
    # Four warps are added up, as the default has them.
    Wrong(
        "xxiv_norm_fused_four_warps",
        "xxiv_norm_fused",
        "block size / left out / start | unwritten / state / race / numbers / nan / infinity / sides / function",
        ("i < blockDim.x / 32; ++i", "i < 4; ++i"),
    ),
    # -1 / 2 is 0: an integer.
    Wrong(
        "xxiv_norm_plain_integer_power",
        "xxiv_norm_plain",
        "function / left out / rounding | numbers / copy",
        ("pow(var + eps, -0.5)", "pow(var + eps, -1 / 2)"),
    ),
    # The squares are added to the sum.
    Wrong(
        "xxiv_norm_plain_sum_goes_on",
        "xxiv_norm_plain",
        "start / function | numbers / zero before / state / twice / nan / other element",
        ("        sum = 0;\n", ""),
    ),
    # There are as many blocks as the default size needs.
    Wrong(
        "xxiv_norm_plain_blocks_of_64",
        "xxiv_norm_plain",
        "block size / grid / unwritten / left out | tail / sides",
        ("(rows + block_size - 1) / block_size)", "(rows + 63) / 64)"),
    ),
    # The last maximum is one of signed numbers.
    Wrong(
        "xxiv_rows_keys_signed",
        "xxiv_rows_keys",
        "numbers / whole range / function / nan / start | narrow / left out / infinity / copy / zero before",
        ("atomicMax(&keys[row], top);", "atomicMax((int*)&keys[row], (int)top);"),
    ),
    # Only the sign is turned: of two negative numbers the lower one wins.
    Wrong(
        "xxiv_rows_keys_sign_only",
        "xxiv_rows_keys",
        "numbers / function | start / other element / infinity / swapped / sign of zero / nan / whole range",
        ("return bits >> 31 ? ~bits : bits | 0x80000000u;", "return bits ^ 0x80000000u;"),
        ("(k >> 31 ? k & 0x7fffffffu : ~k)", "(k ^ 0x80000000u)"),
    ),
    # NaN is less than all.
    Wrong(
        "xxiv_rows_keys_nan_is_least",
        "xxiv_rows_keys",
        "nan | left out / numbers",
        ("return 0xffffffffu;", "return 0;"),
    ),
    # The keys start with what the output holds.
    Wrong(
        "xxiv_rows_keys_not_set",
        "xxiv_rows_keys",
        "zero before / state / start | numbers / nan / infinity / twice",
        ("    cudaMemsetAsync(y, 0, m * sizeof(float), stream);\n", ""),
    ),
    # All bits set are thought to be the least integer.
    Wrong(
        "xxiv_rows_keys_all_bits_set",
        "xxiv_rows_keys",
        "start / zero before / function / nan | numbers / left out / copy",
        ("cudaMemsetAsync(y, 0,", "cudaMemsetAsync(y, 0xff,"),
    ),
    # The blocks of the last kernel were made smaller, and their number was not changed.
    Wrong(
        "xxiv_rows_keys_smaller_blocks",
        "xxiv_rows_keys",
        "block size / left out / grid / unwritten | tail / numbers / function / sides / nan",
        ("((m + 127) / 128), 128,", "((m + 127) / 128), 96,"),
    ),
    # The address of the matrix is rounded up, and not that of the row.
    Wrong(
        "xxiv_rows_pixels_first_address",
        "xxiv_rows_pixels",
        "alignment | sides",
        ("(uintptr_t)p % 16)", "(uintptr_t)x % 16)"),
    ),
    # A row may end before the first round address.
    Wrong(
        "xxiv_rows_pixels_head_of_short_rows",
        "xxiv_rows_pixels",
        "bounds / other element / tail / sides | twice / alignment / function",
        ("head = odd < n ? odd : n;", "head = odd;"),
    ),
    # The head is not taken off before the packs are counted.
    Wrong(
        "xxiv_rows_pixels_a_pack_too_many",
        "xxiv_rows_pixels",
        "bounds / other element / tail | alignment / sides / twice / function",
        ("packs = (n - head) / 16;", "packs = n / 16;"),
    ),
    # The tail begins where it would if there were no head.
    Wrong(
        "xxiv_rows_pixels_tail_without_head",
        "xxiv_rows_pixels",
        "twice / tail / function | alignment / other element / sides / numbers",
        ("i = head + packs * 16 + lane;", "i = packs * 16 + lane;"),
    ),
    # The bytes of a word are taken as signed.
    Wrong(
        "xxiv_rows_pixels_signed",
        "xxiv_rows_pixels",
        "numbers / whole range / function | alignment / narrow / sides",
        ("__dp4a(word, 0x01010101u, sum);", "__dp4a((int)word, 0x01010101, (int)sum);"),
    ),
    # Sixteen bits are thought to be enough for sums of eight.
    Wrong(
        "xxiv_rows_pixels_sixteen_bits",
        "xxiv_rows_pixels",
        "narrow / whole range | sides / numbers / left out / function",
        ("long long sum = 0;", "uint16_t sum = 0;"),
    ),
)

RIGHT = (
    # Groups of 81 threads.
    Right(
        "xxiv_transpose_tiles_nines",
        "xxiv_transpose_tiles",
        ("int side = 16;", "int side = 9;"),
    ),
    # Packs only for even numbers of packs.
    Right(
        "xxiv_transpose_heads_eights",
        "xxiv_transpose_heads",
        ("if (dim % 4 == 0", "if (dim % 8 == 0"),
    ),
    # The matrix is turned when it is loaded, and not when it is stored.
    Right(
        "xxiv_transpose_small_turned_at_once",
        "xxiv_transpose_small",
        ("s[j] = in[b * n + j];", "s[j % c * r + j / c] = in[b * n + j];"),
        ("s[j % r * c + j / r];", "s[j];"),
    ),
    # Tiles of seven.
    Right("xxiv_product_tiled_sevens", "xxiv_product_tiled", ("T = 16;", "T = 7;")),
    # The last product comes first.
    Right(
        "xxiv_product_tiled_backwards",
        "xxiv_product_tiled",
        ("for (int i = 0; i < T; i++)", "for (int i = T - 1; i >= 0; i--)"),
    ),
    # The side less three may be negative, and then there is no word.
    Right("xxiv_product_bytes_less_three", "xxiv_product_bytes", ("p + 4 <= k;", "p < k - 3;")),
    # A part is one number: as many atomics as numbers.
    Right(
        "xxiv_product_vector_parts_of_one",
        "xxiv_product_vector",
        ("kPart = 200;", "kPart = 1;"),
    ),
    # Three numbers are kept of a row.
    Right("xxiv_softmax_cached_three", "xxiv_softmax_cached", ("kRoom = 512;", "kRoom = 3;")),
    # The lowest finite number: a row without any other one is NaN all the same.
    Right(
        "xxiv_softmax_warm_from_lowest",
        "xxiv_softmax_warm",
        ("top = -INFINITY;", "top = -FLT_MAX;"),
    ),
    # The tree is that of the largest group; the empty steps do nothing.
    Right(
        "xxiv_softmax_tree_of_1024", "xxiv_softmax_tree", ("int half = 1;", "int half = 512;")
    ),
    # Lane 31 begins.
    Right(
        "xxiv_norm_welford_lanes_turned_round",
        "xxiv_norm_welford",
        (
            "0.0f};\n        for (int64_t i = lane;",
            "0.0f};\n        for (int64_t i = 31 - lane;",
        ),
    ),
    # The sum is formed again, and not read.
    Right(
        "xxiv_norm_fused_added_again",
        "xxiv_norm_fused",
        ("times(h[at + i],", "times(plus(x[at + i], res[at + i]),"),
    ),
    # The sum begins with the last number.
    Right(
        "xxiv_norm_plain_backwards",
        "xxiv_norm_plain",
        ("int64_t j = 0; j < cols; j++) sum", "int64_t j = cols - 1; j >= 0; j--) sum"),
    ),
    # Both ways of the bits without a question.
    Right(
        "xxiv_rows_keys_without_question",
        "xxiv_rows_keys",
        ("bits >> 31 ? ~bits : bits | 0x80000000u;", "bits ^ (-(bits >> 31) | 0x80000000u);"),
        ("(k >> 31 ? k & 0x7fffffffu : ~k)", "(k ^ (((k >> 31) - 1u) | 0x80000000u))"),
    ),
    # Parts of seven, in blocks of many more threads.
    Right("xxiv_rows_keys_parts_of_seven", "xxiv_rows_keys", ("kPart = 300;", "kPart = 7;")),
    # The way up to a round address is the negative one's rest.
    Right(
        "xxiv_rows_pixels_negative_address",
        "xxiv_rows_pixels",
        ("(16 - (uintptr_t)p % 16) % 16,", "-(uintptr_t)p & 15,"),
    ),
)
