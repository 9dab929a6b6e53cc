// Elements of other threads of a block by CUB: by an offset, round the block, the neighbours' of several elements.
#include <cub/block/block_shuffle.cuh>
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    using Shuffle = cub::BlockShuffle<int, 64>;
    __shared__ Shuffle::TempStorage storage;
    const int t = threadIdx.x;
    int next = -1, around = -1, last, first;
    Shuffle(storage).Offset(t, next, 3);
    __syncthreads();
    Shuffle(storage).Rotate(t, around, 5);
    __syncthreads();
    int mine[2] = {2 * t, 2 * t + 1}, before[2] = {-1, -1}, behind[2] = {-1, -1};
    Shuffle(storage).Up(mine, before, last);
    __syncthreads();
    Shuffle(storage).Down(mine, behind, first);
    bool ok = next == (t < 61 ? t + 3 : -1) && around == (t + 5) % 64 && last == 127 && first == 0;
    ok = ok && before[0] == 2 * t - 1 && before[1] == 2 * t && behind[0] == 2 * t + 1 && behind[1] == (t < 63 ? 2 * t + 2 : -1);
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) out[i] = a[i] + ok;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<3, 64>>>(a, out, n); }
