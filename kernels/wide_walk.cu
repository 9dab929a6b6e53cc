// Bank conflicts of 16-byte reads: what if a lane reads four banks at once?
//
// A warp's 16-byte read goes by quarters of eight lanes, 128 bytes each: without a conflict it takes four wavefronts.
// Each lane follows a chain of `rounds` dependent reads, and the lanes stay `stride` packs of 16 bytes apart (0 to 8).
// Each thread writes where it ended: (lane * stride + rounds) mod 256.
//   a thread's share   its own chain, one 16-byte read in flight
//   block size         any up to 1,024, 256 by default
#include <cuda_runtime.h>

#include <cstdint>

constexpr int PACKS = 256;

__global__ void wide_walk_kernel(int* out, int64_t n, int stride, int rounds) {
    __shared__ int4 next[PACKS];
    for (int p = threadIdx.x; p < PACKS; p += blockDim.x) next[p] = make_int4((p + 1) % PACKS, 0, 0, 0);
    __syncthreads();
    int at = threadIdx.x % 32 * stride % PACKS;
    for (int r = 0; r < rounds; ++r) {
        const int4 pack = next[at];
        at = (pack.x | pack.y) | (pack.z | pack.w);  // all four words are used, so all are read
    }
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = at;
}

extern "C" void wide_walk(int* out,  // [n]
                          int64_t n, int stride = 1, int rounds = 1000, int block_size = 256,
                          cudaStream_t stream = 0) {
    if (n == 0) return;
    const int64_t blocks = (n + block_size - 1) / block_size;
    wide_walk_kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(out, n, stride, rounds);
}
