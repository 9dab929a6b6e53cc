// thrust::complex, and the functions that it has in common with cuda::std::complex.
#include <thrust/complex.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    const thrust::complex<float> z(0.5f, 1.0f), one = thrust::sin(z) * thrust::sin(z) + cos(z) * cos(z);
    const thrust::complex<float> same = thrust::exp(thrust::log(z)) + thrust::pow(z, 2.0f) - z * z;
    const thrust::complex<double> wide(tanh(z) * cosh(z) - sinh(z));
    out[i] = a[i] + rintf(1000.0f * (one.real() * abs(same) / thrust::abs(z) + float(norm(wide)))) / 1000.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
