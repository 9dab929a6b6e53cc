// A list without locks by atomicCAS of 16 bytes, a pointer and a tag; float4 and 128-bit integers are exchanged.
#include <cuda_runtime.h>
struct Node { int value; Node* next; };
struct alignas(16) Head { Node* first; unsigned long long tag; };
__device__ Head head;
__device__ float4 last;
__device__ unsigned __int128 both;
__global__ void push(Node* nodes, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    nodes[i].value = 1;
    Head old = {nullptr, 0}, seen;
    while (true) {
        nodes[i].next = old.first;
        __threadfence();
        seen = atomicCAS(&head, old, Head{nodes + i, old.tag + 1});
        if (seen.first == old.first && seen.tag == old.tag) break;
        old = seen;
    }
    atomicExch_block(&last, make_float4(1, 1, 1, 1));
    atomicCAS_system(&both, static_cast<unsigned __int128>(0), static_cast<unsigned __int128>(7) << 64 | 1);
}
__global__ void count(int* length) {
    for (const Node* p = head.first; p; p = p->next) *length += p->value;
}
__global__ void k(const float* a, float* out, int n, const int* length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool ok = *length == n && head.tag == n && last.w == 1 && both >> 64 == 7 && static_cast<int>(both) == 1;
    if (i < n) out[i] = a[i] + ok;
}
extern "C" void launch(const float* a, float* out, int n) {
    const Head none{};
    const unsigned __int128 zero = 0;
    Node* nodes;
    int* length;
    cudaMemcpyToSymbol(head, &none, sizeof none);
    cudaMemcpyToSymbol(both, &zero, sizeof zero);
    cudaMalloc(&nodes, n * sizeof(Node));
    cudaMalloc(&length, sizeof(int));
    cudaMemset(length, 0, sizeof(int));
    push<<<(n + 127) / 128, 128>>>(nodes, n);
    count<<<1, 1>>>(length);
    k<<<(n + 127) / 128, 128>>>(a, out, n, length);
    cudaFree(nodes);
    cudaFree(length);
}
