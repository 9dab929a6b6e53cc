// fast.cuh: elementwise operators as fast as the memory, by two kernels and a rule that chooses between them.
//
//     fast::transform(functor, n, out, {stream}, a, b);
//
// Functors, packs and operands are those of elementwise.cuh. What is new, from the top: programmatic launch,
// bulk copies, slices, the two kernels, the rule. The first two exist from compute capability 9.0 on; each is
// one function with a portable twin, which the CPU emulator compiles and runs.
//
//   packs   a thread's share is one pack of each input, or two, loaded into registers before the first is used
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
// A previous kernel that says nothing, such as PyTorch's, lets this one start when it ends: right, but 5 to 10%
// slower than an ordinary launch if both are short. So the caller asks for it, who knows the neighbours.

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
    const T* aligned;
    int behind;  // bytes by which the wanted packs begin behind the aligned ones
};

template <typename T, bool kStraddles>
struct RowAt {  // a Row from element `first` on; a pack of it may straddle two rows
    Row<T> row;
    int64_t first;
};

template <typename T, int N>
struct Around {
    Pack<T, N> low, high;
};

// `begin` issues the loads of pack p; `settle` makes the pack of what they brought; `element` reads one element.

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> begin(const T* data, uint32_t p) {
    return load<N>(data + static_cast<int64_t>(p) * N);
}

template <int N, typename T>
__device__ __forceinline__ Around<T, N> begin(Slice<T> slice, uint32_t p) {
    const T* const low = slice.aligned + static_cast<int64_t>(p) * N;
    Around<T, N> around;
    around.low = load<N>(low);
    around.high = slice.behind ? load<N>(low + N) : around.low;
    return around;
}

template <int N, typename T, bool kStraddles>
__device__ __forceinline__ Pack<T, N> begin(const RowAt<T, kStraddles>& at, uint32_t p) {
    int64_t column = at.row.column(at.first + static_cast<int64_t>(p) * N);
    if constexpr (!kStraddles) return load<N>(at.row.data + column);
    Pack<T, N> pack;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        pack.element[i] = at.row.data[column];
        column = column + 1 == at.row.cols ? 0 : column + 1;
    }
    return pack;
}

template <int N, typename Operand, typename T>
__device__ __forceinline__ Pack<T, N> settle(const Operand&, const Pack<T, N>& pack) {
    return pack;
}

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> settle(Slice<T> slice, const Around<T, N>& around) {
    constexpr int kBytes = static_cast<int>(sizeof(T)) * N, kWords = kBytes / 4;
    Pack<T, N> pack;
    if constexpr (kWords == 0) {  // one to three small elements
        T both[2 * N];
        memcpy(both, &around, sizeof(both));
#pragma unroll
        for (int i = 0; i < N; ++i) pack.element[i] = both[i + slice.behind / static_cast<int>(sizeof(T))];
    } else {
        uint32_t word[2 * kWords], shifted[kWords];
        memcpy(word, &around, sizeof(word));
#pragma unroll
        for (int step = kWords / 2; step > 0; step /= 2) {  // whole words: 2, then 1
#pragma unroll
            for (int i = 0; i + step < 2 * kWords; ++i) {
                word[i] = slice.behind & 4 * step ? word[i + step] : word[i];
            }
        }
#pragma unroll
        for (int i = 0; i < kWords; ++i) {  // and bytes
            shifted[i] = __funnelshift_r(word[i], word[i + 1], slice.behind % 4 * 8);
        }
        memcpy(&pack, shifted, sizeof(pack));
    }
    return pack;
}

// clang-format off
template <typename T>
__device__ __forceinline__ Pack<T, 1> element(const T* data, int64_t i) { return load<1>(data + i); }
template <typename T>
__device__ __forceinline__ Pack<T, 1> element(Slice<T> slice, int64_t i) {
    return load<1>(slice.aligned + i + slice.behind / static_cast<int>(sizeof(T)));
}
template <typename T, bool kStraddles>
__device__ __forceinline__ Pack<T, 1> element(const RowAt<T, kStraddles>& at, int64_t i) {
    return load<1>(at.row.data + at.row.column(at.first + i));
}
// clang-format on

// ---- The kernels ------------------------------------------------------------------------------------------
//
// Pointers are to the first whole pack of `out`. Items are numbered: the packs, then the elements that are left
// behind the last pack, then those before the first one. Numbers of items take 32 bits; an address is one
// multiplication away.

constexpr int kMaxThreads = 512;  // a block's; so a thread may have 128 registers

struct Job {
    uint32_t packs;
    uint8_t behind, before;  // elements behind the last pack and before the first one, fewer than two packs each
    bool streaming;          // stores that should not push the inputs out of L2
    bool programmatic;
};

__device__ __forceinline__ void start(const Job& job) {
    if (job.programmatic) {
        wait_for_previous_kernel();
        let_next_kernel_start();
    }
}

template <int N, typename T>
__device__ __forceinline__ void store_as(bool streaming, T* to, const Pack<T, N>& pack) {
    if (streaming) {
        using Word = typename WordOf<sizeof(T) * N>::Type;
        __stcs(reinterpret_cast<Word*>(to), *reinterpret_cast<const Word*>(&pack));
    } else {
        elementwise::store(to, pack);
    }
}

template <int N, int P, typename Operand>
struct Share {  // what one thread loads of one input: packs p, p + blockDim.x, ...
    Operand in;
    decltype(begin<N>(in, 0u)) loaded[P];

    __device__ __forceinline__ Share(const Operand& from, uint32_t p) : in(from) {
#pragma unroll
        for (int k = 0; k < P; ++k) loaded[k] = begin<N>(in, p + k * blockDim.x);
    }
    __device__ __forceinline__ auto pack(int k) const { return settle<N>(in, loaded[k]); }
};

template <int N, int P, typename F, typename R, typename... In>
__device__ __forceinline__ void finish(const F& f, const Job& job, R* out, uint32_t p, const Share<N, P, In>&... share) {
#pragma unroll
    for (int k = 0; k < P; ++k) {
        R* const to = out + static_cast<int64_t>(p + k * blockDim.x) * N;
        store_as(job.streaming, to, apply<R>(f, share.pack(k)...));
    }
}

template <int N, typename F, typename R, typename... In>
__device__ __forceinline__ void do_item(const F& f, const Job& job, R* out, uint32_t item, const In&... in) {
    if (item < job.packs) return finish(f, job, out, item, Share<N, 1, In>(in, item)...);
    const int left = static_cast<int>(item - job.packs);
    if (left >= job.behind + job.before) return;
    const int64_t i = left < job.behind ? static_cast<int64_t>(job.packs) * N + left : job.behind - left - 1;
    elementwise::store(out + i, apply<R>(f, element(in, i)...));
}

template <int N, int P, typename F, typename R, typename... In>
__global__ void __launch_bounds__(kMaxThreads) packs_kernel(F functor_or_factory, Job job, R* out, In... in) {
    const uint32_t p = blockIdx.x * (blockDim.x * P) + threadIdx.x;
    start(job);
    const auto f = make_functor(functor_or_factory);
    if (p + (P - 1) * blockDim.x < job.packs) {
        finish(f, job, out, p, Share<N, P, In>(in, p)...);
    } else {
#pragma unroll 1
        for (int k = 0; k < P; ++k) do_item<N>(f, job, out, p + k * blockDim.x, in...);
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

// A thread reads the packs tid, tid + blockDim.x, ... of a tile, so lanes read side by side: no bank conflicts,
// whatever the types.
template <int N, int P, typename F, typename R, typename... T, size_t... K>
__device__ __forceinline__ void bulk_tile(std::index_sequence<K...>, const F& functor_or_factory, const Job& job, R* out,
                                          const T*... in) {
    extern __shared__ __align__(128) unsigned char buffer[];
    constexpr int kLoaded = bytes_of_first<sizeof...(T), T...>();
    const uint32_t packs = blockDim.x * P, first = blockIdx.x * packs, elements = packs * N;
    auto* const arrival = reinterpret_cast<Arrival*>(buffer + elements * kLoaded);
    if (first + packs > job.packs) {  // the last block: what fills no tile goes through registers
        start(job);
        const auto f = make_functor(functor_or_factory);
#pragma unroll 1
        for (int k = 0; k < P; ++k) do_item<N>(f, job, out, first + k * blockDim.x + threadIdx.x, in...);
        return;
    }
    if (threadIdx.x == 0) {
        expect(arrival, elements * kLoaded);
        start(job);
        (bulk_copy(buffer + elements * bytes_of_first<K, T...>(), in + static_cast<int64_t>(first) * N,
                   elements * sizeof(T), arrival),
         ...);
    }
    __syncthreads();  // the barrier is there (and the twin's copy)
    start(job);
    const auto f = make_functor(functor_or_factory);
    wait_for(arrival);
    const auto staged = [&](auto* input, int bytes_before) {
        return Share<N, P, decltype(input)>(reinterpret_cast<decltype(input)>(buffer + elements * bytes_before),
                                            threadIdx.x);
    };
    finish(f, job, out, first + threadIdx.x, staged(in, bytes_of_first<K, T...>())...);
}

template <int N, int P, typename F, typename R, typename... T>
__global__ void __launch_bounds__(kMaxThreads) bulk_kernel(F f, Job job, R* out, const T*... in) {
    bulk_tile<N, P>(std::index_sequence_for<T...>{}, f, job, out, in...);
}

// ---- The rule ---------------------------------------------------------------------------------------------

struct Device {  // what the rule knows of the card
    int sms, l2_bytes, shared_per_sm, shared_reserved, max_shared;
    double bytes_per_us;  // of DRAM, as specified; 0 where the driver does not say
    bool sm90;            // the code that runs has programmatic launch and bulk copies
};

static __global__ void asked_for_its_version() {}

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
    int packs = 0;         // per thread: 1 or 2
    int tiles_per_sm = 0;  // of bulk: how many blocks may hold one at once
    int programmatic = 0;  // 1: the kernels before and behind this one are programmatic, too
    int streaming = 0;     // 1: streaming stores; 2: plain ones
};

// What the rule knows of the operator: bytes of one pack that are read and written.
struct Traffic {
    int loaded, stored;
    int moved() const { return loaded + stored; }
};

// The rule, from what limits each kind of call:
//   1. Blocks start one behind the other, on an H200 one in 1.3 ns, in which L2 or DRAM move 6 to 10 KB. So a block
//      should move 8 KB: 256 threads with a pack each do where a pack moves 32 bytes, as in 16 bytes read and
//      written; where it moves fewer (a cast), a thread takes two. Larger blocks start and end more at once and
//      leave the memory idle in between.
//   2. A short call has no blocks to spare: one pack a thread while the grid fits on the GPU at once, and half
//      the threads while there are SMs without a block.
//   3. Registers hold enough loads for any DRAM; more than enough only mixes up its pages. Little's law says what
//      is enough: bandwidth x latency, of the bytes that are read, with the 2.1 us that a loaded memory takes. Where
//      two bytes or more are read for one that is written, bulk tiles, just so many an SM, win a percent. They lose
//      where L2 has the data, and win nothing where half of the traffic are stores.
//   4. Where a part of the tensors can stay in L2, streaming stores keep the inputs there.
constexpr int kThreads = 256;
constexpr int kThreadsPerSm = 2048;
constexpr int kBlockBytes = 8192;
constexpr double kLoadedLatencyUs = 2.1;

inline int packs_for(const Device& device, Traffic pack, int64_t packs) {
    const bool several_waves = packs > static_cast<int64_t>(device.sms) * kThreadsPerSm;
    return several_waves && pack.moved() * kThreads < kBlockBytes ? 2 : 1;
}

inline int threads_for(const Device& device, int64_t packs) {
    int threads = kThreads;
    while (threads > 128 && packs < static_cast<int64_t>(threads) * device.sms) threads /= 2;
    return threads;
}

inline bool prefer_bulk(const Device& device, Traffic pack, int64_t bytes_moved) {
    return device.sm90 && bytes_moved > device.l2_bytes && pack.loaded >= 2 * pack.stored;
}

inline int tiles_in_flight(const Device& device, Traffic pack, int tile_bytes) {
    const double read = device.bytes_per_us * pack.loaded / pack.moved();
    if (read == 0) return 0;
    const double tiles = read * kLoadedLatencyUs / device.sms / tile_bytes;
    return tiles < 1.5 ? 1 : static_cast<int>(tiles + 0.5);
}

inline bool prefer_streaming(const Device& device, int64_t bytes_moved) {
    return bytes_moved > device.l2_bytes / 2 && bytes_moved < int64_t{2} * device.l2_bytes;
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
cudaError_t launch(const Choice& choice, void (*kernel)(K...), uint32_t blocks, int threads, int shared, const Job& job,
                   A... arguments) {
    if (shared > 48 * 1024) {  // more must be asked for
        const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
        if (const cudaError_t error = cudaFuncSetAttribute(kernel, attribute, shared)) return error;
    }
#if defined(ELEMENTWISE_EMULATOR)
    kernel<<<blocks, threads, shared, choice.stream>>>(K(arguments)...);
    return cudaPeekAtLastError();
#else
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = choice.stream;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = job.programmatic ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, K(arguments)...);
#endif
}

// Blocks of `threads` with P packs a thread, for the packs and the elements around them.
inline uint32_t blocks_for(const Job& job, int threads, int packs) {
    const uint32_t items = job.packs + job.behind + job.before, share = static_cast<uint32_t>(threads * packs);
    return (items + share - 1) / share;
}

template <int N, typename F, typename R, typename... In>
cudaError_t launch_packs(const Device& device, const Choice& choice, Traffic pack, const F& f, const Job& job, R* out,
                         In... in) {
    const int threads = choice.threads ? choice.threads : threads_for(device, job.packs);
    const int packs = choice.packs ? choice.packs : packs_for(device, pack, job.packs);
    const auto kernel = packs > 1 ? packs_kernel<N, 2, F, R, In...> : packs_kernel<N, 1, F, R, In...>;
    return launch(choice, kernel, blocks_for(job, threads, packs > 1 ? 2 : 1), threads, 0, job, f, job, out, in...);
}

template <int N, typename F, typename R, typename... T>
cudaError_t launch_bulk(const Device& device, const Choice& choice, Traffic pack, const F& f, const Job& job, R* out,
                        const T*... in) {
    const int threads = choice.threads ? choice.threads : kThreads;
    const int packs = choice.packs ? choice.packs : pack.loaded * threads < kBlockBytes ? 2
                                                                                        : 1;
    const int tile = pack.loaded * threads * (packs > 1 ? 2 : 1);
    const int tiles = choice.tiles_per_sm ? choice.tiles_per_sm : tiles_in_flight(device, pack, tile);
    const int shared = shared_for(device, tiles, tile + static_cast<int>(sizeof(Arrival)));
    const auto kernel = packs > 1 ? bulk_kernel<N, 2, F, R, T...> : bulk_kernel<N, 1, F, R, T...>;
    return launch(choice, kernel, blocks_for(job, threads, packs > 1 ? 2 : 1), threads, shared, job, f, job, out, in...);
}

// Where the operands lie: may the kernels read packs from element `first` on?

template <typename T>
int bytes_behind_a_pack(const T* data, int64_t first, int width) {
    return static_cast<int>(reinterpret_cast<uintptr_t>(data + first) % (sizeof(T) * width));
}
template <typename T>
bool fits(const T* data, int64_t first, int width) {
    return bytes_behind_a_pack(data, first, width) == 0;
}
template <typename T>
bool fits(const Row<T>& row, int64_t first, int width) {
    return first % width == 0 && elementwise::fits(row, width);
}

// Would the aligned pack around the first one begin before the tensor?
template <typename T>
bool begins_before(const T* data, int64_t first, int width) {
    return bytes_behind_a_pack(data, first, width) > first * static_cast<int64_t>(sizeof(T));
}
template <typename T>
bool begins_before(const Row<T>&, int64_t, int) {
    return false;
}

template <int N, typename T>
const T* whole(const T* data, int64_t first) {
    return data + first;
}
template <int N, typename T>
RowAt<T, false> whole(const Row<T>& row, int64_t first) {
    return {row, first};
}
template <int N, typename T>
Slice<T> sliced(const T* data, int64_t first) {
    const int behind = bytes_behind_a_pack(data, first, N);
    return {data + first - behind / static_cast<int>(sizeof(T)), behind};
}
template <int N, typename T>
RowAt<T, true> sliced(const Row<T>& row, int64_t first) {
    return {row, first};
}

template <typename T>
constexpr int bytes_read(const T*) {
    return sizeof(T);
}
template <typename T>
constexpr int bytes_read(const Row<T>&) {  // it stays in the caches
    return 0;
}
template <typename Operand>
constexpr bool kIsPointer = std::is_pointer_v<Operand>;

// Elements of a pack: the largest type fills 16 bytes.
template <typename... T>
constexpr int width_of() {
    int largest = 1;
    ((largest = static_cast<int>(sizeof(T)) > largest ? static_cast<int>(sizeof(T)) : largest), ...);
    return 16 / largest;
}

// Elements [begin, end) of a call, of fewer than 2^32 packs.
template <int N, typename F, typename R, typename... In>
cudaError_t transform_part(const Device& device, const Choice& choice, int64_t moved, const F& f, int64_t begin,
                           int64_t end, R* out, In... in) {
    const Traffic pack{N * (bytes_read(in) + ... + 0), N * static_cast<int>(sizeof(R))};
    const auto missing = (sizeof(R) * N - bytes_behind_a_pack(out, begin, N)) % (sizeof(R) * N) / sizeof(R);
    int64_t first = begin + static_cast<int64_t>(missing);  // the first whole pack of `out`
    const bool aligned = (fits(in, first, N) && ...);
    if (!aligned && (begins_before(in, first, N) || ...)) first += N;
    if (first > end) first = end;
    const int64_t ahead = aligned ? 0 : N;  // a slice reads the aligned pack behind, too
    const int64_t packs = end - first > ahead ? (end - first - ahead) / N : 0;

    Job job{};
    job.packs = static_cast<uint32_t>(packs);
    job.before = static_cast<uint8_t>(first - begin);
    job.behind = static_cast<uint8_t>(end - first - packs * N);
    job.streaming = choice.streaming ? choice.streaming == 1 : prefer_streaming(device, moved);
    job.programmatic = choice.programmatic && device.sm90;
    if (!aligned) return launch_packs<N>(device, choice, pack, f, job, out + first, sliced<N>(in, first)...);
    if constexpr ((kIsPointer<In> && ...)) {
        const bool bulk = choice.path ? choice.path == kBulk : prefer_bulk(device, pack, moved);
        const bool can = device.sm90 && (bytes_behind_a_pack(in, first, 16 / sizeof(*in)) + ... + 0) == 0;
        if (bulk && can) return launch_bulk<N>(device, choice, pack, f, job, out + first, (in + first)...);
    }
    return launch_packs<N>(device, choice, pack, f, job, out + first, whole<N>(in, first)...);
}

// out[i] = f(in[i]...) for i < n.
template <typename F, typename R, typename... In>
cudaError_t transform(const F& f, int64_t n, R* out, const Choice& choice, In... in) {
    if (n < 0) return cudaErrorInvalidValue;
    Device device;
    if (const cudaError_t error = present_device(&device)) return error;
    constexpr int N = width_of<R, elementwise::Element<In>...>();
    constexpr int64_t kMost = N * ((int64_t{1} << 32) - (1 << 16));  // of one launch: numbers of items have 32 bits
    const int64_t moved = n * ((bytes_read(in) + ... + 0) + static_cast<int64_t>(sizeof(R)));
    for (int64_t begin = 0; begin < n; begin += kMost) {
        const int64_t end = n - begin < kMost ? n : begin + kMost;
        if (const cudaError_t error = transform_part<N>(device, choice, moved, f, begin, end, out, in...)) return error;
    }
    return cudaSuccess;
}

}  // namespace fast
