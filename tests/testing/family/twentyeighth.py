"""Hold a twenty-eighth family: additions, casts, activations, fused operators, sums, maxima.

A third of the bases are as people write who come from another language, a third as language
models answer, a third as a small team's. The causes were written before a member was judged. On
the emulator each member ran beside PyTorch: bases and right ones are right, and 72 of the 76
wrong ones wrong, or refused by a fault, some only so:

    xxviii_add_fortran_ceil_of_integer   if n is no multiple of the block size
    xxviii_add_opencl_copied_line        from 8 elements on
    xxviii_add_opencl_items_of_groups    if no idle thread of the last block takes the rest
    xxviii_add_opencl_rest_by_item       from 9 elements on, if n is no multiple of 8
    xxviii_add_opencl_offset_of_halves   from 16 elements on
    xxviii_add_lerp_rounded_difference   of differences that no bfloat16 has
    xxviii_add_lerp_int_weight           by a weight that is no integer
    xxviii_add_offsets_int_sum           of sums past 2^31
    xxviii_add_offsets_of_row            of more than one row or column
    xxviii_add_offsets_grid_turned       if the sides need other numbers of blocks
    xxviii_add_offsets_column_major      of more than one row and column
    xxviii_cast_planes_interleaved       of more than one pixel
    xxviii_cast_planes_signed            of bytes past 127
    xxviii_cast_fours_toward_zero        of numbers that no half has, in whole fours
    xxviii_cast_fours_through_bfloat16   of numbers that no bfloat16 has, in the rest
    xxviii_cast_fours_rest_of_two        if n % 4 is 2 or 3
    xxviii_cast_fours_first_guard        if n / 4 is no multiple of 256
    xxviii_cast_fours_largest_half       of numbers that are infinite as a half
    xxviii_act_leaky_row_of_eight        from 89 elements on
    xxviii_act_leaky_maximum             by a slope above 1
    xxviii_act_leaky_above_slope         of numbers between 0 and the slope
    xxviii_act_tanh_infinite_quotient    of numbers past 44
    xxviii_act_tanh_side_by_side         from 264 elements on
    xxviii_act_tanh_last_but_one         of an odd number of elements
    xxviii_act_silu_back_over_gradient   from 4 elements on
    xxviii_act_gelu_no_block             of fewer than 8 elements
    xxviii_fused_dropout_scale_of_p      if p is not 0.5
    xxviii_fused_dropout_residual_scaled if p is not 0
    xxviii_fused_dropout_times_mask      of infinity and NaN that are dropped
    xxviii_fused_dropout_only_one        by a mask of other bytes than 0 and 1
    xxviii_fused_addcdiv_groups_rounded  if the last group would be less than half full
    xxviii_sum_vector_rest_of_each_block from 1,028 elements on, if n is no multiple of 4
    xxviii_sum_vector_no_memset          if the output was not zero before
    xxviii_sum_vector_third_again        from 4 elements on
    xxviii_sum_dot_half_half_sum         of sums that no half has
    xxviii_sum_dot_bytes_unsigned        of bytes below 0, in whole words
    xxviii_sum_dot_bytes_anew            if a thread has more than a word
    xxviii_sum_dot_bytes_rest_of_words   from 4 elements on
    xxviii_sum_dot_bytes_short_sum       of a thread's sums past 32,767
    xxviii_sum_welford_no_delta          of means that differ from thread to thread
    xxviii_sum_welford_empty             of fewer than 128 elements
    xxviii_max_cas_flt_min               of no positive number
    xxviii_max_cas_bits                  of negative numbers only
    xxviii_min_int_zero                  of positive numbers only
    xxviii_min_int_floats                of numbers past 2^24
    xxviii_min_int_parts_of_warp         if the smallest is in the last third of the parts
    xxviii_min_int_half_warps            from 17 elements on
    xxviii_min_int_last_lane             if the smallest is not the last lane's

Four are wrong by reasoning:

    xxviii_add_lerp_int_index                  from 2^31 elements on
    xxviii_act_tanh_last_without_stream        in a stream that is not the default one
    xxviii_sum_dot_half_finish_without_stream  likewise
    xxviii_max_cas_plain                       if another block writes between read and write
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import twentyeighth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import SIZES, arrays, totals, whole

# ---- additions -------------------------------------------------------------------------------

# Somebody who comes from Fortran: the first element has the number 1.
FORTRAN = (
    HEADER
    + """\
#include <cmath>

#define A(i) a[(i) - 1]
#define B(i) b[(i) - 1]
#define C(i) c[(i) - 1]

__global__ void vadd(const float *a, const float *b, float *c, int64_t n)
{
    // the first thread of the first block does element 1
    int64_t i = (int64_t)blockDim.x * blockIdx.x + threadIdx.x + 1;
    if (i <= n) C(i) = A(i) + B(i);
}

extern "C" void launch(const float *a /* [n] */, const float *b /* [n] */, float *c /* [n] */, int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    dim3 tblock(block_size, 1, 1);
    dim3 grid((unsigned)std::ceil((double)n / tblock.x), 1, 1);
    if (n > 0) vadd<<<grid, tblock, 0, stream>>>(a, b, c, n);
}
"""
)

# A port of an OpenCL kernel: eight halves a work-item, and a work-item for each that is left.
OPENCL = (
    HEADER
    + """\
#define get_global_id(d) ((size_t)blockIdx.x * blockDim.x + threadIdx.x)

struct __align__(16) half8 {
    half2 s01, s23, s45, s67;
};

static __device__ half8 vload8(size_t offset, const half *p) { return *(const half8 *)(p + offset * 8); }
static __device__ void vstore8(half8 v, size_t offset, half *p) { *(half8 *)(p + offset * 8) = v; }

__global__ void add_half8(const half *x, const half *y, half *z, size_t n)
{
    const size_t gid = get_global_id(0);
    const size_t groups = n / 8;
    if (gid < groups) {
        const half8 a = vload8(gid, x);
        const half8 b = vload8(gid, y);
        half8 c;
        c.s01 = __hadd2(a.s01, b.s01);
        c.s23 = __hadd2(a.s23, b.s23);
        c.s45 = __hadd2(a.s45, b.s45);
        c.s67 = __hadd2(a.s67, b.s67);
        vstore8(c, gid, z);
    } else if (gid < groups + n % 8) {
        const size_t k = groups * 8 + (gid - groups);
        z[k] = __hadd(x[k], y[k]);
    }
}

extern "C" void launch(const half *x,  // [n] 16-byte aligned
                       const half *y,  // [n] 16-byte aligned
                       half *z,        // [n] 16-byte aligned
                       int64_t n, cudaStream_t stream = 0)
{
    const size_t local_size = 64;
    const size_t work_items = n / 8 + n % 8;
    const size_t global_size = (work_items + local_size - 1) / local_size * local_size;
    if (global_size == 0) return;
    add_half8<<<(unsigned)(global_size / local_size), (unsigned)local_size, 0, stream>>>(x, y, z, (size_t)n);
}
"""
)

# What a language model answers: a template over the type, and a loop over the grid.
LERP = (
    HEADER
    + """\
template <typename T>
__device__ __forceinline__ float to_float(T v);
template <>
__device__ __forceinline__ float to_float<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }

template <typename T>
__device__ __forceinline__ T from_float(float v);
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float v) { return __float2bfloat16(v); }

// output = start + weight * (end - start)
template <typename scalar_t>
__global__ void lerp_kernel(
    const scalar_t* __restrict__ start,
    const scalar_t* __restrict__ end,
    scalar_t* __restrict__ output,
    float weight,
    int64_t numel) {
    // Grid-stride loop: handles any number of elements with any grid.
    int64_t idx = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (; idx < numel; idx += stride) {
        const float s = to_float(start[idx]);
        const float e = to_float(end[idx]);
        output[idx] = from_float<scalar_t>(s + weight * (e - s));
    }
}

extern "C" void launch(const __nv_bfloat16* start /* [numel] */, const __nv_bfloat16* end /* [numel] */, __nv_bfloat16* output /* [numel] */, int64_t numel, float weight, int block_size = 256, cudaStream_t stream = 0) {
    constexpr int64_t kMaxBlocks = 1024;
    int64_t blocks = (numel + block_size - 1) / block_size;
    blocks = blocks < kMaxBlocks ? blocks : kMaxBlocks;
    if (blocks == 0) return;
    lerp_kernel<__nv_bfloat16><<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(start, end, output, weight, numel);
}
"""
)

# Somebody who comes from Numba: a grid of two dimensions, the first of which are the rows.
OFFSETS = (
    HEADER
    + """\
struct Place { int64_t i, j; };

__device__ Place cuda_grid() {
    return {(int64_t)blockIdx.x * blockDim.x + threadIdx.x, (int64_t)blockIdx.y * blockDim.y + threadIdx.y};
}

__global__ void add_offsets(const int* table, const int* offsets, int64_t* out, int64_t rows, int64_t cols) {
    const Place at = cuda_grid();
    if (at.i < rows && at.j < cols) {
        const int64_t total = (int64_t)table[at.i * cols + at.j] + offsets[at.j];
        out[at.i * cols + at.j] = total;
    }
}

extern "C" void launch(const int* table /* [rows, cols] */, const int* offsets /* [cols] */, int64_t* out /* [rows, cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const dim3 threadsperblock(16, 16);
    const unsigned blockspergrid_x = (unsigned)((rows + threadsperblock.x - 1) / threadsperblock.x);
    const unsigned blockspergrid_y = (unsigned)((cols + threadsperblock.y - 1) / threadsperblock.y);
    const dim3 blockspergrid(blockspergrid_x, blockspergrid_y);
    add_offsets<<<blockspergrid, threadsperblock, 0, stream>>>(table, offsets, out, rows, cols);
}
"""
)

# ---- casts -----------------------------------------------------------------------------------

# A team that feeds cameras to a network: pixels of four bytes become planes of floats.
PLANES = (
    HEADER
    + """\
struct PlaneParams {
    const uchar4* src;
    float* dst;
    int64_t pixels;
    float scale;
};

__global__ void rgba_to_planes(const PlaneParams p) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < p.pixels; i += step) {
        const uchar4 c = p.src[i];
        p.dst[i] = c.x * p.scale;
        p.dst[i + p.pixels] = c.y * p.scale;
        p.dst[i + 2 * p.pixels] = c.z * p.scale;  // alpha is of no use
    }
}

extern "C" void launch(const uint8_t* rgba,  // [pixels, 4] 4-byte aligned
                       float* planes,        // [3, pixels]
                       int64_t pixels, cudaStream_t stream = 0) {
    PlaneParams p;
    p.src = reinterpret_cast<const uchar4*>(rgba);
    p.dst = planes;
    p.pixels = pixels;
    p.scale = 1.0f / 255;
    rgba_to_planes<<<18, 320, 0, stream>>>(p);
}
"""
)

# Performance code: all loads of a thread before the first store, and halves by fours.
FOURS = (
    HEADER
    + """\
struct __align__(8) half4 {
    half2 lo, hi;
};

constexpr int kThreads = 128;

template <int ITEMS>
__global__ void __launch_bounds__(kThreads) down_convert(const float4* __restrict__ in, half4* __restrict__ out, int64_t quads, int rest) {
    const int64_t q = int64_t(blockIdx.x) * (kThreads * ITEMS) + threadIdx.x;
    float4 v[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
        if (q + j * kThreads < quads) v[j] = __ldg(in + q + j * kThreads);
    }
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
        const int64_t to = q + j * kThreads;
        if (to >= quads) continue;
        half4 h;
        h.lo = __floats2half2_rn(v[j].x, v[j].y);
        h.hi = __floats2half2_rn(v[j].z, v[j].w);
        out[to] = h;
    }
    if (blockIdx.x == 0 && threadIdx.x < rest) {
        const float last = reinterpret_cast<const float*>(in + quads)[threadIdx.x];
        reinterpret_cast<half*>(out + quads)[threadIdx.x] = __float2half_rn(last);
    }
}

extern "C" void launch(const float* in,  // [n] 16-byte aligned
                       half* out,        // [n] 8-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    constexpr int kItems = 2;
    const int64_t quads = n / 4;
    const int64_t tile = kThreads * kItems;
    const unsigned blocks = unsigned(quads / tile + 1);
    down_convert<kItems><<<blocks, kThreads, 0, stream>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<half4*>(out), quads, int(n % 4));
}
"""
)

# ---- activations -----------------------------------------------------------------------------

# Somebody who knows NumPy, and blocks of 32 times 8 threads from a lesson on matrices.
WHERE = (
    HEADER
    + """\
__device__ float where(bool condition, float yes, float no) { return condition ? yes : no; }

__global__ void leaky_relu(half* y, const half* x, float negative_slope, int64_t size) {
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x * blockDim.y) + thread;
    if (i < size) {
        const float value = __half2float(x[i]);
        y[i] = __float2half(where(value > 0, value, negative_slope * value));
    }
}

extern "C" void launch(half* y /* [size] */, const half* x /* [size] */, int64_t size, float negative_slope = 0.01f, cudaStream_t stream = 0) {
    const dim3 block(32, 8);
    const int64_t per_block = block.x * block.y;
    const dim3 grid((unsigned)((size + per_block - 1) / per_block));
    leaky_relu<<<grid, block, 0, stream>>>(y, x, negative_slope, size);
}
"""
)

# A small team: pairs of bfloat16, four a thread, and a launch of its own for an odd last one.
TANH = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;

__device__ __forceinline__ float act(float x) {
    return tanhf(x);
}

template <int UNROLL>
__global__ void tanh_pairs(const bf162* __restrict__ src, bf162* __restrict__ dst, int64_t pairs) {
    const int64_t tile = int64_t(blockDim.x) * UNROLL;
    for (int64_t base = blockIdx.x * tile; base < pairs; base += gridDim.x * tile) {
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const int64_t k = base + u * blockDim.x + threadIdx.x;
            if (k < pairs) {
                const float2 f = __bfloat1622float2(src[k]);
                dst[k] = __floats2bfloat162_rn(act(f.x), act(f.y));
            }
        }
    }
}

__global__ void tanh_one(const bf16* src, bf16* dst) {
    *dst = __float2bfloat16(act(__bfloat162float(*src)));
}

extern "C" void launch(const __nv_bfloat16* src,  // [n] 4-byte aligned
                       __nv_bfloat16* dst,        // [n] 4-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    const int64_t pairs = n / 2;
    const int64_t tiles = (pairs + 511) / 512;
    if (tiles > 0) {
        const unsigned grid = unsigned(tiles < 96 ? tiles : 96);
        tanh_pairs<4><<<grid, 128, 0, stream>>>(reinterpret_cast<const bf162*>(src), reinterpret_cast<bf162*>(dst), pairs);
    }
    if (n % 2 != 0) {
        tanh_one<<<1, 1, 0, stream>>>(src + n - 1, dst + n - 1);
    }
}
"""
)

# What a language model answers: the way back of SiLU, vectors of four and a scalar rest.
SILU_BACK = (
    HEADER
    + """\
/**
 * SiLU backward: d/dx [x * sigmoid(x)] = sigmoid(x) * (1 + x * (1 - sigmoid(x)))
 */
__device__ __forceinline__ float silu_grad(float x, float dy) {
    const float sig = 1.0f / (1.0f + expf(-x));
    return dy * sig * (1.0f + x * (1.0f - sig));
}

__global__ void silu_backward_vec4(
    const float* __restrict__ grad_output,
    const float* __restrict__ input,
    float* __restrict__ grad_input,
    int64_t n) {
    const int64_t tid = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t num_threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t n_vec = n / 4;

    // Main loop: 128-bit loads and stores
    for (int64_t i = tid; i < n_vec; i += num_threads) {
        const float4 dy4 = reinterpret_cast<const float4*>(grad_output)[i];
        const float4 x4 = reinterpret_cast<const float4*>(input)[i];
        float4 dx4;
        dx4.x = silu_grad(x4.x, dy4.x);
        dx4.y = silu_grad(x4.y, dy4.y);
        dx4.z = silu_grad(x4.z, dy4.z);
        dx4.w = silu_grad(x4.w, dy4.w);
        reinterpret_cast<float4*>(grad_input)[i] = dx4;
    }

    // Tail: at most three elements
    const int64_t tail_start = n_vec * 4;
    for (int64_t i = tail_start + tid; i < n; i += num_threads) {
        grad_input[i] = silu_grad(input[i], grad_output[i]);
    }
}

extern "C" void launch(const float* grad_output,  // [n] 16-byte aligned
                       const float* input,        // [n] 16-byte aligned
                       float* grad_input,         // [n] 16-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    const int64_t work = (n + 3) / 4;
    const int64_t blocks = (work + block_size - 1) / block_size;
    silu_backward_vec4<<<static_cast<unsigned>(blocks < 2048 ? blocks : 2048), block_size, 0, stream>>>(grad_output, input, grad_input, n);
}
"""
)

# An inference team: GELU by tanh, packs of eight, blocks that stay.
GELU_PACKS = (
    HEADER
    + """\
struct alignas(16) H8 {
    half e[8];
};

namespace {
constexpr float kBeta = 0.7978845608f;  // sqrt(2 / pi)
constexpr float kKappa = 0.044715f;

__device__ __forceinline__ half gelu_tanh(half h) {
    const float x = __half2float(h);
    const float cube = x * x * x;
    const float inner = kBeta * (x + kKappa * cube);
    return __float2half_rn(0.5f * x * (1.f + tanhf(inner)));
}
}  // namespace

__global__ void gelu_packs(half* __restrict__ y, const half* __restrict__ x, const int64_t n) {
    const int64_t packs = n >> 3;
    for (int64_t p = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; p < packs; p += int64_t(gridDim.x) * blockDim.x) {
        H8 pack = reinterpret_cast<const H8*>(x)[p];
#pragma unroll
        for (auto& e : pack.e) e = gelu_tanh(e);
        reinterpret_cast<H8*>(y)[p] = pack;
    }
    if (blockIdx.x == 0) {
        const int64_t k = (packs << 3) + threadIdx.x;
        if (k < n) y[k] = gelu_tanh(x[k]);
    }
}

extern "C" void launch(half* y,        // [n] 16-byte aligned
                       const half* x,  // [n] 16-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    constexpr int kThreads = 192;
    int device = 0, sms = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    int64_t blocks = (n / 8 + kThreads - 1) / kThreads;
    if (blocks > 4 * sms) blocks = 4 * sms;
    if (blocks < 1) blocks = 1;
    gelu_packs<<<unsigned(blocks), kThreads, 0, stream>>>(y, x, n);
}
"""
)

# ---- fused operators -------------------------------------------------------------------------

# A team that trains: dropout by a mask of bytes, and a residual; the host makes the scale.
DROPOUT = (
    HEADER
    + """\
__global__ void dropout_residual_fwd(float keep_scale, const uint8_t* __restrict__ keep, const float* __restrict__ x, const float* __restrict__ residual, float* __restrict__ out, int64_t n) {
    const int64_t idx = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;
    if (idx >= n) return;
    const float r = __ldg(residual + idx);
    const float dropped = keep[idx] != 0 ? __ldg(x + idx) * keep_scale : 0.f;
    out[idx] = r + dropped;
}

// keep: any number but 0 keeps an element; p: the probability of being dropped
extern "C" void launch(float p, const uint8_t* keep /* [n] */, const float* x /* [n] */, const float* residual /* [n] */, float* out /* [n] */, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const float keep_scale = 1.f / (1.f - p);
    const int64_t blocks = n / block_size + (n % block_size != 0);
    if (blocks == 0) return;
    dropout_residual_fwd<<<(unsigned)blocks, block_size, 0, stream>>>(keep_scale, keep, x, residual, out, n);
}
"""
)

# Somebody who comes from SYCL: an item of a range, and all arguments in a struct.
ADDCDIV = (
    HEADER
    + """\
struct Args {
    const float* self;
    const float* tensor1;
    const float* tensor2;
    float* out;
    float value;
    int64_t range;
};

struct nd_item {
    __device__ int64_t get_global_linear_id() const { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
};

__global__ void addcdiv_kernel(Args a) {
    nd_item item;
    const int64_t id = item.get_global_linear_id();
    if (id >= a.range) return;
    a.out[id] = a.self[id] + a.value * (a.tensor1[id] / a.tensor2[id]);
}

extern "C" void launch(const float* self /* [n] */, const float* tensor1 /* [n] */, const float* tensor2 /* [n] */, float value, float* out /* [n] */, int64_t n, int local_range = 128, cudaStream_t stream = 0) {
    Args a;
    a.self = self;
    a.tensor1 = tensor1;
    a.tensor2 = tensor2;
    a.out = out;
    a.value = value;
    a.range = n;
    const int64_t groups = (n + local_range - 1) / local_range;
    addcdiv_kernel<<<dim3((unsigned)groups), dim3(local_range), 0, stream>>>(a);
}
"""
)

# ---- sums ------------------------------------------------------------------------------------

# What a language model answers: vectors, a warp's sum, a block's sum, an atomic addition.
SUM_VECTOR = (
    HEADER
    + """\
#define WARP_SIZE 32
#define BLOCK_SIZE 256
#define NUM_WARPS (BLOCK_SIZE / WARP_SIZE)

__inline__ __device__ float warpReduceSum(float val) {
#pragma unroll
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
        val += __shfl_down_sync(0xffffffff, val, offset);
    }
    return val;
}

__global__ void sum_kernel(const float* __restrict__ input, float* __restrict__ output, int64_t n) {
    __shared__ float warp_sums[NUM_WARPS];

    const int lane = threadIdx.x % WARP_SIZE;
    const int warp_id = threadIdx.x / WARP_SIZE;
    const int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t stride = (int64_t)blockDim.x * gridDim.x;

    // Step 1: each thread accumulates its elements
    float sum = 0.0f;
    const int64_t n4 = n / 4;
    const float4* input4 = reinterpret_cast<const float4*>(input);
    for (int64_t i = idx; i < n4; i += stride) {
        float4 v = input4[i];
        sum += v.x + v.y + v.z + v.w;
    }
    // Handle remaining elements
    if (idx < n - n4 * 4) {
        sum += input[n4 * 4 + idx];
    }

    // Step 2: reduce within each warp
    sum = warpReduceSum(sum);
    if (lane == 0) warp_sums[warp_id] = sum;
    __syncthreads();

    // Step 3: the first warp reduces the sums of all warps
    if (warp_id == 0) {
        sum = lane < NUM_WARPS ? warp_sums[lane] : 0.0f;
        sum = warpReduceSum(sum);
        if (lane == 0) atomicAdd(output, sum);
    }
}

extern "C" void launch(const float* input,  // [n] 16-byte aligned
                       float* output,       // [1]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(output, 0, sizeof(float), stream);
    int num_blocks = (int)((n / 4 + BLOCK_SIZE - 1) / BLOCK_SIZE);
    num_blocks = num_blocks < 1 ? 1 : (num_blocks > 64 ? 64 : num_blocks);
    sum_kernel<<<num_blocks, BLOCK_SIZE, 0, stream>>>(input, output, n);
}
"""
)

# A port from HIP: a dot product of halves in two kernels, the parts in fresh memory.
DOT_HALF = (
    HEADER
    + """\
#define hipThreadIdx_x threadIdx.x
#define hipBlockIdx_x blockIdx.x
#define hipGridDim_x gridDim.x
#define TPB 256

__device__ void lds_sum(float* lds)
{
    for(int d = TPB >> 1; d != 0; d >>= 1)
    {
        __syncthreads();
        if(hipThreadIdx_x < d)
            lds[hipThreadIdx_x] += lds[hipThreadIdx_x + d];
    }
}

__global__ void dot_parts(int64_t n, const half* x, const half* y, float* workspace)
{
    __shared__ float lds[TPB];
    float acc = 0.0f;
    for(int64_t i = (int64_t)hipBlockIdx_x * TPB + hipThreadIdx_x; i < n; i += (int64_t)hipGridDim_x * TPB)
        acc += __half2float(x[i]) * __half2float(y[i]);
    lds[hipThreadIdx_x] = acc;
    lds_sum(lds);
    if(hipThreadIdx_x == 0)
        workspace[hipBlockIdx_x] = lds[0];
}

__global__ void dot_finish(int parts, const float* workspace, float* result)
{
    __shared__ float lds[TPB];
    float acc = 0.0f;
    for(int i = hipThreadIdx_x; i < parts; i += TPB)
        acc += workspace[i];
    lds[hipThreadIdx_x] = acc;
    lds_sum(lds);
    if(hipThreadIdx_x == 0)
        *result = lds[0];
}

extern "C" void launch(int64_t n, const half* x /* [n] */, const half* y /* [n] */, float* result /* [1] */, cudaStream_t stream = 0)
{
    const int blocks = (int)((n - 1) / (TPB * 2) + 1);
    const int parts = blocks < 300 ? blocks : 300;
    float* workspace = nullptr;
    cudaMallocAsync((void**)&workspace, parts * sizeof(float), stream);
    dot_parts<<<parts, TPB, 0, stream>>>(n, x, y, workspace);
    dot_finish<<<1, TPB, 0, stream>>>(parts, workspace, result);
    cudaFreeAsync(workspace, stream);
}
"""
)

# Performance code: a dot product of bytes by the instruction for it, four at once.
DOT_BYTES = (
    HEADER
    + """\
__global__ void __launch_bounds__(256) dot_s8(const int8_t* __restrict__ a, const int8_t* __restrict__ b, int64_t n, int* __restrict__ dot) {
    const int* a4 = reinterpret_cast<const int*>(a);
    const int* b4 = reinterpret_cast<const int*>(b);
    const int64_t words = n / 4;
    const int64_t me = blockIdx.x * int64_t(256) + threadIdx.x;
    const int64_t all = gridDim.x * int64_t(256);
    int acc = 0;
    for (int64_t w = me; w < words; w += all) {
        acc = __dp4a(__ldg(a4 + w), __ldg(b4 + w), acc);
    }
    for (int64_t k = words * 4 + me; k < n; k += all) {
        acc += a[k] * b[k];
    }
    for (int s = 16; s; s >>= 1) acc += __shfl_xor_sync(~0u, acc, s);
    if ((threadIdx.x & 31) == 0) atomicAdd(dot, acc);
}

__global__ void clear(int* dot) { *dot = 0; }

extern "C" void launch(const int8_t* a,  // [n] 4-byte aligned
                       const int8_t* b,  // [n] 4-byte aligned
                       int64_t n,
                       int* dot,  // [1]
                       cudaStream_t stream = 0) {
    const int64_t wanted = (n + 4095) / 4096;
    const unsigned blocks = unsigned(wanted < 132 ? wanted : 132);
    clear<<<1, 1, 0, stream>>>(dot);
    dot_s8<<<blocks, 256, 0, stream>>>(a, b, n, dot);
}
"""
)

# What a language model answers: mean and variance by Welford's way, and Chan's way to join two.
WELFORD = (
    HEADER
    + """\
struct WelfordState {
    float mean;
    float m2;
    int64_t count;
};

__device__ __forceinline__ WelfordState welford_merge(WelfordState a, WelfordState b) {
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    WelfordState r;
    r.count = a.count + b.count;
    const float delta = b.mean - a.mean;
    const float ratio = static_cast<float>(b.count) / static_cast<float>(r.count);
    r.mean = a.mean + delta * ratio;
    r.m2 = a.m2 + b.m2 + delta * delta * static_cast<float>(a.count) * ratio;
    return r;
}

template <int kBlock>
__global__ void welford_kernel(const float* __restrict__ x, float* __restrict__ mean, float* __restrict__ var, int64_t n) {
    __shared__ WelfordState states[kBlock];
    WelfordState state{0.0f, 0.0f, 0};
    for (int64_t i = threadIdx.x; i < n; i += kBlock) {
        const float value = x[i];
        state.count += 1;
        const float delta = value - state.mean;
        state.mean += delta / static_cast<float>(state.count);
        const float delta2 = value - state.mean;
        state.m2 += delta * delta2;
    }
    states[threadIdx.x] = state;
    __syncthreads();

    for (int active = kBlock / 2; active > 0; active /= 2) {
        if (threadIdx.x < active) {
            states[threadIdx.x] = welford_merge(states[threadIdx.x], states[threadIdx.x + active]);
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        *mean = states[0].mean;
        *var = states[0].m2 / static_cast<float>(n - 1);  // Bessel's correction
    }
}

extern "C" void launch(const float* x /* [n] */, float* mean /* [1] */, float* var /* [1] */, int64_t n, cudaStream_t stream = 0) {
    welford_kernel<256><<<1, 256, 0, stream>>>(x, mean, var, n);
}
"""
)

# ---- maxima and minima -----------------------------------------------------------------------

# A student with an answer from a forum: an atomic maximum of floats by compare and swap.
MAX_CAS = (
    HEADER
    + """\
__device__ float larger(float a, float b) { return (a > b || a != a) ? a : b; }

__device__ void atomicMaxFloat(float* address, float val)
{
    int* address_as_i = (int*)address;
    int old = *address_as_i, assumed;
    do {
        assumed = old;
        int wanted = __float_as_int(larger(__int_as_float(assumed), val));
        if (wanted == assumed) break;
        old = atomicCAS(address_as_i, assumed, wanted);
    } while (assumed != old);
}

__global__ void set_start(float* d_max) { *d_max = -INFINITY; }

__global__ void find_max(const float* d_array, float* d_max, int64_t elements)
{
    extern __shared__ float shared[];
    int tid = threadIdx.x;
    float best = -INFINITY;
    for (int64_t gid = (int64_t)blockDim.x * blockIdx.x + tid; gid < elements; gid += (int64_t)gridDim.x * blockDim.x)
        best = larger(d_array[gid], best);
    shared[tid] = best;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            shared[tid] = larger(shared[tid], shared[tid + s]);
        __syncthreads();
    }
    if (tid == 0)
        atomicMaxFloat(d_max, shared[0]);
}

extern "C" void launch(const float* d_array /* [elements] */, float* d_max /* [1] */, int64_t elements, cudaStream_t stream = 0)
{
    const int threads = 128;
    set_start<<<1, 1, 0, stream>>>(d_max);
    find_max<<<12, threads, threads * sizeof(float), stream>>>(d_array, d_max, elements);
}
"""
)

# A library with functors: the smallest integer, in two kernels without an atomic operation.
MIN_INT = (
    HEADER
    + """\
#include <climits>

struct MinOp {
    static constexpr int identity() { return INT_MAX; }
    __device__ __forceinline__ int operator()(int a, int b) const { return b < a ? b : a; }
};

template <typename Op>
__device__ __forceinline__ int reduce_warp(int v, Op op) {
    for (int offset = 16; offset >= 1; offset >>= 1) v = op(v, __shfl_down_sync(0xffffffffu, v, offset));
    return v;
}

template <typename Op, int kWarps>
__global__ void reduce_kernel(const int* __restrict__ src, int* __restrict__ dst, int64_t count, Op op) {
    __shared__ int smem[kWarps];
    const unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
    int v = Op::identity();
    for (int64_t i = int64_t(blockIdx.x) * (kWarps * 32) + threadIdx.x; i < count; i += int64_t(gridDim.x) * (kWarps * 32)) {
        v = op(v, src[i]);
    }
    v = reduce_warp(v, op);
    if (lane == 0) smem[warp] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < kWarps; ++w) v = op(v, smem[w]);
        dst[blockIdx.x] = v;
    }
}

extern "C" void launch(const int* src /* [count] */, int* smallest /* [1] */, int64_t count, cudaStream_t stream = 0) {
    constexpr int kParts = 48;
    int* parts = nullptr;
    cudaMallocAsync(reinterpret_cast<void**>(&parts), kParts * sizeof(int), stream);
    reduce_kernel<MinOp, 4><<<kParts, 128, 0, stream>>>(src, parts, count, MinOp{});
    reduce_kernel<MinOp, 1><<<1, 32, 0, stream>>>(parts, smallest, kParts, MinOp{});
    cudaFreeAsync(parts, stream);
}
"""
)


def _plus(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _same(x: torch.Tensor) -> torch.Tensor:
    return x.double()


def _exact(number: float) -> torch.Tensor:
    """Return what a float has of a number."""
    return torch.tensor(number, dtype=torch.float32).double()


def between(launcher: Launcher) -> Iterator[Case]:
    """Mix whole numbers of several sizes, by weights in and out of 0 to 1."""
    for n in (1, 2, 31, 257, 1000, 5003):
        a, b = whole(-99, 100, n, n).bfloat16(), whole(-99, 100, n, n + 1).bfloat16()
        for weight in (0.0, 1.0, 0.3, 0.75, -0.5):
            for label, x, y in (("whole numbers", a, b), ("fractions", a / 64, b * 1.015625)):
                s, e, w = x.double(), y.double(), _exact(weight)
                right = s + w * (e - s)
                slack = 2.0**-22 * (s.abs() + (w * (e - s)).abs())
                scalars = {"weight": weight}
                options = {"dtypes": (torch.bfloat16,), "ulp": 1, "within": (slack,)}
                words = f"numel = {n:,}, weight = {weight}, {label}"
                yield Case(words, (x, y), (right,), scalars, **options)


def tables(launcher: Launcher) -> Iterator[Case]:
    """Add offsets to tables of many shapes; sums of large ones pass 2^31."""
    shapes = (1, 1), (1, 40), (40, 1), (16, 16), (17, 15), (3, 200), (200, 3), (65, 130)
    for rows, cols in shapes:
        x = whole(-999, 1000, rows * cols, rows).reshape(rows, cols)
        y = whole(-999, 1000, cols, cols + 1)
        for label, times in (("whole numbers", 1), ("large ones", 2_000_003)):
            right = (x * times + y * times).double()
            inputs = (x * times).int(), (y * times).int()
            words = f"{rows} x {cols}, {label}"
            yield Case(words, inputs, (right,), dtypes=(torch.int64,))


def pixels(launcher: Launcher) -> Iterator[Case]:
    """Take pixels of all bytes."""
    for n in (1, 2, 31, 320, 321, 1000, 7003):
        x = whole(0, 256, 4 * n, n).reshape(n, 4)
        for label, y in (("all bytes", x), ("small ones", x // 3)):
            right = (y[:, :3].double() / 255).T.contiguous()
            words = f"pixels = {n:,}, {label}"
            yield Case(words, (y.to(torch.uint8),), (right,), dtypes=(torch.float32,), ulp=2)


def slopes(launcher: Launcher) -> Iterator[Case]:
    """Apply leaky ReLU by several slopes, to whole numbers, fractions, infinity and NaN."""
    for n in (1, 2, 31, 255, 256, 257, 1000, 5003):
        x = whole(-999, 1000, n, n).half()
        strange = x.clone()
        for k, value in enumerate((float("-inf"), float("inf"), float("nan"))):
            strange[(k + 1) * n // 4] = value
        for slope in (0.01, 0.3, 0.0625, 2.5):
            kinds = ("whole numbers", x), ("fractions", x / 1024), ("strange ones", strange)
            for label, y in kinds:
                v = y.double()
                right = torch.where(v > 0, v, _exact(slope) * v)
                scalars, words = {"negative_slope": slope}, f"size = {n:,}, {slope}, {label}"
                slack = (2.0**-22 * right.abs().nan_to_num(0, 0, 0),)
                options = {"dtypes": (torch.half,), "ulp": 1, "within": slack}
                yield Case(words, (y,), (right,), scalars, **options)


def tanhs(launcher: Launcher) -> Iterator[Case]:
    """Apply tanh to small, usual, and large numbers, to infinity and NaN."""
    for n in (1, 2, 3, 255, 1000, 1024, 1025, 5003):
        x = (whole(-640, 641, n, n).float() / 128).bfloat16()
        strange = x * 64
        for k, value in enumerate((float("-inf"), float("inf"), float("nan"))):
            strange[(k + 1) * n // 4] = value
        kinds = ("usual", x), ("small", x / 4096), ("large", x * 40), ("strange", strange)
        for label, y in kinds:
            right = torch.tanh(y.double())
            yield Case(f"n = {n:,}, {label}", (y,), (right,), dtypes=(torch.bfloat16,), ulp=1)


def silu_ways_back(launcher: Launcher) -> Iterator[Case]:
    """Take SiLU's way back, of usual, small and large numbers."""
    for n in (1, 2, 3, 4, 31, 257, 1000, 1026, 5003):
        x = whole(-640, 641, n, n).float() / 64
        dy = whole(-64, 65, n, n + 1).float() / 16
        for block_size in (256, 96):
            for label, y in (("usual", x), ("small", x / 256), ("large", x * 6)):
                v, s = y.double(), torch.sigmoid(y.double())
                right = dy.double() * s * (1 + v * (1 - s))
                slack = 2.0**-20 * dy.double().abs() * s * (1 + v.abs())
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.float32,), "ulp": 2, "within": (slack,)}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (dy, y), (right,), scalars, **options)


def gelus_by_tanh(launcher: Launcher) -> Iterator[Case]:
    """Apply GELU by tanh to usual, small, and large numbers, and to NaN."""
    for n in (1, 5, 7, 8, 9, 255, 1000, 1536, 5003, 20_003):
        x = (whole(-1280, 1281, n, n).float() / 256).half()
        broken = x.clone()
        broken[n // 2] = float("nan")
        kinds = ("usual", x), ("small", x / 64), ("large", x * 99), ("NaN", broken)
        for label, y in kinds:
            v = y.double()
            inner = (2 / torch.pi) ** 0.5 * (v + 0.044715 * v**3)
            right = 0.5 * v * (1 + torch.tanh(inner))
            slack = (2.0**-20 * v.abs().nan_to_num(0),)
            options = {"dtypes": (torch.half,), "ulp": 1, "within": slack}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def dropouts(launcher: Launcher) -> Iterator[Case]:
    """Drop by masks of zeros, ones, and other bytes; infinity and NaN are among the dropped."""
    for n in (1, 2, 31, 257, 1000, 5003):
        x, r = (whole(-500, 501, n, n + k).float() / 8 for k in range(2))
        ones = whole(0, 2, n, n + 2)
        others = ones * whole(1, 256, n, n + 3)
        nothing = torch.full_like(x, float("nan"))
        nothing[1::2] = float("inf")
        bad = torch.where(ones == 0, nothing, x)
        for p in (0.0, 0.5, 0.2):
            for label, keep, y in (
                ("ones", ones, x),
                ("bytes", others, x),
                ("strange", ones, bad),
            ):
                scale = 1 / (1 - _exact(p))
                part = torch.where(keep != 0, y.double() * scale, torch.tensor(0.0).double())
                right = r.double() + part
                slack = 2.0**-21 * (r.double().abs() + part.abs())
                words, scalars = f"n = {n:,}, p = {p}, {label}", {"p": p}
                inputs = keep.to(torch.uint8), y, r
                options = {"dtypes": (torch.float32,), "ulp": 1, "within": (slack,)}
                yield Case(words, inputs, (right,), scalars, **options)


def quotients(launcher: Launcher) -> Iterator[Case]:
    """Add quotients by several factors; of some the divisors are very large."""
    for n in (1, 2, 31, 128, 129, 1000, 5003):
        x, a = (whole(-500, 501, n, n + k).float() / 8 for k in range(2))
        b = whole(1, 99, n, n + 2).float()
        b[::3] = -b[::3]
        for value in (1.0, 0.3, -2.5):
            for label, times in (("usual", 1.0), ("large", 2.0**121)):
                num, den = a * times, b * times
                part = _exact(value) * num.double() / den.double()
                right = x.double() + part
                slack = 2.0**-21 * (x.double().abs() + part.abs())
                words, scalars = f"n = {n:,}, value = {value}, {label}", {"value": value}
                options = {"dtypes": (torch.float32,), "ulp": 1, "within": (slack,)}
                yield Case(words, (x, num, den), (right,), scalars, **options)


def half_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole halves, whose products' sums are exact floats."""
    for words, x in arrays(SIZES):
        y = whole(-61, 62, len(x), len(x) + 7)
        y[-1], y[0] = 59, 37
        right = (x * y).sum().double().reshape(1)
        yield Case(words, (x.half(), y.half()), (right,), dtypes=(torch.float32,))


def byte_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes of both signs."""
    for words, x in arrays((3, *SIZES, 40_003)):
        y = whole(-128, 128, len(x), len(x) + 7)
        y[-1], y[0] = 101, -128
        right = (x * y).sum().double().reshape(1)
        inputs = x.to(torch.int8), y.to(torch.int8)
        yield Case(words, inputs, (right,), dtypes=(torch.int32,))


def spreads(launcher: Launcher) -> Iterator[Case]:
    """Take mean and variance of whole numbers, of both signs and far from zero."""
    for words, x in arrays(tuple(n for n in SIZES if n > 1)):
        for label, y in (("", x), ("far from zero", x + 3000)):
            v = y.double()
            right = v.mean().reshape(1), v.var().reshape(1)
            slack = 2.0**-16 * v.abs().mean().reshape(1), 2.0**-14 * right[1] + 2.0**-10
            options = {"dtypes": (torch.float32,) * 2, "ulp": 2, "within": slack}
            yield Case(f"{words} {label}", (y.float(),), right, **options)


def largest(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of whole numbers and fractions, of infinities and NaN."""
    for words, x in arrays(SIZES):
        y = x.float() / 16
        broken, low = y.clone(), torch.full_like(y, float("-inf"))
        broken[len(y) // 2] = float("nan")
        kinds = ("", y), ("rising", y.sort()[0]), ("NaN", broken), ("minus infinity", low)
        for label, z in kinds:
            right = z.double().max().reshape(1)
            yield Case(f"{words} {label}", (z,), (right,), dtypes=(torch.float32,))


def smallest(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest of small and of large integers."""
    for words, x in arrays(SIZES):
        for label, y in (("", x), ("opposite", -x), ("large", x * 20_000_003 + x % 7)):
            right = y.min().double().reshape(1)
            yield Case(f"{words} {label}", (y.int(),), (right,), dtypes=(torch.int32,))


BASES = {
    "xxviii_add_fortran": Base(FORTRAN, {"reference": _plus}),
    "xxviii_add_opencl": Base(OPENCL, {"reference": _plus}),
    "xxviii_add_lerp": Base(LERP, {"cases": between}),
    "xxviii_add_offsets": Base(OFFSETS, {"cases": tables}),
    "xxviii_cast_planes": Base(PLANES, {"cases": pixels}),
    "xxviii_cast_fours": Base(FOURS, {"reference": _same}),
    "xxviii_act_leaky": Base(WHERE, {"cases": slopes}),
    "xxviii_act_tanh": Base(TANH, {"cases": tanhs}),
    "xxviii_act_silu_back": Base(SILU_BACK, {"cases": silu_ways_back}),
    "xxviii_act_gelu": Base(GELU_PACKS, {"cases": gelus_by_tanh}),
    "xxviii_fused_dropout": Base(DROPOUT, {"cases": dropouts}),
    "xxviii_fused_addcdiv": Base(ADDCDIV, {"cases": quotients}),
    "xxviii_sum_vector": Base(SUM_VECTOR, {"cases": totals}),
    "xxviii_sum_dot_half": Base(DOT_HALF, {"cases": half_products}),
    "xxviii_sum_dot_bytes": Base(DOT_BYTES, {"cases": byte_products}),
    "xxviii_sum_welford": Base(WELFORD, {"cases": spreads}),
    "xxviii_max_cas": Base(MAX_CAS, {"cases": largest}),
    "xxviii_min_int": Base(MIN_INT, {"cases": smallest}),
    **twentyeighth_arrays.BASES,
}

WRONG = (
    # ---- additions
    # Counted from 1, but the bound is that of a count from 0.
    Wrong(
        "xxviii_add_fortran_less_than",
        "xxviii_add_fortran",
        "tail / unwritten | left out",
        ("if (i <= n)", "if (i < n)"),
    ),
    # One array of three is counted from 0.
    Wrong(
        "xxviii_add_fortran_one_from_0",
        "xxviii_add_fortran",
        "neighbour / bounds | tail / other element",
        ("#define B(i) b[(i) - 1]", "#define B(i) b[i]"),
    ),
    # Divided as integers, and rounded up too late.
    Wrong(
        "xxviii_add_fortran_ceil_of_integer",
        "xxviii_add_fortran",
        "grid / unwritten / refused | tail / left out / block size",
        ("std::ceil((double)n / tblock.x)", "std::ceil((double)(n / tblock.x))"),
    ),
    # The number is that of C, where the macros take that of Fortran.
    Wrong(
        "xxviii_add_fortran_thread_0",
        "xxviii_add_fortran",
        "bounds | tail / unwritten / neighbour / left out",
        ("threadIdx.x + 1;", "threadIdx.x;"),
    ),
    # Copied from the line before, and changed in one place of two.
    Wrong(
        "xxviii_add_opencl_copied_line",
        "xxviii_add_opencl",
        "neighbour / other element | numbers / left out / function / twice",
        ("__hadd2(a.s45, b.s45)", "__hadd2(a.s45, b.s23)"),
    ),
    # There are only as many work-items as groups of eight.
    Wrong(
        "xxviii_add_opencl_items_of_groups",
        "xxviii_add_opencl",
        "tail / unwritten / grid / left out",
        ("work_items = n / 8 + n % 8;", "work_items = n / 8;"),
    ),
    # The rest is found by the number of the work-item.
    Wrong(
        "xxviii_add_opencl_rest_by_item",
        "xxviii_add_opencl",
        "tail / unwritten / left out | race / twice",
        ("k = groups * 8 + (gid - groups);", "k = gid;"),
    ),
    # A load's offset counts halves, not vectors.
    Wrong(
        "xxviii_add_opencl_offset_of_halves",
        "xxviii_add_opencl",
        "alignment | neighbour / other element",
        ("return *(const half8 *)(p + offset * 8);", "return *(const half8 *)(p + offset);"),
    ),
    # The saturating addition keeps to 0 to 1, not to the largest half.
    Wrong(
        "xxviii_add_opencl_saturated",
        "xxviii_add_opencl",
        "function / whole range / infinity / numbers | nan / tail",
        ("c.s01 = __hadd2(", "c.s01 = __hadd2_sat("),
        ("c.s23 = __hadd2(", "c.s23 = __hadd2_sat("),
        ("c.s45 = __hadd2(", "c.s45 = __hadd2_sat("),
        ("c.s67 = __hadd2(", "c.s67 = __hadd2_sat("),
        ("z[k] = __hadd(", "z[k] = __hadd_sat("),
    ),
    # The difference has the type of the numbers.
    Wrong(
        "xxviii_add_lerp_rounded_difference",
        "xxviii_add_lerp",
        "precision / rounding | numbers",
        ("weight * (e - s)", "weight * to_float(from_float<scalar_t>(e - s))"),
    ),
    # From the end to the start.
    Wrong(
        "xxviii_add_lerp_from_end",
        "xxviii_add_lerp",
        "swapped / function | numbers",
        ("(s + weight * (e - s))", "(e + weight * (s - e))"),
    ),
    # The kernel takes the weight as an integer.
    Wrong(
        "xxviii_add_lerp_int_weight",
        "xxviii_add_lerp",
        "precision / rounding / function / left out | numbers / copy / whole range",
        ("    float weight,\n    int64_t numel)", "    int weight,\n    int64_t numel)"),
    ),
    # Numbers of elements past 2^31 do not come through.
    Wrong(
        "xxviii_add_lerp_int_index",
        "xxviii_add_lerp",
        "narrow | bounds / unwritten / whole range",
        (
            "    int64_t idx = static_cast<int64_t>(blockIdx.x) * blockDim.x",
            "    int idx = blockIdx.x * blockDim.x",
        ),
        (
            "const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;",
            "const int stride = gridDim.x * blockDim.x;",
        ),
    ),
    # Added as integers of 32 bits, and made wide afterwards.
    Wrong(
        "xxviii_add_offsets_int_sum",
        "xxviii_add_offsets",
        "whole range / infinity / narrow | numbers",
        ("(int64_t)table[at.i * cols + at.j] + offsets", "table[at.i * cols + at.j] + offsets"),
    ),
    # An offset of the row.
    Wrong(
        "xxviii_add_offsets_of_row",
        "xxviii_add_offsets",
        "bounds / other element / sides | numbers",
        ("+ offsets[at.j];", "+ offsets[at.i];"),
    ),
    # The sides of the grid are exchanged.
    Wrong(
        "xxviii_add_offsets_grid_turned",
        "xxviii_add_offsets",
        "grid / sides / unwritten | left out / swapped / tail",
        ("(blockspergrid_x, blockspergrid_y)", "(blockspergrid_y, blockspergrid_x)"),
    ),
    # The output goes column by column.
    Wrong(
        "xxviii_add_offsets_column_major",
        "xxviii_add_offsets",
        "sides / other element | numbers / swapped / neighbour",
        ("out[at.i * cols + at.j] = total;", "out[at.j * rows + at.i] = total;"),
    ),
    # ---- casts
    # Three floats a pixel, as an image has them, not planes.
    Wrong(
        "xxviii_cast_planes_interleaved",
        "xxviii_cast_planes",
        "other element / sides / neighbour | numbers / function",
        ("p.dst[i] = c.x", "p.dst[3 * i] = c.x"),
        ("p.dst[i + p.pixels] = c.y", "p.dst[3 * i + 1] = c.y"),
        ("p.dst[i + 2 * p.pixels] = c.z", "p.dst[3 * i + 2] = c.z"),
    ),
    # A byte has 256 values, but the largest is 255.
    Wrong(
        "xxviii_cast_planes_256",
        "xxviii_cast_planes",
        "function / precision | numbers",
        ("1.0f / 255;", "1.0f / 256;"),
    ),
    # Blue is taken for the first.
    Wrong(
        "xxviii_cast_planes_bgr",
        "xxviii_cast_planes",
        "swapped / other element / neighbour / sides | numbers / function",
        ("= c.x * p.scale", "= c.z * p.scale"),
        ("= c.z * p.scale;  //", "= c.x * p.scale;  //"),
    ),
    # Bytes are read as if they had a sign.
    Wrong(
        "xxviii_cast_planes_signed",
        "xxviii_cast_planes",
        "whole range / numbers / function | infinity / narrow",
        ("    const uchar4* src;", "    const char4* src;"),
        ("const uchar4 c = p.src[i];", "const char4 c = p.src[i];"),
        ("reinterpret_cast<const uchar4*>(rgba)", "reinterpret_cast<const char4*>(rgba)"),
    ),
    # The second plane begins one further.
    Wrong(
        "xxviii_cast_planes_one_further",
        "xxviii_cast_planes",
        "neighbour / unwritten / race / other element | numbers / bounds",
        ("p.dst[i + p.pixels] = c.y", "p.dst[i + p.pixels + 1] = c.y"),
    ),
    # Cut off, not rounded.
    Wrong(
        "xxviii_cast_fours_toward_zero",
        "xxviii_cast_fours",
        "rounding | precision / numbers / infinity",
        (
            "h.lo = __floats2half2_rn(v[j].x, v[j].y);",
            "h.lo = __halves2half2(__float2half_rz(v[j].x), __float2half_rz(v[j].y));",
        ),
    ),
    # Through bfloat16, which has fewer digits.
    Wrong(
        "xxviii_cast_fours_through_bfloat16",
        "xxviii_cast_fours",
        "precision / rounding | tail / numbers",
        (
            "= __float2half_rn(last);",
            "= __float2half_rn(__bfloat162float(__float2bfloat16_rn(last)));",
        ),
    ),
    # One is left of an odd number, somebody thought.
    Wrong(
        "xxviii_cast_fours_rest_of_two",
        "xxviii_cast_fours",
        "tail / unwritten | left out",
        ("int(n % 4)", "int(n % 2)"),
    ),
    # All of a thread's loads are guarded by the first one's place.
    Wrong(
        "xxviii_cast_fours_first_guard",
        "xxviii_cast_fours",
        "bounds | tail",
        ("if (q + j * kThreads < quads) v[j]", "if (q < quads) v[j]"),
    ),
    # Infinity becomes the largest half.
    Wrong(
        "xxviii_cast_fours_largest_half",
        "xxviii_cast_fours",
        "infinity / whole range | numbers / nan / tail",
        (
            "h.hi = __floats2half2_rn(v[j].z, v[j].w);",
            "h.hi = __floats2half2_rn(fabsf(v[j].z) > 65504.0f ? copysignf(65504.0f, v[j].z) : v[j].z, fabsf(v[j].w) > 65504.0f ? copysignf(65504.0f, v[j].w) : v[j].w);",
        ),
    ),
    # ---- activations
    # A row of threads is as long as the block is high.
    Wrong(
        "xxviii_act_leaky_row_of_eight",
        "xxviii_act_leaky",
        "unwritten / left out / block size | grid / twice / sides",
        ("threadIdx.y * blockDim.x + threadIdx.x;", "threadIdx.y * blockDim.y + threadIdx.x;"),
    ),
    # The larger of two is right only of slopes below 1.
    Wrong(
        "xxviii_act_leaky_maximum",
        "xxviii_act_leaky",
        "function / numbers | swapped / infinity",
        (
            "where(value > 0, value, negative_slope * value)",
            "where(value > negative_slope * value, value, negative_slope * value)",
        ),
    ),
    # Compared with the slope, not with zero.
    Wrong(
        "xxviii_act_leaky_above_slope",
        "xxviii_act_leaky",
        "numbers / function",
        ("where(value > 0,", "where(value > negative_slope,"),
    ),
    # Large numbers' exponentials are infinite, and their quotient is no number.
    Wrong(
        "xxviii_act_tanh_infinite_quotient",
        "xxviii_act_tanh",
        "infinity / nan / precision | numbers / function",
        (
            "    return tanhf(x);",
            "    const float e = expf(2.0f * x);\n    return (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # The last one's launch is in another stream.
    Wrong(
        "xxviii_act_tanh_last_without_stream",
        "xxviii_act_tanh",
        "stream | tail",
        ("tanh_one<<<1, 1, 0, stream>>>", "tanh_one<<<1, 1>>>"),
    ),
    # A thread's pairs lie side by side, but its first one does not know.
    Wrong(
        "xxviii_act_tanh_side_by_side",
        "xxviii_act_tanh",
        "unwritten / left out | twice / block size / tail / race / grid",
        ("base + u * blockDim.x + threadIdx.x;", "base + u + threadIdx.x;"),
    ),
    # The last one of an odd number is at n - 1; this one is at n - 2.
    Wrong(
        "xxviii_act_tanh_last_but_one",
        "xxviii_act_tanh",
        "tail / unwritten / bounds / neighbour | left out / other element",
        ("(src + n - 1, dst + n - 1)", "(src + n - 2, dst + n - 2)"),
    ),
    # The derivative of something else.
    Wrong(
        "xxviii_act_silu_back_formula",
        "xxviii_act_silu_back",
        "function | numbers",
        ("(1.0f + x * (1.0f - sig))", "(1.0f + x * sig)"),
    ),
    # The gradient from above is not multiplied.
    Wrong(
        "xxviii_act_silu_back_no_chain",
        "xxviii_act_silu_back",
        "left out / function | numbers / copy",
        ("return dy * sig", "return sig"),
    ),
    # The gradient goes where it came from.
    Wrong(
        "xxviii_act_silu_back_over_gradient",
        "xxviii_act_silu_back",
        "input | unwritten",
        (
            "reinterpret_cast<float4*>(grad_input)[i] = dx4;",
            "reinterpret_cast<float4*>(grad_input)[i] = dx4;\n        reinterpret_cast<float4*>(const_cast<float*>(grad_output))[i] = dx4;",
        ),
    ),
    # A comma is in the wrong place of the constant.
    Wrong(
        "xxviii_act_gelu_ten_times",
        "xxviii_act_gelu",
        "function / precision | numbers",
        ("kKappa = 0.044715f;", "kKappa = 0.44715f;"),
    ),
    # The third power is taken in halves.
    Wrong(
        "xxviii_act_gelu_half_cube",
        "xxviii_act_gelu",
        "precision / rounding | numbers / infinity / function / subnormal",
        ("cube = x * x * x;", "cube = __half2float(__hmul(__hmul(h, h), h));"),
    ),
    # No block at all, if there is no pack.
    Wrong(
        "xxviii_act_gelu_no_block",
        "xxviii_act_gelu",
        "grid / refused / unwritten | tail / left out",
        ("    if (blocks < 1) blocks = 1;\n", ""),
    ),
    # ---- fused operators
    # Divided by the wrong probability.
    Wrong(
        "xxviii_fused_dropout_scale_of_p",
        "xxviii_fused_dropout",
        "function / numbers | infinity / nan",
        ("1.f / (1.f - p)", "1.f / p"),
    ),
    # The residual is scaled as well.
    Wrong(
        "xxviii_fused_dropout_residual_scaled",
        "xxviii_fused_dropout",
        "function | numbers",
        ("out[idx] = r + dropped;", "out[idx] = r * keep_scale + dropped;"),
    ),
    # Times zero: what is dropped makes NaN of infinity.
    Wrong(
        "xxviii_fused_dropout_times_mask",
        "xxviii_fused_dropout",
        "nan / infinity / function / numbers | whole range / left out",
        (
            "keep[idx] != 0 ? __ldg(x + idx) * keep_scale : 0.f;",
            "(keep[idx] != 0) * __ldg(x + idx) * keep_scale;",
        ),
    ),
    # The mask's bytes are taken for integers of four.
    Wrong(
        "xxviii_fused_dropout_int_mask",
        "xxviii_fused_dropout",
        "bounds / alignment | other element / numbers",
        ("keep[idx] != 0 ?", "reinterpret_cast<const int*>(keep)[idx] != 0 ?"),
    ),
    # Only 1 keeps an element.
    Wrong(
        "xxviii_fused_dropout_only_one",
        "xxviii_fused_dropout",
        "numbers / function / left out | whole range / infinity",
        ("keep[idx] != 0 ?", "keep[idx] == 1 ?"),
    ),
    # The divisor is divided.
    Wrong(
        "xxviii_fused_addcdiv_turned",
        "xxviii_fused_addcdiv",
        "swapped / function | numbers / infinity",
        ("(a.tensor1[id] / a.tensor2[id])", "(a.tensor2[id] / a.tensor1[id])"),
    ),
    # A copied line of the struct has its old right side.
    Wrong(
        "xxviii_fused_addcdiv_copied_line",
        "xxviii_fused_addcdiv",
        "left out / function / swapped | numbers / nan / copy",
        ("a.tensor2 = tensor2;", "a.tensor2 = tensor1;"),
    ),
    # Everything is divided.
    Wrong(
        "xxviii_fused_addcdiv_bracket",
        "xxviii_fused_addcdiv",
        "function | numbers",
        (
            "a.self[id] + a.value * (a.tensor1[id] / a.tensor2[id]);",
            "(a.self[id] + a.value * a.tensor1[id]) / a.tensor2[id];",
        ),
    ),
    # Rounded to the nearest number of groups.
    Wrong(
        "xxviii_fused_addcdiv_groups_rounded",
        "xxviii_fused_addcdiv",
        "grid / unwritten / refused | tail / left out / block size",
        ("(n + local_range - 1) / local_range;", "(n + local_range / 2) / local_range;"),
    ),
    # ---- sums
    # Each block adds the rest.
    Wrong(
        "xxviii_sum_vector_rest_of_each_block",
        "xxviii_sum_vector",
        "twice / tail | numbers / grid / other element",
        (
            "if (idx < n - n4 * 4) {\n        sum += input[n4 * 4 + idx];",
            "if (threadIdx.x < n - n4 * 4) {\n        sum += input[n4 * 4 + threadIdx.x];",
        ),
    ),
    # Nobody waits for the other warps' sums.
    Wrong(
        "xxviii_sum_vector_no_barrier",
        "xxviii_sum_vector",
        "race | left out / start / numbers",
        ("    __syncthreads();\n\n    // Step 3", "\n    // Step 3"),
    ),
    # The output is not set to zero before.
    Wrong(
        "xxviii_sum_vector_no_memset",
        "xxviii_sum_vector",
        "zero before / state / start | unwritten",
        ("    cudaMemsetAsync(output, 0, sizeof(float), stream);\n", ""),
    ),
    # The third is added a second time, and the last not at all.
    Wrong(
        "xxviii_sum_vector_third_again",
        "xxviii_sum_vector",
        "twice / left out / other element / numbers | neighbour",
        ("v.z + v.w;", "v.z + v.z;"),
    ),
    # Each lane of the first warp adds.
    Wrong(
        "xxviii_sum_vector_all_lanes_add",
        "xxviii_sum_vector",
        "twice | numbers / race / function / other element",
        ("        if (lane == 0) atomicAdd(output, sum);", "        atomicAdd(output, sum);"),
    ),
    # The sum is a half.
    Wrong(
        "xxviii_sum_dot_half_half_sum",
        "xxviii_sum_dot_half",
        "precision / rounding | infinity / whole range / numbers / narrow / left out",
        (
            "    float acc = 0.0f;\n    for(int64_t i",
            "    half acc = __float2half(0.0f);\n    for(int64_t i",
        ),
        ("acc += __half2float(x[i]) * __half2float(y[i]);", "acc = __hfma(x[i], y[i], acc);"),
        (
            "    lds[hipThreadIdx_x] = acc;\n    lds_sum(lds);\n    if(hipThreadIdx_x == 0)\n        workspace",
            "    lds[hipThreadIdx_x] = __half2float(acc);\n    lds_sum(lds);\n    if(hipThreadIdx_x == 0)\n        workspace",
        ),
    ),
    # The second kernel counts its parts from 1.
    Wrong(
        "xxviii_sum_dot_half_first_part",
        "xxviii_sum_dot_half",
        "left out | numbers / neighbour / other element / unwritten",
        ("int i = hipThreadIdx_x; i < parts", "int i = hipThreadIdx_x + 1; i < parts"),
    ),
    # The second kernel does not wait in the stream.
    Wrong(
        "xxviii_sum_dot_half_finish_without_stream",
        "xxviii_sum_dot_half",
        "stream | race",
        ("dot_finish<<<1, TPB, 0, stream>>>", "dot_finish<<<1, TPB, 0>>>"),
    ),
    # The first array's square.
    Wrong(
        "xxviii_sum_dot_half_square",
        "xxviii_sum_dot_half",
        "left out / function | numbers / twice",
        ("__half2float(x[i]) * __half2float(y[i])", "__half2float(x[i]) * __half2float(x[i])"),
    ),
    # As many bytes as there are parts.
    Wrong(
        "xxviii_sum_dot_half_bytes",
        "xxviii_sum_dot_half",
        "bounds",
        ("parts * sizeof(float), stream", "parts, stream"),
    ),
    # The barrier is only for those that add.
    Wrong(
        "xxviii_sum_dot_half_barrier_of_few",
        "xxviii_sum_dot_half",
        "race | left out / numbers / timeout",
        (
            "        __syncthreads();\n        if(hipThreadIdx_x < d)\n            lds[hipThreadIdx_x] += lds[hipThreadIdx_x + d];",
            "        if(hipThreadIdx_x < d)\n        {\n            __syncthreads();\n            lds[hipThreadIdx_x] += lds[hipThreadIdx_x + d];\n        }",
        ),
    ),
    # The words have no sign, and so their bytes have none.
    Wrong(
        "xxviii_sum_dot_bytes_unsigned",
        "xxviii_sum_dot_bytes",
        "whole range / numbers / function | infinity / narrow",
        (
            "__dp4a(__ldg(a4 + w), __ldg(b4 + w), acc);",
            "__dp4a(static_cast<unsigned>(__ldg(a4 + w)), static_cast<unsigned>(__ldg(b4 + w)), static_cast<unsigned>(acc));",
        ),
    ),
    # Each turn begins anew.
    Wrong(
        "xxviii_sum_dot_bytes_anew",
        "xxviii_sum_dot_bytes",
        "left out | numbers / start / function",
        ("__ldg(b4 + w), acc);", "__ldg(b4 + w), 0);"),
    ),
    # The rest begins where the words end, counted in words.
    Wrong(
        "xxviii_sum_dot_bytes_rest_of_words",
        "xxviii_sum_dot_bytes",
        "twice / other element / tail | numbers",
        ("int64_t k = words * 4 + me;", "int64_t k = words + me;"),
    ),
    # A thread's sum has 16 bits.
    Wrong(
        "xxviii_sum_dot_bytes_short_sum",
        "xxviii_sum_dot_bytes",
        "whole range / infinity / narrow | numbers / precision",
        ("    int acc = 0;", "    int16_t acc = 0;"),
    ),
    # The whole array's variance, not the sample's.
    Wrong(
        "xxviii_sum_welford_by_n",
        "xxviii_sum_welford",
        "function | numbers / precision",
        ("static_cast<float>(n - 1);", "static_cast<float>(n);"),
    ),
    # What lies between the means is not added.
    Wrong(
        "xxviii_sum_welford_no_delta",
        "xxviii_sum_welford",
        "left out / function | numbers / precision",
        (" + delta * delta * static_cast<float>(a.count) * ratio;", ";"),
    ),
    # Two empty ones are joined: zero by zero.
    Wrong(
        "xxviii_sum_welford_empty",
        "xxviii_sum_welford",
        "nan | numbers / tail / block size / infinity / function",
        (
            "    if (b.count == 0) return a;\n    if (a.count == 0) return b;\n",
            "",
        ),
    ),
    # The difference from the mean of before, twice.
    Wrong(
        "xxviii_sum_welford_old_mean",
        "xxviii_sum_welford",
        "function | numbers / precision",
        ("state.m2 += delta * delta2;", "state.m2 += delta * delta;"),
    ),
    # ---- maxima and minima
    # The smallest positive number, not the lowest.
    Wrong(
        "xxviii_max_cas_flt_min",
        "xxviii_max_cas",
        "start | numbers / infinity",
        ("float best = -INFINITY;", "float best = FLT_MIN;"),
    ),
    # Bits are compared as integers, whose order is another one below zero.
    Wrong(
        "xxviii_max_cas_bits",
        "xxviii_max_cas",
        "numbers / function / whole range | start / nan / infinity / left out / sign of zero",
        (
            "atomicMaxFloat(d_max, shared[0]);",
            "atomicMax((int*)d_max, __float_as_int(shared[0]));",
        ),
    ),
    # Read, compared, written: three steps.
    Wrong(
        "xxviii_max_cas_plain",
        "xxviii_max_cas",
        "race | left out / numbers",
        ("atomicMaxFloat(d_max, shared[0]);", "*d_max = larger(shared[0], *d_max);"),
    ),
    # Zero is no start for a minimum.
    Wrong(
        "xxviii_min_int_zero",
        "xxviii_min_int",
        "start | numbers",
        ("return INT_MAX;", "return 0;"),
    ),
    # Compared as floats, which have 24 bits.
    Wrong(
        "xxviii_min_int_floats",
        "xxviii_min_int",
        "precision / narrow | whole range / numbers / rounding / infinity",
        (
            "return b < a ? b : a; }",
            "return static_cast<int>(fminf(static_cast<float>(a), static_cast<float>(b))); }",
        ),
    ),
    # The second kernel has as many parts as a warp has lanes.
    Wrong(
        "xxviii_min_int_parts_of_warp",
        "xxviii_min_int",
        "left out | numbers / other element / grid",
        ("(parts, smallest, kParts, MinOp{})", "(parts, smallest, 32, MinOp{})"),
    ),
    # Lanes change their numbers within half a warp.
    Wrong(
        "xxviii_min_int_half_warps",
        "xxviii_min_int",
        "left out | numbers / other element",
        (
            "__shfl_down_sync(0xffffffffu, v, offset)",
            "__shfl_down_sync(0xffffffffu, v, offset, 16)",
        ),
    ),
    # The last lane has no more than its own.
    Wrong(
        "xxviii_min_int_last_lane",
        "xxviii_min_int",
        "left out | numbers / other element / start",
        ("if (lane == 0) smem[warp] = v;", "if (lane == 31) smem[warp] = v;"),
    ),
    *twentyeighth_arrays.WRONG,
)

RIGHT = (
    # Two blocks without work, and numbers without a sign.
    Right(
        "xxviii_add_fortran_idle_blocks",
        "xxviii_add_fortran",
        ("    int64_t i = (int64_t)blockDim.x", "    uint64_t i = (uint64_t)blockDim.x"),
        ("    if (i <= n)", "    if (i <= (uint64_t)n)"),
        ("(double)n / tblock.x), 1, 1);", "(double)n / tblock.x) + 2, 1, 1);"),
    ),
    # The rest is added as floats, backwards.
    Right(
        "xxviii_add_opencl_rest_backwards",
        "xxviii_add_opencl",
        ("k = groups * 8 + (gid - groups);", "k = n - 1 - (gid - groups);"),
        (
            "__hadd(x[k], y[k]);",
            "__float2half(__half2float(x[k]) + __half2float(y[k]));",
        ),
    ),
    # Two products, each of which is near.
    Right(
        "xxviii_add_lerp_two_products",
        "xxviii_add_lerp",
        ("(s + weight * (e - s))", "(fmaf(weight, e, fmaf(-weight, s, s)))"),
        ("kMaxBlocks = 1024;", "kMaxBlocks = 3;"),
    ),
    # Rows in y, as most have it, and blocks that are wide and low.
    Right(
        "xxviii_add_offsets_rows_in_y",
        "xxviii_add_offsets",
        (
            "return {(int64_t)blockIdx.x * blockDim.x + threadIdx.x, (int64_t)blockIdx.y * blockDim.y + threadIdx.y};",
            "return {(int64_t)blockIdx.y * blockDim.y + threadIdx.y, (int64_t)blockIdx.x * blockDim.x + threadIdx.x};",
        ),
        ("threadsperblock(16, 16);", "threadsperblock(64, 2);"),
        (
            "(rows + threadsperblock.x - 1) / threadsperblock.x",
            "(cols + threadsperblock.x - 1) / threadsperblock.x",
        ),
        (
            "(cols + threadsperblock.y - 1) / threadsperblock.y",
            "(rows + threadsperblock.y - 1) / threadsperblock.y",
        ),
    ),
    # Bytes are cut out of a word, and divided.
    Right(
        "xxviii_cast_planes_words",
        "xxviii_cast_planes",
        (
            "const uchar4 c = p.src[i];",
            "const unsigned word = reinterpret_cast<const unsigned*>(p.src)[i];",
        ),
        ("c.x * p.scale", "(word & 255u) / 255.0f"),
        ("c.y * p.scale", "(word >> 8 & 255u) / 255.0f"),
        ("c.z * p.scale", "(word >> 16 & 255u) / 255.0f"),
    ),
    # Five vectors a thread.
    Right(
        "xxviii_cast_fours_five_items",
        "xxviii_cast_fours",
        ("constexpr int kItems = 2;", "constexpr int kItems = 5;"),
        ("constexpr int kThreads = 128;", "constexpr int kThreads = 96;"),
    ),
    # Threads are counted down the columns of the block.
    Right(
        "xxviii_act_leaky_columns_first",
        "xxviii_act_leaky",
        ("threadIdx.y * blockDim.x + threadIdx.x;", "threadIdx.x * blockDim.y + threadIdx.y;"),
    ),
    # By the exponential of no positive number, without its loss near zero.
    Right(
        "xxviii_act_tanh_expm1",
        "xxviii_act_tanh",
        (
            "    return tanhf(x);",
            "    const float e = expm1f(-2.0f * fabsf(x));\n    return copysignf(-e / (e + 2.0f), x);",
        ),
    ),
    # All elements are the rest.
    Right(
        "xxviii_act_silu_back_all_rest",
        "xxviii_act_silu_back",
        ("const int64_t n_vec = n / 4;", "const int64_t n_vec = 0;"),
    ),
    # By the sigmoid of twice the inner number, and always five blocks.
    Right(
        "xxviii_act_gelu_by_sigmoid",
        "xxviii_act_gelu",
        ("0.5f * x * (1.f + tanhf(inner))", "x / (1.f + expf(-2.f * inner))"),
        ("    if (blocks < 1) blocks = 1;", "    blocks = 5;"),
    ),
    # Divided by the probability of being kept.
    Right(
        "xxviii_fused_dropout_divided",
        "xxviii_fused_dropout",
        ("__ldg(x + idx) * keep_scale : 0.f;", "__ldg(x + idx) / keep_scale : 0.f;"),
        ("keep_scale = 1.f / (1.f - p);", "keep_scale = 1.f - p;"),
    ),
    # The quotient is taken in double.
    Right(
        "xxviii_fused_addcdiv_double",
        "xxviii_fused_addcdiv",
        (
            "a.self[id] + a.value * (a.tensor1[id] / a.tensor2[id]);",
            "static_cast<float>(a.self[id] + static_cast<double>(a.value) * a.tensor1[id] / a.tensor2[id]);",
        ),
        ("(n + local_range - 1) / local_range;", "n / local_range + 1;"),
    ),
    # Every warp adds by itself.
    Right(
        "xxviii_sum_vector_warps_add",
        "xxviii_sum_vector",
        (
            "    if (lane == 0) warp_sums[warp_id] = sum;\n    __syncthreads();\n",
            "    if (lane == 0) atomicAdd(output, sum);\n",
        ),
        (
            "    if (warp_id == 0) {\n        sum = lane < NUM_WARPS ? warp_sums[lane] : 0.0f;\n        sum = warpReduceSum(sum);\n        if (lane == 0) atomicAdd(output, sum);\n    }\n",
            "",
        ),
        ("    __shared__ float warp_sums[NUM_WARPS];\n", ""),
    ),
    # Five more parts, of blocks without work.
    Right(
        "xxviii_sum_dot_half_many_parts",
        "xxviii_sum_dot_half",
        ("const int parts = blocks < 300 ? blocks : 300;", "const int parts = blocks + 5;"),
    ),
    # Half of the bytes go one by one, and a memset.
    Right(
        "xxviii_sum_dot_bytes_memset",
        "xxviii_sum_dot_bytes",
        (
            "    clear<<<1, 1, 0, stream>>>(dot);",
            "    cudaMemsetAsync(dot, 0, sizeof *dot, stream);",
        ),
        ("words = n / 4;", "words = n / 8;"),
    ),
    # Sixteen threads, and the state is kept as doubles.
    Right(
        "xxviii_sum_welford_doubles",
        "xxviii_sum_welford",
        ("    float mean;\n    float m2;", "    double mean;\n    double m2;"),
        (
            "welford_kernel<256><<<1, 256, 0, stream>>>",
            "welford_kernel<16><<<1, 16, 0, stream>>>",
        ),
    ),
    # The first element is the start, of each thread and of all.
    Right(
        "xxviii_max_cas_first_is_start",
        "xxviii_max_cas",
        ("float best = -INFINITY;", "float best = d_array[0];"),
        ("find_max<<<12, threads", "find_max<<<7, threads"),
    ),
    # The parts are joined by a block of two warps, one of which has few.
    Right(
        "xxviii_min_int_two_warps",
        "xxviii_min_int",
        (
            "reduce_kernel<MinOp, 1><<<1, 32, 0, stream>>>",
            "reduce_kernel<MinOp, 2><<<1, 64, 0, stream>>>",
        ),
        (
            "if (threadIdx.x == 0) {\n        for (int w = 1;",
            "if (threadIdx.x == 0) {\n        v = Op::identity();\n        for (int w = 0;",
        ),
    ),
    *twentyeighth_arrays.RIGHT,
)
