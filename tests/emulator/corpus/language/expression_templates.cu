// Expression templates in the manner of CRTP: a row's formula is a type, computed element by element.
#include <cuda_runtime.h>
#include <utility>
template <class E> struct Expr {
    __host__ __device__ const E& self() const { return static_cast<const E&>(*this); }
};
struct Row : Expr<Row> {
    const float* p;
    __host__ __device__ explicit Row(const float* p) : p(p) {}
    __device__ float operator[](int i) const { return p[i]; }
};
struct Number : Expr<Number> {
    float x;
    __host__ __device__ constexpr Number(float x) : x(x) {}
    __device__ constexpr float operator[](int) const { return x; }
};
template <class L, class R, class Op> struct Binary : Expr<Binary<L, R, Op>> {
    L l; R r;
    __host__ __device__ Binary(L l, R r) : l(std::move(l)), r(std::move(r)) {}
    __device__ float operator[](int i) const { return Op::of(l[i], r[i]); }
};
struct Plus { static __device__ float of(float x, float y) { return x + y; } };
struct Times { static __device__ float of(float x, float y) { return x * y; } };
template <class L, class R> __host__ __device__ auto operator+(const Expr<L>& l, const Expr<R>& r) {
    return Binary<L, R, Plus>(l.self(), r.self());
}
template <class L, class R> __host__ __device__ auto operator*(const Expr<L>& l, const Expr<R>& r) -> Binary<L, R, Times> {
    return {l.self(), r.self()};
}
template <class E> __host__ __device__ auto operator-(const Expr<E>& e, float x) { return e + Number(-x); }
template <class E> __global__ void assign(float* out, E e, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = e[i];
}
extern "C" void launch(const float* a, float* out, int n) {
    Row x(a);
    const auto e = x * Number(3) + (Number(2) + x * Number(-2)) - 1.0f;
    assign<<<4, 128>>>(out, e, n);
}
