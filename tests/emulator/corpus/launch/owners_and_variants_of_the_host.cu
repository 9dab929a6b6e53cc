// The launcher keeps its memory in owners with deleters, chooses a kernel by std::variant and a map, and catches its own error.
#include <cuda_runtime.h>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
struct Free { void operator()(void* p) const noexcept { cudaFree(p); } };
template <class T> using Owner = std::unique_ptr<T[], Free>;
template <class T> Owner<T> allocate(std::size_t count) {
    void* p = nullptr;
    if (const cudaError_t e = cudaMalloc(&p, count * sizeof(T)); e != cudaSuccess)
        throw std::runtime_error(std::string("cudaMalloc: ") + cudaGetErrorString(e));
    return Owner<T>(static_cast<T*>(p));
}
struct Add { float by; };
struct Scale { double by; };
__global__ void add(const float* a, float* out, int n, Add op) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + op.by;
}
__global__ void scale(const float* a, float* out, int n, Scale op) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = static_cast<float>(a[i] * op.by);
}
using Op = std::variant<Add, Scale>;
extern "C" void launch(const float* a, float* out, int n) try {
    const auto grid = dim3((n + 255) / 256), block = dim3(256);
    auto t = allocate<float>(n);
    auto run = [&, grid, block](const Op& op, const float* from, float* to) {
        std::visit([&](auto one) {
            if constexpr (std::is_same_v<decltype(one), Add>) add<<<grid, block>>>(from, to, n, one);
            else scale<<<grid, block>>>(from, to, n, one);
        }, op);
    };
    const std::map<std::string_view, std::function<void()>> steps{
        {"1 twice", [&] { run(Scale{2.0}, a, t.get()); }},
        {"2 and two", [&] { run(Add{2.0f}, t.get(), t.get()); }},
        {"3 half", [&] { run(Scale{0.5}, t.get(), out); }},
    };
    for (const auto& [name, step] : steps) if (!name.empty()) step();
    allocate<float>(static_cast<std::size_t>(1) << 50);
} catch (const std::runtime_error& e) {
    if (std::string_view(e.what()).find("memory") == std::string_view::npos) std::abort();
    cudaGetLastError();
}
