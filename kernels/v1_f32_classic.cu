// V1 as a classic PyTorch extension: kernel, checks and Python binding in one file.
//
//   a thread's share   1 element
//   global loads       one 4-byte load from a, one from b
//   block size         256 threads (256 elements)
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

__global__ void add_f32(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
                        int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

void add(const torch::Tensor& a, const torch::Tensor& b, torch::Tensor& out) {
    TORCH_CHECK(a.is_cuda() && a.dtype() == torch::kFloat32 && a.is_contiguous(), "a: float32 on the GPU, contiguous");
    TORCH_CHECK(b.sizes() == a.sizes() && b.dtype() == a.dtype() && b.device() == a.device() && b.is_contiguous());
    TORCH_CHECK(out.sizes() == a.sizes() && out.dtype() == a.dtype() && out.device() == a.device() &&
                out.is_contiguous());
    const int64_t n = a.numel();
    if (n == 0) return;
    const c10::cuda::CUDAGuard guard(a.device());
    constexpr int block_size = 256;
    const auto blocks = static_cast<unsigned>((n + block_size - 1) / block_size);
    add_f32<<<blocks, block_size, 0, at::cuda::getCurrentCUDAStream()>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                                         out.data_ptr<float>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("add", &add, "out = a + b, element by element"); }
