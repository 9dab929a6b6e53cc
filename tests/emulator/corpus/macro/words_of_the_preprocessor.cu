// __COUNTER__, __func__, __has_include, attributes of C++17, and the names of the file and the function in device code.
#include <cuda_runtime.h>
#if __has_include(<cuda_fp16.h>) && !__has_include("no_such_header.h")
#include <cuda_fp16.h>
#define HAS_HALF 1
#endif
#if !defined(__CUDACC__) || __CUDACC_VER_MAJOR__ < 12 || defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 500
#error "not for this compiler"
#endif
#ifndef __has_cpp_attribute
#error "too old"
#elif __has_cpp_attribute(nodiscard) < 201603L
#error "no nodiscard"
#endif
#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
#define UNIQUE(name) JOIN(name, __LINE__)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define COUNT_(_1, _2, _3, _4, N, ...) N
#define COUNT(...) COUNT_(__VA_ARGS__, 4, 3, 2, 1)
static_assert(COUNT(a, (b, c), d) == 3 && __COUNTER__ + 1 == __COUNTER__);
__device__ int length(const char* s) { int n = 0; while (s[n] != '\0') ++n; return n; }
[[nodiscard]] __device__ int check([[maybe_unused]] int unused) { return length(__func__); }
__global__ void k(const float* a, float* out, int n) {
    [[maybe_unused]] const int UNIQUE(x) = 1, UNIQUE(y) = 2;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = 0;
    switch (HAS_HALF) {
        case 1: v += 0.5f; [[fallthrough]];
        case 2: v += 0.25f; break;
        default: break;
    }
    if (check(0) == 5 && length(TEXT(JOIN(ab, __LINE__))) >= 4 && length(__FILE__) > 3) v += 0.25f;
    out[i] = a[i] + v;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
