// CUB's copies of many ranges over the whole GPU.
#pragma once
#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {

struct DeviceCopy {
    template <typename From, typename To, typename Counts>
    static cudaError_t Batched(void* storage, size_t& bytes, From from, To to, Counts counts, int64_t ranges, cudaStream_t stream = nullptr) {
        const auto work = [] __device__(void* temp, size_t size, From in, To out, Counts count, int64_t n) {
            emulated::spoil(temp, size);
            for (int64_t range = 0; range < n; ++range) {
                const auto source = in[range];
                const auto place = out[range];
                for (int64_t i = 0, last = static_cast<int64_t>(count[range]); i < last; ++i) place[i] = source[i];
            }
        };
        return emulated::in_two_phases("cub::DeviceCopy::Batched", storage, bytes, emulated::tiles(ranges), stream, work, from, to, counts, ranges);
    }
};

}  // namespace cub
