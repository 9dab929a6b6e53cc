// A kernel cannot be a member of a class, not even a static one.
#include <cuda_runtime.h>
template <class T> struct Adder {
    T by;
    static __global__ void run(const T* a, T* out, int n, T by) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = a[i] + by;
    }
    void operator()(const T* a, T* out, int n) const { run<<<(n + 255) / 256, 256>>>(a, out, n, by); }
};
extern "C" void launch(const float* a, float* out, int n) { Adder<float>{1.f}(a, out, n); }
