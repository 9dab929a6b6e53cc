// Libcu++'s pointers that carry a cache property, also into shared memory and at run time; lines are discarded.
#include <cuda/annotated_ptr>
#include <cuda_runtime.h>
__global__ void twice(const float* a, float* t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float* p = cuda::associate_access_property(a, cuda::access_property::normal{});
    if (i < n) t[i] = p[i];
}
__global__ void k(cuda::annotated_ptr<const float, cuda::access_property::streaming> a,
                  cuda::annotated_ptr<float, cuda::access_property::persisting> out, int n) {
    __shared__ float tile[256];
    cuda::annotated_ptr<float, cuda::access_property::shared> mine{tile + threadIdx.x};
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const cuda::annotated_ptr<const float, cuda::access_property> mostly{
        a.get(), cuda::access_property{cuda::access_property::persisting{}, 0.6f}};
    *mine = i < n ? mostly[i] : 0.0f;
    if (i < n && a) out[i] = *mine + (a[i] == mine[0]);
}
__global__ void done(float* t, size_t bytes) {
    cuda::apply_access_property(t, bytes, cuda::access_property::normal{});
    if (threadIdx.x == 0) cuda::discard_memory(t, bytes);
}
extern "C" void launch(const float* a, float* out, int n) {
    using In = cuda::annotated_ptr<const float, cuda::access_property::streaming>;
    using Out = cuda::annotated_ptr<float, cuda::access_property::persisting>;
    float* t;
    cudaMalloc(&t, n * sizeof(float));
    twice<<<(n + 255) / 256, 256>>>(a, t, n);
    k<<<(n + 255) / 256, 256>>>(In{t}, Out{out}, n);
    done<<<1, 32>>>(t, n * sizeof(float) / 128 * 128);
    cudaFree(t);
}
