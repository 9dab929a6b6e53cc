// A copy within the GPU, in a stream that waits for another one's kernel.
#include <cstdint>

__global__ void add_one(const float* a, float* sum, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) sum[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t) {
    float* sum;
    cudaMalloc(&sum, n * sizeof(float));
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t done;
    cudaEventCreate(&done);
    add_one<<<unsigned((n + 255) / 256), 256, 0, first>>>(a, sum, n);
    cudaEventRecord(done, first);
    cudaStreamWaitEvent(second, done, 0);
    cudaMemcpyAsync(out, sum, n * sizeof(float), cudaMemcpyDeviceToDevice, second);
    cudaStreamSynchronize(second);
    cudaEventDestroy(done);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(sum);
}
