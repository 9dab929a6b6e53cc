// Raw strings, comments and literals that hold launches, __shared__ and asm; digraphs, separators, literals of one's own.
#include <cuda_runtime.h>
#include <cstdio>
constexpr unsigned long long operator""_KiB(unsigned long long x) { return x << 10; }
__host__ __device__ constexpr float operator""_f(long double x) { return static_cast<float>(x); }
static const char* kHelp = R"cu(
    kernel<<<grid, block>>>(a, out);   // "not a launch"
    __shared__ float s[)cu" "__syncthreads();" R"(asm("trap;"); \n)";
/* k<<<1, 1>>>(a, out, n); __shared__ float t[1'000'000]; */
__device__ int length(const char* s) { int c = 0; while (*s++) ++c; return c; }
__global__ void k(const float* a, float* out, int n)
<%
    __shared__ float s<:2_KiB / 8:>;  // 256 floats\
    s[0] = 1 / 0; this line is still the comment
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? a[i] : 0.0_f;
    __syncthreads();
    const char* words = "// no comment <<<1, 1>>> \" __shared__";
    const bool good = length(words) == 37 && '\'' == 39 && sizeof(R"(\n)") == 3 && 0b1'0000 == 16 && 0x1p-1f == 0.5f;
    if (i < n and not (t > 255)) out[i] = s[t ^ 1 ^ 1] + (good ? 1'0.0_f / 1'0 : 0.0_f);
%>
extern "C" void launch(const float* a, float* out, int n) {
    if (kHelp[0] != '\n') std::puts(kHelp);
    k<<<(n + 255) / 256, 256>>>(a, out, n);
}
