// Are the threads of a warp always at the same line? In each block, threads 0 and 1, 2 and 3, ... swap their
// elements through shared memory; a thread without a partner keeps its own.
//   swap_synced    __syncwarp() between the write and the read: every lane has written, and all can see it;
//   swap_unsynced  without it. It needs the warp to run in step, which no GPU promises since Volta (cc 7.0):
//                  a lane may read before its neighbour has written. It is here to be caught, not to be used.
// A thread's share: 1 element, one 4-byte load. Block: any size up to 1,024, 256 by default.
#include <cuda_runtime.h>

#include <cstdint>

template <bool SYNCED>
__global__ void swap_kernel(const float* x, float* out, int64_t n) {
    __shared__ float shared[1024];
    const int t = threadIdx.x;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + t;
    if (i < n) shared[t] = x[i];
    if (SYNCED) __syncwarp();  // before the test of i below: every lane of the warp comes here
    const int partner = t ^ 1;  // of the same warp
    const bool has_one = partner < static_cast<int>(blockDim.x) && i - t + partner < n;
    if (i < n) out[i] = shared[has_one ? partner : t];
}

extern "C" void swap_synced(const float* x,  // [n]
                            float* out,      // [n]
                            int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    const int64_t blocks = (n + block_size - 1) / block_size;
    swap_kernel<true><<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(x, out, n);
}

extern "C" void swap_unsynced(const float* x,  // [n]
                              float* out,      // [n]
                              int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    const int64_t blocks = (n + block_size - 1) / block_size;
    swap_kernel<false><<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(x, out, n);
}
