// layer_norm: out = (x - mean) / sqrt(variance + eps) * gamma + beta, with mean and variance of each row.
//
// Row-wise work with the elementwise template's packs. A row is read from memory once and stays in registers;
// the mean, and then the variance about that mean, are summed from there in float32, so that nothing cancels.
//
//   a row's threads    one warp for a short row, one block for a longer one
//   a thread's share   up to 4 packs of 16 bytes; of a longer row, as many as it takes
//   block size         128 threads: a row a warp, or one row; doubled up to 1,024 until a long row fits
#include "elementwise.cuh"

using elementwise::from_float;
using elementwise::Pack;
using elementwise::to_float;

constexpr int kWarp = 32;
constexpr int kMaxThreads = 1024;
template <int N>
constexpr int kPacks = N > 8 ? 2 : 4;  // what a thread keeps of a row: as much as 64 registers can hold

// The sum over all threads of a row, in every one of them. `partial` has room for a number per warp.
template <bool kRowPerWarp>
__device__ float row_sum(float value, float* partial) {
    for (int offset = kWarp / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
    if constexpr (!kRowPerWarp) {
        const int warps = blockDim.x / kWarp;
        __syncthreads();  // the previous sum has been read
        if (threadIdx.x % kWarp == 0) partial[threadIdx.x / kWarp] = value;
        __syncthreads();
        value = 0.0f;
        for (int warp = 0; warp < warps; ++warp) value += partial[warp];
    }
    return value;
}

// kKeep: the row fits in its threads' registers. Otherwise each pass reads it again, mostly from L2.
template <bool kRowPerWarp, bool kKeep, int N, typename T>
__global__ void __launch_bounds__(kMaxThreads) layer_norm_kernel(const T* x, const T* gamma, const T* beta,
                                                                 T* out, int64_t rows, int64_t cols,
                                                                 float eps) {
    __shared__ float partial[kWarp];
    // No division by the block's size: with one, nvcc stores a pack as four words.
    const int warps = blockDim.x / kWarp;
    const int row_threads = kRowPerWarp ? kWarp : blockDim.x;
    const int64_t row = kRowPerWarp ? int64_t{blockIdx.x} * warps + threadIdx.x / kWarp : blockIdx.x;
    if (row >= rows) return;  // a whole warp, or nobody
    const T* from = x + row * cols;
    const int64_t first = kRowPerWarp ? threadIdx.x % kWarp : threadIdx.x;
    const int64_t packs = cols / N;

    Pack<T, N> kept[kKeep ? kPacks<N> : 1];
    // Calls visit(pack, p) for each pack p of the row that is this thread's share.
    auto for_each_pack = [&](auto visit) {
        if constexpr (kKeep) {
#pragma unroll
            for (int k = 0; k < kPacks<N>; ++k) {
                const int64_t p = first + k * row_threads;
                if (p < packs) visit(kept[k], p);
            }
        } else {
            for (int64_t p = first; p < packs; p += row_threads) {
                kept[0] = elementwise::fetch<N>(from, p);
                visit(kept[0], p);
            }
        }
    };
    if constexpr (kKeep) {
        for_each_pack([&](Pack<T, N>& pack, int64_t p) { pack = elementwise::fetch<N>(from, p); });
    }

    float sum = 0.0f;
    for_each_pack([&](Pack<T, N>& pack, int64_t) {
        for (int i = 0; i < N; ++i) sum += to_float(pack.element[i]);
    });
    const float mean = row_sum<kRowPerWarp>(sum, partial) / static_cast<float>(cols);

    float squares = 0.0f;
    for_each_pack([&](Pack<T, N>& pack, int64_t) {
        for (int i = 0; i < N; ++i) {
            const float distance = to_float(pack.element[i]) - mean;
            squares += distance * distance;
        }
    });
    const float variance = row_sum<kRowPerWarp>(squares, partial) / static_cast<float>(cols);
    const float scale = rsqrtf(variance + eps);

    for_each_pack([&](Pack<T, N>& pack, int64_t p) {
        const Pack<T, N> weight = elementwise::fetch<N>(gamma, p);
        const Pack<T, N> bias = elementwise::fetch<N>(beta, p);
        for (int i = 0; i < N; ++i) {
            const float normal = (to_float(pack.element[i]) - mean) * scale;
            pack.element[i] = from_float<T>(normal * to_float(weight.element[i]) + to_float(bias.element[i]));
        }
        elementwise::store(out + row * cols + p * N, pack);
    });
}

template <int N, typename T>
void launch_width(int width, const T* x, const T* gamma, const T* beta, T* out, int64_t rows, int64_t cols,
                  float eps, int block_size, cudaStream_t stream) {
    if constexpr (N > 1) {
        if (width < N) {
            launch_width<N / 2>(width, x, gamma, beta, out, rows, cols, eps, block_size, stream);
            return;
        }
    }
    const int64_t packs = cols / N;
    const int64_t rows_per_block = block_size / kWarp;
    if (packs > kWarp * kPacks<N>) {  // a block for each row
        while (packs > int64_t{block_size} * kPacks<N> && 2 * block_size <= kMaxThreads) block_size *= 2;
    }
    if (packs <= kWarp * kPacks<N>) {
        const auto blocks = static_cast<unsigned>((rows + rows_per_block - 1) / rows_per_block);
        layer_norm_kernel<true, true, N, T>
            <<<blocks, block_size, 0, stream>>>(x, gamma, beta, out, rows, cols, eps);
    } else if (packs <= int64_t{block_size} * kPacks<N>) {
        layer_norm_kernel<false, true, N, T>
            <<<static_cast<unsigned>(rows), block_size, 0, stream>>>(x, gamma, beta, out, rows, cols, eps);
    } else {
        layer_norm_kernel<false, false, N, T>
            <<<static_cast<unsigned>(rows), block_size, 0, stream>>>(x, gamma, beta, out, rows, cols, eps);
    }
}

template <typename T>
void launch(const T* x, const T* gamma, const T* beta, T* out, int64_t rows, int64_t cols, float eps,
            int block_size, cudaStream_t stream) {
    // gamma and beta repeat with every row: as rows of `cols` they keep the width a divisor of `cols`.
    const elementwise::Row<T> weight{gamma, cols}, bias{beta, cols};
    const int width = elementwise::pack_width(out, x, weight, bias);
    block_size = (block_size + kWarp - 1) / kWarp * kWarp;
    constexpr int kWidest = elementwise::max_width<T>();
    launch_width<kWidest>(width, x, gamma, beta, out, rows, cols, eps, block_size, stream);
}

extern "C" void layer_norm(const float* x,      // [rows, cols]
                           const float* gamma,  // [cols]
                           const float* beta,   // [cols]
                           float* out,          // [rows, cols]
                           int64_t rows, int64_t cols, float eps = 1e-5f, int block_size = 128,
                           cudaStream_t stream = 0) {
    launch(x, gamma, beta, out, rows, cols, eps, block_size, stream);
}

extern "C" void layer_norm_f16(const half* x,      // [rows, cols]
                               const half* gamma,  // [cols]
                               const half* beta,   // [cols]
                               half* out,          // [rows, cols]
                               int64_t rows, int64_t cols, float eps = 1e-5f, int block_size = 128,
                               cudaStream_t stream = 0) {
    launch(x, gamma, beta, out, rows, cols, eps, block_size, stream);
}

extern "C" void layer_norm_bf16(const __nv_bfloat16* x,      // [rows, cols]
                                const __nv_bfloat16* gamma,  // [cols]
                                const __nv_bfloat16* beta,   // [cols]
                                __nv_bfloat16* out,          // [rows, cols]
                                int64_t rows, int64_t cols, float eps = 1e-5f, int block_size = 128,
                                cudaStream_t stream = 0) {
    launch(x, gamma, beta, out, rows, cols, eps, block_size, stream);
}
