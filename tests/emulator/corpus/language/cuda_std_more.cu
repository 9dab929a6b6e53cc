// More of cuda::std that means what std does.
#include <cuda/std/chrono>
#include <cuda/std/iterator>
#include <cuda/std/ratio>
#include <cuda/std/variant>
#include <cuda/std/version>

#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const float pair[2] = {1.0f, 2.0f};
    const cuda::std::variant<int, float> one = cuda::std::next(pair) == pair + 1 ? 1.0f : 2.0f;
    const auto time = cuda::std::chrono::duration_cast<cuda::std::chrono::microseconds>(cuda::std::chrono::milliseconds(2));
    static_assert(cuda::std::ratio<6, 4>::num == 3);
    const bool is_right = cuda::std::distance(cuda::std::begin(pair), cuda::std::end(pair)) == 2 && time.count() == 2000;
    if (i < n && is_right) out[i] = a[i] + cuda::std::get<float>(one);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
