// fast.cuh: elementwise operators as fast as the memory, by three kernels and a rule that chooses between them.
//
//     fast::transform(functor, n, out, {stream}, a, b);
//
// Functors, packs and operands are those of elementwise.cuh. What is new, from the top: programmatic launch,
// bulk copies, slices, the three kernels, the rule. The first two exist from compute capability 9.0 on; each is
// one function with a portable twin, which the CPU emulator compiles and runs.
//
//   packs   a thread's share is one pack of each input, or two, loaded into registers before the first is used
//   wide    where packs of 16 bytes are made of 8: a load brings two, and neighbours exchange one
//   bulk    a block's share is a tile, which the copy engine of the SM brings into shared memory
#pragma once

#include <cmath>
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

// ---- Programmatic launch: the next kernel's blocks take their places while this one's are still at work --
//
// Between two kernels a GPU idles for about a microsecond: the first must end before the second's blocks
// start. A kernel that says `launch_dependents` allows the next one of the stream, if that was launched for
// it, to start its blocks as soon as there is room. Those must not touch what the first one reads or writes
// before `wait` returns: then it has ended and its stores are visible. So:
//
//   - no load and no store stands before the wait, and no load is `ld.global.nc`, which the compiler may move
//     up: the pointers are neither __restrict__ nor read by __ldg;
//   - every thread waits, also one without work: a kernel that has ended then proves that all before it have.
//
// The next kernel starts once all blocks of this one have said so. Bulk tiles and slices say it at once; others when their
// loads are on the way. At once, before them, is 2 to 5% slower; when they are there, up to 10%. Where a thread's stores
// wait for many loads (see wide_kernel), it is said behind the stores: earlier, the next kernel's loads come between them.
//
// In an ordinary launch both do nothing, but a kernel that contains them starts its blocks half as fast: on an H200 one
// in 1.4 ns. So ordinary launches have kernels of their own, without them.
// A previous kernel that says nothing, such as PyTorch's, lets this one start when it ends: right, but 5 to 10%
// slower than an ordinary launch if both are short. So it is for the caller to ask, who knows the neighbours.

enum Start {  // of the kernel behind this one
    kOrdinary,
    kAtOnce,
    kBehindLoads,
    kBehindLoadsOnly,  // and before comparisons of what they bring, too
    kBehindStores,
};

// `number`, which the caller needs next, is there before the wait.
template <Start kNext>
__device__ __forceinline__ uint64_t wait_for_the_previous_kernel(uint64_t number = 0) {
#if FAST_HAS_SM90
    if constexpr (kNext != kOrdinary) asm volatile("griddepcontrol.wait;" : "+l"(number)::"memory");
#endif
    return number;
}

template <Start kNext, Start kNow>
__device__ __forceinline__ void let_the_next_start() {
#if FAST_HAS_SM90
    if constexpr (kNext == kNow) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// ---- Bulk copies: one thread asks for kilobytes, and no register waits for them --------------------------
//
// An Arrival is a barrier in shared memory (mbarrier) that counts the bytes still to come. The portable twin
// copies at once, so there is nothing left to wait for.

using Arrival = uint64_t;

__device__ __forceinline__ uint32_t shared_address(const void* p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void expect(Arrival* arrival, uint32_t bytes) {
#if FAST_HAS_SM90
    const uint32_t at = shared_address(arrival);
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
            shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(arrival))
        : "memory");
#else
    for (uint32_t i = 0; i < bytes / 16; ++i) static_cast<uint4*>(to)[i] = static_cast<const uint4*>(from)[i];
#endif
}

__device__ __forceinline__ void wait_for(Arrival* arrival) {
#if FAST_HAS_SM90
    const uint32_t at = shared_address(arrival);
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

// ---- Accesses under a condition ---------------------------------------------------------------------------
//
// An access that a branch jumps around waits for the branch, which makes a call of 1 to 2 us up to 4% longer. So it is
// predicated, in PTX (but see do_packs): of an `if` the compiler makes a branch. A load that is not done gives zeros.

#if !defined(ELEMENTWISE_EMULATOR)
__device__ __forceinline__ void load_word(int yes, const void* at, uint4& w) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0; @p ld.global.v4.u32 {%0, %1, %2, %3}, [%5]; }"
                 : "+r"(w.x), "+r"(w.y), "+r"(w.z), "+r"(w.w)
                 : "r"(yes), "l"(at));
}
__device__ __forceinline__ void load_word(int yes, const void* at, uint2& w) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p ld.global.v2.u32 {%0, %1}, [%3]; }"
                 : "+r"(w.x), "+r"(w.y)
                 : "r"(yes), "l"(at));
}
__device__ __forceinline__ void load_word(int yes, const void* at, uint32_t& w) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.global.u32 %0, [%2]; }" : "+r"(w) : "r"(yes), "l"(at));
}
__device__ __forceinline__ void load_word(int yes, const void* at, uint16_t& w) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.global.u16 %0, [%2]; }" : "+h"(w) : "r"(yes), "l"(at));
}
__device__ __forceinline__ void load_word(int yes, const void* at, uint8_t& w) {
    uint16_t wide = 0;
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.global.u8 %0, [%2]; }" : "+h"(wide) : "r"(yes), "l"(at));
    w = static_cast<uint8_t>(wide);
}

__device__ __forceinline__ void store_word(int plain, int streaming, void* at, uint4 w) {
    asm volatile(
        "{ .reg .pred p, q; setp.ne.b32 p, %0, 0; setp.ne.b32 q, %1, 0; @p st.global.v4.u32 [%2], {%3, %4, %5, %6}; "
        "@q st.global.cs.v4.u32 [%2], {%3, %4, %5, %6}; }" ::"r"(plain),
        "r"(streaming), "l"(at), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
        : "memory");
}
__device__ __forceinline__ void store_word(int plain, int streaming, void* at, uint2 w) {
    asm volatile(
        "{ .reg .pred p, q; setp.ne.b32 p, %0, 0; setp.ne.b32 q, %1, 0; @p st.global.v2.u32 [%2], {%3, %4}; "
        "@q st.global.cs.v2.u32 [%2], {%3, %4}; }" ::"r"(plain),
        "r"(streaming), "l"(at), "r"(w.x), "r"(w.y)
        : "memory");
}
template <typename Word>  // of 4, 2 or 1 bytes
__device__ __forceinline__ void store_word(int plain, int streaming, void* at, Word w) {
    if (plain) *static_cast<Word*>(at) = w;
    if (streaming) __stcs(static_cast<Word*>(at), w);
}
#else
template <typename Word>
__device__ __forceinline__ void load_word(int yes, const void* at, Word& w) {
    if (yes) w = *static_cast<const Word*>(at);
}
template <typename Word>
__device__ __forceinline__ void store_word(int plain, int streaming, void* at, Word w) {
    if (plain) *static_cast<Word*>(at) = w;
    if (streaming) __stcs(static_cast<Word*>(at), w);
}
#endif

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> load_if(bool inside, const T* from) {
    typename elementwise::WordOf<sizeof(T) * N>::Type word{};
    load_word(inside, from, word);
    Pack<T, N> pack;
    memcpy(&pack, &word, sizeof(pack));
    return pack;
}

template <int N, typename T>
__device__ __forceinline__ void store_if(bool inside, bool streaming, T* to, const Pack<T, N>& pack) {
    typename elementwise::WordOf<sizeof(T) * N>::Type word;
    memcpy(&word, &pack, sizeof(pack));
    store_word(inside && !streaming, inside && streaming, to, word);
}

// A pack of bytes, as the words that are loaded or stored: where it is a Pack, the compiler takes each byte apart.
template <typename T, int N>
struct Bytes {
    typename elementwise::WordOf<N>::Type word;
};

template <typename T, int N>
using InWords = std::conditional_t<sizeof(T) == 1 && (N > 1), Bytes<T, N>, Pack<T, N>>;

template <int N, typename T>
__device__ __forceinline__ void store_if(bool inside, bool streaming, T* to, const Bytes<T, N>& bytes) {
    store_word(inside && !streaming, inside && streaming, to, bytes.word);
}

// ---- Operands ---------------------------------------------------------------------------------------------
//
// An operand is a pointer; a Row (a bias); or Rows, whose element (row, column) of the call is
// data[row * row_stride + column * column_stride]: a part of a wider matrix (row_stride > cols), a row or a column
// that is broadcast (row_stride or column_stride 0), a scalar (both 0).

template <typename T>
struct Rows {
    const T* data;
    int64_t cols, row_stride;
    int64_t column_stride = 1;
};

template <typename T>
Rows<T> as_rows(const Rows<T>& rows) {
    return rows;
}
template <typename T>
Rows<T> as_rows(const Row<T>& row) {
    return {row.data, row.cols, 0};
}

// On the device, an operand is seen from the first whole pack of the output. `begin` issues the loads of pack p if it
// is `inside`, `settle` makes the pack of what they brought, `element` reads one element. A pointer, or Rows whose packs
// lie as the output's do, is read pack by pack. Any other is a slice: x[1:] begins two or four bytes behind a multiple
// of 16, and a load of 16 bytes needs one. So read the two aligned packs around the wanted one, and shift: a thread's
// second load is its neighbour's first, which L1 has.

template <typename T>
struct Slice {
    const T* aligned;
    uint32_t behind;  // bytes by which the wanted packs begin behind the aligned ones
};

// Where a pack is few elements, as many loads of one element are faster: L1 has what the neighbours loaded.
template <typename T>
struct Singly {
    const T* data;
};

template <typename T>
struct Tile {  // in shared memory, whole
    const T* data;
};

// Every part of a call has at most kMostInRows elements, and a row fewer than kLongestRow, so indices have 32 bits. The
// host divides once: with m = ceil(2^(31 + s) / cols) and 2^s the next power of two, floor(x / cols) is
// floor(2x * m / 2^32) >> s for all x < 2^31 (Granlund and Montgomery, as in elementwise.cuh).
constexpr int kLineBytes = 128;
constexpr int64_t kMostInRows = int64_t{1} << 30, kLongestRow = int64_t{1} << 29;

struct FromRowStart {  // the call's first element begins a row, and has none before it
    static constexpr uint32_t first = 0;
};
struct FromFirst {
    uint32_t first;  // the element of the operand that is the call's first one here
};

template <typename From>
struct Columns : From {
    uint32_t multiplier, shift, cols;

    __device__ __forceinline__ uint32_t row(uint32_t element) const {
        return static_cast<uint32_t>(uint64_t{2 * element} * multiplier >> 32) >> shift;
    }
    __device__ __forceinline__ uint32_t left(uint32_t element, uint32_t row) const {  // elements of this row
        return (row + 1) * cols - element;
    }
};

// Element (row, column) lies at row * row_stride + column * column_stride: element * column_stride + row * `skip`, with
// skip = row_stride - cols * column_stride. A skip of 32 bits: a product is one instruction, and of a call's arguments,
// two pointers, such an operand and a functor without members are 48 bytes: see Job.
template <typename T, typename From>
struct ShortRows : Columns<From> {
    int32_t skip;
    const T* data;  // of the row in which element 0 would be

    __device__ __forceinline__ int64_t skipped(uint32_t row) const {
        return static_cast<int64_t>(static_cast<int32_t>(row)) * this->skip;  // of signed numbers, else it is three
    }
};

template <typename T, typename From>
struct WholeRows : ShortRows<T, From> {};  // whose packs lie as the output's do

template <typename T, bool kWhole, typename From>  // kWhole: a pack is in one row, else in one or two
struct Repeated : ShortRows<T, From> {};           // a column, or a number: column_stride is 0

template <typename T, typename From>
struct RowsSingly : ShortRows<T, From> {  // read one by one; a pack is in one row or two; offsets have 32 bits
    static constexpr int32_t column_stride = 1;
};

template <typename T, typename From>
struct StridedRows : ShortRows<T, From> {  // the same
    int32_t column_stride;
};

template <typename T>
struct Strided {  // rows without a skip between them are one row
    const T* data;
    int32_t column_stride;
};

template <typename T>
struct RowsAt : Columns<FromFirst> {  // any others
    const T* data;
    int64_t row_stride, column_stride;
};

template <typename T, int N>
struct OneOrTwo {  // numbers: elements from `second` on are the other one
    T one, other;
    uint32_t second;
};

template <typename T, int N>
struct Around {
    Pack<T, N> low, high;
    uint32_t behind;
};

template <int N, typename T>
__device__ __forceinline__ InWords<T, N> begin(const T* data, uint64_t p, bool inside) {
    if constexpr (sizeof(T) == 1 && N > 1) {
        InWords<T, N> bytes{};
        load_word(inside, data + p * N, bytes.word);
        return bytes;
    } else {
        return load_if<N>(inside, data + p * N);
    }
}
template <int N, typename T>
__device__ __forceinline__ Pack<T, N> begin(Tile<T> tile, uint64_t p, bool) {
    return load<N>(tile.data + static_cast<uint32_t>(p) * N);
}
template <int N, typename T>
__device__ __forceinline__ Around<T, N> begin(Slice<T> slice, uint64_t p, bool inside) {
    const T* const low = slice.aligned + p * N;
    return {load_if<N>(inside, low), load_if<N>(inside && slice.behind, low + N), slice.behind};
}
// `further`: by how much elements from `left` on lie behind where the ones before would lead to.
template <int N, typename T>
__device__ __forceinline__ Pack<T, N> load_singly(bool inside, const T* from, int64_t stride, uint32_t left = N, int64_t further = 0) {
    Pack<T, N> pack;
#pragma unroll
    for (uint32_t i = 0; i < N; ++i) {
        pack.element[i] = load_if<1>(inside, from + i * stride + (i < left ? 0 : further)).element[0];
    }
    return pack;
}
template <int N, typename T>
__device__ __forceinline__ Pack<T, N> begin(Singly<T> in, uint64_t p, bool inside) {
    return load_singly<N>(inside, in.data + p * N, 1);
}
template <int N, typename T, typename From>
__device__ __forceinline__ Pack<T, N> begin(const WholeRows<T, From>& at, uint64_t p, bool inside) {
    const uint32_t element = at.first + static_cast<uint32_t>(p) * N;
    return load_if<N>(inside, at.data + (at.skipped(at.row(element)) + element));
}
template <int N, typename T, bool kWhole, typename From>
__device__ __forceinline__ OneOrTwo<T, N> begin(const Repeated<T, kWhole, From>& at, uint64_t p, bool inside) {
    const uint32_t element = at.first + static_cast<uint32_t>(p) * N, row = at.row(element);
    const T* const from = at.data + at.skipped(row);
    const T one = load_if<1>(inside, from).element[0];
    if constexpr (kWhole) return {one, one, N};
    const uint32_t left = at.left(element, row);
    return {one, load_if<1>(inside && left < N, from + at.skip).element[0], left};
}
template <int N, typename Rows>
__device__ __forceinline__ auto begin_singly(const Rows& at, uint64_t p, bool inside) {
    const uint32_t element = at.first + static_cast<uint32_t>(p) * N, row = at.row(element);
    const auto offset = static_cast<int32_t>(element) * at.column_stride + static_cast<int32_t>(row) * at.skip;
    const auto* const from = at.data + offset;
    const uint32_t left = at.left(element, row);
    if (N == 1 || left >= N) return load_singly<N>(inside, from, at.column_stride);
    return load_singly<N>(inside, from, at.column_stride, left, at.skip);
}
template <int N, typename T, typename From>
__device__ __forceinline__ Pack<T, N> begin(const RowsSingly<T, From>& at, uint64_t p, bool inside) {
    return begin_singly<N>(at, p, inside);
}
template <int N, typename T, typename From>
__device__ __forceinline__ Pack<T, N> begin(const StridedRows<T, From>& at, uint64_t p, bool inside) {
    return begin_singly<N>(at, p, inside);
}
template <int N, typename T>
__device__ __forceinline__ Pack<T, N> begin(const Strided<T>& at, uint64_t p, bool inside) {
    const int64_t element = static_cast<int32_t>(static_cast<uint32_t>(p) * N);
    return load_singly<N>(inside, at.data + element * at.column_stride, at.column_stride);
}
template <int N, typename T>
__device__ __forceinline__ Around<T, N> begin(const RowsAt<T>& at, uint64_t p, bool inside) {
    Around<T, N> around{};
    if (!inside) return around;
    const uint32_t element = at.first + static_cast<uint32_t>(p) * N, row = at.row(element);
    uint32_t column = element - row * at.cols;
    const T* data = at.data + row * at.row_stride;
    if (at.column_stride == 1 && column >= N && column + 2 * N <= at.cols) {
        const auto behind = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data + column) % sizeof(Pack<T, N>));
        return begin<N>(Slice<T>{data + column - behind / sizeof(T), behind}, 0, true);
    }
    if (at.column_stride == 0 && column + N <= at.cols) {  // one number for the whole pack
        const T one = data[0];
#pragma unroll
        for (int i = 0; i < N; ++i) around.low.element[i] = one;
        return around;
    }
    for (int i = 0; i < N; ++i) {  // near an end of the row, which the pack may straddle; or of other columns
        around.low.element[i] = data[column * at.column_stride];
        if (++column == at.cols) {
            column = 0;
            data += at.row_stride;
        }
    }
    return around;
}

template <typename T, int N>
__device__ __forceinline__ Pack<T, N> settle(const Pack<T, N>& pack) {
    return pack;
}
template <typename T, int N>
__device__ __forceinline__ Pack<T, N> settle(const Bytes<T, N>& bytes) {
    Pack<T, N> pack;
    memcpy(&pack, &bytes, sizeof(pack));
    return pack;
}
template <typename T, int N>
__device__ __forceinline__ Pack<T, N> settle(const Around<T, N>& around) {
    constexpr int kBytes = sizeof(Pack<T, N>), kWords = (kBytes + 3) / 4;
    uint32_t word[2 * kWords] = {};
    memcpy(word, &around, 2 * kBytes);
#pragma unroll
    for (int step = 2; step > 0; step /= 2) {  // whole words: 2, then 1
#pragma unroll
        for (int i = 0; i + step < 2 * kWords && 4 * step < kBytes; ++i) {
            word[i] = around.behind & 4 * step ? word[i + step] : word[i];
        }
    }
#pragma unroll
    for (int i = 0; i < kWords; ++i) {  // and bytes
        word[i] = __funnelshift_r(word[i], word[i + 1], around.behind % 4 * 8);
    }
    Pack<T, N> pack;
    memcpy(&pack, word, kBytes);
    return pack;
}

template <typename T, int N>
__device__ __forceinline__ Pack<T, N> settle(const OneOrTwo<T, N>& numbers) {
    Pack<T, N> pack;
#pragma unroll
    for (uint32_t i = 0; i < N; ++i) pack.element[i] = i < numbers.second ? numbers.one : numbers.other;
    return pack;
}

// What a functor makes of loaded packs. Of bytes in pairs: in whole words.

template <typename Loaded>
struct ElementIn {
    using Type = void;  // of which there are no pairs
    static constexpr bool kIsByte = false;
};
template <typename T, int N>
struct ElementIn<Bytes<T, N>> {
    using Type = T;
    static constexpr bool kIsByte = true;
};
template <typename T, int N>
struct ElementIn<Pack<T, N>> {
    using Type = T;
    static constexpr bool kIsByte = sizeof(T) == 1;
};
template <typename R, typename F, typename... Loaded>
constexpr bool kInWords = (sizeof(R) == 1 || (ElementIn<Loaded>::kIsByte && ...)) &&
                          elementwise::HasApply2<void, F, typename ElementIn<Loaded>::Type...>::value;

template <typename T, int N, template <typename, int> class Packed>
__device__ __forceinline__ elementwise::Pair<T> pair_of(const Packed<T, N>& pack, int i) {
    elementwise::Pair<T> pair;
    memcpy(&pair, reinterpret_cast<const T*>(&pack) + i, sizeof(pair));
    return pair;
}

// Pairs of bfloat16, as a word's halves: the upper one becomes a float by a mask. Left to itself the compiler takes it
// by a byte permutation and shifts it back.
template <typename T, int N>
__device__ __forceinline__ Pack<T, N> in_halves(Pack<T, N> pack) {
    if constexpr (N % 2 == 0 && std::is_same_v<T, __nv_bfloat16>) {
#pragma unroll
        for (int i = 0; i < N; i += 2) {
            uint32_t word;
            memcpy(&word, &pack.element[i], sizeof(word));
            asm("" : "+r"(word));
            pack.element[i] = __ushort_as_bfloat16(static_cast<uint16_t>(word));
            pack.element[i + 1] = __ushort_as_bfloat16(static_cast<uint16_t>(word >> 16));
        }
    }
    return pack;
}

template <typename F, typename = void>
constexpr bool kIsLight = false;
template <typename F>
constexpr bool kIsLight<F, std::void_t<decltype(F::kLight)>> = F::kLight;

template <typename R, int N, typename F, typename... Loaded>
__device__ __forceinline__ auto compute(const F& f, const Loaded&... loaded) {
    if constexpr (N % 2 == 0 && kInWords<R, F, Loaded...>) {
        InWords<R, N> results;
#pragma unroll
        for (int i = 0; i < N; i += 2) {
            const elementwise::Pair<R> pair = f.Apply2(pair_of(loaded, i)...);
            memcpy(reinterpret_cast<R*>(&results) + i, &pair, sizeof(pair));
        }
        return results;
    } else if constexpr (kIsLight<F>) {  // perhaps a copy of what came
        return apply<R>(f, settle(loaded)...);
    } else {
        return apply<R>(f, in_halves(settle(loaded))...);
    }
}

// clang-format off
template <typename T>
__device__ __forceinline__ Pack<T, 1> element(const T* data, int64_t i) { return load<1>(data + i); }
template <typename T>
__device__ __forceinline__ Pack<T, 1> element(Slice<T> slice, int64_t i) {
    return load<1>(slice.aligned + i + slice.behind / sizeof(T));
}
template <typename T>
__device__ __forceinline__ Pack<T, 1> element(Singly<T> in, int64_t i) { return load<1>(in.data + i); }
template <typename T>
__device__ __forceinline__ Pack<T, 1> element(const RowsAt<T>& at, int64_t i) {
    const uint32_t element = at.first + static_cast<uint32_t>(i), row = at.row(element);
    return load<1>(at.data + row * at.row_stride + (element - row * at.cols) * at.column_stride);
}
template <typename Rows>  // of any other kind
__device__ __forceinline__ auto element(const Rows& rows, int64_t i) -> decltype(settle(begin<1>(rows, 0u, true))) {
    return settle(begin<1>(rows, static_cast<uint32_t>(i), true));
}
// clang-format on

// ---- The kernels ------------------------------------------------------------------------------------------
//
// What makes a short call slow is what stands before its first load. So the code of whole packs comes first, without a
// branch but in do_packs; elements outside the whole packs are left to a block of their own, the first: it starts first,
// and the others never fetch its instructions. Without such elements, a kernel without their code, and with one store in
// the place of two of which one is done, is 2 to 4% faster. And nothing waits for an argument: where a block's size is a
// constant and an index has 64 bits, ptxas takes the arguments from uniform registers (ULDC); else it loads them into
// each thread's (LDC), which makes a call of 1 to 2 us 2 to 5% longer.

constexpr int kThreads = 256;  // of a block; half and twice as many have reasons, see the rule
constexpr size_t kPredicated = 16;  // bytes that a thread of an ordinary launch loads under a predicate, at most

struct Job {
    uint32_t packs;          // their numbers take 32 bits
    uint32_t skipped;        // packs that the first block would have, if it has single elements instead
    uint8_t before, behind;  // single elements before the first pack and behind the last one
    bool streaming;          // stores that should not push the inputs out of L2

    bool is_whole() const { return before + behind == 0; }
};

enum Form {  // of a kernel: what its code can do
    kPlain,      // whole packs
    kStreaming,  // whole packs, with streaming stores
    kAny,        // whatever a Job says
};

// What a kernel of a form is told. Few bytes: an argument behind the first 48 makes each thread wait once more, for
// another line of constants, 20 to 60 ns of a call of 1.2 us on an H100.
struct WholeJob {
    uint32_t packs;
};
template <Form kForm>
using JobOf = std::conditional_t<kForm == kAny, Job, WholeJob>;

// A block of T threads has T * P packs, and thread t the packs t, t + T, ... of them. N elements are a pack.
template <int N, int P, int T, typename Operand>
struct Share {  // what one thread loads of one input: of the packs p, p + T, ... those below `end`
    decltype(begin<N>(std::declval<Operand>(), uint64_t{}, true)) loaded[P];

    __device__ __forceinline__ Share(const Operand& in, uint64_t p, uint32_t end) {
#pragma unroll
        for (int k = 0; k < P; ++k) loaded[k] = begin<N>(in, p + k * T, static_cast<uint32_t>(p + k * T) < end);
    }
};

// Keeps behind this place whatever is done with a pack: a load into its registers that never happens, which ptxas cannot
// know. Across a mere branch it moves comparisons up, and they wait for the loads. It costs additions 1 to 5% when hot,
// once 10, so it is for blocks that lose more by a comparison: up to 27%, where three inputs are in small ones.
template <typename Loaded>
__device__ __forceinline__ void keep_behind(Loaded& pack, uint32_t packs, uint32_t anywhere) {
#if FAST_HAS_SM90
    constexpr int kWords = sizeof(Loaded) % 4 == 0 ? sizeof(Loaded) / 4 : 0;
    constexpr int kStep = kWords % 4 == 0 ? 4 : kWords % 2 == 0 ? 2
                                                                : 1;
    uint32_t word[kWords + 1];
    memcpy(word, &pack, 4 * kWords);
#pragma unroll
    for (int i = 0; i < kWords; i += kStep) {
        if constexpr (kStep == 4) {
            asm volatile("{ .reg .pred q; setp.eq.u32 q, %4, -1; @q ld.shared.v4.u32 {%0, %1, %2, %3}, [%5]; }"
                         : "+r"(word[i]), "+r"(word[i + 1]), "+r"(word[i + 2]), "+r"(word[i + 3])
                         : "r"(packs), "r"(anywhere));
        } else if constexpr (kStep == 2) {
            asm volatile("{ .reg .pred q; setp.eq.u32 q, %2, -1; @q ld.shared.v2.u32 {%0, %1}, [%3]; }"
                         : "+r"(word[i]), "+r"(word[i + 1])
                         : "r"(packs), "r"(anywhere));
        } else {
            asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, -1; @q ld.shared.u32 %0, [%2]; }"
                         : "+r"(word[i])
                         : "r"(packs), "r"(anywhere));
        }
    }
    memcpy(&pack, word, 4 * kWords);
#endif
}

template <int N, int P, int T, Form kForm, Start kNext, typename F, typename R, typename... Shares>
__device__ __forceinline__ void finish(const F& f, const JobOf<kForm>& job, R* out, uint64_t p, Shares... share) {
    let_the_next_start<kNext, kBehindLoads>();
    let_the_next_start<kNext, kBehindLoadsOnly>();
    if constexpr (kNext == kBehindLoadsOnly) {
#pragma unroll
        for (int k = 0; k < P; ++k) (keep_behind(share.loaded[k], job.packs, static_cast<uint32_t>(p)), ...);
    }
    // Never true, which ptxas cannot know: it does not move arithmetic, which waits for the loads, up across a branch.
    if (kNext == kBehindLoads && job.packs == UINT32_MAX) return;
    bool streaming = kForm == kStreaming;
    if constexpr (kForm == kAny) streaming = job.streaming;
#pragma unroll
    for (int k = 0; k < P; ++k) {
        const uint64_t pack = p + k * T;
        const bool inside = static_cast<uint32_t>(pack) < job.packs;
        store_if<N>(inside, streaming, out + pack * N, compute<R, N>(f, share.loaded[k]...));
    }
}

// The number of a block's first pack; in 32 bits beyond all packs for the block of single elements.
template <int kPacks>
__device__ __forceinline__ uint64_t first_pack(uint32_t skipped) {
    return static_cast<uint64_t>(blockIdx.x) * kPacks - skipped;
}

template <int N, int T, typename F, typename R, typename... In>
__device__ __forceinline__ void do_singles(const F& f, const Job& job, R* out, const In&... in) {
    if (blockIdx.x != 0) return;
#pragma unroll 1
    for (int single = threadIdx.x; single < job.before + job.behind; single += T) {
        const int64_t behind = static_cast<int64_t>(job.packs) * N + (single - job.before);
        const int64_t i = single < job.before ? -1 - single : behind;
        elementwise::store(out + i, apply<R>(f, element(in, i)...));
    }
}

template <int N, int P, int T, Form kForm, Start kNext, typename F, typename R, typename... In>
__device__ __forceinline__ void do_packs(const F& f, const JobOf<kForm>& job, uint64_t p, R* out, const In&... in) {
    // A thread beyond the packs leaves before its loads where it has more than 16 bytes to load: such calls, of two inputs
    // or three, are up to 7% faster so than with predicates, some up to 3% slower; why is not known. With 16 bytes most
    // are slower. And ptxas jumps around a load of four bytes or fewer, also a predicated one.
    constexpr bool kLoadsMuch = kNext == kOrdinary && (sizeof(Share<N, P, T, In>) + ...) > kPredicated;
    constexpr bool kLeaves = kForm != kAny && P == 1 && (kLoadsMuch || ((sizeof(Share<N, P, T, In>) <= 4) || ...));
    if (kLeaves && static_cast<uint32_t>(p) >= job.packs) return;
    finish<N, P, T, kForm, kNext>(f, job, out, p, Share<N, P, T, In>(in, p, job.packs)...);
    if constexpr (kForm == kAny) do_singles<N, T>(f, job, out, in...);
}

template <int N, int P, int T, Form kForm, Start kNext, typename F, typename R, typename... In>
__global__ void __launch_bounds__(T) packs_kernel(F functor_or_factory, JobOf<kForm> job, R* out, In... in) {
    uint32_t skipped = 0;
    if constexpr (kForm == kAny) skipped = job.skipped;
    const uint64_t first = first_pack<T * P>(skipped);
    const uint64_t p = wait_for_the_previous_kernel<kNext>(first + threadIdx.x);
    let_the_next_start<kNext, kAtOnce>();
    do_packs<N, P, T, kForm, kNext>(make_functor(functor_or_factory), job, p, out, in...);
}

// Where a pack is read with half the bytes that it is stored with, a load of 16 bytes brings two. Stored as they came, a
// lane's packs would lie apart from its neighbour's, and each store would fill halves of sectors. So neighbours exchange
// one: the even lane has the first pack of both then, the odd lane the second.
template <int N, typename T>
struct Couple {
    InWords<T, N> first, second;

    __device__ __forceinline__ Couple(const InWords<T, 2 * N>& loaded, bool odd) {
        constexpr int kWords = sizeof(first) / 4;
        uint32_t own[2 * kWords], firsts[kWords], seconds[kWords];
        memcpy(own, &loaded, sizeof(loaded));
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const uint32_t low = own[i], high = own[kWords + i];
            const uint32_t got = __shfl_xor_sync(0xffffffffu, odd ? low : high, 1);
            firsts[i] = odd ? got : low;
            seconds[i] = odd ? high : got;
        }
        memcpy(&first, firsts, sizeof(first));
        memcpy(&second, seconds, sizeof(second));
    }
};

// A thread has P couples, T of them apart. job.packs is even.
template <int N, int P, int T, Form kForm, Start kNext, typename F, typename R, typename In>
__global__ void __launch_bounds__(T) wide_kernel(F functor_or_factory, JobOf<kForm> job, R* out, const In* in) {
    uint32_t skipped = 0;
    bool streaming = kForm == kStreaming;
    if constexpr (kForm == kAny) skipped = job.skipped, streaming = job.streaming;
    const uint64_t first = first_pack<2 * T * P>(skipped);
    const uint64_t p = wait_for_the_previous_kernel<kNext>(first + 2 * threadIdx.x);
    InWords<In, 2 * N> loaded[P];
#pragma unroll
    for (int k = 0; k < P; ++k) loaded[k] = begin<2 * N>(in, p / 2 + k * T, static_cast<uint32_t>(p + 2 * k * T) < job.packs);
    const auto f = make_functor(functor_or_factory);
    const bool odd = threadIdx.x % 2;
#pragma unroll
    for (int k = 0; k < P; ++k) {
        const Couple<N, In> couple(loaded[k], odd);
        const uint64_t pack = p + 2 * k * T - odd;
        store_if<N>(static_cast<uint32_t>(pack) < job.packs, streaming, out + pack * N, compute<R, N>(f, couple.first));
        store_if<N>(static_cast<uint32_t>(pack + 2) < job.packs, streaming, out + (pack + 2) * N, compute<R, N>(f, couple.second));
    }
    let_the_next_start<kNext, kBehindStores>();
    if constexpr (kForm == kAny) do_singles<N, T>(f, job, out, in);
}

// A thread reads the packs tid, tid + T, ... of a tile, so lanes read side by side: no bank conflicts, whatever
// the types. An input has 16 bytes for each pack, the width of the largest type.
template <int N, int P, int T, Start kNext, typename F, typename R, typename... In, size_t... K>
__device__ __forceinline__ void do_tile(std::index_sequence<K...>, const F& functor_or_factory, const Job& job, R* out, const In*... in) {
    extern __shared__ __align__(128) unsigned char buffer[];
    constexpr int kPacks = T * P;
    const uint64_t first = first_pack<kPacks>(job.skipped);
    auto* const arrival = reinterpret_cast<Arrival*>(buffer + 16 * kPacks * sizeof...(In));
    const bool whole = uint64_t{static_cast<uint32_t>(first)} + kPacks <= job.packs;
    if (whole && threadIdx.x == 0) {
        expect(arrival, kPacks * N * (sizeof(In) + ...));
        wait_for_the_previous_kernel<kNext>();
        (bulk_copy(buffer + 16 * kPacks * K, in + first * N, kPacks * N * sizeof(In), arrival), ...);
    }
    __syncthreads();  // the barrier is there (and the twin's copy)
    wait_for_the_previous_kernel<kNext>();
    let_the_next_start<kNext, kAtOnce>();
    const auto f = make_functor(functor_or_factory);
    if (!whole) return do_packs<N, P, T, kAny, kNext>(f, job, first + threadIdx.x, out, in...);
    wait_for(arrival);
    finish<N, P, T, kAny, kNext>(f, job, out, first + threadIdx.x,
                                 Share<N, P, T, Tile<In>>({reinterpret_cast<const In*>(buffer + 16 * kPacks * K)}, threadIdx.x, kPacks)...);
}

template <int N, int P, int T, Start kNext, typename F, typename R, typename... In>
__global__ void __launch_bounds__(T) bulk_kernel(F f, Job job, R* out, const In*... in) {
    do_tile<N, P, T, kNext>(std::index_sequence_for<In...>{}, f, job, out, in...);
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
    kPacks,   // what does not lie as the output does: by shifted packs
    kBulk,
    kSingly,  // the same, element by element
};

struct Choice {  // 0: by the rule
    cudaStream_t stream = 0;
    int path = kByRule;
    int packs = 0;         // per thread: 1 or 2; 4 where a pack is read with fewer bytes than it is stored with; 6 or 8
                           // in programmatic launches where it is read with half of them
    int tiles_per_sm = 0;  // of bulk: how many blocks may hold one at once
    int programmatic = 0;  // 1: the kernels before and behind this one are programmatic, too
    int streaming = 0;     // 1: streaming stores; 2: plain ones
    int halved = 0;        // of packs: 1: half a pack a thread; with two packs, two halves
};

// What the rule knows of the operator: bytes of one pack that are read and written, whether its functor says
// `static constexpr bool kLight = true;`: few instructions an element (nine or so, with loads and stores) and at most
// one exponential, root or reciprocal; and the pack's elements.
struct Traffic {
    int loaded, stored;
    bool light = false;
    int elements = 0;
    int moved() const { return loaded + stored; }
    bool has_few() const { return elements <= 4; }
};

// The rule, from what limits each kind of call. A wave: as many threads as the GPU holds, with a pack each.
//   1. Blocks start one behind the other, on an H200 one in 0.7 to 0.9 ns, in which L2 moves 5 to 7 KB and DRAM 3 to 4.
//      So a block moves what DRAM moves while two start, and more: with half of that a long cast takes 1.6 times as long,
//      and larger blocks start and end more at once and leave the memory idle in between. 256 packs are enough, but where
//      a pack's result is less than 16 bytes and DRAM is fast: two packs a thread, from one wave on. Where a single input
//      would take between one and two waves, two packs a thread make it one, in blocks of 256 packs as well; so already
//      from a quarter of a wave on if the functor is light: 1 to 2% faster cold, else level. If it is not, two halves from
//      there on: as few threads, and half of the arithmetic between a thread's loads and its first store; with four
//      elements a pack only up to one wave, and then two packs as well: 2 to 13% faster near two waves on an H200. With
//      eight from 1.45 waves on, by the worst of sigmoid, tanh and gelu: sigmoid and tanh are up to 3.5% faster so, cold
//      and between other kernels, and up to 6 alone; of a lead of 4% and more, when hot or of gelu, up to 10 are lost.
//      Where a pack is read with fewer bytes than it is stored with, one a thread is too little on the way: two from a
//      quarter of a wave on, as long as L2 may have the data, and four from one wave to four: 256 packs a block as well,
//      which are hot 1 to 5% faster than 512, and cold up to 1.
//   2. A short call has threads to spare and waits for latencies: half a pack a thread, with half the arithmetic, up to
//      a quarter of a wave. Where two bytes or more are read for one that is written, up to 0.3 if the functor is light
//      (from there on halves are up to 2% faster hot, and up to 2% slower alone), else up to half of one, 0.6 with eight
//      elements a pack: on an H200 two special functions an element, as in x sigmoid(y), are 11 to 14% faster hot there,
//      the others level; behind other kernels 4% faster to 3 slower. (Near one wave, hot, such a functor would still be 5%
//      faster so, and others up to 7 slower.) Where more is written than read: an eighth, but not where whole packs leave
//      half of the SMs without a block; nor do light functors of less than three inputs with four elements a pack, which
//      halves make 2 to 4% slower behind other kernels. With eight halves are as much faster on an H200, but on an H100 up
//      to 5% slower, as with four. So many loads in each thread are more than L2 takes at once: halves up to 1.6 waves
//      where 2.5 bytes or more are read for one; from 1.2 waves to two of two inputs where an SM has little L2: on an H100
//      (388 KiB an SM) they win 5% hot there, and lose 6 below, behind kernels of PyTorch; on an H200 (465) they lose. A
//      fit on these two cards. Whole rows beside one other input: two halves a thread from half a wave to two, 5 to 16% on
//      an H100.
//   3. Registers hold enough loads for any DRAM; more than enough is slower, perhaps since it mixes up DRAM's pages.
//      Little's law says what is enough: bandwidth x latency, of the bytes that are read, with 1.96 us, which was fitted
//      on an H200 and an H100; rounded up, since a tile too few loses up to 5%, and one too many less than 1. Where two
//      bytes or more are read for one that is written, bulk tiles, just so many an SM, win a percent. They lose up to 10
//      where L2 has a part of the data, which it may up to 1.7 times its size; nothing is won where half of the traffic
//      are stores, or, on an H100, where a pack's result is less than 16 bytes.
//   4. Where a part of the tensors can stay in L2, streaming stores keep the inputs there.
//   5. Slices of four elements a pack are read one by one, two and two; with eight elements a pack half a pack a thread,
//      read one by one, while all its threads are on the GPU at once. Rows are read so, too, with eight elements also
//      beyond one wave while L2 has room for all: half a pack a thread, and a single element up to a quarter of a wave;
//      two halves from 0.7 waves on; from one if they do not lie side by side and stand beside another input, or with
//      eight elements. On an H200 shifted packs are hot 1 to 26% slower than that with four elements, 9 to 56 with
//      eight, and cold within 5%. Where rows that lie side by side are the one input, whole packs are up to 6% faster
//      still; else 2% faster to 18% slower. In programmatic launches whole packs of four elements win: side by side from
//      one wave on, in blocks twice as large; else from two, in usual ones.
//   6. Blocks of programmatic launches start half as fast, and the next kernel's take their places beside them. So
//      halves stand in blocks twice as large, up to two waves where two bytes or more are read for one that is written
//      (1.6 from 2.5 on), else up to half of one; with arithmetic on four elements a pack up to a quarter: from there
//      on whole packs are 2 to 4% faster cold, and hot within 3%. Two inputs have whole packs between half a wave and
//      one: halves are mostly 1 to 4% slower there on an H200; on an H100, with less L2, they are 4% faster hot. Eight
//      elements a pack of a functor that is not light have whole packs from 0.85 waves on: below, two special functions
//      an element are up to 28% faster by halves, hot, and additions that do not say that they are light up to 8%
//      slower; above, whole packs are cold 1 to 4% faster, hot up to 17, and such an addition up to 8 slower. (On an
//      H200.) Three inputs, and two of such a functor, have smaller blocks from an eighth of a wave to 0.45: halves in
//      blocks of the usual size; whole packs in half of it if the functor is light and a pack has four elements. On an
//      H200 they are hot 5 to 20% faster so, cold level to 4% faster, behind other kernels within 2%; less to do in a
//      thread is up to 20% slower so. Why is not known: an SM has registers for as many threads. Where more is written
//      than read: two packs up to four waves, then four, from ten on one. Where one input with half of the bytes is
//      read, from two waves to ten: packs that are read two at once, six a thread, eight from six waves to eight. So up
//      to eight waves all threads are on the GPU at once: cold 4 to 8% faster than two packs or four, hot up to 4%
//      slower. Whole packs are in blocks twice as large where their result is less than 16 bytes, but not below a tenth
//      of a wave, and from two waves on where one input is read and L2 has room for all: behind that, usual blocks are up
//      to 2% faster. Behind one wave two a thread, as in 1, are mostly faster than large blocks: where a quarter is stored
//      4 to 7% cold, hot 1 slower to 9 faster; with long arithmetic 2 to 6% cold, 8 to 13 hot; casts to half 1 to 3% cold,
//      hot 2 slower to 8 faster, but from two waves to four 4 to 9 slower, so those have large blocks.
//      Long arithmetic that ends in fewer bytes has blocks of the usual size up to one wave: gelu from float32 to
//      float16 is hot 1 to 23% faster so than in large ones up to 0.8 waves (2 slower at 0.9), cold level to 3% faster.
constexpr int kThreadsPerSm = 2048;
constexpr int kBlockBytes = 8192;  // that a block moves, where the driver does not say how fast DRAM is
constexpr int64_t kL2OfSm = 425 << 10;
constexpr double kTwoStartsUs = 1.6e-3, kLoadedLatencyUs = 1.96, kInL2 = 1.7;

constexpr double kSmallFrom = 0.125, kSmallTo = 0.45;  // waves of a programmatic call in small blocks, see 6
constexpr int kStored = 16;
constexpr int kSinglyAtMost = 4;  // elements of a pack that are loaded one by one

inline bool fills(const Device& device, int64_t threads, double waves) {  // more than so many waves of threads
    return static_cast<double>(threads) > waves * device.sms * kThreadsPerSm;
}

// A block of one pack a thread moves enough.
inline bool is_enough(const Device& device, int bytes_of_pack) {
    const double enough = device.bytes_per_us > 0 ? device.bytes_per_us * kTwoStartsUs : kBlockBytes;
    return bytes_of_pack * kThreads >= enough;
}

inline bool may_be_in_l2(const Device& device, int64_t bytes_moved) { return bytes_moved < int64_t{2} * device.l2_bytes; }

enum Shape {  // of a launch: what a thread has, and how many threads are a block
    kUsual,               // a pack, kThreads
    kHalves,              // half a pack, kThreads
    kTwo,                 // two packs, half as many threads: so many packs a block as usual
    kTwoHalves,           // two halves, half as many threads
    kFour,                // four packs, a quarter as many threads; half as many in a programmatic launch
    kSix,                 // six packs, read two at once, half as many threads
    kEight,               // eight, likewise
    kTwoInBlock,          // two packs, kThreads
    kSmallBlock,          // a pack, half as many threads
    kLargeBlock,          // a pack, twice as many threads
    kHalvesInLargeBlock,  // half a pack, twice as many threads
};

// Whole packs leave half of the SMs without a block.
inline bool leaves_sms(const Device& device, int64_t packs) { return packs <= int64_t{device.sms} * kThreads / 2; }

inline bool reads_three(Traffic pack) { return 2 * pack.loaded >= 5 * pack.stored; }

inline bool has_little_l2(const Device& device) { return device.l2_bytes < kL2OfSm * device.sms; }

inline Shape ordinary_shape(const Device& device, Traffic pack, int64_t packs, int64_t bytes_moved) {
    const auto is_below = [&](double waves) { return !fills(device, packs, waves); };
    if (pack.stored < kStored) return is_below(1) || is_enough(device, pack.moved()) ? kUsual : kTwoInBlock;
    if (pack.loaded < pack.stored) {
        if (is_below(0.25)) return is_below(0.125) && !leaves_sms(device, packs) ? kHalves : kUsual;
        if (is_below(1) || !is_below(4)) return may_be_in_l2(device, bytes_moved) ? kTwo : kUsual;
        return kFour;
    }
    const bool whole_in_short = pack.light && (pack.has_few() || has_little_l2(device)) && !reads_three(pack);
    if (whole_in_short && leaves_sms(device, packs)) return kUsual;
    if (pack.loaded >= 2 * pack.stored) {
        const double of_two = pack.light ? 0.3 : (pack.has_few() ? 0.5 : 0.6);
        if (is_below(reads_three(pack) ? 1.6 : of_two)) return kHalves;
        return has_little_l2(device) && !is_below(1.2) && is_below(2) ? kHalves : kUsual;
    }
    if (is_below(0.25)) return kHalves;
    if (!is_below(2)) return kUsual;
    if (!pack.light && (is_below(1) || (is_below(1.45) && !pack.has_few()))) return kTwoHalves;
    return kTwo;
}

inline Shape early_shape(const Device& device, Traffic pack, int64_t packs, int64_t bytes_moved, bool couples) {
    const auto is_below = [&](double waves) { return !fills(device, packs, waves); };
    if (!may_be_in_l2(device, bytes_moved)) return pack.stored < kStored && !is_enough(device, pack.moved()) ? kTwoInBlock : kUsual;
    if (pack.stored < kStored) {
        const bool is_large = pack.light && 4 * pack.stored > pack.loaded && !is_below(2) && is_below(4);
        if (!is_below(1) && !is_large && !is_enough(device, pack.moved())) return kTwoInBlock;
        return is_below(pack.light ? 0.1 : 1) ? kUsual : kLargeBlock;
    }
    if (pack.loaded < pack.stored) {
        if (is_below(2)) return kTwo;
        if (couples && is_below(10)) return !is_below(6) && is_below(8) ? kEight : kSix;
        if (is_below(4)) return kTwoInBlock;
        return is_below(10) ? kFour : kUsual;
    }
    if (pack.loaded >= 2 * pack.stored) {
        const bool is_long = !pack.light && !pack.has_few();  // the arithmetic of a whole pack
        if ((reads_three(pack) || is_long) && !is_below(kSmallFrom) && is_below(kSmallTo)) return pack.has_few() && pack.light ? kSmallBlock : kHalves;
        if (reads_three(pack)) return is_below(1.6) ? kHalvesInLargeBlock : kUsual;
        if (!has_little_l2(device) && !is_below(is_long ? 0.85 : 0.5) && (is_long || is_below(1))) return kUsual;
        return is_below(2) ? kHalvesInLargeBlock : kUsual;
    }
    if (is_below(pack.light || !pack.has_few() ? 0.5 : 0.25)) return kHalvesInLargeBlock;
    if (is_below(1)) return kUsual;
    if (is_below(2)) return pack.light ? kTwo : kUsual;
    return bytes_moved > device.l2_bytes ? kUsual : kLargeBlock;
}

inline bool prefer_two_halves(const Device& device, Traffic pack, int64_t packs) {  // of whole rows
    return pack.loaded >= 2 * pack.stored && fills(device, packs, 0.5) && !fills(device, packs, 2);
}

inline bool prefer_singly(const Device& device, int width, int64_t packs) {
    return width <= kSinglyAtMost || (width == 2 * kSinglyAtMost && !fills(device, packs, 0.5));
}

inline bool prefer_rows_singly(const Device& device, int width, int64_t packs, int64_t bytes_moved) {
    return width <= kSinglyAtMost || !fills(device, packs, 1) || bytes_moved < device.l2_bytes;
}

inline Shape singly_shape(const Device& device, Traffic pack, int64_t packs) {  // of at most kSinglyAtMost elements
    if (pack.stored < kStored && fills(device, packs, 1)) return kTwo;
    return pack.loaded >= pack.stored ? kTwoHalves : kUsual;  // two and two: fewer wavefronts for a load
}

inline Shape rows_shape(const Device& device, int width, int64_t packs, bool early, bool strided, bool alone) {
    const auto is_below = [&](double waves) { return !fills(device, packs, waves); };
    if (width > kSinglyAtMost) return is_below(1) ? kHalves : kTwoHalves;
    if (early) return is_below(strided ? 2 : 1) ? kHalves : kUsual;
    if (is_below(strided && !alone ? 1 : 0.7)) return kHalves;
    return alone && !strided ? kUsual : kTwoHalves;
}

inline bool prefer_bulk(const Device& device, Traffic pack, int64_t bytes_moved) {
    if (!device.sm90 || pack.loaded < 2 * pack.stored || static_cast<double>(bytes_moved) <= kInL2 * device.l2_bytes) return false;
    return pack.stored >= kStored || !is_enough(device, pack.moved());
}

inline int tiles_in_flight(const Device& device, Traffic pack, int tile_bytes) {
    const double read = device.bytes_per_us * pack.loaded / pack.moved();
    if (read == 0) return 0;
    return static_cast<int>(std::ceil(read * kLoadedLatencyUs / device.sms / tile_bytes));
}

inline bool prefer_streaming(const Device& device, int64_t bytes_moved) {
    return bytes_moved > device.l2_bytes / 2 && may_be_in_l2(device, bytes_moved);
}

// Shared memory per block so that no more than `blocks` fit on an SM.
inline int shared_for(const Device& device, int blocks, int needed) {
    if (blocks <= 0) return needed;
    const int share = (device.shared_per_sm / blocks - device.shared_reserved) / 128 * 128;
    const int wanted = share < device.max_shared ? share : device.max_shared;
    return wanted > needed ? wanted : needed;
}

// ---- The launch -------------------------------------------------------------------------------------------

template <bool kEarly>
struct Plan {  // of a call. kEarly: a programmatic launch
    Device device;
    Choice choice;
    Traffic pack;
    int64_t bytes_moved;
};

template <int P, int T, bool kEarly, typename... K, typename F, typename AnyJob, typename R, typename... In>
cudaError_t launch(const Plan<kEarly>& plan, void (*kernel)(K...), int shared, const F& f, AnyJob job, R* out, In... in) {
    constexpr uint32_t kPacks = T * P;  // of a block
    uint32_t blocks = (job.packs + kPacks - 1) / kPacks;
    if constexpr (std::is_same_v<AnyJob, Job>) {
        job.skipped = job.is_whole() ? 0 : kPacks;
        blocks += !job.is_whole();
    }
    if (shared > 48 * 1024) {  // more must be asked for
        const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
        if (const cudaError_t error = cudaFuncSetAttribute(kernel, attribute, shared)) return error;
    }
#if defined(ELEMENTWISE_EMULATOR)
    kernel<<<blocks, T, shared, plan.choice.stream>>>(f, job, out, in...);
    return cudaPeekAtLastError();
#else
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(T);
    config.dynamicSmemBytes = shared;
    config.stream = plan.choice.stream;
    config.attrs = &attribute;
    config.numAttrs = kEarly;
    return cudaLaunchKernelEx(&config, kernel, f, job, out, in...);
#endif
}

template <typename Operand>
constexpr bool kIsSliced = false;
template <typename T>
constexpr bool kIsSliced<Slice<T>> = true;
template <typename T>
constexpr bool kIsSliced<RowsAt<T>> = true;

template <typename Operand>
constexpr bool kIsWholeRows = false;
template <typename T>
constexpr bool kIsWholeRows<WholeRows<T, FromFirst>> = true;

template <typename Operand>
constexpr bool kHasSingles = false;  // a call of it always has
template <typename T>
constexpr bool kHasSingles<Slice<T>> = true;

// An operand as a call sees it whose first element begins a row of it.
inline bool begins_row(const void*) { return true; }  // of another operand
template <typename T>
bool begins_row(const ShortRows<T, FromFirst>* at) {
    return at->first % at->cols == 0;
}
template <typename Operand>
Operand from_row_start(const Operand& operand) {
    return operand;
}
template <typename T>
ShortRows<T, FromRowStart> moved(const ShortRows<T, FromFirst>& at, int64_t column_stride) {
    const int64_t row_stride = at.skip + at.cols * column_stride;
    return {{{}, at.multiplier, at.shift, at.cols}, at.skip, at.data + at.first / at.cols * row_stride};
}
template <typename T>
WholeRows<T, FromRowStart> from_row_start(const WholeRows<T, FromFirst>& at) {
    return {moved(at, 1)};
}
template <typename T, bool kWhole>
Repeated<T, kWhole, FromRowStart> from_row_start(const Repeated<T, kWhole, FromFirst>& at) {
    return {moved(at, 0)};
}
template <typename T>
RowsSingly<T, FromRowStart> from_row_start(const RowsSingly<T, FromFirst>& at) {
    return {moved(at, 1)};
}
template <typename T>
StridedRows<T, FromRowStart> from_row_start(const StridedRows<T, FromFirst>& at) {
    return {moved(at, at.column_stride), at.column_stride};
}

template <int N, int P, int T, Form kForm, Start kNext, bool kEarly, typename F, typename R, typename... In>
cudaError_t launch_whole(const Plan<kEarly>& plan, const F& f, const Job& job, R* out, In... in) {
    return launch<P, T>(plan, packs_kernel<N, P, T, kForm, kNext, F, R, In...>, 0, f, WholeJob{job.packs}, out, in...);
}

// Of a kernel's forms, the one for this job. kMayStream: false for kernels of short calls, of which L2 keeps all.
template <int N, int P, int T, bool kMayStream, Start kNext, bool kEarly, typename F, typename R, typename... In>
cudaError_t launch_form(const Plan<kEarly>& plan, const F& f, const Job& job, R* out, In... in) {
    constexpr Start kHere = kEarly ? kNext : kOrdinary;
    if constexpr (!(kHasSingles<In> || ...)) {
        if (job.is_whole() && (begins_row(&in) && ...)) {
            if (!job.streaming) return launch_whole<N, P, T, kPlain, kHere>(plan, f, job, out, from_row_start(in)...);
            if constexpr (kMayStream && !(kIsSliced<In> || ...)) {
                return launch_whole<N, P, T, kStreaming, kHere>(plan, f, job, out, from_row_start(in)...);
            }
        }
    }
    return launch<P, T>(plan, packs_kernel<N, P, T, kAny, kHere, F, R, In...>, 0, f, job, out, in...);
}

template <typename R, typename... In>
constexpr bool kReadsHalf = false;
template <typename R, typename T>
constexpr bool kReadsHalf<R, const T*> = 2 * sizeof(T) == sizeof(R);

template <int N, int P, bool kEarly, typename F, typename R, typename T>
cudaError_t launch_wide(const Plan<kEarly>& plan, const F& f, Job job, R* out, const T* in) {
    constexpr int kBlock = kThreads / 2;
    constexpr Start kNext = kBehindStores;
    if (job.packs % 2) {  // one is left over
        --job.packs;
        job.behind += N;
    }
    if (!job.is_whole()) return launch<2 * P, kBlock>(plan, wide_kernel<N, P, kBlock, kAny, kNext, F, R, T>, 0, f, job, out, in);
    const WholeJob whole{job.packs};
    if (job.streaming) return launch<2 * P, kBlock>(plan, wide_kernel<N, P, kBlock, kStreaming, kNext, F, R, T>, 0, f, whole, out, in);
    return launch<2 * P, kBlock>(plan, wide_kernel<N, P, kBlock, kPlain, kNext, F, R, T>, 0, f, whole, out, in);
}

// The shape of a call by the caller's choice, else by the rule.
template <bool kNarrow, bool kEarly>
Shape shape_of(const Plan<kEarly>& plan, const Job& job, bool whole_rows, bool couples) {
    const Choice& choice = plan.choice;
    if (choice.halved == 1 && choice.packs == 2) return kTwoHalves;
    if (choice.halved == 1) return kEarly ? kHalvesInLargeBlock : kHalves;
    if (couples && choice.packs > 4) return choice.packs == 6 ? kSix : kEight;
    if (choice.packs >= 4) return kFour;
    if (choice.packs == 2) return kNarrow ? kTwoInBlock : kTwo;
    if (choice.packs || choice.halved) return kUsual;
    if (kEarly) return early_shape(plan.device, plan.pack, job.packs, plan.bytes_moved, couples);
    if (whole_rows && prefer_two_halves(plan.device, plan.pack, job.packs)) return kTwoHalves;
    return ordinary_shape(plan.device, plan.pack, job.packs, plan.bytes_moved);
}

// A shape is compiled only for calls that may have it; others have the usual one in its place.
template <int N, bool kEarly, typename F, typename R, typename... In>
cudaError_t launch_packs(const Plan<kEarly>& plan, const F& f, Job job, R* out, In... in) {
    constexpr bool kSliced = (kIsSliced<In> || ...), kNarrow = sizeof(R) * N < kStored;
    constexpr bool kWholeRows = !kEarly && sizeof...(In) == 2 && (kIsWholeRows<In> || ...);
    constexpr bool kWider = (sizeof(Share<N, 1, 1, In>) + ...) < sizeof(R) * N;  // the result than what is read
    constexpr bool kReadsThree = 2 * (sizeof(Share<N, 1, 1, In>) + ...) >= 5 * sizeof(R) * N;
    constexpr bool kIsLong = (sizeof(Share<N, 1, 1, In>) + ...) >= 2 * sizeof(R) * N && N > 4 && !kIsLight<F>;
    constexpr Start kNext = kSliced ? kAtOnce : kBehindLoads, kInSmall = kBehindLoadsOnly;
    constexpr bool kMayCouple = kEarly && kReadsHalf<R, In...> && sizeof(R) * N == kStored;
    bool couples = false;
    if constexpr (kMayCouple) couples = (elementwise::fits(in, 2 * N) && ...);
    const Shape shape = shape_of<kNarrow>(plan, job, kWholeRows, couples);
    if constexpr (N % 2 == 0 && !kSliced) {
        if (!job.streaming) {
            Job halves = job;
            halves.packs *= 2;
            if constexpr (kEarly) {
                if (shape == kHalvesInLargeBlock) return launch_form<N / 2, 1, 2 * kThreads, false, kNext>(plan, f, halves, out, in...);
            }
            if constexpr (!kEarly || kReadsThree || kIsLong) {
                if (shape == kHalves) return launch_form<N / 2, 1, kThreads, false, kInSmall>(plan, f, halves, out, in...);
            }
            if constexpr (kWholeRows || (!kEarly && sizeof...(In) == 1 && !kIsLight<F>)) {
                if (shape == kTwoHalves) return launch_form<N / 2, 2, kThreads / 2, false, kNext>(plan, f, halves, out, in...);
            }
        }
    }
    if constexpr (kMayCouple) {
        if (shape == kSix) return launch_wide<N, 3>(plan, f, job, out, in...);
        if (shape == kEight) return launch_wide<N, 4>(plan, f, job, out, in...);
    }
    if constexpr (!kSliced && kWider) {
        if (shape == kFour) return launch_form<N, 4, kEarly ? kThreads / 2 : kThreads / 4, true, kNext>(plan, f, job, out, in...);
    }
    if constexpr (kNarrow || (kEarly && kWider)) {
        if (shape == kTwoInBlock) return launch_form<N, 2, kThreads, true, kNext>(plan, f, job, out, in...);
    }
    if constexpr (!kNarrow) {
        if (shape == kTwo) return launch_form<N, 2, kThreads / 2, true, kNext>(plan, f, job, out, in...);
    }
    if constexpr (kEarly && !kSliced && kReadsThree && N <= 4 && kIsLight<F>) {
        if (shape == kSmallBlock) return launch_form<N, 1, kThreads / 2, true, kInSmall>(plan, f, job, out, in...);
    }
    if constexpr (kEarly && !kSliced) {
        if (shape == kLargeBlock) return launch_form<N, 1, 2 * kThreads, true, kNext>(plan, f, job, out, in...);
    }
    return launch_form<N, 1, kThreads, true, kNext>(plan, f, job, out, in...);
}

// The shape of a call whose elements are read one by one: by the caller's choice, else by the rule.
inline Shape shape_of_singles(const Choice& choice, Shape by_rule) {
    if (choice.halved == 1) return choice.packs == 2 ? kTwoHalves : kHalves;
    return choice.packs ? kUsual : by_rule;
}

// Pointers that do not lie as the output does: four elements a thread, one by one.
template <int N, bool kEarly, typename F, typename R, typename... In>
cudaError_t launch_singly(const Plan<kEarly>& plan, const F& f, Job job, R* out, In... in) {
    if constexpr (N > kSinglyAtMost) {
        job.packs *= N / kSinglyAtMost;
        return launch_form<kSinglyAtMost, 1, kThreads, false, kAtOnce>(plan, f, job, out, in...);
    } else {
        const Shape shape = shape_of_singles(plan.choice, singly_shape(plan.device, plan.pack, job.packs));
        if (shape == kTwo) return launch_form<N, 2, kThreads, true, kAtOnce>(plan, f, job, out, in...);
        if constexpr (N > 1) {
            if (shape == kTwoHalves) {
                job.packs *= 2;
                return launch_form<N / 2, 2, kThreads, true, kAtOnce>(plan, f, job, out, in...);
            }
        }
        return launch_form<N, 1, kThreads, true, kAtOnce>(plan, f, job, out, in...);
    }
}

template <typename Operand>
constexpr bool kIsStrided = false;
template <typename T>
constexpr bool kIsStrided<Strided<T>> = true;
template <typename T>
constexpr bool kIsStrided<StridedRows<T, FromFirst>> = true;

// Pointers that lie as the output does, with rows that are read one by one.
template <int N, bool kEarly, typename F, typename R, typename... In>
cudaError_t launch_rows_singly(const Plan<kEarly>& plan, const F& f, Job job, R* out, In... in) {
    constexpr bool kStrided = (kIsStrided<In> || ...);
    constexpr int kHalf = N > 1 ? N / 2 : 1;
    const Shape shape =
        shape_of_singles(plan.choice, rows_shape(plan.device, N, job.packs, kEarly, kStrided, sizeof...(In) == 1));
    if constexpr (N <= kSinglyAtMost) {
        constexpr int kBlock = kEarly && !kStrided ? 2 * kThreads : kThreads;
        if (shape == kUsual) return launch_form<N, 1, kBlock, true, kBehindLoads>(plan, f, job, out, in...);
        const bool is_shortest = !plan.choice.halved && !fills(plan.device, int64_t{job.packs} * N, 0.25);
        if (N > 2 && is_shortest) {
            job.packs *= N;
            return launch_form<1, 1, kThreads, false, kBehindLoads>(plan, f, job, out, in...);
        }
    }
    job.packs *= N / kHalf;
    if constexpr (N > kSinglyAtMost || !kEarly) {
        if (shape == kTwoHalves) return launch_form<kHalf, 2, kThreads, true, kBehindLoads>(plan, f, job, out, in...);
    }
    return launch_form<kHalf, 1, kEarly ? 2 * kThreads : kThreads, false, kBehindLoads>(plan, f, job, out, in...);
}

template <int N, bool kEarly, typename F, typename R, typename... In>
cudaError_t launch_bulk(const Plan<kEarly>& plan, const F& f, const Job& job, R* out, const In*... in) {
    const Choice& choice = plan.choice;
    const bool two = choice.packs ? choice.packs > 1 : !is_enough(plan.device, plan.pack.loaded);
    const int packs = (two ? 2 : 1) * kThreads, tile = plan.pack.loaded * packs;
    const int tiles = choice.tiles_per_sm ? choice.tiles_per_sm : tiles_in_flight(plan.device, plan.pack, tile);
    const int needed = 16 * packs * static_cast<int>(sizeof...(In)) + static_cast<int>(sizeof(Arrival));
    const int shared = shared_for(plan.device, tiles, needed);
    constexpr Start kNext = kEarly ? kAtOnce : kOrdinary;
    if (two) return launch<2, kThreads>(plan, bulk_kernel<N, 2, kThreads, kNext, F, R, In...>, shared, f, job, out, in...);
    return launch<1, kThreads>(plan, bulk_kernel<N, 1, kThreads, kNext, F, R, In...>, shared, f, job, out, in...);
}

// Where an operand lies, seen from element `first` of the call, in packs of N: on their boundaries (`whole`), or not.

template <int N, typename T>
uint32_t bytes_behind(const T* data, int64_t first) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data + first) % (N * sizeof(T)));
}
template <typename T>
int64_t skip_of(const Rows<T>& rows) {
    return rows.row_stride - rows.cols * rows.column_stride;
}
inline bool has_32_bits(int64_t number) { return number == static_cast<int32_t>(number); }
template <typename T>
bool is_short(const Rows<T>& rows) {
    return has_32_bits(rows.column_stride) && has_32_bits(skip_of(rows));
}
template <int N, typename T>
bool is_whole(const T* data, int64_t first) {
    return bytes_behind<N>(data, first) == 0;
}
template <int N, typename T>
bool is_whole(const Rows<T>& rows, int64_t first) {
    const bool lies_so = first % N == 0 && rows.cols % N == 0 && rows.row_stride % N == 0 && rows.column_stride == 1;
    return lies_so && is_short(rows) && elementwise::fits(rows.data, N);
}
template <int N, typename T>
bool is_whole(const Row<T>& row, int64_t first) {
    return is_whole<N>(as_rows(row), first);
}

inline int64_t rows_before(int64_t cols, int width) {  // for the elements before the first
    return (kLineBytes + width + cols - 1) / cols;
}
inline Columns<FromFirst> columns(int64_t cols, int width, int64_t first) {
    const auto seen = static_cast<uint32_t>(first % cols + rows_before(cols, width) * cols);
    uint32_t shift = 0;
    while (int64_t{1} << shift < cols) ++shift;
    const auto multiplier = static_cast<uint32_t>(((uint64_t{1} << (31 + shift)) + cols - 1) / cols);
    return {{seen}, multiplier, shift, static_cast<uint32_t>(cols)};
}
template <int N, typename T>
RowsAt<T> rows_at(const Rows<T>& rows, int64_t first) {
    const T* const data = rows.data + (first / rows.cols - rows_before(rows.cols, N)) * rows.row_stride;
    return {columns(rows.cols, N, first), data, rows.row_stride, rows.column_stride};
}
template <int N, typename T>
ShortRows<T, FromFirst> short_rows_at(const Rows<T>& rows, int64_t first) {
    const RowsAt<T> at = rows_at<N>(rows, first);
    return {at, static_cast<int32_t>(skip_of(rows)), at.data};
}

// clang-format off
template <typename Operand> struct ElementOf;
template <typename T> struct ElementOf<const T*> { using Type = T; };
template <typename T> struct ElementOf<T*> { using Type = std::remove_const_t<T>; };
template <typename T> struct ElementOf<Rows<T>> { using Type = T; };
template <typename T> struct ElementOf<Row<T>> { using Type = T; };

template <int N, typename T> const T* whole(const T* data, int64_t first) { return data + first; }
template <int N, typename Operand> auto whole(const Operand& rows, int64_t first) {
    return WholeRows<typename ElementOf<Operand>::Type, FromFirst>{short_rows_at<N>(as_rows(rows), first)};
}

template <int N, typename T> Slice<T> sliced(const T* data, int64_t first) {
    const uint32_t behind = bytes_behind<N>(data, first);
    return {data + first - behind / sizeof(T), behind};
}
template <int N, typename Operand> auto sliced(const Operand& rows, int64_t first) { return rows_at<N>(as_rows(rows), first); }

template <typename T> Singly<T> singly(const T* data, int64_t first) { return {data + first}; }

// Pointers that lie as the output does, with rows that do not.
template <int N, typename T> const T* with_sliced_rows(const T* data, int64_t first) { return data + first; }
template <int N, typename Operand> auto with_sliced_rows(const Operand& rows, int64_t first) { return sliced<N>(rows, first); }

// The same, and a pack lies in one row or two: the rows repeat a number, or are read one by one.
template <int N, bool kWhole, typename T> const T* with_repeated(const T* data, int64_t first) { return data + first; }
template <int N, bool kWhole, typename T> Repeated<T, kWhole, FromFirst> with_repeated(const Rows<T>& rows, int64_t first) {
    return {short_rows_at<N>(rows, first)};
}
template <typename T> bool is_repeated(const T*) { return true; }
template <typename T> bool is_repeated(const Rows<T>& rows) { return rows.column_stride == 0; }
template <int N, typename T> bool in_one_row(const T*, int64_t) { return true; }
template <int N, typename T> bool in_one_row(const Rows<T>& rows, int64_t first) { return rows.cols % N == 0 && first % N == 0; }
template <int N, typename T> bool has_packs(const T*) { return true; }
template <int N, typename Operand> bool has_packs(const Operand& rows) { return rows.cols >= N && is_short(as_rows(rows)); }

template <int N, typename T> const T* with_strided(const T* data, int64_t first) { return data + first; }
template <int N, typename T> Strided<T> with_strided(const Rows<T>& rows, int64_t first) {
    return {rows.data + first * rows.column_stride, static_cast<int32_t>(rows.column_stride)};
}
template <int N, typename T> const T* with_rows_singly(const T* data, int64_t first) { return data + first; }
template <int N, typename Operand> auto with_rows_singly(const Operand& rows, int64_t first) {
    return RowsSingly<typename ElementOf<Operand>::Type, FromFirst>{short_rows_at<N>(as_rows(rows), first)};
}
template <int N, typename T> const T* with_strided_rows(const T* data, int64_t first) { return data + first; }
template <int N, typename Operand> auto with_strided_rows(const Operand& operand, int64_t first) {
    const auto rows = as_rows(operand);
    return StridedRows<typename ElementOf<Operand>::Type, FromFirst>{{short_rows_at<N>(rows, first)}, static_cast<int32_t>(rows.column_stride)};
}
template <typename T> bool is_strided(const T*) { return false; }
template <typename T> bool is_strided(const Row<T>&) { return false; }
template <typename T> bool is_strided(const Rows<T>& rows) { return rows.column_stride != 1; }
template <typename T> bool has_no_skip(const T*) { return true; }
template <typename T> bool has_no_skip(const Rows<T>& rows) { return skip_of(rows) == 0; }
template <typename T> bool has_short_offsets(const T*, int64_t) { return true; }
template <typename Operand> bool has_short_offsets(const Operand& operand, int64_t n) {  // n elements, and those before
    const auto rows = as_rows(operand);
    const int64_t seen = n + 2 * (kLineBytes + rows.cols);
    return has_32_bits(seen * rows.column_stride) && has_32_bits(seen / rows.cols * skip_of(rows)) &&
           has_32_bits(seen * rows.column_stride + seen / rows.cols * skip_of(rows));
}

template <typename Operand> constexpr bool kHasRows = false;
template <typename T> constexpr bool kHasRows<Rows<T>> = true;
template <typename Operand> constexpr bool kIsRow = false;
template <typename T> constexpr bool kIsRow<Row<T>> = true;
template <typename T> constexpr bool kHasRows<Row<T>> = true;
template <typename T> int bytes_read(const T*) { return sizeof(T); }
template <typename T> int bytes_read(const Rows<T>& rows) {  // what is broadcast stays in the caches
    return rows.row_stride && rows.column_stride ? sizeof(T) : 0;
}
template <typename T> int bytes_read(const Row<T>&) { return 0; }

// Rows that follow each other without a gap, or of which the call needs one, are a pointer.
template <typename T> bool is_flat(const T*, int64_t) { return true; }
template <typename T> bool is_flat(const Rows<T>& rows, int64_t n) {
    return rows.column_stride == 1 && (rows.cols >= n || rows.row_stride == rows.cols);
}
template <typename T> bool is_flat(const Row<T>& row, int64_t n) { return row.cols >= n; }
template <typename T> const T* flat(const T* data) { return data; }
template <typename Operand> auto flat(const Operand& rows) { return rows.data; }
template <typename T> bool is_valid(const T*) { return true; }
template <typename Operand> bool is_valid(const Operand& rows) { return rows.cols > 0 && rows.cols < kLongestRow; }
// clang-format on

// Elements of a pack: the largest type fills 16 bytes.
template <typename... T>
constexpr int width_of() {
    size_t largest = 1;
    ((largest = sizeof(T) > largest ? sizeof(T) : largest), ...);
    return static_cast<int>(16 / largest);
}

// Pointers that lie as the output does, from element `first` of the call on, with rows that do not.
template <int N, bool kEarly, typename F, typename R, typename... In>
cudaError_t launch_rows(const Plan<kEarly>& plan, const F& f, Job job, R* out, int64_t first, In... in) {
    const bool in_few_rows = (has_packs<N>(in) && ...);
    if constexpr (!(kIsRow<In> || ...)) {
        if (in_few_rows && (is_repeated(in) && ...)) {
            if ((in_one_row<N>(in, first) && ...)) return launch_packs<N>(plan, f, job, out, with_repeated<N, true>(in, first)...);
            return launch_packs<N>(plan, f, job, out, with_repeated<N, false>(in, first)...);
        }
    }
    const bool offsets_are_short = (has_short_offsets(in, int64_t{job.packs} * N) && ...);
    const int path = plan.choice.path;
    const bool one_by_one = path ? path == kSingly : prefer_rows_singly(plan.device, N, job.packs, plan.bytes_moved);
    if constexpr (N <= 2 * kSinglyAtMost) {
        if (in_few_rows && offsets_are_short && one_by_one) {
            if constexpr (!(kIsRow<In> || ...)) {
                if ((has_no_skip(in) && ...)) return launch_rows_singly<N>(plan, f, job, out, with_strided<N>(in, first)...);
                if ((is_strided(in) || ...)) return launch_rows_singly<N>(plan, f, job, out, with_strided_rows<N>(in, first)...);
            }
            return launch_rows_singly<N>(plan, f, job, out, with_rows_singly<N>(in, first)...);
        }
    }
    return launch_packs<N>(plan, f, job, out, with_sliced_rows<N>(in, first)...);
}

// Elements [begin, end) of a call, of fewer than 2^32 packs.
template <int N, bool kEarly, typename F, typename R, typename... In>
cudaError_t transform_part(const Plan<kEarly>& plan, const F& f, int64_t begin, int64_t end, R* out, In... in) {
    constexpr int kLine = kLineBytes / sizeof(R);  // whole lines of the output, so that bulk copies of inputs are, too
    int64_t first = begin + static_cast<int64_t>(kLine - bytes_behind<kLine>(out, begin) / sizeof(R)) % kLine;
    const bool aligned = ((kHasRows<In> || is_whole<N>(in, first)) && ...);
    const int path = plan.choice.path;
    const bool one_by_one = path ? path == kSingly : prefer_singly(plan.device, N, (end - first) / N);
    const bool singly_read = !(kHasRows<In> || ...) && !aligned && one_by_one;
    const int64_t around = aligned || singly_read ? 0 : N;  // slices read the aligned packs before and behind, too
    first = first + around < end ? first + around : end;
    const int64_t packs = end - first > around ? (end - first - around) / N : 0;

    Job job{};
    job.packs = static_cast<uint32_t>(packs);
    job.before = static_cast<uint8_t>(first - begin);
    job.behind = static_cast<uint8_t>(end - first - packs * N);
    job.streaming = plan.choice.streaming ? plan.choice.streaming == 1 : prefer_streaming(plan.device, plan.bytes_moved);
    if constexpr ((std::is_pointer_v<In> && ...)) {
        if (singly_read) return launch_singly<N>(plan, f, job, out + first, singly(in, first)...);
    }
    if (!aligned) return launch_packs<N>(plan, f, job, out + first, sliced<N>(in, first)...);
    if constexpr ((kHasRows<In> || ...)) {
        if (!(is_whole<N>(in, first) && ...)) return launch_rows<N>(plan, f, job, out + first, first, in...);
    }
    if constexpr ((std::is_pointer_v<In> && ...)) {
        const bool in_lines = (is_whole<kLineBytes / sizeof(*in)>(in, first) && ...);
        const bool bulk = path ? path == kBulk : in_lines && prefer_bulk(plan.device, plan.pack, plan.bytes_moved);
        const bool can = plan.device.sm90 && (is_whole<16 / sizeof(*in)>(in, first) && ...);
        if (bulk && can) return launch_bulk<N>(plan, f, job, out + first, (in + first)...);
    }
    return launch_packs<N>(plan, f, job, out + first, whole<N>(in, first)...);
}

template <bool kEarly, typename F, typename R, typename... In>
cudaError_t transform_all(const Device& device, const Choice& choice, const F& f, int64_t n, R* out, In... in) {
    constexpr int N = width_of<R, typename ElementOf<In>::Type...>();
    constexpr int64_t kNumbered = N * ((int64_t{1} << 32) - (1 << 16));  // of one launch: numbers of packs have 32 bits
    constexpr int64_t kMost = (kHasRows<In> || ...) ? kMostInRows : kNumbered;
    const int read = (bytes_read(in) + ... + 0), written = sizeof(R);
    const Plan<kEarly> plan{device, choice, {N * read, N * written, kIsLight<F>, N}, n * (read + written)};
    for (int64_t begin = 0; begin < n; begin += kMost) {
        const int64_t end = n - begin < kMost ? n : begin + kMost;
        if (const cudaError_t error = transform_part<N>(plan, f, begin, end, out, in...)) return error;
    }
    return cudaSuccess;
}

template <typename F, typename R, typename... In>
cudaError_t transform_rows(const F& f, int64_t n, R* out, const Choice& choice, In... in) {
    if constexpr ((kHasRows<In> || ...)) {
        if ((is_flat(in, n) && ...)) return transform_rows(f, n, out, choice, flat(in)...);
        if (!(is_valid(in) && ...)) return cudaErrorInvalidValue;
    }
    Device device;
    if (const cudaError_t error = present_device(&device)) return error;
#if !defined(ELEMENTWISE_EMULATOR)  // its launches are all alike
    if (choice.programmatic && device.sm90) return transform_all<true>(device, choice, f, n, out, in...);
#endif
    return transform_all<false>(device, choice, f, n, out, in...);
}

// out[i] = f(in[i]...) for i < n. Rows of an operand that is neither a pointer nor a single row: below kLongestRow.
template <typename F, typename R, typename... In>
cudaError_t transform(const F& f, int64_t n, R* out, const Choice& choice, In... in) {
    if (n < 0) return cudaErrorInvalidValue;
    return transform_rows(f, n, out, choice, in...);
}

}  // namespace fast
