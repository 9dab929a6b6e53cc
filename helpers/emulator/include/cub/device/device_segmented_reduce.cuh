// CUB's reductions of segments.
#pragma once
#include "device_reduce.cuh"

namespace [[gnu::visibility("hidden")]] cub {

struct DeviceSegmentedReduce {
    template <typename In, typename Out, typename Begins, typename Ends, typename Op, typename T>
    static cudaError_t Reduce(void* storage, size_t& bytes, In in, Out out, int64_t segments, Begins begins, Ends ends, Op op, T first,
                              cudaStream_t stream = nullptr) {
        return reduce("cub::DeviceSegmentedReduce::Reduce", storage, bytes, in, out, segments, begins, ends, op, first, stream);
    }
    template <typename In, typename Out, typename Begins, typename Ends>
    static cudaError_t Sum(void* storage, size_t& bytes, In in, Out out, int64_t segments, Begins begins, Ends ends, cudaStream_t stream = nullptr) {
        using T = emulated::WrittenBy<Out, In>;
        return reduce("cub::DeviceSegmentedReduce::Sum", storage, bytes, in, out, segments, begins, ends, emulated::Added(), T(), stream);
    }
    template <typename In, typename Out, typename Begins, typename Ends>
    static cudaError_t Min(void* storage, size_t& bytes, In in, Out out, int64_t segments, Begins begins, Ends ends, cudaStream_t stream = nullptr) {
        const auto first = emulated::none_of<emulated::ValueOf<In>>(emulated::Less());
        return reduce("cub::DeviceSegmentedReduce::Min", storage, bytes, in, out, segments, begins, ends, emulated::Least(), first, stream);
    }
    template <typename In, typename Out, typename Begins, typename Ends>
    static cudaError_t Max(void* storage, size_t& bytes, In in, Out out, int64_t segments, Begins begins, Ends ends, cudaStream_t stream = nullptr) {
        const auto first = emulated::none_of<emulated::ValueOf<In>>(emulated::More());
        return reduce("cub::DeviceSegmentedReduce::Max", storage, bytes, in, out, segments, begins, ends, emulated::Most(), first, stream);
    }
    template <typename In, typename Out, typename Begins, typename Ends>
    static cudaError_t ArgMin(void* storage, size_t& bytes, In in, Out out, int64_t segments, Begins begins, Ends ends, cudaStream_t stream = nullptr) {
        return extremes("cub::DeviceSegmentedReduce::ArgMin", storage, bytes, in, out, segments, begins, ends, emulated::Less(), stream);
    }
    template <typename In, typename Out, typename Begins, typename Ends>
    static cudaError_t ArgMax(void* storage, size_t& bytes, In in, Out out, int64_t segments, Begins begins, Ends ends, cudaStream_t stream = nullptr) {
        return extremes("cub::DeviceSegmentedReduce::ArgMax", storage, bytes, in, out, segments, begins, ends, emulated::More(), stream);
    }

 private:
    template <typename In, typename Out, typename Begins, typename Ends, typename Op, typename First>
    static cudaError_t reduce(const char* name, void* storage, size_t& bytes, In in, Out out, int64_t segments, Begins begins, Ends ends, Op op, First first,
                              cudaStream_t stream) {
        const auto work = [] __device__(void* temp, size_t size, In from, Out to, int64_t parts, Begins begin, Ends end, Op join, First start) {
            emulated::spoil(temp, size);
            for (int64_t part = 0; part < parts; ++part) {
                emulated::Sum<Op, First, emulated::ValueOf<In>> sum = start;
                for (int64_t i = begin[part], last = end[part]; i < last; ++i) sum = join(sum, from[i]);
                to[part] = sum;
            }
        };
        return emulated::in_two_phases(name, storage, bytes, emulated::tiles(segments), stream, work, in, out, segments, begins, ends, op, first);
    }
    // Places count from the segment's first element.
    template <typename In, typename Out, typename Begins, typename Ends, typename Better>
    static cudaError_t extremes(const char* name, void* storage, size_t& bytes, In in, Out out, int64_t segments, Begins begins, Ends ends, Better better,
                                cudaStream_t stream) {
        const auto work = [] __device__(void* temp, size_t size, In from, Out to, int64_t parts, Begins begin, Ends end, Better is_better) {
            emulated::spoil(temp, size);
            using T = emulated::ValueOf<In>;
            for (int64_t part = 0; part < parts; ++part) {
                const int64_t first = begin[part], count = end[part] - first;
                const int64_t at = count > 0 ? emulated::place_of(from + first, count, is_better) : 1;
                const T value = count > 0 ? static_cast<T>(from[first + at]) : emulated::none_of<T>(is_better);
                to[part] = emulated::WrittenBy<Out, KeyValuePair<int, T>*>(static_cast<int>(at), value);
            }
        };
        return emulated::in_two_phases(name, storage, bytes, emulated::tiles(segments), stream, work, in, out, segments, begins, ends, better);
    }
};

}  // namespace cub
