// Kernels' addresses in a table of const void*, asked of and launched by it.
#include <iterator>
template <class T, T (*Op)(T)> __global__ void k(const T* a, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = Op(a[i]);
}
template <class T> __device__ T same(T x) { return x; }
template <class T> __device__ T plus(T x) { return x + 1; }
struct Entry { int key; const void* kernel; };
static const Entry entries[] = {{0, reinterpret_cast<const void*>(&k<float, same<float>>)}, {1, (void*)k<float, plus>}};
extern "C" void launch(const float* a,  // [n]
                       float* out,      // [n]
                       int n) {
    void* args[] = {&a, &out, &n};
    for (auto it = std::begin(entries); it != std::end(entries); ++it) {
        cudaFuncAttributes about{};
        if (it->key == 0 || cudaFuncGetAttributes(&about, it->kernel) != cudaSuccess) continue;
        cudaLaunchKernel(it->kernel, dim3((n + 127) / 128), dim3(128), args, 0, cudaStreamPerThread);
    }
    cudaStreamSynchronize(cudaStreamPerThread);
}
