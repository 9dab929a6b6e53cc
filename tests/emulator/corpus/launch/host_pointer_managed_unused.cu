// A managed struct with pointers of both sides, of which the kernel follows the right one.
#include <cuda_runtime.h>
struct Image {
    int size;
    float* data;
    float* dev;
};
__global__ void add(const float* a, float* out, int n, Image* image) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + image->dev[i % image->size];
}
extern "C" void launch(const float* a, float* out, int n) {
    Image* image;
    cudaMallocManaged(&image, sizeof *image);
    image->size = 2;
    image->data = (float*)malloc(8);
    image->data[0] = image->data[1] = 1;
    cudaMalloc(&image->dev, 8);
    cudaMemcpy(image->dev, image->data, 8, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(a, out, n, image);
    cudaDeviceSynchronize();
    image->data[0] = 3;
    free(image->data);
    cudaFree(image->dev);
    cudaFree(image);
}
