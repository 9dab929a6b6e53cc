// Pitched rows set, copied and shifted by 2D calls, with a hint where managed memory should lie.
#include <cuda_runtime.h>
__global__ void k(const float* rows, size_t pitch, const float* one, float* out, int width, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y * width + x >= n) return;
    const auto* row = reinterpret_cast<const float*>(reinterpret_cast<const char*>(rows) + y * pitch);
    out[y * width + x] = row[x + 1] + row[0] + *one;  // the first column is 0
}
extern "C" void launch(const float* a, float* out, int n) {
    const int width = 40, height = n / width;
    float *rows, *one;
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, (width + 1) * sizeof(float), height);
    cudaMemset2DAsync(rows, pitch, 0, (width + 1) * sizeof(float), height);
    cudaMemcpy2DAsync(rows + 1, pitch, a, width * sizeof(float), width * sizeof(float), height, cudaMemcpyDeviceToDevice);
    cudaMallocManaged(&one, sizeof(float), cudaMemAttachGlobal);
    *one = 1;
    cudaMemLocation location{cudaMemLocationTypeDevice, 0};
    cudaMemAdvise(one, sizeof(float), cudaMemAdviseSetReadMostly, location);
    cudaMemPrefetchAsync(one, sizeof(float), location, 0, nullptr);
    const dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
    k<<<grid, block>>>(rows, pitch, one, out, width, n);
    cudaDeviceSynchronize();
    cudaFree(one);
    cudaFree(rows);
}
