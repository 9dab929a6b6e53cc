// What slows V5: its narrow loads, or its narrow stores? V5 and V6, and the two kernels between them.
//
// Eight elements a thread; loads and stores are each either one of 16 bytes (as V6) or four of 4 bytes, 16 bytes
// apart from lane to lane (as V5). All loads stand before the first add.
// Block size: 256 threads by default. n must be a multiple of 8.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kPairs = 4;

struct alignas(16) Pack {
    unsigned pair[kPairs];  // the bits of a half2 each
};

// The compiler does not join the narrow ones: it does not know that the address is a multiple of 16.
template <bool NARROW>
__device__ Pack load(const half* data) {
    Pack pack;
    if (!NARROW) *reinterpret_cast<uint4*>(pack.pair) = *reinterpret_cast<const uint4*>(data);
#pragma unroll
    for (int k = 0; NARROW && k < kPairs; ++k) pack.pair[k] = reinterpret_cast<const unsigned*>(data)[k];
    return pack;
}

template <bool NARROW>
__device__ void store(half* data, const Pack& pack) {
    if (!NARROW) *reinterpret_cast<uint4*>(data) = *reinterpret_cast<const uint4*>(pack.pair);
#pragma unroll
    for (int k = 0; NARROW && k < kPairs; ++k) reinterpret_cast<unsigned*>(data)[k] = pack.pair[k];
}

__device__ unsigned add_pair(unsigned x, unsigned y) {
    const half2 sum = __hadd2(*reinterpret_cast<half2*>(&x), *reinterpret_cast<half2*>(&y));
    return *reinterpret_cast<const unsigned*>(&sum);
}

template <bool LOADS, bool STORES>
__global__ void narrow_wide_kernel(const half* a, const half* b, half* out, int64_t n) {
    const int64_t i = 2 * kPairs * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const Pack x = load<LOADS>(a + i), y = load<LOADS>(b + i);
    Pack sum;
#pragma unroll
    for (int k = 0; k < kPairs; ++k) sum.pair[k] = add_pair(x.pair[k], y.pair[k]);
    store<STORES>(out + i, sum);
}

template <bool LOADS, bool STORES>
static void launch(const half* a, const half* b, half* out, int64_t n, int block_size, cudaStream_t stream) {
    const int64_t threads = n / (2 * kPairs), blocks = (threads + block_size - 1) / block_size;
    if (blocks == 0) return;
    narrow_wide_kernel<LOADS, STORES><<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);
}

extern "C" void narrow_wide(const half* a,  // [n] 16-byte aligned
                            const half* b,  // [n] 16-byte aligned
                            half* out,      // [n] 16-byte aligned
                            int64_t n, int narrow_loads = 1, int narrow_stores = 1, int block_size = 256,
                            cudaStream_t stream = 0) {
    if (narrow_loads && narrow_stores) launch<true, true>(a, b, out, n, block_size, stream);
    if (narrow_loads && !narrow_stores) launch<true, false>(a, b, out, n, block_size, stream);
    if (!narrow_loads && narrow_stores) launch<false, true>(a, b, out, n, block_size, stream);
    if (!narrow_loads && !narrow_stores) launch<false, false>(a, b, out, n, block_size, stream);
}
