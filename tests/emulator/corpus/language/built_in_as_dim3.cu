// threadIdx and blockDim as dim3 and as uint3: assigned, passed and bound.
#include <cstdint>

__device__ unsigned volume(dim3 size) { return size.x * size.y * size.z; }
__device__ unsigned first(const uint3& place) { return place.x; }

__global__ void k(const float* a, float* out, int64_t n) {
    dim3 size = blockDim, place;
    uint3 block = gridDim;
    place = threadIdx;
    block = blockIdx;
    const int64_t i = int64_t{first(block)} * volume(size) + place.x;
    if (i < n) out[i] = a[i] + 1.0f * (volume(blockDim) == volume(size));
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
