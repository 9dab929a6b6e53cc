// float t[4] in local memory: a float2 from its second element on.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n, int zero) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    char first[1];
    float t[4];
    first[zero] = 1;
    for (int j = 0; j < int(sizeof t / sizeof *t); ++j) t[j ^ zero] = 0;
    const float2 v = *reinterpret_cast<float2*>(t + 1 + zero);
    if (i < n) out[i] = a[i] + first[zero] + v.x + v.y;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n, 0);
}
