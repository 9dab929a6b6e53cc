"""Hold a thirty-eighth family: AdamW, quotients, quantization, images, norms, places, scans.

Its styles are a student's, a library author's, a modernist's, a book's, and ports from Fortran,
NumPy and the reference BLAS. The causes were written before a member was judged. Twelve members
were left out, and one label lost a word that may be named. On the emulator each member ran
beside PyTorch, compared as a case does: bases and right ones are right, and all wrong ones but
five wrong, refused by a fault, or endless, some only so:

    xxxviii_adamw_no_correction     as long as the corrections are not nearly 1
    xxxviii_adamw_epsilon_inside    if epsilon, or its root, counts beside the second moment
    xxxviii_adamw_coupled           if there is a decay
    xxxviii_adamw_counts_itself     if the step is not the number of the call
    xxxviii_cmulc_real              of numbers, or sums of products, that no float has
    xxxviii_divmod_toward_zero      of quotients below 0 with a rest
    xxxviii_divmod_multiples_too    if nothing is left and one of both is negative
    xxxviii_divmod_floorf           of integers or quotients past 2^24
    xxxviii_divmod_skips_zero       if a divisor is 0
    xxxviii_divmod_128              of smaller blocks, if more are needed than of 128
    xxxviii_quant_roundf            of ties, each second one
    xxxviii_quant_zero_point_first  of ties, if the zero point is odd
    xxxviii_quant_wraps             of results that 8 bits do not hold
    xxxviii_quant_z_again           from 4 elements on
    xxxviii_quant_any_address       from 4 elements on, of addresses that are not aligned
    xxxviii_close_of_actual         near the edge, if the relative tolerance is not 0
    xxxviii_close_no_fabs           if the first number is far below the second
    xxxviii_close_infinities        of equal infinities
    xxxviii_close_any_nan           of one NaN, if two would be equal
    xxxviii_blend_shift             unless what comes out is dark
    xxxviii_blend_byte              of sums above 255
    xxxviii_blend_times_height      if the sides differ, from 2 rows on
    xxxviii_blend_high_images       from 65,536 rows on
    xxxviii_blend_first_rows        from 65,536 rows on
    xxxviii_nrm2_not_scaled         of huge and of tiny numbers
    xxxviii_nrm2_ratio              from 257 elements on, if a thread's later one is larger
    xxxviii_nrm2_half_swap          from 3 elements on, if a later thread's scale is larger
    xxxviii_nrm2_barrier_behind     from 4 elements on, if what is lost counts
    xxxviii_nrm2_eight_blocks       unless the last block to write has all that counts
    xxxviii_argmin_raw_bits         if a number is negative
    xxxviii_argmin_minus_zero       if 0.0 is the smallest and stands before a -0.0
    xxxviii_argmin_nan_last         if a NaN without a sign is not the only element
    xxxviii_argmin_from_zero        if the first element is not the smallest
    xxxviii_argmin_last_of_equal    if the smallest is there more than once
    xxxviii_scan_sum_cleared        from 129 elements on
    xxxviii_scan_int                of sums that 32 bits do not hold
    xxxviii_scan_pairs              if n is odd
    xxxviii_scan_kept_memory        after a call with fewer blocks
    xxxviii_count_minus_zero        if a -0.0 is there
    xxxviii_count_exponents         if a subnormal number is there
    xxxviii_count_byte              if a thread counts past 255, as from 32,641 elements on
    xxxviii_extremes_no_nan         if a NaN is there
    xxxviii_extremes_endless        if the numbers of several warps have a NaN: it never ends
    xxxviii_extremes_set_once       from the second call on, if outputs hold what goes further

Five are right on the emulator, and wrong by reasoning:

    xxxviii_scan_down_no_barrier    where warps run at once
    xxxviii_scan_middle_stream      on every stream but the default one
    xxxviii_count_int               from 2^31 elements on
    xxxviii_count_no_first_barrier  where warps run at once
    xxxviii_extremes_one_try        where blocks run at once
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A library author's step of AdamW: in place, on copies of the parameters and the moments.
ADAMW = (
    HEADER
    + """\
#include <cmath>

struct AdamWConfig {
  float lr;
  float beta1;
  float beta2;
  float eps;
  float weight_decay;
  float bias_correction1;
  float bias_correction2;
};

// params, exp_avg and exp_avg_sq are updated in place.
__global__ void adamw_kernel(float* __restrict__ params, float* __restrict__ exp_avg, float* __restrict__ exp_avg_sq, const float* __restrict__ grads, const AdamWConfig cfg, const int64_t numel) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t idx = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; idx < numel; idx += stride) {
    float param = params[idx];
    const float grad = grads[idx];
    param -= cfg.lr * cfg.weight_decay * param;

    const float m = cfg.beta1 * exp_avg[idx] + (1.0f - cfg.beta1) * grad;
    const float v = cfg.beta2 * exp_avg_sq[idx] + (1.0f - cfg.beta2) * grad * grad;
    const float denom = sqrtf(v / cfg.bias_correction2) + cfg.eps;
    param -= cfg.lr * (m / cfg.bias_correction1) / denom;

    params[idx] = param;
    exp_avg[idx] = m;
    exp_avg_sq[idx] = v;
  }
}

extern "C" void launch(float* new_params,        // [numel]
                       float* new_exp_avg,       // [numel]
                       float* new_exp_avg_sq,    // [numel]
                       const float* params,      // [numel]
                       const float* grads,       // [numel]
                       const float* exp_avg,     // [numel]
                       const float* exp_avg_sq,  // [numel]
                       float lr, float beta1, float beta2, float eps, float weight_decay, int step, int64_t numel, cudaStream_t stream = 0) {
  const size_t bytes = numel * sizeof(float);
  cudaMemcpyAsync(new_params, params, bytes, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyAsync(new_exp_avg, exp_avg, bytes, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyAsync(new_exp_avg_sq, exp_avg_sq, bytes, cudaMemcpyDeviceToDevice, stream);

  AdamWConfig cfg{lr, beta1, beta2, eps, weight_decay};
  cfg.bias_correction1 = static_cast<float>(1.0 - std::pow(static_cast<double>(beta1), step));
  cfg.bias_correction2 = static_cast<float>(1.0 - std::pow(static_cast<double>(beta2), step));
  adamw_kernel<<<4, 64, 0, stream>>>(new_params, new_exp_avg, new_exp_avg_sq, grads, cfg, numel);
}
"""
)

# A port from Fortran, which counts from 1: complex numbers times the conjugates of others.
CMULC = (
    HEADER
    + """\
/*
 *      SUBROUTINE VCMULC(N, X, Y, Z)
 *      Z(I) = X(I) * DCONJG(Y(I)),  I = 1, ..., N
 *      part 1 is the real one, part 2 the imaginary one
 */
#define X(part, i) x[2 * ((i) - 1) + (part) - 1]
#define Y(part, i) y[2 * ((i) - 1) + (part) - 1]
#define Z(part, i) z[2 * ((i) - 1) + (part) - 1]

__global__ void vcmulc(int64_t n, const double *x, const double *y, double *z)
{
    const int64_t first = (int64_t) blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int64_t step = (int64_t) blockDim.x * gridDim.x;

    for (int64_t i = first; i <= n; i += step) {
        double xr = X(1, i), xi = X(2, i);
        double yr = Y(1, i), yi = Y(2, i);

        Z(1, i) = xr * yr + xi * yi;
        Z(2, i) = xi * yr - xr * yi;
    }
}

extern "C" void launch(int64_t n, const double *x /* [n, 2] */, const double *y /* [n, 2] */, double *z /* [n, 2] */, cudaStream_t stream = 0)
{
    vcmulc<<<12, 48, 0, stream>>>(n, x, y, z);
}
"""
)

# A port of NumPy's divmod: the quotient is rounded down, and nothing is divided by 0.
DIVMOD = (
    HEADER
    + """\
// np.divmod for int32: floor_divide and remainder, both 0 where the divisor is 0.
__device__ inline void np_divmod(int32_t a, int32_t b, int32_t& quotient, int32_t& remainder)
{
    if (b == 0) {
        quotient = 0;
        remainder = 0;
        return;
    }
    if (b == -1) {  // INT_MIN / -1 wraps
        quotient = (int32_t)(0u - (uint32_t)a);
        remainder = 0;
        return;
    }
    quotient = a / b;
    remainder = a % b;
    if (remainder != 0 && (remainder < 0) != (b < 0)) {
        quotient -= 1;
        remainder += b;
    }
}

__global__ void divmod_loop(const int32_t* x1, const int32_t* x2, int32_t* out1, int32_t* out2, int64_t size)
{
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < size) {
        int32_t q, r;
        np_divmod(x1[i], x2[i], q, r);
        out1[i] = q;
        out2[i] = r;
    }
}

extern "C" void launch(const int32_t* x1 /* [size] */, const int32_t* x2 /* [size] */, int32_t* out1 /* [size] */, int32_t* out2 /* [size] */, int64_t size, int block = 128, cudaStream_t stream = 0)
{
    const unsigned grid = (unsigned)((size + block - 1) / block);
    divmod_loop<<<grid, block, 0, stream>>>(x1, x2, out1, out2, size);
}
"""
)

# A library author's quantization to 8 bits, four at a time.
QUANT = (
    HEADER
    + """\
namespace quant {

struct Affine {
  float scale;
  int zero_point;

  __device__ __forceinline__ signed char operator()(float value) const {
    const float q = rintf(value / scale) + static_cast<float>(zero_point);
    return static_cast<signed char>(fminf(fmaxf(q, -128.0f), 127.0f));
  }
};

__global__ void __launch_bounds__(128) quantize_x4(const float* __restrict__ src, signed char* __restrict__ dst, int64_t count, Affine affine) {
  const int64_t pack = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t first = pack * 4;
  if (first + 4 <= count) {
    const float4 in = reinterpret_cast<const float4*>(src)[pack];
    const char4 out = make_char4(affine(in.x), affine(in.y), affine(in.z), affine(in.w));
    reinterpret_cast<char4*>(dst)[pack] = out;
  } else {
    for (int64_t i = first; i < count; ++i) dst[i] = affine(src[i]);
  }
}

}  // namespace quant

extern "C" void launch(const float* src,  // [count] 16-byte aligned
                       signed char* dst,  // [count] 4-byte aligned
                       float scale, int zero_point, int64_t count, cudaStream_t stream = 0) {
  const int64_t packs = (count + 3) / 4;
  const int64_t blocks = (packs + 127) / 128;
  quant::quantize_x4<<<static_cast<unsigned>(blocks), 128, 0, stream>>>(src, dst, count, quant::Affine{scale, zero_point});
}
"""
)

# A modernist's test for nearly equal numbers: any function over any number of arrays.
CLOSE = (
    HEADER
    + """\
#include <cmath>
#include <cstddef>

namespace zipped {

template <typename Function, typename Result, typename... Arguments>
__global__ void transform(std::size_t count, Function function, Result* result, const Arguments*... arguments)
{
    auto const stride = std::size_t{blockDim.x} * gridDim.x;
    for (auto i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        result[i] = function(arguments[i]...);
}

struct is_close {
    float rtol;
    float atol;
    bool equal_nan;

    __device__ auto operator()(float actual, float desired) const -> bool
    {
        if (isnan(actual) || isnan(desired)) return equal_nan && isnan(actual) && isnan(desired);
        if (actual == desired) return true;
        if (isinf(actual) || isinf(desired)) return false;
        return fabsf(actual - desired) <= atol + rtol * fabsf(desired);
    }
};

}  // namespace zipped

extern "C" void launch(size_t count, float const* actual /* [count] */, float const* desired /* [count] */, bool* result /* [count] */, float rtol, float atol, int equal_nan, cudaStream_t stream = 0)
{
    constexpr auto block = 96u;
    auto const wanted = (count + block - 1) / block;
    auto const grid = static_cast<unsigned>(wanted < 16 ? wanted : 16);
    zipped::transform<<<grid, block, 0, stream>>>(count, zipped::is_close{rtol, atol, equal_nan != 0}, result, actual, desired);
}
"""
)

# A student's blending of two grey images by a mask, in two dimensions.
BLEND = (
    HEADER
    + """\
#define TX 32

// out = (fg * a + bg * (255 - a)) / 255, to the nearest
__global__ void blendImages(const unsigned char *fg, const unsigned char *bg, const unsigned char *mask, unsigned char *out, int width, int height)
{
    int64_t col = (int64_t)blockIdx.x * TX + threadIdx.x;
    if (col >= width) return;

    for (int64_t row = blockIdx.y; row < height; row += gridDim.y)
    {
        int64_t pixel = row * width + col;
        int a = mask[pixel];
        int sum = fg[pixel] * a + bg[pixel] * (255 - a);
        out[pixel] = (unsigned char)((sum + 127) / 255);
    }
}

extern "C" void launch(const unsigned char *fg /* [height, width] */, const unsigned char *bg /* [height, width] */, const unsigned char *mask /* [height, width] */, unsigned char *out /* [height, width] */, int width, int height, cudaStream_t stream = 0)
{
    dim3 block(TX, 1);
    dim3 grid(width / TX + (width % TX ? 1 : 0), height);
    if (grid.y > 65535) grid.y = 65535;
    blendImages<<<grid, block, 0, stream>>>(fg, bg, mask, out, width, height);
}
"""
)

# A port of the reference BLAS: a length that neither overflows nor underflows on the way.
NRM2 = (
    HEADER
    + """\
// After SNRM2 of the reference BLAS: the sum of the squares is scale**2 * ssq.
#define NB 256

__device__ void add_number(float *scale, float *ssq, float x)
{
    if (x == 0.0f) return;
    float absxi = fabsf(x);
    if (*scale < absxi) {
        float ratio = *scale / absxi;
        *ssq = 1.0f + *ssq * (ratio * ratio);
        *scale = absxi;
    } else {
        float ratio = absxi == *scale ? 1.0f : absxi / *scale;
        *ssq += ratio * ratio;
    }
}

__device__ void add_pair(float *scale, float *ssq, float other_scale, float other_ssq)
{
    float s = *scale, q = *ssq;
    if (s < other_scale) {
        float swap = s;
        s = other_scale;
        other_scale = swap;
        swap = q;
        q = other_ssq;
        other_ssq = swap;
    }
    float ratio = s == other_scale ? 1.0f : other_scale / s;
    *scale = s;
    *ssq = q + other_ssq * (ratio * ratio);
}

__global__ void snrm2(int64_t n, const float *x, float *result)
{
    __shared__ float scales[NB], ssqs[NB];
    int id = threadIdx.x;
    float scale = 0.0f, ssq = 0.0f;

    for (int64_t i = id; i < n; i += NB) add_number(&scale, &ssq, x[i]);
    scales[id] = scale;
    ssqs[id] = ssq;
    __syncthreads();
    for (int k = NB / 2; k > 0; k /= 2) {
        if (id < k) add_pair(&scales[id], &ssqs[id], scales[id + k], ssqs[id + k]);
        __syncthreads();
    }
    if (id == 0) *result = scales[0] * sqrtf(ssqs[0]);
}

extern "C" void launch(int64_t n, const float *x /* [n] */, float *result /* [1] */, cudaStream_t stream = 0)
{
    snrm2<<<1, NB, 0, stream>>>(n, x, result);
}
"""
)

# A library author's place of the smallest: number and place in one integer of 64 bits.
ARGMIN = (
    HEADER
    + """\
namespace argmin {

using Key = unsigned long long;

// Unsigned integers in the order of the numbers; a NaN comes before all, and -0.0 is 0.0.
__device__ __forceinline__ uint32_t sortable(float value) {
  if (value != value) return 0u;
  const uint32_t bits = __float_as_uint(value + 0.0f);
  return (bits & 0x80000000u) ? ~bits : (bits | 0x80000000u);
}

__global__ void find(const float* __restrict__ values, uint32_t count, Key* __restrict__ best) {
  Key mine = ~Key{0};
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    const Key key = (static_cast<Key>(sortable(values[i])) << 32) | i;
    if (key < mine) mine = key;
  }
  for (int delta = 16; delta >= 1; delta /= 2) {
    const Key other = __shfl_xor_sync(0xffffffffu, mine, delta);
    if (other < mine) mine = other;
  }
  if (threadIdx.x % 32 == 0) atomicMin(best, mine);
}

__global__ void unpack(Key* best) { *best &= 0xffffffffull; }

}  // namespace argmin

extern "C" void launch(const float* values,  // [count]
                       int64_t* place,       // [1]
                       int count, cudaStream_t stream = 0) {
  auto* best = reinterpret_cast<argmin::Key*>(place);
  cudaMemsetAsync(best, 0xff, sizeof(*best), stream);
  argmin::find<<<3, 160, 0, stream>>>(values, static_cast<uint32_t>(count), best);
  argmin::unpack<<<1, 1, 0, stream>>>(best);
}
"""
)

# Running sums without the own element, as books have them: up a tree and down, three kernels.
SCAN = (
    HEADER
    + """\
#define BLOCK 64
#define ELEMS (2 * BLOCK)

__global__ void prescan(const int *g_idata, int64_t *g_odata, int64_t *g_sums, int64_t n)
{
    __shared__ int64_t temp[ELEMS];
    int thid = threadIdx.x;
    int64_t even = (int64_t)blockIdx.x * ELEMS + 2 * thid;
    int64_t odd = even + 1;
    int offset = 1;

    temp[2 * thid] = even < n ? g_idata[even] : 0;
    temp[2 * thid + 1] = odd < n ? g_idata[odd] : 0;

    for (int d = ELEMS >> 1; d > 0; d >>= 1)    // build sum in place up the tree
    {
        __syncthreads();
        if (thid < d)
        {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }

    if (thid == 0)
    {
        g_sums[blockIdx.x] = temp[ELEMS - 1];
        temp[ELEMS - 1] = 0;    // clear the last element
    }

    for (int d = 1; d < ELEMS; d *= 2)    // traverse down tree & build scan
    {
        offset >>= 1;
        __syncthreads();
        if (thid < d)
        {
            int left = offset * (2 * thid + 1) - 1;
            int right = offset * (2 * thid + 2) - 1;
            int64_t t = temp[left];
            temp[left] = temp[right];
            temp[right] += t;
        }
    }
    __syncthreads();

    if (even < n) g_odata[even] = temp[2 * thid];
    if (odd < n) g_odata[odd] = temp[2 * thid + 1];
}

__global__ void scanSums(int64_t *g_sums, int64_t count)
{
    int64_t running = 0;
    for (int64_t k = 0; k < count; k++)
    {
        int64_t sum = g_sums[k];
        g_sums[k] = running;
        running += sum;
    }
}

__global__ void uniformAdd(int64_t *g_data, const int64_t *g_sums, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * ELEMS + threadIdx.x;
    if (i < n) g_data[i] += g_sums[blockIdx.x];
}

extern "C" void launch(const int *g_idata /* [n] */, int64_t *g_odata /* [n] */, int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + ELEMS - 1) / ELEMS;
    int64_t *g_sums;
    cudaMallocAsync(&g_sums, blocks * sizeof(int64_t), stream);
    prescan<<<(unsigned)blocks, BLOCK, 0, stream>>>(g_idata, g_odata, g_sums, n);
    scanSums<<<1, 1, 0, stream>>>(g_sums, blocks);
    uniformAdd<<<(unsigned)blocks, ELEMS, 0, stream>>>(g_odata, g_sums, n);
    cudaFreeAsync(g_sums, stream);
}
"""
)

# A count of the halves that are not zero, by their bits.
COUNT = (
    HEADER
    + """\
typedef unsigned long long u64;

__global__ void count_nonzero_f16(const uint16_t* __restrict__ bits, int64_t len, u64* __restrict__ total)
{
    __shared__ u64 in_block;
    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads(); // in_block is 0

    u64 mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < len; i += (int64_t)gridDim.x * blockDim.x)
        mine += (bits[i] & 0x7fff) != 0; // any sign

    atomicAdd(&in_block, mine);
    __syncthreads(); // in_block is complete
    if (threadIdx.x == 0)
        atomicAdd(total, in_block);
}

extern "C" void launch(const half* data /* [len] */, int64_t len, int64_t* total /* [1] */, cudaStream_t stream = 0)
{
    cudaMemsetAsync(total, 0, sizeof(int64_t), stream);
    count_nonzero_f16<<<2, 64, 0, stream>>>((const uint16_t*)data, len, (u64*)total);
}
"""
)

# Both extremes of doubles, by loops of compare-and-swap. A NaN goes into both.
EXTREMES = (
    HEADER
    + """\
template <bool IS_MIN>
struct Extreme {
    static __device__ double start() { return IS_MIN ? INFINITY : -INFINITY; }

    // True if a replaces b.
    static __device__ bool better(double a, double b) { return a != a || (IS_MIN ? a < b : a > b); }

    static __device__ void update(double* where, double value) {
        auto* const bits = reinterpret_cast<unsigned long long*>(where);
        unsigned long long seen = *reinterpret_cast<volatile unsigned long long*>(bits), expected;
        do {
            expected = seen;
            if (!better(value, __longlong_as_double((long long)expected))) return;
            seen = atomicCAS(bits, expected, (unsigned long long)__double_as_longlong(value));
        } while (seen != expected);
    }

    static __device__ double of_warp(double value) {
        for (int step = 1; step < 32; step <<= 1) {
            const double other = __shfl_down_sync(0xffffffffu, value, step);
            if (better(other, value)) value = other;
        }
        return value;
    }
};

using Least = Extreme<true>;
using Most = Extreme<false>;

__global__ void reset(double* least, double* most) {
    *least = Least::start();
    *most = Most::start();
}

__global__ void extremes(const double* __restrict__ data, int64_t n, double* least, double* most) {
    double low = Least::start(), high = Most::start();
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(blockDim.x) * gridDim.x) {
        const double d = data[i];
        if (Least::better(d, low)) low = d;
        if (Most::better(d, high)) high = d;
    }
    low = Least::of_warp(low);
    high = Most::of_warp(high);
    if (threadIdx.x % 32 == 0) {
        Least::update(least, low);
        Most::update(most, high);
    }
}

extern "C" void launch(const double* data /* [n] */, double* least /* [1] */, double* most /* [1] */, int64_t n, cudaStream_t stream = 0) {
    reset<<<1, 1, 0, stream>>>(least, most);
    extremes<<<4, 128, 0, stream>>>(data, n, least, most);
}
"""
)

INF, NAN = float("inf"), float("nan")


def _single(x: float) -> float:
    """Return the float32 nearest to a number."""
    return torch.tensor(x, dtype=torch.float32).item()


def steps(launcher: Launcher) -> Iterator[Case]:
    """Make first and later steps, with usual and small gradients and several settings."""
    settings = (
        ("usual", 0.125, 0.9, 0.999, 1e-8, 0.01),
        ("large epsilon", 1.0, 0.5, 0.75, 0.125, 0.0),
        ("much decay", 0.25, 0.875, 0.9375, 1e-3, 0.5),
    )
    for n in (1, 2, 31, 256, 257, 1000, 3001):
        p, g, m = (whole(-200, 201, n, 7 * n + k).float() / 64 for k in range(3))
        v = whole(0, 401, n, 7 * n + 3).float() / 64
        for step in (1, 2, 30):
            for words, *numbers in settings:
                lr, beta1, beta2, eps, decay = (_single(x) for x in numbers)
                for label, size in (("usual", 1.0), ("small", 2.0**-14)):
                    inputs = (p, g * size, m * size, v * size * size)
                    a, b, c, d = (x.double() for x in inputs)
                    m1, v1 = beta1 * c + (1 - beta1) * b, beta2 * d + (1 - beta2) * b * b
                    c1, c2 = 1 - beta1**step, 1 - beta2**step
                    below = (v1 / c2).sqrt() + eps
                    p1 = a - lr * decay * a - lr * m1 / c1 / below
                    m_off = 2.0**-22 * ((beta1 * c).abs() + ((1 - beta1) * b).abs())
                    p_off = 2.0**-22 * (a.abs() + (p1 - a).abs()) + lr / c1 / below * m_off
                    p_off += 2.0**-20 * (lr * m1 / c1 / below).abs()
                    scalars = {
                        "lr": lr,
                        "beta1": beta1,
                        "beta2": beta2,
                        "eps": eps,
                        "weight_decay": decay,
                        "step": step,
                    }
                    yield Case(
                        f"numel = {n:,}, step {step}, {words} settings, {label} gradients",
                        inputs,
                        (p1, m1, v1),
                        scalars,
                        dtypes=(torch.float32,) * 3,
                        within=(p_off, m_off, 2.0**-21 * v1),
                    )


def conjugate_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply small and large complex numbers: all is exact."""
    for n in (1, 2, 31, 48, 49, 575, 576, 577, 3001):
        x, y = (whole(-999, 1000, 2 * n, 2 * n + k).double().reshape(n, 2) for k in range(2))
        for label, size in (("small", 1), ("large", 8191), ("fractions", 2.0**-9)):
            a, b = x * size + 1, y * size - 1
            right = torch.stack(
                (a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1], a[:, 1] * b[:, 0] - a[:, 0] * b[:, 1]),
                dim=1,
            )
            yield Case(f"n = {n:,}, {label}", (a, b), (right,), dtypes=(torch.float64,))


def divisions(launcher: Launcher) -> Iterator[Case]:
    """Divide by small and large integers of both signs, by 0, and multiples without a rest."""
    for n in (1, 2, 31, 128, 129, 1000, 3001):
        any_ = whole(-(2**31), 2**31, n, n)
        small, tiny = whole(-99, 100, n, n + 1), whole(-3, 4, n, n + 2)
        for block in (128, 100):
            for label, x, y in (
                ("small", any_ % 2001 - 1000, small),
                ("large by small", any_, small),
                ("large by large", any_, any_.flip(0) // 3),
                ("multiples", tiny * small, small),
                ("by -1, 0 and 1", torch.where(tiny > 1, -(2**31), any_), tiny.sign()),
            ):
                safe = torch.where(y == 0, 1, y)
                q = torch.where(y == 0, 0, x.div(safe, rounding_mode="floor"))
                r = torch.where(y == 0, 0, x - q * y)
                right = (q.int().double(), r.double())
                words = f"size = {n:,}, block = {block}, {label}"
                options = {"dtypes": (torch.int32,) * 2}
                yield Case(words, (x.int(), y.int()), right, {"block": block}, **options)


def quantized(launcher: Launcher) -> Iterator[Case]:
    """Quantize small and large numbers, ties, and infinities, from addresses as promised."""
    # Where nothing is promised, any element may be the first.
    promised = any(p.alignment > 1 for p in launcher.declaration.tensors)
    for n in (1, 2, 3, 4, 5, 31, 511, 512, 513, 1023, 3001):
        x = whole(-(2**16), 2**16, n, n).float()
        strange = torch.tensor([(INF, -INF, 1e30, -1e30, 0.0, -0.0)[k % 6] for k in range(n)])
        for scale, zero in ((0.5, 0), (0.25, 3), (4.0, -17)):
            for label, y in (
                ("small", x / 2048 * scale),
                ("ties", (x % 64 - 32 + 0.5) * scale),
                ("up to the ends", x / 512 * scale),
                ("large", x * scale),
                ("strange", strange),
            ):
                right = (torch.round(y.double() / scale) + zero).clamp(-128, 127)
                scalars = {"scale": scale, "zero_point": zero}
                start = 4 if promised else 1
                for offset in (0, start) if label == "small" and n > 8 else (0,):
                    words = f"count = {n:,}, {scalars}, {label}, from element {offset}"
                    options = {"dtypes": (torch.int8,), "offset": offset}
                    yield Case(words, (y,), (right,), scalars, **options)


def nearness(launcher: Launcher) -> Iterator[Case]:
    """Compare numbers just near enough and just not, equal ones, infinities and NaN."""
    strange = (INF, -INF, NAN, 0.0, -0.0, 1.0, 3e38, -3e38)
    for n in (1, 2, 31, 96, 97, 1535, 1536, 1537, 4001):
        b = whole(-500, 501, n, n).float() * 8
        sign = whole(0, 2, n, n + 1).float() * 2 - 1
        any_a = torch.tensor([strange[k % 8] for k in range(n)])
        any_b = torch.tensor([strange[(k // 8) % 8] for k in range(n)])
        for rtol, atol in ((0.125, 0.5), (0.0, 2.0), (0.5, 0.0)):
            edge = rtol * b.abs() + atol
            for label, x, y in (
                ("on the edge", b + sign * edge, b),
                ("inside", b + sign * (edge - 0.25).clamp(min=0), b),
                ("outside", b + sign * (edge + 0.25), b),
                ("equal", b, b),
                ("far", b, b.flip(0) * 1024),
                ("strange", any_a, any_b),
            ):
                for equal_nan in (0, 1) if label == "strange" else (0,):
                    right = torch.isclose(x.double(), y.double(), rtol, atol, bool(equal_nan))
                    scalars = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan}
                    options = {"dtypes": (torch.bool,)}
                    words = f"count = {n:,}, {scalars}, {label}"
                    yield Case(words, (x, y), (right.double(),), scalars, **options)


def blends(launcher: Launcher) -> Iterator[Case]:
    """Blend images of many sides, also a very high one."""
    sides = ((1, 1), (1, 33), (33, 1), (7, 32), (20, 31), (31, 65), (64, 64), (65_600, 1))
    for height, width in sides:
        n = height * width
        fg, bg, mask = (whole(0, 256, n, n + k) for k in range(3))
        for label, a in (("any mask", mask), ("all or nothing", (mask > 99).long() * 255)):
            if n > 10_000 and label != "any mask":
                continue
            right = ((fg * a + bg * (255 - a)).double() / 255).round().reshape(height, width)
            inputs = tuple(x.to(torch.uint8).reshape(height, width) for x in (fg, bg, a))
            words = f"height = {height:,}, width = {width}, {label}"
            options = {"dtypes": (torch.uint8,), "quick": n > 10_000}
            yield Case(words, inputs, (right,), **options)


def lengths(launcher: Launcher) -> Iterator[Case]:
    """Take the length of usual, huge, tiny and equal numbers, of zeros and of infinities."""
    for n in (1, 2, 31, 255, 256, 257, 1000, 5001):
        x = whole(-200, 201, n, n).float()
        for label, y in (
            ("usual", x),
            ("huge", x * 2.0**110),
            ("tiny", x * 2.0**-120),
            ("rising", x.abs().sort()[0] + 1),
            ("falling", x.abs().sort(descending=True)[0] + 1),
            ("equal", x * 0 + 3),
            ("zeros", x * 0),
            ("an infinity", torch.where(torch.arange(n) % 300 == n // 2 % 300, INF, x)),
            ("a NaN", torch.where(torch.arange(n) == n // 2, NAN, x)),
        ):
            right = (y.double().square().sum().sqrt().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float32,), ulp=8)


def places(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the smallest: of both signs, equal ones, zeros of both signs, NaN."""
    for n in (1, 2, 31, 33, 160, 161, 479, 480, 481, 3001):
        x = whole(-(10**6), 10**6, n, n).float() / 16
        few, k = whole(1, 4, n, n + 1).float(), torch.arange(n)
        signs = torch.where(whole(0, 2, n, n + 2) > 0, 0.0, -0.0)
        for label, y in (
            ("any", x),
            ("positive", x.abs() + 1),
            ("negative", -x.abs() - 1),
            ("falling", x.sort(descending=True)[0]),
            ("equal ones", few),
            ("zeros", torch.where(few > 2, signs, few)),
            ("infinite", x * 0 + INF),
            ("NaN", torch.where(k % 97 == n // 2 % 97, NAN, x)),
        ):
            best = y.isnan() if bool(y.isnan().any()) else y == y.min()
            right = (best.nonzero()[0].double(),)
            yield Case(f"count = {n:,}, {label}", (y,), right, dtypes=(torch.int64,))


def running_sums(launcher: Launcher) -> Iterator[Case]:
    """Add what comes before each element: small and large integers."""
    for n in (1, 2, 3, 64, 127, 128, 129, 255, 1000, 3001):
        x = whole(-(2**31), 2**31, n, n)
        for label, y in (("any", x), ("large", x.abs() // 4 + 2**30), ("small", x % 100 - 30)):
            right = ((y.cumsum(0) - y).double(),)
            yield Case(f"n = {n:,}, {label}", (y.int(),), right, dtypes=(torch.int64,))


def counts(launcher: Launcher) -> Iterator[Case]:
    """Count among usual, subnormal and strange halves and zeros of both signs."""
    strange = (0.0, -0.0, INF, -INF, NAN, 6e-8, -6e-8, 3e-5, -1.0)
    for n in (1, 2, 31, 64, 65, 128, 129, 1000, 40_001):
        x = whole(-2, 3, n, n).half()
        special = torch.tensor([strange[k % len(strange)] for k in range(n)])
        for label, y in (
            ("usual", x),
            ("all", x.abs() + 1),
            ("none", x * 0),
            ("negative zeros", torch.where(x == 0, -0.0, x)),
            ("subnormal", x * 2.0**-20),
            ("strange", special.half()),
        ):
            right = ((y.double() != 0).sum().double().reshape(1),)
            yield Case(f"len = {n:,}, {label}", (y.half(),), right, dtypes=(torch.int64,))


def both_extremes(launcher: Launcher) -> Iterator[Case]:
    """Find both extremes of numbers of one sign and of both, of infinities and with NaNs."""
    for n in (1, 2, 31, 33, 127, 128, 129, 511, 512, 513, 3001):
        x = whole(-(10**9), 10**9, n, n).double() / 16
        k = torch.arange(n)
        for label, y in (
            ("any", x),
            ("positive", x.abs() + 1),
            ("negative", -x.abs() - 1),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
            ("infinite", x * 0 + INF),
            ("a NaN", torch.where(k == n // 2, NAN, x)),
            ("NaNs", torch.where(k % 7 == n % 7, NAN, x)),
        ):
            right = (y.min().reshape(1), y.max().reshape(1))
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float64,) * 2)


BASES = {
    "xxxviii_adamw": Base(ADAMW, {"cases": steps}),
    "xxxviii_cmulc": Base(CMULC, {"cases": conjugate_products}),
    "xxxviii_divmod": Base(DIVMOD, {"cases": divisions}),
    "xxxviii_quant": Base(QUANT, {"cases": quantized}),
    "xxxviii_close": Base(CLOSE, {"cases": nearness}),
    "xxxviii_blend": Base(BLEND, {"cases": blends}),
    "xxxviii_nrm2": Base(NRM2, {"cases": lengths}),
    "xxxviii_argmin": Base(ARGMIN, {"cases": places}),
    "xxxviii_scan": Base(SCAN, {"cases": running_sums}),
    "xxxviii_count": Base(COUNT, {"cases": counts}),
    "xxxviii_extremes": Base(EXTREMES, {"cases": both_extremes}),
}

WRONG = (
    # ---- a step of AdamW
    # The moments are not corrected for their start at zero.
    Wrong(
        "xxxviii_adamw_no_correction",
        "xxxviii_adamw",
        "function / left out | numbers / precision",
        ("sqrtf(v / cfg.bias_correction2)", "sqrtf(v)"),
        ("(m / cfg.bias_correction1)", "m"),
    ),
    # Epsilon below the root.
    Wrong(
        "xxxviii_adamw_epsilon_inside",
        "xxxviii_adamw",
        "function | numbers / precision / infinity",
        (
            "sqrtf(v / cfg.bias_correction2) + cfg.eps;",
            "sqrtf(v / cfg.bias_correction2 + cfg.eps);",
        ),
    ),
    # Decay as a part of the gradient, which is Adam and not AdamW.
    Wrong(
        "xxxviii_adamw_coupled",
        "xxxviii_adamw",
        "function | numbers / precision / left out",
        ("    const float grad = grads[idx];\n", "    float grad = grads[idx];\n"),
        ("param -= cfg.lr * cfg.weight_decay * param;", "grad += cfg.weight_decay * param;"),
    ),
    # The first moment of the step before.
    Wrong(
        "xxxviii_adamw_old_moment",
        "xxxviii_adamw",
        "function / left out | numbers / precision",
        ("(m / cfg.bias_correction1)", "(exp_avg[idx] / cfg.bias_correction1)"),
    ),
    # Elements and bytes.
    Wrong(
        "xxxviii_adamw_copies_numel",
        "xxxviii_adamw",
        "zero before / state / left out | start / function / numbers / nan / unwritten / infinity",
        (
            "cudaMemcpyAsync(new_exp_avg_sq, exp_avg_sq, bytes,",
            "cudaMemcpyAsync(new_exp_avg_sq, exp_avg_sq, numel,",
        ),
    ),
    # It counts its calls, as if they were the steps.
    Wrong(
        "xxxviii_adamw_counts_itself",
        "xxxviii_adamw",
        "state / left out | function / numbers / start",
        (
            "  AdamWConfig cfg{lr,",
            "  static int calls = 0;\n  step = ++calls;\n  AdamWConfig cfg{lr,",
        ),
    ),
    # ---- complex products
    # Not conjugated.
    Wrong(
        "xxxviii_cmulc_plain",
        "xxxviii_cmulc",
        "function | numbers / left out",
        ("xr * yr + xi * yi;", "xr * yr - xi * yi;"),
        ("xi * yr - xr * yi;", "xi * yr + xr * yi;"),
    ),
    # Ported half: counted from 1, tested as if from 0.
    Wrong(
        "xxxviii_cmulc_less",
        "xxxviii_cmulc",
        "tail / unwritten | left out / bounds / grid",
        ("i <= n;", "i < n;"),
    ),
    # Ported half: counted from 0.
    Wrong(
        "xxxviii_cmulc_from_zero",
        "xxxviii_cmulc",
        "bounds | race / other element / twice",
        ("+ threadIdx.x + 1;", "+ threadIdx.x;"),
    ),
    # The real part is new when the imaginary one is computed.
    Wrong(
        "xxxviii_cmulc_new_real_part",
        "xxxviii_cmulc",
        "function | numbers / other element / race / infinity",
        (
            "        Z(1, i) = xr * yr + xi * yi;\n        Z(2, i) = xi * yr - xr * yi;\n",
            "        xr = xr * yr + xi * yi;\n        xi = xi * yr - xr * yi;\n        Z(1, i) = xr;\n        Z(2, i) = xi;\n",
        ),
    ),
    # REAL in place of DOUBLE PRECISION.
    Wrong(
        "xxxviii_cmulc_real",
        "xxxviii_cmulc",
        "precision / rounding / narrow | numbers",
        ("        double xr = X(1, i),", "        float xr = X(1, i),"),
        ("        double yr = Y(1, i),", "        float yr = Y(1, i),"),
    ),
    # ---- quotient and rest
    # As C divides.
    Wrong(
        "xxxviii_divmod_toward_zero",
        "xxxviii_divmod",
        "rounding / function | numbers / left out",
        ("    if (remainder != 0 && (remainder < 0) != (b < 0)) {", "    if (false) {"),
    ),
    # Also where nothing is left.
    Wrong(
        "xxxviii_divmod_multiples_too",
        "xxxviii_divmod",
        "function / numbers / rounding | whole range",
        ("if (remainder != 0 && (remainder < 0) != (b < 0))", "if ((a < 0) != (b < 0))"),
    ),
    # The quotient by floating point.
    Wrong(
        "xxxviii_divmod_floorf",
        "xxxviii_divmod",
        "precision / rounding | numbers / narrow / whole range",
        ("    quotient = a / b;\n", "    quotient = (int32_t)floorf((float)a / (float)b);\n"),
        ("        quotient -= 1;\n", ""),
    ),
    # The outputs in the other order.
    Wrong(
        "xxxviii_divmod_outputs_swapped",
        "xxxviii_divmod",
        "swapped / function | numbers / whole range / other element",
        ("(x1, x2, out1, out2, size);\n}", "(x1, x2, out2, out1, size);\n}"),
    ),
    # Nothing is written where the divisor is 0.
    Wrong(
        "xxxviii_divmod_skips_zero",
        "xxxviii_divmod",
        "unwritten / zero before / left out | numbers / start / state",
        (
            "        int32_t q, r;\n",
            "        if (x2[i] == 0) return;\n        int32_t q, r;\n",
        ),
    ),
    # The block size is taken to be 128.
    Wrong(
        "xxxviii_divmod_128",
        "xxxviii_divmod",
        "grid / block size / unwritten / tail | left out",
        ("(size + block - 1) / block)", "(size + 127) / 128)"),
    ),
    # ---- quantization
    # Ties away from zero.
    Wrong(
        "xxxviii_quant_roundf",
        "xxxviii_quant",
        "rounding | numbers",
        ("rintf(value / scale)", "roundf(value / scale)"),
    ),
    # The zero point before the rounding: other integers are even.
    Wrong(
        "xxxviii_quant_zero_point_first",
        "xxxviii_quant",
        "rounding | numbers / function / left out",
        (
            "rintf(value / scale) + static_cast<float>(zero_point);",
            "rintf(value / scale + static_cast<float>(zero_point));",
        ),
    ),
    # No limits: the lowest 8 bits.
    Wrong(
        "xxxviii_quant_wraps",
        "xxxviii_quant",
        "whole range / infinity / narrow | numbers",
        (
            "static_cast<signed char>(fminf(fmaxf(q, -128.0f), 127.0f));",
            "static_cast<signed char>(static_cast<int>(q));",
        ),
    ),
    # Copied, and not changed.
    Wrong(
        "xxxviii_quant_z_again",
        "xxxviii_quant",
        "neighbour / other element / left out | numbers / twice / tail / function",
        ("affine(in.z), affine(in.w)", "affine(in.z), affine(in.z)"),
    ),
    # Any address is promised to do.
    Wrong(
        "xxxviii_quant_any_address",
        "xxxviii_quant",
        "alignment",
        ("// [count] 16-byte aligned", "// [count]"),
        ("// [count] 4-byte aligned", "// [count]"),
    ),
    # ---- nearly equal
    # Relative to the other one.
    Wrong(
        "xxxviii_close_of_actual",
        "xxxviii_close",
        "swapped / function | numbers",
        ("rtol * fabsf(desired);", "rtol * fabsf(actual);"),
    ),
    # No magnitude of the difference.
    Wrong(
        "xxxviii_close_no_fabs",
        "xxxviii_close",
        "function / numbers / left out | swapped / infinity",
        ("return fabsf(actual - desired) <=", "return actual - desired <="),
    ),
    # Equal infinities are not near each other.
    Wrong(
        "xxxviii_close_infinities",
        "xxxviii_close",
        "infinity | numbers / function / nan",
        ("        if (actual == desired) return true;\n", ""),
    ),
    # A NaN is near everything.
    Wrong(
        "xxxviii_close_any_nan",
        "xxxviii_close",
        "nan | numbers / function",
        ("return equal_nan && isnan(actual) && isnan(desired);", "return equal_nan;"),
    ),
    # ---- blending
    # 256 in place of 255.
    Wrong(
        "xxxviii_blend_shift",
        "xxxviii_blend",
        "function / rounding / numbers | precision / neighbour",
        ("((sum + 127) / 255);", "((sum + 127) >> 8);"),
    ),
    # A sum of 8 bits.
    Wrong(
        "xxxviii_blend_byte",
        "xxxviii_blend",
        "whole range / narrow / infinity | numbers / function",
        ("        int sum =", "        unsigned char sum ="),
    ),
    # The other side as the width of a row.
    Wrong(
        "xxxviii_blend_times_height",
        "xxxviii_blend",
        "sides / bounds / unwritten / other element | race / left out / twice",
        ("pixel = row * width + col;", "pixel = row * height + col;"),
    ),
    # One row of the grid for each row of the image, however many there are.
    Wrong(
        "xxxviii_blend_high_images",
        "xxxviii_blend",
        "grid / refused | unwritten",
        ("    if (grid.y > 65535) grid.y = 65535;\n", ""),
    ),
    # At most as many rows as a grid has.
    Wrong(
        "xxxviii_blend_first_rows",
        "xxxviii_blend",
        "unwritten / left out / grid / tail | sides",
        (
            "for (int64_t row = blockIdx.y; row < height; row += gridDim.y)",
            "int64_t row = blockIdx.y;\n    if (row < height)",
        ),
    ),
    # ---- a scaled length
    # Squares, not scaled.
    Wrong(
        "xxxviii_nrm2_not_scaled",
        "xxxviii_nrm2",
        "infinity / subnormal / numbers | precision / function / whole range / left out",
        (
            "    if (x == 0.0f) return;\n",
            "    *scale = 1.0f;\n    *ssq += x * x;\n    return;\n",
        ),
    ),
    # The ratio is not squared.
    Wrong(
        "xxxviii_nrm2_ratio",
        "xxxviii_nrm2",
        "function / numbers | precision / race",
        ("*ssq = 1.0f + *ssq * (ratio * ratio);", "*ssq = 1.0f + *ssq * ratio;"),
    ),
    # Scales change places, sums do not.
    Wrong(
        "xxxviii_nrm2_half_swap",
        "xxxviii_nrm2",
        "function / numbers / swapped / other element / left out | precision / race",
        ("        swap = q;\n        q = other_ssq;\n        other_ssq = swap;\n", ""),
    ),
    # One barrier, behind the tree.
    Wrong(
        "xxxviii_nrm2_barrier_behind",
        "xxxviii_nrm2",
        "race | left out / numbers",
        (
            "ssqs[id + k]);\n        __syncthreads();\n    }\n",
            "ssqs[id + k]);\n    }\n    __syncthreads();\n",
        ),
    ),
    # More blocks, for speed: each writes its own length.
    Wrong(
        "xxxviii_nrm2_eight_blocks",
        "xxxviii_nrm2",
        "race / left out | numbers / other element / grid",
        (
            "int64_t i = id; i < n; i += NB)",
            "int64_t i = (int64_t)blockIdx.x * NB + id; i < n; i += (int64_t)gridDim.x * NB)",
        ),
        ("<<<1, NB,", "<<<8, NB,"),
    ),
    # ---- the place of the smallest
    # The bits as they are.
    Wrong(
        "xxxviii_argmin_raw_bits",
        "xxxviii_argmin",
        "numbers / function / other element | left out / whole range",
        ("return (bits & 0x80000000u) ? ~bits : (bits | 0x80000000u);", "return bits;"),
    ),
    # -0.0 before 0.0.
    Wrong(
        "xxxviii_argmin_minus_zero",
        "xxxviii_argmin",
        "sign of zero / other element | numbers",
        ("__float_as_uint(value + 0.0f)", "__float_as_uint(value)"),
    ),
    # A NaN is the largest, or with its sign the smallest as before.
    Wrong(
        "xxxviii_argmin_nan_last",
        "xxxviii_argmin",
        "nan | numbers / other element / left out",
        ("  if (value != value) return 0u;\n", ""),
    ),
    # The start of a largest one.
    Wrong(
        "xxxviii_argmin_from_zero",
        "xxxviii_argmin",
        "start | numbers / other element / copy / zero before / left out / function",
        ("(best, 0xff, sizeof(*best), stream);", "(best, 0, sizeof(*best), stream);"),
    ),
    # From the largest: the last of equal ones.
    Wrong(
        "xxxviii_argmin_last_of_equal",
        "xxxviii_argmin",
        "other element / numbers | function",
        ("<< 32) | i;", "<< 32) | ~i;"),
        ("{ *best &= 0xffffffffull; }", "{ *best = ~*best & 0xffffffffull; }"),
    ),
    # ---- running sums
    # The block's sum is kept when it is no longer there.
    Wrong(
        "xxxviii_scan_sum_cleared",
        "xxxviii_scan",
        "left out / function | numbers / other element / sides / start",
        (
            "        g_sums[blockIdx.x] = temp[ELEMS - 1];\n        temp[ELEMS - 1] = 0;    // clear the last element\n",
            "        temp[ELEMS - 1] = 0;    // clear the last element\n        g_sums[blockIdx.x] = temp[ELEMS - 1];\n",
        ),
    ),
    # Sums of 32 bits.
    Wrong(
        "xxxviii_scan_int",
        "xxxviii_scan",
        "narrow / whole range / infinity | numbers",
        ("__shared__ int64_t temp[ELEMS];", "__shared__ int temp[ELEMS];"),
    ),
    # Both of a pair, or none.
    Wrong(
        "xxxviii_scan_pairs",
        "xxxviii_scan",
        "unwritten / tail / left out | other element / bounds",
        (
            "    if (even < n) g_odata[even] = temp[2 * thid];\n    if (odd < n) g_odata[odd] = temp[2 * thid + 1];\n",
            "    if (odd < n)\n    {\n        g_odata[even] = temp[2 * thid];\n        g_odata[odd] = temp[2 * thid + 1];\n    }\n",
        ),
    ),
    # No barrier between two levels down.
    Wrong(
        "xxxviii_scan_down_no_barrier",
        "xxxviii_scan",
        "race | numbers / left out / other element / twice",
        ("        offset >>= 1;\n        __syncthreads();\n", "        offset >>= 1;\n"),
    ),
    # Memory of the first call's size, for all calls.
    Wrong(
        "xxxviii_scan_kept_memory",
        "xxxviii_scan",
        "state / bounds | unwritten",
        ("    int64_t *g_sums;\n", "    static int64_t *g_sums = nullptr;\n"),
        ("    cudaMallocAsync(&g_sums,", "    if (!g_sums) cudaMallocAsync(&g_sums,"),
        ("    cudaFreeAsync(g_sums, stream);\n", ""),
    ),
    # The middle one on another stream.
    Wrong(
        "xxxviii_scan_middle_stream",
        "xxxviii_scan",
        "stream | race",
        ("scanSums<<<1, 1, 0, stream>>>", "scanSums<<<1, 1>>>"),
    ),
    # ---- a count
    # -0.0 is counted.
    Wrong(
        "xxxviii_count_minus_zero",
        "xxxviii_count",
        "sign of zero | numbers / function / twice",
        ("(bits[i] & 0x7fff) != 0;", "bits[i] != 0;"),
    ),
    # Only what has an exponent.
    Wrong(
        "xxxviii_count_exponents",
        "xxxviii_count",
        "subnormal | numbers / left out / function",
        ("& 0x7fff)", "& 0x7c00)"),
    ),
    # A place in 32 bits.
    Wrong(
        "xxxviii_count_int",
        "xxxviii_count",
        "narrow | bounds",
        (
            "for (int64_t i = (int64_t)blockIdx.x * blockDim.x",
            "for (int i = blockIdx.x * blockDim.x",
        ),
        ("i += (int64_t)gridDim.x * blockDim.x)", "i += gridDim.x * blockDim.x)"),
    ),
    # A thread counts to 255.
    Wrong(
        "xxxviii_count_byte",
        "xxxviii_count",
        "whole range / narrow / infinity | left out / numbers",
        ("    u64 mine = 0;", "    unsigned char mine = 0;"),
    ),
    # The first barrier is missing.
    Wrong(
        "xxxviii_count_no_first_barrier",
        "xxxviii_count",
        "race | start / left out / zero before / state",
        ("    __syncthreads(); // in_block is 0\n", ""),
    ),
    # Shared memory is as it was.
    Wrong(
        "xxxviii_count_shared_start",
        "xxxviii_count",
        "start / zero before / state / unwritten | numbers / race",
        ("    if (threadIdx.x == 0)\n        in_block = 0;\n", ""),
    ),
    # ---- both extremes
    # The functions that ignore NaN.
    Wrong(
        "xxxviii_extremes_no_nan",
        "xxxviii_extremes",
        "nan | numbers",
        ("return a != a || (IS_MIN ? a < b : a > b);", "return IS_MIN ? a < b : a > b;"),
    ),
    # Compared as numbers, of which NaN does not equal itself.
    Wrong(
        "xxxviii_extremes_endless",
        "xxxviii_extremes",
        "timeout | nan",
        (
            "while (seen != expected);",
            "while (__longlong_as_double((long long)seen) != __longlong_as_double((long long)expected));",
        ),
    ),
    # Set once.
    Wrong(
        "xxxviii_extremes_set_once",
        "xxxviii_extremes",
        "state / zero before / start | numbers / other element / nan",
        (
            "    reset<<<1, 1, 0, stream>>>(least, most);\n",
            "    static bool is_set = false;\n    if (!is_set) reset<<<1, 1, 0, stream>>>(least, most);\n    is_set = true;\n",
        ),
    ),
    # Blocks that are no whole number of warps.
    Wrong(
        "xxxviii_extremes_100",
        "xxxviii_extremes",
        "race / block size | left out / other element / numbers",
        ("<<<4, 128, 0, stream>>>", "<<<4, 100, 0, stream>>>"),
    ),
    # Not tried again.
    Wrong(
        "xxxviii_extremes_one_try",
        "xxxviii_extremes",
        "race | left out / numbers",
        ("while (seen != expected);", "while (false);"),
    ),
)

RIGHT = (
    # PyTorch's order: the roots are divided, the rate is divided by the first correction.
    Right(
        "xxxviii_adamw_two_roots",
        "xxxviii_adamw",
        ("sqrtf(v / cfg.bias_correction2)", "sqrtf(v) / sqrtf(cfg.bias_correction2)"),
        (
            "cfg.lr * (m / cfg.bias_correction1) / denom;",
            "cfg.lr / cfg.bias_correction1 * (m / denom);",
        ),
        (
            "param -= cfg.lr * cfg.weight_decay * param;",
            "param *= 1.0f - cfg.lr * cfg.weight_decay;",
        ),
        ("<<<4, 64,", "<<<7, 33,"),
    ),
    # A thread a part, not a number.
    Right(
        "xxxviii_cmulc_thread_a_part",
        "xxxviii_cmulc",
        (
            "for (int64_t i = first; i <= n; i += step) {",
            "for (int64_t k = first - 1; k < 2 * n; k += step) {\n        const int64_t i = k / 2 + 1;",
        ),
        ("        Z(1, i) = xr", "        if (k % 2 == 0) Z(1, i) = xr"),
        ("        Z(2, i) = xi", "        else Z(2, i) = xi"),
    ),
    # By division of doubles, which is exact enough for 32 bits; the rest wraps to what it is.
    Right(
        "xxxviii_divmod_by_double",
        "xxxviii_divmod",
        (
            "    quotient = a / b;\n    remainder = a % b;\n",
            "    quotient = (int32_t)floor((double)a / (double)b);\n    remainder = (int32_t)((uint32_t)a - (uint32_t)quotient * (uint32_t)b);\n",
        ),
        ("    if (remainder != 0 && (remainder < 0) != (b < 0)) {", "    if (false) {"),
    ),
    # Limited before the rounding, and again as an integer.
    Right(
        "xxxviii_quant_limited_first",
        "xxxviii_quant",
        (
            "    const float q = rintf(value / scale) + static_cast<float>(zero_point);\n    return static_cast<signed char>(fminf(fmaxf(q, -128.0f), 127.0f));\n",
            "    const int64_t q = __float2int_rn(fminf(fmaxf(value / scale, -2e9f), 2e9f)) + int64_t{zero_point};\n    return static_cast<signed char>(q < -128 ? -128 : q > 127 ? 127 : q);\n",
        ),
        ("blocks = (packs + 127) / 128;", "blocks = packs / 128 + 2;"),
    ),
    # In double, with one limit for what is infinite; fewer threads a block.
    Right(
        "xxxviii_close_in_double",
        "xxxviii_close",
        ("        if (isinf(actual) || isinf(desired)) return false;\n", ""),
        (
            "return fabsf(actual - desired) <= atol + rtol * fabsf(desired);",
            "auto const limit = double{atol} + double{rtol} * fabs(double{desired});\n        return limit < HUGE_VAL && fabs(double{actual} - double{desired}) <= limit;",
        ),
        ("block = 96u;", "block = 17u;"),
    ),
    # 255 without a division; rows by the thousand.
    Right(
        "xxxviii_blend_no_division",
        "xxxviii_blend",
        ("((sum + 127) / 255);", "((sum + 128 + ((sum + 128) >> 8)) >> 8);"),
        ("grid.y > 65535) grid.y = 65535;", "grid.y > 1000) grid.y = 1000;"),
    ),
    # In double, which squares of floats do not leave.
    Right(
        "xxxviii_nrm2_double",
        "xxxviii_nrm2",
        ("    __shared__ float scales[NB], ssqs[NB];\n", "    __shared__ double ssqs[NB];\n"),
        ("    float scale = 0.0f, ssq = 0.0f;\n", "    double ssq = 0.0;\n"),
        ("add_number(&scale, &ssq, x[i]);", "ssq += (double)x[i] * x[i];"),
        ("    scales[id] = scale;\n", ""),
        (
            "add_pair(&scales[id], &ssqs[id], scales[id + k], ssqs[id + k]);",
            "ssqs[id] += ssqs[id + k];",
        ),
        ("scales[0] * sqrtf(ssqs[0]);", "(float)sqrt(ssqs[0]);"),
    ),
    # As the reference starts: a sum of 1 to a scale of 0; one warp.
    Right(
        "xxxviii_nrm2_from_one",
        "xxxviii_nrm2",
        ("float scale = 0.0f, ssq = 0.0f;", "float scale = 0.0f, ssq = 1.0f;"),
        ("#define NB 256", "#define NB 32"),
    ),
    # Each element by an atomic operation, from the last one on; NaN by its bits.
    Right(
        "xxxviii_argmin_each_atomic",
        "xxxviii_argmin",
        ("    if (key < mine) mine = key;\n", "    atomicMin(best, key);\n"),
        (
            "(static_cast<Key>(sortable(values[i])) << 32) | i;",
            "(static_cast<Key>(sortable(values[count - 1 - i])) << 32) | (count - 1 - i);",
        ),
        ("if (value != value)", "if ((__float_as_uint(value) & 0x7fffffffu) > 0x7f800000u)"),
    ),
    # Places without conflicts of banks; one warp a block.
    Right(
        "xxxviii_scan_padded",
        "xxxviii_scan",
        ("#define BLOCK 64", "#define BLOCK 32\n#define PAD(k) ((k) + ((k) >> 4))"),
        ("__shared__ int64_t temp[ELEMS];", "__shared__ int64_t temp[ELEMS + ELEMS / 16];"),
        ("    temp[2 * thid] = even", "    temp[PAD(2 * thid)] = even"),
        ("    temp[2 * thid + 1] = odd", "    temp[PAD(2 * thid + 1)] = odd"),
        ("temp[bi] += temp[ai];", "temp[PAD(bi)] += temp[PAD(ai)];"),
        ("g_sums[blockIdx.x] = temp[ELEMS - 1];", "g_sums[blockIdx.x] = temp[PAD(ELEMS - 1)];"),
        ("        temp[ELEMS - 1] = 0;", "        temp[PAD(ELEMS - 1)] = 0;"),
        ("int64_t t = temp[left];", "int64_t t = temp[PAD(left)];"),
        ("temp[left] = temp[right];", "temp[PAD(left)] = temp[PAD(right)];"),
        ("temp[right] += t;", "temp[PAD(right)] += t;"),
        ("g_odata[even] = temp[2 * thid];", "g_odata[even] = temp[PAD(2 * thid)];"),
        ("g_odata[odd] = temp[2 * thid + 1];", "g_odata[odd] = temp[PAD(2 * thid + 1)];"),
    ),
    # The barrier counts; all threads come to it as often.
    Right(
        "xxxviii_count_barrier_counts",
        "xxxviii_count",
        (
            "    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < len; i += (int64_t)gridDim.x * blockDim.x)\n        mine += (bits[i] & 0x7fff) != 0; // any sign\n",
            "    for (int64_t base = (int64_t)blockIdx.x * blockDim.x; base < len; base += (int64_t)gridDim.x * blockDim.x) {\n        const int64_t i = base + threadIdx.x;\n        const int found = __syncthreads_count(i < len && (uint16_t)(bits[i] << 1) != 0);\n        if (threadIdx.x == blockDim.x - 1) mine += found;\n    }\n",
        ),
        ("<<<2, 64,", "<<<5, 50,"),
    ),
    # It starts with the first number; one warp a block.
    Right(
        "xxxviii_extremes_first",
        "xxxviii_extremes",
        (
            "reset(double* least, double* most) {",
            "reset(const double* data, double* least, double* most) {",
        ),
        ("*least = Least::start();", "*least = data[0];"),
        ("*most = Most::start();", "*most = data[0];"),
        (
            "reset<<<1, 1, 0, stream>>>(least, most);",
            "reset<<<1, 1, 0, stream>>>(data, least, most);",
        ),
        ("<<<4, 128, 0, stream>>>", "<<<31, 32, 0, stream>>>"),
    ),
)
