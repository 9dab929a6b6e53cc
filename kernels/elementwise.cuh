// elementwise.cuh: one kernel template from which every elementwise operator is made.
//
// A new operator is a functor and a call:
//
//     struct Square {
//         __device__ float operator()(float x) const { return x * x; }
//     };
//     elementwise::unary(Square{}, n, out, x, {stream});
//
// The template brings the rest: packs as wide as the pointers allow, the tail, the grid, pairs of 16-bit
// numbers, any number of inputs, types that differ. To be read from the top: packs, operands, functors, the
// kernel, the launch. A thread's share is one pack of each operand, and another if the grid is capped.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace elementwise {

// ---- Packs: N elements that travel together ---------------------------------------------------------------
//
// One instruction moves at most 16 bytes a thread, 32 from compute capability 10.0 on. What a pack is made of
// decides nothing; its alignment does, so it is copied as one word of its own size. Without 32-byte accesses,
// as on the CPU emulator, the same copy becomes two of 16: no second version is needed.

#if defined(__CUDA_ARCH_LIST__)  // nvcc: the architectures to compile for, the lowest first, such as 900
constexpr int kArchitectures[] = {__CUDA_ARCH_LIST__};
constexpr int kMaxBytes = kArchitectures[0] >= 1000 ? 32 : 16;
#else
constexpr int kMaxBytes = 32;
#endif

// 16 elements are 32 bytes of a 2-byte type, or 16 of a 1-byte type. More would only cost registers: an
// element takes one while a functor works in float32, and at full occupancy a thread has 32 in all.
constexpr int kMaxElements = 16;

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
    T element[N];
};

struct alignas(32) Word32 {
    uint4 low, high;
};

// clang-format off
template <int kBytes> struct WordOf;
template <> struct WordOf<1>  { using Type = uint8_t; };
template <> struct WordOf<2>  { using Type = uint16_t; };
template <> struct WordOf<4>  { using Type = uint32_t; };
template <> struct WordOf<8>  { using Type = uint2; };
template <> struct WordOf<16> { using Type = uint4; };
template <> struct WordOf<32> { using Type = Word32; };
// clang-format on

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> load(const T* from) {
    using Word = typename WordOf<sizeof(T) * N>::Type;
    Pack<T, N> pack;
    *reinterpret_cast<Word*>(&pack) = *reinterpret_cast<const Word*>(from);
    return pack;
}

template <int N, typename T>
__device__ __forceinline__ void store(T* to, const Pack<T, N>& pack) {
    using Word = typename WordOf<sizeof(T) * N>::Type;
    *reinterpret_cast<Word*>(to) = *reinterpret_cast<const Word*>(&pack);
}

// ---- Operands: where an input comes from ------------------------------------------------------------------
//
// An operand is anything with an element type, a `fits` (may it be read in packs of `width`?) and a `fetch`
// (pack number p). A pointer is one. Row is another: a vector of `cols` elements that every row of a matrix
// uses, such as a bias. No pack may straddle two rows, so `cols` has a say in the width.

//
// A division by `cols` on the device takes a call of some 70 instructions. The host divides once instead: with
// m = ceil(2^(63 + s) / cols) and 2^s the next power of two, floor(x / cols) is floor(2x * m / 2^64) >> s for
// all x < 2^63 (T. Granlund, P. Montgomery, "Division by invariant integers using multiplication", PLDI 1994).

template <typename T>
struct Row {
    const T* data;  // [cols]
    int64_t cols;
    uint64_t multiplier;
    int shift = 0;

    Row(const T* data_, int64_t cols_) : data(data_), cols(cols_) {
        while (shift < 62 && int64_t{1} << shift < cols) ++shift;
        const auto power = static_cast<unsigned __int128>(1) << (63 + shift);
        multiplier = cols > 0 ? static_cast<uint64_t>((power + cols - 1) / cols) : 0;
    }
    __host__ __device__ int64_t column(int64_t element) const {
        const auto twice = static_cast<unsigned __int128>(2 * static_cast<uint64_t>(element));
        const auto row = static_cast<int64_t>(static_cast<uint64_t>(twice * multiplier >> 64) >> shift);
        return element - row * cols;
    }
};

template <typename T>
bool fits(const T* data, int width) {
    return reinterpret_cast<uintptr_t>(data) % (sizeof(T) * width) == 0;
}

template <typename T>
bool fits(Row<T> row, int width) {
    return row.cols % width == 0 && fits(row.data, width);
}

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> fetch(const T* data, int64_t p) {
    return load<N>(data + p * N);
}

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> fetch(Row<T> row, int64_t p) {
    return load<N>(row.data + row.column(p * N));
}

template <typename Operand>
using Element = std::remove_reference_t<decltype(fetch<1>(std::declval<Operand>(), 0).element[0])>;

// The widest pack of these types. All operands advance by the same number of elements, so the largest type
// fills a whole access and the others a part of one: float32 -> float16 reads 16 bytes and writes 8.
template <typename... T>
constexpr int max_width() {
    int width = kMaxElements;
    while (width > 1 && ((sizeof(T) * width > kMaxBytes) || ...)) width /= 2;
    return width;
}

// The widest pack that all operands of one call allow: 1 where one of them is x[1:].
template <typename R, typename... In>
int pack_width(R* out, In... in) {
    int width = max_width<R, Element<In>...>();
    while (width > 1 && !(fits(out, width) && ... && fits(in, width))) width /= 2;
    return width;
}

// ---- Functors: what happens to the elements ---------------------------------------------------------------
//
// A functor has `R operator()(T... x) const`. It may add `Apply2`, the same on pairs (__half2,
// __nv_bfloat162, float2): packs then go through it two elements an instruction. A factory is called with
// nothing, on the device, and returns a functor: for state that the host does not know at launch.

// clang-format off
template <typename T> struct PairOf;  // other types have no pair
template <> struct PairOf<float>         { using Type = float2; };
template <> struct PairOf<__half>        { using Type = __half2; };
template <> struct PairOf<__nv_bfloat16> { using Type = __nv_bfloat162; };
template <typename T> using Pair = typename PairOf<T>::Type;

inline __device__ float to_float(float x)         { return x; }
inline __device__ float to_float(__half x)        { return __half2float(x); }
inline __device__ float to_float(__nv_bfloat16 x) {  // the upper half of a float; a shift, which folds into others
    return __uint_as_float(static_cast<uint32_t>(__bfloat16_as_ushort(x)) << 16);
}
template <typename T> __device__ T from_float(float x);  // rounds to the nearest, ties to even
template <> inline __device__ float from_float(float x)         { return x; }
template <> inline __device__ __half from_float(float x)        { return __float2half_rn(x); }
template <> inline __device__ __nv_bfloat16 from_float(float x) { return __float2bfloat16_rn(x); }
// clang-format on

template <typename, typename F, typename... T>
struct HasApply2 : std::false_type {};
template <typename F, typename... T>
struct HasApply2<std::void_t<decltype(std::declval<const F&>().Apply2(std::declval<Pair<T>>()...))>, F, T...>
    : std::true_type {};

template <typename T, int N>
__device__ __forceinline__ Pair<T>& pair(Pack<T, N>& pack, int i) {
    return *reinterpret_cast<Pair<T>*>(&pack.element[i]);
}

template <typename R, int N, typename F, typename... T>
__device__ __forceinline__ Pack<R, N> apply(const F& f, Pack<T, N>... x) {
    Pack<R, N> y;
    if constexpr (N % 2 == 0 && HasApply2<void, F, T...>::value) {
#pragma unroll
        for (int i = 0; i < N; i += 2) pair(y, i) = f.Apply2(pair(x, i)...);
    } else {
#pragma unroll
        for (int i = 0; i < N; ++i) y.element[i] = f(x.element[i]...);
    }
    return y;
}

template <typename F>
__device__ __forceinline__ auto make_functor(const F& f) {
    if constexpr (std::is_invocable_v<const F&>) {
        return f();
    } else {
        return f;
    }
}

// ---- The kernel -------------------------------------------------------------------------------------------
//
// Its pointers are not __restrict__: `out` may be one of the inputs, as an element is read before it is
// written. A thread has one pack of every input in flight; occupancy brings the rest. So on the cards whose SMs
// hold 2048 threads the compiler is held to the 32 registers that they leave for each.

#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900)
#define ELEMENTWISE_BOUNDS __launch_bounds__(1024, 2)
#else
#define ELEMENTWISE_BOUNDS
#endif

// No arithmetic of the functor moves up between the loads, where it would cost registers: with this and the bounds,
// bias + gelu + residual of 2^28 float32 takes 740 us on an H200, 861 without, 815 and 890 with one of the two.
template <typename R, int N, typename F, typename... T>
__device__ __forceinline__ void apply_and_store(const F& f, R* to, const Pack<T, N>&... loaded) {
    asm volatile("" ::: "memory");
    store(to, apply<R>(f, loaded...));
}

template <int N, typename F, typename R, typename... In>
__global__ void ELEMENTWISE_BOUNDS elementwise_kernel(F functor_or_factory, int64_t n, R* out, In... in) {
    const auto f = make_functor(functor_or_factory);
    const int64_t packs = n / N;
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 1  // unrolled, it would cost registers that occupancy needs
    for (int64_t p = thread; p < packs; p += threads) apply_and_store(f, out + p * N, fetch<N>(in, p)...);
    const int64_t last = packs * N + thread;  // fewer than N elements are left, one a thread
    if (N > 1 && last < n) store(out + last, apply<R>(f, fetch<1>(in, last)...));
}

// ---- The launch -------------------------------------------------------------------------------------------

struct Launch {
    cudaStream_t stream = 0;
    int block_size = 256;
    int waves = 0;  // 0: a thread for each pack. w: at most w times the threads that the GPU holds at once
};

inline cudaError_t grid_size(int64_t packs, const Launch& launch, unsigned* blocks) {
    int64_t wanted = (packs + launch.block_size - 1) / launch.block_size;
    if (launch.waves > 0) {
        int device = 0, sms = 0, threads = 0;
        cudaError_t error = cudaGetDevice(&device);
        if (!error) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
        if (!error) error = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
        if (error) return error;
        const int64_t cap = static_cast<int64_t>(launch.waves) * sms * (threads / launch.block_size);
        if (wanted > cap) wanted = cap;
    }
    *blocks = static_cast<unsigned>(wanted < 1 ? 1 : wanted);  // one block at least, for the tail
    return wanted > INT32_MAX ? cudaErrorInvalidConfiguration : cudaSuccess;
}

// The kernel of the width that was chosen at run time: tries N, N / 2, ... 1.
template <int N, typename F, typename R, typename... In>
cudaError_t launch_width(int width, const Launch& launch, const F& f, int64_t n, R* out, In... in) {
    if constexpr (N > 1) {
        if (width < N) return launch_width<N / 2>(width, launch, f, n, out, in...);
    }
    unsigned blocks = 0;
    if (const cudaError_t error = grid_size(n / N, launch, &blocks)) return error;
    elementwise_kernel<N><<<blocks, launch.block_size, 0, launch.stream>>>(f, n, out, in...);
    return cudaPeekAtLastError();
}

// out[i] = f(in[i]...) for i < n, with any number of inputs.
template <typename F, typename R, typename... In>
cudaError_t transform(const F& f, int64_t n, R* out, const Launch& launch, In... in) {
    if (n < 0 || launch.block_size < 1 || launch.waves < 0) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    return launch_width<max_width<R, Element<In>...>()>(pack_width(out, in...), launch, f, n, out, in...);
}

template <typename F, typename R, typename A>
cudaError_t unary(const F& f, int64_t n, R* out, A a, const Launch& launch = {}) {
    return transform(f, n, out, launch, a);
}

template <typename F, typename R, typename A, typename B>
cudaError_t binary(const F& f, int64_t n, R* out, A a, B b, const Launch& launch = {}) {
    return transform(f, n, out, launch, a, b);
}

template <typename F, typename R, typename A, typename B, typename C>
cudaError_t ternary(const F& f, int64_t n, R* out, A a, B b, C c, const Launch& launch = {}) {
    return transform(f, n, out, launch, a, b, c);
}

}  // namespace elementwise
