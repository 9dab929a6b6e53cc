// CUB's loops over the whole GPU: each element has a thread of its own.
#pragma once
#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {
namespace emulated {

// Asks a stream for the work, which each thread is given with its number; none of it needs storage.
constexpr unsigned kThreads = 256;
template <typename N, typename Work, typename... A>
inline cudaError_t for_each(const char* name, N count, cudaStream_t stream, Work work, A... given) {
    if (!(count > N(0))) return cudaSuccess;
    const auto blocks = static_cast<unsigned>((static_cast<size_t>(count) + kThreads - 1) / kThreads);
    return run(name, blocks, kThreads, stream, work, count, given...);
}
template <typename N>
__device__ N my_number() { return static_cast<N>(static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x); }
// The form with storage, as of all others.
template <typename Call>
inline cudaError_t in_one_phase(void* storage, size_t& bytes, Call call) {
    if (!storage) return bytes = 1, cudaSuccess;
    return call();
}

}  // namespace emulated

struct DeviceFor {
    template <typename N, typename Op>
    static cudaError_t Bulk(N count, Op op, cudaStream_t stream = nullptr) {
        const auto work = [] __device__(N n, Op call) {
            const N i = emulated::my_number<N>();
            if (i < n) call(i);
        };
        return emulated::for_each("cub::DeviceFor::Bulk", count, stream, work, op);
    }
    template <typename It, typename N, typename Op>
    static cudaError_t ForEachN(It first, N count, Op op, cudaStream_t stream = nullptr) {
        const auto work = [] __device__(N n, It at, Op call) {
            const N i = emulated::my_number<N>();
            if (i < n) call(at[i]);
        };
        return emulated::for_each("cub::DeviceFor::ForEachN", count, stream, work, first, op);
    }
    template <typename It, typename N, typename Op>
    static cudaError_t ForEachCopyN(It first, N count, Op op, cudaStream_t stream = nullptr) {
        const auto work = [] __device__(N n, It at, Op call) {
            const N i = emulated::my_number<N>();
            if (i < n) call(emulated::ValueOf<It>(at[i]));
        };
        return emulated::for_each("cub::DeviceFor::ForEachCopyN", count, stream, work, first, op);
    }
    template <typename It, typename Op>
    static cudaError_t ForEach(It first, It last, Op op, cudaStream_t stream = nullptr) {
        return ForEachN(first, static_cast<int64_t>(last - first), op, stream);
    }
    template <typename It, typename Op>
    static cudaError_t ForEachCopy(It first, It last, Op op, cudaStream_t stream = nullptr) {
        return ForEachCopyN(first, static_cast<int64_t>(last - first), op, stream);
    }
#define EMULATOR_WITH_STORAGE(name) \
    template <typename... A> \
    static cudaError_t name(void* storage, size_t& bytes, A... given) { \
        return emulated::in_one_phase(storage, bytes, [&] { return name(given...); }); \
    }
    EMULATOR_WITH_STORAGE(Bulk)
    EMULATOR_WITH_STORAGE(ForEachN)
    EMULATOR_WITH_STORAGE(ForEachCopyN)
    EMULATOR_WITH_STORAGE(ForEach)
    EMULATOR_WITH_STORAGE(ForEachCopy)
#undef EMULATOR_WITH_STORAGE
};

}  // namespace cub
