// The six versions of C = A + B as a classic PyTorch extension: kernels, checks, macros and Python bindings.
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>
#include <torch/extension.h>
#include <torch/types.h>

#include <cstdint>
#include <iostream>
#include <stdexcept>

#define FLOAT4(value) (reinterpret_cast<float4*>(&(value))[0])
#define HALF2(value) (reinterpret_cast<half2*>(&(value))[0])

__global__ void add_f32_kernel(float* a, float* b, float* c, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void add_f32x4_kernel(float* a, float* b, float* c, int64_t n) {
    const int64_t i = 4 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + 4 <= n) {
        const float4 x = FLOAT4(a[i]), y = FLOAT4(b[i]);
        FLOAT4(c[i]) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else {
        for (int64_t k = i; k < n; ++k) c[k] = a[k] + b[k];
    }
}

__global__ void add_f16_kernel(half* a, half* b, half* c, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __hadd(a[i], b[i]);
}

__global__ void add_f16x2_kernel(half* a, half* b, half* c, int64_t n) {
    const int64_t i = 2 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + 2 <= n) {
        HALF2(c[i]) = __hadd2(HALF2(a[i]), HALF2(b[i]));
    } else if (i < n) {
        c[i] = __hadd(a[i], b[i]);
    }
}

__global__ void add_f16x8_kernel(half* a, half* b, half* c, int64_t n) {
    const int64_t i = 8 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + 8 <= n) {
        half2 x[4], y[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) x[k] = HALF2(a[i + 2 * k]), y[k] = HALF2(b[i + 2 * k]);
#pragma unroll
        for (int k = 0; k < 4; ++k) HALF2(c[i + 2 * k]) = __hadd2(x[k], y[k]);
    } else {
        for (int64_t k = i; k < n; ++k) c[k] = __hadd(a[k], b[k]);
    }
}

__global__ void add_f16x8_pack_kernel(half* a, half* b, half* c, int64_t n) {
    const int64_t i = 8 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + 8 <= n) {
        half x[8], y[8], sum[8];
        FLOAT4(x[0]) = FLOAT4(a[i]);
        FLOAT4(y[0]) = FLOAT4(b[i]);
#pragma unroll
        for (int k = 0; k < 8; k += 2) HALF2(sum[k]) = __hadd2(HALF2(x[k]), HALF2(y[k]));
        FLOAT4(c[i]) = FLOAT4(sum[0]);
    } else {
        for (int64_t k = i; k < n; ++k) c[k] = __hadd(a[k], b[k]);
    }
}

#define NAME(x) #x
#define BIND(function) m.def(NAME(function), &function, NAME(function));
#define CHECK_DTYPE(T, expected) \
    if ((T).options().dtype() != (expected)) { \
        std::cout << (T).options() << std::endl; \
        throw std::runtime_error("the dtype must be " #expected); \
    }

#define DEFINE_ADD(version, dtype, element, width) \
    void add_##version(torch::Tensor a, torch::Tensor b, torch::Tensor c) { \
        CHECK_DTYPE(a, (dtype)) \
        CHECK_DTYPE(b, (dtype)) \
        CHECK_DTYPE(c, (dtype)) \
        int64_t n = 1; \
        for (int64_t axis = 0; axis < a.dim(); ++axis) n *= a.size(axis); \
        const dim3 block(256 / (width)); \
        const dim3 grid(static_cast<unsigned>((n + 256 - 1) / 256)); \
        add_##version##_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>( \
            reinterpret_cast<element*>(a.data_ptr()), reinterpret_cast<element*>(b.data_ptr()), \
            reinterpret_cast<element*>(c.data_ptr()), n); \
    }

DEFINE_ADD(f32, torch::kFloat32, float, 1)
DEFINE_ADD(f32x4, torch::kFloat32, float, 4)
DEFINE_ADD(f16, torch::kHalf, half, 1)
DEFINE_ADD(f16x2, torch::kHalf, half, 2)
DEFINE_ADD(f16x8, torch::kHalf, half, 8)
DEFINE_ADD(f16x8_pack, torch::kHalf, half, 8)

// The other common form: it returns what it makes, and takes a number.
torch::Tensor scaled(const torch::Tensor& x, double factor);
__global__ void scale_kernel(const float* x, float* y, float factor, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * factor;
}
torch::Tensor scaled(const torch::Tensor& x, double factor) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "x: contiguous, on the GPU");
    TORCH_CHECK(factor != 0, "the factor is ", factor);
    torch::Tensor y = torch::empty_like(x);
    const auto blocks = static_cast<unsigned>((x.numel() + 255) / 256);
    scale_kernel<<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                                       static_cast<float>(factor), x.numel());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    BIND(add_f32)
    BIND(add_f32x4)
    BIND(add_f16)
    BIND(add_f16x2)
    BIND(add_f16x8)
    BIND(add_f16x8_pack)
    m.def("scaled", &scaled, py::arg("x"), py::arg("factor") = 2.0);
}
