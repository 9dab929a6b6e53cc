// Pairs and tuples of cuda::std, which kernels can assign, compare and take apart.
#include <cuda/std/tuple>
#include <cuda/std/utility>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::std::pair<float, int> best{-1, -1}, other;
    for (int j = 0; j < 4; ++j) {
        const cuda::std::pair now{static_cast<float>(j % 3), j};
        if (now > best) best = now;  // (2, 2)
    }
    other = cuda::std::make_pair(0.0f, 0);
    cuda::std::swap(best, other);
    const auto [value, place] = other;
    cuda::std::tuple<int, float> both;
    both = cuda::std::make_tuple(place, value);
    int x = 0;
    float y = 0;
    cuda::std::tie(x, y) = both;
    if (i < n) out[i] = a[i] + x * y - 3 + cuda::std::get<1>(best);
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
