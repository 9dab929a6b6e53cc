// The width of an access: bytes, structs and vector types, each copied whole by one thread.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

struct alignas(16) Quad {  // 16-byte aligned, four floats
    float x, y, z, w;
};
struct Three {  // 12 bytes, aligned to 4
    float x, y, z;
};
struct alignas(8) Pair {
    int key;
    float value;
};

template <typename T>
__global__ void copy_kernel(const T* x, T* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i];
}

template <typename T, typename Element>
void copy(const Element* x, Element* out, int64_t n, int block_size, cudaStream_t stream) {
    const int64_t items = n * sizeof(Element) / sizeof(T);
    const auto blocks = static_cast<unsigned>((items + block_size - 1) / block_size);
    copy_kernel<T><<<blocks, block_size, 0, stream>>>(reinterpret_cast<const T*>(x), reinterpret_cast<T*>(out), items);
}

extern "C" void copy_bytes(const int8_t* x,  // [n]
                           int8_t* out,      // [n]
                           int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<int8_t>(x, out, n, block_size, stream);
}
extern "C" void copy_char4(const int8_t* x,  // [n] 4-byte aligned
                           int8_t* out,      // [n] 4-byte aligned
                           int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<char4>(x, out, n, block_size, stream);
}
extern "C" void copy_half2(const half* x,  // [n] 4-byte aligned
                           half* out,      // [n] 4-byte aligned
                           int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<half2>(x, out, n, block_size, stream);
}
extern "C" void copy_float2(const float* x,  // [n] 8-byte aligned
                            float* out,      // [n] 8-byte aligned
                            int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<float2>(x, out, n, block_size, stream);
}
extern "C" void copy_float3(const float* x,  // [n]
                            float* out,      // [n]
                            int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<float3>(x, out, n, block_size, stream);
}
extern "C" void copy_float4(const float* x,  // [n] 16-byte aligned
                            float* out,      // [n] 16-byte aligned
                            int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<float4>(x, out, n, block_size, stream);
}
extern "C" void copy_double2(const double* x,  // [n] 16-byte aligned
                             double* out,      // [n] 16-byte aligned
                             int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<double2>(x, out, n, block_size, stream);
}
extern "C" void copy_quad(const float* x,  // [n] 16-byte aligned
                          float* out,      // [n] 16-byte aligned
                          int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<Quad>(x, out, n, block_size, stream);
}
extern "C" void copy_three(const float* x,  // [n]
                           float* out,      // [n]
                           int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<Three>(x, out, n, block_size, stream);
}
extern "C" void copy_pair(const int* x,  // [n] 8-byte aligned
                          int* out,      // [n] 8-byte aligned
                          int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    copy<Pair>(x, out, n, block_size, stream);
}
