// CUB selects over the whole GPU: by a condition, by flags in place, and the first of equal neighbours.
#include <cub/device/device_select.cuh>
#include <cuda_runtime.h>
struct Above {
    int limit;
    __host__ __device__ explicit Above(int limit) : limit(limit) {}
    __host__ __device__ __forceinline__ bool operator()(const int& x) const { return x > limit; }
};
__global__ void make(int* x, char* flags, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = i / 3 * 7 % 100, flags[i] = i % 4 == 1;
}
__global__ void finish(const float* a, float* out, int n, const int* high, const int* flagged, const int* unique, const int* counts) {
    __shared__ int wrong;
    if (threadIdx.x == 0) {
        wrong = 0;
        int h = 0, f = 0, u = 0, last = -1;
        for (int i = 0; i < n; ++i) {
            const int x = i / 3 * 7 % 100;
            if (x > 60) wrong += high[h++] != x;
            if (i % 4 == 1) wrong += flagged[f++] != x;
            if (x != last) wrong += unique[u++] != x;
            last = x;
        }
        wrong += counts[0] != h || counts[1] != f || counts[2] != u;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = a[i] + (wrong == 0);
}
extern "C" int launch(const float* a, float* out, int n, cudaStream_t stream) {
    int *x, *high, *unique, *counts;
    char* flags;
    cudaMalloc((void**)&x, n * sizeof(int));
    cudaMalloc((void**)&high, n * sizeof(int));
    cudaMalloc((void**)&unique, n * sizeof(int));
    cudaMalloc((void**)&counts, 3 * sizeof(int));
    cudaMalloc((void**)&flags, n);
    make<<<1, 256, 0, stream>>>(x, flags, n);
    void* d_temp_storage = NULL;
    size_t temp_storage_bytes = 0, need = 0;
    Above above(60);
    cub::DeviceSelect::If(d_temp_storage, temp_storage_bytes, x, high, counts, n, above, stream);
    cub::DeviceSelect::Flagged(d_temp_storage, need, x, flags, counts + 1, n, stream);
    temp_storage_bytes = need > temp_storage_bytes ? need : temp_storage_bytes;
    cub::DeviceSelect::Unique(d_temp_storage, need, x, unique, counts + 2, n, stream);
    temp_storage_bytes = need > temp_storage_bytes ? need : temp_storage_bytes;
    cudaMalloc(&d_temp_storage, temp_storage_bytes);
    cub::DeviceSelect::If(d_temp_storage, temp_storage_bytes, x, high, counts, n, above, stream);
    cub::DeviceSelect::Unique(d_temp_storage, temp_storage_bytes, x, unique, counts + 2, n, stream);
    cub::DeviceSelect::Flagged(d_temp_storage, temp_storage_bytes, x, flags, counts + 1, n, stream);
    finish<<<1, 256, 0, stream>>>(a, out, n, high, x, unique, counts);
    const cudaError_t error = cudaStreamSynchronize(stream);
    cudaFree(x), cudaFree(high), cudaFree(unique), cudaFree(counts), cudaFree(flags), cudaFree(d_temp_storage);
    return error;
}
