// Generic lambdas in a kernel: one that calls itself, one with captures that it makes, one that changes them.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    auto sum = [](auto self, const float* p, int from, int to) -> float {
        if (to - from == 1) return p[from];
        const int mid = (from + to) / 2;
        return self(self, p, from, mid) + self(self, p, mid, to);
    };
    auto counter = [calls = 0, step = 1]() mutable { return calls += step; };
    const auto apply = [](auto&& f, auto... xs) { return f(xs...); };
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int lo = max(0, min(i, n - 8));
    const float s = sum(sum, a, lo, lo + 8);
    float x = apply([&s](float v, float w) { return v + w + (s < 0 ? 1.f : 0.f); }, a[i], 0.f);
    for (int j = 0; j < 3; ++j) x += counter() == j + 1 ? 0.25f : 100.f;
    constexpr auto quarter = [] { return 0.25f; };
    out[i] = x + quarter();
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 63) / 64, 64>>>(a, out, n); }
