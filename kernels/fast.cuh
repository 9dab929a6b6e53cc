// fast.cuh: elementwise operators as fast as the memory, by two kernels and a rule that chooses between them.
//
//     fast::transform(functor, n, out, {stream}, a, b);
//
// Functors, packs and operands are those of elementwise.cuh. What is new, from the top: programmatic launch,
// bulk copies, slices, the two kernels, the rule. The first two exist from compute capability 9.0 on; each is
// one function with a portable twin, which the CPU emulator compiles and runs.
//
//   packs   a thread's share is a few packs of each input, loaded into registers, all before the first is used
//   bulk    a block's share is a tile, which the copy engine of the SM brings into shared memory
#pragma once

#include <cstring>

#include "elementwise.cuh"

#if defined(__CUDA_ARCH__)
#define FAST_HAS_SM90 (__CUDA_ARCH__ >= 900)
#else
#define FAST_HAS_SM90 0
#endif

namespace fast {

using elementwise::apply;
using elementwise::load;
using elementwise::make_functor;
using elementwise::Pack;
using elementwise::Row;
using elementwise::WordOf;

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

// ---- Slices: inputs that lie at other offsets than the output ---------------------------------------------
//
// x[1:] begins two or four bytes behind a multiple of 16, and a load of 16 bytes needs one. So read the two
// aligned packs around the wanted one, and shift: a thread's second load is its neighbour's first, which L1 has.

template <typename T>
struct Slice {
    const T* data;
    int behind;  // bytes by which the wanted packs begin behind aligned ones
};

template <typename T>
struct SlicedRow {  // a Row of which a pack may straddle two rows
    Row<T> row;
};

template <typename T, int N>
struct Around {
    Pack<T, N> low, high;
};

// `begin` issues the loads of the pack that starts at an element; `settle` makes the pack of what they brought.

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> begin(const T* data, int64_t element) {
    return load<N>(data + element);
}

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> begin(const Row<T>& row, int64_t element) {
    return load<N>(row.data + row.column(element));
}

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> begin(const SlicedRow<T>& sliced, int64_t element) {
    int64_t column = sliced.row.column(element);
    Pack<T, N> pack;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        pack.element[i] = sliced.row.data[column];
        column = column + 1 == sliced.row.cols ? 0 : column + 1;
    }
    return pack;
}

template <int N, typename T>
__device__ __forceinline__ auto begin(Slice<T> slice, int64_t element) {
    if constexpr (N == 1) {
        return load<1>(slice.data + element);
    } else {
        const T* const aligned = slice.data + (element - slice.behind / static_cast<int>(sizeof(T)));
        Around<T, N> around;
        around.low = load<N>(aligned);
        around.high = slice.behind ? load<N>(aligned + N) : around.low;
        return around;
    }
}

template <int N, typename Operand, typename T>
__device__ __forceinline__ Pack<T, N> settle(const Operand&, const Pack<T, N>& pack) {
    return pack;
}

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> settle(Slice<T> slice, const Around<T, N>& around) {
    const int behind = slice.behind;
    Pack<T, N> pack;
    if constexpr (sizeof(pack) < 4) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const int from = i + behind / static_cast<int>(sizeof(T));
            pack.element[i] = from < N ? around.low.element[from] : around.high.element[from - N];
        }
    } else {
        constexpr int kWords = static_cast<int>(sizeof(pack)) / 4;
        uint32_t word[2 * kWords], shifted[kWords];
        memcpy(word, &around, sizeof(word));
#pragma unroll
        for (int step = kWords / 2; step > 0; step /= 2) {  // whole words: 2, then 1
#pragma unroll
            for (int i = 0; i + step < 2 * kWords; ++i) word[i] = behind & 4 * step ? word[i + step] : word[i];
        }
#pragma unroll
        for (int i = 0; i < kWords; ++i) shifted[i] = __funnelshift_r(word[i], word[i + 1], behind % 4 * 8);
        memcpy(&pack, shifted, sizeof(pack));
    }
    return pack;
}

// ---- The kernels ------------------------------------------------------------------------------------------
//
// A block's tile is blockDim.x * P packs of N elements, after the `head` elements that bring `out` to a multiple
// of a pack. Where a tile begins takes 64 bits, once; inside it 32 are enough.

constexpr int kMaxThreads = 512;  // a block's; so a thread may have 128 registers

struct Job {
    int64_t n;
    int head;        // fewer than two packs
    bool streaming;  // stores that L2 should not keep: nobody reads them soon
    bool late;       // the next kernel may start behind the wait, not before
};

template <int N, int P, typename Operand>
struct Share {  // what one thread loads of one input
    Operand in;
    decltype(begin<N>(in, 0)) loaded[P];

    __device__ __forceinline__ Share(const Operand& from, int64_t first) : in(from) {
#pragma unroll
        for (int k = 0; k < P; ++k) loaded[k] = begin<N>(in, first + static_cast<int>(k * blockDim.x + threadIdx.x) * N);
    }
    __device__ __forceinline__ auto pack(int k) const { return settle<N>(in, loaded[k]); }
};

template <int N, typename T>
__device__ __forceinline__ void store_as(bool streaming, T* to, const Pack<T, N>& pack) {
    if (streaming) {
        using Word = typename WordOf<sizeof(T) * N>::Type;
        __stcs(reinterpret_cast<Word*>(to), *reinterpret_cast<const Word*>(&pack));
    } else {
        elementwise::store(to, pack);
    }
}

template <int N, int P, typename F, typename R, typename... In>
__device__ __forceinline__ void finish(const F& f, bool streaming, R* out, const Share<N, P, In>&... share) {
#pragma unroll
    for (int k = 0; k < P; ++k) {
        store_as(streaming, out + static_cast<int>(k * blockDim.x + threadIdx.x) * N, apply<R>(f, share.pack(k)...));
    }
}

template <typename F, typename R, typename... In>
__device__ __forceinline__ void do_element(const F& f, int64_t i, R* out, const In&... in) {
    elementwise::store(out + i, apply<R>(f, settle<1>(in, begin<1>(in, i))...));
}

template <typename Operand>
constexpr bool is_slice = false;
template <typename T>
constexpr bool is_slice<Slice<T>> = true;

// The last block, whose tile is not whole: packs as long as they are, then the elements that are left.
template <int N, typename F, typename R, typename... In>
__device__ __forceinline__ void do_rest(const F& f, int64_t first, int left, R* out, const In&... in) {
    constexpr int kAhead = (is_slice<In> || ...) ? N : 0;  // a slice reads the aligned pack behind, too
    const int packs = left > kAhead ? (left - kAhead) / N : 0;
#pragma unroll 1
    for (int p = threadIdx.x; p < packs; p += blockDim.x) {
        const int64_t at = first + p * N;
        elementwise::store(out + at, apply<R>(f, settle<N>(in, begin<N>(in, at))...));
    }
    const int element = packs * N + threadIdx.x;  // fewer than two packs are left
    if (element < left) do_element(f, first + element, out, in...);
}

template <typename F, typename R, typename... In>
__device__ __forceinline__ void do_head(const F& f, const Job& job, R* out, const In&... in) {
    if (blockIdx.x == 0 && static_cast<int>(threadIdx.x) < job.head) do_element(f, threadIdx.x, out, in...);
}

__device__ __forceinline__ void start(const Job& job) {
    if (!job.late) let_next_kernel_start();
    wait_for_previous_kernel();
    if (job.late) let_next_kernel_start();
}

template <int N, int P, typename F, typename R, typename... In>
__global__ void __launch_bounds__(kMaxThreads) packs_kernel(F functor_or_factory, Job job, R* out, In... in) {
    constexpr int kAhead = (is_slice<In> || ...) ? N : 0;
    const int tile = blockDim.x * (N * P);
    const int64_t first = job.head + static_cast<int64_t>(blockIdx.x) * tile;
    start(job);
    const auto f = make_functor(functor_or_factory);
    if (first + tile + kAhead <= job.n) {
        finish(f, job.streaming, out + first, Share<N, P, In>(in, first)...);
    } else {
        do_rest<N>(f, first, static_cast<int>(job.n - first), out, in...);
    }
    do_head(f, job, out, in...);
}

// Bytes of shared memory that one element takes of the first K inputs. A Row needs none: it stays in the caches.
template <typename T>
constexpr int staged_bytes(const T*) {
    return static_cast<int>(sizeof(T));
}
template <typename T>
constexpr int staged_bytes(const Row<T>&) {
    return 0;
}
template <typename Operand>
constexpr int kStagedBytes = 0;
template <typename T>
constexpr int kStagedBytes<const T*> = static_cast<int>(sizeof(T));

template <size_t K, typename... In>
__host__ __device__ constexpr int bytes_of_first() {
    constexpr int bytes[] = {kStagedBytes<In>..., 0};
    int sum = 0;
    for (int k = 0; k < static_cast<int>(K); ++k) sum += bytes[k];
    return sum;
}

template <typename T>
__device__ __forceinline__ void stage(unsigned char* to, const T* from, int64_t first, int tile, Arrival* arrival) {
    bulk_copy(to, from + first, tile * static_cast<int>(sizeof(T)), arrival);
}
template <typename T>
__device__ __forceinline__ void stage(unsigned char*, const Row<T>&, int64_t, int, Arrival*) {}

// The tile as an operand whose element `first` lies at the start of its shared memory.
template <int N, int P, typename T>
__device__ __forceinline__ auto staged_share(const unsigned char* at, const T*, int64_t) {
    return Share<N, P, const T*>(reinterpret_cast<const T*>(at), 0);
}
template <int N, int P, typename T>
__device__ __forceinline__ auto staged_share(const unsigned char*, const Row<T>& row, int64_t first) {
    return Share<N, P, Row<T>>(row, first);
}

template <int N, int P, typename F, typename R, typename... In, size_t... K>
__device__ __forceinline__ void bulk_tile(std::index_sequence<K...>, const F& functor_or_factory, const Job& job, R* out,
                                          const In&... in) {
    extern __shared__ __align__(128) unsigned char buffer[];
    constexpr int kStaged = bytes_of_first<sizeof...(In), In...>();
    const int tile = blockDim.x * (N * P);
    const int64_t first = job.head + static_cast<int64_t>(blockIdx.x) * tile;
    auto* const arrival = reinterpret_cast<Arrival*>(buffer + tile * kStaged);
    if (first + tile > job.n) {  // the last block: what fills no tile goes through registers
        start(job);
        const auto f = make_functor(functor_or_factory);
        do_rest<N>(f, first, static_cast<int>(job.n - first), out, in...);
        do_head(f, job, out, in...);
        return;
    }
    if (threadIdx.x == 0) {
        expect(arrival, tile * kStaged);
        start(job);
        (stage(buffer + tile * bytes_of_first<K, In...>(), in, first, tile, arrival), ...);
    }
    __syncthreads();  // the barrier is there (and the twin's copy)
    start(job);
    const auto f = make_functor(functor_or_factory);
    wait_for(arrival);
    finish(f, job.streaming, out + first,
           staged_share<N, P>(buffer + tile * bytes_of_first<K, In...>(), in, first)...);
    do_head(f, job, out, in...);
}

template <int N, int P, typename F, typename R, typename... In>
__global__ void __launch_bounds__(kMaxThreads) bulk_kernel(F f, Job job, R* out, In... in) {
    bulk_tile<N, P>(std::index_sequence_for<In...>{}, f, job, out, in...);
}

// ---- The rule ---------------------------------------------------------------------------------------------

struct Device {  // what the rule knows of the card
    int sms, l2_bytes, shared_per_sm, shared_reserved, max_shared;
    double bytes_per_us;  // of DRAM, as specified; 0 where the driver does not say
    bool sm90;            // the code that runs has programmatic launch and bulk copies
};

__global__ void asked_for_its_version() {}

// Whether this file's code, as the present card runs it, was compiled for 9.0 or later. The card does not decide
// that: code for 8.0 runs on a card of 9.0, and its kernels do not wait.
inline cudaError_t code_is_sm90(bool* answer) {
#if defined(ELEMENTWISE_EMULATOR)
    *answer = true;
    return cudaSuccess;
#else
    cudaFuncAttributes attributes;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, asked_for_its_version);
    *answer = attributes.ptxVersion >= 90;
    return error;
#endif
}

inline cudaError_t read_device(int device, Device* found) {
    const cudaDeviceAttr attributes[] = {
        cudaDevAttrMultiProcessorCount, cudaDevAttrL2CacheSize, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
        cudaDevAttrReservedSharedMemoryPerBlock, cudaDevAttrMaxSharedMemoryPerBlockOptin,
        cudaDevAttrMemoryClockRate, cudaDevAttrGlobalMemoryBusWidth};
    int value[7] = {};
    for (int i = 0; i < 7; ++i) {
        if (const cudaError_t error = cudaDeviceGetAttribute(&value[i], attributes[i], device)) {
            const bool optional = i >= 5;  // a MIG slice or an integrated GPU has no clock
            if (!optional) return error;
            cudaGetLastError();  // forgets it
            value[i] = 0;
        }
    }
    const double bytes_per_us = 2.0 * value[5] / 1e3 * value[6] / 8;  // kHz, two transfers a cycle, bits
    *found = {value[0], value[1], value[2], value[3], value[4], bytes_per_us, false};
    return code_is_sm90(&found->sm90);
}

// Each thread of the host asks once, and again where it changes the device: nothing is shared, so nothing is locked.
inline cudaError_t present_device(Device* found) {
    thread_local int known_device = -1;
    thread_local Device known;
    int device = 0;
    if (const cudaError_t error = cudaGetDevice(&device)) return error;
    if (device != known_device) {
        if (const cudaError_t error = read_device(device, &known)) return error;
        known_device = device;
    }
    *found = known;
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
    int threads = 0;       // per block, at most kMaxThreads
    int packs = 0;         // per thread: 1, 2 or 4
    int tiles_per_sm = 0;  // of bulk: how many blocks may hold one at once
    int programmatic = 1;  // 0: an ordinary launch; 2: lets the next kernel start only behind its own wait
    int streaming = 0;     // 1: streaming stores; 2: plain ones
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

// Where the operands lie. Elements until `out` is a multiple of a pack:
template <int N, typename R>
int head_of(const R* out, int64_t n) {
    constexpr uintptr_t kBytes = sizeof(R) * N;
    const auto missing = (kBytes - reinterpret_cast<uintptr_t>(out) % kBytes) % kBytes / sizeof(R);
    return missing < static_cast<uintptr_t>(n) ? static_cast<int>(missing) : static_cast<int>(n);
}

// May packs of `bytes` be read behind `head` elements?
template <typename T>
bool fits(const T* data, int head, int, uintptr_t bytes) {
    return reinterpret_cast<uintptr_t>(data + head) % bytes == 0;
}
template <typename T>
bool fits(const Row<T>& row, int head, int width, uintptr_t bytes) {
    return head % width == 0 && row.cols % width == 0 && reinterpret_cast<uintptr_t>(row.data) % bytes == 0;
}

// Would the first shifted pack be read from before the slice?
template <typename T>
bool begins_before(const T* data, int head, int width) {
    const auto bytes = sizeof(T) * width;
    return reinterpret_cast<uintptr_t>(data + head) % bytes > head * sizeof(T);
}
template <typename T>
bool begins_before(const Row<T>&, int, int) {
    return false;
}

template <int N, typename T>
Slice<T> sliced(const T* data, int head) {
    return {data, static_cast<int>(reinterpret_cast<uintptr_t>(data + head) % (sizeof(T) * N))};
}
template <int N, typename T>
SlicedRow<T> sliced(const Row<T>& row, int) {
    return {row};
}

template <int N, int P, typename F, typename R, typename... In>
cudaError_t launch_packs(const Device& device, const Choice& choice, const F& f, const Job& job, R* out, In... in) {
    if constexpr (P > 1) {
        if (choice.packs < P) return launch_packs<N, P / 2>(device, choice, f, job, out, in...);
    }
    const int64_t packs = (job.n - job.head) / N + 1;
    const int threads = choice.threads ? choice.threads : threads_for(device, packs / P);
    const int64_t tile = static_cast<int64_t>(threads) * N * P;
    const int64_t blocks = (job.n - job.head + tile - 1) / tile;
    return launch(choice, packs_kernel<N, P, F, R, In...>, blocks < 1 ? 1 : blocks, threads, 0,
                  device.sm90 && choice.programmatic, f, job, out, in...);
}

template <int N, int P, typename F, typename R, typename... In>
cudaError_t launch_bulk(const Device& device, const Choice& choice, const F& f, const Job& job, R* out, In... in) {
    if constexpr (P > 1) {
        if (choice.packs < P) return launch_bulk<N, P / 2>(device, choice, f, job, out, in...);
    }
    constexpr int kLoaded = bytes_of_first<sizeof...(In), In...>();
    const int by_tile = kTileBytes / (N * P * kLoaded) / 32 * 32;
    const int threads = choice.threads ? choice.threads : by_tile < 32        ? 32
                                                      : by_tile > kMaxThreads ? kMaxThreads
                                                                              : by_tile;
    const int64_t tile = static_cast<int64_t>(threads) * N * P;
    const int64_t blocks = (job.n - job.head + tile - 1) / tile;
    const int per_sm = choice.tiles_per_sm ? choice.tiles_per_sm : tiles_in_flight(device);
    const int needed = static_cast<int>(tile) * kLoaded + static_cast<int>(sizeof(Arrival));
    return launch(choice, bulk_kernel<N, P, F, R, In...>, blocks < 1 ? 1 : blocks, threads,
                  shared_for(device, per_sm, needed), device.sm90 && choice.programmatic, f, job, out, in...);
}

// Elements of a pack: the largest type fills 16 bytes. So no two lanes' packs in shared memory meet in a bank.
template <typename... T>
constexpr int width_of() {
    int largest = 1;
    ((largest = static_cast<int>(sizeof(T)) > largest ? static_cast<int>(sizeof(T)) : largest), ...);
    return 16 / largest;
}

// out[i] = f(in[i]...) for i < n.
template <typename F, typename R, typename... In>
cudaError_t transform(const F& f, int64_t n, R* out, Choice choice, In... in) {
    if (n < 0) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    Device device;
    if (const cudaError_t error = present_device(&device)) return error;

    constexpr int N = width_of<R, elementwise::Element<In>...>();
    constexpr int kMoved = (static_cast<int>(sizeof(R)) + ... + kStagedBytes<In>);
    const bool large = n * kMoved > device.l2_bytes;
    Job job{n, head_of<N>(out, n), choice.streaming == 1, choice.programmatic == 2};
    const bool aligned = (fits(in, job.head, N, sizeof(elementwise::Element<In>) * N) && ...);
    if (!aligned) {
        if (((begins_before(in, job.head, N)) || ...)) job.head += N;
        if (job.head > n) job.head = static_cast<int>(n);
        return launch_packs<N, 2>(device, choice, f, job, out, sliced<N>(in, job.head)...);
    }
    const bool can_bulk = device.sm90 && (fits(in, job.head, 1, kStagedBytes<In> ? 16 : 1) && ...);
    const bool bulk = choice.path ? choice.path == kBulk : prefer_bulk(device, n * kMoved);
    if (bulk && can_bulk) {
        job.streaming = choice.streaming != 2;
        return launch_bulk<N, 4>(device, choice, f, job, out, in...);
    }
    (void)large;
    return launch_packs<N, 4>(device, choice, f, job, out, in...);
}

}  // namespace fast
