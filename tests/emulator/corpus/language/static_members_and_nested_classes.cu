// Class templates with static constexpr members, nested types, friends and a base that is a template's argument.
#include <cuda_runtime.h>
template <class D> struct Counted {
    static constexpr int kPer = D::kWidth * 2;
    __host__ __device__ static constexpr int blocks(int n) { return (n + kPer - 1) / kPer; }
};
template <class T, int W> struct Mover : private Counted<Mover<T, W>> {
    static constexpr int kWidth = W;
    using Base = Counted<Mover>;
    using Base::blocks;
    struct Window {
        const T* from; T* to; int left;
        __device__ explicit operator bool() const { return left > 0; }
        friend __device__ Window operator+(Window w, int by) { return {w.from + by, w.to + by, w.left - by}; }
    };
    template <class F> static __device__ void run(Window w, F f) {
        for (int j = threadIdx.x; j < Base::kPer && j < w.left; j += blockDim.x) w.to[j] = f(w.from[j]);
    }
    static constexpr T table[3] = {T(0.5), T(0.25), T(0.25)};
};
template <class M> __global__ void k(typename M::Window w) {
    const auto mine = w + static_cast<int>(blockIdx.x * 2 * M::kWidth);
    if (mine) M::run(mine, [](float x) { constexpr float s = M::table[0] + M::table[1] + M::table[2]; return x + s; });
}
extern "C" void launch(const float* a, float* out, int n) {
    using M = Mover<float, 96>;
    k<M><<<M::blocks(n), 64>>>({a, out, n});
}
