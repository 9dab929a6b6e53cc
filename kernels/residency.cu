// How long does a block occupy its place on a multiprocessor? Blocks that do nothing, load, store, or both.
//
// With one block an SM at a time (`shared_bytes` leaves no place for two) the blocks of a launch follow one
// another; the time that one more wave of blocks costs is a block's residency. The memory is idle meanwhile.
// A thread's share: one element. Loads: one of 4 bytes, or none. Block size: 32 threads.
#include <cuda_runtime.h>

#include <cstdint>

template <bool LOAD, bool STORE>
__global__ void residency_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = 0.0f;
    if (LOAD) value = x[i];
    // Without a store the value must still be waited for: no input is this number.
    if (STORE || (LOAD && value == -1.2345678e33f)) out[i] = value;
}

template <bool LOAD, bool STORE>
static void launch(const float* x, float* out, int64_t n, int shared_bytes, int block_size, cudaStream_t stream) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    cudaFuncSetAttribute(residency_kernel<LOAD, STORE>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    residency_kernel<LOAD, STORE>
        <<<static_cast<unsigned>(blocks), block_size, shared_bytes, stream>>>(x, out, n);
}

extern "C" void residency(const float* x,  // [n]
                          float* out,      // [n]
                          int64_t n, int loads = 1, int stores = 1, int shared_bytes = 0, int block_size = 32,
                          cudaStream_t stream = 0) {
    if (n == 0) return;
    if (loads && stores) launch<true, true>(x, out, n, shared_bytes, block_size, stream);
    if (loads && !stores) launch<true, false>(x, out, n, shared_bytes, block_size, stream);
    if (!loads && stores) launch<false, true>(x, out, n, shared_bytes, block_size, stream);
    if (!loads && !stores) launch<false, false>(x, out, n, shared_bytes, block_size, stream);
}
