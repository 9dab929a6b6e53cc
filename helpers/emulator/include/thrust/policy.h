// How Thrust's algorithms run: by CUB's functions, in a stream.
#pragma once
#include "../cub/cub.cuh"

namespace [[gnu::visibility("hidden")]] thrust {
namespace emulated {

template <bool kWaits>
struct Policy {
    cudaStream_t stream = nullptr;
    Policy on(cudaStream_t other) const { return {other}; }
    // Calls a function of CUB in its two phases, with storage of its own.
    template <typename Call>
    void operator()(Call call) const {
        size_t bytes = 0;
        void* storage = nullptr;
        call(storage, bytes);
        cudaMallocAsync(&storage, bytes, stream);
        call(storage, bytes);
        cudaFreeAsync(storage, stream);
        if (kWaits) cudaStreamSynchronize(stream);
    }
    // The same for what leaves one number, which the host has then.
    template <typename T, typename Call>
    T result(Call call) const {
        T* at = nullptr;
        T found{};
        cudaMallocAsync(&at, sizeof(T), stream);
        (*this)([&](void* storage, size_t& bytes) { call(storage, bytes, at); });
        cudaMemcpyAsync(static_cast<void*>(&found), static_cast<const void*>(at), sizeof(T), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        cudaFreeAsync(at, stream);
        return found;
    }
};

}  // namespace emulated

}  // namespace thrust
