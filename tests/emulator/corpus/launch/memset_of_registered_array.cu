// Sets memory of the host that is registered.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    float* mine = new float[n];
    cudaHostRegister(mine, n * sizeof(float), cudaHostRegisterDefault);
    cudaMemset(mine, 0, n * sizeof(float));
    cudaHostUnregister(mine);
    delete[] mine;
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
