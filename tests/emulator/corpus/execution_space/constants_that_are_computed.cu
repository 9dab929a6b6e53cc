// What the compiler computes of host constants: values, copies, sizes, arguments of templates.
#include <cstdint>
#include <array>

struct Shape {
    int tile;
    float scale;
    constexpr int area() const { return tile * tile; }
};
constexpr Shape shape{2, 0.25f};
constexpr int sizes[3] = {1, 2, 3};
constexpr std::array<int, 2> pair = {1, 1};
constexpr int total() {
    int sum = 0;
    for (int size : sizes) sum += size;
    return sum;
}
struct Limits {
    static constexpr int least = 1;
};
template <int N>
__device__ int number() {
    return N;
}
__device__ float scale_of(Shape one) { return one.scale; }

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ float tile[shape.area()];
    constexpr int last = sizes[2];
    static_assert(sizes[1] == 2 && sizeof(sizes) == 12);
    const Shape copy = shape;
    float one = scale_of(shape) * shape.area() + pair[0] + int(pair.size()) - 3 + (last - 3) + number<sizes[0]>() - 1;
    if constexpr (sizes[0] == 1) one += copy.scale - 0.25f + total() - 6 + Limits::least - 1;
    tile[threadIdx.x % shape.area()] = 1.0f;
    switch (n) {
        case sizes[1]: one += 1.0f;
    }
    if (i < n) out[i] = a[i] + one;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
