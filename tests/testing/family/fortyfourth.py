"""Hold a forty-fourth family: mixes, casts, PReLU, means, maxima, axes, softmaxes, norms.

Its styles are those of an audio library in C, a port of Java's runtime, a modernist, a port of
NumPy, a training library, a book, a quantized library, a toolkit for language, a server for
language models and a thesis. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch, compared as a case does, twice with other numbers in
the outputs and around all tensors. nvcc 13.0 compiles each for 8.0; none was run on a GPU.
Bases and right ones are right, and all wrong ones but three wrong, refused by a fault or for
their launch, some only so:

    xliv_mix_cuts                   if the mix is no whole number
    xliv_mix_ties_up                of ties above an even number
    xliv_mix_rounds_tracks          if a track with its gain is no whole number
    xliv_mix_wraps                  of sums that do not fit
    xliv_mix_same_limits            of sums of -32,768 and less
    xliv_mix_whole_pairs            of odd counts
    xliv_mix_any_address            if a tensor does not begin at a multiple of 4 bytes
    xliv_d2i_floor                  of fractions below 0, above the least int
    xliv_d2i_by_float               of numbers whose float has another whole part
    xliv_d2i_low_bits               of numbers that do not fit
    xliv_d2i_clamp_takes_nan        of NaNs
    xliv_d2i_always_64              if a block has fewer threads than 64, and not all elements
                                    are in the first block
    xliv_prelu_channels_last        if there are several channels, and their planes have
                                    several elements
    xliv_prelu_plane                from two images on
    xliv_prelu_both_parts           of NaNs, of -0.0 by the zero that fmaxf and fminf take,
                                    and above 0 if the slope is infinite or NaN
    xliv_prelu_larger_one           if a slope is above 1
    xliv_prelu_half_slope           of slopes that are no halves
    xliv_prelu_channel_of_block     if 64 neighbours are not in one channel
    xliv_colmean_other_count        unless there are as many rows as columns, or a sum is 0
    xliv_colmean_float              of sums that a float does not have
    xliv_colmean_kept_memory        if a later call needs more memory than the first one
    xliv_colmean_first_row_twice    unless the first row is 0
    xliv_amax_sign_bit              if a block that has the largest has a minus sign, too
    xliv_amax_not_absolute          if the largest one is below 0
    xliv_amax_not_zeroed            if what was there before is above the largest, or NaN
    xliv_amax_no_nan                of NaNs
    xliv_amax_first_warp            if the largest is not of the first warp of a block
    xliv_axes_last_two              unless ni is 1, or nj and nk are
    xliv_axes_one_test              unless all tiles are whole, or ni is nk, and one tile
                                    has all of both
    xliv_axes_turned_grid           if nk needs more tiles than ni
    xliv_axes_middle_grid           from 65,536 on in the middle
    xliv_axes_no_barrier            where warps do not wait for another
    xliv_qgemm_signed               of left bytes from 128 on
    xliv_qgemm_no_zero_point        if the zero point is not 0
    xliv_qgemm_whole_depths         if k is no multiple of 16
    xliv_qgemm_short_sums           of sums that 16 bits do not hold
    xliv_qgemm_float_sums           of sums or products beyond 2^24 that are no floats
    xliv_lensm_one_more             of rows that do not end with their length
    xliv_lensm_rest_unwritten       of the same, unless zeros are there before
    xliv_lensm_sum_of_all           of the same, if what is behind counts
    xliv_lensm_inverse              unless the temperature is 1, or a row has one number
    xliv_lensm_length_of_block      from 11 rows on, if lengths differ
    xliv_lensm_no_last_barrier      where warps do not wait for another
    xliv_addrms_eps_outside         unless epsilon is small beside the mean of squares
    xliv_addrms_sum                 from two columns on, unless the row is 0
    xliv_addrms_one_more            unless the row is 0
    xliv_addrms_short_sum           of sums of squares that no bfloat16 has
    xliv_addrms_updates_residual    unless x is 0
    xliv_addrms_no_barrier          where warps do not wait for another
    xliv_addrms_pairs               of odd widths
    xliv_shortlog_whole_warp        from two rows on
    xliv_shortlog_idle_lanes_leave  of rows of fewer than 8 classes
    xliv_shortlog_four_lanes        if a row has several numbers, and more than 4 of 8 count
    xliv_shortlog_own_largest       unless all lanes of a row have the same largest number

Three are right on the emulator, and wrong by reasoning:

    xliv_prelu_int                  from nearly 2^31 elements on
    xliv_colmean_second_stream      on every stream but the default one
    xliv_amax_plain_store           where blocks run at once
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, least_starts
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# An audio library's mix of two tracks: a gain each, rounded once, limited to 16 bits.
MIX = (
    HEADER
    + """\
/* mix.cu - two tracks into one */

typedef int16_t sample_t;

static __device__ sample_t mix_sample(sample_t a, sample_t b, float gain_a, float gain_b)
{
    float y = rintf(gain_a * (float)a + gain_b * (float)b);
    if (y > 32767.0f) y = 32767.0f;
    if (y < -32768.0f) y = -32768.0f;
    return (sample_t)(int)y;
}

/* a thread a pair */
__global__ void mix_pairs(const sample_t *a, const sample_t *b, sample_t *out, float gain_a, float gain_b, int64_t frames)
{
    int64_t i = 2 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);

    if (i + 1 < frames) {
        short2 p = *(const short2 *)(a + i);
        short2 q = *(const short2 *)(b + i);
        *(short2 *)(out + i) = make_short2(mix_sample(p.x, q.x, gain_a, gain_b), mix_sample(p.y, q.y, gain_a, gain_b));
    } else if (i < frames) {
        out[i] = mix_sample(a[i], b[i], gain_a, gain_b);
    }
}

extern "C" void launch(const int16_t *a /* [frames] 4-byte aligned */, const int16_t *b /* [frames] 4-byte aligned */,
                       int16_t *out /* [frames] 4-byte aligned */, float gain_a, float gain_b, int64_t frames, cudaStream_t stream = 0)
{
    int64_t pairs = (frames + 1) / 2;
    mix_pairs<<<(unsigned)((pairs + 127) / 128), 128, 0, stream>>>(a, b, out, gain_a, gain_b, frames);
}
"""
)

# A port of Java's cast of doubles to int: toward zero, NaN is 0, the ends are limits.
D2I = (
    HEADER
    + """\
// JLS 5.1.3, narrowing of a double to an int
using jdouble = double;
using jint = int32_t;
using jlong = int64_t;

class SharedRuntime {
 public:
  static __device__ jint d2i(jdouble x) {
    if (isnan(x)) return 0;
    if (x >= 2147483648.0) return INT32_MAX;
    if (x <= -2147483648.0) return INT32_MIN;
    return (jint) x;
  }
};

__global__ void array_d2i(const jdouble* src, jint* dst, jlong length) {
  const jlong at = (jlong) blockIdx.x * blockDim.x + threadIdx.x;
  if (at < length) dst[at] = SharedRuntime::d2i(src[at]);
}

extern "C" void launch(const double* src,  // [length]
                       int* dst,           // [length]
                       int64_t length, int threads = 64, cudaStream_t stream = 0) {
  const jlong blocks = (length - 1) / threads + 1;
  array_d2i<<<(unsigned) blocks, threads, 0, stream>>>(src, dst, length);
}
"""
)

# A modernist's PReLU: a slope for each channel of [batch, channels, spatial].
PRELU = (
    HEADER
    + """\
namespace act {

struct Prelu {
  [[nodiscard]] __device__ auto operator()(float x, float slope) const -> float { return x > 0.0f ? x : slope * x; }
};

template <typename Index>
struct Layout {
  Index batch, channels, spatial;
  [[nodiscard]] __host__ __device__ constexpr auto size() const -> Index { return batch * channels * spatial; }
  [[nodiscard]] __device__ constexpr auto channel(Index i) const -> Index { return i / spatial % channels; }
};

template <typename Op, typename Index>
__global__ void apply(Op op, Layout<Index> layout, half const* __restrict__ x, float const* __restrict__ slope, half* __restrict__ y) {
  auto const step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < layout.size(); i += step) {
    y[i] = __float2half(op(__half2float(x[i]), slope[layout.channel(i)]));
  }
}

}  // namespace act

extern "C" void launch(half const* x,       // [batch, channels, spatial]
                       float const* slope,  // [channels]
                       half* y,             // [batch, channels, spatial]
                       int batch, int channels, int spatial, cudaStream_t stream = 0) {
  auto const layout = act::Layout<int64_t>{batch, channels, spatial};
  act::apply<<<9, 64, 0, stream>>>(act::Prelu{}, layout, x, slope, y);
}
"""
)

# A port of NumPy's mean(axis=0): parts of rows, then the parts, in double.
COLMEAN = (
    HEADER
    + """\
// def mean(a, axis=0):  np.add.reduce(a, axis=0, dtype=float64) / a.shape[0]
constexpr int MAX_PARTS = 13;

__global__ void add_reduce(const float* a, double* partial, int64_t n0, int64_t n1) {
  const int64_t j = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= n1) return;
  double acc = 0.0;
  for (int64_t i = blockIdx.y; i < n0; i += gridDim.y) acc += a[i * n1 + j];
  partial[blockIdx.y * n1 + j] = acc;
}

__global__ void true_divide(const double* partial, float* mean, int parts, int64_t n0, int64_t n1) {
  const int64_t j = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= n1) return;
  double acc = 0.0;
  for (int p = 0; p < parts; ++p) acc += partial[p * n1 + j];
  mean[j] = float(acc / n0);
}

extern "C" void launch(const float* a,  // [n0, n1]
                       float* mean,     // [n1]
                       int64_t n0, int64_t n1, cudaStream_t stream = 0) {
  // 32 rows a part, at least one part
  int parts = n0 / 32 < MAX_PARTS ? int(n0 / 32) : MAX_PARTS;
  if (parts < 1) parts = 1;
  double* partial = nullptr;
  cudaMallocAsync(&partial, parts * n1 * sizeof(double), stream);
  const unsigned across = unsigned((n1 + 31) / 32);
  add_reduce<<<dim3(across, parts), 32, 0, stream>>>(a, partial, n0, n1);
  true_divide<<<across, 32, 0, stream>>>(partial, mean, parts, n0, n1);
  cudaFreeAsync(partial, stream);
}
"""
)

# A training library's largest absolute value, for a scale of FP8: by bits, NaN above all.
AMAX = (
    HEADER
    + """\
namespace recipe {

constexpr int THREADS_PER_WARP = 32;
constexpr int NUM_WARPS = 4;
constexpr int NUM_BLOCKS = 7;

// The bits of a number without its sign are ordered as absolute values are; NaN is above inf.
__global__ void __launch_bounds__(NUM_WARPS * THREADS_PER_WARP) compute_amax(const half* input, float* amax, size_t N) {
  __shared__ unsigned staging[NUM_WARPS];
  const int warp_id = threadIdx.x / THREADS_PER_WARP;

  unsigned largest = 0;
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < N; i += stride) {
    const unsigned magnitude = __half_as_ushort(input[i]) & 0x7FFFu;
    largest = max(largest, magnitude);
  }
#pragma unroll
  for (int delta = THREADS_PER_WARP / 2; delta > 0; delta /= 2) {
    largest = max(largest, __shfl_down_sync(0xFFFFFFFFu, largest, delta));
  }
  if (threadIdx.x % THREADS_PER_WARP == 0) staging[warp_id] = largest;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < NUM_WARPS; ++w) largest = max(largest, staging[w]);
    const float value = __half2float(__ushort_as_half(static_cast<unsigned short>(largest)));
    atomicMax(reinterpret_cast<int*>(amax), __float_as_int(value));  // not negative
  }
}

}  // namespace recipe

extern "C" void launch(const half* input,  // [N]
                       float* amax,        // [1]
                       size_t N, cudaStream_t stream = 0) {
  using namespace recipe;
  cudaMemsetAsync(amax, 0, sizeof(float), stream);
  compute_amax<<<NUM_BLOCKS, NUM_WARPS * THREADS_PER_WARP, 0, stream>>>(input, amax, N);
}
"""
)

# A book's transpose of three axes: the first and the last one change places.
AXES = (
    HEADER
    + """\
// Listing 6.4: out[k][j][i] = in[i][j][k]. A tile of the (i, k) plane goes through shared memory,
// so that both sides are read and written along their fastest axis.
const int TILE = 16;

__global__ void reverseAxes(const double *in, double *out, int ni, int nj, int nk)
{
    __shared__ double tile[TILE][TILE + 1];   // one more: no bank conflicts

    int64_t k0 = (int64_t)blockIdx.x * TILE;
    for (int64_t j = blockIdx.z; j < nj; j += gridDim.z) {
        for (int64_t i0 = (int64_t)blockIdx.y * TILE; i0 < ni; i0 += (int64_t)gridDim.y * TILE) {
            int64_t i = i0 + threadIdx.y, k = k0 + threadIdx.x;
            if (i < ni && k < nk)
                tile[threadIdx.y][threadIdx.x] = in[(i * nj + j) * nk + k];
            __syncthreads();

            i = i0 + threadIdx.x;
            k = k0 + threadIdx.y;
            if (i < ni && k < nk)
                out[(k * nj + j) * ni + i] = tile[threadIdx.x][threadIdx.y];
            __syncthreads();
        }
    }
}

extern "C" void launch(const double *in /* [ni, nj, nk] */, double *out /* [nk, nj, ni] */, int ni, int nj, int nk, cudaStream_t stream = 0)
{
    const unsigned ti = ((unsigned)ni + TILE - 1) / TILE, tk = ((unsigned)nk + TILE - 1) / TILE;
    dim3 grid(tk, ti < 3 ? ti : 3, nj < 8 ? nj : 8);
    reverseAxes<<<grid, dim3(TILE, TILE), 0, stream>>>(in, out, ni, nj, nk);
}
"""
)

# A quantized library's product of bytes: the left ones have a zero point, sums wrap.
QGEMM = (
    HEADER
    + """\
namespace lowp {

using std::int32_t;
using std::int8_t;
using std::uint8_t;
using std::uint32_t;

constexpr int kBlock = 16;

// result = (lhs - lhs_zero) * rhs, modulo 2^32. Row-major.
__global__ void GemmU8S8(const uint8_t* lhs, const int8_t* rhs, int32_t* result, int32_t lhs_zero, int m, int n, int k) {
  __shared__ int32_t lhs_block[kBlock][kBlock];
  __shared__ int32_t rhs_block[kBlock][kBlock];
  const int64_t row = int64_t{blockIdx.x} * kBlock + threadIdx.y;

  for (int64_t first = int64_t{blockIdx.y} * kBlock; first < n; first += int64_t{gridDim.y} * kBlock) {
    const int64_t col = first + threadIdx.x;
    uint32_t acc = 0;
    for (int64_t depth = 0; depth < k; depth += kBlock) {
      const int64_t dl = depth + threadIdx.x, dr = depth + threadIdx.y;
      lhs_block[threadIdx.y][threadIdx.x] = row < m && dl < k ? int32_t(uint32_t(lhs[row * k + dl]) - uint32_t(lhs_zero)) : 0;
      rhs_block[threadIdx.y][threadIdx.x] = dr < k && col < n ? rhs[dr * n + col] : 0;
      __syncthreads();
      for (int d = 0; d < kBlock; ++d) acc += uint32_t(lhs_block[threadIdx.y][d]) * uint32_t(rhs_block[d][threadIdx.x]);
      __syncthreads();
    }
    if (row < m && col < n) result[row * n + col] = int32_t(acc);
  }
}

}  // namespace lowp

extern "C" void launch(const uint8_t* lhs,  // [m, k]
                       const int8_t* rhs,   // [k, n]
                       int32_t* result,     // [m, n]
                       int lhs_zero, int m, int n, int k, cudaStream_t stream = 0) {
  using namespace lowp;
  const unsigned down = (unsigned(m) + kBlock - 1) / kBlock, across = (unsigned(n) + kBlock - 1) / kBlock;
  GemmU8S8<<<dim3(down, across < 2 ? across : 2), dim3(kBlock, kBlock), 0, stream>>>(lhs, rhs, result, lhs_zero, m, n, k);
}
"""
)

# A toolkit for language: softmax of the first `lengths[b]` scores of a row, zeros behind.
LENSM = (
    HEADER
    + """\
#define SEQ_THREADS 64

// All threads get the largest number, or the sum.
template <bool kMax>
__device__ float seq_reduce(float v, float *scratch)
{
    scratch[threadIdx.x] = v;
    __syncthreads();
    for (int s = SEQ_THREADS / 2; s >= 1; s /= 2) {
        if (threadIdx.x < s) {
            const float w = scratch[threadIdx.x + s];
            scratch[threadIdx.x] = kMax ? fmaxf(scratch[threadIdx.x], w) : scratch[threadIdx.x] + w;
        }
        __syncthreads();
    }
    const float all = scratch[0];
    __syncthreads();
    return all;
}

__global__ void sequence_softmax(const float *scores, const int *lengths, float *probs, float temperature, int batch, int steps)
{
    __shared__ float scratch[SEQ_THREADS];

    for (int64_t b = blockIdx.x; b < batch; b += gridDim.x) {
        const float *s = scores + b * steps;
        float *p = probs + b * steps;
        const int64_t len = min(max(lengths[b], 0), steps);

        float top = -INFINITY;
        for (int64_t t = threadIdx.x; t < len; t += SEQ_THREADS)
            top = fmaxf(top, s[t] / temperature);
        top = seq_reduce<true>(top, scratch);

        float total = 0.0f;
        for (int64_t t = threadIdx.x; t < len; t += SEQ_THREADS)
            total += expf(s[t] / temperature - top);
        total = seq_reduce<false>(total, scratch);

        for (int64_t t = threadIdx.x; t < steps; t += SEQ_THREADS) {
            if (t < len)
                p[t] = expf(s[t] / temperature - top) / total;
            else
                p[t] = 0.0f;
        }
    }
}

extern "C" void launch(const float *scores /* [batch, steps] */, const int *lengths /* [batch] */, float *probs /* [batch, steps] */,
                       float temperature, int batch, int steps, cudaStream_t stream = 0)
{
    sequence_softmax<<<batch < 10 ? batch : 10, SEQ_THREADS, 0, stream>>>(scores, lengths, probs, temperature, batch, steps);
}
"""
)

# A server for language models: a residual is added, then the RMS norm, all in bfloat16.
ADDRMS = (
    HEADER
    + """\
namespace serving {

using bf16 = __nv_bfloat16;
static constexpr int kLanes = 32;
static constexpr int kWarps = 3;

// hidden = x + residual;  y = hidden / sqrt(mean(hidden^2) + eps) * weight
__global__ void fused_add_rms_norm(const bf16* __restrict__ x, const bf16* __restrict__ residual, const float* __restrict__ weight,
                                   bf16* hidden, bf16* __restrict__ y, float eps, int64_t width) {
  __shared__ float of_warp[kWarps];
  const int64_t start = blockIdx.x * width;

  float squares = 0.0f;
  for (int64_t c = threadIdx.x; c < width; c += kLanes * kWarps) {
    const bf16 h = __float2bfloat16(__bfloat162float(x[start + c]) + __bfloat162float(residual[start + c]));
    hidden[start + c] = h;
    const float f = __bfloat162float(h);
    squares += f * f;
  }
  for (int lanes = kLanes / 2; lanes > 0; lanes >>= 1) squares += __shfl_xor_sync(0xffffffffu, squares, lanes);
  if (threadIdx.x % kLanes == 0) of_warp[threadIdx.x / kLanes] = squares;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < kWarps; ++w) total += of_warp[w];
  const float scale = rsqrtf(total / width + eps);

  for (int64_t c = threadIdx.x; c < width; c += kLanes * kWarps) {
    y[start + c] = __float2bfloat16(__bfloat162float(hidden[start + c]) * scale * weight[c]);
  }
}

}  // namespace serving

extern "C" void launch(const __nv_bfloat16* x,         // [tokens, width]
                       const __nv_bfloat16* residual,  // [tokens, width]
                       const float* weight,            // [width]
                       __nv_bfloat16* hidden,          // [tokens, width]
                       __nv_bfloat16* y,               // [tokens, width]
                       float eps, int tokens, int width, cudaStream_t stream = 0) {
  serving::fused_add_rms_norm<<<tokens, serving::kLanes * serving::kWarps, 0, stream>>>(x, residual, weight, hidden, y, eps, width);
}
"""
)

# A thesis's log-softmax of short rows of halves: eight lanes a row, four rows a warp.
SHORTLOG = (
    HEADER
    + """\
// Chapter 4: rows are short, so a warp would idle. GROUP lanes work on one row.
template <int GROUP>
struct Group {
    static __device__ float largest(float v)
    {
        for (int d = 1; d < GROUP; d *= 2)
            v = fmaxf(v, __shfl_xor_sync(~0u, v, d, GROUP));
        return v;
    }
    static __device__ float sum(float v)
    {
        for (int d = 1; d < GROUP; d *= 2)
            v += __shfl_xor_sync(~0u, v, d, GROUP);
        return v;
    }
};

template <int GROUP>
__global__ void shortLogSoftmax(const half *logits, float *logp, int64_t numRows, int64_t numClasses)
{
    const int lane = threadIdx.x % GROUP;
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / GROUP) + threadIdx.x / GROUP;
    const bool exists = row < numRows;   // all lanes stay for the shuffles
    const int64_t end = exists ? numClasses : 0;
    const int64_t offset = row * numClasses;

    float m = -INFINITY;
    for (int64_t c = lane; c < end; c += GROUP)
        m = fmaxf(m, __half2float(logits[offset + c]));
    m = Group<GROUP>::largest(m);

    float s = 0.0f;
    for (int64_t c = lane; c < end; c += GROUP)
        s += expf(__half2float(logits[offset + c]) - m);
    s = Group<GROUP>::sum(s);

    for (int64_t c = lane; c < end; c += GROUP)
        logp[offset + c] = __half2float(logits[offset + c]) - m - logf(s);
}

extern "C" void launch(const half *logits /* [numRows, numClasses] */, float *logp /* [numRows, numClasses] */, int numRows, int numClasses, cudaStream_t stream = 0)
{
    const unsigned rowsPerBlock = 64 / 8;
    shortLogSoftmax<8><<<((unsigned)numRows + rowsPerBlock - 1) / rowsPerBlock, 64, 0, stream>>>(logits, logp, numRows, numClasses);
}
"""
)

INF, NAN = float("inf"), float("nan")


def mixes(launcher: Launcher) -> Iterator[Case]:
    """Mix soft and loud tracks, the ends of 16 bits, and slices, with several gains."""
    for n in (1, 2, 3, 5, 64, 255, 256, 257, 1001, 5000):
        a, b = whole(-32768, 32768, n, n), whole(-32768, 32768, n, n + 1)
        ends = torch.tensor([-32768, 32767, -32767, 32766, 0, -1, 1])
        for label, x, y in (
            ("soft", torch.div(a, 64).long(), torch.div(b, 64).long()),
            ("loud", a, b),
            ("ends", ends[a % 7], ends[b % 7]),
        ):
            for gains in ((0.5, 0.5), (1.0, 1.0), (0.75, -0.5), (1.0, 0.0), (-1.25, 0.25)):
                right = gains[0] * x.double() + gains[1] * y.double()
                right = right.round().clamp(-32768, 32767) + 0.0
                scalars = {"gain_a": gains[0], "gain_b": gains[1]}
                words = f"frames = {n:,}, {scalars}, {label}"
                inputs, options = (x.short(), y.short()), {"dtypes": (torch.int16,)}
                yield Case(words, inputs, (right,), scalars, **options)
                if label == "loud" and n < 300:
                    options["offset"] = least_starts(launcher)
                    yield Case(f"{words}, a slice", inputs, (right,), scalars, **options)


def d2i(launcher: Launcher) -> Iterator[Case]:
    """Cut off fractions: of all sizes, next to whole numbers, beyond the ends, NaN."""
    ends = [0.0, -0.0, INF, -INF, NAN, 2147483647.0, 2147483647.5, 2147483648.0, 1e300, -1e300]
    ends += [
        -2147483648.0,
        -2147483648.5,
        -2147483649.0,
        -2147483647.5,
        4294967296.0,
        0.9999999,
    ]
    ends += [-0.9999999, 5e-324, 4294967301.0, -1e10, 16777217.0, 2147483583.0]
    for n in (1, 2, 31, 64, 65, 130, 1000, 4099):
        x, k = whole(-(2**53), 2**53, n, n).double(), torch.arange(n)
        for label, y in (
            ("fractions", x / 2**43),
            ("large", x / 2**22),
            ("any size", x * 2.0 ** (-(k % 70)).double()),
            ("ends", torch.tensor(ends, dtype=torch.float64)[(k + n) % len(ends)]),
        ):
            right = y.nan_to_num(nan=0.0).trunc().clamp(-(2.0**31), 2.0**31 - 1) + 0.0
            for threads in (64, 33, 256):
                words = f"length = {n:,}, threads = {threads}, {label}"
                options = {"dtypes": (torch.int32,)}
                yield Case(words, (y,), (right,), {"threads": threads}, **options)


def prelus(launcher: Launcher) -> Iterator[Case]:
    """Bend usual numbers, zeros, infinities, NaN, with slopes of all signs and above 1."""
    sides = (
        (1, 1, 1),
        (2, 3, 4),
        (1, 5, 33),
        (3, 4, 64),
        (2, 7, 100),
        (40, 16, 1),
        (1, 1, 700),
    )
    for batch, channels, spatial in sides:
        n = batch * channels * spatial
        x = (whole(-2000, 2001, n, n).float() / 64).reshape(batch, channels, spatial)
        slope = (2 * whole(-2048, 2048, channels, n + 1) + 1).float() / 4096
        odd = torch.tensor([INF, -INF, NAN, 0.0, -0.0, 6e-8, -6e-8, 65504.0, -65504.0])
        odd = odd[torch.arange(n) % 9].reshape(x.shape)
        for label, y, by in (
            ("usual", x, slope),
            ("steep", x, slope * 3),
            ("small slopes", x, slope.abs() / 8),
            ("strange", odd, slope),
        ):
            y = y.half()
            z = y.double()
            right = torch.where(z > 0, z, by.double()[:, None] * z)
            words = f"batch = {batch}, channels = {channels}, spatial = {spatial}, {label}"
            yield Case(words, (y, by), (right,), dtypes=(torch.float16,))


def column_means(launcher: Launcher) -> Iterator[Case]:
    """Take means of columns: whole numbers, and those whose sum nearly vanishes."""
    sides = ((1, 1), (1, 40), (5, 3), (31, 33), (33, 31), (64, 2), (65, 64), (100, 7), (417, 5))
    for n0, n1 in (*sides, (1000, 20), (3000, 1), (2, 1000)):
        x = whole(-(2**24), 2**24, n0 * n1, n0 + n1).float().reshape(n0, n1)
        small = (x / 2**14).round()
        for label, y in (
            ("small", small),
            ("usual", x),
            ("nearly opposite", torch.cat([x[: n0 // 2], -x[: n0 // 2].flip(0), small[:1]])),
        ):
            y = y[:n0].contiguous()
            options = {"dtypes": (torch.float32,), "ulp": 1}
            words = f"n0 = {len(y):,}, n1 = {n1:,}, {label}"
            yield Case(words, (y,), (y.double().mean(0),), **options)
        words = f"n0 = {n0:,}, n1 = {n1:,}, a second call"
        options = {"dtypes": (torch.float32,), "ulp": 1}
        yield Case(words, (x,), (x.double().mean(0),), before=(x.flip(0),), **options)


def amaxes(launcher: Launcher) -> Iterator[Case]:
    """Find the largest absolute value: at every place, of both signs, infinite, NaN."""
    for n in (1, 2, 31, 33, 64, 127, 128, 129, 500, 895, 897, 5000):
        x = whole(-2000, 2001, n, n).float() / 64
        k = torch.arange(n)
        for label, y in (
            ("usual", x),
            ("all negative", -x.abs() - 1),
            ("a negative one is largest", torch.where(k == n * 5 // 8, -999.0, x)),
            ("the last is largest", torch.where(k == n - 1, 1000.0, x)),
            ("tiny", x * 2.0**-20),
            ("zeros", x * -0.0),
            ("infinity", torch.where(k == n // 3, -INF, x)),
            ("a NaN", torch.where(k == n // 2, NAN, x)),
        ):
            y = y.half()
            right = y.double().abs().max()
            words = f"N = {n:,}, {label}"
            yield Case(words, (y,), (right.reshape(1),), dtypes=(torch.float32,))
        right = x.half().double().abs().max().reshape(1)
        options = {"dtypes": (torch.float32,), "before": ((x + 5000).half(),)}
        yield Case(f"N = {n:,}, a second call", (x.half(),), (right,), **options)


def axes(launcher: Launcher) -> Iterator[Case]:
    """Turn three axes of any sides, none of which divides another, and of very many in one."""
    sides = ((1, 1, 1), (2, 3, 4), (16, 2, 16), (17, 5, 3), (3, 9, 33), (50, 2, 20), (1, 40, 7))
    for ni, nj, nk in (*sides, (70, 1, 70), (5, 11, 64), (130, 3, 2), (1, 65_600, 1)):
        n = ni * nj * nk
        x = whole(-(2**40), 2**40, n, n).double().reshape(ni, nj, nk)
        right = x.permute(2, 1, 0).contiguous()
        words = f"ni = {ni}, nj = {nj:,}, nk = {nk}"
        yield Case(words, (x,), (right,), dtypes=(torch.float64,), quick=n > 10_000)


def byte_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes of all sizes, with several zero points; of large ones the sums wrap."""
    sides = ((1, 1, 1), (2, 3, 4), (16, 16, 16), (5, 17, 40), (33, 20, 15), (40, 70, 33))
    for m, n, k in (*sides, (17, 33, 100), (100, 5, 2), (3, 2, 1500)):
        a, b = whole(0, 256, m * k, m + k), whole(-128, 128, k * n, k + n + 9)
        for label, x, y in (
            ("any", a, b),
            ("small", a % 16, b % 9 - 4),
            ("largest", a * 0 + 255, b * 0 - 128),
            ("odd", a | 1, b | 1),
        ):
            x, y = x.reshape(m, k).to(torch.uint8), y.reshape(k, n).to(torch.int8)
            for zero in (0, 128, 3, 70_001):
                right = (x.long() - zero) @ y.long()
                right = (right + 2**31) % 2**32 - 2**31
                words = f"m = {m}, n = {n}, k = {k:,}, lhs_zero = {zero}, {label}"
                options = {"dtypes": (torch.int32,)}
                yield Case(words, (x, y), (right.double(),), {"lhs_zero": zero}, **options)


def sequences(launcher: Launcher) -> Iterator[Case]:
    """Weigh the first scores of rows: none, one, all; the others large, or NaN."""
    sides = ((1, 1), (3, 5), (2, 64), (5, 65), (11, 31), (25, 9), (4, 300), (12, 130))
    for batch, steps in sides:
        n = batch * steps
        x = whole(-1000, 1001, n, n).float().reshape(batch, steps) / 256
        some = whole(0, steps + 1, batch, n + 1)
        for label, y, lengths in (
            ("usual", x, some),
            ("all", x, some * 0 + steps),
            ("one", x, some * 0 + 1),
            ("some none", x, some * (some % 2)),
            ("far below 0", x - 300, some.clamp(min=1)),
            ("far above 0", x + 300, some.clamp(min=1)),
            ("rising", x + torch.arange(steps) * 20, some.clamp(min=1)),
            ("NaN behind", x, some),
        ):
            seen = torch.arange(steps) < lengths[:, None]
            y = torch.where(seen, y, NAN) if label == "NaN behind" else y
            for temperature in (1.0, 0.5, 3.0):
                z = (y.double() / temperature).masked_fill(~seen, -INF)
                right = torch.where(seen, torch.softmax(z, dim=1), 0.0)
                size = 1 + (y.double().abs() / temperature).nan_to_num(0.0)
                slack = right * (2.0**-19 + size.amax(1, keepdim=True) * 2.0**-22) + 1e-37
                words = f"batch = {batch}, steps = {steps}, {temperature}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                inputs, scalars = (y, lengths.int()), {"temperature": temperature}
                yield Case(words, inputs, (right,), scalars, **options)


def added_norms(launcher: Launcher) -> Iterator[Case]:
    """Add and normalize rows: usual ones, small, large, one-sided, and zeros."""
    sides = ((1, 1), (2, 2), (3, 31), (5, 64), (2, 95), (4, 97), (7, 33), (2, 300), (1, 1000))
    for tokens, width in sides:
        n = tokens * width
        x = whole(-60, 61, n, n).float().reshape(tokens, width) / 16
        r = whole(-60, 61, n, n + 1).float().reshape(tokens, width) / 16
        weight = 1 + whole(-64, 65, width, n + 2).float() / 128
        for label, y, z in (
            ("usual", x, r),
            ("small", x / 2**9, r / 2**9),
            ("large", x * 2**9, r * 2**9),
            ("positive", x.abs() + 0.5, r.abs()),
            ("opposite", x, -x),
            ("huge", x * 2**55, r * 2**55),
        ):
            y, z = y.bfloat16(), z.bfloat16()
            for eps in (2.0**-17, 0.25):
                hidden = (y.double() + z.double()).bfloat16().double()
                scale = 1 / (hidden.square().mean(1, keepdim=True) + eps).sqrt()
                right = hidden * scale * weight.double()
                slack = 2.0 ** (torch.frexp(right)[1] - 9) + 2.0**-18 * right.abs()
                slack = slack * (right != 0)
                words = f"tokens = {tokens}, width = {width:,}, {eps}, {label}"
                options = {"dtypes": (torch.bfloat16,) * 2, "within": (hidden * 0, slack)}
                yield Case(words, (y, z, weight), (hidden, right), {"eps": eps}, **options)


def short_logs(launcher: Launcher) -> Iterator[Case]:
    """Take logarithms of short rows: usual, rising, far from 0, with -inf and NaN."""
    sides = (
        (1, 1),
        (3, 2),
        (8, 7),
        (9, 8),
        (5, 9),
        (30, 5),
        (17, 16),
        (4, 33),
        (65, 3),
        (2, 200),
    )
    for rows, classes in sides:
        n = rows * classes
        x = whole(-1000, 1001, n, n).float().reshape(rows, classes) / 256
        c, r = torch.arange(classes), torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("rising", x + c * 3),
            ("rows are apart", x + r * 50),
            ("far below 0", x - 2000),
            ("with -inf", torch.where(c % 3 == 1, -INF, x)),
            ("a NaN", torch.where((c == classes // 2) & (r % 2 == 0), NAN, x)),
        ):
            y = y.half()
            right = torch.log_softmax(y.double(), dim=1)
            slack = 2.0**-19 + 2.0**-21 * right.abs().nan_to_num(posinf=0.0, neginf=0.0)
            words = f"numRows = {rows}, numClasses = {classes}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            yield Case(words, (y,), (right,), **options)


BASES = {
    "xliv_mix": Base(MIX, {"cases": mixes}),
    "xliv_d2i": Base(D2I, {"cases": d2i}),
    "xliv_prelu": Base(PRELU, {"cases": prelus}),
    "xliv_colmean": Base(COLMEAN, {"cases": column_means}),
    "xliv_amax": Base(AMAX, {"cases": amaxes}),
    "xliv_axes": Base(AXES, {"cases": axes}),
    "xliv_qgemm": Base(QGEMM, {"cases": byte_products}),
    "xliv_lensm": Base(LENSM, {"cases": sequences}),
    "xliv_addrms": Base(ADDRMS, {"cases": added_norms}),
    "xliv_shortlog": Base(SHORTLOG, {"cases": short_logs}),
}

WRONG = (
    # ---- a mix of two tracks
    # A cast cuts off.
    Wrong(
        "xliv_mix_cuts",
        "xliv_mix",
        "rounding | numbers / precision",
        ("float y = rintf(gain_a", "float y = truncf(gain_a"),
    ),
    # Half is added, so that ties go up.
    Wrong(
        "xliv_mix_ties_up",
        "xliv_mix",
        "rounding | numbers",
        (
            "rintf(gain_a * (float)a + gain_b * (float)b);",
            "floorf(gain_a * (float)a + gain_b * (float)b + 0.5f);",
        ),
    ),
    # Each track is rounded.
    Wrong(
        "xliv_mix_rounds_tracks",
        "xliv_mix",
        "rounding / precision | numbers / function",
        (
            "rintf(gain_a * (float)a + gain_b * (float)b);",
            "rintf(gain_a * (float)a) + rintf(gain_b * (float)b);",
        ),
    ),
    # No limits.
    Wrong(
        "xliv_mix_wraps",
        "xliv_mix",
        "whole range / infinity / narrow | numbers / function",
        (
            "    if (y > 32767.0f) y = 32767.0f;\n    if (y < -32768.0f) y = -32768.0f;\n",
            "",
        ),
    ),
    # The limits are the same on both sides.
    Wrong(
        "xliv_mix_same_limits",
        "xliv_mix",
        "whole range / infinity / numbers | function",
        ("if (y < -32768.0f) y = -32768.0f;", "if (y < -32767.0f) y = -32767.0f;"),
    ),
    # Only whole pairs.
    Wrong(
        "xliv_mix_whole_pairs",
        "xliv_mix",
        "tail / unwritten / left out | sides",
        (
            "    } else if (i < frames) {\n        out[i] = mix_sample(a[i], b[i], gain_a, gain_b);\n    }\n",
            "    }\n",
        ),
    ),
    # Tensors may begin anywhere.
    Wrong(
        "xliv_mix_any_address",
        "xliv_mix",
        "alignment | bounds",
        ("const int16_t *a /* [frames] 4-byte aligned */", "const int16_t *a /* [frames] */"),
        ("const int16_t *b /* [frames] 4-byte aligned */", "const int16_t *b /* [frames] */"),
        ("int16_t *out /* [frames] 4-byte aligned */", "int16_t *out /* [frames] */"),
    ),
    # ---- Java's int of a double
    # The next lower number.
    Wrong(
        "xliv_d2i_floor",
        "xliv_d2i",
        "rounding | numbers / function",
        ("return (jint) x;", "return (jint) floor(x);"),
    ),
    # A float on the way.
    Wrong(
        "xliv_d2i_by_float",
        "xliv_d2i",
        "precision / rounding / narrow | numbers / whole range / infinity",
        ("static __device__ jint d2i(jdouble x) {", "static __device__ jint d2i(float x) {"),
    ),
    # The low 32 bits of a long.
    Wrong(
        "xliv_d2i_low_bits",
        "xliv_d2i",
        "whole range / infinity / narrow | numbers / nan / function",
        (
            "    if (x >= 2147483648.0) return INT32_MAX;\n    if (x <= -2147483648.0) return INT32_MIN;\n    return (jint) x;\n",
            "    return (jint) (jlong) x;\n",
        ),
    ),
    # Limits before NaN: fmin and fmax return the number.
    Wrong(
        "xliv_d2i_clamp_takes_nan",
        "xliv_d2i",
        "nan | infinity / numbers / whole range / function",
        (
            "    if (isnan(x)) return 0;\n    if (x >= 2147483648.0) return INT32_MAX;\n    if (x <= -2147483648.0) return INT32_MIN;\n    return (jint) x;\n",
            "    return (jint) fmax(fmin(x, 2147483647.0), -2147483648.0);\n",
        ),
    ),
    # The block size of the declaration.
    Wrong(
        "xliv_d2i_always_64",
        "xliv_d2i",
        "block size | left out / unwritten / grid / twice / tail / race",
        (
            "(jlong) blockIdx.x * blockDim.x + threadIdx.x",
            "(jlong) blockIdx.x * 64 + threadIdx.x",
        ),
    ),
    # ---- PReLU
    # The channel is the last axis.
    Wrong(
        "xliv_prelu_channels_last",
        "xliv_prelu",
        "other element / sides / function | numbers / neighbour",
        ("return i / spatial % channels;", "return i % channels;"),
    ),
    # The plane's number is taken for a channel's.
    Wrong(
        "xliv_prelu_plane",
        "xliv_prelu",
        "bounds | other element / sides / numbers",
        ("return i / spatial % channels;", "return i / spatial;"),
    ),
    # Both parts by fmaxf and fminf.
    Wrong(
        "xliv_prelu_both_parts",
        "xliv_prelu",
        "nan | sign of zero / infinity / numbers",
        (
            "return x > 0.0f ? x : slope * x;",
            "return fmaxf(x, 0.0f) + slope * fminf(x, 0.0f);",
        ),
    ),
    # The larger one, which is right for slopes up to 1.
    Wrong(
        "xliv_prelu_larger_one",
        "xliv_prelu",
        "function / numbers | nan / infinity / left out / copy / sign of zero",
        ("return x > 0.0f ? x : slope * x;", "return x > slope * x ? x : slope * x;"),
    ),
    # The slope is made a half.
    Wrong(
        "xliv_prelu_half_slope",
        "xliv_prelu",
        "precision / rounding / narrow | numbers",
        (
            "slope[layout.channel(i)]));",
            "__half2float(__float2half(slope[layout.channel(i)]))));",
        ),
    ),
    # The channel of a block's first element.
    Wrong(
        "xliv_prelu_channel_of_block",
        "xliv_prelu",
        "other element / sides / block size | numbers / function / neighbour",
        ("slope[layout.channel(i)]", "slope[layout.channel(i - threadIdx.x)]"),
    ),
    # The layout counts with 32 bits.
    Wrong(
        "xliv_prelu_int",
        "xliv_prelu",
        "narrow | bounds / timeout / unwritten / left out / other element",
        ("act::Layout<int64_t>{", "act::Layout<int>{"),
    ),
    # ---- means of columns
    # The other axis.
    Wrong(
        "xliv_colmean_other_count",
        "xliv_colmean",
        "function / sides | numbers",
        ("mean[j] = float(acc / n0);", "mean[j] = float(acc / n1);"),
    ),
    # Room for floats.
    Wrong(
        "xliv_colmean_room_for_floats",
        "xliv_colmean",
        "bounds | narrow / precision",
        ("parts * n1 * sizeof(double)", "parts * n1 * sizeof(float)"),
    ),
    # The partial sums are floats.
    Wrong(
        "xliv_colmean_float",
        "xliv_colmean",
        "precision / rounding / narrow | numbers",
        (
            "  double acc = 0.0;\n  for (int64_t i = blockIdx.y;",
            "  float acc = 0.0f;\n  for (int64_t i = blockIdx.y;",
        ),
    ),
    # The memory of the first call is kept.
    Wrong(
        "xliv_colmean_kept_memory",
        "xliv_colmean",
        "state / bounds | sides / race",
        ("  double* partial = nullptr;\n", "  static double* partial = nullptr;\n"),
        ("  cudaMallocAsync(&partial", "  if (!partial) cudaMallocAsync(&partial"),
        ("  cudaFreeAsync(partial, stream);\n", ""),
    ),
    # The second kernel without the stream.
    Wrong(
        "xliv_colmean_second_stream",
        "xliv_colmean",
        "stream | race",
        ("true_divide<<<across, 32, 0, stream>>>", "true_divide<<<across, 32>>>"),
    ),
    # The sum starts from the first row, which comes again.
    Wrong(
        "xliv_colmean_first_row_twice",
        "xliv_colmean",
        "twice / start | numbers / function / other element",
        (
            "  double acc = 0.0;\n  for (int64_t i = blockIdx.y;",
            "  double acc = a[j];\n  for (int64_t i = blockIdx.y;",
        ),
    ),
    # ---- the largest absolute value
    # The sign is kept: among bits, numbers below 0 are the largest.
    Wrong(
        "xliv_amax_sign_bit",
        "xliv_amax",
        "function / numbers / left out | start / whole range / sign of zero / infinity / nan / unwritten / copy",
        ("__half_as_ushort(input[i]) & 0x7FFFu;", "__half_as_ushort(input[i]);"),
    ),
    # Only numbers above 0.
    Wrong(
        "xliv_amax_not_absolute",
        "xliv_amax",
        "function / numbers / left out | start / infinity / whole range / nan / copy",
        (
            "    largest = max(largest, magnitude);\n",
            "    if (!(__half2float(input[i]) < 0.0f)) largest = max(largest, magnitude);\n",
        ),
    ),
    # Nothing sets it to 0.
    Wrong(
        "xliv_amax_not_zeroed",
        "xliv_amax",
        "zero before / start / state | unwritten / nan",
        ("  cudaMemsetAsync(amax, 0, sizeof(float), stream);\n", ""),
    ),
    # Up to 0x7C00, as all larger bits are no numbers.
    Wrong(
        "xliv_amax_no_nan",
        "xliv_amax",
        "nan | infinity / numbers / left out",
        (
            "    largest = max(largest, magnitude);\n",
            "    if (magnitude <= 0x7C00u) largest = max(largest, magnitude);\n",
        ),
    ),
    # Each warp but the first is forgotten.
    Wrong(
        "xliv_amax_first_warp",
        "xliv_amax",
        "left out | numbers / other element / block size / function",
        (
            "    for (int w = 1; w < NUM_WARPS; ++w) largest = max(largest, staging[w]);\n",
            "",
        ),
    ),
    # Looked at, then written, by each block.
    Wrong(
        "xliv_amax_plain_store",
        "xliv_amax",
        "race | left out / numbers",
        (
            "    atomicMax(reinterpret_cast<int*>(amax), __float_as_int(value));  // not negative\n",
            "    int* const bits = reinterpret_cast<int*>(amax);\n    if (*bits < __float_as_int(value)) *bits = __float_as_int(value);\n",
        ),
    ),
    # ---- three axes
    # The last two axes change places.
    Wrong(
        "xliv_axes_last_two",
        "xliv_axes",
        "other element / sides / function | numbers / swapped / copy / neighbour",
        ("out[(k * nj + j) * ni + i]", "out[(i * nk + k) * nj + j]"),
    ),
    # The test of the first half is kept.
    Wrong(
        "xliv_axes_one_test",
        "xliv_axes",
        "bounds / unwritten / left out | other element / sides / tail / race / numbers",
        (
            "            i = i0 + threadIdx.x;\n            k = k0 + threadIdx.y;\n            if (i < ni && k < nk)\n",
            "            bool inside = i < ni && k < nk;\n            i = i0 + threadIdx.x;\n            k = k0 + threadIdx.y;\n            if (inside)\n",
        ),
    ),
    # A grid that is turned.
    Wrong(
        "xliv_axes_turned_grid",
        "xliv_axes",
        "unwritten / grid / left out / sides | other element / tail / numbers",
        (
            "dim3 grid(tk, ti < 3 ? ti : 3,",
            "dim3 grid(ti, tk < 3 ? tk : 3,",
        ),
    ),
    # A block for each of the middle axis.
    Wrong(
        "xliv_axes_middle_grid",
        "xliv_axes",
        "grid / refused | unwritten / sides",
        ("nj < 8 ? nj : 8);", "nj);"),
    ),
    # A warp leaves the tile before the others have filled it.
    Wrong(
        "xliv_axes_no_barrier",
        "xliv_axes",
        "race | other element / unwritten / numbers / state / nan",
        (
            "            __syncthreads();\n\n            i = i0",
            "\n            i = i0",
        ),
    ),
    # ---- products of bytes
    # Bytes are signed.
    Wrong(
        "xliv_qgemm_signed",
        "xliv_qgemm",
        "whole range / narrow / numbers / infinity | function",
        ("uint32_t(lhs[row * k + dl]) -", "uint32_t(int8_t(lhs[row * k + dl])) -"),
    ),
    # Without the zero point.
    Wrong(
        "xliv_qgemm_no_zero_point",
        "xliv_qgemm",
        "left out / function | numbers",
        (
            "int32_t(uint32_t(lhs[row * k + dl]) - uint32_t(lhs_zero)) : 0;",
            "int32_t(lhs[row * k + dl]) : 0;",
        ),
    ),
    # Whole depths only.
    Wrong(
        "xliv_qgemm_whole_depths",
        "xliv_qgemm",
        "left out / tail | numbers / sides / function / copy",
        ("depth < k; depth += kBlock) {", "depth + kBlock <= k; depth += kBlock) {"),
    ),
    # Products are added up in 16 bits.
    Wrong(
        "xliv_qgemm_short_sums",
        "xliv_qgemm",
        "narrow / whole range / infinity | numbers / precision",
        ("    uint32_t acc = 0;\n", "    int16_t acc = 0;\n"),
    ),
    # The sum is a float.
    Wrong(
        "xliv_qgemm_float_sums",
        "xliv_qgemm",
        "precision / whole range / rounding / infinity / narrow | numbers",
        ("    uint32_t acc = 0;\n", "    float acc = 0.0f;\n"),
        (
            "acc += uint32_t(lhs_block[threadIdx.y][d]) * uint32_t(rhs_block[d][threadIdx.x]);",
            "acc += float(lhs_block[threadIdx.y][d]) * float(rhs_block[d][threadIdx.x]);",
        ),
    ),
    # ---- softmax of sequences
    # The length is taken for the last place.
    Wrong(
        "xliv_lensm_one_more",
        "xliv_lensm",
        "other element / function / numbers / neighbour | left out / tail / bounds / nan / sides / infinity / unwritten",
        (
            "const int64_t len = min(max(lengths[b], 0), steps);",
            "const int64_t len = min(max(lengths[b], 0) + 1, steps);",
        ),
    ),
    # Nothing behind the end.
    Wrong(
        "xliv_lensm_rest_unwritten",
        "xliv_lensm",
        "unwritten / zero before | left out / state / tail / nan / start / numbers",
        ("            else\n                p[t] = 0.0f;\n", ""),
    ),
    # All scores of a row are in the sum.
    Wrong(
        "xliv_lensm_sum_of_all",
        "xliv_lensm",
        "function / left out / numbers / nan / other element / infinity / twice | sides / precision / subnormal",
        (
            "    for (int64_t t = threadIdx.x; t < len; t += SEQ_THREADS)\n            total",
            "    for (int64_t t = threadIdx.x; t < steps; t += SEQ_THREADS)\n            total",
        ),
    ),
    # Multiplied, as if it were its inverse.
    Wrong(
        "xliv_lensm_inverse",
        "xliv_lensm",
        "function | numbers / precision / nan / infinity",
        ("top = fmaxf(top, s[t] / temperature);", "top = fmaxf(top, s[t] * temperature);"),
        (
            "total += expf(s[t] / temperature - top);",
            "total += expf(s[t] * temperature - top);",
        ),
        ("p[t] = expf(s[t] / temperature - top)", "p[t] = expf(s[t] * temperature - top)"),
    ),
    # The length of the block's first row.
    Wrong(
        "xliv_lensm_length_of_block",
        "xliv_lensm",
        "other element / grid | numbers / function / sides / left out / state / nan",
        ("max(lengths[b], 0)", "max(lengths[blockIdx.x], 0)"),
    ),
    # The next reduction writes where this one's result is still read.
    Wrong(
        "xliv_lensm_no_last_barrier",
        "xliv_lensm",
        "race | numbers / nan / state",
        (
            "    const float all = scratch[0];\n    __syncthreads();\n    return all;\n",
            "    return scratch[0];\n",
        ),
    ),
    # ---- a residual and an RMS norm
    # Epsilon is added to the root.
    Wrong(
        "xliv_addrms_eps_outside",
        "xliv_addrms",
        "function | numbers / precision",
        ("rsqrtf(total / width + eps);", "1.0f / (sqrtf(total / width) + eps);"),
    ),
    # The sum instead of the mean.
    Wrong(
        "xliv_addrms_sum",
        "xliv_addrms",
        "function | left out / numbers / sides",
        ("rsqrtf(total / width + eps);", "rsqrtf(total + eps);"),
    ),
    # The weight is kept as what it is above 1.
    Wrong(
        "xliv_addrms_one_more",
        "xliv_addrms",
        "function | numbers",
        ("* scale * weight[c]);", "* scale * (1.0f + weight[c]));"),
    ),
    # Squares are added up in bfloat16.
    Wrong(
        "xliv_addrms_short_sum",
        "xliv_addrms",
        "precision / rounding / narrow | numbers / function",
        (
            "    squares += f * f;\n",
            "    squares = __bfloat162float(__float2bfloat16(squares + f * f));\n",
        ),
    ),
    # The residual is updated where it is.
    Wrong(
        "xliv_addrms_updates_residual",
        "xliv_addrms",
        "input | state",
        (
            "    hidden[start + c] = h;\n",
            "    hidden[start + c] = h;\n    const_cast<bf16*>(residual)[start + c] = h;\n",
        ),
    ),
    # The other warps' sums are read before they are there.
    Wrong(
        "xliv_addrms_no_barrier",
        "xliv_addrms",
        "race | numbers / nan / state / left out",
        (
            "  __syncthreads();\n  float total",
            "  float total",
        ),
    ),
    # Two at once, as widths are even.
    Wrong(
        "xliv_addrms_pairs",
        "xliv_addrms",
        "tail / unwritten / left out | sides",
        (
            "  for (int64_t c = threadIdx.x; c < width; c += kLanes * kWarps) {\n    y[start + c] = __float2bfloat16(__bfloat162float(hidden[start + c]) * scale * weight[c]);\n  }\n",
            "  for (int64_t c = threadIdx.x; c < width / 2; c += kLanes * kWarps) {\n    for (int side = 0; side < 2; ++side) {\n      const int64_t at = c * 2 + side;\n      y[start + at] = __float2bfloat16(__bfloat162float(__float2bfloat16(__bfloat162float(x[start + at]) + __bfloat162float(residual[start + at]))) * scale * weight[at]);\n    }\n  }\n",
        ),
    ),
    # ---- log-softmax of short rows
    # A sum over the whole warp.
    Wrong(
        "xliv_shortlog_whole_warp",
        "xliv_shortlog",
        "other element / twice / function / left out / sides / numbers | nan / race / infinity",
        (
            "        for (int d = 1; d < GROUP; d *= 2)\n            v += __shfl_xor_sync(~0u, v, d, GROUP);\n",
            "        for (int d = 1; d < 32; d *= 2)\n            v += __shfl_xor_sync(~0u, v, d);\n",
        ),
    ),
    # Lanes without a class leave before the shuffles, which still ask them.
    Wrong(
        "xliv_shortlog_idle_lanes_leave",
        "xliv_shortlog",
        "race | timeout / numbers / other element / nan / left out / function",
        (
            "    const int64_t offset = row * numClasses;\n",
            "    const int64_t offset = row * numClasses;\n    if (lane >= end) return;\n",
        ),
    ),
    # Of the group only the nearest four.
    Wrong(
        "xliv_shortlog_four_lanes",
        "xliv_shortlog",
        "left out / function / other element | numbers / sides / tail / race",
        (
            "        for (int d = 1; d < GROUP; d *= 2)\n            v +=",
            "        for (int d = 1; d < GROUP / 2; d *= 2)\n            v +=",
        ),
    ),
    # Each lane's own largest.
    Wrong(
        "xliv_shortlog_own_largest",
        "xliv_shortlog",
        "function / left out / other element / numbers | nan / race / infinity",
        ("    m = Group<GROUP>::largest(m);\n", ""),
    ),
)

RIGHT = (
    # From integers: gains are not needed as floats until the end, one thread takes one frame.
    Right(
        "xliv_mix_one_by_one",
        "xliv_mix",
        (
            "    int64_t i = 2 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);\n\n    if (i + 1 < frames) {\n        short2 p = *(const short2 *)(a + i);\n        short2 q = *(const short2 *)(b + i);\n        *(short2 *)(out + i) = make_short2(mix_sample(p.x, q.x, gain_a, gain_b), mix_sample(p.y, q.y, gain_a, gain_b));\n    } else if (i < frames) {\n        out[i] = mix_sample(a[i], b[i], gain_a, gain_b);\n    }\n",
            "    for (int64_t i = frames - 1 - ((int64_t)blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= (int64_t)gridDim.x * blockDim.x)\n        out[i] = mix_sample(a[i], b[i], gain_a, gain_b);\n",
        ),
        (
            "    float y = rintf(gain_a * (float)a + gain_b * (float)b);\n    if (y > 32767.0f) y = 32767.0f;\n    if (y < -32768.0f) y = -32768.0f;\n    return (sample_t)(int)y;\n",
            "    return (sample_t)max(-32768, min(32767, __float2int_rn(gain_b * (float)b + gain_a * (float)a)));\n",
        ),
    ),
    # By the bits of the double, without any conversion.
    Right(
        "xliv_d2i_by_bits",
        "xliv_d2i",
        (
            "    if (isnan(x)) return 0;\n    if (x >= 2147483648.0) return INT32_MAX;\n    if (x <= -2147483648.0) return INT32_MIN;\n    return (jint) x;\n",
            "    const jlong bits = __double_as_longlong(x);\n    const int exponent = (int) (bits >> 52 & 0x7ff) - 1023;\n    const jlong significand = (bits & 0xfffffffffffffLL) | 0x10000000000000LL;\n    if (exponent < 0) return 0;\n    if (exponent == 1024 && (bits & 0xfffffffffffffLL)) return 0;\n    if (exponent > 30) return bits < 0 ? INT32_MIN : INT32_MAX;\n    const jint size = (jint) (significand >> (52 - exponent));\n    return bits < 0 ? -size : size;\n",
        ),
    ),
    # Limits by fmin and fmax, with a test of NaN behind them.
    Right(
        "xliv_d2i_clamped",
        "xliv_d2i",
        (
            "    if (isnan(x)) return 0;\n    if (x >= 2147483648.0) return INT32_MAX;\n    if (x <= -2147483648.0) return INT32_MIN;\n    return (jint) x;\n",
            "    const jint y = (jint) trunc(fmax(fmin(x, 2147483647.0), -2147483648.0));\n    return x == x ? y : 0;\n",
        ),
        (
            "  if (at < length) dst[at] = SharedRuntime::d2i(src[at]);\n",
            "  if (at >= length) return;\n  const jlong mirrored = length - 1 - at;\n  dst[mirrored] = SharedRuntime::d2i(src[mirrored]);\n",
        ),
    ),
    # A block takes whole planes; the sign decides by its bit.
    Right(
        "xliv_prelu_by_planes",
        "xliv_prelu",
        (
            "  auto const step = static_cast<Index>(gridDim.x) * blockDim.x;\n  for (auto i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < layout.size(); i += step) {\n    y[i] = __float2half(op(__half2float(x[i]), slope[layout.channel(i)]));\n  }\n",
            "  for (auto plane = static_cast<Index>(blockIdx.x); plane < layout.batch * layout.channels; plane += gridDim.x) {\n    auto const by = slope[plane % layout.channels];\n    for (auto s = layout.spatial - 1 - static_cast<Index>(threadIdx.x); s >= 0; s -= blockDim.x) {\n      auto const i = plane * layout.spatial + s;\n      y[i] = __float2half(op(__half2float(x[i]), by));\n    }\n  }\n",
        ),
        (
            "return x > 0.0f ? x : slope * x; }",
            "return (__float_as_uint(x) >> 31 || x == 0.0f || x != x) ? slope * x : x; }",
        ),
        ("<<<9, 64, 0, stream>>>", "<<<5, 37, 0, stream>>>"),
    ),
    # One part, whose sum carries what rounding left, from the last row up.
    Right(
        "xliv_colmean_compensated",
        "xliv_colmean",
        ("constexpr int MAX_PARTS = 13;", "constexpr int MAX_PARTS = 1;"),
        (
            "  double acc = 0.0;\n  for (int64_t i = blockIdx.y; i < n0; i += gridDim.y) acc += a[i * n1 + j];\n",
            "  double acc = 0.0, lost = 0.0;\n  for (int64_t i = n0 - 1 - blockIdx.y; i >= 0; i -= gridDim.y) {\n    const double x = a[i * n1 + j], next = acc + x;\n    if (isfinite(next)) lost += fabs(acc) >= fabs(x) ? (acc - next) + x : (x - next) + acc;\n    acc = next;\n  }\n  acc += lost;\n",
        ),
    ),
    # Atomic sums in the partial memory, which is set to 0.
    Right(
        "xliv_colmean_atomic",
        "xliv_colmean",
        (
            "  partial[blockIdx.y * n1 + j] = acc;\n",
            "  atomicAdd(&partial[j], acc);\n",
        ),
        (
            "  for (int p = 0; p < parts; ++p) acc += partial[p * n1 + j];\n",
            "  acc = partial[j];\n",
        ),
        (
            "  const unsigned across",
            "  cudaMemsetAsync(partial, 0, n1 * sizeof(double), stream);\n  const unsigned across",
        ),
    ),
    # Each thread asks the output itself, from the last number on.
    Right(
        "xliv_amax_each_thread",
        "xliv_amax",
        (
            "    const unsigned magnitude = __half_as_ushort(input[i]) & 0x7FFFu;\n",
            "    const unsigned magnitude = __half_as_ushort(__habs(input[N - 1 - i])) & 0x7FFFu;\n",
        ),
        (
            "  if (threadIdx.x % THREADS_PER_WARP == 0) staging[warp_id] = largest;\n  __syncthreads();\n  if (threadIdx.x == 0) {\n    for (int w = 1; w < NUM_WARPS; ++w) largest = max(largest, staging[w]);\n",
            "  if (threadIdx.x % THREADS_PER_WARP == 0) {\n",
        ),
        (
            "  __shared__ unsigned staging[NUM_WARPS];\n  const int warp_id = threadIdx.x / THREADS_PER_WARP;\n\n",
            "",
        ),
        ("constexpr int NUM_WARPS = 4;", "constexpr int NUM_WARPS = 3;"),
    ),
    # Turned as it is written to the tile, whose columns shift with the row instead of a gap.
    Right(
        "xliv_axes_shifted_columns",
        "xliv_axes",
        ("tile[TILE][TILE + 1];   // one more: no bank conflicts", "tile[TILE][TILE];"),
        (
            "tile[threadIdx.y][threadIdx.x] = in[",
            "tile[threadIdx.x][(threadIdx.y + threadIdx.x) % TILE] = in[",
        ),
        (
            "= tile[threadIdx.x][threadIdx.y];",
            "= tile[threadIdx.y][(threadIdx.x + threadIdx.y) % TILE];",
        ),
        ("const int TILE = 16;", "const int TILE = 12;"),
    ),
    # The zero point is taken away at the end, by a sum of the right column.
    Right(
        "xliv_qgemm_zero_at_end",
        "xliv_qgemm",
        (
            "int32_t(uint32_t(lhs[row * k + dl]) - uint32_t(lhs_zero)) : 0;",
            "lhs[row * k + dl] : 0;",
        ),
        ("    uint32_t acc = 0;\n", "    uint32_t acc = 0, of_column = 0;\n"),
        (
            "for (int d = 0; d < kBlock; ++d) acc += uint32_t(lhs_block[threadIdx.y][d]) * uint32_t(rhs_block[d][threadIdx.x]);",
            "for (int d = kBlock - 1; d >= 0; --d) {\n        of_column += rhs_block[d][threadIdx.x];\n        acc += uint32_t(lhs_block[threadIdx.y][d]) * uint32_t(rhs_block[d][threadIdx.x]);\n      }",
        ),
        ("= int32_t(acc);", "= int32_t(acc - uint32_t(lhs_zero) * of_column);"),
        ("kBlock = 16;", "kBlock = 8;"),
    ),
    # Sum and largest in one pass over the numbers; what is behind becomes 0 first.
    Right(
        "xliv_lensm_one_pass",
        "xliv_lensm",
        (
            "        float top = -INFINITY;\n        for (int64_t t = threadIdx.x; t < len; t += SEQ_THREADS)\n            top = fmaxf(top, s[t] / temperature);\n        top = seq_reduce<true>(top, scratch);\n\n        float total = 0.0f;\n        for (int64_t t = threadIdx.x; t < len; t += SEQ_THREADS)\n            total += expf(s[t] / temperature - top);\n        total = seq_reduce<false>(total, scratch);\n",
            "        for (int64_t t = steps - 1 - (int64_t)threadIdx.x; t >= len; t -= SEQ_THREADS)\n            p[t] = 0.0f;\n        float own = -INFINITY, total = 0.0f;\n        for (int64_t t = threadIdx.x; t < len; t += SEQ_THREADS) {\n            const float z = s[t] / temperature;\n            if (z > own) {\n                total = total * expf(own - z) + expf(z - z);\n                own = z;\n            } else if (z != -INFINITY) {\n                total += expf(z - own);\n            }\n        }\n        const float top = seq_reduce<true>(own, scratch);\n        total = seq_reduce<false>(own == -INFINITY ? total : total * expf(own - top), scratch);\n",
        ),
        (
            "            if (t < len)\n                p[t] = expf(s[t] / temperature - top) / total;\n            else\n                p[t] = 0.0f;\n",
            "            if (t >= len) break;\n            p[t] = expf(s[t] / temperature - top) / total;\n",
        ),
        ("#define SEQ_THREADS 64", "#define SEQ_THREADS 32"),
    ),
    # One warp, in double, which adds the residual again where it needs the sum.
    Right(
        "xliv_addrms_added_again",
        "xliv_addrms",
        ("kWarps = 3;", "kWarps = 1;"),
        ("  float squares = 0.0f;\n", "  double squares = 0.0;\n"),
        ("__shared__ float of_warp", "__shared__ double of_warp"),
        ("    const float f = ", "    const double f = "),
        ("  float total = 0.0f;\n", "  double total = 0.0;\n"),
        (
            "const float scale = rsqrtf(total / width + eps);",
            "const float scale = static_cast<float>(1.0 / sqrt(total / width + eps));",
        ),
        (
            "__bfloat162float(hidden[start + c]) * scale * weight[c]);",
            "__bfloat162float(__float2bfloat16(__bfloat162float(residual[start + c]) + __bfloat162float(x[start + c]))) * (scale * weight[c]));",
        ),
    ),
    # Sixteen lanes a row; the sum in double, from the last class on.
    Right(
        "xliv_shortlog_sixteen",
        "xliv_shortlog",
        ("static __device__ float sum(float v)", "static __device__ double sum(double v)"),
        (
            "    float s = 0.0f;\n    for (int64_t c = lane; c < end; c += GROUP)\n        s += expf(__half2float(logits[offset + c]) - m);\n",
            "    double s = 0.0;\n    for (int64_t c = end - 1 - lane; c >= 0; c -= GROUP)\n        s += exp((double)__half2float(logits[offset + c]) - m);\n",
        ),
        ("- m - logf(s);", "- m - (float)log(s);"),
        ("rowsPerBlock = 64 / 8;", "rowsPerBlock = 96 / 16;"),
        ("shortLogSoftmax<8><<<", "shortLogSoftmax<16><<<"),
        ("rowsPerBlock, 64, 0, stream>>>", "rowsPerBlock, 96, 0, stream>>>"),
    ),
)
