// A chain of blocks hands its sum on by PTX with release and acquire, the block's number drawn by a ticket.
#include <cuda_runtime.h>
struct Link { unsigned ready; float sum; };
__device__ void put(unsigned* p, unsigned v) { asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__device__ unsigned get(const unsigned* p) {
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__global__ void k(const float* a, float* out, int n, Link* links, unsigned* ticket) {
    __shared__ unsigned block;
    __shared__ float before;
    if (threadIdx.x == 0) {
        block = atomicAdd(ticket, 1u);
        before = 0;
        if (block > 0) {
            while (get(&links[block - 1].ready) == 0) __nanosleep(40);
            before = links[block - 1].sum;
        }
        links[block].sum = before + 1;
        put(&links[block].ready, 1);
    }
    __syncthreads();
    const int i = block * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (before == static_cast<float>(block) ? 1 : 0);
}
extern "C" void launch(const float* a, float* out, int n) {
    const int blocks = (n + 127) / 128;
    Link* links;
    unsigned* ticket;
    cudaMalloc(&links, blocks * sizeof(Link));
    cudaMalloc(&ticket, sizeof(unsigned));
    cudaMemset(links, 0, blocks * sizeof(Link));
    cudaMemset(ticket, 0, sizeof(unsigned));
    k<<<blocks, 128>>>(a, out, n, links, ticket);
    cudaFree(links);
    cudaFree(ticket);
}
