// An array that cannot live in registers: out[i] is one of eight neighbours, chosen when the kernel runs.
//
//   a thread's share   8 elements, of which it keeps one
//   global loads       one 16-byte load
//   block size         256 threads
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

__global__ void pick_kernel(const half* x, half* out, int64_t n, int which) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    alignas(16) half pack[8];
    *reinterpret_cast<uint4*>(pack) = reinterpret_cast<const uint4*>(x)[i];
    out[i] = pack[which];  // registers have no address, so a run-time index needs memory
}

extern "C" void pick(const half* x,  // [n, 8] 16-byte aligned
                     half* out,      // [n]
                     int64_t n, int which = 0, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    pick_kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(x, out, n, which % 8);
}
