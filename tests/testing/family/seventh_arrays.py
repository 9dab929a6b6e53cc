"""Hold operators with cases of their own: dots, norms, histograms, gathers, outer products."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.whole import INCLUDES

SIZES = (1, 2, 5, 31, 32, 33, 255, 256, 257, 1000, 4099)
SHAPES = ((1, 1), (1, 5), (5, 1), (3, 7), (17, 15), (33, 40), (40, 33), (5, 257), (130, 66))
TABLE = 1000

DOT = (
    INCLUDES
    + """\
constexpr int kThreads = 192;

__global__ void kernel(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float part[kThreads];
    float sum = 0.0f;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += static_cast<int64_t>(gridDim.x) * kThreads) sum += a[i] * b[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < 64) part[threadIdx.x] += part[threadIdx.x + 64] + part[threadIdx.x + 128];
    for (int far = 32; far > 0; far /= 2) {
        __syncthreads();
        if (threadIdx.x < far) part[threadIdx.x] += part[threadIdx.x + far];
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    kernel<<<5, kThreads, 0, stream>>>(a, b, out, n);
}
"""
)
NORMS = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * 4 + threadIdx.x / 32;
    if (row >= m) return;
    float sum = 0.0f;
    for (int64_t j = threadIdx.x % 32; j < n; j += 32) {
        const float value = x[row * n + j];
        sum += value * value;
    }
    for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(0xffffffffu, sum, far);
    if (threadIdx.x % 32 == 0) out[row] = sqrtf(sum);
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((m + 3) / 4), 128, 0, stream>>>(x, out, m, n);
}
"""
)
HISTOGRAM = (
    INCLUDES
    + """\
__global__ void kernel(const int* x, int* counts, int64_t n) {
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) atomicAdd(&mine[x[i]], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

extern "C" void launch(const int* x,  // [n]
                       int* counts,   // [16]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(counts, 0, 16 * sizeof(int), stream);
    kernel<<<7, 96, 0, stream>>>(x, counts, n);
}
"""
)
# The first of the largest elements.
ARGMAX = (
    INCLUDES
    + """\
constexpr int kThreads = 128;

__device__ bool wins(float value, int at, float best, int best_at) {
    return value > best || (value == best && at < best_at);
}

__global__ void kernel(const float* x, int* out, int64_t n) {
    __shared__ float values[kThreads];
    __shared__ int places[kThreads];
    float best = -INFINITY;
    int best_at = 0x7fffffff;
    for (int i = threadIdx.x; i < n; i += kThreads) {
        if (wins(x[i], i, best, best_at)) {
            best = x[i];
            best_at = i;
        }
    }
    values[threadIdx.x] = best;
    places[threadIdx.x] = best_at;
    for (int far = kThreads / 2; far > 0; far /= 2) {
        __syncthreads();
        const int t = threadIdx.x;
        if (t < far && wins(values[t + far], places[t + far], values[t], places[t])) {
            values[t] = values[t + far];
            places[t] = places[t + far];
        }
    }
    if (threadIdx.x == 0) *out = places[0];
}

extern "C" void launch(const float* x,  // [n]
                       int* out,        // [1]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<1, kThreads, 0, stream>>>(x, out, n);
}
"""
)
GATHER = (
    INCLUDES
    + """\
__global__ void kernel(const float* table, const int* index, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[index[i]];
}

extern "C" void launch(const float* table,  // [m]
                       const int* index,    // [n]
                       float* out,          // [n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(table, index, out, n);
}
"""
)
OUTER = (
    INCLUDES
    + """\
__global__ void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n) {
    const int64_t col = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row < m && col < n) out[row * n + col] = a[row] * b[col];
}

extern "C" void launch(const float* a,  // [m]
                       const float* b,  // [n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    const dim3 grid(static_cast<unsigned>((n + 31) / 32), static_cast<unsigned>((m + 3) / 4));
    kernel<<<grid, dim3(32, 4), 0, stream>>>(a, b, out, m, n);
}
"""
)
# Softmax of each column, a thread a column.
COLUMNS = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    const int64_t col = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (col >= n) return;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t row = 0; row < m; ++row) top = fmaxf(top, x[row * n + col]);
    for (int64_t row = 0; row < m; ++row) sum += expf(x[row * n + col] - top);
    for (int64_t row = 0; row < m; ++row) out[row * n + col] = expf(x[row * n + col] - top) / sum;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((n + 63) / 64), 64, 0, stream>>>(x, out, m, n);
}
"""
)
STRIDED = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t n, int64_t stride) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i * stride];
}

extern "C" void launch(const float* x,  // [m]
                       float* out,      // [n]
                       int64_t m, int64_t n, int64_t stride, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n, stride);
}
"""
)


def _case(label: str, inputs: tuple[torch.Tensor, ...], right: torch.Tensor, **more) -> Case:
    """Return a case of one output, a float32 unless `dtypes` says another."""
    return Case(label, inputs, (right.double(),), **{"dtypes": (torch.float32,), **more})


def dot(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers of which every sum is exact."""
    for n in SIZES:
        a, b = whole_numbers(n, seed=n), whole_numbers(n, seed=n + 1)
        yield _case(f"n = {n:,}", (a, b), (a.double() @ b.double()).reshape(1))


def norms(launcher: Launcher) -> Iterator[Case]:
    """Root sums of squares, which are exact."""
    for m, n in SHAPES:
        x = whole_numbers(m, n, seed=m)
        yield _case(f"m = {m}, n = {n}", (x,), (x.double() ** 2).sum(dim=1).sqrt())


def histogram(launcher: Launcher) -> Iterator[Case]:
    """Count numbers below 16."""
    for n in SIZES:
        x = torch.randint(0, 16, (n,), generator=torch.Generator().manual_seed(n)).int()
        counts = torch.bincount(x, minlength=16)
        yield _case(f"n = {n:,}", (x,), counts, dtypes=(torch.int32,))


def argmax(launcher: Launcher) -> Iterator[Case]:
    """Look for the first of the largest: of random numbers, all negative, many equal."""
    for n in SIZES:
        x = torch.randn(n, generator=torch.Generator().manual_seed(n))
        some = (x, -1 - x.abs(), whole_numbers(n, seed=n, limit=3))
        for words, numbers in zip(("", ", all below -1", ", whole numbers"), some, strict=True):
            place = (numbers == numbers.max()).nonzero()[0]
            yield _case(f"n = {n:,}{words}", (numbers,), place, dtypes=(torch.int32,))


def gather(launcher: Launcher) -> Iterator[Case]:
    """Take elements of a table at random."""
    table = torch.randn(TABLE, generator=torch.Generator().manual_seed(1))
    for n in SIZES:
        index = torch.randint(0, TABLE, (n,), generator=torch.Generator().manual_seed(n)).int()
        yield _case(f"n = {n:,}", (table, index), table[index])


def outer(launcher: Launcher) -> Iterator[Case]:
    """Multiply each by each."""
    for m, n in SHAPES:
        a, b = whole_numbers(m, seed=m), whole_numbers(n, seed=n + 7)
        yield _case(f"m = {m}, n = {n}", (a, b), a.double()[:, None] * b.double())


def columns(launcher: Launcher) -> Iterator[Case]:
    """Take numbers near zero, and far from it."""
    for m, n in SHAPES:
        x = torch.randn(m, n, generator=torch.Generator().manual_seed(m + n))
        for words, numbers in (("", x), (", numbers above 900", x + 1000)):
            label, right = f"m = {m}, n = {n}{words}", numbers.double().softmax(dim=0)
            yield _case(label, (numbers,), right, ulp=64 + m / 2)


def strided(launcher: Launcher) -> Iterator[Case]:
    """Copy every stride-th element."""
    for n in SIZES:
        for stride in (1, 2, 7):
            length = (n - 1) * stride + 1
            x = torch.randn(length, generator=torch.Generator().manual_seed(n))
            label = f"n = {n:,}, stride = {stride}"
            yield _case(label, (x,), x[::stride], arguments={"stride": stride})


def _base(text: str, cases: Callable[[Launcher], Iterator[Case]]) -> Base:
    return Base(text, {"cases": cases})


BASES = {
    "m_dot": _base(DOT, dot),
    "m_norms": _base(NORMS, norms),
    "m_histogram": _base(HISTOGRAM, histogram),
    "m_argmax": _base(ARGMAX, argmax),
    "m_gather": _base(GATHER, gather),
    "m_outer": _base(OUTER, outer),
    "m_columns": _base(COLUMNS, columns),
    "m_strided": _base(STRIDED, strided),
}

WRONG = (
    # ---- dot products, norms
    Wrong("m_dot_two_of_three", "m_dot", "left out/function/numbers", (" + part[threadIdx.x + 128]", "")),
    Wrong("m_dot_no_memset", "m_dot", "zero before", ("    cudaMemsetAsync(out, 0, sizeof(float), stream);\n", "")),
    Wrong("m_dot_plain_sum", "m_dot", "race", ("atomicAdd(out, part[0])", "*out += part[0]")),
    Wrong("m_dot_of_itself", "m_dot", "left out/function/numbers/swapped", ("a[i] * b[i]", "a[i] * a[i]")),
    Wrong("m_norms_half_a_warp", "m_norms", "left out/function/numbers", ("int far = 16", "int far = 8")),
    Wrong("m_norms_of_any_row", "m_norms", "bounds", ("    if (row >= m) return;\n", "")),
    Wrong("m_norms_of_sizes", "m_norms", "function/numbers", ("value * value", "fabsf(value)")),
    Wrong("m_norms_squared", "m_norms", "function/numbers", ("sqrtf(sum)", "sum")),
    # ---- histograms, the place of the largest
    Wrong("m_hist_no_memset", "m_histogram", "zero before", ("    cudaMemsetAsync(counts, 0, 16 * sizeof(int), stream);\n", "")),
    Wrong("m_hist_plain", "m_histogram", "race", ("atomicAdd(&mine[x[i]], 1)", "mine[x[i]] += 1")),
    Wrong("m_hist_no_barrier", "m_histogram", "race", ("mine[x[i]], 1);\n    __syncthreads();", "mine[x[i]], 1);")),
    Wrong("m_hist_of_15", "m_histogram", "left out/function/numbers/tail", ("if (threadIdx.x < 16) atomicAdd", "if (threadIdx.x < 15) atomicAdd")),
    Wrong("m_arg_from_0", "m_argmax", "start", ("float best = -INFINITY", "float best = 0.0f")),
    Wrong("m_arg_any_of_equals", "m_argmax", "numbers/function", (" || (value == best && at < best_at)", "")),
    Wrong("m_arg_no_barrier", "m_argmax", "race", ("        __syncthreads();\n", "")),
    Wrong("m_arg_one_share", "m_argmax", "left out/function/numbers", ("i < n; i += kThreads", "i < n && i < 2 * kThreads; i += kThreads")),
    # ---- gathers, outer products, columns, strides
    Wrong("m_gather_unguarded", "m_gather", "bounds", ("if (i < n) out", "out")),
    Wrong("m_gather_by_byte", "m_gather", "narrow/whole range/function/numbers", ("table[index[i]]", "table[static_cast<unsigned char>(index[i])]")),
    Wrong("m_gather_from_1", "m_gather", "bounds/neighbour/function/numbers", ("table[index[i]]", "table[index[i] + 1]")),
    Wrong("m_outer_turned", "m_outer", "sides/swapped/bounds/function/numbers", ("a[row] * b[col]", "a[col] * b[row]")),
    Wrong("m_outer_any_column", "m_outer", "bounds/sides", ("row < m && col < n", "row < m")),
    Wrong("m_outer_rows_of_m", "m_outer", "bounds/sides/unwritten", ("out[row * n + col]", "out[row * m + col]")),
    Wrong("m_columns_no_maximum", "m_columns", "infinity/nan", ("top = fmaxf(top, x[row * n + col]);", "top = 0.0f;")),
    Wrong("m_columns_last_row", "m_columns", "left out/sides/function/numbers", ("row < m; ++row) sum", "row + 1 < m; ++row) sum")),
    Wrong("m_columns_from_1", "m_columns", "start/function/numbers", ("sum = 0.0f;", "sum = 1.0f;")),
    Wrong("m_strided_plus", "m_strided", "bounds/function/neighbour/numbers", ("x[i * stride]", "x[i + stride]")),
    Wrong("m_strided_one_more", "m_strided", "bounds", ("if (i < n)", "if (i <= n)")),
)  # fmt: skip

RIGHT = (
    Right("r_m_dot_of_64", "m_dot", ("    if (threadIdx.x < 64) part[threadIdx.x] += part[threadIdx.x + 64] + part[threadIdx.x + 128];\n", ""), ("kThreads = 192", "kThreads = 64")),
    Right("r_m_norms_xor", "m_norms", ("__shfl_down_sync", "__shfl_xor_sync")),
    Right("r_m_hist_global", "m_histogram", ("atomicAdd(&mine[x[i]], 1)", "atomicAdd(&counts[x[i]], 1)")),
    Right("r_m_arg_sequential", "m_argmax", ("for (int i = threadIdx.x; i < n; i += kThreads)", "const int share = (static_cast<int>(n) + kThreads - 1) / kThreads;\n    for (int i = threadIdx.x * share; i < n && i < (threadIdx.x + 1) * share; ++i)")),
    Right("r_m_gather_ldg", "m_gather", ("table[index[i]]", "__ldg(table + __ldg(index + i))")),
    Right("r_m_outer_rows_first", "m_outer", ("row < m && col < n", "col < n && row < m"), ("a[row] * b[col]", "b[col] * a[row]")),
    Right("r_m_columns_inverse", "m_columns", ("expf(x[row * n + col] - top) / sum", "expf(x[row * n + col] - top) * (1.0f / sum)")),
)  # fmt: skip
