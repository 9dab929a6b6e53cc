// What code from elsewhere looks like.
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <memory>
namespace cg = cooperative_groups;
extern __shared__ __align__(16) unsigned char raw[];  // one block's memory under two names, outside of functions
namespace other {
extern __shared__ float more[];
}
struct Pair {
    int x;
    float y;
};
__device__ __noinline__ float one() { return 1.0f; }
template <class T> __global__ void k(T* x) {
    __shared__ alignas(16) T t[32][4];
    __shared__ alignas(float4) T by_type[4];
    constexpr int kAlignment = 64;
    __shared__ alignas(kAlignment) char by_name;
    by_type[0] = by_name = 0;
    __shared__ Pair p;
    __shared__ __align__(8) char c[4], d;
    volatile __shared__ int v;
    static __shared__ int64_t wide;
    __shared__ struct {
        int q;
    } anonymous;
    __shared__ T* pointer;
    T* s = reinterpret_cast<T*>(raw);
    if (threadIdx.x == 0) {
        p.x = 1;
        c[0] = d = 2;
        v = 3;
        wide = 4;
        anonymous.q = 5;
        pointer = x;
    }
    auto block = cg::this_thread_block();
    block.sync();
    auto tile = cg::tiled_partition<32>(block);
    T sum = one();
    for (int o = tile.size() / 2; o > 0; o /= 2) sum += tile.shfl_down(sum, o);
    sum += cg::reduce(cg::tiled_partition<8>(block), int(threadIdx.x), cg::plus<int>());
    t[threadIdx.x][0] = s[threadIdx.x] = sum;
    other::more[threadIdx.x] = static_cast<float>(threadIdx.x);
    *reinterpret_cast<float4*>(&t[threadIdx.x][0]) = make_float4(1, 2, 3, 4);
    tile.sync();
    if (threadIdx.x == 0) {
        x[1] = reinterpret_cast<uintptr_t>(by_type) % 16 + reinterpret_cast<uintptr_t>(&by_name) % 64;
        x[0] = sum + p.x + c[0] + d + v + wide + anonymous.q + (pointer == x) + s[3] + t[1][1];
    }
}
extern "C" int run(float* x, cudaStream_t stream) {
    auto kernel = k<float>;
    kernel<<<1, 32, 4096, stream>>>(x);
    return cudaPeekAtLastError();
}
