"""Hold a sixteenth family, in several hands: sums, rows, columns, tiles, a scan, a stencil."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch
import torch.nn.functional as F

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Someone from numpy: x.argmax(axis=1), the first of equal ones. A block for each row.
ARGMAX = (
    HEADER
    + """\
constexpr int LANES = 128;

__global__ void argmax(const float* x, int64_t* where, int64_t n) {
    __shared__ float best[LANES];
    __shared__ int64_t place[LANES];
    const int t = threadIdx.x;
    const float* row = x + blockIdx.x * n;
    float top = -INFINITY;
    int64_t at = 0;
    for (int64_t j = t; j < n; j += LANES) {
        if (row[j] > top) {
            top = row[j];
            at = j;
        }
    }
    best[t] = top;
    place[t] = at;
    __syncthreads();
    for (int s = LANES / 2; s > 0; s /= 2) {
        if (t < s) {
            const bool larger = best[t + s] > best[t];
            const bool sooner = best[t + s] == best[t] && place[t + s] < place[t];
            if (larger || sooner) {
                best[t] = best[t + s];
                place[t] = place[t + s];
            }
        }
        __syncthreads();
    }
    if (t == 0) where[blockIdx.x] = place[0];
}

extern "C" void launch(const float* x,  // [m, n]
                       int64_t* where,  // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    argmax<<<m, LANES, 0, stream>>>(x, where, n);
}
"""
)

# A friend of templates: a times the transpose of b, by tiles.
TIMES_TURNED = (
    HEADER
    + """\
template <int S>
__global__ void times_turned(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    __shared__ float left[S][S + 1];
    __shared__ float right[S][S + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t row = int64_t(blockIdx.y) * S + ty;
    const int64_t col = int64_t(blockIdx.x) * S + tx;
    const int64_t line = int64_t(blockIdx.x) * S + ty;  // of b, which this thread loads
    float sum = 0.0f;
    for (int64_t at = 0; at < k; at += S) {
        left[ty][tx] = row < m && at + tx < k ? a[row * k + at + tx] : 0.0f;
        right[ty][tx] = line < n && at + tx < k ? b[line * k + at + tx] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int s = 0; s < S; ++s) sum += left[ty][s] * right[tx][s];
        __syncthreads();  // the tiles are free again
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [n, k]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    constexpr int side = 16;
    const dim3 grid((n + side - 1) / side, (m + side - 1) / side);
    times_turned<side><<<grid, dim3(side, side), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# A veteran: a layer norm without the mean, a warp for each row.
ROOT_MEAN = (
    HEADER
    + """\
static __device__ __forceinline__ float all_lanes(float v) {
#pragma unroll
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void rms_norm(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int64_t m, int64_t n) {
    const int64_t row = (blockIdx.x * int64_t(blockDim.x) + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    if (row >= m) return;
    const float* in = x + row * n;
    float squares = 0.0f;
    for (int64_t c = lane; c < n; c += 32) squares += in[c] * in[c];
    squares = all_lanes(squares);
    const float r = rsqrtf(squares / n + 1e-5f);
    for (int64_t c = lane; c < n; c += 32) y[row * n + c] = in[c] * r * w[c];
}

extern "C" void launch(const float* x,  // [m, n]
                       const float* w,  // [n]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    rms_norm<<<(m + 3) / 4, 128, 0, stream>>>(x, w, y, m, n);
}
"""
)

# A beginner: running sums of rows, 128 numbers at a time, the steps of Hillis and Steele.
RUNNING = (
    HEADER
    + """\
constexpr int BLOCK = 128;

__global__ void running_sums(const float* x, float* y, int64_t n) {
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    int64_t row = blockIdx.x;
    float carry = 0.0f;
    for (int64_t start = 0; start < n; start += BLOCK) {
        int64_t i = start + t;
        part[t] = i < n ? x[row * n + i] : 0.0f;
        __syncthreads();
        for (int step = 1; step < BLOCK; step *= 2) {
            float add = 0.0f;
            if (t >= step) add = part[t - step];
            __syncthreads();  // all have read
            part[t] += add;
            __syncthreads();  // all have written
        }
        if (i < n) y[row * n + i] = carry + part[t];
        carry += part[BLOCK - 1];
        __syncthreads();  // the last one is read before the next round
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    running_sums<<<m, BLOCK, 0, stream>>>(x, y, n);
}
"""
)

# From CPU code: a 3 x 3 blur, the border repeated, by a tile with its halo.
BLUR = (
    HEADER
    + """\
constexpr int T = 16;

__device__ int64_t inside(int64_t v, int64_t size) {
    if (v < 0) return 0;
    if (v >= size) return size - 1;
    return v;
}

__global__ void blur(const float* in, float* out, int64_t h, int64_t w) {
    __shared__ float tile[T + 2][T + 2];
    int64_t x0 = (int64_t)blockIdx.x * T;
    int64_t y0 = (int64_t)blockIdx.y * T;
    for (int ty = threadIdx.y; ty < T + 2; ty += T) {
        for (int tx = threadIdx.x; tx < T + 2; tx += T) {
            int64_t sy = inside(y0 + ty - 1, h);
            int64_t sx = inside(x0 + tx - 1, w);
            tile[ty][tx] = in[sy * w + sx];
        }
    }
    __syncthreads();
    const float weight[3] = {0.25f, 0.5f, 0.25f};
    float sum = 0.0f;
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            sum += weight[dy] * weight[dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
        }
    }
    int64_t x = x0 + threadIdx.x;
    int64_t y = y0 + threadIdx.y;
    if (y < h && x < w) {
        out[y * w + x] = sum;
    }
}

extern "C" void launch(const float* in,  // [h, w]
                       float* out,       // [h, w]
                       int64_t h, int64_t w, cudaStream_t stream = 0) {
    dim3 block(T, T);
    dim3 grid((w + T - 1) / T, (h + T - 1) / T);
    blur<<<grid, block, 0, stream>>>(in, out, h, w);
}
"""
)

# A beginner: a thread for each column, in up to 32 groups of rows that add to one result.
COLUMNS = (
    HEADER
    + """\
__global__ void column_sums(const float* x, float* out, int64_t m, int64_t n) {
    int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (col < n) {
        float sum = 0.0f;
        for (int64_t r = blockIdx.y; r < m; r += gridDim.y) {
            sum += x[r * n + col];
        }
        atomicAdd(&out[col], sum);
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [n]
                       int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    cudaMemsetAsync(out, 0, n * sizeof(float), stream);
    dim3 grid((n + block_size - 1) / block_size, m < 32 ? m : 32);
    column_sums<<<grid, block_size, 0, stream>>>(x, out, m, n);
}
"""
)

# Someone from numpy: the softmax of columns, a thread for each.
DOWN = (
    HEADER
    + """\
__global__ void softmax_down(const float* x, float* p, int64_t m, int64_t n) {
    const int64_t c = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (c >= n) return;
    float top = x[c];
    for (int64_t r = 1; r < m; ++r) top = fmaxf(top, x[r * n + c]);
    float total = 0;
    for (int64_t r = 0; r < m; ++r) total += expf(x[r * n + c] - top);
    for (int64_t r = 0; r < m; ++r) p[r * n + c] = expf(x[r * n + c] - top) / total;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* p,        // [m, n]
                       int64_t m, int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    softmax_down<<<(n + block_size - 1) / block_size, block_size, 0, stream>>>(x, p, m, n);
}
"""
)

# A veteran: how many are above 0, by the votes of warps.
VOTES = (
    HEADER
    + """\
__global__ void count_positive(const float* __restrict__ x, int* __restrict__ count, int64_t n) {
    __shared__ int of_warp[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int mine = 0;
    for (int64_t base = int64_t(blockIdx.x) * blockDim.x; base < n; base += int64_t(gridDim.x) * blockDim.x) {
        const int64_t i = base + threadIdx.x;
        const unsigned votes = __ballot_sync(0xffffffffu, i < n && x[i] > 0.0f);
        mine += __popc(votes);
    }
    if (lane == 0) of_warp[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = of_warp[0];
        for (int w = 1; w < blockDim.x / 32; ++w) sum += of_warp[w];
        atomicAdd(count, sum);
    }
}

extern "C" void launch(const float* x,  // [n]
                       int* count,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    const int64_t blocks = (n + 255) / 256;
    cudaMemsetAsync(count, 0, sizeof(int), stream);
    count_positive<<<blocks < 48 ? blocks : 48, 256, 0, stream>>>(x, count, n);
}
"""
)

# Someone from numpy: np.rot90(x, -1), a quarter turn clockwise, by tiles of 32.
TURN = (
    HEADER
    + """\
constexpr int S = 32, DEPTH = 8;

__global__ void turn(const float* x, float* y, int64_t h, int64_t w) {
    __shared__ float tile[S][S + 1];
    const int64_t c = blockIdx.x * (int64_t)S + threadIdx.x;
    for (int k = threadIdx.y; k < S; k += DEPTH) {
        const int64_t r = blockIdx.y * (int64_t)S + k;
        if (r < h && c < w) tile[k][threadIdx.x] = x[r * w + c];
    }
    __syncthreads();
    const int64_t r = blockIdx.y * (int64_t)S + threadIdx.x;
    for (int k = threadIdx.y; k < S; k += DEPTH) {
        const int64_t c2 = blockIdx.x * (int64_t)S + k;
        if (r < h && c2 < w) y[c2 * h + (h - 1 - r)] = tile[threadIdx.x][k];
    }
}

extern "C" void launch(const float* x,  // [h, w]
                       float* y,        // [w, h]
                       int64_t h, int64_t w, cudaStream_t stream = 0) {
    const dim3 grid((w + S - 1) / S, (h + S - 1) / S);
    turn<<<grid, dim3(S, DEPTH), 0, stream>>>(x, y, h, w);
}
"""
)

SHAPES = ((1, 1), (1, 9), (6, 1), (16, 16), (3, 31), (35, 20), (17, 130), (5, 600), (140, 33))


def _case(label: str, inputs: tuple[torch.Tensor, ...], right: torch.Tensor, **more) -> Case:
    """Return a case of one float32 output."""
    return Case(label, inputs, (right.double(),), dtypes=(torch.float32,), **more)


def argmax(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of rows: of few values, some equal, and of negative numbers."""
    for m, n in SHAPES:
        few = whole_numbers(m, n, seed=m + n, limit=3)
        for what, x in (("few values", few), ("negative numbers", few - 9)):
            first = (x == x.amax(dim=1, keepdim=True)).double().argmax(dim=1)
            yield Case(f"m = {m}, n = {n}, {what}", (x,), (first,), dtypes=(torch.int64,))


def times_turned(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers by the transpose of others, which is exact."""
    for m, n, k in (
        (1, 1, 1),
        (16, 16, 16),
        (16, 32, 48),
        (5, 7, 3),
        (17, 1, 40),
        (2, 33, 18),
        (40, 20, 70),
    ):
        a = whole_numbers(m, k, seed=m + k)
        b = whole_numbers(n, k, seed=n + k + 1)
        yield _case(f"m = {m}, n = {n}, k = {k}", (a, b), a.double() @ b.double().T)


def root_mean(launcher: Launcher) -> Iterator[Case]:
    """Divide rows by the root of the mean of their squares: large, small and zero ones."""
    for m, n in SHAPES:
        w = 1 + whole_numbers(n, seed=n, limit=4).abs() / 4
        for scale in (1.0, 2.0**-12, 0.0):
            x = whole_numbers(m, n, seed=m + n) * scale
            mean = (x.double() ** 2).mean(dim=1, keepdim=True)
            right = x.double() / (mean + 1e-5).sqrt() * w.double()
            yield _case(f"m = {m}, n = {n}, numbers times {scale}", (x, w), right, ulp=16)


def running(launcher: Launcher) -> Iterator[Case]:
    """Add up whole numbers along rows, which is exact in any order."""
    for m, n in (*SHAPES, (2, 127), (2, 128), (2, 129), (3, 1000)):
        x = whole_numbers(m, n, seed=m + n)
        yield _case(f"m = {m}, n = {n}", (x,), x.double().cumsum(dim=1))


def blur(launcher: Launcher) -> Iterator[Case]:
    """Blur whole numbers by sixteenths, which is exact."""
    weight = torch.tensor([1, 2, 1], dtype=torch.float64) / 4
    for h, w in (*SHAPES, (16, 40), (50, 15), (32, 48)):
        x = whole_numbers(h, w, seed=h + w)
        around = F.pad(x.double()[None, None], (1, 1, 1, 1), mode="replicate")
        right = F.conv2d(around, (weight[:, None] * weight)[None, None])[0, 0]
        yield _case(f"h = {h}, w = {w}", (x,), right)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Add columns of whole numbers, with several sizes of a block."""
    for m, n in SHAPES:
        for block_size in (128, 32):
            x = whole_numbers(m, n, seed=m + n)
            label = f"m = {m}, n = {n}, block_size = {block_size}"
            yield _case(
                label, (x,), x.double().sum(dim=0), arguments={"block_size": block_size}
            )


def down(launcher: Launcher) -> Iterator[Case]:
    """Take the softmax of columns, of small and of large numbers."""
    for m, n in SHAPES:
        for scale in (0.125, 8.0):
            x = whole_numbers(m, n, seed=m + n) * scale
            right = torch.softmax(x.double(), dim=0)
            yield _case(f"m = {m}, n = {n}, numbers times {scale}", (x,), right, ulp=32)


def votes(launcher: Launcher) -> Iterator[Case]:
    """Count the positive ones among whole numbers."""
    for n in (1, 2, 31, 32, 33, 255, 256, 257, 1000, 12_288, 12_289, 30_001):
        x = whole_numbers(n, seed=n)
        right = (x > 0).sum().reshape(1)
        yield Case(f"n = {n:,}", (x,), (right,), dtypes=(torch.int32,))


def turn(launcher: Launcher) -> Iterator[Case]:
    """Turn a matrix by a quarter, clockwise."""
    for h, w in (*SHAPES, (32, 32), (32, 64), (70, 33)):
        x = torch.arange(h * w, dtype=torch.float32).reshape(h, w)
        yield _case(f"h = {h}, w = {w}", (x,), torch.rot90(x, -1).contiguous())


BASES = {
    "z_argmax": Base(ARGMAX, {"cases": argmax}),
    "z_times_turned": Base(TIMES_TURNED, {"cases": times_turned}),
    "z_root_mean": Base(ROOT_MEAN, {"cases": root_mean}),
    "z_running": Base(RUNNING, {"cases": running}),
    "z_blur": Base(BLUR, {"cases": blur}),
    "z_columns": Base(COLUMNS, {"cases": columns}),
    "z_down": Base(DOWN, {"cases": down}),
    "z_votes": Base(VOTES, {"cases": votes}),
    "z_turn": Base(TURN, {"cases": turn}),
}

WRONG = (
    # FLT_MIN is the smallest positive float, not the lowest one.
    Wrong("z_argmax_flt_min", "z_argmax", "start | numbers", ("-INFINITY", "FLT_MIN")),
    # Of equal ones any may win, not the first.
    Wrong(
        "z_argmax_any_of_equals",
        "z_argmax",
        "rounding / numbers / function / other element / left out | race",
        (
            "            const bool sooner = best[t + s] == best[t] && place[t + s] < place[t];\n",
            "",
        ),
        ("if (larger || sooner)", "if (larger)"),
    ),
    # A fast warp loads the next tiles while a slow one still multiplies.
    Wrong(
        "z_times_turned_no_second",
        "z_times_turned",
        "race",
        ("        __syncthreads();  // the tiles are free again\n", ""),
    ),
    # The end of b's lines is not looked at: the next line's start, and past the last one.
    Wrong(
        "z_times_turned_past_line",
        "z_times_turned",
        "bounds | nan / infinity / other element",
        ("line < n && at + tx < k ?", "line < n ?"),
    ),
    # A line of c is m long: right for squares.
    Wrong(
        "z_times_turned_m_long",
        "z_times_turned",
        "sides / bounds | other element / unwritten / race",
        ("c[row * n + col]", "c[row * m + col]"),
    ),
    # What keeps from dividing by 0 is added too late.
    Wrong(
        "z_root_mean_late_epsilon",
        "z_root_mean",
        "function / nan / infinity / numbers / precision",
        ("rsqrtf(squares / n + 1e-5f)", "(rsqrtf(squares / n) + 1e-5f)"),
    ),
    # Only whole warps of a row are squared and added.
    Wrong(
        "z_root_mean_whole_warps",
        "z_root_mean",
        "left out / tail | numbers / function / sides / nan / infinity",
        (
            "c < n; c += 32) squares",
            "c < n / 32 * 32; c += 32) squares",
        ),
    ),
    # A neighbour may have added before this one has read.
    Wrong(
        "z_running_add_at_once",
        "z_running",
        "race",
        ("            __syncthreads();  // all have read\n", ""),
    ),
    # The third 128 begin with the second ones' sum, and not with that of all before.
    Wrong(
        "z_running_carry_set",
        "z_running",
        "left out / start | numbers / function",
        ("carry += part[BLOCK - 1]", "carry = part[BLOCK - 1]"),
    ),
    # The last row is h - 1.
    Wrong(
        "z_blur_inside_by_one",
        "z_blur",
        "bounds / neighbour / other element | numbers",
        ("if (v >= size) return size - 1;", "if (v > size) return size - 1;"),
    ),
    # A halo of one line, where there are two.
    Wrong(
        "z_blur_half_a_halo",
        "z_blur",
        "unwritten / left out / start | race / state / nan / numbers / other element",
        ("ty < T + 2; ty += T", "ty < T + 1; ty += T"),
    ),
    # Groups of rows add to one number without waiting for each other.
    Wrong(
        "z_columns_plain_add",
        "z_columns",
        "race",
        ("atomicAdd(&out[col], sum);", "out[col] += sum;"),
    ),
    # n bytes are a quarter of the result.
    Wrong(
        "z_columns_n_bytes",
        "z_columns",
        "zero before / state / start | left out / unwritten",
        ("n * sizeof(float)", "n"),
    ),
    # Copied from the loop above, which had the first row already.
    Wrong(
        "z_down_without_first",
        "z_down",
        "left out | function / numbers / infinity / nan / start / sides",
        ("for (int64_t r = 0; r < m; ++r) total", "for (int64_t r = 1; r < m; ++r) total"),
    ),
    # The first warp's votes are not counted.
    Wrong(
        "z_votes_without_first",
        "z_votes",
        "left out | numbers / function / start",
        ("int sum = of_warp[0];", "int sum = 0;"),
    ),
    # Every warp's first lane adds the sum of all warps.
    Wrong(
        "z_votes_each_warp",
        "z_votes",
        "twice / function",
        ("if (threadIdx.x == 0) {", "if (lane == 0) {"),
    ),
    # Set to 0 in the first call only.
    Wrong(
        "z_votes_cleared_once",
        "z_votes",
        "state / zero before / start",
        (
            "    cudaMemsetAsync(count, 0, sizeof(int), stream);\n",
            "    static bool cleared = false;\n    if (!cleared) cudaMemsetAsync(count, 0, sizeof(int), stream);\n    cleared = true;\n",
        ),
    ),
    # The first row goes one past the last column.
    Wrong(
        "z_turn_by_one",
        "z_turn",
        "bounds / neighbour / other element / tail / unwritten",
        ("(h - 1 - r)", "(h - r)"),
    ),
    # The tile is read as it was written: its rows and columns do not change places.
    Wrong(
        "z_turn_tile_straight",
        "z_turn",
        "sides / swapped / other element / function | unwritten / race / start / nan",
        ("tile[threadIdx.x][k];", "tile[k][threadIdx.x];"),
    ),
)

RIGHT = (
    # From the last to the first: the last one taken of equals is the first of them.
    Right(
        "z_argmax_from_the_end",
        "z_argmax",
        (
            "for (int64_t j = t; j < n; j += LANES) {",
            "for (int64_t j = (n - 1 - t) / LANES * LANES + t; j >= t && t < n; j -= LANES) {",
        ),
        ("if (row[j] > top) {", "if (row[j] >= top) {"),
    ),
    # Smaller tiles, and the sum of a product is a double.
    Right(
        "z_times_turned_double",
        "z_times_turned",
        ("constexpr int side = 16;", "constexpr int side = 8;"),
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("c[row * n + col] = sum;", "c[row * n + col] = float(sum);"),
    ),
    # The first thread takes the sum so far into its own number.
    Right(
        "z_running_carry_inside",
        "z_running",
        (
            "x[row * n + i] : 0.0f;",
            "x[row * n + i] : 0.0f;\n        if (t == 0) part[t] += carry;",
        ),
        ("y[row * n + i] = carry + part[t];", "y[row * n + i] = part[t];"),
        ("carry += part[BLOCK - 1]", "carry = part[BLOCK - 1]"),
    ),
    # A single group of rows: each column is one thread's, which need not add to anything.
    Right(
        "z_columns_one_group",
        "z_columns",
        ("    cudaMemsetAsync(out, 0, n * sizeof(float), stream);\n", ""),
        ("m < 32 ? m : 32", "1"),
        ("atomicAdd(&out[col], sum);", "out[col] = sum;"),
    ),
    # In one sweep: what was added is scaled whenever a larger number comes.
    Right(
        "z_down_one_sweep",
        "z_down",
        (
            "    for (int64_t r = 1; r < m; ++r) top = fmaxf(top, x[r * n + c]);\n    float total = 0;\n",
            "    float total = 0;\n",
        ),
        (
            "total += expf(x[r * n + c] - top);",
            "{\n        const float v = x[r * n + c];\n        if (v > top) {\n            total *= expf(top - v);\n            top = v;\n        }\n        total += expf(v - top);\n    }",
        ),
    ),
    # Every warp adds its own votes to the result.
    Right(
        "z_votes_warps_add",
        "z_votes",
        ("if (threadIdx.x == 0) {", "if (lane == 0) {"),
        (
            "int sum = of_warp[0];\n        for (int w = 1; w < blockDim.x / 32; ++w) sum += of_warp[w];",
            "const int sum = of_warp[warp];",
        ),
    ),
    # Each number is written across at once.
    Right(
        "z_turn_across",
        "z_turn",
        ("tile[k][threadIdx.x] = x[r * w + c];", "y[c * h + (h - 1 - r)] = x[r * w + c];"),
        ("r < h && c2 < w", "false && r < h && c2 < w"),
    ),
)
