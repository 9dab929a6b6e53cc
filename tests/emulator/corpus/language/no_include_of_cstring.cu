// std::memcpy without its header.
__global__ void k(const float* a, float* out, long n) { long i = blockIdx.x * 256l + threadIdx.x; if (i < n) { out[i] = a[i] + 1.0f; } }
extern "C" void launch(const float* a, float* out, long n, cudaStream_t stream) { float x = 1, y; std::memcpy(&y, &x, 4); k<<<(n + 255) / 256, 256, 0, stream>>>(a, out, n); }
