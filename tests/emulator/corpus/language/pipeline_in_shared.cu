// The state of a pipeline in shared memory: nvcc's word of its constructor is a warning.
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float buffer[256];
    const auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int64_t first = blockIdx.x * int64_t{blockDim.x};
    const int64_t count = n - first < 256 ? n - first : 256;
    pipe.producer_acquire();
    cuda::memcpy_async(block, buffer, a + first, sizeof(float) * count, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    if (threadIdx.x < count) out[first + threadIdx.x] = buffer[threadIdx.x] + 1.0f;
    pipe.consumer_release();
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
