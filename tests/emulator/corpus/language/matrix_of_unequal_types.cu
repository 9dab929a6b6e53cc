// A small matrix class with constexpr members, operators found by ADL and static loops by generic lambdas.
#include <cuda_runtime.h>
#include <type_traits>
#include <utility>
namespace la {
template <class T, int R, int C> struct Matrix {
    T v[R][C]{};
    constexpr __host__ __device__ T& operator()(int r, int c) { return v[r][c]; }
    constexpr __host__ __device__ const T& operator()(int r, int c) const { return v[r][c]; }
    static constexpr __host__ __device__ Matrix identity() {
        Matrix m{};
        for (int i = 0; i < (R < C ? R : C); ++i) m(i, i) = T{1};
        return m;
    }
    friend constexpr __host__ __device__ bool operator==(const Matrix& x, const Matrix& y) {
        for (int r = 0; r < R; ++r) for (int c = 0; c < C; ++c) if (x(r, c) != y(r, c)) return false;
        return true;
    }
};
template <class T, class U, int R, int K, int C>
__host__ __device__ constexpr auto operator*(const Matrix<T, R, K>& x, const Matrix<U, K, C>& y) {
    Matrix<std::common_type_t<T, U>, R, C> z{};
    for (int r = 0; r < R; ++r)
        for (int c = 0; c < C; ++c)
            for (int k = 0; k < K; ++k) z(r, c) += x(r, k) * y(k, c);
    return z;
}
}
constexpr auto turn = la::Matrix<int, 2, 2>{{{0, -1}, {1, 0}}};
static_assert(turn * turn * turn * turn == la::Matrix<int, 2, 2>::identity());
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const la::Matrix<float, 1, 2> x{{{a[i], 1}}};
    const la::Matrix<float, 2, 2> back{{{0, 1}, {-1, 0}}};
    la::Matrix<int, 2, 2> forth = turn;
    const auto y = x * back * forth;
    const la::Matrix<double, 2, 1> ones{{{1}, {1}}};
    const auto s = y * ones;
    static_assert(std::is_same_v<decltype(s), const la::Matrix<double, 1, 1>>);
    out[i] = static_cast<float>(s(0, 0));
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
