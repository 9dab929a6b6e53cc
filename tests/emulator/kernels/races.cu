// Races that a trace must find, and kernels that look alike and are right.
#pragma nv_diag_suppress static_var_with_dynamic_init

#include <cuda_runtime.h>

#include <cstdint>

template <bool BARRIER>
__global__ void reverse_kernel(const float* x, float* out) {
    __shared__ float shared[256];
    const int t = threadIdx.x;
    shared[t] = x[t];
    if (BARRIER) __syncthreads();
    out[t] = shared[255 - t];
}

__global__ void lost_update(const float* x, float* out) { *out += x[threadIdx.x]; }

__global__ void atomic_update(const float* x, float* out) { atomicAdd(out, x[threadIdx.x]); }

__global__ void same_flag(const float* x, float* out) {
    if (x[threadIdx.x] > -1e30f) *out = 1.0f;
}

__global__ void cas_loop(const float* x, float* out) {
    int* word = reinterpret_cast<int*>(out);
    int old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __float_as_int(__int_as_float(assumed) + x[threadIdx.x]));
    } while (assumed != old);
}

__global__ void unwritten_kernel(const float* x, float* out) {
    __shared__ float shared[256];
    const int t = threadIdx.x;
    if (t < 128) shared[t] = x[t];
    __syncthreads();
    out[t] = shared[t];
}

// The block that comes last adds what all blocks have written.
template <bool FENCE>
__global__ void last_block(const float* x, float* partials, unsigned* count) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partials[blockIdx.x + 1] = x[blockIdx.x];
        if (FENCE) __threadfence();
        last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0.0f;
        for (unsigned b = 0; b < gridDim.x; ++b) sum += partials[b + 1];
        partials[0] = sum;
    }
}

__global__ void lockstep(const float* x, float* out) {
    __shared__ volatile float shared[64];
    const int t = threadIdx.x;
    shared[t] = x[t];
    shared[t + 32] = x[t + 32];
    shared[t] = shared[t] + shared[t + 16];
    shared[t] = shared[t] + shared[t + 8];
    out[t] = shared[t];
}

__global__ void past_the_end(float* out, int64_t n) { out[n] = 1.0f; }

extern "C" void reverse_bare(const float* x,  // [n]
                             float* out,      // [n]
                             int64_t n, cudaStream_t stream = 0) {
    reverse_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void reverse(const float* x,  // [n]
                        float* out,      // [n]
                        int64_t n, cudaStream_t stream = 0) {
    reverse_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void lost(const float* x,  // [n]
                     float* out,      // [n]
                     int64_t n, cudaStream_t stream = 0) {
    lost_update<<<1, 64, 0, stream>>>(x, out);
}
extern "C" void added(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    atomic_update<<<2, 64, 0, stream>>>(x, out);
}
extern "C" void flag(const float* x,  // [n]
                     float* out,      // [n]
                     int64_t n, cudaStream_t stream = 0) {
    same_flag<<<2, 64, 0, stream>>>(x, out);
}
extern "C" void cas(const float* x,  // [n]
                    float* out,      // [n]
                    int64_t n, cudaStream_t stream = 0) {
    cas_loop<<<2, 64, 0, stream>>>(x, out);
}
extern "C" void unwritten(const float* x,  // [n]
                          float* out,      // [n]
                          int64_t n, cudaStream_t stream = 0) {
    unwritten_kernel<<<1, 256, 0, stream>>>(x, out);
}
extern "C" void fenced(const float* x,  // [n]
                       float* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {
    last_block<true><<<8, 64, 0, stream>>>(x, out, reinterpret_cast<unsigned*>(out + 200));
}
extern "C" void unfenced(const float* x,  // [n]
                         float* out,      // [n]
                         int64_t n, cudaStream_t stream = 0) {
    last_block<false><<<8, 64, 0, stream>>>(x, out, reinterpret_cast<unsigned*>(out + 200));
}
extern "C" void past(const float* x,  // [n]
                     float* out,      // [n]
                     int64_t n, cudaStream_t stream = 0) {
    past_the_end<<<1, 1, 0, stream>>>(out, n);
}
extern "C" void in_step(const float* x,  // [n]
                        float* out,      // [n]
                        int64_t n, cudaStream_t stream = 0) {
    lockstep<<<1, 32, 0, stream>>>(x, out);
}

// ---- planted races, each beside the same kernel without it (RIGHT): NAME and NAME_right ----

template <bool RIGHT>
__global__ void tree_after_load_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    if (RIGHT) __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}

template <bool RIGHT>
__global__ void tree_in_loop_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        if (RIGHT) __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}

template <bool RIGHT>
__global__ void tree_before_result_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        if (half > 1 || RIGHT) __syncthreads();
    }
    out[t] = s[0];
}

template <bool RIGHT>
__global__ void tree_last_warp_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncthreads();
    for (int half = 128; half >= 32; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t < 32) {
        for (int half = 16; half > 0; half /= 2) {
            const float other = s[t + half];
            if (RIGHT) __syncwarp();
            s[t] += other;
            if (RIGHT) __syncwarp();
        }
    }
    if (t == 0) out[0] = s[0];
}

template <bool RIGHT>
__global__ void interleaved_tree_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0) s[t] += s[t + step];
        if (RIGHT) __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}

template <bool RIGHT>
__global__ void transpose_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float tile[16][17];
    const int row = t / 16, col = t % 16;
    tile[row][col] = x[t];
    if (RIGHT) __syncthreads();
    out[t] = tile[col][row];
}

template <bool RIGHT>
__global__ void transpose_reused_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float tile[16][17];
    const int row = t / 16, col = t % 16;
    for (int piece = 0; piece < 3; ++piece) {
        tile[row][col] = x[piece * 256 + t];
        __syncthreads();
        out[piece * 256 + t] = tile[col][row];
        if (RIGHT) __syncthreads();
    }
}

template <bool RIGHT>
__global__ void scan_before_write_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        const float left = t >= step ? s[t - step] : 0.0f;
        if (RIGHT) __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    out[t] = s[t];
}

template <bool RIGHT>
__global__ void scan_after_write_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        const float left = t >= step ? s[t - step] : 0.0f;
        __syncthreads();
        s[t] += left;
        if (RIGHT) __syncthreads();
    }
    out[t] = s[t];
}

template <bool RIGHT>
__global__ void blelloch_up_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        const int i = (t + 1) * 2 * step - 1;
        if (i < 256) s[i] += s[i - step];
        if (RIGHT) __syncthreads();
    }
    if (t == 0) out[0] = s[255];
}

template <bool RIGHT>
__global__ void blelloch_down_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        const int i = (t + 1) * 2 * step - 1;
        if (i < 256) {
            const float left = s[i - step];
            s[i - step] = s[i];
            s[i] += left;
        }
        if (RIGHT) __syncthreads();
    }
    out[t] = s[t];
}

template <bool RIGHT>
__global__ void scan_two_buffers_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[2][256];
    int now = 0;
    s[0][t] = x[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        s[1 - now][t] = s[now][t] + (t >= step ? s[now][t - step] : 0.0f);
        now = 1 - now;
        if (RIGHT) __syncthreads();
    }
    out[t] = s[now][t];
}

template <bool RIGHT>
__global__ void histogram_plain_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ int bins[16];
    if (t < 16) bins[t] = 0;
    __syncthreads();
    const int bin = static_cast<int>(x[t]) & 15;
    if (RIGHT) {
        atomicAdd(&bins[bin], 1);
    } else {
        bins[bin] += 1;
    }
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}

template <bool RIGHT>
__global__ void histogram_global_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    const int bin = static_cast<int>(x[t]) & 15;
    if (RIGHT) {
        atomicAdd(&out[bin], 1.0f);
    } else {
        out[bin] += 1.0f;
    }
}

template <bool RIGHT>
__global__ void histogram_cleared_late_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ int bins[16];
    if (t < 16) bins[t] = 0;
    if (RIGHT) __syncthreads();
    atomicAdd(&bins[static_cast<int>(x[t]) & 15], 1);
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}

template <bool RIGHT>
__global__ void histogram_read_early_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ int bins[16];
    if (t < 16) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[static_cast<int>(x[t]) & 15], 1);
    if (RIGHT) __syncthreads();
    if (t < 16) out[t] = bins[t];
}

template <bool RIGHT>
__global__ void two_buffers_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[2][256];
    s[0][t] = x[t];
    float sum = 0.0f;
    for (int piece = 0; piece < 4; ++piece) {
        if (RIGHT || piece == 0) __syncthreads();
        if (piece < 3) s[(piece + 1) % 2][t] = x[(piece + 1) * 256 + t];
        sum += s[piece % 2][255 - t];
    }
    out[t] = sum;
}

template <bool RIGHT>
__global__ void one_buffer_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    float next = x[t], sum = 0.0f;
    for (int piece = 0; piece < 4; ++piece) {
        s[t] = next;
        __syncthreads();
        if (piece < 3) next = x[(piece + 1) * 256 + t];
        sum += s[255 - t];
        if (RIGHT) __syncthreads();
    }
    out[t] = sum;
}

template <bool RIGHT>
__global__ void warp_swap_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    if (RIGHT) __syncwarp();
    out[t] = s[t ^ 1];
}

template <bool RIGHT>
__global__ void half_warp_swap_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    if (RIGHT) {
        __syncwarp();
    } else {
        __syncwarp(t % 32 < 16 ? 0x0000ffffu : 0xffff0000u);
    }
    out[t] = s[t ^ 16];
}

template <bool RIGHT>
__global__ void syncwarp_for_block_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    if (RIGHT) {
        __syncthreads();
    } else {
        __syncwarp();
    }
    out[t] = s[255 - t];
}

template <bool RIGHT>
__global__ void warp_sums_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float of_warp[8];
    float value = x[t];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    if (t % 32 == 0) of_warp[t / 32] = value;
    if (RIGHT) __syncthreads();
    if (t == 0) {
        float sum = 0.0f;
        for (int w = 0; w < 8; ++w) sum += of_warp[w];
        out[0] = sum;
    }
}

template <bool RIGHT>
__global__ void broadcast_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float first;
    if (t == 0) first = x[0];
    if (RIGHT) __syncthreads();
    out[t] = first;
}

template <bool RIGHT>
__global__ void broadcast_again_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float first;
    for (int piece = 0; piece < 3; ++piece) {
        if (t == 0) first = x[piece];
        __syncthreads();
        out[piece * 256 + t] = first;
        if (RIGHT) __syncthreads();
    }
}

template <bool RIGHT>
__global__ void largest_and_sum_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] = fmaxf(s[t], s[t + half]);
        __syncthreads();
    }
    const float largest = s[0];
    if (RIGHT) __syncthreads();
    s[t] = x[t] - largest;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}

template <bool RIGHT>
__global__ void matmul_before_use_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float a[16][16], b[16][16];
    const int row = t / 16, col = t % 16;
    float sum = 0.0f;
    for (int piece = 0; piece < 2; ++piece) {
        a[row][col] = x[piece * 256 + t];
        b[row][col] = x[512 + piece * 256 + t];
        if (RIGHT) __syncthreads();
        for (int i = 0; i < 16; ++i) sum += a[row][i] * b[i][col];
        __syncthreads();
    }
    out[t] = sum;
}

template <bool RIGHT>
__global__ void matmul_before_next_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float a[16][16], b[16][16];
    const int row = t / 16, col = t % 16;
    float sum = 0.0f;
    for (int piece = 0; piece < 2; ++piece) {
        a[row][col] = x[piece * 256 + t];
        b[row][col] = x[512 + piece * 256 + t];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += a[row][i] * b[i][col];
        if (RIGHT) __syncthreads();
    }
    out[t] = sum;
}

template <bool RIGHT>
__global__ void stencil_in_place_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    const float right = out[t + 1];
    if (RIGHT) __syncthreads();
    out[t] = x[t] + right;
}

template <bool RIGHT>
__global__ void sort_pairs_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[255 - t];
    __syncthreads();
    for (int round = 0; round < 8; ++round) {
        const int i = 2 * t + round % 2;
        if (i + 1 < 256 && s[i] > s[i + 1]) {
            const float larger = s[i];
            s[i] = s[i + 1];
            s[i + 1] = larger;
        }
        if (RIGHT) __syncthreads();
    }
    out[t] = s[t];
}

template <bool RIGHT>
__global__ void two_blocks_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    out[RIGHT ? blockIdx.x * 256 + t : t] = x[t] + static_cast<float>(blockIdx.x);
}

template <bool RIGHT>
__global__ void two_threads_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    out[RIGHT ? t : t / 2] = x[t];
}

template <bool RIGHT>
__global__ void lost_update_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    if (RIGHT) {
        atomicAdd(out, x[t]);
    } else {
        *out += x[t];
    }
}

template <bool RIGHT>
__global__ void overlapping_blocks_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    const int i = static_cast<int>(blockIdx.x) * (RIGHT ? 256 : 248) + t;
    out[i] = x[i] + static_cast<float>(blockIdx.x);
}

template <bool RIGHT>
__global__ void last_block_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ bool last;
    if (t == 0) {
        out[1 + blockIdx.x] = x[blockIdx.x];
        if (RIGHT) __threadfence();
        last = atomicAdd(reinterpret_cast<unsigned*>(out) + 600, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float sum = 0.0f;
        for (unsigned b = 0; b < gridDim.x; ++b) sum += out[1 + b];
        out[0] = sum;
    }
}

template <bool RIGHT>
__global__ void lock_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    int* lock = reinterpret_cast<int*>(out) + 600;
    if (t == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        if (RIGHT) __threadfence();
        out[0] += x[blockIdx.x];
        if (RIGHT) __threadfence();
        atomicExch(lock, 0);
    }
}

template <bool RIGHT>
__global__ void counter_plain_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ int count;
    if (t == 0) count = 0;
    __syncthreads();
    if (x[t] > 100.0f) {
        const int place = RIGHT ? atomicAdd(&count, 1) : count++;
        out[place] = x[t];
    }
}

template <bool RIGHT>
__global__ void counter_read_early_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ int count;
    if (t == 0) count = 0;
    __syncthreads();
    if (x[t] > 100.0f) atomicAdd(&count, 1);
    if (RIGHT) __syncthreads();
    if (t == 200) out[0] = static_cast<float>(count);
}

template <bool RIGHT>
__global__ void ring_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[(t + 1) % 256] = x[t];
    if (RIGHT) __syncthreads();
    out[t] = s[t];
}

template <bool RIGHT>
__global__ void index_of_largest_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ int largest, place;
    if (t == 0) largest = 0, place = -1;
    __syncthreads();
    const int mine = static_cast<int>(x[t % 128]);
    atomicMax(&largest, mine);
    __syncthreads();
    if (mine == largest) {
        if (RIGHT) {
            atomicMax(&place, t);
        } else {
            place = t;
        }
    }
    __syncthreads();
    if (t == 0) out[0] = static_cast<float>(place);
}

#include <cooperative_groups.h>
#include <mma.h>

#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

// A barrier in shared memory: whoever arrives and does not wait knows nothing of the others.
template <bool RIGHT>
__global__ void arrive_and_wait_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    s[t] = x[t];
    auto token = all.arrive();
    if (RIGHT) all.wait(std::move(token));
    out[t] = s[255 - t];
}

__global__ void grid_reverse_kernel(const float* x, float* out, float* between) {
    const unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    between[i] = x[i];
    cooperative_groups::this_grid().sync();
    out[i] = between[n - 1 - i];
}

// A tile that the tensor cores stored: another lane reads it.
template <bool RIGHT>
__global__ void stored_tile_kernel(const float* x, float* out) {
    const int t = threadIdx.x, warp = t / 32;
    __shared__ __align__(32) float s[8][256];
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
    nvcuda::wmma::load_matrix_sync(sum, x, 16, nvcuda::wmma::mem_row_major);
    nvcuda::wmma::store_matrix_sync(s[warp], sum, 16, nvcuda::wmma::mem_col_major);
    if (RIGHT) __syncwarp();
    out[t] = s[warp][t % 32 * 8 + warp];
}

// Each instance of a template has a shared array of its own; one that is called twice has one.
template <int INSTANCE>
__device__ float turned(float value) {
    __shared__ float kept[256];
    kept[threadIdx.x] = value;
    __syncthreads();
    return kept[255 - threadIdx.x];
}
template <bool RIGHT>
__global__ void array_of_an_instance_kernel(const float* x, float* out) {
    const float first = turned<0>(x[threadIdx.x]);
    out[threadIdx.x] = turned<RIGHT ? 1 : 0>(first + 1.0f);
}

extern "C" void tree_after_load(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    tree_after_load_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void tree_after_load_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    tree_after_load_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void tree_in_loop(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n, cudaStream_t stream = 0) {
    tree_in_loop_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void tree_in_loop_right(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n, cudaStream_t stream = 0) {
    tree_in_loop_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void tree_before_result(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n, cudaStream_t stream = 0) {
    tree_before_result_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void tree_before_result_right(const float* x,  // [n]
                                         float* out,  // [n]
                                         int64_t n, cudaStream_t stream = 0) {
    tree_before_result_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void tree_last_warp(const float* x,  // [n]
                               float* out,  // [n]
                               int64_t n, cudaStream_t stream = 0) {
    tree_last_warp_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void tree_last_warp_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    tree_last_warp_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void interleaved_tree(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    interleaved_tree_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void interleaved_tree_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n, cudaStream_t stream = 0) {
    interleaved_tree_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void transpose(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n, cudaStream_t stream = 0) {
    transpose_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void transpose_right(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    transpose_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void transpose_reused(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    transpose_reused_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void transpose_reused_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n, cudaStream_t stream = 0) {
    transpose_reused_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void scan_before_write(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    scan_before_write_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void scan_before_write_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n, cudaStream_t stream = 0) {
    scan_before_write_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void scan_after_write(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    scan_after_write_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void scan_after_write_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n, cudaStream_t stream = 0) {
    scan_after_write_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void blelloch_up(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n, cudaStream_t stream = 0) {
    blelloch_up_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void blelloch_up_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    blelloch_up_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void blelloch_down(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n, cudaStream_t stream = 0) {
    blelloch_down_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void blelloch_down_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n, cudaStream_t stream = 0) {
    blelloch_down_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void scan_two_buffers(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    scan_two_buffers_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void scan_two_buffers_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n, cudaStream_t stream = 0) {
    scan_two_buffers_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void histogram_plain(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    histogram_plain_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void histogram_plain_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    histogram_plain_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void histogram_global(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    histogram_global_kernel<false><<<2, 256, 0, stream>>>(x, out);
}
extern "C" void histogram_global_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n, cudaStream_t stream = 0) {
    histogram_global_kernel<true><<<2, 256, 0, stream>>>(x, out);
}
extern "C" void histogram_cleared_late(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n, cudaStream_t stream = 0) {
    histogram_cleared_late_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void histogram_cleared_late_right(const float* x,  // [n]
                                             float* out,  // [n]
                                             int64_t n, cudaStream_t stream = 0) {
    histogram_cleared_late_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void histogram_read_early(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    histogram_read_early_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void histogram_read_early_right(const float* x,  // [n]
                                           float* out,  // [n]
                                           int64_t n, cudaStream_t stream = 0) {
    histogram_read_early_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void two_buffers(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n, cudaStream_t stream = 0) {
    two_buffers_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void two_buffers_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    two_buffers_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void one_buffer(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n, cudaStream_t stream = 0) {
    one_buffer_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void one_buffer_right(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    one_buffer_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void warp_swap(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n, cudaStream_t stream = 0) {
    warp_swap_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void warp_swap_right(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    warp_swap_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void half_warp_swap(const float* x,  // [n]
                               float* out,  // [n]
                               int64_t n, cudaStream_t stream = 0) {
    half_warp_swap_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void half_warp_swap_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    half_warp_swap_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void syncwarp_for_block(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n, cudaStream_t stream = 0) {
    syncwarp_for_block_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void syncwarp_for_block_right(const float* x,  // [n]
                                         float* out,  // [n]
                                         int64_t n, cudaStream_t stream = 0) {
    syncwarp_for_block_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void warp_sums(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n, cudaStream_t stream = 0) {
    warp_sums_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void warp_sums_right(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    warp_sums_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void broadcast(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n, cudaStream_t stream = 0) {
    broadcast_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void broadcast_right(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    broadcast_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void broadcast_again(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    broadcast_again_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void broadcast_again_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    broadcast_again_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void largest_and_sum(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    largest_and_sum_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void largest_and_sum_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    largest_and_sum_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void matmul_before_use(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    matmul_before_use_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void matmul_before_use_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n, cudaStream_t stream = 0) {
    matmul_before_use_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void matmul_before_next(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n, cudaStream_t stream = 0) {
    matmul_before_next_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void matmul_before_next_right(const float* x,  // [n]
                                         float* out,  // [n]
                                         int64_t n, cudaStream_t stream = 0) {
    matmul_before_next_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void stencil_in_place(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    stencil_in_place_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void stencil_in_place_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n, cudaStream_t stream = 0) {
    stencil_in_place_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void sort_pairs(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n, cudaStream_t stream = 0) {
    sort_pairs_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void sort_pairs_right(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    sort_pairs_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void two_blocks(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n, cudaStream_t stream = 0) {
    two_blocks_kernel<false><<<2, 256, 0, stream>>>(x, out);
}
extern "C" void two_blocks_right(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    two_blocks_kernel<true><<<2, 256, 0, stream>>>(x, out);
}
extern "C" void two_threads(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n, cudaStream_t stream = 0) {
    two_threads_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void two_threads_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    two_threads_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void lost_update(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n, cudaStream_t stream = 0) {
    lost_update_kernel<false><<<2, 256, 0, stream>>>(x, out);
}
extern "C" void lost_update_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    lost_update_kernel<true><<<2, 256, 0, stream>>>(x, out);
}
extern "C" void overlapping_blocks(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n, cudaStream_t stream = 0) {
    overlapping_blocks_kernel<false><<<2, 256, 0, stream>>>(x, out);
}
extern "C" void overlapping_blocks_right(const float* x,  // [n]
                                         float* out,  // [n]
                                         int64_t n, cudaStream_t stream = 0) {
    overlapping_blocks_kernel<true><<<2, 256, 0, stream>>>(x, out);
}
extern "C" void last_block(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n, cudaStream_t stream = 0) {
    last_block_kernel<false><<<4, 256, 0, stream>>>(x, out);
}
extern "C" void last_block_right(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    last_block_kernel<true><<<4, 256, 0, stream>>>(x, out);
}
extern "C" void lock(const float* x,  // [n]
                     float* out,  // [n]
                     int64_t n, cudaStream_t stream = 0) {
    lock_kernel<false><<<4, 256, 0, stream>>>(x, out);
}
extern "C" void lock_right(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n, cudaStream_t stream = 0) {
    lock_kernel<true><<<4, 256, 0, stream>>>(x, out);
}
extern "C" void counter_plain(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n, cudaStream_t stream = 0) {
    counter_plain_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void counter_plain_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n, cudaStream_t stream = 0) {
    counter_plain_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void counter_read_early(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n, cudaStream_t stream = 0) {
    counter_read_early_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void counter_read_early_right(const float* x,  // [n]
                                         float* out,  // [n]
                                         int64_t n, cudaStream_t stream = 0) {
    counter_read_early_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void ring(const float* x,  // [n]
                     float* out,  // [n]
                     int64_t n, cudaStream_t stream = 0) {
    ring_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void ring_right(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n, cudaStream_t stream = 0) {
    ring_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void index_of_largest(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    index_of_largest_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void index_of_largest_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n, cudaStream_t stream = 0) {
    index_of_largest_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void arrive_and_wait(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    arrive_and_wait_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void arrive_and_wait_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    arrive_and_wait_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void stored_tile(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n, cudaStream_t stream = 0) {
    stored_tile_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void stored_tile_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    stored_tile_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void grid_reverse(const float* x,  // [n]
                             float* out,  // [n]
                             float* between,  // [n]
                             int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    void* arguments[] = {&x, &out, &between};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_reverse_kernel), dim3(n / block_size),
                                dim3(block_size), arguments, 0, stream);
}
// A launcher that asks the card once, and starts a block on each SM.
extern "C" void block_on_each_sm(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    static int sms = 0;
    if (!sms) cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    reverse_kernel<true><<<sms, 256, 0, stream>>>(x, out);
}

// A fence of the block where one of the device is needed, and, RIGHT, where its block is all that reads.
template <bool RIGHT>
__global__ void block_fence_kernel(const float* x, float* out) {
    unsigned* count = reinterpret_cast<unsigned*>(out) + 600 + (RIGHT ? blockIdx.x : 0);
    if (threadIdx.x % 32 == 0) {
        const unsigned warp = threadIdx.x / 32 + (RIGHT ? 0 : 2 * blockIdx.x);
        float* const mine = out + 100 * (RIGHT ? blockIdx.x : 0);
        mine[1 + warp] = x[warp];
        __threadfence_block();
        if (atomicAdd(count, 1u) == (RIGHT ? 1 : 2 * gridDim.x - 1)) mine[0] = mine[1] + mine[2] + mine[RIGHT ? 2 : 3];
    }
}
extern "C" void block_fence(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n, cudaStream_t stream = 0) {
    block_fence_kernel<false><<<4, 64, 0, stream>>>(x, out);
}
extern "C" void block_fence_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    block_fence_kernel<true><<<4, 64, 0, stream>>>(x, out);
}
__global__ void special_registers_kernel(const float* x, float* out) {
    unsigned lane, sms;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
    out[threadIdx.x] = x[lane] + static_cast<float>(sms);
}
extern "C" void special_registers(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    special_registers_kernel<<<1, 256, 0, stream>>>(x, out);
}

// ---- shuffles, votes and the like do not order memory: __syncwarp() does ----

template <bool RIGHT>
__global__ void shuffle_between_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    float sum = x[t];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, by);
    if (RIGHT) __syncwarp();
    out[t] = sum + s[t ^ 1];
}

template <bool RIGHT>
__global__ void vote_between_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    out[t] = x[t];
    const unsigned above = __ballot_sync(0xffffffffu, x[t] > 100.0f);
    if (RIGHT) __syncwarp();
    out[256 + t] = out[t ^ 3] + __popc(above);
}

// A write after a read: the value that is handed on has been read, and still nothing keeps the order.
template <bool RIGHT>
__global__ void shuffle_before_write_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    __syncwarp();
    const float other = __shfl_sync(0xffffffffu, s[t ^ 1], 0);
    if (RIGHT) __syncwarp();
    s[t] = 2.0f * other;
    __syncwarp();
    out[t] = s[t ^ 2];
}

template <bool RIGHT>
__global__ void tile_shuffle_between_kernel(const float* x, float* out) {
    const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    const int t = threadIdx.x;
    __shared__ float s[256];
    s[t] = x[t];
    const float first = tile.shfl(x[t], 0);
    if (RIGHT) tile.sync();
    out[t] = first + s[t ^ 7];
}

template <bool RIGHT>
__global__ void match_between_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ int s[256];
    s[t] = static_cast<int>(x[t]);
    const unsigned same = __match_any_sync(0xffffffffu, s[t] & 3);
    if (RIGHT) __syncwarp();
    int sum = 0;
    for (unsigned left = same; left; left &= left - 1) sum += s[t / 32 * 32 + __ffs(static_cast<int>(left)) - 1];
    out[t] = static_cast<float>(sum);
}
extern "C" void shuffle_between(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    shuffle_between_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void shuffle_between_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    shuffle_between_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void vote_between(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n, cudaStream_t stream = 0) {
    vote_between_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void vote_between_right(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n, cudaStream_t stream = 0) {
    vote_between_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void shuffle_before_write(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    shuffle_before_write_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void shuffle_before_write_right(const float* x,  // [n]
                                           float* out,  // [n]
                                           int64_t n, cudaStream_t stream = 0) {
    shuffle_before_write_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void tile_shuffle_between(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    tile_shuffle_between_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void tile_shuffle_between_right(const float* x,  // [n]
                                           float* out,  // [n]
                                           int64_t n, cudaStream_t stream = 0) {
    tile_shuffle_between_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void match_between(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n, cudaStream_t stream = 0) {
    match_between_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void match_between_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n, cudaStream_t stream = 0) {
    match_between_kernel<true><<<1, 256, 0, stream>>>(x, out);
}

// ---- asynchronous copies: who reads waits for the copy first, and for the other threads' waits ----

template <bool RIGHT>
__global__ void copy_by_ptx_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ __align__(16) float s[256];
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s + t));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(x + t));
    asm volatile("cp.async.commit_group;" ::);
    if (RIGHT) asm volatile("cp.async.wait_group 0;" ::);
    __syncthreads();
    out[t] = s[255 - t];
}

// The thread reads only what it has copied itself.
template <bool RIGHT>
__global__ void copy_of_its_own_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    __pipeline_memcpy_async(s + t, x + t, sizeof(float));
    __pipeline_commit();
    if (RIGHT) __pipeline_wait_prior(0);
    out[t] = s[t];
}

template <bool RIGHT>
__global__ void copy_waited_alone_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    __pipeline_memcpy_async(s + t, x + t, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (RIGHT) __syncthreads();
    out[t] = s[255 - t];
}

// Two buffers: the newest copy may be under way, the one before must have come.
template <bool RIGHT>
__global__ void copy_ahead_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[2][256];
    __pipeline_memcpy_async(&s[0][t], x + t, sizeof(float));
    __pipeline_commit();
    float sum = 0.0f;
    for (int piece = 0; piece < 3; ++piece) {
        if (piece < 2) __pipeline_memcpy_async(&s[(piece + 1) % 2][t], x + 256 * (piece + 1) + t, sizeof(float));
        if (piece < 2 || RIGHT) __pipeline_commit();  // in the last round an empty group
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[piece % 2][255 - t];
        __syncthreads();
    }
    out[t] = sum;
}

template <bool RIGHT>
__global__ void copy_by_group_kernel(const float* x, float* out) {
    const auto block = cooperative_groups::this_thread_block();
    __shared__ float s[256];
    cooperative_groups::memcpy_async(block, s, x, sizeof s);
    if (RIGHT) {
        cooperative_groups::wait(block);
    } else {
        block.sync();
    }
    out[threadIdx.x] = s[255 - threadIdx.x];
}

template <bool RIGHT>
__global__ void copy_to_barrier_kernel(const float* x, float* out) {
    const auto block = cooperative_groups::this_thread_block();
    __shared__ float s[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    if (threadIdx.x == 0) init(&arrived, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, s, x, cuda::aligned_size_t<4>(sizeof s), arrived);
    if (RIGHT) {
        arrived.arrive_and_wait();
    } else {
        block.sync();
    }
    out[threadIdx.x] = s[255 - threadIdx.x];
}

template <bool RIGHT>
__global__ void copy_in_stages_kernel(const float* x, float* out) {
    const auto block = cooperative_groups::this_thread_block();
    __shared__ float s[2][256];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    for (int stage = 0; stage < 2; ++stage) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[stage], x + 256 * stage, sizeof s[stage], pipe);
        pipe.producer_commit();
    }
    float sum = 0.0f;
    for (int stage = 0; stage < 2; ++stage) {
        if (stage == 0 || RIGHT) pipe.consumer_wait();
        sum += s[stage][255 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
extern "C" void copy_by_ptx(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n, cudaStream_t stream = 0) {
    copy_by_ptx_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_by_ptx_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    copy_by_ptx_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_of_its_own(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    copy_of_its_own_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_of_its_own_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    copy_of_its_own_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_waited_alone(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    copy_waited_alone_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_waited_alone_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n, cudaStream_t stream = 0) {
    copy_waited_alone_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_ahead(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n, cudaStream_t stream = 0) {
    copy_ahead_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_ahead_right(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    copy_ahead_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_by_group(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n, cudaStream_t stream = 0) {
    copy_by_group_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_by_group_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n, cudaStream_t stream = 0) {
    copy_by_group_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_to_barrier(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    copy_to_barrier_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_to_barrier_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    copy_to_barrier_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_in_stages(const float* x,  // [n]
                               float* out,  // [n]
                               int64_t n, cudaStream_t stream = 0) {
    copy_in_stages_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void copy_in_stages_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    copy_in_stages_kernel<true><<<1, 256, 0, stream>>>(x, out);
}

// A volatile flag in shared memory: it hands on what stands before a fence.
template <bool RIGHT>
__global__ void shared_flag_kernel(const float* x, float* out) {
    __shared__ float box;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (!RIGHT) __threadfence_block();
        box = x[5];
        if (RIGHT) __threadfence_block();
        ready = 1;
    } else if (threadIdx.x == 64) {
        while (!ready) {
        }
        __threadfence_block();
        out[0] = box;
    }
}
extern "C" void shared_flag(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n, cudaStream_t stream = 0) {
    shared_flag_kernel<false><<<1, 128, 0, stream>>>(x, out);
}
extern "C" void shared_flag_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    shared_flag_kernel<true><<<1, 128, 0, stream>>>(x, out);
}

// ---- named barriers: of two warps each; of one that only arrives and one that waits ----

template <bool RIGHT>
__global__ void named_barrier_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[256];
    for (int round = 0; round < 3; ++round) {
        s[t] = x[t] + round;
        const int pair = (RIGHT ? t : (t + 32) % 256) / 64;  // else of other warps than those that read each other's
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
        out[256 * round + t] = s[t ^ 32];
        __syncthreads();
    }
}

template <bool RIGHT>
__global__ void arrive_named_kernel(const float* x, float* out) {
    const int t = threadIdx.x;
    __shared__ float s[32];
    if (t < 32) {
        s[t] = x[t];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else if (t < 64) {
        if (RIGHT) __barrier_sync_count(1, 64);
        out[t] = s[63 - t];
        if (!RIGHT) __barrier_sync_count(1, 64);
    }
}
extern "C" void named_barrier(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n, cudaStream_t stream = 0) {
    named_barrier_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void named_barrier_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n, cudaStream_t stream = 0) {
    named_barrier_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void arrive_named(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n, cudaStream_t stream = 0) {
    arrive_named_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void arrive_named_right(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n, cudaStream_t stream = 0) {
    arrive_named_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void array_of_an_instance(const float* x,  // [n]
                                     float* out,      // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    array_of_an_instance_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void array_of_an_instance_right(const float* x,  // [n]
                                           float* out,      // [n]
                                           int64_t n, cudaStream_t stream = 0) {
    array_of_an_instance_kernel<true><<<1, 256, 0, stream>>>(x, out);
}

// ---- a barrier that is only arrived at, a copy's source, atomics without a fence (more: ordered_races.cu) ----

template <bool RIGHT>
__global__ void only_arrived_kernel(const float* x, float* out) {
    __shared__ float s[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    const int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + t, x + t, sizeof(float), all);
    auto token = all.arrive();
    if (RIGHT || t < 250) all.wait(std::move(token));
    out[t] = s[255 - t];
}

template <bool RIGHT>
__global__ void source_of_another_kernel(const float* x, float* out) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    out[t] = x[t];
    __pipeline_memcpy_async(s + t, out + t, sizeof(float));
    __pipeline_commit();
    if (RIGHT) __pipeline_wait_prior(0);
    __syncthreads();
    out[255 - t] = 0;
    __pipeline_wait_prior(0);
    out[256 + t] = s[t];
}

template <bool RIGHT>
__global__ void summed_by_atomics_kernel(const float* x, float* out) {
    __shared__ bool last;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    float* const part = out + 256;
    atomicAdd(&part[threadIdx.x], x[threadIdx.x]);
    if (RIGHT) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(count, 1) == gridDim.x - 1;
        if (RIGHT) __threadfence();
    }
    __syncthreads();
    if (last) out[threadIdx.x] = part[threadIdx.x];
}

template <bool RIGHT>
__global__ void unfenced_reader_kernel(const float* x, float* out) {
    __shared__ unsigned before;  // the block before this one, plus one
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    float* const part = out + 256;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        before = atomicExch(count, blockIdx.x + 1);
        if (RIGHT) __threadfence();
    }
    __syncthreads();
    if (before && threadIdx.x == 0) out[blockIdx.x] = part[before - 1];
}

template <bool RIGHT>
__global__ void volatile_parts_kernel(const float* x, volatile float* part, float* out) {
    __shared__ bool last;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x[blockIdx.x];
        if (RIGHT) __threadfence();
        const unsigned ticket = atomicAdd(count, 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = part[threadIdx.x];
}

// Each word is its own flag, whose value says that it is written: no count does.
__global__ void volatile_words_kernel(const float* x, volatile float* word, float* out) {
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    if (threadIdx.x != 0) return;
    for (unsigned tile = atomicAdd(count, 1); tile < 64; tile = atomicAdd(count, 1)) {
        float before = 1;
        while (tile && (before = word[tile - 1]) == 0) {
        }
        word[tile] = before + x[tile];
        out[tile] = before;
    }
}

extern "C" void volatile_parts(const float* x,  // [n]
                               float* out,  // [n]
                               int64_t n, cudaStream_t stream = 0) {
    volatile_parts_kernel<false><<<4, 64, 0, stream>>>(x, out + 256, out);
}
extern "C" void volatile_parts_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    volatile_parts_kernel<true><<<4, 64, 0, stream>>>(x, out + 256, out);
}
extern "C" void volatile_words(const float* x,  // [n]
                               float* out,  // [n]
                               int64_t n, cudaStream_t stream = 0) {
    volatile_words_kernel<<<4, 64, 0, stream>>>(x, out + 256, out);
}
extern "C" void only_arrived(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n, cudaStream_t stream = 0) {
    only_arrived_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void only_arrived_right(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n, cudaStream_t stream = 0) {
    only_arrived_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void source_of_another(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    source_of_another_kernel<false><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void source_of_another_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n, cudaStream_t stream = 0) {
    source_of_another_kernel<true><<<1, 256, 0, stream>>>(x, out);
}
extern "C" void summed_by_atomics(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    summed_by_atomics_kernel<false><<<3, 256, 0, stream>>>(x, out);
}
extern "C" void summed_by_atomics_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n, cudaStream_t stream = 0) {
    summed_by_atomics_kernel<true><<<3, 256, 0, stream>>>(x, out);
}
extern "C" void unfenced_reader(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n, cudaStream_t stream = 0) {
    unfenced_reader_kernel<false><<<4, 256, 0, stream>>>(x, out);
}
extern "C" void unfenced_reader_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    unfenced_reader_kernel<true><<<4, 256, 0, stream>>>(x, out);
}

// Not a race, but structs that nvcc copies in pieces as wide as their alignment (LDG.E, .E.64, .E.U16, .E.U8 by nvcc
// 13.0 for sm_90); from shared memory, whose layout it knows, in one (STS.64, LDS.128).
struct Complex {
    float re, im;
};
typedef struct {
    float a, b, c, d;
} Four;
struct Pair {
    double a, b;
};
struct Six {
    float v[6];
};
struct Short {
    short a;
    unsigned char b, c;
};
template <typename T>
__global__ void copied_kernel(const T* x, T* out) {
    __shared__ T all[32];
    all[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = all[31 - threadIdx.x];
}
extern "C" void copied_2_floats(const float* x, float* out, int64_t n) {
    copied_kernel<<<1, 32>>>((const Complex*)x, (Complex*)out);
}
extern "C" void copied_4_floats(const float* x, float* out, int64_t n) {
    copied_kernel<<<1, 32>>>((const Four*)x, (Four*)out);
}
extern "C" void copied_2_doubles(const float* x, float* out, int64_t n) {
    copied_kernel<<<1, 32>>>((const Pair*)x, (Pair*)out);
}
extern "C" void copied_6_floats(const float* x, float* out, int64_t n) {
    copied_kernel<<<1, 32>>>((const Six*)x, (Six*)out);
}
extern "C" void copied_shorts(const float* x, float* out, int64_t n) {
    copied_kernel<<<1, 32>>>((const Short*)x, (Short*)out);
}

// ---- what comes before the atomics of others --------------------------------------------------------------

template <bool RIGHT>
__global__ void zeroed_unwaited_kernel(const float* x, float* out) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    if (RIGHT) __syncthreads();
    if (x[threadIdx.x] > 50) atomicAdd(&n, 1);
    __syncthreads();
    if (threadIdx.x == 0) *out = n;
}

template <bool RIGHT>
__global__ void zeroed_for_a_warp_kernel(const float* x, float* out) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    if (RIGHT) {
        __syncthreads();
    } else {
        __syncwarp();
    }
    if (x[threadIdx.x] > 50) atomicAdd(&n, 1);
    __syncthreads();
    if (threadIdx.x == 0) *out = n;
}

template <bool RIGHT>
__global__ void barrier_not_begun_kernel(const float* x, float* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ float s[256];
    if (threadIdx.x == 0) init(&all, 256);
    if (RIGHT) __syncthreads();
    s[threadIdx.x] = x[threadIdx.x];
    all.arrive_and_wait();
    out[threadIdx.x] = s[255 - threadIdx.x];
}

// Shared memory of a type without a name, in several blocks.
template <bool RIGHT>
__global__ void own_type_kernel(const float* x, float* out) {
    __shared__ union {
        float values[256];
        int numbers[256];
    } both;
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    both.values[t] = x[i];
    __syncthreads();
    const float value = both.values[255 - t];
    if (RIGHT) __syncthreads();
    both.numbers[t] = t;
    __syncthreads();
    out[i] = value + both.numbers[255 - t];
}
extern "C" void zeroed_unwaited(const float* x, float* out, int64_t n) {
    zeroed_unwaited_kernel<false><<<1, 256>>>(x, out);
}
extern "C" void zeroed_unwaited_right(const float* x, float* out, int64_t n) {
    zeroed_unwaited_kernel<true><<<1, 256>>>(x, out);
}
extern "C" void zeroed_for_a_warp(const float* x, float* out, int64_t n) {
    zeroed_for_a_warp_kernel<false><<<1, 256>>>(x, out);
}
extern "C" void zeroed_for_a_warp_right(const float* x, float* out, int64_t n) {
    zeroed_for_a_warp_kernel<true><<<1, 256>>>(x, out);
}
extern "C" void barrier_not_begun(const float* x, float* out, int64_t n) {
    barrier_not_begun_kernel<false><<<1, 256>>>(x, out);
}
extern "C" void barrier_not_begun_right(const float* x, float* out, int64_t n) {
    barrier_not_begun_kernel<true><<<1, 256>>>(x, out);
}
extern "C" void own_type(const float* x, float* out, int64_t n) {
    own_type_kernel<false><<<4, 256>>>(x, out);
}
extern "C" void own_type_right(const float* x, float* out, int64_t n) {
    own_type_kernel<true><<<4, 256>>>(x, out);
}

// ---- many bytes at once -----------------------------------------------------------------------------------

#include <cstring>

template <bool RIGHT>
__global__ void copied_by_memcpy_kernel(const float* x, float* out) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    if (t % 32 == 0) std::memcpy(&s[t], &x[t], 128);
    if (RIGHT) __syncthreads();
    out[t] = s[255 - t];
}

template <bool RIGHT>
__global__ void cleared_by_memset_kernel(const float* x, float* out) {
    __shared__ int counts[256];
    const int t = threadIdx.x;
    if (t == 0) memset(counts, 0, sizeof counts);
    if (RIGHT) __syncthreads();
    atomicAdd(&counts[static_cast<int>(x[t]) % 256], 1);
    __syncthreads();
    out[t] = counts[t];
}

struct Row {
    float values[32];
};
template <bool RIGHT>
__global__ void copied_rows_kernel(const float* x, float* out) {
    __shared__ Row rows[8];
    const int t = threadIdx.x;
    if (t < 8) rows[t] = reinterpret_cast<const Row*>(x)[t];
    __syncthreads();
    const float first = rows[7 - t % 8].values[t % 32];
    if (RIGHT) __syncthreads();
    if (t < 8) rows[t] = reinterpret_cast<const Row*>(x)[t + 8];
    __syncthreads();
    out[t] = first + rows[0].values[t % 32];
}

__global__ void copied_to_a_pack_kernel(const float* x, float* out) {
    float pack[4];
    memcpy(pack, x + 4 * threadIdx.x, sizeof pack);
    out[threadIdx.x] = pack[0] + pack[1] + pack[2] + pack[3];
}
extern "C" void copied_to_a_pack(const float* x, float* out, int64_t n) {
    copied_to_a_pack_kernel<<<1, 32>>>(x, out);
}
extern "C" void copied_by_memcpy(const float* x, float* out, int64_t n) {
    copied_by_memcpy_kernel<false><<<1, 256>>>(x, out);
}
extern "C" void copied_by_memcpy_right(const float* x, float* out, int64_t n) {
    copied_by_memcpy_kernel<true><<<1, 256>>>(x, out);
}
extern "C" void cleared_by_memset(const float* x, float* out, int64_t n) {
    cleared_by_memset_kernel<false><<<1, 256>>>(x, out);
}
extern "C" void cleared_by_memset_right(const float* x, float* out, int64_t n) {
    cleared_by_memset_kernel<true><<<1, 256>>>(x, out);
}
template <bool RIGHT>
__global__ void copied_vectors_kernel(const float* x, float* out) {
    __shared__ float2 s[128];
    const int t = threadIdx.x;
    const float2* packs = reinterpret_cast<const float2*>(x);
    float sum = 0;
    for (int round = 0; round < 4; ++round) {
        if (t < 128) s[t] = packs[round * 128 + t];
        __syncthreads();
        sum += s[127 - t % 128].y;
        if (RIGHT) __syncthreads();
    }
    out[t] = sum;
}
extern "C" void copied_rows(const float* x, float* out, int64_t n) {
    copied_rows_kernel<false><<<1, 256>>>(x, out);
}
extern "C" void copied_rows_right(const float* x, float* out, int64_t n) {
    copied_rows_kernel<true><<<1, 256>>>(x, out);
}
extern "C" void copied_vectors(const float* x, float* out, int64_t n) {
    copied_vectors_kernel<false><<<1, 256>>>(x, out);
}
extern "C" void copied_vectors_right(const float* x, float* out, int64_t n) {
    copied_vectors_kernel<true><<<1, 256>>>(x, out);
}

// Most additions of the first rounds change nothing.
template <bool RIGHT>
__global__ void tree_of_few_kernel(const float* x, float* out) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = t < 33 ? x[t] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        if (RIGHT) __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}
extern "C" void tree_of_few(const float* x, float* out, int64_t n) {
    tree_of_few_kernel<false><<<1, 256>>>(x, out);
}
extern "C" void tree_of_few_right(const float* x, float* out, int64_t n) {
    tree_of_few_kernel<true><<<1, 256>>>(x, out);
}
