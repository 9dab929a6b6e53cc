// A struct of pointers and numbers as an argument.
#include <cuda_runtime.h>
struct Args {
    const float* a;
    float* out;
    size_t n;
    size_t stride;
};
__global__ void run(Args x) {
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x.n) x.out[i] = x.a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    Args args{a, out, size_t(n), 1};
    Args* p = &args;
    run<<<(n + 255) / 256, 256>>>(*p);
}
