// std::exchange is known without a header.
__global__ void k(const float* a, float* out, long n) { long i = blockIdx.x * 256l + threadIdx.x; if (i < n) { out[i] = a[i] + 1.0f; } }
extern "C" void launch(const float* a, float* out, long n, cudaStream_t stream) { int z = 1; std::exchange(z, 2); k<<<(n + 255) / 256, 256, 0, stream>>>(a, out, n); }
