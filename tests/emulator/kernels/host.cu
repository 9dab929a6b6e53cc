// Launchers whose own code is wrong, each in its own way; and kernels that use what the launchers allocate.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#define CUDA_CHECK(call) \
    do { \
        const cudaError_t error = (call); \
        if (error != cudaSuccess) { \
            fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error)); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)

struct Before {
    static constexpr int kAhead = 4096;
    const float* data;  // so many elements before the first that is there
};
__global__ void copy_from(Before at, float* out) { out[threadIdx.x] = at.data[threadIdx.x + Before::kAhead]; }
__global__ void copy(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i];
}
__global__ void ones(float* x, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1.0f;
}
// In one block of many, which any OS thread may have taken.
__global__ void one_never_ends(int64_t n) {
    volatile int64_t go = n;
    for (volatile int i = 0; i < 100; i = i + 1) {
    }
    if (blockIdx.x == 41 && threadIdx.x == 3) {
        while (go) {
        }
    }
}
__global__ void local_array(float* out) {
    float t[4] = {1, 2, 3, 4};
    t[threadIdx.x] = 5;
    out[threadIdx.x] = t[threadIdx.x] + t[1];
}
__global__ void big_local_array(float* out) {
    volatile float t[127 * 1024];
    for (int i = 0; i < 127 * 1024; i += 1024) t[i] = static_cast<float>(i);
    out[threadIdx.x] = t[1024 * threadIdx.x];
}
__global__ void shared_rows(float* out) {
    __shared__ float tile[4][8];
    tile[0][threadIdx.x] = static_cast<float>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x / 8][threadIdx.x % 8];
}
__global__ void flag(float* out) {
    __shared__ volatile int raised;
    if (threadIdx.x == 0) raised = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (raised == 0) {
        }
        out[threadIdx.x] = static_cast<float>(raised);
    } else {
        raised = 7;
    }
}
__global__ void __launch_bounds__(128, 2) bounded(float* out) { out[threadIdx.x] = 3.0f; }
template <int kMost>
__launch_bounds__(2 * kMost) __global__ void bounded_by(float* out) {
    out[threadIdx.x] = 4.0f;
}

// So that the compiler keeps what is allocated only to be freed.
__host__ __device__ void* opaque(void* memory) {
    void* volatile seen = memory;
    return seen;
}
__device__ void* of_a_kernel;
__global__ void frees_twice_in_a_kernel() {
    void* memory = opaque(malloc(64));
    free(memory);
    free(memory);
}
__global__ void deletes_an_array_twice() {
    int* memory = static_cast<int*>(opaque(new int[4]));
    delete[] memory;
    delete[] memory;
}
__global__ void deletes_twice_in_a_kernel() {
    int* memory = static_cast<int*>(opaque(new int));
    delete memory;
    delete memory;
}
__global__ void frees(void* memory) { free(memory); }
__global__ void overruns_its_heap() {
    volatile char* memory = static_cast<char*>(opaque(malloc(16)));
    memory[16] = 1;
    free(const_cast<char*>(memory));
}
__global__ void overruns_its_heap_far() {
    volatile float* memory = static_cast<float*>(opaque(new float[16]));
    volatile float* others = static_cast<float*>(opaque(new float[16]));
    memory[4096] = others[0] = 1;
    delete[] memory;
    delete[] others;
}
__global__ void reads_what_it_has_freed(float* out) {
    float* memory = static_cast<float*>(opaque(malloc(64)));
    memory[1] = 1;
    free(memory);
    out[0] = memory[1];
}
__global__ void allocates_often(float* out) {
    int sum = 0;
    for (int i = 0; i < 20; ++i) {
        int* memory = static_cast<int*>(opaque(malloc(4 * (threadIdx.x + 1))));
        memory[threadIdx.x] = i;
        sum += memory[threadIdx.x];
        free(memory);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void waits_beside_a_barrier(float* out) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 5) {
        while (!ready) {
        }
    }
    __syncthreads();
    out[threadIdx.x] = 1;
}
__global__ void computes_beside_a_barrier(float* out, int steps) {
    __shared__ volatile int counter;
    if (threadIdx.x == 0) {
        float sum = 0;
        counter = 0;
        for (int i = 0; i < steps; ++i) sum += sum < 1000 ? 0.5f : -1000.0f;
        while (counter < steps) counter = counter + 1;
        out[blockIdx.x] = sum;
    }
    __syncthreads();
}
__global__ void keeps() { of_a_kernel = malloc(64); }
template <int kMost>
__global__ void __launch_bounds__(kMost) bounded(const float* x, dim3 unused) { of_a_kernel = const_cast<float*>(x); }
__global__ void __launch_bounds__(32 * 4, 1) bounded_by_sum() {}
__global__ void makes_object() { of_a_kernel = new int(3); }
__global__ void uses_deleted(float* out) {
    struct Node {
        float value;
        Node* next;
    };
    Node* node = static_cast<Node*>(opaque(new Node{2, nullptr}));
    delete node;
    out[0] = node->value;
}
__global__ void makes_objects(float* out) {
    struct Large {
        char bytes[1 << 20];
    };
    Large* kept[16];
    for (int i = 0; i < 16; ++i) {
        kept[i] = new Large;
        out[i] = kept[i] != nullptr;
    }
    for (int i = 0; i < 16; ++i) delete kept[i];
}
__global__ void fills_the_heap(float* out) {
    void* memory = malloc(1 << 20);
    out[threadIdx.x] = memory != nullptr;
    __syncthreads();
    free(memory);
}

static float* kept = nullptr;
static volatile int go = 1;

// What the runtime tells of the device: attributes, properties, occupancy.
static void ask_the_device(float* out) {
    int told[31], *next = told;
    for (int which : {1, 8, 12, 13, 16, 36, 37, 38, 39, 75, 76, 81, 82, 97, 106, 111}) {
        cudaDeviceGetAttribute(next++, static_cast<cudaDeviceAttr>(which), 0);
    }
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    for (int fact : {p.multiProcessorCount, p.major, p.minor, p.l2CacheSize, p.memoryBusWidth, p.regsPerBlock,
                     p.maxThreadsPerMultiProcessor, static_cast<int>(p.sharedMemPerMultiprocessor),
                     static_cast<int>(p.sharedMemPerBlockOptin), p.maxBlocksPerMultiProcessor}) {
        *next++ = fact;
    }
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(next++, copy, 64, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(next++, copy, 512, 20000);
    int block;
    cudaOccupancyMaxPotentialBlockSize(next++, &block, copy);
    *next++ = cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, 65537);
    *next++ = static_cast<int>(strlen(p.name));
    cudaGetLastError();
    float numbers[31];
    for (int i = 0; i < 31; ++i) numbers[i] = static_cast<float>(told[i]);
    cudaMemcpy(out, numbers, sizeof numbers, cudaMemcpyHostToDevice);
}

#define LAUNCHER(name, ...) \
    extern "C" void name(const float* x, float* out, int64_t n, cudaStream_t stream) { \
        __VA_ARGS__ \
        copy<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n); \
    }
extern "C" void right(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream) {
    float* twice = nullptr;
    CUDA_CHECK(cudaMalloc(&twice, 2 * n * sizeof(float)));
    ones<<<static_cast<unsigned>((2 * n + 255) / 256), 256, 0, stream>>>(twice, 2 * n);
    std::vector<float> host(2 * n);
    CUDA_CHECK(cudaMemcpy(host.data(), twice, 2 * n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(twice));
    float* array = static_cast<float*>(malloc(n * sizeof(float)));
    array = static_cast<float*>(realloc(array, 2 * n * sizeof(float)));
    for (int64_t i = 0; i < 2 * n; ++i) array[i] = host[i];
    free(array);
    copy<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
    CUDA_CHECK(cudaGetLastError());
}
LAUNCHER(exits, exit(3);)
LAUNCHER(exits_at_error, ones<<<1, 2000>>>(out, n); CUDA_CHECK(cudaGetLastError());)
LAUNCHER(aborts, abort();)
LAUNCHER(throws, throw std::runtime_error("no");)
static void must_not_throw(int64_t n) noexcept {
    if (n > 0) throw std::runtime_error("no");
}
LAUNCHER(throws_out_of_noexcept, must_not_throw(n);)
static int deeper(volatile int* above, int depth) {
    volatile int here = *above + depth;
    return deeper(&here, depth + 1) + here;
}
LAUNCHER(never_ends_its_recursion, volatile int first = 1; out[0] = static_cast<float>(deeper(&first, 1));)
LAUNCHER(frees_twice, float* t; cudaMalloc(&t, 4 * n); cudaFree(t); cudaFree(t);)
LAUNCHER(frees_host_memory, float t[4]; cudaFree(t);)
LAUNCHER(overruns_far, float* t; cudaMalloc(&t, 4 * n);
         ones<<<static_cast<unsigned>(n / 256 + 20), 256>>>(t, n + 2000); cudaFree(t);)
LAUNCHER(overruns_by_one, float* t; cudaMalloc(&t, 4 * n);
         ones<<<static_cast<unsigned>(n / 256 + 1), 256>>>(t, n + 1); cudaFree(t);)
LAUNCHER(overruns_what_it_keeps, if (!kept) cudaMalloc(&kept, 40); ones<<<1, 11>>>(kept, 11);)
LAUNCHER(overruns_very_far, float* t, *u; cudaMalloc(&t, 4 * n); cudaMalloc(&u, 4 * n); ones<<<1, 1>>>(t + 100000, 1);
         cudaFree(u); cudaFree(t);)
LAUNCHER(uses_after_free, float* t; cudaMalloc(&t, 4 * n); cudaFree(t); ones<<<1, 1>>>(t, 1);)
LAUNCHER(loops, while (go){})
LAUNCHER(waits_for_a_kernel, one_never_ends<<<64, 256>>>(n);)
LAUNCHER(loops_with_kernels, while (go) ones<<<1, 1>>>(out, 1);)
LAUNCHER(overruns_a_local_array, volatile float t[4]; for (volatile int i = 0; i < 12; ++i) t[i] = 1;)
LAUNCHER(underruns_a_local_array, volatile float t[4]; for (volatile int i = 3; i > -9; --i) t[i] = 1;)
LAUNCHER(smashes_the_stack, volatile float t[4]; volatile float* p = t;
         for (int i = 0; i < 4000000; ++i) p[i] = 1;)
LAUNCHER(overruns_new, volatile float* t = new float[10]; for (int i = 0; i < 14; ++i) t[i] = 1; delete[] t;)
LAUNCHER(overruns_malloc, volatile float* t = static_cast<float*>(malloc(40)); t[10] = 1;)
LAUNCHER(overruns_a_vector, std::vector<float> t(10); for (int i = 0; i < 11; ++i) t[i] = 1; out[0] = t[0];)
LAUNCHER(misuses_a_null_pointer, volatile float* t = nullptr; *t = 1;)
LAUNCHER(reads_cuda_malloc, float* t; cudaMalloc(&t, 8); cudaMemset(t, 0, 8); out[0] = t[1];)
LAUNCHER(writes_cuda_malloc, float* t; cudaMalloc(&t, 8); ones<<<1, 2>>>(t, 2); t[0] = 2;)
LAUNCHER(reads_a_tensor, ones<<<1, 1>>>(out, 1); volatile float first = x[1]; (void)first;)
LAUNCHER(writes_a_tensor, out[2] = 1.0f;)
LAUNCHER(may_be_accessed, float* t; cudaMallocManaged(&t, 8); t[0] = 1; copy<<<1, 2>>>(x, t, 2);
         cudaDeviceSynchronize();
         float* u; cudaMallocHost(&u, 8); u[0] = t[1]; float* v; cudaMalloc(&v, 8);
         cudaMemcpy(v, u, 4, cudaMemcpyHostToDevice); cudaMemcpy(u + 1, v, 4, cudaMemcpyDeviceToHost);
         float w = u[1] + 4; cudaMemcpy(out, &w, 4, cudaMemcpyHostToDevice); cudaFree(v); return;)
LAUNCHER(reads_managed_memory_too_early, float* t; cudaMallocManaged(&t, 8); copy<<<1, 2>>>(x, t, 2);
         volatile float first = t[1]; (void)first;)
LAUNCHER(writes_managed_memory_too_early, float* t; cudaMallocManaged(&t, 8); t[0] = t[1] = 1; copy<<<1, 2>>>(t, out, 2);
         t[1] = 2;)
LAUNCHER(reads_pinned_memory_too_early, float* t; cudaMallocHost(&t, 8);
         cudaMemcpyAsync(t, x, 8, cudaMemcpyDeviceToHost, stream); volatile float first = t[1]; (void)first;)
LAUNCHER(waits_for_another_stream, float* t; cudaMallocHost(&t, 8); cudaStream_t other; cudaStreamCreate(&other);
         cudaMemcpyAsync(t, x, 8, cudaMemcpyDeviceToHost, other); cudaStreamSynchronize(stream ? stream : (cudaStream_t)1);
         volatile float first = t[1]; (void)first;)
LAUNCHER(waits_for_managed_memory, float* t; cudaMallocManaged(&t, 12); t[0] = t[1] = t[2] = 1; copy<<<1, 2>>>(t, out, 2);
         float sum = t[1]; cudaEvent_t event; cudaEventCreate(&event); cudaEventRecord(event); cudaEventSynchronize(event);
         copy<<<1, 2>>>(x, t, 2); cudaDeviceSynchronize(); t[0] = 7; copy<<<1, 2>>>(t, t + 1, 1);
         cudaMemcpy(out, t, 12, cudaMemcpyDeviceToDevice); cudaStreamSynchronize(nullptr); sum += t[1];
         if (sum != 8) copy<<<1, 1>>>(out, nullptr, 1); cudaFree(t); return;)
LAUNCHER(waits_by_a_copy, float* t; cudaMallocManaged(&t, 8); copy<<<1, 2, 0, stream>>>(x, t, 2); float own[2];
         cudaMemcpyAsync(own, x, 8, cudaMemcpyDeviceToHost, stream); t[0] = t[1] + own[1] + 3;
         copy<<<1, 1, 0, stream>>>(t, out, 1); cudaStreamSynchronize(stream); cudaFree(t); return;)
LAUNCHER(gives_a_local_variable, float t = 1; copy<<<1, 1>>>(&t, out, 1);)
LAUNCHER(gives_new_memory, copy<<<1, 1>>>(new float[1](), out, 1);)
LAUNCHER(gives_a_static_array, static float t[4]; copy<<<1, 1>>>(t, out, 1);)
LAUNCHER(gives_a_place_before_a_tensor, copy_from<<<1, 32>>>(Before{x - Before::kAhead}, out); return;)
LAUNCHER(launches_after_a_fault, ones<<<1, 1>>>(nullptr, 1); out[0] = 9; copy<<<1, 1>>>(x, out, 1);)
LAUNCHER(fills, cudaMemsetAsync(out, 1, n * sizeof(float), stream);)
LAUNCHER(local_too_far, local_array<<<1, 5>>>(out);)
LAUNCHER(big_local, big_local_array<<<1, 32>>>(out); return;)
LAUNCHER(rows, shared_rows<<<1, 32>>>(out); return;)
LAUNCHER(waits_for_a_flag, flag<<<1, 64>>>(out); return;)
LAUNCHER(too_many_threads, bounded<<<1, 129>>>(out);)
LAUNCHER(enough_threads, bounded<<<1, 128>>>(out); bounded_by<16><<<1, 32>>>(out); return;)
LAUNCHER(too_many_for_the_template, bounded_by<16><<<1, 33>>>(out);)
LAUNCHER(grid_too_tall, copy<<<dim3(1, 70000), 256, 0, stream>>>(x, out, n);)
LAUNCHER(pitched, float* t; size_t pitch; cudaMallocPitch(&t, &pitch, 4 * 10, n / 10);
         cudaMemcpy2D(t, pitch, x, 40, 40, n / 10, cudaMemcpyDeviceToDevice);
         cudaMemcpy2DAsync(out, 40, t, pitch, 40, n / 10, cudaMemcpyDeviceToDevice, stream);
         cudaFree(t); if (pitch == 512) return;)
LAUNCHER(asks_the_device, ask_the_device(out); return;)
#define OF_4000 \
    float* t; \
    cudaMalloc(&t, 4000); \
    float* array = static_cast<float*>(opaque(malloc(4000)));
LAUNCHER(copies_too_much, OF_4000 cudaMemcpy(t, array, 4001, cudaMemcpyHostToDevice);)
LAUNCHER(copies_too_much_back, OF_4000 cudaMemcpy(array, t + 100, 4000, cudaMemcpyDeviceToHost);)
LAUNCHER(copies_too_much_later, OF_4000 cudaMemcpyAsync(out, t, 4004, cudaMemcpyDeviceToDevice, stream);)
LAUNCHER(copies_a_short_array, OF_4000 cudaMemcpy(out, opaque(new char[3999]), 4000, cudaMemcpyHostToDevice);)
LAUNCHER(sets_too_much, cudaMemset(out, 0, 4 * n + 1);)
LAUNCHER(sets_too_many_rows, OF_4000 cudaMemset2D(t, 64, 0, 64, 63);)
LAUNCHER(copies_too_much_of_a_symbol, char t[16] = {}; cudaMemcpyToSymbol(of_a_kernel, t, 16);)
LAUNCHER(copies_the_wrong_way, OF_4000 cudaMemcpy(t, array, 4000, cudaMemcpyDeviceToHost);)
LAUNCHER(sets_host_memory, float t[4]; cudaMemset(t, 0, sizeof t);)
LAUNCHER(copies_what_is_there, OF_4000 array[3] = 5; cudaMemcpy(t + 900, array, 400, cudaMemcpyHostToDevice);
         cudaMemcpy(t, x, 4000, cudaMemcpyHostToDevice); cudaMemset2D(t, 64, 0, 32, 63); cudaFree(t); free(array);)
LAUNCHER(frees_pinned_memory, float* t; cudaMallocHost(&t, 8); cudaFree(t);)
LAUNCHER(frees_managed_memory, float* t; cudaMallocManaged(&t, 8); cudaFreeHost(t);)
LAUNCHER(frees_an_array_twice, void* t = opaque(malloc(64)); free(t); free(t);)
LAUNCHER(deletes_twice, int* t = static_cast<int*>(opaque(new int)); delete t; delete t;)
LAUNCHER(deletes_all_twice, int* t = static_cast<int*>(opaque(new int[9])); delete[] t; delete[] t;)
LAUNCHER(frees_inside_an_array, free(static_cast<char*>(opaque(malloc(64))) + 16);)
LAUNCHER(frees_a_local_variable, int t[4]; free(opaque(t));)
LAUNCHER(frees_memory_of_the_gpu, float* t; cudaMalloc(&t, 8); free(t);)
LAUNCHER(frees_a_kernels_memory, void* t; keeps<<<1, 1>>>(); cudaMemcpyFromSymbol(&t, of_a_kernel, 8); free(t);)
LAUNCHER(kernel_frees_twice, frees_twice_in_a_kernel<<<1, 1>>>();)
LAUNCHER(kernel_uses_what_it_has_deleted, uses_deleted<<<1, 1>>>(out);)
LAUNCHER(deletes_a_kernels_object, void* t; makes_object<<<1, 1>>>(); cudaMemcpyFromSymbol(&t, of_a_kernel, 8); delete static_cast<int*>(t);)
LAUNCHER(kernel_fills_its_heap_with_objects, makes_objects<<<1, 1>>>(out); return;)
LAUNCHER(asks_for_bounds, cudaFuncAttributes a; cudaFuncAttributes b; cudaFuncAttributes c; int grid; int block; int most; int none;
         CUDA_CHECK(cudaFuncGetAttributes(&a, bounded<96>)); cudaFuncGetAttributes(&b, (const void*)bounded_by_sum);
         cudaFuncGetAttributes(&c, keeps); cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded<256>, 0, 0);
         cudaOccupancyMaxPotentialBlockSize(&grid, &most, keeps);
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&none, &bounded<64>, 96, 0);
         float t[] = {1.f * a.maxThreadsPerBlock, 1.f * b.maxThreadsPerBlock, 1.f * c.maxThreadsPerBlock, 1.f * block, 1.f * most, 1.f * none};
         cudaMemcpy(out, t, sizeof t, cudaMemcpyHostToDevice); return;)
LAUNCHER(kernel_deletes_twice, deletes_twice_in_a_kernel<<<1, 1>>>();)
LAUNCHER(kernel_deletes_all_twice, deletes_an_array_twice<<<1, 1>>>();)
LAUNCHER(kernel_frees_cuda_malloc, float* t; cudaMalloc(&t, 8); frees<<<1, 1>>>(t);)
LAUNCHER(kernel_frees_a_tensor, frees<<<1, 1>>>(out);)
LAUNCHER(kernel_overruns_its_heap, overruns_its_heap<<<1, 1>>>();)
LAUNCHER(kernel_overruns_its_heap_far, overruns_its_heap_far<<<1, 1>>>();)
LAUNCHER(kernel_reads_what_it_has_freed, reads_what_it_has_freed<<<1, 1>>>(out);)
LAUNCHER(kernel_waits_beside_a_barrier, waits_beside_a_barrier<<<3, 32>>>(out);)
LAUNCHER(computes_alone, computes_beside_a_barrier<<<2, 64>>>(out, 100000001); return;)
LAUNCHER(allocates, allocates_often<<<7, 128>>>(out); return;)
LAUNCHER(fills_heaps, size_t bytes; cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize);
         fills_the_heap<<<1, 32>>>(out); cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20);
         fills_the_heap<<<1, 32>>>(out + 32); cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes); return;)
LAUNCHER(pools, cudaMemPool_t pool; cudaDeviceGetMemPool(&pool, 0); uint64_t all = UINT64_MAX;
         cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all); cudaMemPoolProps of{};
         of.allocType = cudaMemAllocationTypePinned; of.location = {cudaMemLocationTypeDevice, 0};
         cudaMemPool_t own; CUDA_CHECK(cudaMemPoolCreate(&own, &of)); float* t;
         CUDA_CHECK(cudaMallocFromPoolAsync(&t, 4 * n, own, stream)); CUDA_CHECK(cudaFreeAsync(t, stream));
         CUDA_CHECK(cudaMallocAsync(&t, 4 * n, stream)); CUDA_CHECK(cudaFreeAsync(t, stream));
         CUDA_CHECK(cudaMemPoolTrimTo(own, 0)); CUDA_CHECK(cudaMemPoolDestroy(own));)

// Asks what there is to know of the device; what changes nothing on the CPU is taken.
extern "C" int tells_of_the_device(const float* x, float* out, int64_t n, cudaStream_t stream) {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int copies_both_ways, registers, l2, managed;
    CUDA_CHECK(cudaDeviceGetAttribute(&copies_both_ways, cudaDevAttrGpuOverlap, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&registers, cudaDevAttrMaxRegistersPerBlock, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&managed, cudaDevAttrConcurrentManagedAccess, 0));
    cudaSharedMemConfig banks;
    CUDA_CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    CUDA_CHECK(cudaDeviceGetSharedMemConfig(&banks));
    cudaStreamAttrValue stays{};
    stays.accessPolicyWindow = {out, 4, 1.0f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
    CUDA_CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &stays));
    CUDA_CHECK(cudaMemcpyPeer(out, 0, x + 5, 0, 4));
    const bool alone = cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice;
    cudaGetLastError();
    const float found[] = {
        float(copies_both_ways), float(registers == p.regsPerBlock), float(l2 == p.l2CacheSize),
        float(managed == p.concurrentManagedAccess), float(p.maxTexture2D[1]), float(p.pciBusID),
        float(banks == cudaSharedMemBankSizeFourByte), float(alone),
        float(strcmp(cudaGetErrorString(cudaErrorNotMapped), "resource not mapped") == 0)};
    return cudaMemcpy(out + 1, found, sizeof found, cudaMemcpyHostToDevice);
}
