// fast.cuh: elementwise operators as fast as the memory, by two kernels and a rule that chooses between them.
//
//     fast::transform(functor, n, out, {stream}, a, b);
//
// Functors, packs and alignment are those of elementwise.cuh. What is new, from the top: programmatic launch,
// bulk copies, the two kernels, the rule. The first two exist from compute capability 9.0 on; each is one
// function with a portable twin, which the CPU emulator compiles and runs.
//
//   packs   a thread's share is one pack of each input, loaded into registers
//   bulk    a block's share is 8 KB, which the copy engine of the SM brings into shared memory
#pragma once

#include "elementwise.cuh"

#if defined(__CUDA_ARCH__)
#define FAST_HAS_SM90 (__CUDA_ARCH__ >= 900)
#else
#define FAST_HAS_SM90 0
#endif

namespace fast {

using elementwise::apply;
using elementwise::fetch;
using elementwise::load;
using elementwise::Pack;

// ---- Programmatic launch: the next kernel's blocks take their places while this one's are still at work --
//
// Between two kernels a GPU idles for about a microsecond: the first must end before the second's blocks
// start. A kernel that says `let_next_kernel_start` allows the next one of the stream, if that was launched
// for it, to start its blocks as soon as there is room. Those must not touch what the first one reads or
// writes before `wait_for_previous_kernel` returns: then it has ended and its stores are visible. So:
//
//   - no load and no store stands before the wait, and no load is `ld.global.nc`, which the compiler may move
//     up: the pointers are neither __restrict__ nor read by __ldg;
//   - every thread waits, also one without work: a kernel that has ended then proves that all before it have.
//
// A previous kernel that says nothing lets this one start when it ends: right, and no faster.

__device__ __forceinline__ void let_next_kernel_start() {
#if FAST_HAS_SM90
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_previous_kernel() {
#if FAST_HAS_SM90
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// ---- Bulk copies: one thread asks for kilobytes, and no register waits for them --------------------------
//
// An Arrival is a barrier in shared memory (mbarrier) that counts the bytes still to come. The portable twin
// copies at once, so there is nothing left to wait for.

using Arrival = uint64_t;

__device__ __forceinline__ void expect(Arrival* arrival, uint32_t bytes) {
#if FAST_HAS_SM90
    const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(arrival));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the copy engine must see the barrier
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
#endif
}

// Both addresses and `bytes` must be multiples of 16.
__device__ __forceinline__ void bulk_copy(void* to, const void* from, uint32_t bytes, Arrival* arrival) {
#if FAST_HAS_SM90
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            static_cast<uint32_t>(__cvta_generic_to_shared(to))),
        "l"(from), "r"(bytes), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(arrival)))
        : "memory");
#else
    for (uint32_t i = 0; i < bytes / 16; ++i) static_cast<uint4*>(to)[i] = static_cast<const uint4*>(from)[i];
#endif
}

__device__ __forceinline__ void wait_for(Arrival* arrival) {
#if FAST_HAS_SM90
    const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(arrival));
    uint32_t done = 0;
    while (!done) {
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(at)
            : "memory");
    }
#endif
}

// Brings bytes nearer without reading them: a prefetch into L2, where all SMs meet, is never stale.
__device__ __forceinline__ void prefetch(const void* from, uint32_t bytes) {
#if FAST_HAS_SM90
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
#endif
}

// ---- The kernels ------------------------------------------------------------------------------------------

// Item i: pack i while there are whole packs, then one of the fewer than N elements that are left.
template <int N, typename F, typename R, typename... T>
__device__ __forceinline__ void do_item(const F& f, int64_t n, int64_t i, R* out, const T*... in) {
    const int64_t packs = n / N;
    const int64_t rest = packs * N + (i - packs);
    if (i < packs) {
        elementwise::store(out + i * N, apply<R>(f, fetch<N>(in, i)...));
    } else if (rest < n) {
        elementwise::store(out + rest, apply<R>(f, fetch<1>(in, rest)...));
    }
}

template <int N, typename F, typename R, typename... T>
__global__ void packs_kernel(F f, int64_t n, R* out, const T*... in) {
    let_next_kernel_start();
    wait_for_previous_kernel();
    do_item<N>(f, n, static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, out, in...);
}

// A store that L2 should not keep: nobody reads it soon.
template <int N, typename T>
__device__ __forceinline__ void store_streaming(T* to, const Pack<T, N>& pack) {
    if constexpr (sizeof(pack) % 16 == 0) {
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(pack) / 16); ++i) {
            __stcs(reinterpret_cast<uint4*>(to) + i, reinterpret_cast<const uint4*>(&pack)[i]);
        }
    } else {
        elementwise::store(to, pack);
    }
}

// Bytes that one element takes of the first K inputs.
template <size_t K, typename... T>
__host__ __device__ constexpr int bytes_of_first() {
    constexpr int bytes[] = {static_cast<int>(sizeof(T))...};
    int sum = 0;
    for (int k = 0; k < static_cast<int>(K); ++k) sum += bytes[k];
    return sum;
}

// Elements of a thread of bulk: 16 bytes of the smallest type, as long as the largest takes no more than 32.
template <typename... T>
constexpr int bulk_width() {
    int smallest = 16, largest = 1;
    ((smallest = static_cast<int>(sizeof(T)) < smallest ? static_cast<int>(sizeof(T)) : smallest), ...);
    ((largest = static_cast<int>(sizeof(T)) > largest ? static_cast<int>(sizeof(T)) : largest), ...);
    return 16 / smallest < 32 / largest ? 16 / smallest : 32 / largest;
}

// The threads of a block share a tile of blockDim.x packs of each input. The first `eager_blocks` blocks ask
// for their tile to come into L2 while they wait for the previous kernel.
template <int N, typename F, typename R, typename... T, size_t... K>
__device__ __forceinline__ void bulk_tile(std::index_sequence<K...>, const F& f, int64_t n, int eager_blocks,
                                          R* out, const T*... in) {
    extern __shared__ __align__(128) unsigned char buffer[];
    const uint32_t tile = blockDim.x * N;
    auto* const arrival = reinterpret_cast<Arrival*>(buffer + tile * bytes_of_first<sizeof...(T), T...>());
    const int64_t first = static_cast<int64_t>(blockIdx.x) * tile;
    const auto from_shared = [&](auto* input, int bytes_before) {
        return load<N>(reinterpret_cast<decltype(input)>(buffer + tile * bytes_before) + threadIdx.x * N);
    };
    let_next_kernel_start();
    if (first + tile > n) {  // the last block: what fills no tile goes through registers
        wait_for_previous_kernel();
        do_item<N>(f, n, static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, out, in...);
        return;
    }
    if (threadIdx.x == 0) {
        if (static_cast<int>(blockIdx.x) < eager_blocks) (prefetch(in + first, tile * sizeof(T)), ...);
        expect(arrival, tile * bytes_of_first<sizeof...(T), T...>());
        wait_for_previous_kernel();
        (bulk_copy(buffer + tile * bytes_of_first<K, T...>(), in + first, tile * sizeof(T), arrival), ...);
    }
    __syncthreads();  // the barrier is there (and the twin's copy)
    wait_for_previous_kernel();
    wait_for(arrival);
    R* const to = out + first + threadIdx.x * N;
    store_streaming(to, apply<R>(f, from_shared(in, bytes_of_first<K, T...>())...));
}

template <int N, typename F, typename R, typename... T>
__global__ void bulk_kernel(F f, int64_t n, int eager_blocks, R* out, const T*... in) {
    bulk_tile<N>(std::index_sequence_for<T...>{}, f, n, eager_blocks, out, in...);
}

// ---- The rule ---------------------------------------------------------------------------------------------

struct Device {  // what the rule knows of the card
    int sms, l2_bytes, shared_per_sm, shared_reserved, max_shared;
    double bytes_per_us;  // of DRAM, as specified; 0 where the driver does not say
    bool sm90;            // has programmatic launch and bulk copies
};

inline cudaError_t present_device(Device* found) {
    static Device known[64];
    int device = 0;
    if (const cudaError_t error = cudaGetDevice(&device)) return error;
    if (device >= 64) return cudaErrorInvalidDevice;
    if (known[device].sms == 0) {
        const cudaDeviceAttr attributes[] = {
            cudaDevAttrMultiProcessorCount, cudaDevAttrL2CacheSize,
            cudaDevAttrMaxSharedMemoryPerMultiprocessor, cudaDevAttrReservedSharedMemoryPerBlock,
            cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrMemoryClockRate,
            cudaDevAttrGlobalMemoryBusWidth, cudaDevAttrComputeCapabilityMajor};
        int value[8] = {};
        for (int i = 0; i < 8; ++i) {
            if (const cudaError_t error = cudaDeviceGetAttribute(&value[i], attributes[i], device)) {
                const bool optional = i == 5 || i == 6;  // a MIG slice or an integrated GPU has no clock
                if (!optional) return error;
                cudaGetLastError();  // forgets it
                value[i] = 0;
            }
        }
        const double bytes_per_us = 2.0 * value[5] / 1e3 * value[6] / 8;  // kHz, two transfers a cycle, bits
        known[device] = {value[0], value[1], value[2], value[3], value[4], bytes_per_us, value[7] >= 9};
    }
    *found = known[device];
    return cudaSuccess;
}

enum Path {
    kByRule,
    kPacks,
    kBulk,
};

struct Choice {  // 0: by the rule
    cudaStream_t stream = 0;
    int path = kByRule;
    int threads = 0;       // per block
    int tiles_per_sm = 0;  // of bulk: how many blocks may hold one at once
    int programmatic = 1;  // 0: an ordinary launch
    int prefetch = 0;      // 1: the first blocks of bulk prefetch their tiles into L2 while they wait
};

// The rule, in four lines of reasoning:
//   1. What fits in L2 is short work: the launch decides. One pack a thread spreads it over all SMs, in blocks of
//      512 threads, or smaller ones where an SM would get fewer than three: then some would have twice as many
//      as others, and all would wait for those.
//   2. What does not fit is long: DRAM decides. It likes bytes in order, so bulk, and streaming stores.
//   3. DRAM is busy when bandwidth x latency bytes are on their way (Little's law), and a loaded memory takes
//      about 1.3 us. More than that only mixes up DRAM's pages: so many tiles at once an SM, and no more.
//   4. Always programmatic: it costs two instructions.
constexpr double kLoadedLatencyUs = 1.3;
constexpr int kTileBytes = 8192;  // of the inputs
constexpr int kPacksThreads = 512;
constexpr int kBlocksPerSm = 3;
template <int kBytesPerThread>
constexpr int kBulkThreads = kTileBytes / kBytesPerThread < 32 ? 32 : kTileBytes / kBytesPerThread / 32 * 32;

inline bool prefer_bulk(const Device& device, int64_t bytes_moved) {
    return device.sm90 && bytes_moved > device.l2_bytes;
}

inline int threads_for(const Device& device, int64_t packs) {
    int threads = kPacksThreads;
    while (threads > 128 && packs < static_cast<int64_t>(threads) * kBlocksPerSm * device.sms) threads /= 2;
    return threads;
}

inline int tiles_in_flight(const Device& device) {
    const double tiles = device.bytes_per_us * kLoadedLatencyUs / device.sms / kTileBytes;
    if (device.bytes_per_us == 0) return 0;
    return tiles < 1.5 ? 1 : static_cast<int>(tiles + 0.5);
}

// Shared memory per block so that no more than `blocks` fit on an SM.
inline int shared_for(const Device& device, int blocks, int needed) {
    if (blocks <= 0) return needed;
    const int share = (device.shared_per_sm / blocks - device.shared_reserved) / 128 * 128;
    const int wanted = share < device.max_shared ? share : device.max_shared;
    return wanted > needed ? wanted : needed;
}

// ---- The launch -------------------------------------------------------------------------------------------

template <typename... K, typename... A>
cudaError_t launch(const Choice& choice, void (*kernel)(K...), int64_t blocks, int threads, int shared,
                   bool programmatic, A... arguments) {
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    if (shared > 48 * 1024) {  // more must be asked for
        const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
        if (const cudaError_t error = cudaFuncSetAttribute(kernel, attribute, shared)) return error;
    }
#if defined(ELEMENTWISE_EMULATOR)
    (void)programmatic;
    kernel<<<static_cast<unsigned>(blocks), threads, shared, choice.stream>>>(K(arguments)...);
    return cudaPeekAtLastError();
#else
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = choice.stream;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = programmatic ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, K(arguments)...);
#endif
}

template <int N, typename F, typename R, typename... T>
cudaError_t launch_packs(int width, const Device& device, const Choice& choice, const F& f, int64_t n, R* out,
                         const T*... in) {
    if constexpr (N > 1) {
        if (width < N) return launch_packs<N / 2>(width, device, choice, f, n, out, in...);
    }
    const int64_t packs = n / N + n % N;
    const int threads = choice.threads ? choice.threads : threads_for(device, packs);
    const int64_t blocks = (packs + threads - 1) / threads;
    const bool programmatic = device.sm90 && choice.programmatic;
    return launch(choice, packs_kernel<N, F, R, T...>, blocks, threads, 0, programmatic, f, n, out, in...);
}

// out[i] = f(in[i]...) for i < n.
template <typename F, typename R, typename... T>
cudaError_t transform(const F& f, int64_t n, R* out, const Choice& choice, const T*... in) {
    if (n < 0) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    Device device;
    if (const cudaError_t error = present_device(&device)) return error;

    constexpr int N = bulk_width<R, T...>();
    constexpr int kLoaded = bytes_of_first<sizeof...(T), T...>();
    const int threads = choice.threads ? choice.threads : kBulkThreads<N * kLoaded>;
    const bool aligned = elementwise::fits(out, N) && (elementwise::fits(in, 16 / sizeof(T)) && ...) &&
                         ((threads * N * sizeof(T) % 16 == 0) && ...);
    const bool bulk = choice.path ? choice.path == kBulk : prefer_bulk(device, n * (kLoaded + sizeof(R)));
    if (!bulk || !aligned || !device.sm90) {
        constexpr int kWidest = elementwise::max_width<R, T...>();
        const int width = elementwise::pack_width(out, in...);
        return launch_packs<kWidest>(width, device, choice, f, n, out, in...);
    }
    const int per_sm = choice.tiles_per_sm ? choice.tiles_per_sm : tiles_in_flight(device);
    const int needed = threads * N * kLoaded + static_cast<int>(sizeof(Arrival));
    const int64_t blocks = (n / N + n % N + threads - 1) / threads;
    return launch(choice, bulk_kernel<N, F, R, T...>, blocks, threads, shared_for(device, per_sm, needed),
                  choice.programmatic != 0, f, n, choice.prefetch ? per_sm * device.sms : 0, out, in...);
}

}  // namespace fast
