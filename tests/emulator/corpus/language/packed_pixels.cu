// Bit fields of 5, 6 and 5 bits in a union with a word, packed and unpacked; other ones are signed.
#include <cuda_runtime.h>
#include <cstdint>
union Pixel {
    struct { std::uint16_t b : 5, g : 6, r : 5; } part;
    std::uint16_t word;
};
struct Flags { int low : 4; int : 2; unsigned high : 10; bool valid : 1; int wide : 15; };
static_assert(sizeof(Pixel) == 2 && sizeof(Flags) == 4, "packed");
__global__ void pack(std::uint16_t* pixels, Flags* flags, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pixel p;
    p.word = 0;
    p.part.r = i; p.part.g = i >> 2; p.part.b = ~i;
    pixels[i] = p.word;
    flags[i] = Flags{i, static_cast<unsigned>(i) & 1023u, i % 3 == 0, -i};
}
__global__ void k(const float* a, float* out, const std::uint16_t* pixels, const Flags* flags, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Pixel p{.part = {}};
    Pixel q = p;
    q.word = __ldg(pixels + i);
    const Flags f = flags[i];
    const int low = (i & 15) >= 8 ? (i & 15) - 16 : (i & 15);
    const bool same = q.part.r == (i & 31) && q.part.g == (i >> 2 & 63) && q.part.b == (~i & 31);
    const bool kept = f.low == low && f.high == (i & 1023u) && f.valid == (i % 3 == 0) && f.wide == -i;
    out[i] = a[i] + (same && kept);
}
extern "C" void launch(const float* a, float* out, int n) {
    std::uint16_t* pixels; Flags* flags;
    cudaMalloc(&pixels, n * sizeof *pixels);
    cudaMalloc(&flags, n * sizeof *flags);
    pack<<<(n + 255) / 256, 256>>>(pixels, flags, n);
    k<<<(n + 255) / 256, 256>>>(a, out, pixels, flags, n);
    cudaFree(pixels); cudaFree(flags);
}
