// Class templates whose arguments are deduced in a kernel: by guides (of two lines, explicit), which belong to both sides for nvcc, and by a constructor.
#include <cstdint>

template <class A, class B>
struct Pair {
    A first;
    B second;
};
template <class A, class B>
Pair(A, B) -> Pair<A, B>;

template <class T, int N>
struct Row {
    T at[N];
    template <class... A>
    __device__ explicit Row(A... a) : at{a...} {}
};
template <class T, class... R>
explicit Row(T, R...)
    -> Row<T, 1 + int(sizeof...(R))>;

template <class T>
struct Sum {
    T value;
    __device__ Sum(T a, T b) : value(a + b) {}
};

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    const Pair pair{a[i], 1};
    const Row row(0.5f, 0.25f, 0.25f);
    const Sum sum(row.at[0], row.at[1]);
    out[i] = pair.first + pair.second * (sum.value + row.at[2]);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    const Pair size{unsigned((n + 255) / 256), 256};
    k<<<size.first, size.second, 0, stream>>>(a, out, n);
}
