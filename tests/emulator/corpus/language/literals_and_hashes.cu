// Literals of one's own, digit separators, hex floats, raw strings and a hash of names that a switch takes.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstddef>
constexpr float operator""_pct(long double x) { return static_cast<float>(x) / 100; }
constexpr std::size_t operator""_KiB(unsigned long long x) { return x << 10; }
__host__ __device__ constexpr std::uint32_t fnv(const char* s) {
    std::uint32_t h = 0x811c'9dc5u;
    while (*s) h = (h ^ static_cast<unsigned char>(*s++)) * 16'777'619u;
    return h;
}
enum class Mode : std::uint32_t { add = fnv("add"), scale = fnv("scale"), none = fnv(R"(no "thing" /* here */)") };
__global__ void k(const float* a, float* out, int n, std::uint32_t mode) {
    __shared__ float tile[1_KiB / sizeof(float)];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    tile[t] = i < n ? a[i] : 0x0p0f;
    __syncthreads();
    constexpr float one = 0x1.8p-1f + 25.0_pct;
    static_assert(0b1010'0000 == 0xA0 && fnv("") == 2'166'136'261u);
    switch (mode) {
        case fnv("add"): if (i < n) out[i] = tile[t] + one; break;
        case fnv("scale"): if (i < n) out[i] = tile[t] * one; break;
        case static_cast<std::uint32_t>(Mode::none): break;
        default: __trap();
    }
}
extern "C" void launch(const float* a, float* out, int n) {
    const char* names[] = {"add", R"x(no )x" R"("thing" /* here */)"};
    k<<<(n + 255) / 256, 256>>>(a, out, n, fnv(names[0]));
    k<<<(n + 255) / 256, 256>>>(a, out, n, fnv(names[1]));
}
