// CUB's copies of many buffers of bytes over the whole GPU.
#pragma once
#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {

struct DeviceMemcpy {
    template <typename From, typename To, typename Sizes>
    static cudaError_t Batched(void* storage, size_t& bytes, From from, To to, Sizes sizes, int64_t buffers, cudaStream_t stream = nullptr) {
        const auto work = [] __device__(void* temp, size_t size, From in, To out, Sizes each, int64_t n) {
            emulated::spoil(temp, size);
            for (int64_t buffer = 0; buffer < n; ++buffer) emulated::copy_bytes(out[buffer], in[buffer], static_cast<size_t>(each[buffer]));
        };
        return emulated::in_two_phases("cub::DeviceMemcpy::Batched", storage, bytes, emulated::tiles(buffers), stream, work, from, to, sizes, buffers);
    }
};

}  // namespace cub
