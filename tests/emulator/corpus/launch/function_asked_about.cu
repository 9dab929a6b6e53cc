// What the runtime says of a kernel, a device by its bus, and its links.
#include <cuda_runtime.h>
#include <cstring>
__global__ void __launch_bounds__(256) add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    const char* name = nullptr;
    cudaFuncGetName(&name, (const void*)add_one);
    char bus[32];
    int device = -1, count = 0;
    cudaGetDeviceCount(&count);
    cudaDeviceGetPCIBusId(bus, sizeof bus, 0);
    cudaDeviceGetByPCIBusId(&device, bus);
    if (name && std::strstr(name, "add_one") && device == 0 && count > 0) add_one<<<(n + 255) / 256, 256>>>(a, out, n);
}
