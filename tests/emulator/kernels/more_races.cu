// Races of more classes: each launcher has a twin that is right.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdint>
namespace cg = cooperative_groups;
// kRight: with what is missing otherwise.
#define KERNEL template <bool kRight> __global__ void
KERNEL flag_k(const float* x, float* out) {
    volatile int* const flag = reinterpret_cast<volatile int*>(out + 1023);
    if (blockIdx.x == 0) {
        out[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) {
            if (kRight) __threadfence();
            *flag = 1;
        }
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {
            }
            if (kRight) __threadfence();
        }
        __syncthreads();
        out[256 + threadIdx.x] = 2 * out[255 - threadIdx.x];
    }
}
KERNEL pingpong_k(const float* x, float* out) {
    __shared__ float s[2][256];
    int now = 0;
    s[0][threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int r = 0; r < 3; ++r) {
        s[1 - now][threadIdx.x] = s[now][(threadIdx.x + 33) % 256] + 1;
        if (kRight || r != 1) __syncthreads();
        now = 1 - now;
    }
    out[threadIdx.x] = s[now][threadIdx.x];
}
template <bool kRight>
__device__ float block_sum(float v) {
    __shared__ float of_warp[8];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (kRight) __syncthreads();
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < 8; ++w) sum += of_warp[w];
    return sum;
}
KERNEL twice_k(const float* x, float* out) {
    const float mean = block_sum<kRight>(x[threadIdx.x]) / 256;
    const float d = x[threadIdx.x] - mean;
    out[threadIdx.x] = block_sum<kRight>(d * d);
}
KERNEL last_k(const float* x, float* out) {
    __shared__ bool last;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    if (threadIdx.x < 4) out[100 + blockIdx.x * 4 + threadIdx.x] = x[threadIdx.x] + blockIdx.x;
    if (kRight) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned k = 0; k < 4 * gridDim.x; ++k) sum += out[100 + k];
        out[0] = sum;
    }
}
KERNEL tail_k(const float* x, float* out) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 128; d > 16; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        float v = s[t];
        for (int d = 16; d > 0; d /= 2) {
            v += s[t + d];
            if (kRight) __syncwarp();
            s[t] = v;
            if (kRight) __syncwarp();
        }
        if (t == 0) out[0] = v;
    }
}
KERNEL private_k(const float* x, float* out) {
    __shared__ int bins[8][16];
    if (threadIdx.x < 128) bins[threadIdx.x / 16][threadIdx.x % 16] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x / 32][static_cast<int>(x[threadIdx.x]) & 15], 1);
    if (kRight) __syncthreads();
    if (threadIdx.x < 16) {
        int sum = 0;
        for (int w = 0; w < 8; ++w) sum += bins[w][threadIdx.x];
        out[threadIdx.x] = static_cast<float>(sum);
    }
}
KERNEL prefix_k(const float* x, float* out) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        const float v = t >= d ? s[t - d] : 0.0f;
        __syncthreads();
        s[t] += v;
        if (kRight) __syncthreads();
    }
    __syncthreads();
    out[t] = s[t];
}
KERNEL oddeven_k(const float* x, float* out) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int round = 0; round < 8; ++round) {
        const int a = 2 * t + round % 2;
        if (t < 128 && a + 1 < 256 && s[a] > s[a + 1]) {
            const float v = s[a];
            s[a] = s[a + 1];
            s[a + 1] = v;
        }
        if (kRight)
            __syncthreads();
        else
            __syncwarp();
    }
    __syncthreads();
    out[t] = s[t];
}
KERNEL halo_k(const float* x, float* out) {
    __shared__ float s[258];
    const int t = threadIdx.x;
    s[t + 1] = x[t];
    if (kRight && t == 0) s[0] = 0, s[257] = 0;
    __syncthreads();
    if (!kRight && t == 0) s[0] = 0, s[257] = 0;
    out[t] = s[t] + s[t + 2];
}
KERNEL queue_k(const float* x, float* out) {
    __shared__ unsigned next;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    while (true) {
        if (threadIdx.x == 0) next = atomicAdd(count, 1);
        __syncthreads();
        const unsigned mine = next;
        if (kRight) __syncthreads();
        if (mine >= 3) break;
        out[mine * 256 + threadIdx.x] = x[threadIdx.x];
    }
}
KERNEL spin_k(const float* x, float* out) {
    unsigned* const lock = reinterpret_cast<unsigned*>(out + 1023);
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        out[0] += x[blockIdx.x];
        if (kRight) __threadfence();
        atomicExch(lock, 0);
    }
}
KERNEL counted_k(const float* x, float* out) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    if (x[threadIdx.x] > 0) atomicAdd(&n, 1);
    if (kRight) __syncthreads();
    out[threadIdx.x] = n;
}
KERNEL shift_k(const float* x, float* out) {
    out[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x + 256] = x[threadIdx.x];
    __syncthreads();
    const float next = out[threadIdx.x + 1];
    if (kRight) __syncthreads();
    out[threadIdx.x] = next;
}
KERNEL tile_k(const float* x, float* out) {
    __shared__ float s[256];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    s[threadIdx.x] = x[threadIdx.x];
    if (kRight) tile.sync();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
KERNEL halves_k(const float* x, float* out) {
    __shared__ float s[256];
    const int lane = threadIdx.x % 32;
    s[threadIdx.x] = x[threadIdx.x];
    if (lane < 16)
        __syncwarp(0xffff);
    else
        __syncwarp(0xffff0000);
    out[threadIdx.x] = s[threadIdx.x ^ (kRight ? 8 : 16)];
}
KERNEL vector_k(const float* x, float* out) {
    __shared__ alignas(16) float s[1280];
    s[threadIdx.x + 1024] = x[threadIdx.x];
    float4* const packs = reinterpret_cast<float4*>(s);
    packs[threadIdx.x + (kRight || threadIdx.x < 255 ? 0 : 1)] = make_float4(1, 2, 3, 4);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 1024];
}
KERNEL bytes_k(const float* x, float* out) {
    __shared__ unsigned words[64];
    if (threadIdx.x < 64) words[threadIdx.x] = 0;
    __syncthreads();
    const unsigned v = static_cast<unsigned>(x[threadIdx.x]) & 255 | 1;
    if (kRight) {
        reinterpret_cast<unsigned char*>(words)[threadIdx.x] = static_cast<unsigned char>(v);
    } else {
        words[threadIdx.x / 4] |= v << threadIdx.x % 4 * 8;
    }
    __syncthreads();
    out[threadIdx.x] = static_cast<float>(words[threadIdx.x / 4]);
}
KERNEL early_k(const float* x, float* out) {  // a buffer that is written again while others read
    __shared__ float s[256];
    float v = x[threadIdx.x];
    for (int r = 0; r < 4; ++r) {
        s[threadIdx.x] = v;
        __syncthreads();
        v += s[(threadIdx.x + 64) % 256];
        if (kRight) __syncthreads();
    }
    out[threadIdx.x] = v;
}
KERNEL max_k(const float* x, float* out) {
    int* const most = reinterpret_cast<int*>(out + 1000);
    if (kRight) {
        atomicMax(most, static_cast<int>(x[threadIdx.x]));
    } else if (static_cast<int>(x[threadIdx.x]) > *most) {
        *most = static_cast<int>(x[threadIdx.x]);
    }
}
KERNEL transposed_k(const float* x, float* out) {  // in place, pairs swapped by both threads
    const int r = threadIdx.x / 16, c = threadIdx.x % 16;
    out[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (kRight ? r < c : r != c) {
        const float a = out[r * 16 + c], b = out[c * 16 + r];
        out[r * 16 + c] = b;
        out[c * 16 + r] = a;
    }
}
extern "C" void flag_right(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { flag_k<true><<<2, 256>>>(x, out); }
extern "C" void flag_racy(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n) { flag_k<false><<<2, 256>>>(x, out); }
extern "C" void pingpong_right(const float* x,  // [n]
                               float* out,  // [n]
                               int64_t n) { pingpong_k<true><<<1, 256>>>(x, out); }
extern "C" void pingpong_racy(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n) { pingpong_k<false><<<1, 256>>>(x, out); }
extern "C" void twice_right(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n) { twice_k<true><<<1, 256>>>(x, out); }
extern "C" void twice_racy(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { twice_k<false><<<1, 256>>>(x, out); }
extern "C" void last_right(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { last_k<true><<<5, 256>>>(x, out); }
extern "C" void last_racy(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n) { last_k<false><<<5, 256>>>(x, out); }
extern "C" void tail_right(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { tail_k<true><<<1, 256>>>(x, out); }
extern "C" void tail_racy(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n) { tail_k<false><<<1, 256>>>(x, out); }
extern "C" void private_right(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n) { private_k<true><<<1, 256>>>(x, out); }
extern "C" void private_racy(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n) { private_k<false><<<1, 256>>>(x, out); }
extern "C" void prefix_right(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n) { prefix_k<true><<<1, 256>>>(x, out); }
extern "C" void prefix_racy(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n) { prefix_k<false><<<1, 256>>>(x, out); }
extern "C" void oddeven_right(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n) { oddeven_k<true><<<1, 256>>>(x, out); }
extern "C" void oddeven_racy(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n) { oddeven_k<false><<<1, 256>>>(x, out); }
extern "C" void halo_right(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { halo_k<true><<<1, 256>>>(x, out); }
extern "C" void halo_racy(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n) { halo_k<false><<<1, 256>>>(x, out); }
extern "C" void queue_right(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n) { queue_k<true><<<2, 256>>>(x, out); }
extern "C" void queue_racy(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { queue_k<false><<<2, 256>>>(x, out); }
extern "C" void spin_right(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { spin_k<true><<<4, 256>>>(x, out); }
extern "C" void spin_racy(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n) { spin_k<false><<<4, 256>>>(x, out); }
extern "C" void counted_right(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n) { counted_k<true><<<1, 256>>>(x, out); }
extern "C" void counted_racy(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n) { counted_k<false><<<1, 256>>>(x, out); }
extern "C" void shift_right(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n) { shift_k<true><<<1, 256>>>(x, out); }
extern "C" void shift_racy(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { shift_k<false><<<1, 256>>>(x, out); }
extern "C" void tile_right(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { tile_k<true><<<1, 256>>>(x, out); }
extern "C" void tile_racy(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n) { tile_k<false><<<1, 256>>>(x, out); }
extern "C" void halves_right(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n) { halves_k<true><<<1, 256>>>(x, out); }
extern "C" void halves_racy(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n) { halves_k<false><<<1, 256>>>(x, out); }
extern "C" void vector_right(const float* x,  // [n]
                             float* out,  // [n]
                             int64_t n) { vector_k<true><<<1, 256>>>(x, out); }
extern "C" void vector_racy(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n) { vector_k<false><<<1, 256>>>(x, out); }
extern "C" void bytes_right(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n) { bytes_k<true><<<1, 256>>>(x, out); }
extern "C" void bytes_racy(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { bytes_k<false><<<1, 256>>>(x, out); }
extern "C" void early_right(const float* x,  // [n]
                            float* out,  // [n]
                            int64_t n) { early_k<true><<<1, 256>>>(x, out); }
extern "C" void early_racy(const float* x,  // [n]
                           float* out,  // [n]
                           int64_t n) { early_k<false><<<1, 256>>>(x, out); }
extern "C" void max_right(const float* x,  // [n]
                          float* out,  // [n]
                          int64_t n) { max_k<true><<<2, 256>>>(x, out); }
extern "C" void max_racy(const float* x,  // [n]
                         float* out,  // [n]
                         int64_t n) { max_k<false><<<2, 256>>>(x, out); }
extern "C" void transposed_right(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n) { transposed_k<true><<<1, 256>>>(x, out); }
extern "C" void transposed_racy(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n) { transposed_k<false><<<1, 256>>>(x, out); }
