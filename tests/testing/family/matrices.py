"""Hold kernels on matrices: transposes, products, softmax, layer norm; right and wrong."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.whole import INCLUDES

TRANSPOSE = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t rows, int64_t cols) {
    __shared__ float tile[32][33];
    const int64_t col = static_cast<int64_t>(blockIdx.x) * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) {
        const int64_t row = static_cast<int64_t>(blockIdx.y) * 32 + k;
        if (row < rows && col < cols) tile[k][threadIdx.x] = x[row * cols + col];
    }
    __syncthreads();
    const int64_t to_col = static_cast<int64_t>(blockIdx.y) * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) {
        const int64_t to_row = static_cast<int64_t>(blockIdx.x) * 32 + k;
        if (to_row < cols && to_col < rows) out[to_row * rows + to_col] = tile[threadIdx.x][k];
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t across = (cols + 31) / 32, down = (rows + 31) / 32;
    for (int64_t begin = 0; begin < down; begin += 65535) {
        const int64_t some = down - begin < 65535 ? down - begin : 65535;
        const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(some));
        TRANSPOSE_PART;
    }
}
"""
)
TRANSPOSE = (
    TRANSPOSE.replace(
        "int64_t cols) {\n    __shared__", "int64_t cols, int64_t begin) {\n    __shared__"
    )
    .replace("static_cast<int64_t>(blockIdx.y)", "(begin + blockIdx.y)")
    .replace(
        "TRANSPOSE_PART", "kernel<<<grid, dim3(32, 8), 0, stream>>>(x, out, rows, cols, begin)"
    )
)
PLAIN_TRANSPOSE = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t rows, int64_t cols) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const int64_t row = i / cols, col = i % cols;
    out[col * rows + row] = x[i];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t blocks = (rows * cols + 255) / 256;
    kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(x, out, rows, cols);
}
"""
)
MATMUL = (
    INCLUDES
    + """\
__global__ void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    __shared__ float left[16][16], right[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t row = static_cast<int64_t>(blockIdx.x) * 16 + ty;
    const int64_t col = static_cast<int64_t>(blockIdx.y) * 16 + tx;
    float sum = 0.0f;
    for (int64_t begin = 0; begin < k; begin += 16) {
        left[ty][tx] = row < m && begin + tx < k ? a[row * k + begin + tx] : 0.0f;
        right[ty][tx] = col < n && begin + ty < k ? b[(begin + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16 && begin + i < k; ++i) sum += left[ty][i] * right[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const dim3 grid(static_cast<unsigned>((m + 15) / 16), static_cast<unsigned>((n + 15) / 16));
    kernel<<<grid, dim3(16, 16), 0, stream>>>(a, b, c, m, n, k);
}
"""
)
ROW_TOOLS = (
    INCLUDES
    + """\
__device__ float over_block(float value, float* tile, bool largest) {
    const int t = threadIdx.x;
    tile[t] = value;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) tile[t] = largest ? fmaxf(tile[t], tile[t + half]) : tile[t] + tile[t + half];
        __syncthreads();
    }
    const float all = tile[0];
    __syncthreads();
    return all;
}

"""
)
ROW_LAUNCH = """
extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>(m), 128, 0, stream>>>(x, out, m, n);
}
"""
SOFTMAX = ROW_TOOLS + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    __shared__ float tile[128];
    const float* row = x + static_cast<int64_t>(blockIdx.x) * n;
    float* to = out + static_cast<int64_t>(blockIdx.x) * n;
    float largest = -INFINITY;
    for (int64_t i = threadIdx.x; i < n; i += 128) largest = fmaxf(largest, row[i]);
    largest = over_block(largest, tile, true);
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < n; i += 128) sum += expf(row[i] - largest);
    sum = over_block(sum, tile, false);
    for (int64_t i = threadIdx.x; i < n; i += 128) to[i] = expf(row[i] - largest) / sum;
}
""" + ROW_LAUNCH  # fmt: skip
NORM = ROW_TOOLS + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    __shared__ float tile[128];
    const float* row = x + static_cast<int64_t>(blockIdx.x) * n;
    float* to = out + static_cast<int64_t>(blockIdx.x) * n;
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < n; i += 128) sum += row[i];
    const float mean = over_block(sum, tile, false) / n;
    float squares = 0.0f;
    for (int64_t i = threadIdx.x; i < n; i += 128) squares += (row[i] - mean) * (row[i] - mean);
    const float variance = over_block(squares, tile, false) / n;
    const float scale = 1.0f / sqrtf(variance + 1e-5f);
    for (int64_t i = threadIdx.x; i < n; i += 128) to[i] = (row[i] - mean) * scale;
}
""" + ROW_LAUNCH  # fmt: skip
BASES = {
    "f_transpose": Base(TRANSPOSE, cases="transpose"),
    "f_plain_transpose": Base(PLAIN_TRANSPOSE, cases="transpose"),
    "f_matmul": Base(MATMUL, cases="matmul"),
    "f_softmax": Base(SOFTMAX, cases="softmax"),
    "f_norm": Base(NORM, cases="layer_norm"),
}
TO_LOOP = "for (int64_t i = threadIdx.x; i < n; i += 128) to[i]"
WRONG = (
    # ---- transposes
    Wrong("t_no_barrier", "f_transpose", "race", ("    __syncthreads();\n", "")),
    Wrong("t_copy", "f_plain_transpose", "copy | sides", ("out[col * rows + row]", "out[i]")),
    Wrong("t_square_only", "f_plain_transpose", "sides/bounds | unwritten", ("out[col * rows + row]", "out[col * cols + row]")),
    Wrong("t_tile_not_swapped", "f_transpose", "numbers/sides/function/copy/neighbour | nan/race", ("tile[threadIdx.x][k];", "tile[k][threadIdx.x];")),
    Wrong("t_bounds_swapped", "f_transpose", "bounds/sides | unwritten", ("if (to_row < cols && to_col < rows)", "if (to_row < rows && to_col < cols)")),
    Wrong("t_24_of_32", "f_transpose", "unwritten", ("for (int k = threadIdx.y; k < 32; k += 8) {\n        const int64_t to_row", "for (int k = threadIdx.y; k < 24; k += 8) {\n        const int64_t to_row")),
    Wrong("t_reads_24", "f_transpose", "race/numbers/left out | nan/unwritten", ("for (int k = threadIdx.y; k < 32; k += 8) {\n        const int64_t row", "for (int k = threadIdx.y; k < 24; k += 8) {\n        const int64_t row")),
    Wrong("t_one_grid", "f_transpose", "grid/refused | unwritten/tail/narrow", ("begin < down; begin += 65535", "begin < 1; begin += 65535")),
    Wrong("t_y_cannot", "f_transpose", "refused/grid", ("down - begin < 65535 ? down - begin : 65535", "down - begin"), ("begin < down; begin += 65535", "begin < 1; begin += 65535")),
    Wrong("t_int_index", "f_plain_transpose", "narrow | bounds/grid", ("const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;", "const int i = blockIdx.x * blockDim.x + threadIdx.x;")),
    Wrong("t_int_target", "f_transpose", "narrow | bounds/grid", ("out[to_row * rows + to_col]", "out[static_cast<int>(to_row) * static_cast<int>(rows) + static_cast<int>(to_col)]")),
    Wrong("t_rounds_down", "f_plain_transpose", "tail/unwritten", ("(rows * cols + 255) / 256", "rows * cols / 256 + (rows * cols < 256)")),
    Wrong("t_int_blocks_16", "f_plain_transpose", "narrow/grid | tail/unwritten", ("static_cast<unsigned>(blocks)", "static_cast<uint16_t>(blocks)")),
    Wrong("t_rows_in_16", "f_plain_transpose", "narrow | bounds/sides/unwritten", ("int64_t rows, int64_t cols) {\n    const int64_t i", "uint16_t rows, int64_t cols) {\n    const int64_t i")),
    Wrong("t_in_half", "f_plain_transpose", "precision", ("= x[i];", "= __half2float(__float2half(x[i]));")),
    Wrong("t_loses_nan", "f_plain_transpose", "nan", ("= x[i];", "= x[i] == x[i] ? x[i] : 0.0f;")),
    Wrong("t_loses_zero", "f_plain_transpose", "sign of zero", ("= x[i];", "= x[i] + 0.0f;")),
    # ---- products
    Wrong("p_first_barrier", "f_matmul", "race", ("        __syncthreads();\n        for (int i", "        for (int i")),
    Wrong("p_second_barrier", "f_matmul", "race", ("right[i][tx];\n        __syncthreads();", "right[i][tx];")),
    Wrong("p_k_rounded_down", "f_matmul", "left out", ("begin < k; begin += 16", "begin < (k < 16 ? k : k / 16 * 16); begin += 16")),
    Wrong("p_last_of_k", "f_matmul", "left out", ("begin + i < k; ++i", "begin + i < k - (k > 1); ++i")),
    Wrong("p_k_to_128", "f_matmul", "left out", ("begin < k; begin += 16", "begin < k && begin < 128; begin += 16")),
    Wrong("p_k_in_a_byte", "f_matmul", "left out/narrow", ("begin < k; begin += 16", "begin < (k & 1023 ? k & 1023 : k); begin += 16")),
    Wrong("p_b_transposed", "f_matmul", "sides/bounds/swapped/numbers", ("b[(begin + ty) * n + col]", "b[col * k + begin + ty]")),
    Wrong("p_operands", "f_matmul", "swapped/bounds/sides", ("(a, b, c, m, n, k)", "(b, a, c, m, n, k)")),
    Wrong("p_in_half", "f_matmul", "precision | infinity", ("sum += left[ty][i] * right[i][tx]", "sum = __half2float(__float2half(sum + left[ty][i] * right[i][tx]))")),
    Wrong("p_accumulates", "f_matmul", "zero before", ("c[row * n + col] = sum;", "c[row * n + col] += sum;")),
    Wrong("p_zero_times_nan", "f_matmul", "nan", ("sum += left[ty][i] * right[i][tx]", "sum += left[ty][i] == 0.0f ? 0.0f : left[ty][i] * right[i][tx]")),
    Wrong("p_padding_nan", "f_matmul", "nan/left out/bounds | race", ("i < 16 && begin + i < k; ++i", "i < 16; ++i"), ("col < n && begin + ty < k ? b[(begin + ty) * n + col] : 0.0f", "col < n && begin + ty < k ? b[(begin + ty) * n + col] : __int_as_float(0x7fc00000)")),
    Wrong("p_no_column_guard", "f_matmul", "bounds", ("col < n && begin + ty < k ? b", "begin + ty < k ? b")),
    Wrong("p_rows_capped", "f_matmul", "grid/unwritten | tail/narrow", ("static_cast<unsigned>((m + 15) / 16)", "static_cast<unsigned>(m < 16384 ? (m + 15) / 16 : 1024)")),
    Wrong("p_n_in_y", "f_matmul", "grid/unwritten/refused | tail/narrow", ("const dim3 grid(static_cast<unsigned>((m + 15) / 16), static_cast<unsigned>((n + 15) / 16));", "const dim3 grid(static_cast<unsigned>((n + 15) / 16), static_cast<unsigned>((m + 15) / 16));"), ("blockIdx.x) * 16 + ty", "blockIdx.y) * 16 + ty"), ("blockIdx.y) * 16 + tx", "blockIdx.x) * 16 + tx")),
    Wrong("p_int_offset", "f_matmul", "narrow | bounds/grid", ("a[row * k + begin + tx]", "a[static_cast<int>(row) * static_cast<int>(k) + static_cast<int>(begin) + tx]")),
    # ---- softmax
    Wrong("x_no_maximum", "f_softmax", "nan/infinity", ("largest = over_block(largest, tile, true);", "largest = 0.0f;")),
    Wrong("x_starts_at_0", "f_softmax", "start/nan/infinity | left out", ("float largest = -INFINITY;", "float largest = 0.0f;")),
    Wrong("x_own_maximum", "f_softmax", "left out/numbers/function/nan", ("    largest = over_block(largest, tile, true);\n", "")),
    Wrong("x_own_sum", "f_softmax", "left out/numbers/function/infinity", ("    sum = over_block(sum, tile, false);\n", "")),
    Wrong("x_not_divided", "f_softmax", "function/numbers/left out", ("expf(row[i] - largest) / sum", "expf(row[i] - largest)")),
    Wrong("x_only_128", "f_softmax", "unwritten/tail", (TO_LOOP, "for (int64_t i = threadIdx.x; i < n && i < 128; i += 128) to[i]")),
    Wrong("x_no_barrier", "f_softmax", "race", ("    tile[t] = value;\n    __syncthreads();\n", "    tile[t] = value;\n")),
    Wrong("x_reuse_no_barrier", "f_softmax", "race", ("    const float all = tile[0];\n    __syncthreads();\n", "    const float all = tile[0];\n")),
    Wrong("x_over_columns", "f_softmax", "sides/numbers/function/bounds | unwritten", ("const float* row = x + static_cast<int64_t>(blockIdx.x) * n;", "const float* row = x + static_cast<int64_t>(blockIdx.x) * m;")),
    Wrong("x_half_exp", "f_softmax", "precision", ("to[i] = expf(row[i] - largest)", "to[i] = __half2float(__float2half(expf(row[i] - largest)))")),
    Wrong("x_rows_in_16", "f_softmax", "narrow/unwritten/grid | tail", ("static_cast<unsigned>(m), 128", "static_cast<uint16_t>(m), 128")),
    Wrong("x_writes_input", "f_softmax", "input", ("sum += expf(row[i] - largest);", "sum += const_cast<float*>(row)[i] = expf(row[i] - largest);"), ("to[i] = expf(row[i] - largest) / sum", "to[i] = row[i] / sum")),
    # ---- layer norm
    Wrong("n_no_eps", "f_norm", "nan/infinity/numbers/function", ("variance + 1e-5f", "variance")),
    Wrong("n_eps_outside", "f_norm", "function/numbers/precision", ("1.0f / sqrtf(variance + 1e-5f)", "1.0f / (sqrtf(variance) + 1e-5f)")),
    Wrong("n_minus_1", "f_norm", "function/numbers/precision | nan/infinity", ("over_block(squares, tile, false) / n", "over_block(squares, tile, false) / (n - 1)")),
    Wrong("n_no_mean", "f_norm", "function/numbers", ("to[i] = (row[i] - mean) * scale", "to[i] = row[i] * scale")),
    Wrong("n_no_root", "f_norm", "function/numbers", ("1.0f / sqrtf(variance + 1e-5f)", "1.0f / (variance + 1e-5f)")),
    Wrong("n_one_pass", "f_norm", "precision/numbers/nan | infinity/function", ("squares += (row[i] - mean) * (row[i] - mean)", "squares += row[i] * row[i]"), ("over_block(squares, tile, false) / n", "over_block(squares, tile, false) / n - mean * mean")),
    Wrong("n_only_128", "f_norm", "unwritten/tail", (TO_LOOP, "for (int64_t i = threadIdx.x; i < n && i < 128; i += 128) to[i]")),
    Wrong("n_mean_of_128", "f_norm", "left out/numbers/function | tail", ("i < n; i += 128) sum += row[i]", "i < n && i < 128; i += 128) sum += row[i]")),
    Wrong("n_by_128", "f_norm", "function/numbers", ("over_block(sum, tile, false) / n", "over_block(sum, tile, false) / 128")),
    Wrong("n_no_barrier", "f_norm", "race", ("tile[t] + tile[t + half];\n        __syncthreads();", "tile[t] + tile[t + half];")),
    Wrong("n_first_row", "f_norm", "left out/numbers/function/neighbour", ("const float* row = x + static_cast<int64_t>(blockIdx.x) * n;", "const float* row = x;")),
)  # fmt: skip

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_transpose_no_padding", "f_transpose", ("tile[32][33]", "tile[32][32]")),
    Right("r_transpose_strided", "f_plain_transpose", ("if (i >= rows * cols) return;\n    const int64_t row = i / cols, col = i % cols;\n    out[col * rows + row] = x[i];", "for (int64_t k = i; k < rows * cols; k += static_cast<int64_t>(gridDim.x) * blockDim.x) out[k % cols * rows + k / cols] = x[k];"), ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 2000 ? blocks : 2000)")),
    Right("r_transpose_gathers", "f_plain_transpose", ("const int64_t row = i / cols, col = i % cols;\n    out[col * rows + row] = x[i];", "out[i] = x[i % rows * cols + i / rows];")),
    Right("r_matmul_fma", "f_matmul", ("sum += left[ty][i] * right[i][tx]", "sum = fmaf(left[ty][i], right[i][tx], sum)")),
    Right("r_matmul_double", "f_matmul", ("float sum = 0.0f;", "double sum = 0.0;")),
    Right("r_matmul_padded", "f_matmul", ("left[16][16], right[16][16]", "left[16][17], right[16][17]")),
    Right("r_softmax_exp2", "f_softmax", ("sum += expf(row[i] - largest);", "sum += exp2f((row[i] - largest) * 1.44269504f);")),
    Right("r_softmax_reciprocal", "f_softmax", (TO_LOOP, "const float scale = 1.0f / sum;\n    " + TO_LOOP), ("largest) / sum;\n}", "largest) * scale;\n}")),
    Right("r_softmax_stored", "f_softmax", ("sum += expf(row[i] - largest);", "sum += to[i] = expf(row[i] - largest);"), ("to[i] = expf(row[i] - largest) / sum", "to[i] /= sum")),
    Right("r_norm_rsqrt", "f_norm", ("1.0f / sqrtf(variance + 1e-5f)", "rsqrtf(variance + 1e-5f)")),
    Right("r_norm_divides", "f_norm", ("(row[i] - mean) * scale", "(row[i] - mean) / sqrtf(variance + 1e-5f)")),
    Right("r_norm_double", "f_norm", ("float squares = 0.0f;", "double squares = 0.0;")),
)  # fmt: skip
