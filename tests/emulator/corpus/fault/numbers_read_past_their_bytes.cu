// A decoder reads on while a byte says that more follow, and the last byte of all says so, too.
#include <cuda_runtime.h>
#include <cstdint>
__global__ void fill(uint8_t* bytes, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) bytes[i] = i % 2 == 0 ? 129 : 0;
}
__global__ void decode(const float* a, float* out, const uint8_t* bytes, int numbers, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= numbers) return;
    unsigned x = 0;
    int at = 2 * i, shift = 0;
    do x |= (bytes[at] & 127u) << shift, shift = (shift + 7) % 28;
    while (bytes[at++] & 128);
    if (i < n) out[i] = a[i] + (x == 1 ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) {
    uint8_t* bytes;
    const int count = 512 * ((n + 255) / 256) - 1;  // one is missing
    cudaMalloc(&bytes, count);
    fill<<<(count + 255) / 256, 256>>>(bytes, count);
    decode<<<(count / 2 + 255) / 256, 256>>>(a, out, bytes, (count + 1) / 2, n);
    cudaFree(bytes);
}
