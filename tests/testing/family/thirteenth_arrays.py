"""Hold a thirteenth family: softmax, RMS norm, maximum, transpose, product, stencil."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A beginner: one thread for each row, three loops, the output as the only scratch space.
SOFTMAX = (
    HEADER
    + """\
// softmax of every row
__global__ void softmax(const float* x, float* y, int64_t m, int64_t n) {
    int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (row < m) {
        // find the biggest number
        float biggest = x[row * n];
        for (int64_t i = 1; i < n; i++) {
            if (x[row * n + i] > biggest) {
                biggest = x[row * n + i];
            }
        }
        // e to the power of everything, and the sum
        float sum = 0;
        for (int64_t j = 0; j < n; j++) {
            float e = expf(x[row * n + j] - biggest);
            y[row * n + j] = e;
            sum += e;
        }
        // divide
        for (int64_t k = 0; k < n; k++) {
            y[row * n + k] = y[row * n + k] / sum;
        }
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    int64_t blocks = (m + 255) / 256;
    softmax<<<blocks, 256, 0, stream>>>(x, y, m, n);
}
"""
)

# A library author: a block for each row, warp shuffles, one word of shared memory a warp.
RMS = (
    HEADER
    + """\
namespace {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kFullMask = 0xffffffffu;

__device__ __forceinline__ float warp_reduce_sum(float v) {
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        v += __shfl_xor_sync(kFullMask, v, offset);
    }
    return v;
}

// Every thread of the block gets the sum.
__device__ __forceinline__ float block_reduce_sum(float v) {
    __shared__ float partial[kWarps];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    v = warp_reduce_sum(v);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    return warp_reduce_sum(lane < kWarps ? partial[lane] : 0.0f);
}

__global__ void __launch_bounds__(kThreads)
rms_norm_kernel(const float* __restrict__ x, const float* __restrict__ gain, float* __restrict__ y, int64_t n, float eps) {
    const int64_t row = blockIdx.x;
    const float* x_row = x + row * n;
    float* y_row = y + row * n;
    float squares = 0.0f;
    for (int64_t c = threadIdx.x; c < n; c += kThreads) {
        squares += x_row[c] * x_row[c];
    }
    const float total = block_reduce_sum(squares);
    const float inv_rms = rsqrtf(total / static_cast<float>(n) + eps);
    for (int64_t d = threadIdx.x; d < n; d += kThreads) {
        y_row[d] = x_row[d] * inv_rms * gain[d];
    }
}

}  // namespace

extern "C" void launch(const float* x,     // [m, n]
                       const float* gain,  // [n]
                       float* y,           // [m, n]
                       int64_t m, int64_t n, float eps, cudaStream_t stream = 0) {
    rms_norm_kernel<<<m, kThreads, 0, stream>>>(x, gain, y, n, eps);
}
"""
)

# A student: a tree in shared memory for each block, then a loop of compare-and-swap.
MAXIMUM = (
    HEADER
    + """\
#define BLOCK 256

__device__ void atomic_max_float(float* where, float value) {
    int* word = (int*)where;
    int old = *word;
    while (__int_as_float(old) < value) {
        int seen = atomicCAS(word, old, __float_as_int(value));
        if (seen == old) break;
        old = seen;
    }
}

__global__ void set_start(float* out) {
    *out = -INFINITY;
}

__global__ void maximum(const float* x, float* out, int64_t n) {
    __shared__ float tree[BLOCK];
    int t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * BLOCK + t;
    tree[t] = i < n ? x[i] : -INFINITY;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s && tree[t + s] > tree[t]) {
            tree[t] = tree[t + s];
        }
        __syncthreads();
    }
    if (t == 0) atomic_max_float(out, tree[0]);
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    set_start<<<1, 1, 0, stream>>>(out);
    maximum<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, out, n);
}
"""
)

# Someone from numpy: out = a.T.copy(), by the flat index of the output.
TRANSPOSE = (
    HEADER
    + """\
__global__ void transpose(const float* a, float* out, int64_t rows, int64_t cols) {
    const int64_t size = rows * cols;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t flat = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; flat < size; flat += step) {
        // i, j = np.unravel_index(flat, (cols, rows))
        const int64_t i = flat / rows;
        const int64_t j = flat % rows;
        out[flat] = a[j * cols + i];
    }
}

extern "C" void launch(const float* a,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    int64_t blocks = (rows * cols + 255) / 256;
    if (blocks > 64) blocks = 64;
    transpose<<<blocks, 256, 0, stream>>>(a, out, rows, cols);
}
"""
)

# An engineer who follows the programming guide: two tiles in shared memory, a step of 16.
PRODUCT = (
    HEADER
    + """\
constexpr int TILE = 16;

__global__ void MatMulKernel(const float* A, const float* B, float* C, int64_t m, int64_t k, int64_t n) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t row = (int64_t)blockIdx.y * TILE + ty;
    const int64_t col = (int64_t)blockIdx.x * TILE + tx;
    float Cvalue = 0.0f;
    for (int64_t p = 0; p < k; p += TILE) {
        As[ty][tx] = (row < m && p + tx < k) ? A[row * k + p + tx] : 0.0f;
        Bs[ty][tx] = (p + ty < k && col < n) ? B[(p + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int e = 0; e < TILE; ++e) Cvalue += As[ty][e] * Bs[e][tx];
        __syncthreads();  // before the next tiles
    }
    if (row < m && col < n) C[row * n + col] = Cvalue;
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int64_t m, int64_t k, int64_t n, cudaStream_t stream = 0) {
    dim3 dimBlock(TILE, TILE);
    dim3 dimGrid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    MatMulKernel<<<dimGrid, dimBlock, 0, stream>>>(A, B, C, m, k, n);
}
"""
)

# A physicist: one explicit step of the heat equation on a ring, r = D dt / dx^2.
HEAT = (
    HEADER
    + """\
__global__ void heat_step(const float* u, float* u_new, int64_t n, float r) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // periodic boundary: the rod is a ring
    float u_l = u[i == 0 ? n - 1 : i - 1];
    float u_r = u[i == n - 1 ? 0 : i + 1];
    u_new[i] = u[i] + r * (u_l - 2.0f * u[i] + u_r);
}

extern "C" void launch(const float* u,  // [n]
                       float* u_new,    // [n]
                       int64_t n, float r, cudaStream_t stream = 0) {
    int64_t blocks = (n + 255) / 256;
    heat_step<<<blocks, 256, 0, stream>>>(u, u_new, n, r);
}
"""
)

SHAPES = (
    (1, 1),
    (1, 7),
    (5, 1),
    (3, 16),
    (4, 33),
    (16, 16),
    (33, 20),
    (17, 129),
    (6, 300),
    (130, 48),
    (300, 5),
)


def _case(label: str, inputs: tuple[torch.Tensor, ...], right: torch.Tensor, **more) -> Case:
    """Return a case of one float32 output."""
    return Case(label, inputs, (right.double(),), dtypes=(torch.float32,), **more)


def _shuffled(n: int) -> torch.Tensor:
    """Return 0, 1, ..., n - 1 in a random order: int64."""
    return torch.randperm(n, generator=torch.Generator().manual_seed(n))


def softmax(launcher: Launcher) -> Iterator[Case]:
    """Take the softmax of rows of small numbers, of large ones and of negative ones.

    All are eighths, so that only expf, the sum in order of n summands and the division round.
    """
    for m, n in SHAPES:
        for name, scale, shift in (("small", 1, 0), ("large", 100, 0), ("negative", 1, -400)):
            x = whole_numbers(m, n, seed=m + n) * scale / 8 + shift
            right = torch.softmax(x.double(), dim=1)
            yield _case(f"m = {m}, n = {n}, {name} numbers", (x,), right, ulp=n + 8)


def rms(launcher: Launcher) -> Iterator[Case]:
    """Divide rows by their root mean square, which is exact up to the division by n."""
    for m, n in (*SHAPES, (3, 700)):
        for eps, limit in ((0.5, 3), (2.0**-10, 50)):
            x = whole_numbers(m, n, seed=m + n, limit=limit)
            gain = (
                1 + torch.randint(6, (n,), generator=torch.Generator().manual_seed(n)).float()
            )
            mean = x.double().square().mean(dim=1, keepdim=True)
            right = x.double() / (mean + eps).sqrt() * gain.double()
            label = f"m = {m}, n = {n}, eps = {eps}, numbers to {limit}"
            yield _case(label, (x, gain), right, arguments={"eps": eps}, ulp=8)


def maximum(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of numbers of which no two are equal."""
    for n in (1, 2, 31, 33, 128, 129, 255, 256, 257, 1000, 8193, 100_001):
        order = _shuffled(n)
        for name, x in (
            ("of both signs", order - n // 2),
            ("all negative", -1 - order),
            ("rising", torch.arange(n) - n // 2),
            ("falling", -torch.arange(n) + n // 2),
            ("rising, all negative", torch.arange(n) - n),
        ):
            yield _case(f"n = {n:,}, {name}", (x.float(),), x.max().reshape(1))


def transpose(launcher: Launcher) -> Iterator[Case]:
    """Transpose matrices in which every element is another."""
    for rows, cols in (
        (1, 1),
        (1, 70),
        (70, 1),
        (16, 16),
        (3, 5),
        (41, 30),
        (49, 98),
        (98, 49),
        (128, 128),
        (300, 201),
    ):
        a = torch.arange(rows * cols, dtype=torch.float32).reshape(rows, cols) + 1
        yield _case(f"rows = {rows}, cols = {cols}", (a,), a.T.contiguous())


def product(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices of whole numbers, exactly; a NaN reaches its own row or column only."""
    for m, k, n in (
        (1, 1, 1),
        (16, 16, 16),
        (32, 48, 16),
        (5, 3, 7),
        (17, 33, 40),
        (40, 20, 20),
        (3, 70, 100),
        (100, 9, 3),
        (64, 64, 64),
        (130, 100, 65),
    ):
        a = whole_numbers(m, k, seed=m + k, limit=9)
        b = whole_numbers(k, n, seed=k + n + 1, limit=9)
        label = f"m = {m}, k = {k}, n = {n}"
        yield _case(label, (a, b), a.double() @ b.double() + 0.0)
        if m > 1 and n > 1:
            right = a.double() @ b.double() + 0.0
            a_nan, b_nan = a.clone(), b.clone()
            a_nan[m // 2, 0] = b_nan[0, n // 2] = float("nan")
            right[m // 2, :] = float("nan")
            right[:, n // 2] = float("nan")
            yield _case(f"{label}, a NaN in each", (a_nan, b_nan), right)


def heat(launcher: Launcher) -> Iterator[Case]:
    """Take one step on a ring of whole numbers; r is a power of two, so that all is exact."""
    for n in (1, 2, 3, 31, 255, 256, 257, 258, 512, 1000, 4097):
        for r in (0.25, 0.5, 0.125):
            u = whole_numbers(n, seed=n)
            wide = u.double()
            right = wide + r * (wide.roll(1) - 2 * wide + wide.roll(-1))
            yield _case(f"n = {n:,}, r = {r}", (u,), right, arguments={"r": r})


BASES = {
    "u_softmax": Base(SOFTMAX, {"cases": softmax}),
    "u_rms": Base(RMS, {"cases": rms}),
    "u_maximum": Base(MAXIMUM, {"cases": maximum}),
    "u_transpose": Base(TRANSPOSE, {"cases": transpose}),
    "u_product": Base(PRODUCT, {"cases": product}),
    "u_heat": Base(HEAT, {"cases": heat}),
}

WRONG = (
    # The search for the biggest starts from 0: in rows of negative numbers every expf may be
    # 0, and 0 / 0 is NaN.
    Wrong(
        "u_softmax_biggest_from_zero",
        "u_softmax",
        "start / nan / infinity | numbers / precision / subnormal",
        (
            "float biggest = x[row * n];\n        for (int64_t i = 1;",
            "float biggest = 0;\n        for (int64_t i = 0;",
        ),
    ),
    # The loop with expf ends one too early: the last of each row is not in the sum, and is
    # divided without having been written.
    Wrong(
        "u_softmax_one_short",
        "u_softmax",
        "tail / unwritten / left out | nan / numbers / function / state",
        ("j < n; j++", "j < n - 1; j++"),
    ),
    # The last loop counts the rows in place of the columns: right for square matrices only.
    Wrong(
        "u_softmax_divides_m",
        "u_softmax",
        "sides / bounds | tail / race / twice / numbers / function / left out",
        ("k < n; k++", "k < m; k++"),
    ),
    # The blocks are counted for 256 threads, but have 128: half of the rows beyond the first
    # 128 are never computed.
    Wrong(
        "u_softmax_small_blocks",
        "u_softmax",
        "grid / unwritten / tail | block size / left out",
        ("<<<blocks, 256, 0, stream>>>", "<<<blocks, 128, 0, stream>>>"),
    ),
    # The loop with expf walks as if a row had m numbers: it reads other rows, or what is past
    # the end.
    Wrong(
        "u_softmax_row_of_m",
        "u_softmax",
        "sides / bounds | other element / infinity / nan / numbers",
        ("expf(x[row * n + j] - biggest)", "expf(x[row * m + j] - biggest)"),
    ),
    # The sum is an int: each addition cuts the fraction off.
    Wrong(
        "u_softmax_int_sum",
        "u_softmax",
        "rounding / precision / whole range | numbers / function / left out / infinity",
        ("float sum = 0;", "int sum = 0;"),
    ),
    # eps is added to the root, and not below it.
    Wrong(
        "u_rms_eps_outside",
        "u_rms",
        "function | numbers / precision",
        (
            "rsqrtf(total / static_cast<float>(n) + eps)",
            "1.0f / (sqrtf(total / static_cast<float>(n)) + eps)",
        ),
    ),
    # The last warp's partial sum is not taken: rows longer than 96 come out too large.
    Wrong(
        "u_rms_last_warp",
        "u_rms",
        "left out / tail | function / numbers",
        ("lane < kWarps ?", "lane < kWarps - 1 ?"),
    ),
    # The partial sums are read while other warps still have to write them.
    Wrong("u_rms_no_wait", "u_rms", "race", ("    __syncthreads();\n", "")),
    # As in a reduction for thread 0: only warp 0 has the total, the other warps go on with a
    # sum of their own.
    Wrong(
        "u_rms_first_warp_only",
        "u_rms",
        "left out / function | numbers / tail",
        (
            "return warp_reduce_sum(lane < kWarps ? partial[lane] : 0.0f);",
            "if (warp == 0) v = warp_reduce_sum(lane < kWarps ? partial[lane] : 0.0f);\n    return v;",
        ),
    ),
    # The gain is taken by the row and not by the column: with more rows than columns, past its
    # end.
    Wrong(
        "u_rms_gain_of_row",
        "u_rms",
        "bounds / other element / sides | numbers / function",
        ("gain[d]", "gain[row]"),
    ),
    # Each warp walks in steps of 32 through the whole row: most squares are added several
    # times.
    Wrong(
        "u_rms_step_of_warp",
        "u_rms",
        "twice | function / numbers",
        ("c += kThreads", "c += 32"),
    ),
    # The result starts at 0, which is larger than any negative number.
    Wrong(
        "u_maximum_from_zero",
        "u_maximum",
        "start | numbers",
        ("*out = -INFINITY;", "*out = 0.0f;"),
    ),
    # The tree starts at a quarter: the upper half of each block never counts.
    Wrong(
        "u_maximum_quarter",
        "u_maximum",
        "left out | numbers / function / tail",
        ("int s = BLOCK / 2;", "int s = BLOCK / 4;"),
    ),
    # No barrier between the levels of the tree.
    Wrong(
        "u_maximum_levels_race",
        "u_maximum",
        "race",
        ("        __syncthreads();\n    }\n", "    }\n"),
    ),
    # The bits are compared as whole numbers: of two negative floats the smaller one wins, and
    # -inf wins over all.
    Wrong(
        "u_maximum_as_bits",
        "u_maximum",
        "numbers / infinity / start | function / left out / sign of zero",
        ("atomic_max_float(out, tree[0]);", "atomicMax((int*)out, __float_as_int(tree[0]));"),
    ),
    # Blocks compare and then write without an atomic: a smaller number may be written last.
    Wrong(
        "u_maximum_no_atomic",
        "u_maximum",
        "race | left out",
        (
            "if (t == 0) atomic_max_float(out, tree[0]);",
            "if (t == 0 && tree[0] > *out) *out = tree[0];",
        ),
    ),
    # After a lost exchange the value that was seen is not kept: the loop tries the old one for
    # ever.
    Wrong(
        "u_maximum_tries_for_ever",
        "u_maximum",
        "timeout | race / grid / numbers",
        ("        old = seen;\n", ""),
    ),
    # The flat index is split by the input's columns: right for square matrices only.
    Wrong(
        "u_transpose_splits_by_cols",
        "u_transpose",
        "sides / bounds | other element / numbers",
        (
            "i = flat / rows;\n        const int64_t j = flat % rows;",
            "i = flat / cols;\n        const int64_t j = flat % cols;",
        ),
    ),
    # A reshape and not a transpose: the numbers keep their order.
    Wrong(
        "u_transpose_reshape",
        "u_transpose",
        "copy / swapped / function | sides / numbers / other element",
        ("a[j * cols + i]", "a[i * rows + j]"),
    ),
    # The number of blocks has a limit, but no thread takes a second element.
    Wrong(
        "u_transpose_if_for_for",
        "u_transpose",
        "unwritten / tail / grid | left out",
        (
            "for (int64_t flat = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; flat < size; flat += step) {",
            "const int64_t flat = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n    if (flat < size) {",
        ),
    ),
    # The row is found by a rounded reciprocal: just below a whole number for some sides, and
    # cut to one too few.
    Wrong(
        "u_transpose_reciprocal",
        "u_transpose",
        "precision / rounding / narrow / sides | other element / numbers",
        ("i = flat / rows;", "i = (int64_t)(flat * (1.0f / rows));"),
    ),
    # The kernel is not put on the stream that the caller gave.
    Wrong(
        "u_transpose_no_stream",
        "u_transpose",
        "stream",
        ("<<<blocks, 256, 0, stream>>>", "<<<blocks, 256>>>"),
    ),
    # One element too many is written, past the end of the output.
    Wrong(
        "u_transpose_one_more",
        "u_transpose",
        "bounds | tail",
        ("flat < size;", "flat <= size;"),
    ),
    # Only whole tiles along k are multiplied; what is left of k is not.
    Wrong(
        "u_product_whole_tiles",
        "u_product",
        "left out / tail | function / numbers / copy / sides",
        ("p < k; p += TILE", "p + TILE <= k; p += TILE"),
    ),
    # Nothing tests the column of A: the next row is read, or what is past the end. B's zeros
    # hide it unless a NaN is there.
    Wrong(
        "u_product_reads_next_row",
        "u_product",
        "bounds / nan | numbers / infinity / other element",
        ("(row < m && p + tx < k) ?", "(row < m) ?"),
    ),
    # The next tiles are loaded while some warps still multiply these.
    Wrong(
        "u_product_no_second_wait",
        "u_product",
        "race",
        ("        __syncthreads();  // before the next tiles\n", ""),
    ),
    # A row of B is taken to have k numbers: right if k = n.
    Wrong(
        "u_product_b_by_k",
        "u_product",
        "sides / bounds | other element / numbers / nan",
        ("B[(p + ty) * n + col]", "B[(p + ty) * k + col]"),
    ),
    # The product is added to what the output held.
    Wrong(
        "u_product_adds",
        "u_product",
        "zero before / state / start | unwritten",
        ("C[row * n + col] = Cvalue;", "C[row * n + col] += Cvalue;"),
    ),
    # The grid's sides are exchanged: right only while both need equally many tiles.
    Wrong(
        "u_product_grid_sides",
        "u_product",
        "sides / unwritten / grid | tail / swapped",
        (
            "dimGrid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE)",
            "dimGrid((m + TILE - 1) / TILE, (n + TILE - 1) / TILE)",
        ),
    ),
    # The left end has itself as its neighbour, as if it were insulated, and not the right end.
    Wrong(
        "u_heat_left_end",
        "u_heat",
        "other element / neighbour / function | tail / infinity / numbers",
        ("i == 0 ? n - 1 : i - 1", "i == 0 ? 0 : i - 1"),
    ),
    # As in Python, -1 % n should be n - 1; here it is -1, before the start of the array.
    Wrong(
        "u_heat_python_modulo",
        "u_heat",
        "bounds | neighbour / other element",
        ("i == 0 ? n - 1 : i - 1", "(i - 1) % n"),
    ),
    # The new value is written to the old array as well, ready for the next step, while
    # neighbours still read it.
    Wrong(
        "u_heat_in_place",
        "u_heat",
        "input / race | state / neighbour",
        (
            "const float* u, float* u_new, int64_t n, float r) {",
            "float* u, float* u_new, int64_t n, float r) {",
        ),
        ("u_new[i] = u[i] +", "u[i] = u_new[i] = u[i] +"),
        ("(u, u_new, n, r);", "((float*)u, u_new, n, r);"),
    ),
    # The middle counts once in the second difference, and not two times.
    Wrong(
        "u_heat_single_middle",
        "u_heat",
        "function | numbers",
        ("u_l - 2.0f * u[i] + u_r", "u_l - u[i] + u_r"),
    ),
    # The grid is counted for the inner points, as of a rod with fixed ends: one or two last
    # points, or all, get no thread.
    Wrong(
        "u_heat_inner_grid",
        "u_heat",
        "grid / tail / unwritten | refused / left out",
        ("(n + 255) / 256", "(n - 2 + 255) / 256"),
    ),
    # The coefficient of the first call is kept for all later calls.
    Wrong(
        "u_heat_keeps_r",
        "u_heat",
        "state / left out | numbers / function",
        (
            "    heat_step<<<blocks, 256, 0, stream>>>(u, u_new, n, r);",
            "    static const float kept = r;\n    heat_step<<<blocks, 256, 0, stream>>>(u, u_new, n, kept);",
        ),
    ),
)

RIGHT = (
    # Often a block too many, and the search starts from minus infinity.
    Right(
        "u_softmax_block_more",
        "u_softmax",
        ("(m + 255) / 256", "m / 256 + 1"),
        (
            "float biggest = x[row * n];\n        for (int64_t i = 1;",
            "float biggest = -INFINITY;\n        for (int64_t i = 0;",
        ),
    ),
    # The largest block, whose warps are just as many as a warp has lanes, and a root and a
    # quotient.
    Right(
        "u_rms_large_blocks",
        "u_rms",
        ("kThreads = 128", "kThreads = 1024"),
        (
            "rsqrtf(total / static_cast<float>(n) + eps)",
            "1.0f / sqrtf(total / static_cast<float>(n) + eps)",
        ),
    ),
    # Bits are compared as int if the sign is plus, and the other way round as unsigned if it
    # is minus.
    Right(
        "u_maximum_bits_by_sign",
        "u_maximum",
        (
            "if (t == 0) atomic_max_float(out, tree[0]);",
            "if (t != 0) return;\n"
            "    if (__float_as_int(tree[0]) >= 0) atomicMax((int*)out, __float_as_int(tree[0]));\n"
            "    else atomicMin((unsigned*)out, __float_as_uint(tree[0]));",
        ),
    ),
    # A single block walks through all, in the order of the input.
    Right(
        "u_transpose_one_block",
        "u_transpose",
        ("if (blocks > 64) blocks = 64;", "blocks = 1;"),
        ("out[flat] = a[j * cols + i];", "out[flat % cols * rows + flat / cols] = a[flat];"),
        (
            "        const int64_t i = flat / rows;\n        const int64_t j = flat % rows;\n",
            "",
        ),
    ),
    # Tiles with a column more, and a product that runs backwards through them.
    Right(
        "u_product_backwards",
        "u_product",
        ("As[TILE][TILE];", "As[TILE][TILE + 1];"),
        ("Bs[TILE][TILE];", "Bs[TILE][TILE + 1];"),
        (
            "for (int e = 0; e < TILE; ++e) Cvalue += As[ty][e] * Bs[e][tx];",
            "for (int e = TILE; e-- > 0;) Cvalue = fmaf(As[ty][e], Bs[e][tx], Cvalue);",
        ),
    ),
    # Neighbours by a remainder, and the sum in another order, which is exact for these numbers.
    Right(
        "u_heat_remainders",
        "u_heat",
        ("i == 0 ? n - 1 : i - 1", "(i + n - 1) % n"),
        ("i == n - 1 ? 0 : i + 1", "(i + 1) % n"),
        ("u[i] + r * (u_l - 2.0f * u[i] + u_r)", "(1.0f - 2.0f * r) * u[i] + r * (u_l + u_r)"),
    ),
)
