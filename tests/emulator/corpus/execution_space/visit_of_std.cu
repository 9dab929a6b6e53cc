// std::variant in a kernel, visited.
#include <cuda_runtime.h>
#include <variant>
struct Add { float by; }; struct Mul { float by; };
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    std::variant<Add, Mul> op = Add{1.f};
    if (const Add* add = std::get_if<Add>(&op)) out[i] = a[i] + add->by;
    else out[i] = a[i] * std::get_if<Mul>(&op)->by;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
