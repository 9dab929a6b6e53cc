// The vectors of 32 bytes of CUDA 13, aligned to 16 and to 32; old vectors of long long by their functions.
#include <cuda_runtime.h>
static_assert(sizeof(double4_16a) == 32 && alignof(double4_16a) == 16 && alignof(double4_32a) == 32);
static_assert(alignof(longlong2) == 16 && alignof(ulonglong4_32a) == 32 && sizeof(float3) == 12);
__global__ void k(const float* a, float* out, int n) {
    __shared__ double4_32a tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    if (4 * i < n) {
        const float4 v = reinterpret_cast<const float4*>(a)[i];
        tile[t] = make_double4_32a(v.x, v.y, v.z, v.w);
    }
    __syncthreads();
    if (4 * i >= n) return;
    double4_16a v = make_double4_16a(tile[t].w, tile[t].z, tile[t].y, tile[t].x);
    const longlong2 one = make_longlong2(1, 2);
    const ulonglong4_16a three = {1ull, 2ull, 3ull, 4ull};
    v.x += one.x, v.y += one.y - one.x, v.z += three.z - 2, v.w += three.w - three.z;
    reinterpret_cast<float4*>(out)[i] = make_float4(float(v.w), float(v.z), float(v.y), float(v.x));
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n / 4 + 63) / 64, 64>>>(a, out, n); }
