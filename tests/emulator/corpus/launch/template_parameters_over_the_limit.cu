// A lookup table of 33 KB goes by value: a kernel's parameters have 32764 bytes.
#include <cuda_runtime.h>
template <int N> struct Table { float v[N]; __device__ float operator()(float x) const { return v[min(N - 1, max(0, int(x * N)))]; } };
template <class T> __global__ void kernel(const float* a, float* out, int n, T table) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table(a[i]);
}
extern "C" void launch(const float* a,  // [n]
                       float* out,      // [n]
                       int n) {
    static Table<8250> t;
    for (int i = 0; i < 8250; ++i) t.v[i] = i;
    kernel<<<(n + 127) / 128, 128>>>(a, out, n, t);
}
