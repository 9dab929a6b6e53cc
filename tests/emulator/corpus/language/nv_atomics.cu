// Atomics that nvcc has of its own.
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int count, good;
    if (threadIdx.x == 0) {
        int seen = 3, was;
        count = 3;
        __nv_atomic_fetch_add(&count, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_fetch_max(&count, 9, __NV_ATOMIC_SEQ_CST);
        const bool no = __nv_atomic_compare_exchange_n(&count, &seen, 1, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
        __nv_atomic_load(&count, &was, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
        __nv_atomic_store_n(&count, 1, __NV_ATOMIC_RELEASE);
        good = !no && seen == 9 && was == 9;
    }
    __syncthreads();
    if (i < n && good) out[i] = a[i] + __nv_atomic_load_n(&count, __NV_ATOMIC_RELAXED);
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
