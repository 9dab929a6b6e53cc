// How CUB's functions for the whole GPU run: each is a kernel of one thread, which the stream orders, a graph keeps and a
// trace sees as any other. What it is given is checked as a kernel's arguments are, and in their order.
#pragma once
#include <cuda/std/limits>
#include <iterator>

#include "../collectives.cuh"

namespace [[gnu::visibility("hidden")]] cub {
namespace emulated {

#if defined(__CUDA__)
#define EMULATOR_UNSEEN
constexpr bool kTraced = false;
template <typename Work, typename... A>
__global__ void whole_gpu(Work work, A... given) { work(given...); }
__device__ inline void fill_bytes(void* to, int value, size_t bytes) { memset(to, value, bytes); }
__device__ inline void copy_bytes(void* to, const void* from, size_t bytes) { memcpy(to, from, bytes); }
#else
#define EMULATOR_UNSEEN EMULATOR_UNTRACED  // what a trace is not told of
using ::emulator::kTraced;
inline void fill_bytes(void* to, int value, size_t bytes) { EMULATOR_FILLED(memset)(to, value, bytes); }
inline void copy_bytes(void* to, const void* from, size_t bytes) { EMULATOR_MOVED(memcpy)(to, from, bytes); }
#endif

// Asks a stream for the work.
template <typename Work, typename... A>
inline cudaError_t run([[maybe_unused]] const char* name, dim3 grid, dim3 block, cudaStream_t stream, Work work, A... given) {
#if defined(__CUDA__)
    whole_gpu<<<grid, block, 0, stream>>>(work, given...);
    return cudaSuccess;
#else
    ::emulator::recordable(name, work, ::emulator::Config(grid, block, 0, stream))(given...);
    return cudaPeekAtLastError();
#endif
}

// Without storage, tells how many bytes of it the work needs; else asks the stream for the work, which is given the storage,
// its bytes and the rest.
template <typename Work, typename... A>
inline cudaError_t in_two_phases(const char* name, void* storage, size_t& bytes, size_t needed, cudaStream_t stream, Work work, A... given) {
    if (!storage) return bytes = needed, cudaSuccess;
#if !defined(__CUDA__)
    if (!::emulator::has_storage(name, storage, bytes, needed)) return cudaErrorInvalidValue;
#endif
    return run(name, 1, 1, stream, work, storage, needed, given...);
}

// What a function needs that has some numbers for each tile of elements; it uses none of it here, but others would.
constexpr size_t kTile = 2048;
template <typename N>
constexpr size_t tiles(N count) { return 256 * (1 + static_cast<size_t>(count) / kTile); }
// So nothing else may lie in the storage.
__device__ inline void spoil(void* storage, size_t bytes) { fill_bytes(storage, 0xff, bytes); }

template <typename T>
__host__ __device__ T&& some();  // as std::declval, which is the host's
template <typename It>
using ValueOf = typename std::iterator_traits<It>::value_type;
template <typename Value, typename Other>
struct UnlessVoid {
    using type = Value;
};
template <typename Other>
struct UnlessVoid<void, Other> {
    using type = Other;
};
// What an iterator is written with; of one that takes anything, another's elements.
template <typename Out, typename In>
using WrittenBy = typename UnlessVoid<ValueOf<Out>, ValueOf<In>>::type;
template <typename Op, typename First, typename T>
using Sum = std::decay_t<decltype(some<Op&>()(some<First>(), some<T>()))>;

struct Added {
    template <typename T, typename U>
    __host__ __device__ constexpr auto operator()(const T& a, const U& b) const { return a + b; }
};
struct Least {
    template <typename T, typename U>
    __host__ __device__ constexpr auto operator()(const T& a, const U& b) const { return b < a ? b : a; }
};
struct Most {
    template <typename T, typename U>
    __host__ __device__ constexpr auto operator()(const T& a, const U& b) const { return a < b ? b : a; }
};
struct Equal {
    template <typename T>
    __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a == b; }
};
struct Less {
    template <typename T>
    __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a < b; }
};
struct More {
    template <typename T>
    __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return b < a; }
};
struct Same {
    template <typename T>
    __host__ __device__ constexpr const T& operator()(const T& value) const { return value; }
};

}  // namespace emulated

// A number that earlier work of the stream leaves in memory.
template <typename T, typename It = T*>
struct FutureValue {
    using value_type = T;
    using iterator_type = It;
    __host__ __device__ explicit FutureValue(It at) : at_(at) {}
    __host__ __device__ operator T() const { return *at_; }

 private:
    It at_;
};

}  // namespace cub
