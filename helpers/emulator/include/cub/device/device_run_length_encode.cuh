// CUB's runs of equal elements over the whole GPU.
#pragma once
#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {

struct DeviceRunLengthEncode {
    template <typename In, typename Unique, typename Lengths, typename Runs>
    static cudaError_t Encode(void* storage, size_t& bytes, In in, Unique unique, Lengths lengths, Runs runs, int count, cudaStream_t stream = nullptr) {
        const auto work = [] __device__(void* temp, size_t size, In from, Unique first, Lengths length, Runs number, int n) {
            emulated::spoil(temp, size);
            int run = 0;
            for (int i = 0; i < n; ++run) {
                const emulated::ValueOf<In> value = from[i];
                const int begin = i;
                while (++i < n && from[i] == value) {
                }
                first[run] = value;
                length[run] = static_cast<emulated::WrittenBy<Lengths, int*>>(i - begin);
            }
            *number = static_cast<emulated::WrittenBy<Runs, int*>>(run);
        };
        return emulated::in_two_phases("cub::DeviceRunLengthEncode::Encode", storage, bytes, emulated::tiles(count), stream, work, in, unique, lengths, runs,
                                       count);
    }
    // Of those with more than one element.
    template <typename In, typename Offsets, typename Lengths, typename Runs>
    static cudaError_t NonTrivialRuns(void* storage, size_t& bytes, In in, Offsets offsets, Lengths lengths, Runs runs, int count,
                                      cudaStream_t stream = nullptr) {
        const auto work = [] __device__(void* temp, size_t size, In from, Offsets offset, Lengths length, Runs number, int n) {
            emulated::spoil(temp, size);
            int run = 0;
            for (int i = 0; i < n;) {
                const emulated::ValueOf<In> value = from[i];
                const int begin = i;
                while (++i < n && from[i] == value) {
                }
                if (i - begin == 1) continue;
                offset[run] = static_cast<emulated::WrittenBy<Offsets, int*>>(begin);
                length[run] = static_cast<emulated::WrittenBy<Lengths, int*>>(i - begin);
                ++run;
            }
            *number = static_cast<emulated::WrittenBy<Runs, int*>>(run);
        };
        return emulated::in_two_phases("cub::DeviceRunLengthEncode::NonTrivialRuns", storage, bytes, emulated::tiles(count), stream, work, in, offsets,
                                       lengths, runs, count);
    }
};

}  // namespace cub
