// CUB's loads, exchanges and stores of a warp.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    using Load = cub::WarpLoad<float, 4, cub::WARP_LOAD_TRANSPOSE>;
    using Store = cub::WarpStore<float, 4, cub::WARP_STORE_TRANSPOSE>;
    using Exchange = cub::WarpExchange<float, 4>;
    __shared__ union { Load::TempStorage load[4]; Store::TempStorage store[4]; Exchange::TempStorage exchange[4]; } s;
    const int warp = threadIdx.x / 32, first = (blockIdx.x * 4 + warp) * 128;
    float v[4];
    Load(s.load[warp]).Load(a + first, v, n - first, 0.f);
    __syncthreads();
    Exchange(s.exchange[warp]).BlockedToStriped(v, v);
    __syncwarp();
    Exchange(s.exchange[warp]).StripedToBlocked(v, v);
    __syncthreads();
    for (float& x : v) x += 1;
    Store(s.store[warp]).Store(out + first, v, n - first);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 511) / 512, 128>>>(a, out, n); }
