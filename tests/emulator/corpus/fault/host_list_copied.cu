// A linked list whose second node stays on the host.
#include <cuda_runtime.h>
struct Node {
    float v;
    Node* next;
};
__global__ void walk(const float* a, float* out, int n, Node* head) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0;
        for (Node* p = head; p; p = p->next) s += p->v;
        out[i] = a[i] + s;
    }
}
extern "C" void launch(const float* a, float* out, int n) {
    Node second{0.5f, nullptr}, first{0.5f, &second};
    Node* dev;
    cudaMalloc(&dev, sizeof(Node));
    cudaMemcpy(dev, &first, sizeof first, cudaMemcpyHostToDevice);
    walk<<<(n + 255) / 256, 256>>>(a, out, n, dev);
    cudaFree(dev);
}
