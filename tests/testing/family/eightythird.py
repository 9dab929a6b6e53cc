"""Hold an eighty-third family: the plain operators of a course, and their plainest mistakes.

Its bases are a sum of two arrays, bytes that stop at 255, floats to doubles, halves to the
nearest whole numbers, ReLU of bfloat16, ELU, the sigmoid, the sum of an array, its smallest
number, sums of rows, where each row is largest, a transpose, a product of matrices and softmax
of rows. They have 12 to 36 lines, in several hands. They take a number a thread, packs of 16
bytes where all addresses allow it, a pair, a loop over the grid, two numbers a block apart,
float4 of which the last thread takes what is left, a tree with an atomic a block, shuffles with
two kernels, shuffles with a shared number, a tree of values and places, blocks of 32 x 8
without shared memory, a number of the product a thread and a row a thread. Their mistakes are
spread over alignment, sizes, grids, values, rounding, NaN, infinity, inputs that are written,
sums, pitches, order, streams and what is left of an earlier call. Ten bases have the cases of
elementwise operators or of `kernel_cases`, four their own. The causes were written before a
member was judged. There are 70 wrong members and 14 right ones. On the emulator each ran beside
PyTorch, compared as a case does, called twice on the same tensors, with NaN and with 1e3 in
floating outputs (-1, 7 and 77 in others), with tensors at either end of their pages, the bytes
behind them and the inputs looked at afterwards, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order, and in the slices that the
cases name. Bases and right ones ran all cases; wrong ones until they were wrong often enough.
Past 2^31 numbers those whose cases say so were launched, but did not end in the time that they
had. Of those that lack a barrier not each is wrong in every order of threads, and the one that
lacks an atomic is right on the emulator in those that were tried. nvcc 13.0 compiles each base
for 8.0; none was run on a GPU. Bases and right ones are right, and all others wrong or refused
by a fault:

    eightythree_add_blocks_rounded_down   unless the block size divides n
    eightythree_add_always_256            of other block sizes, from a second block on
    eightythree_add_left_again            unless both operands are alike
    eightythree_add_no_stream             on another stream than the default one
    eightythree_add_in_place              unless the second operand is 0: left is overwritten
    eightythree_glow_two_of_three         from 16 bytes on, by the address of y alone
    eightythree_glow_sum_of_a_byte        of sums above 255
    eightythree_glow_stops_at_127         of sums above 127
    eightythree_glow_packs_rounded_up     unless 16 divides n
    eightythree_glow_rest_wraps           of sums above 255 that are in no pack
    eightythree_double_src_anywhere       from 2 numbers on, by the address of src
    eightythree_double_odd_forgotten      of an odd n
    eightythree_double_first_again        from 2 numbers on
    eightythree_double_one_is_a_pair      of an odd n
    eightythree_double_few_blocks         from 65,537 numbers on at 32
    eightythree_nearest_cut_off           of parts of a half and more, whatever the sign
    eightythree_nearest_ties_away         of every other tie
    eightythree_nearest_of_16_bits        beyond 16 bits
    eightythree_nearest_no_loop           from 1,281 numbers on at 32, 2,561 at 64
    eightythree_nearest_no_block          from a second block on
    eightythree_relu_nan_is_0             of NaN
    eightythree_relu_wrong_side           of nearly all
    eightythree_relu_blocks_of_64         from 65 numbers on
    eightythree_relu_no_test              unless 128 divides n
    eightythree_relu_first_grid           if the first call had fewer blocks
    eightythree_elu_exp_less_1            below 0 and near it
    eightythree_elu_masks                 from about 88.8 on, and of infinity
    eightythree_elu_next_one              from 130 numbers on at 128
    eightythree_elu_no_less               of all that is not above 0
    eightythree_elu_blocks_overlap        from 385 numbers on at 128
    eightythree_sigmoid_exp_over_exp      from about 88.8 on
    eightythree_sigmoid_no_minus          of all but 0
    eightythree_sigmoid_three_of_four     from 4 numbers on
    eightythree_sigmoid_one_of_rest       if 2 or 3 numbers are left
    eightythree_sigmoid_three_are_a_pack  if 3 numbers are left
    eightythree_total_not_set             unless the total lies at 0
    eightythree_total_half_a_tree         from 129 numbers on
    eightythree_total_no_barrier          where threads do not wait for another
    eightythree_total_no_atomic           where blocks add at once
    eightythree_total_sum_of_ints         of fractions, NaN and infinity
    eightythree_lowest_starts_at_0        if all numbers are above 0
    eightythree_lowest_of_magnitudes      unless the lowest is nearest to 0
    eightythree_lowest_three_warps        if the lowest is in the last warp of a block
    eightythree_lowest_no_barrier         where threads do not wait for another
    eightythree_lowest_second_no_stream   on another stream than the default one
    eightythree_rowsum_pitch_of_rows      from 2 rows on, unless they are square
    eightythree_rowsum_whole_rounds       unless 96 divides the columns
    eightythree_rowsum_first_warp         from 33 columns on
    eightythree_rowsum_no_barrier         where threads do not wait for another
    eightythree_rowsum_first_place        from 2 rows on
    eightythree_argmax_starts_at_0        of rows of which none is above 0
    eightythree_argmax_any_of_equal       of equal ones
    eightythree_argmax_place_of_thread    from 129 columns on
    eightythree_argmax_shared_ints        of fractions, and beyond 32 bits
    eightythree_argmax_place_in_matrix    from 2 rows on
    eightythree_flip_one_pitch            unless it is square
    eightythree_flip_no_loop              from 524,281 rows on
    eightythree_flip_one_too_many         unless 32 divides the columns
    eightythree_flip_copied               unless one side is 1, or it is symmetric
    eightythree_flip_blocks_of_32         from 9 rows on
    eightythree_product_pitch_of_a        unless n and k are alike, or k is 1
    eightythree_product_sum_of_halves     of sums that are no halves
    eightythree_product_fours             unless 4 divides k
    eightythree_product_added             unless 0 lies there
    eightythree_product_b_by_columns      unless n or k is 1, or B is symmetric
    eightythree_soft_no_largest           from about 88.8 on, and far below 0
    eightythree_soft_starts_at_0          of rows that are far below 0
    eightythree_soft_last_not_counted     of nearly all
    eightythree_soft_kept_in_x            of nearly all: x is overwritten
    eightythree_soft_grid_of_columns      from 65 rows on, if columns need fewer blocks
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Two arrays of floats, one number a thread.
ADD = (
    HEADER
    + """\
__global__ void add_kernel(const float* left, const float* right, float* out, int count) {
    const int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx >= count) return;
    out[idx] = left[idx] + right[idx];
}

extern "C" void launch(const float* left,   // [n]
                       const float* right,  // [n]
                       float* out,          // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    const int blocks = (n - 1) / block_size + 1;
    add_kernel<<<blocks, block_size, 0, stream>>>(left, right, out, n);
}
"""
)

# Bytes that stop at 255, 16 a thread where all addresses allow it, else one.
GLOW = (
    HEADER
    + """\
struct alignas(16) Sixteen {
  uint8_t b[16];
};

__device__ uint8_t brighter(uint8_t p, uint8_t q) {
  int s = p + q;
  return s > 255 ? 255 : s;
}

__global__ void glow(const uint8_t* a, const uint8_t* b, uint8_t* y, int packs, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < packs) {
    Sixteen u = ((const Sixteen*)a)[t];
    Sixteen v = ((const Sixteen*)b)[t];
    Sixteen w;
    for (int k = 0; k < 16; k++) w.b[k] = brighter(u.b[k], v.b[k]);
    ((Sixteen*)y)[t] = w;
  }
  int i = 16 * packs + t;
  if (i < n) y[i] = brighter(a[i], b[i]);
}

static bool fits(const void* p) { return (uintptr_t)p % 16 == 0; }

extern "C" void launch(const uint8_t* a,  // [n]
                       const uint8_t* b,  // [n]
                       uint8_t* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int packs = fits(a) && fits(b) && fits(y) ? n / 16 : 0;
  int rest = n - 16 * packs;
  int threads = packs > rest ? packs : rest;
  int blocks = (threads + block_size - 1) / block_size;
  glow<<<blocks, block_size, 0, stream>>>(a, b, y, packs, n);
}
"""
)

# Floats to doubles, a pair a thread.
DOUBLE = (
    HEADER
    + """\
__global__ void to_double(const float *src, double *dst, int64_t n)
{
    int64_t i = 2 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);

    if (i + 1 < n) {
        float2 v = *(const float2 *)(src + i);
        *(double2 *)(dst + i) = make_double2(v.x, v.y);
    } else if (i < n) {
        dst[i] = src[i];
    }
}

extern "C" void launch(const float *src,  // [n] 8-byte aligned
                       double *dst,       // [n] 16-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    int64_t pairs = (n + 1) / 2;
    int64_t blocks = (pairs + block_size - 1) / block_size;

    to_double<<<(unsigned)blocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# Halves to the nearest whole numbers, in a loop over the grid.
NEAREST = (
    HEADER
    + """\
__global__ void nearest(const half* __restrict__ in, int* __restrict__ res, int len) {
  int stride = blockDim.x * gridDim.x;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < len; k += stride) {
    res[k] = __half2int_rn(in[k]);
  }
}

extern "C" void launch(const half* in,  // [n]
                       int* res,        // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 40) blocks = 40;
  nearest<<<blocks, block_size, 0, stream>>>(in, res, n);
}
"""
)

# What is above 0 of bfloat16 numbers, one a thread, in blocks of 128.
RELU = (
    HEADER
    + """\
constexpr int kThreads = 128;

__global__ void ReluKernel(const __nv_bfloat16* src, __nv_bfloat16* dst, int64_t size) {
    const int64_t pos = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (pos < size) {
        const float f = __bfloat162float(src[pos]);
        dst[pos] = __float2bfloat16(f < 0.0f ? 0.0f : f);
    }
}

extern "C" void launch(const __nv_bfloat16* src,  // [n]
                       __nv_bfloat16* dst,        // [n]
                       int64_t n, cudaStream_t stream = 0) {
    int64_t blocks = (n + kThreads - 1) / kThreads;
    ReluKernel<<<(unsigned)blocks, kThreads, 0, stream>>>(src, dst, n);
}
"""
)

# ELU, two numbers a thread that lie a block apart.
ELU = (
    HEADER
    + """\
__device__ float elu_of(float z)
{
    return z > 0.0f ? z : expm1f(z);
}

__global__ void elu_fwd(const float *z, float *a, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * 2 * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = elu_of(z[i]);
    i += blockDim.x;
    if (i < n)
        a[i] = elu_of(z[i]);
}

extern "C" void launch(const float *z,  // [n]
                       float *a,        // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
    int64_t per_block = 2 * block_size;
    unsigned grid = (n + per_block - 1) / per_block;
    elu_fwd<<<grid, block_size, 0, stream>>>(z, a, n);
}
"""
)

# The sigmoid, float4 a thread, of which the last one takes what is left.
SIGMOID = (
    HEADER
    + """\
__device__ float sig(float t) { return 1.0f / (1.0f + expf(-t)); }

__global__ void sigmoid4(const float* in, float* out, int64_t n) {
  int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t base = 4 * t;
  if (base + 4 <= n) {
    float4 v = reinterpret_cast<const float4*>(in)[t];
    v.x = sig(v.x);
    v.y = sig(v.y);
    v.z = sig(v.z);
    v.w = sig(v.w);
    reinterpret_cast<float4*>(out)[t] = v;
  } else {
    for (int64_t j = base; j < n; ++j) out[j] = sig(in[j]);
  }
}

extern "C" void launch(const float* in,  // [n] 16-byte aligned
                       float* out,       // [n] 16-byte aligned
                       int64_t n, int block_size = 192, cudaStream_t stream = 0) {
  int64_t threads = (n + 3) / 4;
  unsigned blocks = (unsigned)((threads + block_size - 1) / block_size);
  sigmoid4<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# A sum: a tree in each block, then one atomic.
TOTAL = (
    HEADER
    + """\
#define TPB 256

__global__ void total_kernel(const float *x, float *total, int64_t n)
{
    __shared__ float buf[TPB];
    int tid = threadIdx.x;
    float acc = 0.0f;

    for (int64_t i = (int64_t)blockIdx.x * TPB + tid; i < n; i += (int64_t)gridDim.x * TPB)
        acc += x[i];
    buf[tid] = acc;
    __syncthreads();
    for (int s = TPB / 2; s > 0; s >>= 1) {
        if (tid < s)
            buf[tid] += buf[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(total, buf[0]);
}

extern "C" void launch(const float *x,  // [n]
                       float *total,    // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + TPB - 1) / TPB;

    if (blocks > 200)
        blocks = 200;
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    total_kernel<<<(unsigned)blocks, TPB, 0, stream>>>(x, total, n);
}
"""
)

# The smallest: each block leaves one number, and a second kernel looks at these.
LOWEST = (
    HEADER
    + """\
constexpr int BLOCKS = 64, THREADS = 128;

__device__ float parts[BLOCKS];

__device__ float lower(float p, float q) { return p < q || p != p ? p : q; }

// Thread 0 gets the lowest of the block.
__device__ float block_lowest(float low) {
  __shared__ float of_warp[THREADS / 32];
  for (int d = 16; d > 0; d /= 2) low = lower(low, __shfl_down_sync(0xffffffffu, low, d));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = low;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < THREADS / 32; w++) low = lower(low, of_warp[w]);
  }
  return low;
}

__global__ void lowest_parts(const float* v, int64_t n) {
  float low = INFINITY;
  int64_t first = blockIdx.x * THREADS + threadIdx.x;
  for (int64_t i = first; i < n; i += BLOCKS * THREADS) low = lower(low, v[i]);
  low = block_lowest(low);
  if (threadIdx.x == 0) parts[blockIdx.x] = low;
}

__global__ void lowest_of_parts(float* result) {
  float low = block_lowest(threadIdx.x < BLOCKS ? parts[threadIdx.x] : INFINITY);
  if (threadIdx.x == 0) *result = low;
}

extern "C" void launch(const float* v,  // [n]
                       float* result,   // [1]
                       int64_t n, cudaStream_t stream = 0) {
  lowest_parts<<<BLOCKS, THREADS, 0, stream>>>(v, n);
  lowest_of_parts<<<1, THREADS, 0, stream>>>(result);
}
"""
)

# Sums of rows, a block a row, whose warps add to one shared number.
ROWSUM = (
    HEADER
    + """\
#define NTHREADS 96

__global__ void sum_rows(const float *mat, float *sums, int rows, int cols)
{
    __shared__ float row_sum;
    if (threadIdx.x == 0)
        row_sum = 0.0f;
    __syncthreads();

    const float *row = mat + (size_t)blockIdx.x * cols;
    float mine = 0.0f;
    for (int c = threadIdx.x; c < cols; c += NTHREADS)
        mine += row[c];
    for (int d = 16; d > 0; d >>= 1)
        mine += __shfl_down_sync(0xffffffff, mine, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&row_sum, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = row_sum;
}

extern "C" void launch(const float *mat,  // [rows, cols]
                       float *sums,       // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    sum_rows<<<rows, NTHREADS, 0, stream>>>(mat, sums, rows, cols);
}
"""
)

# Where each row is largest, the first of equal ones, a block a row.
ARGMAX = (
    HEADER
    + """\
constexpr int W = 128;

__global__ void argmax_rows(const float* scores, int* label, int width) {
    __shared__ float top[W];
    __shared__ int at[W];
    const int tid = threadIdx.x;
    const float* line = scores + (size_t)blockIdx.x * width;
    float best = -INFINITY;
    int where = tid;
    for (int j = tid; j < width; j += W) {
        if (line[j] > best) {
            best = line[j];
            where = j;
        }
    }
    top[tid] = best;
    at[tid] = where;
    __syncthreads();
    for (int s = W / 2; s > 0; s /= 2) {
        if (tid < s) {
            const float other = top[tid + s];
            if (other > top[tid] || (other == top[tid] && at[tid + s] < at[tid])) {
                top[tid] = other;
                at[tid] = at[tid + s];
            }
        }
        __syncthreads();
    }
    if (tid == 0) label[blockIdx.x] = at[0];
}

extern "C" void launch(const float* scores,  // [rows, width]
                       int* label,           // [rows]
                       int rows, int width, cudaStream_t stream = 0) {
    argmax_rows<<<rows, W, 0, stream>>>(scores, label, width);
}
"""
)

# A transpose without shared memory, in blocks of 32 x 8.
FLIP = (
    HEADER
    + """\
__global__ void flip(const float* a, float* b, int64_t rows, int64_t cols) {
  int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  int64_t step = (int64_t)gridDim.y * blockDim.y;
  for (int64_t r = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += step)
    b[c * rows + r] = a[r * cols + c];
}

extern "C" void launch(const float* a,  // [rows, cols]
                       float* b,        // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  dim3 block(32, 8);
  int64_t down = (rows + 7) / 8;
  if (down > 65535) down = 65535;
  dim3 grid((unsigned)((cols + 31) / 32), (unsigned)down);
  flip<<<grid, block, 0, stream>>>(a, b, rows, cols);
}
"""
)

# A product of matrices, one number of it a thread, counted along its rows.
PRODUCT = (
    HEADER
    + """\
#define BLOCK 256

__global__ void product(const float *A, const float *B, float *C, int m, int n, int k)
{
    int64_t e = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (e >= (int64_t)m * n)
        return;

    int64_t row = e / n, col = e % n;
    const float *a = A + row * k;
    float sum = 0.0f;
    for (int p = 0; p < k; p++)
        sum += a[p] * B[(int64_t)p * n + col];
    C[e] = sum;
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    int64_t blocks = ((int64_t)m * n + BLOCK - 1) / BLOCK;
    product<<<(unsigned)blocks, BLOCK, 0, stream>>>(A, B, C, m, n, k);
}
"""
)

# Softmax of rows, a thread a row, in three loops.
SOFT = (
    HEADER
    + """\
__global__ void soft_rows(const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* in = x + (size_t)r * cols;
  float* out = y + (size_t)r * cols;

  float big = in[0];
  for (int j = 1; j < cols; j++) big = fmaxf(big, in[j]);
  float den = 0.0f;
  for (int j = 0; j < cols; j++) den += expf(in[j] - big);
  for (int j = 0; j < cols; j++) out[j] = expf(in[j] - big) / den;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  int blocks = (rows + 63) / 64;
  soft_rows<<<blocks, 64, 0, stream>>>(x, y, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 511, 512)
LENGTHS += (513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4099, 9_001, 70_003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 127), (2, 95), (2, 96), (2, 97), (6, 193), (65, 65))
SIDES += ((1000, 3), (3, 10_007), (2, 256), (4, 257))


def glows(launcher: Launcher) -> Iterator[Case]:
    """Add bytes: any, dark ones, bright ones, about the limit, white; and slices."""
    for n in LENGTHS:
        a, b = whole(0, 256, n, 2 * n), whole(0, 256, n, 2 * n + 1)
        options = {"dtypes": (torch.uint8,), "quick": n > 5000}
        for label, p, q in (
            ("any", a, b),
            ("dark", a // 4, b // 4),
            ("bright", 255 - a // 4, 255 - b // 4),
            ("about the limit", a, (255 - a + b % 3 - 1).clamp(0, 255)),
            ("white", a * 0 + 255, b * 0 + 255),
        ):
            right, inputs = (p + q).clamp(max=255), (p.to(torch.uint8), q.to(torch.uint8))
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, inputs, (right,), scalars, **options)
            if n < 300 and label == "any":
                for offset in ((16, 16, 16), (1, 16, 16), (16, 3, 16), (16, 16, 5), (1, 2, 3)):
                    words = f"n = {n:,}, slices from {offset}"
                    yield Case(words, inputs, (right,), {}, offset=offset, **options)


def roundings(launcher: Launcher) -> Iterator[Case]:
    """Round halves: any, between two, small, large, infinities, zeros, NaN."""
    for n in LENGTHS:
        x, j = whole(-1023, 1024, n, n), torch.arange(n)
        for label, y in (
            ("any", x / 16),
            ("between two", x % 200 - 99.5),
            ("small", x / 2048),
            ("large", x * 63.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 8)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 8)),
        ):
            y = y.half()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(-(2**31), 2**31 - 1)
            for block_size in (64, 256, 32):
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.int32,), "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add rows of whole numbers: any, zeros, below 0, ones, the last alone, NaN, infinity."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("ones", x * 0 + 1),
            ("the last column alone", torch.where(c == cols - 1, 7.0, x * 0)),
            ("a NaN", torch.where((c == cols - 1) & (r == rows // 2), NAN, x)),
            ("an infinity", torch.where((c == cols // 2) & (r == rows - 1), INF, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.sum(1),), dtypes=(torch.float32,))


def places(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, fractions, few values, equal, infinities."""
    for rows, width in SIDES:
        n = rows * width
        x, c = whole(-999, 1000, n, n).reshape(rows, width).double(), torch.arange(width)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("fractions", x / 4096),
            ("few values", x % 3),
            ("equal", x * 0 + 4),
            ("the last", torch.where(c == width - 1, 5000.0, x)),
            ("rising", x * 0 + c),
            ("-infinity", x * 0 - INF),
            ("an infinity", torch.where(c == width // 2, INF, x)),
        ):
            y = y.float()
            right = (y == y.amax(1, True)).int().argmax(1)
            words = f"rows = {rows:,}, width = {width:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=(torch.int32,))


def relu(x: torch.Tensor) -> torch.Tensor:
    """Compute what is above 0, and NaN."""
    return torch.where(x < 0, 0.0, x)


def elu(x: torch.Tensor) -> torch.Tensor:
    """Compute x above 0, and exp(x) - 1 below."""
    return torch.where(x > 0, x, torch.expm1(x))


BASES = {
    "eightythree_add": Base(ADD, {"reference": "add"}),
    "eightythree_glow": Base(GLOW, {"cases": glows}),
    "eightythree_double": Base(DOUBLE, {"reference": "cast"}),
    "eightythree_nearest": Base(NEAREST, {"cases": roundings}),
    "eightythree_relu": Base(RELU, {"reference": relu}),
    "eightythree_elu": Base(ELU, {"reference": elu, "ulp": 4}),
    "eightythree_sigmoid": Base(SIGMOID, {"reference": torch.sigmoid, "ulp": 4}),
    "eightythree_total": Base(TOTAL, cases="sums"),
    "eightythree_lowest": Base(LOWEST, cases="whole_array", function=torch.min),
    "eightythree_rowsum": Base(ROWSUM, {"cases": row_sums}),
    "eightythree_argmax": Base(ARGMAX, {"cases": places}),
    "eightythree_flip": Base(FLIP, cases="transpose"),
    "eightythree_product": Base(PRODUCT, cases="matmul"),
    "eightythree_soft": Base(SOFT, cases="softmax"),
}

WRONG = (
    # ---- add
    # The number of blocks is rounded down.
    Wrong(
        "eightythree_add_blocks_rounded_down",
        "eightythree_add",
        "grid / unwritten / tail / left out | refused / nan",
        ("(n - 1) / block_size + 1;", "n / block_size;"),
    ),
    # The block size is a number.
    Wrong(
        "eightythree_add_always_256",
        "eightythree_add",
        "block size | unwritten / left out / bounds / nan / tail / other element",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # The second operand is the first one again.
    Wrong(
        "eightythree_add_left_again",
        "eightythree_add",
        "left out / twice / function | numbers / copy / infinity / nan",
        ("+ right[idx]", "+ left[idx]"),
    ),
    # The launch forgets the stream.
    Wrong(
        "eightythree_add_no_stream",
        "eightythree_add",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # The sum is made where the first operand lies.
    Wrong(
        "eightythree_add_in_place",
        "eightythree_add",
        "input | state / numbers",
        ("add_kernel(const float* left, const", "add_kernel(float* left, const"),
        (
            "    out[idx] = left[idx] + right[idx];",
            "    left[idx] += right[idx];\n    out[idx] = left[idx];",
        ),
        ("stream>>>(left, right,", "stream>>>((float*)left, right,"),
    ),
    # ---- glow
    # Two of three addresses are asked.
    Wrong(
        "eightythree_glow_two_of_three",
        "eightythree_glow",
        "alignment",
        ("fits(a) && fits(b) && fits(y)", "fits(a) && fits(b)"),
    ),
    # The sum is a byte, which is never above 255.
    Wrong(
        "eightythree_glow_sum_of_a_byte",
        "eightythree_glow",
        "whole range | numbers / infinity / narrow / function",
        ("  int s = p + q;", "  uint8_t s = p + q;"),
    ),
    # The limit is that of signed bytes.
    Wrong(
        "eightythree_glow_stops_at_127",
        "eightythree_glow",
        "whole range / infinity / function | numbers",
        ("s > 255 ? 255 : s", "s > 127 ? 127 : s"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "eightythree_glow_packs_rounded_up",
        "eightythree_glow",
        "bounds / tail | alignment",
        ("? n / 16 : 0;", "? (n + 15) / 16 : 0;"),
    ),
    # What is left is added without a limit.
    Wrong(
        "eightythree_glow_rest_wraps",
        "eightythree_glow",
        "whole range / tail | numbers / infinity / function",
        ("y[i] = brighter(a[i], b[i]);", "y[i] = a[i] + b[i];"),
    ),
    # ---- double
    # The floats may lie anywhere.
    Wrong(
        "eightythree_double_src_anywhere",
        "eightythree_double",
        "alignment",
        ("const float *src,  // [n] 8-byte aligned", "const float *src,  // [n]"),
    ),
    # The last of an odd number has no partner, and is forgotten.
    Wrong(
        "eightythree_double_odd_forgotten",
        "eightythree_double",
        "tail / unwritten / left out | nan / numbers",
        (
            "    } else if (i < n) {\n        dst[i] = src[i];\n    }\n",
            "    }\n",
        ),
    ),
    # The first of the pair is taken twice.
    Wrong(
        "eightythree_double_first_again",
        "eightythree_double",
        "other element / neighbour / twice / left out | numbers",
        ("make_double2(v.x, v.y)", "make_double2(v.x, v.x)"),
    ),
    # A pair is taken where one number is left.
    Wrong(
        "eightythree_double_one_is_a_pair",
        "eightythree_double",
        "bounds / tail",
        ("if (i + 1 < n)", "if (i + 1 <= n)"),
    ),
    # There are at most 1,024 blocks, and no loop.
    Wrong(
        "eightythree_double_few_blocks",
        "eightythree_double",
        "grid / unwritten | nan / tail / left out / narrow",
        (
            "\n\n    to_double<<<",
            "\n    if (blocks > 1024)\n        blocks = 1024;\n\n    to_double<<<",
        ),
    ),
    # ---- nearest
    # What follows the point is cut off.
    Wrong(
        "eightythree_nearest_cut_off",
        "eightythree_nearest",
        "rounding | numbers",
        ("__half2int_rn(in[k])", "(int)__half2float(in[k])"),
    ),
    # Ties go away from 0.
    Wrong(
        "eightythree_nearest_ties_away",
        "eightythree_nearest",
        "rounding | numbers",
        ("__half2int_rn(in[k])", "__float2int_rz(roundf(__half2float(in[k])))"),
    ),
    # The whole number has 16 bits.
    Wrong(
        "eightythree_nearest_of_16_bits",
        "eightythree_nearest",
        "whole range / narrow / infinity | numbers",
        ("__half2int_rn(in[k])", "__half2short_rn(in[k])"),
    ),
    # The loop is a test, though blocks are limited.
    Wrong(
        "eightythree_nearest_no_loop",
        "eightythree_nearest",
        "grid / unwritten / left out | tail",
        (
            "  int stride = blockDim.x * gridDim.x;\n"
            "  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < len; k += stride) {",
            "  int k = blockIdx.x * blockDim.x + threadIdx.x;\n  if (k < len) {",
        ),
    ),
    # Every block begins with the first number.
    Wrong(
        "eightythree_nearest_no_block",
        "eightythree_nearest",
        "unwritten / left out / twice | tail / other element",
        ("int k = blockIdx.x * blockDim.x + threadIdx.x;", "int k = threadIdx.x;"),
    ),
    # ---- relu
    # NaN becomes 0.
    Wrong(
        "eightythree_relu_nan_is_0",
        "eightythree_relu",
        "nan",
        ("f < 0.0f ? 0.0f : f", "fmaxf(f, 0.0f)"),
    ),
    # What is below 0 stays.
    Wrong(
        "eightythree_relu_wrong_side",
        "eightythree_relu",
        "function | numbers / infinity / sign of zero / swapped",
        ("f < 0.0f ? 0.0f : f", "f > 0.0f ? 0.0f : f"),
    ),
    # Blocks have 64 threads.
    Wrong(
        "eightythree_relu_blocks_of_64",
        "eightythree_relu",
        "block size / unwritten / left out | nan / tail / other element",
        ("(unsigned)blocks, kThreads, 0", "(unsigned)blocks, 64, 0"),
    ),
    # Nothing is tested against the size.
    Wrong(
        "eightythree_relu_no_test",
        "eightythree_relu",
        "bounds | tail",
        ("    if (pos < size) {", "    {"),
    ),
    # The number of blocks is that of the first call.
    Wrong(
        "eightythree_relu_first_grid",
        "eightythree_relu",
        "state / grid / unwritten | nan / tail / left out",
        ("    int64_t blocks =", "    static int64_t blocks ="),
    ),
    # ---- elu
    # The 1 is taken away from the exponential.
    Wrong(
        "eightythree_elu_exp_less_1",
        "eightythree_elu",
        "precision | sign of zero / subnormal / numbers",
        ("expm1f(z)", "expf(z) - 1.0f"),
    ),
    # Both sides are computed and multiplied by a mask.
    Wrong(
        "eightythree_elu_masks",
        "eightythree_elu",
        "infinity / nan | numbers / sign of zero",
        ("z > 0.0f ? z : expm1f(z)", "(z > 0.0f) * z + (z <= 0.0f) * expm1f(z)"),
    ),
    # The second number is the next one.
    Wrong(
        "eightythree_elu_next_one",
        "eightythree_elu",
        "unwritten / left out / neighbour / twice / other element | nan / tail / race",
        ("    i += blockDim.x;", "    i += 1;"),
    ),
    # The exponential is not less 1.
    Wrong(
        "eightythree_elu_no_less",
        "eightythree_elu",
        "function | numbers / sign of zero",
        ("expm1f(z)", "expf(z)"),
    ),
    # Blocks begin one block apart, though each takes two.
    Wrong(
        "eightythree_elu_blocks_overlap",
        "eightythree_elu",
        "unwritten / left out / twice / grid | nan / tail / other element",
        ("blockIdx.x * 2 * blockDim.x", "blockIdx.x * blockDim.x"),
    ),
    # ---- sigmoid
    # The exponential stands above and below the line.
    Wrong(
        "eightythree_sigmoid_exp_over_exp",
        "eightythree_sigmoid",
        "infinity / nan | numbers",
        ("1.0f / (1.0f + expf(-t))", "expf(t) / (1.0f + expf(t))"),
    ),
    # The minus is forgotten.
    Wrong(
        "eightythree_sigmoid_no_minus",
        "eightythree_sigmoid",
        "function | numbers / infinity",
        ("expf(-t)", "expf(t)"),
    ),
    # The fourth of a pack stays as it is.
    Wrong(
        "eightythree_sigmoid_three_of_four",
        "eightythree_sigmoid",
        "left out / copy / function | numbers / infinity / sign of zero",
        ("    v.w = sig(v.w);\n", ""),
    ),
    # Of up to three that are left one is taken.
    Wrong(
        "eightythree_sigmoid_one_of_rest",
        "eightythree_sigmoid",
        "tail / unwritten / left out | nan / numbers",
        (
            "  } else {\n    for (int64_t j = base; j < n; ++j) out[j] = sig(in[j]);",
            "  } else if (base < n) {\n    out[base] = sig(in[base]);",
        ),
    ),
    # Three are a pack, too.
    Wrong(
        "eightythree_sigmoid_three_are_a_pack",
        "eightythree_sigmoid",
        "bounds / tail",
        ("base + 4 <= n", "base + 3 <= n"),
    ),
    # ---- total
    # Nothing sets the total to 0.
    Wrong(
        "eightythree_total_not_set",
        "eightythree_total",
        "zero before | state / start / numbers",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # The tree begins a step too late.
    Wrong(
        "eightythree_total_half_a_tree",
        "eightythree_total",
        "left out | numbers / nan / infinity",
        ("int s = TPB / 2; s > 0;", "int s = TPB / 4; s > 0;"),
    ),
    # The steps of the tree do not wait.
    Wrong(
        "eightythree_total_no_barrier",
        "eightythree_total",
        "race | numbers / left out / other element / unwritten",
        ("buf[tid + s];\n        __syncthreads();\n", "buf[tid + s];\n"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "eightythree_total_no_atomic",
        "eightythree_total",
        "race | numbers / left out",
        ("atomicAdd(total, buf[0]);", "*total += buf[0];"),
    ),
    # A thread's sum is an int.
    Wrong(
        "eightythree_total_sum_of_ints",
        "eightythree_total",
        "rounding / precision | numbers / narrow / whole range / nan / infinity",
        ("    float acc = 0.0f;", "    int acc = 0;"),
    ),
    # ---- lowest
    # The lowest begins with 0.
    Wrong(
        "eightythree_lowest_starts_at_0",
        "eightythree_lowest",
        "start | numbers / infinity",
        ("  float low = INFINITY;\n", "  float low = 0.0f;\n"),
    ),
    # Magnitudes are compared.
    Wrong(
        "eightythree_lowest_of_magnitudes",
        "eightythree_lowest",
        "function | numbers / infinity / other element",
        ("return p < q || p != p ? p : q;", "return fabsf(p) < fabsf(q) || p != p ? p : q;"),
    ),
    # The last warp is not looked at.
    Wrong(
        "eightythree_lowest_three_warps",
        "eightythree_lowest",
        "left out | numbers / nan / infinity",
        ("w < THREADS / 32; w++", "w < THREADS / 32 - 1; w++"),
    ),
    # Warps do not wait for each other.
    Wrong(
        "eightythree_lowest_no_barrier",
        "eightythree_lowest",
        "race | numbers / left out / unwritten / other element / nan / state",
        ("= low;\n  __syncthreads();\n", "= low;\n"),
    ),
    # The second kernel forgets the stream.
    Wrong(
        "eightythree_lowest_second_no_stream",
        "eightythree_lowest",
        "stream | race / state",
        ("lowest_of_parts<<<1, THREADS, 0, stream>>>", "lowest_of_parts<<<1, THREADS>>>"),
    ),
    # ---- rowsum
    # Rows are as far apart as there are rows.
    Wrong(
        "eightythree_rowsum_pitch_of_rows",
        "eightythree_rowsum",
        "sides / other element / bounds | numbers / nan / infinity / left out",
        ("(size_t)blockIdx.x * cols;", "(size_t)blockIdx.x * rows;"),
    ),
    # Only whole rounds of the block are added.
    Wrong(
        "eightythree_rowsum_whole_rounds",
        "eightythree_rowsum",
        "tail / left out | numbers / nan / infinity",
        ("c < cols; c += NTHREADS", "c < cols / NTHREADS * NTHREADS; c += NTHREADS"),
    ),
    # Only the first warp adds what it has.
    Wrong(
        "eightythree_rowsum_first_warp",
        "eightythree_rowsum",
        "left out | numbers / nan / infinity / tail",
        ("if (threadIdx.x % 32 == 0)", "if (threadIdx.x == 0)"),
    ),
    # The first thread does not wait for other warps.
    Wrong(
        "eightythree_rowsum_no_barrier",
        "eightythree_rowsum",
        "race | numbers / left out / nan / infinity",
        ("mine);\n    __syncthreads();\n", "mine);\n"),
    ),
    # All sums go to one place.
    Wrong(
        "eightythree_rowsum_first_place",
        "eightythree_rowsum",
        "other element / unwritten / left out / race | nan / numbers / twice",
        ("sums[blockIdx.x] = row_sum;", "sums[threadIdx.x] = row_sum;"),
    ),
    # ---- argmax
    # The largest begins with 0.
    Wrong(
        "eightythree_argmax_starts_at_0",
        "eightythree_argmax",
        "start | numbers / other element",
        ("float best = -INFINITY;", "float best = 0.0f;"),
    ),
    # Of equal ones any wins.
    Wrong(
        "eightythree_argmax_any_of_equal",
        "eightythree_argmax",
        "other element | numbers",
        (
            "if (other > top[tid] || (other == top[tid] && at[tid + s] < at[tid])) {",
            "if (other > top[tid]) {",
        ),
    ),
    # The place is that of the thread.
    Wrong(
        "eightythree_argmax_place_of_thread",
        "eightythree_argmax",
        "other element | numbers / tail / left out",
        ("where = j;", "where = tid;"),
    ),
    # The largest numbers are shared as ints.
    Wrong(
        "eightythree_argmax_shared_ints",
        "eightythree_argmax",
        "rounding / precision | numbers / other element / whole range / infinity / narrow",
        ("__shared__ float top[W];", "__shared__ int top[W];"),
    ),
    # The place is one in the matrix.
    Wrong(
        "eightythree_argmax_place_in_matrix",
        "eightythree_argmax",
        "other element / function | numbers",
        ("label[blockIdx.x] = at[0];", "label[blockIdx.x] = blockIdx.x * width + at[0];"),
    ),
    # ---- flip
    # Both matrices have the same pitch.
    Wrong(
        "eightythree_flip_one_pitch",
        "eightythree_flip",
        "sides / other element / bounds / unwritten | numbers / nan / twice / race",
        ("b[c * rows + r]", "b[c * cols + r]"),
    ),
    # The loop is a test, though blocks down are limited.
    Wrong(
        "eightythree_flip_no_loop",
        "eightythree_flip",
        "grid / unwritten / left out | nan / tail / narrow",
        (
            "  int64_t step = (int64_t)gridDim.y * blockDim.y;\n"
            "  for (int64_t r = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; r < rows; "
            "r += step)\n    b[",
            "  int64_t r = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;\n  if (r < rows) b[",
        ),
    ),
    # One column too many is allowed.
    Wrong(
        "eightythree_flip_one_too_many",
        "eightythree_flip",
        "bounds / tail | race / other element",
        ("if (c >= cols) return;", "if (c > cols) return;"),
    ),
    # The matrix is copied as it is.
    Wrong(
        "eightythree_flip_copied",
        "eightythree_flip",
        "copy / sides / swapped / other element | numbers / function",
        ("b[c * rows + r]", "b[r * cols + c]"),
    ),
    # Blocks are taken for square ones.
    Wrong(
        "eightythree_flip_blocks_of_32",
        "eightythree_flip",
        "block size / unwritten / left out | nan / tail / other element / sides",
        (
            "(int64_t)blockIdx.y * blockDim.y + threadIdx.y",
            "(int64_t)blockIdx.y * 32 + threadIdx.y",
        ),
    ),
    # ---- product
    # Rows of B have the pitch of A.
    Wrong(
        "eightythree_product_pitch_of_a",
        "eightythree_product",
        "sides / other element / bounds | numbers / nan / swapped",
        ("B[(int64_t)p * n + col]", "B[(int64_t)p * k + col]"),
    ),
    # The sum is a half.
    Wrong(
        "eightythree_product_sum_of_halves",
        "eightythree_product",
        "precision / rounding / infinity | numbers / nan",
        ("float sum = 0.0f;", "half sum = __float2half(0.0f);"),
        (
            "sum += a[p] * B[(int64_t)p * n + col];",
            "sum = __float2half(__half2float(sum) + a[p] * B[(int64_t)p * n + col]);",
        ),
        ("C[e] = sum;", "C[e] = __half2float(sum);"),
    ),
    # Four terms are added at once, and the rest is forgotten.
    Wrong(
        "eightythree_product_fours",
        "eightythree_product",
        "tail / left out | numbers / nan / infinity",
        (
            "    for (int p = 0; p < k; p++)\n        sum += a[p] * B[(int64_t)p * n + col];",
            "    for (int p = 0; p + 3 < k; p += 4)\n"
            "        for (int q = p; q < p + 4; q++)\n"
            "            sum += a[q] * B[(int64_t)q * n + col];",
        ),
    ),
    # The product is added to what lies there.
    Wrong(
        "eightythree_product_added",
        "eightythree_product",
        "zero before / state | nan / numbers / start",
        ("C[e] = sum;", "C[e] += sum;"),
    ),
    # B is read as if it lay by columns.
    Wrong(
        "eightythree_product_b_by_columns",
        "eightythree_product",
        "sides / other element / swapped | numbers / nan / function",
        ("B[(int64_t)p * n + col]", "B[col * k + p]"),
    ),
    # ---- soft
    # Nothing is taken away before the exponential.
    Wrong(
        "eightythree_soft_no_largest",
        "eightythree_soft",
        "infinity / nan | numbers / precision / subnormal",
        ("den += expf(in[j] - big);", "den += expf(in[j]);"),
        ("out[j] = expf(in[j] - big) / den;", "out[j] = expf(in[j]) / den;"),
    ),
    # The largest begins with 0.
    Wrong(
        "eightythree_soft_starts_at_0",
        "eightythree_soft",
        "start | nan / infinity / numbers / precision / subnormal",
        ("float big = in[0];", "float big = 0.0f;"),
        ("for (int j = 1; j < cols; j++) big", "for (int j = 0; j < cols; j++) big"),
    ),
    # The last number does not count.
    Wrong(
        "eightythree_soft_last_not_counted",
        "eightythree_soft",
        "left out / tail | numbers / function / nan / infinity",
        ("for (int j = 0; j < cols; j++) den", "for (int j = 0; j < cols - 1; j++) den"),
    ),
    # Exponentials are kept in the input.
    Wrong(
        "eightythree_soft_kept_in_x",
        "eightythree_soft",
        "input | state / numbers",
        ("soft_rows(const float* x,", "soft_rows(float* x,"),
        ("  const float* in = x", "  float* in = x"),
        ("den += expf(in[j] - big);", "den += in[j] = expf(in[j] - big);"),
        ("out[j] = expf(in[j] - big) / den;", "out[j] = in[j] / den;"),
        ("stream>>>(x, y,", "stream>>>((float*)x, y,"),
    ),
    # Blocks are counted by columns.
    Wrong(
        "eightythree_soft_grid_of_columns",
        "eightythree_soft",
        "grid / sides / unwritten / left out | nan / tail / swapped",
        ("int blocks = (rows + 63) / 64;", "int blocks = (cols + 63) / 64;"),
    ),
)

RIGHT = (
    # The result is the first argument, and the size has 64 bits.
    Right(
        "eightythree_add_result_first",
        "eightythree_add",
        (
            "launch(const float* left,   // [n]\n"
            "                       const float* right,  // [n]\n"
            "                       float* out,          // [n]\n"
            "                       int n,",
            "launch(float* out,          // [n]\n"
            "                       const float* left,   // [n]\n"
            "                       const float* right,  // [n]\n"
            "                       int64_t n,",
        ),
        ("const int blocks =", "const unsigned blocks ="),
        ("float* out, int count)", "float* out, int64_t count)"),
        (
            "const int idx = threadIdx.x + blockIdx.x * blockDim.x;",
            "const int64_t idx = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;",
        ),
    ),
    # Two blocks more than are needed have nothing to do.
    Right(
        "eightythree_glow_idle_blocks",
        "eightythree_glow",
        ("(threads + block_size - 1) / block_size;", "threads / block_size + 2;"),
    ),
    # The two doubles are stored one by one.
    Right(
        "eightythree_double_single_stores",
        "eightythree_double",
        (
            "        *(double2 *)(dst + i) = make_double2(v.x, v.y);",
            "        dst[i] = v.x;\n        dst[i + 1] = v.y;",
        ),
    ),
    # The half is widened first.
    Right(
        "eightythree_nearest_widened",
        "eightythree_nearest",
        ("__half2int_rn(in[k])", "__float2int_rn(__half2float(in[k]))"),
        ("if (blocks > 40) blocks = 40;", "if (blocks > 7) blocks = 7;"),
    ),
    # NaN is asked for, and the rest is a maximum.
    Right(
        "eightythree_relu_asks_for_nan",
        "eightythree_relu",
        ("f < 0.0f ? 0.0f : f", "isnan(f) ? f : fmaxf(f, 0.0f)"),
    ),
    # The number of blocks is rounded up by one more.
    Right(
        "eightythree_elu_one_block_more",
        "eightythree_elu",
        ("(n + per_block - 1) / per_block;", "n / per_block + 1;"),
        ("int block_size = 128,", "int block_size = 96,"),
    ),
    # The exponential is never above 1.
    Right(
        "eightythree_sigmoid_of_magnitude",
        "eightythree_sigmoid",
        (
            "{ return 1.0f / (1.0f + expf(-t)); }",
            "{\n  float e = expf(-fabsf(t));\n  return (t < 0.0f ? e : 1.0f) / (1.0f + e);\n}",
        ),
    ),
    # A kernel sets the total to 0.
    Right(
        "eightythree_total_set_by_kernel",
        "eightythree_total",
        (
            "#define TPB 256\n",
            "#define TPB 256\n\n"
            "__global__ void clear(float *total)\n"
            "{\n"
            "    *total = 0.0f;\n"
            "}\n",
        ),
        (
            "cudaMemsetAsync(total, 0, sizeof(float), stream);",
            "clear<<<1, 1, 0, stream>>>(total);",
        ),
    ),
    # There are 40 blocks of 192 threads.
    Right(
        "eightythree_lowest_other_sizes",
        "eightythree_lowest",
        ("BLOCKS = 64, THREADS = 128;", "BLOCKS = 40, THREADS = 192;"),
    ),
    # Indices have no sign, and blocks have 160 threads.
    Right(
        "eightythree_rowsum_unsigned",
        "eightythree_rowsum",
        ("#define NTHREADS 96", "#define NTHREADS 160"),
        ("for (int c = threadIdx.x;", "for (uint32_t c = threadIdx.x;"),
        (
            "float *sums, int rows, int cols)\n{\n    __",
            "float *sums, int rows, uint32_t cols)\n{\n    __",
        ),
    ),
    # The first thread looks at all that is shared.
    Right(
        "eightythree_argmax_without_tree",
        "eightythree_argmax",
        (
            "    for (int s = W / 2; s > 0; s /= 2) {\n        if (tid < s) {\n",
            "    for (int s = 1; s < W; s++) {\n        if (tid == 0) {\n",
        ),
        ("        __syncthreads();\n    }\n", "    }\n"),
    ),
    # Blocks are 8 x 32.
    Right(
        "eightythree_flip_blocks_8_by_32",
        "eightythree_flip",
        ("dim3 block(32, 8);", "dim3 block(8, 32);"),
        ("(rows + 7) / 8;", "(rows + 31) / 32;"),
        ("(unsigned)((cols + 31) / 32)", "(unsigned)((cols + 7) / 8)"),
    ),
    # The sum is a double, and blocks have 64 threads.
    Right(
        "eightythree_product_in_double",
        "eightythree_product",
        ("#define BLOCK 256", "#define BLOCK 64"),
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("sum += a[p] * B", "sum += (double)a[p] * B"),
        ("C[e] = sum;", "C[e] = (float)sum;"),
    ),
    # Exponentials are kept in the result until they are divided.
    Right(
        "eightythree_soft_kept_in_y",
        "eightythree_soft",
        ("den += expf(in[j] - big);", "den += out[j] = expf(in[j] - big);"),
        ("out[j] = expf(in[j] - big) / den;", "out[j] /= den;"),
    ),
)
