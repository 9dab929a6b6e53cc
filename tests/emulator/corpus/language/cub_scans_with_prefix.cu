// Scans of CUB that go on from tile to tile by a functor, with an operator, or with a first value.
#include <cub/cub.cuh>
#include <cstdint>

struct Running {
    int before;
    __device__ int operator()(int total) {
        const int old = before;
        before += total;
        return old;
    }
};

__global__ void k(const float* a, float* out, int n) {
    using Scan = cub::BlockScan<int, 256>;
    using Warp = cub::WarpScan<int>;
    __shared__ Scan::TempStorage storage;
    __shared__ Warp::TempStorage warps[8];
    const int me = static_cast<int>(threadIdx.x);
    Running running{0};
    bool ok = true;
    for (int tile = 0; tile < 2; ++tile) {
        int items[2] = {1, 2}, sums[2];
        Scan(storage).ExclusiveSum(items, sums, running);
        __syncthreads();
        ok = ok && sums[0] == 768 * tile + 3 * me && sums[1] == sums[0] + 1;
    }
    int one;
    Running other{100};
    Scan(storage).InclusiveScan(me % 2, one, cuda::std::plus<>{}, other);
    __syncthreads();
    ok = ok && one == 100 + (me + 1) / 2;
    int values[2] = {me, 300 - me}, highest[2];
    Scan(storage).InclusiveScan(values, highest, cuda::maximum<>{});
    __syncthreads();
    ok = ok && highest[0] == (me ? 300 : 0) && highest[1] == 300;
    Scan(storage).ExclusiveScan(values, highest, 5, cuda::maximum<>{});
    ok = ok && highest[0] == (me ? 300 : 5) && highest[1] == (me ? 300 : 5);
    int inclusive, exclusive;
    Warp(warps[me / 32]).Scan(1, inclusive, exclusive, 10, cuda::std::plus<>{});
    ok = ok && exclusive == 10 + me % 32 && inclusive == exclusive + 1;
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, static_cast<int>(n));
}
