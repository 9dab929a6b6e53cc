// A CRC of pieces that threads take, joined by multiplication of polynomials modulo two; the table is made at compile time.
#include <cuda_runtime.h>
#include <cstdint>
struct Table {
    uint32_t of[256];
    constexpr Table() : of{} {
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t x = i;
            for (int bit = 0; bit < 8; ++bit) x = x & 1 ? x >> 1 ^ 0xedb88320u : x >> 1;
            of[i] = x;
        }
    }
};
__constant__ Table table{};
__device__ uint32_t byte_of(int i) { return static_cast<uint32_t>(i * 167 + 13) & 255; }
__device__ uint32_t times(uint32_t x, uint32_t y) {
    uint32_t product = 0;
    for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
        if (x & bit) product ^= y;
        y = y & 1 ? y >> 1 ^ 0xedb88320u : y >> 1;
    }
    return product;
}
__device__ uint32_t shifted(uint32_t crc, int bytes) {
    uint32_t power = 1u << 23;  // x to the 8th
    for (; bytes; bytes >>= 1, power = times(power, power)) {
        if (bytes & 1) crc = times(crc, power);
    }
    return crc;
}
__global__ void k(const float* a, float* out, int n, int length) {
    __shared__ uint32_t whole;
    if (threadIdx.x == 0) whole = 0;
    __syncthreads();
    const int each = (length + blockDim.x - 1) / blockDim.x, first = min(length, int(threadIdx.x) * each), end = min(length, first + each);
    uint32_t crc = threadIdx.x == 0 ? ~0u : 0u;
    for (int i = first; i < end; ++i) crc = crc >> 8 ^ table.of[(crc ^ byte_of(i)) & 255];
    atomicXor(&whole, shifted(crc, length - end));
    __syncthreads();
    uint32_t plain = ~0u;
    for (int i = 0; i < length; ++i) plain = plain >> 8 ^ table.of[(plain ^ byte_of(i)) & 255];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a[i] + (whole == plain);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<2, 96>>>(a, out, n, 1001); }
