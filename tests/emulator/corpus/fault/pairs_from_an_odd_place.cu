// Pairs of doubles are read from memory carved behind an odd number of floats.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n, int floats) {
    extern __shared__ char raw[];
    float* f = reinterpret_cast<float*>(raw);
    double2* d = reinterpret_cast<double2*>(f + floats);
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < floats) f[t] = 1;
    d[t] = make_double2(i < n ? a[i] : 0., 0.);
    __syncthreads();
    if (i < n) out[i] = static_cast<float>(d[t].x) + f[t % floats];
}
extern "C" void launch(const float* a, float* out, int n) {
    const int floats = 65;
    k<<<(n + 127) / 128, 128, floats * sizeof(float) + 128 * sizeof(double2) + 16>>>(a, out, n, floats);
}
