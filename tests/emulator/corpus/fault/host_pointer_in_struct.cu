// A functor that holds the address of a variable of the launcher.
#include <cuda_runtime.h>
template <typename F> __global__ void run(F f, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}
struct Add {
    const float* a;
    float* out;
    const float* b;
    __device__ void operator()(int i) const { out[i] = a[i] + *b; }
};
extern "C" void launch(const float* a, float* out, int n) {
    float one = 1;
    run<<<(n + 255) / 256, 256>>>(Add{a, out, &one}, n);
}
