// Races that a trace must find, and kernels that look alike and are right.
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
extern "C" void in_step(const float* x,  // [n]
                        float* out,      // [n]
                        int64_t n, cudaStream_t stream = 0) {
    lockstep<<<1, 32, 0, stream>>>(x, out);
}
