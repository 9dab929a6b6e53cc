// Numbers in one to five bytes are written at places that a scan of their lengths gives, and read back by ballots of the last bytes.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <cstdint>
__host__ __device__ inline uint32_t number(int i) { return static_cast<uint32_t>(i * 2654435761u) >> (i * 7 % 32); }
struct Length {
    __host__ __device__ int operator()(int i) const {
        int bytes = 1;
        for (uint32_t x = number(i); x >= 128; x >>= 7) ++bytes;
        return bytes;
    }
};
__global__ void lengths(int* length, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) length[i] = Length{}(i);
}
__global__ void encode(const int* ends, uint8_t* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint8_t* at = to + (i ? ends[i - 1] : 0);
    uint32_t x = number(i);
    for (; x >= 128; x >>= 7) *at++ = static_cast<uint8_t>(x | 128);
    *at = static_cast<uint8_t>(x);
}
__global__ void decode(const float* a, float* out, const uint8_t* from, const int* ends, int n) {
    const int lane = threadIdx.x, bytes = ends[n - 1];
    int done = 0;
    for (int first = 0; first < bytes; first += 28) {  // four bytes more, as a number may end behind these
        const int at = first + lane;
        const uint8_t byte = at < bytes ? from[at] : 128;
        const unsigned last = __ballot_sync(~0u, byte < 128);
        const unsigned before = __shfl_up_sync(~0u, byte, 1);
        const bool begins = lane < 28 && at < bytes && (lane ? before < 128 : first == 0 || from[first - 1] < 128);
        const unsigned starts = __ballot_sync(~0u, begins);
        if (begins) {
            const int end = __ffs(last & ~((1u << lane) - 1)) - 1;
            uint32_t x = 0;
            for (int i = lane; i <= end; ++i) x |= static_cast<uint32_t>(from[first + i] & 127) << 7 * (i - lane);
            const int place = done + __popc(starts & ((1u << lane) - 1));
            out[place] = a[place] + (x == number(place) ? 1.0f : 0.0f);
        }
        done += __popc(starts);
    }
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    int* ends;
    uint8_t* packed;
    cudaMalloc(&ends, n * sizeof(int)), cudaMalloc(&packed, 5 * n);
    lengths<<<(n + 255) / 256, 256, 0, stream>>>(ends, n);
    void* temp = nullptr;
    size_t bytes;
    cub::DeviceScan::InclusiveSum(temp, bytes, ends, ends, n, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceScan::InclusiveSum(temp, bytes, ends, ends, n, stream);
    encode<<<(n + 255) / 256, 256, 0, stream>>>(ends, packed, n);
    decode<<<1, 32, 0, stream>>>(a, out, packed, ends, n);
    cudaStreamSynchronize(stream);
    cudaFree(temp), cudaFree(ends), cudaFree(packed);
}
