// More dynamic shared memory for a kernel by an address that is kept, and by a pointer to it.
__global__ void k(const float* a, float* out, int n) {
    extern __shared__ float s[];
    float& mine = s[16000 - threadIdx.x];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) mine = a[i], out[i] = mine + 1;
}
extern "C" void launch(const float* a,  // [n]
                       float* out,      // [n]
                       int n) {
    const int bytes = 65536;
    const void* kept = (const void*)k;
    cudaFuncSetAttribute(kept, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    void* args[] = {&a, &out, &n};
    cudaLaunchKernel(kept, dim3((n + 255) / 256), dim3(256), args, bytes, nullptr);
    auto pointer = k;
    cudaFuncSetAttribute(pointer, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    pointer<<<(n + 255) / 256, 256, bytes>>>(a, out, n);
}
