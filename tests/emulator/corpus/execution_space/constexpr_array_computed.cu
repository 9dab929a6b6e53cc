// What the compiler computes of a constant array of the host: its length, an element, by functions that take a reference.
#include <cstdint>
#include <iterator>

constexpr int kTable[] = {1, 2, 3, 4};
template <typename T, size_t N> __host__ __device__ constexpr size_t length(const T (&)[N]) { return N; }
template <typename T, size_t N> __host__ __device__ constexpr T first(const T (&table)[N]) { return table[0]; }
template <size_t N> struct Some { float x[N]; };

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    Some<std::size(kTable)> some{};
    for (int j = 0; j < std::size(kTable); ++j) some.x[j] = j;
    constexpr int kFirst = first(kTable);
    out[i] = a[i] + first(kTable) + kFirst + length(kTable) - 2 - some.x[3];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
