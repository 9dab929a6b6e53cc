// Overloads chosen by enable_if, void_t, tags and a detected member; types walked by a list.
#include <cuda_runtime.h>
#include <type_traits>
#include <utility>
template <class T, class = void> struct HasScale : std::false_type {};
template <class T> struct HasScale<T, std::void_t<decltype(std::declval<const T&>().scale)>> : std::true_type {};
struct Plain { float x; };
struct Scaled { float x, scale; };
template <class T, std::enable_if_t<HasScale<T>::value, int> = 0> __device__ float read(const T& t) { return t.x * t.scale; }
template <class T, std::enable_if_t<!HasScale<T>::value, int> = 0> __device__ float read(const T& t) { return t.x; }
struct Fast {}; struct Exact : Fast {};
__device__ float third(float x, Fast) { return x * 0.333f; }
__device__ float third(float x, Exact) { return x / 3; }
template <class... Ts> struct List {};
template <class F, class... Ts> __device__ void each(List<Ts...>, F&& f) { (f(static_cast<Ts*>(nullptr)), ...); }
template <template <class...> class C, class... Ts> constexpr int length(C<Ts...>) { return sizeof...(Ts); }
template <auto... Vs> struct Values { static constexpr int sum = (0 + ... + static_cast<int>(Vs)); };
template <class T, std::size_t... Is> __device__ T dot(const T (&x)[sizeof...(Is)], const T (&y)[sizeof...(Is)], std::index_sequence<Is...>) {
    return ((x[Is] * y[Is]) + ...);
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bytes = 0;
    each(List<char, short, float, double>{}, [&bytes](auto* p) { bytes += sizeof *p; });
    const float x[3] = {1, 2, 3}, y[] = {3, 2, 1};
    const float ten = dot(x, y, std::make_index_sequence<3>{});
    const bool ok = bytes == 15 && ten == 10 && length(List<int, int>{}) == 2 && Values<1, 'a', true>::sum == 99;
    out[i] = read(Scaled{a[i], 2}) - read(Plain{a[i]}) + (ok && third(3, Exact{}) == 1 ? 1 : 0);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
