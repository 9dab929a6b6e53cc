// Complex numbers: cuda::std's, and the pairs of cuComplex.h.
#include <cuComplex.h>
#include <cuda/std/complex>

#include <cstdint>

__device__ float one_by_pairs(float x) {
    const cuFloatComplex z = make_cuFloatComplex(3.0f, 4.0f), one = cuCdivf(z, z);
    const cuDoubleComplex w = cuCmul(make_cuDoubleComplex(0.0, 1.0), cuConj(make_cuDoubleComplex(0.0, 1.0)));
    return x * 0.0f + cuCrealf(cuCmulf(one, one)) * static_cast<float>(cuCreal(w)) + (cuCabsf(z) - 5.0f);
}

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    const cuda::std::complex<float> z(a[i], 1.0f);
    cuda::std::complex<float> w = z * cuda::std::conj(z) - 2.0f * z + z / z;  // |z|^2 - 2 z + 1
    w += cuda::std::complex<float>(0.0f, 2.0f) - cuda::std::norm(z);
    const float imaginary = w.imag() == 0.0f ? 0.0f : 1.0f;
    out[i] = (1.0f - w.real()) / 2.0f + imaginary + one_by_pairs(a[i]);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
