// The samples' SharedMemory<T> gives dynamic memory of a type; two instances in one launcher, two arrays in each.
#include <cuda_runtime.h>
template <class T> struct SharedMemory {
    __device__ inline operator T*() {
        extern __shared__ double raw_[];
        return reinterpret_cast<T*>(raw_);
    }
    __device__ inline operator const T*() const {
        extern __shared__ double raw_[];
        return reinterpret_cast<T*>(raw_);
    }
};
template <class T, int Threads> __global__ void __launch_bounds__(Threads) reverse(const float* a, float* out, int n, T one) {
    T* values = SharedMemory<T>();
    int* places = reinterpret_cast<int*>(values + Threads);
    const int t = threadIdx.x, i = blockIdx.x * Threads + t;
    values[t] = i < n ? static_cast<T>(a[i]) : T{};
    places[Threads - 1 - t] = t;
    __syncthreads();
    if (i < n) out[i] = static_cast<float>(values[places[Threads - 1 - t]] + one);
}
template <class T> void run(const float* a, float* out, int n, T one) {
    constexpr int threads = 96;
    const auto bytes = threads * (sizeof(T) + sizeof(int));
    reverse<T, threads><<<(n + threads - 1) / threads, threads, bytes>>>(a, out, n, one);
}
extern "C" void launch(const float* a, float* out, int n) {
    run<float>(a, out, n, 0.5f);
    run<double>(a, out, n, 1);
}
