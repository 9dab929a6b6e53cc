// Unroll pragmas by a template's constant, by an operator, in a macro, with none, before while and range loops.
#include <cuda_runtime.h>
#define UNROLL(N) _Pragma("unroll")
#define DO_PRAGMA(x) _Pragma(#x)
template <int N, bool Full> __device__ float add(const float (&v)[N]) {
    constexpr int kTimes = Full ? N : 1;
    float s = 0;
#pragma unroll kTimes
    for (int j = 0; j < N; ++j) s += v[j];
#pragma unroll (N / 2 > 0 ? N / 2 : 1)
    for (int j = 0; j < N; ++j) { if (v[j] < 0) break; s += 0 * v[j]; }
    return s;
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[4] = {a[i], 0.25f, 0.25f, 0.25f}, s = 0;
    UNROLL(4) for (float& x : v) x *= 1.f;
    DO_PRAGMA(unroll 2)
    for (int j = 0, m = 8; j < m; j += 2, --m) s += j == 4 ? 0.25f : 0.f;
    int steps = 3;
#pragma nounroll
    while (steps-- > 0) s += 0.f;
#pragma unroll 1
    do { s += 0.f; } while (++steps < 2);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) s += 0.f;
    out[i] = (i & 1 ? add<4, true>(v) : add<4, false>(v)) + s;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
