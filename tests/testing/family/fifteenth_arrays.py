"""Hold a fifteenth family, in several hands: matrices, windows, counts and picked rows."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.nn import functional

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Templates: a tile of any side, and a block that walks down it. Tiles are counted in one row.
TRANSPOSE = (
    HEADER
    + """\
template <typename T, int SIDE, int DEEP>
__global__ void turn(const T* __restrict__ src, T* __restrict__ dst, int64_t rows, int64_t cols) {
    __shared__ T tile[SIDE][SIDE + 1];
    const int64_t across = (cols + SIDE - 1) / SIDE;
    const int64_t x0 = blockIdx.x % across * SIDE, y0 = blockIdx.x / across * SIDE;
    for (int d = threadIdx.y; d < SIDE; d += DEEP)
        if (y0 + d < rows && x0 + threadIdx.x < cols) tile[d][threadIdx.x] = src[(y0 + d) * cols + x0 + threadIdx.x];
    __syncthreads();
    for (int d = threadIdx.y; d < SIDE; d += DEEP)
        if (x0 + d < cols && y0 + threadIdx.x < rows) dst[(x0 + d) * rows + y0 + threadIdx.x] = tile[threadIdx.x][d];
}

extern "C" void launch(const float* src,  // [rows, cols]
                       float* dst,        // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    constexpr int side = 32, deep = 8;
    const int64_t tiles = ((rows + side - 1) / side) * ((cols + side - 1) / side);
    turn<float, side, deep><<<tiles, dim3(side, deep), 0, stream>>>(src, dst, rows, cols);
}
"""
)

# A student after the programming guide: tiles of a and b, zeros where they hang over.
MATMUL = (
    HEADER
    + """\
#define TS 16

__global__ void MatMul(const float* A, const float* B, float* C, int64_t m, int64_t k, int64_t n) {
    __shared__ float As[TS][TS];
    __shared__ float Bs[TS][TS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t tilesN = (n + TS - 1) / TS;
    int64_t row = blockIdx.x / tilesN * TS + ty;
    int64_t col = blockIdx.x % tilesN * TS + tx;
    float Cvalue = 0.0f;
    int64_t steps = (k + TS - 1) / TS;
    for (int64_t step = 0; step < steps; ++step) {
        int64_t ka = step * TS + tx;
        int64_t kb = step * TS + ty;
        As[ty][tx] = (row < m && ka < k) ? A[row * k + ka] : 0.0f;
        Bs[ty][tx] = (kb < k && col < n) ? B[kb * n + col] : 0.0f;
        __syncthreads();
        for (int e = 0; e < TS; ++e) {
            Cvalue += As[ty][e] * Bs[e][tx];
        }
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = Cvalue;
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int64_t m, int64_t k, int64_t n, cudaStream_t stream = 0) {
    dim3 block(TS, TS);
    int64_t tiles = ((m + TS - 1) / TS) * ((n + TS - 1) / TS);
    MatMul<<<tiles, block, 0, stream>>>(A, B, C, m, k, n);
}
"""
)

# Someone from numpy: np.outer, as one long array.
OUTER = (
    HEADER
    + """\
__global__ void outer(const float* a, const float* b, float* out, int64_t m, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t flat = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; flat < m * n; flat += step) {
        out[flat] = a[flat / n] * b[flat % n];
    }
}

extern "C" void launch(const float* a,  // [m]
                       const float* b,  // [n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    int64_t blocks = (m * n + block_size - 1) / block_size;
    if (blocks > 1024) blocks = 1024;
    outer<<<blocks, block_size, 0, stream>>>(a, b, out, m, n);
}
"""
)

# Plain C: many small products, a thread for each number.
BATCHED = (
    HEADER
    + """\
__global__ void products(const float* a, const float* b, float* c, int64_t g, int64_t m, int64_t k, int64_t n) {
    int64_t id = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (id >= g * m * n) return;
    int64_t j = id % n;
    int64_t i = id / n % m;
    int64_t batch = id / (m * n);
    const float* left = a + batch * m * k;
    const float* right = b + batch * k * n;
    float sum = 0;
    for (int64_t p = 0; p < k; p++) sum += left[i * k + p] * right[p * n + j];
    c[id] = sum;
}

extern "C" void launch(const float* a,  // [g, m, k]
                       const float* b,  // [g, k, n]
                       float* c,        // [g, m, n]
                       int64_t g, int64_t m, int64_t k, int64_t n, cudaStream_t stream = 0) {
    int64_t blocks = (g * m * n + 191) / 192;
    products<<<blocks, 192, 0, stream>>>(a, b, c, g, m, k, n);
}
"""
)

# A physicist: five points, with zeros around the field and a rim around each tile.
LAPLACE = (
    HEADER
    + """\
#define B 16

__device__ float at(const float* u, int64_t r, int64_t c, int64_t h, int64_t w) {
    if (r < 0 || r >= h || c < 0 || c >= w) return 0.0f;
    return u[r * w + c];
}

__global__ void laplace(const float* u, float* v, int64_t h, int64_t w) {
    __shared__ float s[B + 2][B + 2];
    const int64_t wide = (w + B - 1) / B;
    const int64_t c = blockIdx.x % wide * B + threadIdx.x;
    const int64_t r = blockIdx.x / wide * B + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    s[ty][tx] = at(u, r, c, h, w);
    if (tx == 1) s[ty][0] = at(u, r, c - 1, h, w);
    if (tx == B) s[ty][B + 1] = at(u, r, c + 1, h, w);
    if (ty == 1) s[0][tx] = at(u, r - 1, c, h, w);
    if (ty == B) s[B + 1][tx] = at(u, r + 1, c, h, w);
    __syncthreads();
    if (r < h && c < w) v[r * w + c] = s[ty - 1][tx] + s[ty + 1][tx] + s[ty][tx - 1] + s[ty][tx + 1] - 4.0f * s[ty][tx];
}

extern "C" void launch(const float* u,  // [h, w]
                       float* v,        // [h, w]
                       int64_t h, int64_t w, cudaStream_t stream = 0) {
    const int64_t blocks = ((h + B - 1) / B) * ((w + B - 1) / B);
    laplace<<<blocks, dim3(B, B), 0, stream>>>(u, v, h, w);
}
"""
)

# A veteran: every block counts a piece of its own in shared memory.
TALLY = (
    HEADER
    + """\
__global__ void tally(const uint8_t* __restrict__ bytes, int* __restrict__ bins, int64_t n, int64_t per) {
    __shared__ int own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
    __syncthreads();
    const int64_t start = blockIdx.x * per;
    const int64_t stop = start + per;
    for (int64_t i = start + threadIdx.x; i < stop && i < n; i += blockDim.x) atomicAdd(&own[bytes[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (own[b] != 0) atomicAdd(&bins[b], own[b]);
}

extern "C" void launch(const uint8_t* bytes,  // [n]
                       int* bins,             // [256]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t blocks = (n + 1023) / 1024;
    if (blocks > 64) blocks = 64;
    const int64_t per = (n + blocks - 1) / blocks;
    cudaMemsetAsync(bins, 0, 256 * sizeof(int), stream);
    tally<<<blocks, block_size, 0, stream>>>(bytes, bins, n, per);
}
"""
)

# Vectors where rows allow them: an embedding.
PICK = (
    HEADER
    + """\
template <typename V>
__global__ void pick(const V* __restrict__ table, const int64_t* __restrict__ which, V* __restrict__ out, int64_t m, int64_t width) {
    const int64_t k = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= m * width) return;
    out[k] = table[which[k / width] * width + k % width];
}

static bool fits(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(float4) == 0; }

extern "C" void launch(const float* table,    // [v, d]
                       const int64_t* which,  // [m]
                       float* out,            // [m, d]
                       int64_t v, int64_t d, int64_t m, int block_size = 256, cudaStream_t stream = 0) {
    if (d % 4 == 0 && fits(table) && fits(out)) {
        const int64_t blocks = (m * (d / 4) + block_size - 1) / block_size;
        pick<<<blocks, block_size, 0, stream>>>((const float4*)table, which, (float4*)out, m, d / 4);
    } else {
        const int64_t blocks = (m * d + block_size - 1) / block_size;
        pick<<<blocks, block_size, 0, stream>>>(table, which, out, m, d);
    }
}
"""
)

# An analyst: the mean of each window of k, from a strip that a block shares.
ROLLING = (
    HEADER
    + """\
__global__ void rolling_mean(const float* x, float* out, int64_t n, int64_t windows, int k) {
    extern __shared__ float strip[];
    const int t = threadIdx.x, T = blockDim.x;
    const int64_t first = (int64_t)blockIdx.x * T;
    for (int j = t; j < T + k - 1; j += T) strip[j] = first + j < n ? x[first + j] : 0.0f;
    __syncthreads();
    if (first + t >= windows) return;
    float total = 0.0f;
    for (int j = 0; j < k; ++j) total += strip[t + j];
    out[first + t] = total / k;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [windows]
                       int64_t n, int64_t windows, int k, int block_size = 128, cudaStream_t stream = 0) {
    int64_t blocks = (windows + block_size - 1) / block_size;
    size_t bytes = (block_size + k - 1) * sizeof(float);
    rolling_mean<<<blocks, block_size, bytes, stream>>>(x, out, n, windows, k);
}
"""
)

# A beginner: pooling as it stands in the textbook.
POOL = (
    HEADER
    + """\
__global__ void maxPool(const float* x, float* y, int64_t planes, int64_t h, int64_t w, int64_t oh, int64_t ow, int k, int stride, int pad) {
    int64_t id = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= planes * oh * ow) return;
    int64_t oc = id % ow;
    int64_t orow = (id / ow) % oh;
    int64_t p = id / (ow * oh);
    float best = -INFINITY;
    for (int dr = 0; dr < k; dr++) {
        for (int dc = 0; dc < k; dc++) {
            int64_t r = orow * stride + dr - pad;
            int64_t c = oc * stride + dc - pad;
            if (r >= 0 && r < h && c >= 0 && c < w) {
                best = fmaxf(best, x[(p * h + r) * w + c]);
            }
        }
    }
    y[id] = best;
}

extern "C" void launch(const float* x,  // [planes, h, w]
                       float* y,        // [planes, oh, ow]
                       int64_t planes, int64_t h, int64_t w, int64_t oh, int64_t ow,
                       int k, int stride, int pad, cudaStream_t stream = 0) {
    int64_t total = planes * oh * ow;
    maxPool<<<(total + 255) / 256, 256, 0, stream>>>(x, y, planes, h, w, oh, ow, k, stride, pad);
}
"""
)

# Shuffles: each number less the one before it, which stands in the lane to the left.
STEPS = (
    HEADER
    + """\
__global__ void steps_of(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const float here = i < n ? x[i] : 0.0f;
    float next = __shfl_down_sync(0xffffffffu, here, 1);
    if (lane == 31 && i + 1 < n) next = x[i + 1];
    if (i + 1 < n) y[i] = next - here;
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [gaps]
                       int64_t n, int64_t gaps, cudaStream_t stream = 0) {
    steps_of<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}
"""
)

# A signal engineer: taps over a signal with zeros before and after it.
FILTER = (
    HEADER
    + """\
template <int T>
__global__ void fir(const float* __restrict__ x, const float* __restrict__ taps, float* __restrict__ y, int64_t n, int64_t k) {
    extern __shared__ float window[];
    const int64_t first = int64_t(blockIdx.x) * T, left = k / 2;
    for (int64_t j = threadIdx.x; j < T + k - 1; j += T) {
        const int64_t g = first + j - left;
        window[j] = (g >= 0 && g < n) ? x[g] : 0.0f;
    }
    __syncthreads();
    const int64_t i = first + threadIdx.x;
    float acc = 0.0f;
    for (int64_t j = 0; j < k; ++j) acc = fmaf(taps[j], window[threadIdx.x + j], acc);
    if (i < n) y[i] = acc;
}

extern "C" void launch(const float* x,     // [n]
                       const float* taps,  // [k]
                       float* y,           // [n]
                       int64_t n, int64_t k, cudaStream_t stream = 0) {
    constexpr int T = 64;
    fir<T><<<(n + T - 1) / T, T, (T + k - 1) * sizeof(float), stream>>>(x, taps, y, n, k);
}
"""
)

SIDES = ((1, 1), (32, 32), (5, 9), (9, 40), (70, 33), (16, 130), (1, 50), (129, 1))
LENGTHS = (2, 3, 31, 32, 33, 64, 127, 129, 256, 258, 1000)


def _whole(*shape: int, low: int = -6, high: int = 9) -> torch.Tensor:
    """Return whole numbers from low to high, the same for the same shape."""
    generator = torch.Generator().manual_seed(7 * sum(shape) + shape[0])
    return torch.randint(low, high + 1, shape, generator=generator).float()


def _case(label: str, inputs: tuple[torch.Tensor, ...], right: torch.Tensor, **more) -> Case:
    """Return a case of one float32 output."""
    return Case(label, inputs, (right.double(),), dtypes=(torch.float32,), **more)


def transpose(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of different numbers."""
    for rows, cols in SIDES:
        x = torch.arange(rows * cols).float().reshape(rows, cols)
        yield _case(f"rows = {rows}, cols = {cols}", (x,), x.T.contiguous())


def matmul(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices of whole numbers, which is exact in any order."""
    for m, k, n in (
        (1, 1, 1),
        (16, 16, 16),
        (16, 48, 32),
        (5, 7, 9),
        (17, 20, 33),
        (40, 3, 10),
        (3, 100, 18),
    ):
        a, b = _whole(m, k), _whole(k, n)
        yield _case(f"m = {m}, k = {k}, n = {n}", (a, b), a.double() @ b.double())


def outer(launcher: Launcher) -> Iterator[Case]:
    """Multiply each number by each."""
    for m, n in SIDES:
        a, b = torch.arange(1, m + 1).float(), _whole(n)
        yield _case(f"m = {m}, n = {n}", (a, b), torch.outer(a.double(), b.double()))


def batched(launcher: Launcher) -> Iterator[Case]:
    """Multiply pairs of matrices, some of which are square."""
    for g, m, k, n in ((1, 1, 1, 1), (1, 5, 4, 3), (3, 8, 8, 8), (4, 2, 7, 5), (5, 9, 6, 1)):
        a, b = _whole(g, m, k), _whole(g, k, n)
        label = f"g = {g}, m = {m}, k = {k}, n = {n}"
        yield _case(label, (a, b), a.double() @ b.double())


def laplace(launcher: Launcher) -> Iterator[Case]:
    """Add the neighbours of each number, less four times itself."""
    for h, w in (*SIDES, (16, 16), (17, 17), (40, 52)):
        u = _whole(h, w)
        around = functional.pad(u.double(), (1, 1, 1, 1))
        right = around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:]
        yield _case(f"h = {h}, w = {w}", (u,), right - 4 * u.double())


def tally(launcher: Launcher) -> Iterator[Case]:
    """Count bytes, all of them and few different ones, with several block sizes."""
    for n in (1, 255, 1024, 1025, 5000, 20_003):
        for kinds, block_size in ((256, 256), (3, 256), (256, 64), (256, 512)):
            generator = torch.Generator().manual_seed(n + kinds)
            x = torch.randint(256 - kinds, 256, (n,), generator=generator)
            yield Case(
                f"n = {n:,}, {kinds} kinds, block_size = {block_size}",
                (x.to(torch.uint8),),
                (torch.bincount(x, minlength=256).double(),),
                dtypes=(torch.int32,),
                arguments={"block_size": block_size},
            )


def pick(launcher: Launcher) -> Iterator[Case]:
    """Pick rows of a table, some of them often."""
    for v, d, m in ((1, 1, 1), (10, 4, 7), (5, 7, 20), (30, 64, 9), (12, 130, 40)):
        table = torch.arange(v * d).float().reshape(v, d)
        which = _whole(m, low=0, high=v - 1).long()
        yield _case(f"v = {v}, d = {d}, m = {m}", (table, which), table[which])


def rolling(launcher: Launcher) -> Iterator[Case]:
    """Take the mean of each window of whole numbers."""
    for n in LENGTHS:
        for k in (1, 2, 5, 40):
            if k <= n:
                x = _whole(n)
                right = x.double().unfold(0, k, 1).mean(dim=1)
                yield _case(f"n = {n}, k = {k}", (x,), right, arguments={"k": k}, ulp=1)


def pool(launcher: Launcher) -> Iterator[Case]:
    """Take the maximum of windows that overlap, touch or leave gaps."""
    for planes, h, w in ((1, 2, 2), (1, 8, 8), (3, 7, 12), (2, 21, 16)):
        for k, stride, pad in ((2, 2, 0), (2, 2, 1), (2, 1, 0), (3, 2, 1), (2, 3, 0)):
            for middle in (0, -50):
                x = _whole(planes, h, w) + middle
                right = functional.max_pool2d(x.double(), k, stride, pad)
                sizes = f"planes = {planes}, h = {h}, w = {w}"
                label = f"{sizes}, k = {k}, stride = {stride}, pad = {pad}, around {middle}"
                arguments = {"k": k, "stride": stride, "pad": pad}
                yield _case(label, (x,), right, arguments=arguments)


def steps(launcher: Launcher) -> Iterator[Case]:
    """Subtract each number from the next."""
    for n in LENGTHS:
        x = _whole(n, low=-99, high=99)
        yield _case(f"n = {n}", (x,), x.double().diff())


def fir(launcher: Launcher) -> Iterator[Case]:
    """Filter a signal with taps that are no palindrome."""
    for n in LENGTHS:
        for k in (1, 3, 9):
            x, taps = _whole(n), 1 + torch.arange(k).float()
            right = functional.conv1d(
                x.double()[None, None], taps.double()[None, None], padding=k // 2
            )
            yield _case(f"n = {n}, k = {k}", (x, taps), right[0, 0])


BASES = {
    "o_transpose": Base(TRANSPOSE, {"cases": transpose}),
    "o_matmul": Base(MATMUL, {"cases": matmul}),
    "o_outer": Base(OUTER, {"cases": outer}),
    "o_batched": Base(BATCHED, {"cases": batched}),
    "o_laplace": Base(LAPLACE, {"cases": laplace}),
    "o_tally": Base(TALLY, {"cases": tally}),
    "o_pick": Base(PICK, {"cases": pick}),
    "o_rolling": Base(ROLLING, {"cases": rolling}),
    "o_pool": Base(POOL, {"cases": pool}),
    "o_steps": Base(STEPS, {"cases": steps}),
    "o_filter": Base(FILTER, {"cases": fir}),
}

WRONG = (
    # Threads beyond the last column do not wait.
    Wrong(
        "o_transpose_some_wait",
        "o_transpose",
        "race",
        ("    __syncthreads();\n", "    if (x0 + threadIdx.x < cols) __syncthreads();\n"),
    ),
    # The last tile writes rows that the turned matrix does not have.
    Wrong(
        "o_transpose_edge_open",
        "o_transpose",
        "bounds | race",
        ("if (x0 + d < cols && y0 + threadIdx.x < rows)", "if (y0 + threadIdx.x < rows)"),
    ),
    # What is left of k after whole tiles is not multiplied.
    Wrong(
        "o_matmul_whole_tiles",
        "o_matmul",
        "left out / tail | function / numbers / sides / unwritten",
        ("steps = (k + TS - 1) / TS", "steps = k / TS"),
    ),
    # The tile of b hangs over its end: what is read there meets zeros of a.
    Wrong(
        "o_matmul_b_hangs_over",
        "o_matmul",
        "bounds",
        ("(kb < k && col < n)", "(col < n)"),
    ),
    # Row and column by the number of rows: right for squares.
    Wrong(
        "o_outer_by_rows",
        "o_outer",
        "sides / bounds / other element",
        ("a[flat / n] * b[flat % n]", "a[flat / m] * b[flat % m]"),
    ),
    # Matrices of b lie m * k apart, as those of a do.
    Wrong(
        "o_batched_stride_of_a",
        "o_batched",
        "sides / bounds | other element",
        ("b + batch * k * n", "b + batch * m * k"),
    ),
    # The right rim of a tile is not loaded.
    Wrong(
        "o_laplace_no_right_rim",
        "o_laplace",
        "unwritten / neighbour / left out / start",
        ("    if (tx == B) s[ty][B + 1] = at(u, r, c + 1, h, w);\n", ""),
    ),
    # The first byte of each piece but the first belongs to two blocks.
    Wrong(
        "o_tally_pieces_overlap",
        "o_tally",
        "twice",
        ("stop = start + per;", "stop = start + per + 1;"),
    ),
    # A block of fewer than 256 threads clears only some of its bins.
    Wrong(
        "o_tally_clears_once",
        "o_tally",
        "block size / unwritten / start",
        (
            "for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;",
            "if (threadIdx.x < 256) own[threadIdx.x] = 0;",
        ),
    ),
    # Rows are as long in vectors as in numbers.
    Wrong(
        "o_pick_width_in_numbers",
        "o_pick",
        "bounds",
        ("(float4*)out, m, d / 4)", "(float4*)out, m, d)"),
    ),
    # A window has one number more; the divisor does not.
    Wrong(
        "o_rolling_one_more",
        "o_rolling",
        "bounds / neighbour | function / numbers",
        ("j < k; ++j) total", "j <= k; ++j) total"),
    ),
    # A window of negative numbers has the maximum 0.
    Wrong(
        "o_pool_from_0",
        "o_pool",
        "start / numbers",
        ("best = -INFINITY", "best = 0.0f"),
    ),
    # Windows lie as far apart as they are wide.
    Wrong(
        "o_pool_side_by_side",
        "o_pool",
        "function / numbers / other element / neighbour | infinity / left out / start",
        ("oc * stride", "oc * k"),
    ),
    # Only the last thread of a block looks beyond its warp.
    Wrong(
        "o_steps_end_of_block",
        "o_steps",
        "neighbour / other element / left out",
        ("if (lane == 31 && i + 1 < n)", "if (threadIdx.x == blockDim.x - 1 && i + 1 < n)"),
    ),
    # The signal is read before its start.
    Wrong(
        "o_filter_before_start",
        "o_filter",
        "bounds | alignment",
        ("(g >= 0 && g < n)", "(g < n)"),
    ),
    # The taps are turned round.
    Wrong(
        "o_filter_turned",
        "o_filter",
        "swapped / function / other element / neighbour | numbers",
        ("taps[j]", "taps[k - 1 - j]"),
    ),
)

RIGHT = (
    # From the last tile of k to the first.
    Right(
        "o_matmul_last_first",
        "o_matmul",
        ("int64_t step = 0; step < steps; ++step", "int64_t step = steps; step-- > 0;"),
    ),
    # One thread adds all of a block's bins.
    Right(
        "o_tally_one_adds",
        "o_tally",
        (
            "    for (int b = threadIdx.x; b < 256; b += blockDim.x)\n",
            "    for (int b = 0; threadIdx.x == 0 && b < 256; ++b)\n",
        ),
    ),
    # Lanes in a ring: what the last lane gets from the first is replaced or not used.
    Right(
        "o_steps_ring",
        "o_steps",
        (
            "__shfl_down_sync(0xffffffffu, here, 1)",
            "__shfl_sync(0xffffffffu, here, (lane + 1) % 32)",
        ),
    ),
)
