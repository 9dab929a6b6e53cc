"""Hold a twenty-sixth family: ordinary additions, casts, activations, sums and maxima.

Plain kernels with everyday mistakes. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and 69 of the 71 wrong
ones wrong, or refused by a fault, some only so:

    xxvi_add_tutorial_int           from 2^31 elements on
    xxvi_add_tutorial_256           by another block size than 256
    xxvi_add_float4_b_anywhere      if b is a slice
    xxvi_add_half2_stride_twice     if the limited number of blocks has more than one turn
    xxvi_add_half2_no_loop          likewise
    xxvi_add_axpby_product_rounded  where the sum is much smaller than its terms
    xxvi_cast_half_clamped          of numbers past 65,504
    xxvi_cast_image_static          from the second deviation on
    xxvi_act_leaky_fmaxf            by a slope above 1
    xxvi_act_leaky_two_questions    of NaN
    xxvi_act_leaky_no_block_index   of more than one block
    xxvi_act_silu_half_exponential  of numbers below -11
    xxvi_act_silu_odd_copied        of an odd number of elements
    xxvi_act_bias_tanh_of_thread    if the block size is no multiple of the columns
    xxvi_act_bias_tanh_by_hand      of large numbers by far, a little also of small ones
    xxvi_sum_tree_no_memset         if the output was not zero before
    xxvi_sum_shuffle_room_for_eight by block sizes past 256
    xxvi_sum_shuffle_half_sum       of sums past 2,048
    xxvi_sum_dot_zero_in_kernel     if the first block is not the first to end
    xxvi_sum_variance_one_pass      of numbers far from zero
    xxvi_max_floats_first_32        from 4,097 elements on
    xxvi_min_ints_memset            of numbers past 0x7f7f7f7f only

Two are wrong by reasoning:

    xxvi_add_float4_rest_no_stream  if `stream` does not wait for the default stream
    xxvi_min_ints_look_then_write   if two warps look before one of them writes (in a trace)
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import twentysixth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# ---- additions -------------------------------------------------------------------------------

# A beginner with the toolkit's first sample.
TUTORIAL = (
    HEADER
    + """\
__global__ void vectorAdd(const float *A, const float *B, float *C, int64_t numElements)
{
    int64_t i = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;

    if (i < numElements)
    {
        C[i] = A[i] + B[i];
    }
}

extern "C" void launch(const float *A /* [n] */, const float *B /* [n] */, float *C /* [n] */, int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    int64_t blocksPerGrid = (n + block_size - 1) / block_size;
    vectorAdd<<<(unsigned)blocksPerGrid, block_size, 0, stream>>>(A, B, C, n);
}
"""
)

# A student of the lesson on vectors: two kernels, one for fours and one for what is left.
FLOAT4 = (
    HEADER
    + """\
__global__ void add4(const float4* a, const float4* b, float4* c, int64_t n4) {
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i >= n4) return;
    const float4 u = a[i], v = b[i];
    float4 w;
    w.x = u.x + v.x;
    w.y = u.y + v.y;
    w.z = u.z + v.z;
    w.w = u.w + v.w;
    c[i] = w;
}

__global__ void add_rest(const float* a, const float* b, float* c, int64_t start, int64_t n) {
    const int64_t i = start + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" void launch(const float* a,  // [n] 16-byte aligned
                       const float* b,  // [n] 16-byte aligned
                       float* c,        // [n] 16-byte aligned
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t n4 = n / 4;
    const int64_t blocks = (n4 + block_size - 1) / block_size;
    if (n4 > 0) {
        add4<<<(unsigned)blocks, block_size, 0, stream>>>((const float4*)a, (const float4*)b, (float4*)c, n4);
    }
    add_rest<<<1, 4, 0, stream>>>(a, b, c, 4 * n4, n);
}
"""
)

# A junior who speeds up a model: pairs in a grid-stride loop, and one thread for an odd one.
HALF2 = (
    HEADER
    + """\
#define MAX_BLOCKS 24

__global__ void residual_add(const __half* x, const __half* y, __half* z, int64_t n) {
    int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    const __half2* x2 = reinterpret_cast<const __half2*>(x);
    const __half2* y2 = reinterpret_cast<const __half2*>(y);
    __half2* z2 = reinterpret_cast<__half2*>(z);
    for (int64_t i = idx; i < n / 2; i += stride) {
        z2[i] = __hadd2(x2[i], y2[i]);
    }
    if (idx == 0 && n % 2 == 1) {
        z[n - 1] = __hadd(x[n - 1], y[n - 1]);
    }
}

extern "C" void launch(const __half* x,  // [n] 4-byte aligned
                       const __half* y,  // [n] 4-byte aligned
                       __half* z,        // [n] 4-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    residual_add<<<(unsigned)blocks, block_size, 0, stream>>>(x, y, z, n);
}
"""
)

# Somebody who knows BLAS, in bfloat16.
AXPBY = (
    HEADER
    + """\
__global__ void axpby_kernel(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* out, int64_t n, float alpha, float beta)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x) {
        const float xv = __bfloat162float(x[i]);
        const float yv = __bfloat162float(y[i]);
        out[i] = __float2bfloat16(alpha * xv + beta * yv);
    }
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                      const __nv_bfloat16* y,  // [n]
                      __nv_bfloat16* out,      // [n]
                      int64_t n, float alpha = 1.0f, float beta = 1.0f, int block_size = 256, cudaStream_t stream = 0)
{
    const int blocks = 8;
    axpby_kernel<<<blocks, block_size, 0, stream>>>(x, y, out, n, alpha, beta);
}
"""
)

# A student of image processing: the mean of two pictures, rounded up, four bytes a thread.
AVERAGE = (
    HEADER
    + """\
typedef unsigned char uchar;

__device__ uchar avg(uchar p, uchar q) {
    int s = p + q + 1;
    return (uchar)(s >> 1);
}

__global__ void blend(const uchar* img1, const uchar* img2, uchar* dst, int64_t n) {
    int64_t tid = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t base = tid * 4;
    if (base + 3 < n) {
        uchar4 p = ((const uchar4*)img1)[tid];
        uchar4 q = ((const uchar4*)img2)[tid];
        ((uchar4*)dst)[tid] = make_uchar4(avg(p.x, q.x), avg(p.y, q.y), avg(p.z, q.z), avg(p.w, q.w));
    } else {
        for (int64_t k = base; k < n; k++) dst[k] = avg(img1[k], img2[k]);
    }
}

extern "C" void launch(const uint8_t* img1,  // [n] 4-byte aligned
                       const uint8_t* img2,  // [n] 4-byte aligned
                       uint8_t* dst,         // [n] 4-byte aligned
                       int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    int64_t threads = (n + 3) / 4;
    int64_t blocks = (threads + block_size - 1) / block_size;
    blend<<<(unsigned)blocks, block_size, 0, stream>>>(img1, img2, dst, n);
}
"""
)

# ---- casts -----------------------------------------------------------------------------------

# A reader of the programming guide: two floats become a half2.
TO_HALF = (
    HEADER
    + """\
__global__ void float_to_half(const float* __restrict__ in, half* __restrict__ out, int64_t n) {
    const int64_t i = 2 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        const float2 f = *reinterpret_cast<const float2*>(&in[i]);
        *reinterpret_cast<half2*>(&out[i]) = __floats2half2_rn(f.x, f.y);
    } else if (i < n) {
        out[i] = __float2half(in[i]);
    }
}

extern "C" void launch(const float* in,  // [n] 8-byte aligned
                        half* out,        // [n] 4-byte aligned
                        int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t per_block = 2 * (int64_t)block_size;
    const dim3 grid((unsigned)((n + per_block - 1) / per_block));
    float_to_half<<<grid, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Somebody who feeds pictures to a network: bytes become floats about zero.
IMAGE = (
    HEADER
    + """\
__global__ void normalize(const uint8_t* pixels, float* out, int64_t n, float mean, float inv_std) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = (pixels[i] / 255.0f - mean) * inv_std;
    }
}

extern "C" void launch(const uint8_t* pixels /* [n] */, float* out /* [n] */, int64_t n, float mean = 0.5f, float std = 0.5f, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t grid_size = (n + block_size - 1) / block_size;
    const float inv_std = 1.0f / std;
    normalize<<<(unsigned)grid_size, block_size, 0, stream>>>(pixels, out, n, mean, inv_std);
}
"""
)

# ---- activations -----------------------------------------------------------------------------

# A student of deep learning: the grid-stride loop as the blog has it.
LEAKY = (
    HEADER
    + """\
__global__ void leaky_relu(int64_t n, float slope, const float *x, float *y)
{
    int64_t index = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t stride = (int64_t)blockDim.x * gridDim.x;
    for (int64_t i = index; i < n; i += stride) {
        float v = x[i];
        y[i] = v > 0.0f ? v : slope * v;
    }
}

extern "C" void launch(const float *x /* [n] */, float *y /* [n] */, int64_t n, float slope = 0.01f, int block_size = 256, cudaStream_t stream = 0)
{
    int numBlocks = (int)((n + 4 * (int64_t)block_size - 1) / (4 * (int64_t)block_size));
    leaky_relu<<<numBlocks, block_size, 0, stream>>>(n, slope, x, y);
}
"""
)

# A draft for the GELU of GPT-2, in half precision.
GELU = (
    HEADER
    + """\
__global__ void gelu_forward(const half* inp, half* out, int64_t N) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        const float x = __half2float(inp[i]);
        const float cube = 0.044715f * x * x * x;
        const float t = tanhf(0.7978845608f * (x + cube));
        out[i] = __float2half(0.5f * x * (1.0f + t));
    }
}

extern "C" void launch(const half* inp /* [N] */, half* out /* [N] */, int64_t N, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t grid_size = (N + block_size - 1) / block_size;
    gelu_forward<<<(unsigned)grid_size, block_size, 0, stream>>>(inp, out, N);
}
"""
)

# Somebody who ports LLaMA: pairs, floats on the way.
SILU = (
    HEADER
    + """\
__device__ __forceinline__ float silu(float v) {
    return v / (1.0f + expf(-v));
}

__global__ void silu_kernel(const half* __restrict__ x, half* __restrict__ y, int64_t n) {
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t pairs = n / 2;
    if (t < pairs) {
        float2 v = __half22float2(((const half2*)x)[t]);
        v.x = silu(v.x);
        v.y = silu(v.y);
        ((half2*)y)[t] = __float22half2_rn(v);
    }
    if (t == 0 && (n & 1)) {
        y[n - 1] = __float2half(silu(__half2float(x[n - 1])));
    }
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       half* y,        // [n] 4-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t pairs = (n + 1) / 2;
    silu_kernel<<<(unsigned)((pairs + block_size - 1) / block_size), block_size, 0, stream>>>(x, y, n);
}
"""
)

# A student who fuses two layers: a bias for each column, and tanh.
BIAS_TANH = (
    HEADER
    + """\
__global__ void bias_tanh(const float* in, const float* bias, float* out, int64_t rows, int64_t cols) {
    int64_t gid = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;
    if (gid >= rows * cols) return;
    float z = in[gid] + bias[gid % cols];
    out[gid] = tanhf(z);
}

extern "C" void launch(const float* in /* [rows, cols] */, const float* bias /* [cols] */, float* out /* [rows, cols] */, int64_t rows, int64_t cols, int block_size = 192, cudaStream_t stream = 0) {
    int64_t total = rows * cols;
    bias_tanh<<<(unsigned)((total + block_size - 1) / block_size), block_size, 0, stream>>>(in, bias, out, rows, cols);
}
"""
)

# A junior who writes an optimizer: SGD with momentum and weight decay.
SGD = (
    HEADER
    + """\
__global__ void sgd_step(const float* param, const float* grad, const float* momentum, float* new_param, float* new_momentum, int64_t n, float lr, float mu, float wd) {
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i < n) {
        const float p = param[i];
        float g = grad[i];
        g += wd * p;
        const float v = mu * momentum[i] + g;
        new_momentum[i] = v;
        new_param[i] = p - lr * v;
    }
}

extern "C" void launch(const float* param /* [n] */, const float* grad /* [n] */, const float* momentum /* [n] */, float* new_param /* [n] */, float* new_momentum /* [n] */, int64_t n, float lr = 0.125f, float mu = 0.5f, float wd = 0.0f, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    sgd_step<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(param, grad, momentum, new_param, new_momentum, n, lr, mu, wd);
}
"""
)

# ---- sums ------------------------------------------------------------------------------------

# A student after the lecture on reductions: one element a thread, and a tree.
TREE = (
    HEADER
    + """\
#define BLOCK 256

__global__ void reduce(const float *g_in, float *g_out, int64_t n)
{
    __shared__ float sdata[BLOCK];
    unsigned int tid = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? g_in[i] : 0.0f;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(g_out, sdata[0]);
}

extern "C" void launch(const float *x /* [n] */, float *out /* [1] */, int64_t n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks > 0)
        reduce<<<(unsigned)blocks, BLOCK, 0, stream>>>(x, out, n);
}
"""
)

# From an old blog: the same kernel adds the blocks' sums, in halves first and then in floats.
SHUFFLE = (
    HEADER
    + """\
__inline__ __device__ float warpReduceSum(float val) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(0xffffffff, val, offset);
    return val;
}

__inline__ __device__ float blockReduceSum(float val) {
    static __shared__ float shared[32];
    int lane = threadIdx.x % warpSize;
    int wid = threadIdx.x / warpSize;
    val = warpReduceSum(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
    if (wid == 0) val = warpReduceSum(val);
    return val;
}

__device__ float as_float(half v) { return __half2float(v); }
__device__ float as_float(float v) { return v; }

template <typename T>
__global__ void deviceReduceKernel(const T* in, float* out, int64_t N) {
    float sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += (int64_t)blockDim.x * gridDim.x) {
        sum += as_float(in[i]);
    }
    sum = blockReduceSum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

extern "C" void launch(const half* in /* [N] */, float* out /* [1] */, int64_t N, int block_size = 512, cudaStream_t stream = 0) {
    int threads = (block_size + 31) / 32 * 32;
    int64_t wanted = (N + threads - 1) / threads;
    int blocks = wanted < 20 ? (int)wanted : 20;
    float* partial = nullptr;
    cudaMallocAsync((void**)&partial, blocks * sizeof(float), stream);
    deviceReduceKernel<half><<<blocks, threads, 0, stream>>>(in, partial, N);
    deviceReduceKernel<float><<<1, 1024, 0, stream>>>(partial, out, blocks);
    cudaFreeAsync(partial, stream);
}
"""
)

# A reader of "CUDA by Example" who needs more digits: the dot product in doubles.
DOT = (
    HEADER
    + """\
__global__ void dot(const float *a, const float *b, double *c, int64_t n) {
    extern __shared__ double cache[];
    int64_t tid = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;
    double temp = 0;
    while (tid < n) {
        temp += (double)a[tid] * b[tid];
        tid += (int64_t)blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }
    if (cacheIndex == 0) atomicAdd(c, cache[0]);
}

extern "C" void launch(const float *a /* [n] */, const float *b /* [n] */, double *c /* [1] */, int64_t n, cudaStream_t stream = 0) {
    const int threadsPerBlock = 128;
    const int blocksPerGrid = 12;
    cudaMemsetAsync(c, 0, sizeof(double), stream);
    dot<<<blocksPerGrid, threadsPerBlock, threadsPerBlock * sizeof(double), stream>>>(a, b, c, n);
}
"""
)

# A student of statistics: the sample variance by one block, in two passes.
VARIANCE = (
    HEADER
    + """\
constexpr int THREADS = 256;

__device__ double block_sum(double mine, double* buf) {
    const int t = threadIdx.x;
    buf[t] = mine;
    __syncthreads();
    for (int half_width = THREADS / 2; half_width >= 1; half_width /= 2) {
        if (t < half_width) buf[t] = buf[t] + buf[t + half_width];
        __syncthreads();
    }
    const double total = buf[0];
    __syncthreads();  // buf may be used again
    return total;
}

__global__ void variance(const float* data, float* var, int64_t n) {
    __shared__ double buf[THREADS];
    double acc = 0.0;
    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
        acc += data[i];
    }
    const double mean = block_sum(acc, buf) / n;
    acc = 0.0;
    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
        const double diff = data[i] - mean;
        acc += diff * diff;
    }
    const double squares = block_sum(acc, buf);
    if (threadIdx.x == 0) var[0] = (float)(squares / (n - 1));
}

extern "C" void launch(const float* data /* [n] */, float* var /* [1] */, int64_t n, cudaStream_t stream = 0) {
    variance<<<1, THREADS, 0, stream>>>(data, var, n);
}
"""
)

# ---- maxima and minima -----------------------------------------------------------------------

# A beginner: each block writes its maximum, and a second kernel takes the largest of those.
MAXIMUM = (
    HEADER
    + """\
const int NB = 48;   // blocks
const int NT = 128;  // threads

__global__ void maxPerBlock(const float *v, float *blockMax, int64_t n)
{
    __shared__ float sh[NT];
    float best = -INFINITY;
    for (int64_t i = (int64_t)blockIdx.x * NT + threadIdx.x; i < n; i += NB * NT)
        if (v[i] > best) best = v[i];
    sh[threadIdx.x] = best;
    __syncthreads();
    for (int k = NT / 2; k > 0; k /= 2) {
        if (threadIdx.x < k)
            sh[threadIdx.x] = fmaxf(sh[threadIdx.x], sh[threadIdx.x + k]);
        __syncthreads();
    }
    if (threadIdx.x == 0) blockMax[blockIdx.x] = sh[0];
}

__global__ void maxOfBlocks(const float *blockMax, float *result)
{
    float m = blockMax[0];
    for (int b = 1; b < NB; b++)
        m = max(m, blockMax[b]);
    *result = m;
}

extern "C" void launch(const float *v /* [n] */, float *result /* [1] */, int64_t n, cudaStream_t stream = 0)
{
    float *blockMax;
    cudaMallocAsync((void **)&blockMax, NB * sizeof(float), stream);
    maxPerBlock<<<NB, NT, 0, stream>>>(v, blockMax, n);
    maxOfBlocks<<<1, 1, 0, stream>>>(blockMax, result);
    cudaFreeAsync(blockMax, stream);
}
"""
)

# A junior who likes warps: the minimum of integers, one atomic a warp.
MINIMUM = (
    HEADER
    + """\
__global__ void init_min(int* result) { *result = INT32_MAX; }

__global__ void warp_min(const int* data, int* result, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    int v = INT32_MAX;
    if (i < n) v = data[i];
    for (int delta = 16; delta > 0; delta >>= 1) {
        v = min(v, __shfl_down_sync(0xffffffff, v, delta));
    }
    if (lane == 0) atomicMin(result, v);
}

extern "C" void launch(const int* data /* [n] */, int* result /* [1] */, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    const int64_t blocks = (n + threads - 1) / threads;
    init_min<<<1, 1, 0, stream>>>(result);
    warp_min<<<(unsigned)blocks, threads, 0, stream>>>(data, result, n);
}
"""
)


def _add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _average(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return ((a.double() + b.double() + 1) / 2).floor()


def _same(x: torch.Tensor) -> torch.Tensor:
    return x.double()


def _silu(x: torch.Tensor) -> torch.Tensor:
    v = x.double()
    return v / (1 + torch.exp(-v))


def whole(low: int, high: int, n: int, seed: int) -> torch.Tensor:
    """Draw n whole numbers."""
    return torch.randint(low, high, (n,), generator=torch.Generator().manual_seed(seed))


def _strange(x: torch.Tensor) -> torch.Tensor:
    """Put NaN, infinities and both zeros to places of their own."""
    y = x.clone()
    for k, value in enumerate((float("-inf"), float("inf"), float("nan"), -0.0, 0.0)):
        y[(k + 1) * len(y) // 6] = value
    return y


def factors(launcher: Launcher) -> Iterator[Case]:
    """Combine whole, strange and nearly equal numbers, with several factors."""
    for n in (1, 2, 31, 129, 1000, 2049, 5003):
        a, b = whole(-99, 100, n, n).bfloat16(), whole(-99, 100, n, n + 1).bfloat16()
        near = (a.float() * -1.5).bfloat16()
        kinds = (
            ("whole numbers", a, b),
            ("nearly opposite", a, near),
            ("infinities and NaN", _strange(a), b),
        )
        for alpha, beta in ((1.0, 1.0), (1.625, 1.0), (-0.5, 3.0), (0.75, -0.25)):
            for block_size in (256, 33):
                for label, x, y in kinds:
                    right = alpha * x.double() + beta * y.double()
                    scalars = {"alpha": alpha, "beta": beta, "block_size": block_size}
                    words = f"n = {n:,}, {scalars}, {label}"
                    yield Case(
                        words, (x, y), (right,), scalars, dtypes=(torch.bfloat16,), ulp=1
                    )


def pictures(launcher: Launcher) -> Iterator[Case]:
    """Normalize all bytes, and any ones, with several means and deviations."""
    for n in (1, 3, 31, 256, 257, 1000, 5003):
        x = (whole(0, 256, n, n) if n != 256 else torch.arange(256)).to(torch.uint8)
        for mean, std in ((0.5, 0.5), (0.0, 1.0), (0.485, 0.229), (0.25, 2.0)):
            for block_size in (256, 40):
                m, s = torch.tensor(mean).double(), torch.tensor(std).double()
                right = (x.double() / 255 - m) / s
                scalars = {"mean": mean, "std": std, "block_size": block_size}
                words, slack = f"n = {n:,}, {scalars}", (2.0**-21 * (x.double() / 255 + m) / s,)
                dtypes = (torch.float32,)
                yield Case(words, (x,), (right,), scalars, dtypes=dtypes, ulp=2, within=slack)


def slopes(launcher: Launcher) -> Iterator[Case]:
    """Apply leaky ReLU to usual, tiny and strange numbers, with several slopes."""
    for n in (1, 2, 31, 513, 1024, 5003):
        x = whole(-2560, 2561, n, n).float() / 256
        kinds = (
            ("numbers", x),
            ("tiny ones", x * 2.0**-120),
            ("negative ones", -x.abs()),
            ("infinities and NaN", _strange(x)),
        )
        for slope in (0.01, 0.25, 2.0, -0.5):
            for block_size in (256, 40):
                for label, y in kinds:
                    v = y.double()
                    right = torch.where(v > 0, v, torch.tensor(slope).double() * v)
                    scalars = {"slope": slope, "block_size": block_size}
                    words = f"n = {n:,}, {scalars}, {label}"
                    yield Case(words, (y,), (right,), scalars, dtypes=(torch.float32,))


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Apply GELU to halves near zero, usual ones and large ones, and to NaN."""
    for n in (1, 2, 31, 129, 1000, 5003):
        x = (whole(-1280, 1281, n, n) / 256).half()
        broken = x.clone()
        broken[n // 2] = float("nan")
        kinds = (("numbers", x), ("near zero", x / 64), ("large", x * 999), ("NaN", broken))
        for block_size in (128, 33, 1024):
            for label, y in kinds:
                v = y.double()
                inner = (2 / torch.pi) ** 0.5 * (v + 0.044715 * v**3)
                right = 0.5 * v * (1 + torch.tanh(inner))
                scalars, slack = {"block_size": block_size}, (2.0**-20 * v.abs().nan_to_num(0),)
                words, dtypes = f"N = {n:,}, block_size = {block_size}, {label}", (torch.half,)
                yield Case(words, (y,), (right,), scalars, dtypes=dtypes, ulp=1, within=slack)


def biases(launcher: Launcher) -> Iterator[Case]:
    """Add a bias to each column of matrices of many shapes; some numbers are large."""
    for rows, cols in ((1, 1), (1, 7), (9, 1), (5, 32), (32, 5), (13, 17), (3, 700), (400, 6)):
        x = whole(-200, 201, rows * cols, rows + cols).float().reshape(rows, cols) / 64
        bias = whole(-99, 100, cols, cols).float() / 64
        broken = x.clone()
        broken[rows // 2, cols // 2] = float("nan")
        for block_size in (192, 33, 1):
            for label, y in (("numbers", x), ("large ones", x * 64), ("NaN", broken)):
                right = torch.tanh(y.double() + bias.double())
                scalars = {"block_size": block_size}
                words = f"{rows} x {cols}, block_size = {block_size}, {label}"
                yield Case(words, (y, bias), (right,), scalars, dtypes=(torch.float32,), ulp=3)


def steps(launcher: Launcher) -> Iterator[Case]:
    """Step by whole numbers, with factors that leave every result exact."""
    for n in (1, 2, 31, 257, 1000, 5003):
        p, g, m = (whole(-500, 501, n, n + k).float() for k in range(3))
        for lr, mu, wd in ((0.125, 0.5, 0.0), (0.5, 0.75, 0.25), (1.0, 0.0, 0.5)):
            for block_size in (256, 48):
                v = mu * m.double() + g.double() + wd * p.double()
                scalars = {"lr": lr, "mu": mu, "wd": wd, "block_size": block_size}
                words, dtypes = f"n = {n:,}, {scalars}", (torch.float32, torch.float32)
                yield Case(words, (p, g, m), (p.double() - lr * v, v), scalars, dtypes=dtypes)


def arrays(sizes: tuple) -> Iterator[tuple[str, torch.Tensor]]:
    """Make whole numbers, positive and negative ones, and the last or the first one only."""
    for n in sizes:
        x = whole(-99, 100, n, n)
        last, first = x * 0, x * 0
        last[-1], first[0] = 77, -55
        yield f"n = {n:,}, whole numbers", x
        yield f"n = {n:,}, positive ones", x.abs() + 3
        yield f"n = {n:,}, negative ones", -x.abs() - 3
        yield f"n = {n:,}, the last one only", last
        yield f"n = {n:,}, the first one only", first


SIZES = (1, 2, 31, 32, 200, 256, 257, 1000, 5003, 20_011)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, whose sums are exact."""
    for words, x in arrays(SIZES):
        right = x.double().sum().reshape(1)
        yield Case(words, (x.float(),), (right,), dtypes=(torch.float32,))


def halves(launcher: Launcher) -> Iterator[Case]:
    """Add whole halves, whose sums are exact floats, by several block sizes."""
    for words, x in arrays(SIZES):
        for block_size in (512, 32, 100, 1024):
            right, scalars = x.double().sum().reshape(1), {"block_size": block_size}
            label = f"{words}, block_size = {block_size}"
            yield Case(label, (x.half(),), (right,), scalars, dtypes=(torch.float32,))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add whole numbers, small ones and such as a float's sum would not hold."""
    for words, x in arrays(SIZES):
        y = whole(-99, 100, len(x), len(x) + 7)
        for label, a, b in (("small", x, y), ("large", x * 40_001, y * 3001 + 1)):
            right = (a * b).sum().double().reshape(1)
            inputs = a.float(), b.float()
            yield Case(f"{words}, {label}", inputs, (right,), dtypes=(torch.float64,))


def spreads(launcher: Launcher) -> Iterator[Case]:
    """Take the variance of whole numbers near zero and far from it, and of equal ones."""
    for words, x in arrays(SIZES[1:]):
        for label, y in (("near 0", x), ("far", x + 10_000), ("equal", x * 0 + 7)):
            right = y.double().var().reshape(1)
            options = {"dtypes": (torch.float32,), "ulp": 2}
            yield Case(f"{words}, {label}", (y.float(),), (right,), **options)


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of whole numbers, fractions, negative ones and infinities."""
    for words, x in arrays(SIZES):
        y = x.float() / 16
        low = torch.full_like(y, float("-inf"))
        high = y.clone()
        high[len(y) // 3] = float("inf")
        kinds = ("", y), ("rising", y.sort()[0]), ("infinity", high), ("minus infinity", low)
        for label, z in kinds:
            right = z.double().max().reshape(1)
            yield Case(f"{words} {label}", (z,), (right,), dtypes=(torch.float32,))


def lows(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest of small integers, of large ones, and of the largest one only."""
    for words, x in arrays(SIZES):
        for label, y in (("", x), ("large", x + 2**31 - 200), ("largest", x * 0 + 2**31 - 1)):
            for block_size in (256, 40, 1024):
                right, scalars = y.double().min().reshape(1), {"block_size": block_size}
                name = f"{words} {label}, block_size = {block_size}"
                yield Case(name, (y.int(),), (right,), scalars, dtypes=(torch.int32,))


BASES = {
    "xxvi_add_tutorial": Base(TUTORIAL, {"reference": _add}),
    "xxvi_add_float4": Base(FLOAT4, {"reference": _add}),
    "xxvi_add_half2": Base(HALF2, {"reference": _add}),
    "xxvi_add_axpby": Base(AXPBY, {"cases": factors}),
    "xxvi_add_average": Base(AVERAGE, {"reference": _average}),
    "xxvi_cast_half": Base(TO_HALF, {"reference": _same}),
    "xxvi_cast_image": Base(IMAGE, {"cases": pictures}),
    "xxvi_act_leaky": Base(LEAKY, {"cases": slopes}),
    "xxvi_act_gelu": Base(GELU, {"cases": gelus}),
    "xxvi_act_silu": Base(SILU, {"reference": _silu, "ulp": 1}),
    "xxvi_act_bias_tanh": Base(BIAS_TANH, {"cases": biases}),
    "xxvi_fused_sgd": Base(SGD, {"cases": steps}),
    "xxvi_sum_tree": Base(TREE, {"cases": totals}),
    "xxvi_sum_shuffle": Base(SHUFFLE, {"cases": halves}),
    "xxvi_sum_dot": Base(DOT, {"cases": products}),
    "xxvi_sum_variance": Base(VARIANCE, {"cases": spreads}),
    "xxvi_max_floats": Base(MAXIMUM, {"cases": peaks}),
    "xxvi_min_ints": Base(MINIMUM, {"cases": lows}),
    **twentysixth_arrays.BASES,
}

WRONG = (
    # ---- additions
    # One thread too many is let in.
    Wrong(
        "xxvi_add_tutorial_less_equal",
        "xxvi_add_tutorial",
        "bounds | tail / neighbour",
        ("if (i < numElements)", "if (i <= numElements)"),
    ),
    # The block size of the example stands in the kernel.
    Wrong(
        "xxvi_add_tutorial_256",
        "xxvi_add_tutorial",
        "block size | unwritten / left out / bounds / grid",
        ("(int64_t)blockDim.x * blockIdx.x", "(int64_t)256 * blockIdx.x"),
    ),
    # The index is an int, as in the sample.
    Wrong(
        "xxvi_add_tutorial_int",
        "xxvi_add_tutorial",
        "narrow | bounds / whole range",
        ("int64_t i = (int64_t)blockDim.x * blockIdx.x", "int i = blockDim.x * blockIdx.x"),
    ),
    # A is added to itself.
    Wrong(
        "xxvi_add_tutorial_a_twice",
        "xxvi_add_tutorial",
        "left out / twice / function | swapped / numbers / other element",
        ("A[i] + B[i]", "A[i] + A[i]"),
    ),
    # A letter was not changed in a copied line.
    Wrong(
        "xxvi_add_float4_z_again",
        "xxvi_add_float4",
        "other element / neighbour / left out / twice | tail / swapped / numbers / function",
        ("w.w = u.w + v.w", "w.w = u.w + v.z"),
    ),
    # The second launch has no stream.
    Wrong(
        "xxvi_add_float4_rest_no_stream",
        "xxvi_add_float4",
        "stream",
        ("add_rest<<<1, 4, 0, stream>>>", "add_rest<<<1, 4>>>"),
    ),
    # The launcher says of one of the inputs that it may begin anywhere.
    Wrong(
        "xxvi_add_float4_b_anywhere",
        "xxvi_add_float4",
        "alignment",
        ("b,  // [n] 16-byte aligned", "b,  // [n]"),
    ),
    # What is left is one element, as it was with pairs.
    Wrong(
        "xxvi_add_float4_one_left",
        "xxvi_add_float4",
        "tail / unwritten / left out",
        ("add_rest<<<1, 4, 0", "add_rest<<<1, 1, 0"),
    ),
    # The stride is in elements, the index in pairs.
    Wrong(
        "xxvi_add_half2_stride_twice",
        "xxvi_add_half2",
        "unwritten / left out | grid / block size / tail",
        (
            "stride = (int64_t)gridDim.x * blockDim.x;",
            "stride = 2 * (int64_t)gridDim.x * blockDim.x;",
        ),
    ),
    # The number of blocks is limited, and the loop is not there.
    Wrong(
        "xxvi_add_half2_no_loop",
        "xxvi_add_half2",
        "unwritten / left out / grid / tail | block size",
        (
            "for (int64_t i = idx; i < n / 2; i += stride) {",
            "int64_t i = idx;\n    if (i < n / 2) {",
        ),
    ),
    # The saturating addition was taken for a safe one: it is between 0 and 1.
    Wrong(
        "xxvi_add_half2_sat",
        "xxvi_add_half2",
        "whole range / infinity / function / numbers | nan / sign of zero / tail / copy",
        ("__hadd2(", "__hadd2_sat("),
    ),
    # The product goes through a bfloat16.
    Wrong(
        "xxvi_add_axpby_product_rounded",
        "xxvi_add_axpby",
        "precision / rounding | numbers",
        ("alpha * xv +", "__bfloat162float(__float2bfloat16(alpha * xv)) +"),
    ),
    # As in axpy: there is no second factor.
    Wrong(
        "xxvi_add_axpby_no_beta",
        "xxvi_add_axpby",
        "left out / function | numbers",
        ("+ beta * yv", "+ yv"),
    ),
    # The kernel takes whole factors.
    Wrong(
        "xxvi_add_axpby_int_factor",
        "xxvi_add_axpby",
        "rounding / function / precision / left out / whole range | numbers / nan / infinity / narrow / copy",
        ("int64_t n, float alpha, float beta)", "int64_t n, int alpha, float beta)"),
    ),
    # As in BLAS, y gets the result, and out as well.
    Wrong(
        "xxvi_add_axpby_into_y",
        "xxvi_add_axpby",
        "input",
        (
            "        out[i] = __float2bfloat16(alpha",
            "        out[i] = const_cast<__nv_bfloat16*>(y)[i] = __float2bfloat16(alpha",
        ),
    ),
    # The sum is a byte, and begins again after 255.
    Wrong(
        "xxvi_add_average_byte",
        "xxvi_add_average",
        "whole range / infinity | numbers / narrow / function",
        ("int s = p", "uchar s = p"),
    ),
    # Rounded down.
    Wrong(
        "xxvi_add_average_down",
        "xxvi_add_average",
        "rounding / function | numbers / precision",
        ("p + q + 1;", "p + q;"),
    ),
    # The index of a byte is used for a pack.
    Wrong(
        "xxvi_add_average_base_for_pack",
        "xxvi_add_average",
        "bounds / other element / unwritten | left out / alignment",
        ("((uchar4*)dst)[tid]", "((uchar4*)dst)[base]"),
    ),
    # ---- casts
    # Bits are cut off.
    Wrong(
        "xxvi_cast_half_toward_zero",
        "xxvi_cast_half",
        "rounding | precision / infinity / tail / whole range",
        (
            "__floats2half2_rn(f.x, f.y)",
            "__halves2half2(__float2half_rz(f.x), __float2half_rz(f.y))",
        ),
    ),
    # The order in memory was thought to be the other one.
    Wrong(
        "xxvi_cast_half_high_first",
        "xxvi_cast_half",
        "swapped / neighbour / other element | tail / numbers",
        ("rn(f.x, f.y)", "rn(f.y, f.x)"),
    ),
    # The pair may have only its first element.
    Wrong(
        "xxvi_cast_half_pair_past_end",
        "xxvi_cast_half",
        "bounds / tail",
        ("if (i + 1 < n) {", "if (i < n) {"),
    ),
    # A safe cast: nothing becomes infinite.
    Wrong(
        "xxvi_cast_half_clamped",
        "xxvi_cast_half",
        "infinity / whole range | nan / numbers / tail",
        (
            "const float2 f = *reinterpret_cast<const float2*>(&in[i]);",
            "float2 f = *reinterpret_cast<const float2*>(&in[i]);\n        f.x = fminf(fmaxf(f.x, -65504.0f), 65504.0f);\n        f.y = fminf(fmaxf(f.y, -65504.0f), 65504.0f);",
        ),
    ),
    # Integers are divided.
    Wrong(
        "xxvi_cast_image_int_division",
        "xxvi_cast_image",
        "rounding / function / precision / copy | numbers / left out / whole range",
        ("pixels[i] / 255.0f", "pixels[i] / 255"),
    ),
    # There are 256 values, but the largest one is 255.
    Wrong(
        "xxvi_cast_image_256",
        "xxvi_cast_image",
        "function / precision | numbers / rounding",
        ("/ 255.0f", "/ 256.0f"),
    ),
    # Parentheses are missing.
    Wrong(
        "xxvi_cast_image_no_parentheses",
        "xxvi_cast_image",
        "function | numbers / left out / precision",
        ("(pixels[i] / 255.0f - mean) * inv_std", "pixels[i] / 255.0f - mean * inv_std"),
    ),
    # The reciprocal is computed once and for all.
    Wrong(
        "xxvi_cast_image_static",
        "xxvi_cast_image",
        "state | left out / function / numbers",
        ("    const float inv_std =", "    static const float inv_std ="),
    ),
    # ---- activations
    # The larger of both, which is right for slopes up to 1.
    Wrong(
        "xxvi_act_leaky_fmaxf",
        "xxvi_act_leaky",
        "function / numbers | infinity / nan / sign of zero / left out",
        ("v > 0.0f ? v : slope * v", "fmaxf(v, slope * v)"),
    ),
    # A NaN is neither above zero nor below or equal.
    Wrong(
        "xxvi_act_leaky_two_questions",
        "xxvi_act_leaky",
        "nan / unwritten | left out / numbers",
        (
            "y[i] = v > 0.0f ? v : slope * v;",
            "if (v > 0.0f) y[i] = v;\n        else if (v <= 0.0f) y[i] = slope * v;",
        ),
    ),
    # Every block begins with the first element.
    Wrong(
        "xxvi_act_leaky_no_block_index",
        "xxvi_act_leaky",
        "unwritten / left out / grid | block size / tail / race",
        ("index = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;", "index = threadIdx.x;"),
    ),
    # The usual slope stands in the kernel.
    Wrong(
        "xxvi_act_leaky_constant_slope",
        "xxvi_act_leaky",
        "left out / function | numbers / copy",
        ("v : slope * v", "v : 0.01f * v"),
    ),
    # One zero is missing.
    Wrong(
        "xxvi_act_gelu_coefficient",
        "xxvi_act_gelu",
        "function / numbers / precision | whole range",
        ("0.044715f", "0.44715f"),
    ),
    # An integer divided by another one is 0.
    Wrong(
        "xxvi_act_gelu_half_of_ints",
        "xxvi_act_gelu",
        "function / copy / left out / rounding | numbers / sign of zero / nan",
        ("(0.5f * x *", "((1 / 2) * x *"),
    ),
    # The exponential is a half, which ends at exp(11).
    Wrong(
        "xxvi_act_silu_half_exponential",
        "xxvi_act_silu",
        "infinity / precision / whole range / rounding | numbers / sign of zero / subnormal / nan / function",
        ("expf(-v)", "__half2float(hexp(__float2half(-v)))"),
    ),
    # The sign is missing.
    Wrong(
        "xxvi_act_silu_sign",
        "xxvi_act_silu",
        "function / numbers | nan / infinity / whole range / sign of zero / left out / precision / copy",
        ("expf(-v)", "expf(v)"),
    ),
    # The odd one is only copied.
    Wrong(
        "xxvi_act_silu_odd_copied",
        "xxvi_act_silu",
        "tail / copy / left out | numbers / function",
        ("__float2half(silu(__half2float(x[n - 1])))", "x[n - 1]"),
    ),
    # The row's bias, not the column's.
    Wrong(
        "xxvi_act_bias_tanh_of_row",
        "xxvi_act_bias_tanh",
        "bounds / other element / sides | numbers / function",
        ("bias[gid % cols]", "bias[gid / cols]"),
    ),
    # The place in the row is taken of the thread's place in its block.
    Wrong(
        "xxvi_act_bias_tanh_of_thread",
        "xxvi_act_bias_tanh",
        "block size / other element / sides | numbers / grid / function / left out",
        ("bias[gid % cols]", "bias[threadIdx.x % cols]"),
    ),
    # By hand: infinity divided by infinity.
    Wrong(
        "xxvi_act_bias_tanh_by_hand",
        "xxvi_act_bias_tanh",
        "nan / infinity / precision / whole range | numbers / sign of zero / rounding / function",
        ("tanhf(z)", "(expf(2.0f * z) - 1.0f) / (expf(2.0f * z) + 1.0f)"),
    ),
    # As many threads as there are rows.
    Wrong(
        "xxvi_act_bias_tanh_too_few",
        "xxvi_act_bias_tanh",
        "grid / unwritten / left out | tail / sides / block size",
        ("int64_t total = rows * cols;", "int64_t total = rows;"),
    ),
    # The old momentum is used for the step.
    Wrong(
        "xxvi_fused_sgd_old_momentum",
        "xxvi_fused_sgd",
        "function / other element | numbers / left out / swapped",
        ("p - lr * v;", "p - lr * momentum[i];"),
    ),
    # The step goes uphill.
    Wrong(
        "xxvi_fused_sgd_uphill",
        "xxvi_fused_sgd",
        "function | numbers / swapped",
        ("p - lr * v;", "p + lr * v;"),
    ),
    # The new momentum stays in a register.
    Wrong(
        "xxvi_fused_sgd_not_stored",
        "xxvi_fused_sgd",
        "unwritten",
        ("        new_momentum[i] = v;\n", ""),
    ),
    # Weight decay is set, not added.
    Wrong(
        "xxvi_fused_sgd_decay_instead",
        "xxvi_fused_sgd",
        "left out / function | numbers / copy",
        ("g += wd * p;", "g = wd * p;"),
    ),
    # Two arguments of the launch are in the wrong order.
    Wrong(
        "xxvi_fused_sgd_arguments",
        "xxvi_fused_sgd",
        "swapped / function | numbers",
        (
            "(param, grad, momentum, new_param, new_momentum, n, lr",
            "(param, momentum, grad, new_param, new_momentum, n, lr",
        ),
    ),
    # ---- sums
    # Nobody has set the output to zero.
    Wrong(
        "xxvi_sum_tree_no_memset",
        "xxvi_sum_tree",
        "zero before | state / start",
        ("    cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # The barrier is where only half of the threads come.
    Wrong(
        "xxvi_sum_tree_barrier_in_branch",
        "xxvi_sum_tree",
        "race | timeout / refused / block size",
        (
            "sdata[tid + s];\n        }\n        __syncthreads();\n",
            "sdata[tid + s];\n            __syncthreads();\n        }\n",
        ),
    ),
    # The last step is missing.
    Wrong(
        "xxvi_sum_tree_stops_at_two",
        "xxvi_sum_tree",
        "left out | numbers / other element",
        ("s > 0; s >>= 1", "s > 1; s >>= 1"),
    ),
    # The last block's other threads leave what was there.
    Wrong(
        "xxvi_sum_tree_no_zero",
        "xxvi_sum_tree",
        "start / unwritten / zero before | numbers / nan / tail / state / bounds",
        ("sdata[tid] = i < n ? g_in[i] : 0.0f;", "if (i < n) sdata[tid] = g_in[i];"),
    ),
    # All threads add what they have.
    Wrong(
        "xxvi_sum_tree_all_add",
        "xxvi_sum_tree",
        "twice | function / numbers / block size / race / other element",
        (
            "    if (tid == 0)\n        atomicAdd(g_out, sdata[0]);",
            "    atomicAdd(g_out, sdata[tid]);",
        ),
    ),
    # Only the first warp's sum is written.
    Wrong(
        "xxvi_sum_shuffle_first_warp",
        "xxvi_sum_shuffle",
        "left out | block size / numbers",
        ("    if (wid == 0) val = warpReduceSum(val);\n", ""),
    ),
    # There is room for eight warps.
    Wrong(
        "xxvi_sum_shuffle_room_for_eight",
        "xxvi_sum_shuffle",
        "bounds | block size / left out / race",
        ("shared[32];", "shared[8];"),
    ),
    # The sum of a thread is a half, as its numbers are.
    Wrong(
        "xxvi_sum_shuffle_half_sum",
        "xxvi_sum_shuffle",
        "precision / rounding / infinity / whole range | numbers / left out",
        ("    float sum = 0;\n", "    half sum = __float2half(0.0f);\n"),
        ("sum += as_float(in[i]);", "sum = __float2half(__half2float(sum) + as_float(in[i]));"),
        (
            "    sum = blockReduceSum(sum);\n    if (threadIdx.x == 0) out[blockIdx.x] = sum;",
            "    float total = blockReduceSum(__half2float(sum));\n    if (threadIdx.x == 0) out[blockIdx.x] = total;",
        ),
    ),
    # All blocks write to the first place.
    Wrong(
        "xxvi_sum_shuffle_first_place",
        "xxvi_sum_shuffle",
        "race / left out / unwritten / zero before / start | grid / numbers / nan / block size / state",
        ("out[blockIdx.x] = sum;", "out[0] = sum;"),
    ),
    # The number of threads is taken for that of partial sums.
    Wrong(
        "xxvi_sum_shuffle_count",
        "xxvi_sum_shuffle",
        "bounds | grid / left out / start / block size / numbers / nan",
        ("(partial, out, blocks);", "(partial, out, threads);"),
    ),
    # Each block goes on by its own size, and comes to what others have added.
    Wrong(
        "xxvi_sum_dot_block_stride",
        "xxvi_sum_dot",
        "twice | function / numbers / grid",
        ("tid += (int64_t)blockDim.x * gridDim.x;", "tid += blockDim.x;"),
    ),
    # The product of a thread's last element is all that remains.
    Wrong(
        "xxvi_sum_dot_assigned",
        "xxvi_sum_dot",
        "left out | numbers / grid",
        ("temp += (double)a[tid]", "temp = (double)a[tid]"),
    ),
    # The product and the sum are floats.
    Wrong(
        "xxvi_sum_dot_float",
        "xxvi_sum_dot",
        "precision / rounding | numbers",
        ("double temp = 0;", "float temp = 0;"),
        ("(double)a[tid] * b[tid]", "a[tid] * b[tid]"),
    ),
    # The other factor is that of the thread's place in the block.
    Wrong(
        "xxvi_sum_dot_local_index",
        "xxvi_sum_dot",
        "other element / left out / bounds | twice / numbers / function / block size / grid",
        ("a[tid] * b[tid]", "a[tid] * b[cacheIndex]"),
    ),
    # One thread sets the output to zero when other blocks may have added.
    Wrong(
        "xxvi_sum_dot_zero_in_kernel",
        "xxvi_sum_dot",
        "race | zero before / left out / start",
        ("    cudaMemsetAsync(c, 0, sizeof(double), stream);\n", ""),
        ("    double temp = 0;\n", "    double temp = 0;\n    if (tid == 0) *c = 0;\n"),
    ),
    # The variance of all, not of a sample.
    Wrong(
        "xxvi_sum_variance_n",
        "xxvi_sum_variance",
        "function / numbers | precision / nan",
        ("squares / (n - 1)", "squares / n"),
    ),
    # A thread may be ahead, and write its squares before others have read the sum.
    Wrong(
        "xxvi_sum_variance_used_again",
        "xxvi_sum_variance",
        "race | numbers",
        ("    __syncthreads();  // buf may be used again\n", ""),
    ),
    # The second sum goes on from the first one.
    Wrong(
        "xxvi_sum_variance_not_reset",
        "xxvi_sum_variance",
        "start / function / twice | numbers",
        ("    acc = 0.0;\n    for", "    for"),
    ),
    # In one go, in floats: what is left of two large numbers.
    Wrong(
        "xxvi_sum_variance_one_pass",
        "xxvi_sum_variance",
        "precision / rounding | numbers / function / sign of zero",
        ("const double diff = data[i] - mean;", "const float diff = data[i];"),
        (
            "const double squares = block_sum(acc, buf);",
            "const float squares = (float)block_sum(acc, buf) - (float)mean * (float)mean * n;",
        ),
    ),
    # ---- maxima and minima
    # FLT_MIN is the smallest number above zero.
    Wrong(
        "xxvi_max_floats_flt_min",
        "xxvi_max_floats",
        "start | numbers / infinity / copy / subnormal",
        ("best = -INFINITY;", "best = FLT_MIN;"),
    ),
    # One warp for all of the blocks' maxima, of which there are more.
    Wrong(
        "xxvi_max_floats_first_32",
        "xxvi_max_floats",
        "left out | numbers / grid / block size / infinity",
        ("b < NB; b++", "b < 32; b++"),
    ),
    # The other function in the second kernel.
    Wrong(
        "xxvi_max_floats_least_of_blocks",
        "xxvi_max_floats",
        "function / left out / other element | numbers / start / infinity / copy / swapped",
        ("m = max(m,", "m = min(m,"),
    ),
    # The best one so far is an int.
    Wrong(
        "xxvi_max_floats_int_on_the_way",
        "xxvi_max_floats",
        "rounding / precision / whole range / infinity / function | numbers / narrow / start / copy",
        ("float best = -INFINITY;", "int best = INT32_MIN;"),
    ),
    # 0x7f in each byte is large, but not the largest one.
    Wrong(
        "xxvi_min_ints_memset",
        "xxvi_min_ints",
        "start / numbers | whole range / copy / infinity",
        (
            "init_min<<<1, 1, 0, stream>>>(result);",
            "cudaMemsetAsync(result, 0x7f, sizeof(int), stream);",
        ),
    ),
    # Threads without an element leave, and others ask them for a number.
    Wrong(
        "xxvi_min_ints_early_return",
        "xxvi_min_ints",
        "race | numbers / tail / left out / bounds / start",
        (
            "    int v = INT32_MAX;\n    if (i < n) v = data[i];\n",
            "    if (i >= n) return;\n    int v = data[i];\n",
        ),
    ),
    # Only the first warp of a block brings its minimum.
    Wrong(
        "xxvi_min_ints_first_warp",
        "xxvi_min_ints",
        "left out | block size / numbers",
        ("if (lane == 0) atomicMin", "if (threadIdx.x == 0) atomicMin"),
    ),
    # It looks and then writes.
    Wrong(
        "xxvi_min_ints_look_then_write",
        "xxvi_min_ints",
        "race | left out / numbers",
        ("atomicMin(result, v);", "if (v < *result) *result = v;"),
    ),
    *twentysixth_arrays.WRONG,
)

RIGHT = (
    # The output comes first.
    Right(
        "xxvi_add_tutorial_output_first",
        "xxvi_add_tutorial",
        (
            "launch(const float *A /* [n] */, const float *B /* [n] */, float *C /* [n] */, int64_t n",
            "launch(float *C /* [n] */, const float *A /* [n] */, const float *B /* [n] */, int64_t n",
        ),
    ),
    # As many threads as elements: three of four have nothing to do.
    Right(
        "xxvi_add_float4_idle_blocks",
        "xxvi_add_float4",
        ("(n4 + block_size - 1)", "(n + block_size - 1)"),
    ),
    # The last thread of all has the odd one.
    Right(
        "xxvi_add_half2_last_thread",
        "xxvi_add_half2",
        ("idx == 0 && n % 2 == 1", "idx == stride - 1 && n % 2 == 1"),
    ),
    # In doubles.
    Right(
        "xxvi_add_axpby_double",
        "xxvi_add_axpby",
        (
            "__float2bfloat16(alpha * xv + beta * yv)",
            "__float2bfloat16((float)((double)alpha * xv + (double)beta * yv))",
        ),
    ),
    # Without a wider sum: what both have, and half of what one has.
    Right(
        "xxvi_add_average_by_bits",
        "xxvi_add_average",
        (
            "    int s = p + q + 1;\n    return (uchar)(s >> 1);",
            "    return (uchar)((p | q) - ((p ^ q) >> 1));",
        ),
    ),
    # One at a time.
    Right(
        "xxvi_cast_half_one_by_one",
        "xxvi_cast_half",
        (
            "*reinterpret_cast<half2*>(&out[i]) = __floats2half2_rn(f.x, f.y);",
            "out[i] = __float2half_rn(f.x);\n        out[i + 1] = __float2half_rn(f.y);",
        ),
    ),
    # Parentheses are multiplied out, and one fused operation is left.
    Right(
        "xxvi_cast_image_fma",
        "xxvi_cast_image",
        (
            "(pixels[i] / 255.0f - mean) * inv_std",
            "fmaf((float)pixels[i], inv_std / 255.0f, -mean * inv_std)",
        ),
    ),
    # Each block goes on by its own size: later blocks do again what the first one does.
    Right(
        "xxvi_act_leaky_block_stride",
        "xxvi_act_leaky",
        ("stride = (int64_t)blockDim.x * gridDim.x;", "stride = blockDim.x;"),
    ),
    # The power function, also of negative numbers; and always a block more.
    Right(
        "xxvi_act_gelu_power",
        "xxvi_act_gelu",
        ("0.044715f * x * x * x", "0.044715f * powf(x, 3.0f)"),
        ("(N + block_size - 1) / block_size;", "N / block_size + 1;"),
    ),
    # The fast exponential has more digits than a half.
    Right("xxvi_act_silu_fast", "xxvi_act_silu", ("expf(-v)", "__expf(-v)")),
    # The remainder by hand.
    Right(
        "xxvi_act_bias_tanh_remainder",
        "xxvi_act_bias_tanh",
        ("bias[gid % cols]", "bias[gid - gid / cols * cols]"),
    ),
    # Blocks and threads are in two dimensions, of which one is 1.
    Right(
        "xxvi_fused_sgd_dim3",
        "xxvi_fused_sgd",
        (
            "blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x",
            "blockIdx.x * static_cast<int64_t>(blockDim.y) + threadIdx.y",
        ),
        (
            "<<<static_cast<unsigned>(blocks), block_size, 0",
            "<<<dim3(static_cast<unsigned>(blocks), 1), dim3(1, block_size), 0",
        ),
    ),
    # The first and slowest form: neighbours are added first.
    Right(
        "xxvi_sum_tree_interleaved",
        "xxvi_sum_tree",
        (
            "unsigned int s = blockDim.x / 2; s > 0; s >>= 1",
            "unsigned int s = 1; s < blockDim.x; s *= 2",
        ),
        ("if (tid < s)", "if (tid % (2 * s) == 0)"),
    ),
    # All lanes get the sum.
    Right(
        "xxvi_sum_shuffle_xor",
        "xxvi_sum_shuffle",
        ("__shfl_down_sync(", "__shfl_xor_sync("),
    ),
    # Each thread has a piece of the array.
    Right(
        "xxvi_sum_dot_pieces",
        "xxvi_sum_dot",
        (
            "    while (tid < n) {\n",
            "    int64_t piece = (n + blockDim.x * gridDim.x - 1) / (blockDim.x * gridDim.x);\n    tid *= piece;\n    int64_t end = tid + piece < n ? tid + piece : n;\n    while (tid < end) {\n",
        ),
        ("tid += (int64_t)blockDim.x * gridDim.x;", "tid += 1;"),
    ),
    # Squares less the mean's, but in doubles.
    Right(
        "xxvi_sum_variance_squares",
        "xxvi_sum_variance",
        ("const double diff = data[i] - mean;", "const double diff = data[i];"),
        ("block_sum(acc, buf);\n    if", "block_sum(acc, buf) - n * mean * mean;\n    if"),
    ),
    # From the first element on.
    Right(
        "xxvi_max_floats_from_first",
        "xxvi_max_floats",
        ("best = -INFINITY;", "best = v[0];"),
    ),
    # All lanes bring what they have.
    Right(
        "xxvi_min_ints_all_lanes",
        "xxvi_min_ints",
        ("if (lane == 0) atomicMin", "atomicMin"),
    ),
    *twentysixth_arrays.RIGHT,
)
