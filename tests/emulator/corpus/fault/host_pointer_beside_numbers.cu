// A struct with padding and a float holds the address of a vector of the launcher.
#include <cuda_runtime.h>
#include <vector>
struct Args {
    const float* a;
    float scale;
    const float* ones;
    int n;
};
__global__ void add_one(Args args, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < args.n) out[i] = args.a[i] + args.scale * args.ones[i];
}
extern "C" void launch(const float* a, float* out, int n) {
    std::vector<float> ones(n, 1.0f);
    add_one<<<(n + 255) / 256, 256>>>(Args{a, 1.0f, ones.data(), n}, out);
}
