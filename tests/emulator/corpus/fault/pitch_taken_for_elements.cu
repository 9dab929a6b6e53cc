// The pitch of cudaMallocPitch, in bytes, is taken for elements.
#include <cuda_runtime.h>
__global__ void fill(float* rows, size_t pitch, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) rows[y * pitch + x] = 1;
}
__global__ void k(const float* a, const float* rows, size_t pitch, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + rows[i / 100 * pitch + i % 100];
}
extern "C" void launch(const float* a, float* out, int n) {
    float* rows;
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, 100 * sizeof(float), (n + 99) / 100);
    fill<<<dim3(1, (n + 99) / 100), 128>>>(rows, pitch, 100, (n + 99) / 100);
    k<<<(n + 255) / 256, 256>>>(a, rows, pitch, out, n);
    cudaFree(rows);
}
