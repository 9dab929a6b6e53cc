// Conversions between eight bits and wider types, all of a kind in one launch.
#include <cuda_fp8.h>

__global__ void widen(const unsigned char* x, float* out) {
    const int i = threadIdx.x;
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    a.__x = b.__x = x[i];
    out[i] = float(a);
    out[256 + i] = __half2float(__half(b));
    const __half2 pair(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(x[i] << 8), __NV_E5M2));
    out[512 + i] = __high2float(pair);
    out[768 + i] = int(a);
}

__global__ void narrow(const float* x, unsigned char* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = __nv_fp8_e4m3(x[i]).__x;
    out[n + i] = __nv_fp8_e5m2(x[i]).__x;
    out[2 * n + i] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E4M3);
    out[3 * n + i] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E5M2);
}

// Sixteen bytes at a time, in fours.
__global__ void packs(const uint4* x, float4* wide, uint4* back) {
    const int i = threadIdx.x;
    uint4 pack = x[i];
    auto* fours = reinterpret_cast<__nv_fp8x4_e4m3*>(&pack);
    for (int j = 0; j < 4; ++j) {
        wide[4 * i + j] = float4(fours[j]);
        fours[j] = __nv_fp8x4_e4m3(wide[4 * i + j]);
    }
    back[i] = pack;
}

extern "C" void run_widen(const unsigned char* x, float* out) { widen<<<1, 256>>>(x, out); }
extern "C" void run_narrow(const float* x, unsigned char* out, int64_t n) {
    narrow<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, out, static_cast<int>(n));
}
extern "C" void run_packs(const unsigned char* x, float* wide, unsigned char* back) {
    packs<<<1, 16>>>(reinterpret_cast<const uint4*>(x), reinterpret_cast<float4*>(wide), reinterpret_cast<uint4*>(back));
}
