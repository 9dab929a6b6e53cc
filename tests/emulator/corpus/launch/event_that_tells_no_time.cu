// Without a recorded event, or with one that takes no time, cudaEventElapsedTime is an error.
#include <cuda_runtime.h>
__global__ void add(const float* a, float* out, float more, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + more;
}
extern "C" void launch(const float* a, float* out, int n) {
    cudaEvent_t from, to, untimed;
    float ms = -1;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    cudaEventRecord(from);
    cudaEventRecord(untimed);
    const bool refused = cudaEventElapsedTime(&ms, from, to) == cudaErrorInvalidResourceHandle &&
                         cudaEventElapsedTime(&ms, from, untimed) == cudaErrorInvalidResourceHandle;
    cudaGetLastError();
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to);
    add<<<(n + 255) / 256, 256>>>(a, out, refused && ms >= 0 ? 1.0f : 2.0f, n);
}
