// CUB's reductions over the whole GPU.
#pragma once
#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {
namespace emulated {

template <typename In, typename Out, typename N, typename Op, typename Map, typename First>
inline cudaError_t reduce(const char* name, void* storage, size_t& bytes, In in, Out out, N count, Op op, Map map, First first, cudaStream_t stream) {
    const auto work = [] __device__(void* temp, size_t size, In from, Out to, N n, Op join, Map of, First begin) {
        spoil(temp, size);
        using T = std::decay_t<decltype(of(from[0]))>;
        Sum<Op, First, T> sum = begin;
        for (N i = 0; i < n; ++i) sum = join(sum, of(from[i]));
        *to = sum;
    };
    return in_two_phases(name, storage, bytes, tiles(count), stream, work, in, out, count, op, map, first);
}

// The place of the first extreme element, which `Better` compares.
template <typename N, typename In, typename Better>
__device__ N place_of(In in, N count, Better better) {
    N at = 0;
    for (N i = 1; i < count; ++i) {
        if (better(in[i], in[at])) at = i;
    }
    return at;
}
// What an extreme of no elements is.
template <typename T>
__host__ __device__ T none_of(Less) { return cuda::std::numeric_limits<T>::max(); }
template <typename T>
__host__ __device__ T none_of(More) { return cuda::std::numeric_limits<T>::lowest(); }

template <typename In, typename Out, typename Better>
inline cudaError_t pair_of_extreme(const char* name, void* storage, size_t& bytes, In in, Out out, int count, Better better, cudaStream_t stream) {
    const auto work = [] __device__(void* temp, size_t size, In from, Out to, int n, Better is_better) {
        spoil(temp, size);
        using T = ValueOf<In>;
        const int at = place_of(from, n, is_better);
        *to = WrittenBy<Out, KeyValuePair<int, T>*>(n ? at : 1, n ? static_cast<T>(from[at]) : none_of<T>(is_better));
    };
    return in_two_phases(name, storage, bytes, tiles(count), stream, work, in, out, count, better);
}
template <typename In, typename Extreme, typename Place, typename Better>
inline cudaError_t extreme_and_place(const char* name, void* storage, size_t& bytes, In in, Extreme extreme, Place place, int64_t count, Better better,
                                     cudaStream_t stream) {
    const auto work = [] __device__(void* temp, size_t size, In from, Extreme value, Place index, int64_t n, Better is_better) {
        spoil(temp, size);
        if (!n) return;
        const int64_t at = place_of(from, n, is_better);
        *value = from[at];
        *index = static_cast<WrittenBy<Place, int64_t*>>(at);
    };
    return in_two_phases(name, storage, bytes, tiles(count), stream, work, in, extreme, place, count, better);
}

}  // namespace emulated

struct DeviceReduce {
    template <typename In, typename Out, typename Op, typename T, typename N>
    static cudaError_t Reduce(void* storage, size_t& bytes, In in, Out out, N count, Op op, T first, cudaStream_t stream = nullptr) {
        return emulated::reduce("cub::DeviceReduce::Reduce", storage, bytes, in, out, count, op, emulated::Same(), first, stream);
    }
    template <typename In, typename Out, typename Op, typename Map, typename T, typename N>
    static cudaError_t TransformReduce(void* storage, size_t& bytes, In in, Out out, N count, Op op, Map map, T first, cudaStream_t stream = nullptr) {
        return emulated::reduce("cub::DeviceReduce::TransformReduce", storage, bytes, in, out, count, op, map, first, stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t Sum(void* storage, size_t& bytes, In in, Out out, N count, cudaStream_t stream = nullptr) {
        using T = emulated::WrittenBy<Out, In>;
        return emulated::reduce("cub::DeviceReduce::Sum", storage, bytes, in, out, count, emulated::Added(), emulated::Same(), T(), stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t Min(void* storage, size_t& bytes, In in, Out out, N count, cudaStream_t stream = nullptr) {
        const auto first = emulated::none_of<emulated::ValueOf<In>>(emulated::Less());
        return emulated::reduce("cub::DeviceReduce::Min", storage, bytes, in, out, count, emulated::Least(), emulated::Same(), first, stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t Max(void* storage, size_t& bytes, In in, Out out, N count, cudaStream_t stream = nullptr) {
        const auto first = emulated::none_of<emulated::ValueOf<In>>(emulated::More());
        return emulated::reduce("cub::DeviceReduce::Max", storage, bytes, in, out, count, emulated::Most(), emulated::Same(), first, stream);
    }
    template <typename In, typename Extreme, typename Place>
    static cudaError_t ArgMin(void* storage, size_t& bytes, In in, Extreme extreme, Place place, int64_t count, cudaStream_t stream = nullptr) {
        return emulated::extreme_and_place("cub::DeviceReduce::ArgMin", storage, bytes, in, extreme, place, count, emulated::Less(), stream);
    }
    template <typename In, typename Extreme, typename Place>
    static cudaError_t ArgMax(void* storage, size_t& bytes, In in, Extreme extreme, Place place, int64_t count, cudaStream_t stream = nullptr) {
        return emulated::extreme_and_place("cub::DeviceReduce::ArgMax", storage, bytes, in, extreme, place, count, emulated::More(), stream);
    }
    template <typename In, typename Out>
    static cudaError_t ArgMin(void* storage, size_t& bytes, In in, Out out, int count, cudaStream_t stream = nullptr) {
        return emulated::pair_of_extreme("cub::DeviceReduce::ArgMin", storage, bytes, in, out, count, emulated::Less(), stream);
    }
    template <typename In, typename Out>
    static cudaError_t ArgMax(void* storage, size_t& bytes, In in, Out out, int count, cudaStream_t stream = nullptr) {
        return emulated::pair_of_extreme("cub::DeviceReduce::ArgMax", storage, bytes, in, out, count, emulated::More(), stream);
    }
    template <typename Keys, typename Unique, typename Values, typename Sums, typename Runs, typename Op, typename N>
    static cudaError_t ReduceByKey(void* storage, size_t& bytes, Keys keys, Unique unique, Values values, Sums sums, Runs runs, Op op, N count,
                                   cudaStream_t stream = nullptr) {
        const auto work = [] __device__(void* temp, size_t size, Keys key, Unique first, Values value, Sums total, Runs number, Op join, N n) {
            emulated::spoil(temp, size);
            N run = 0;
            for (N i = 0; i < n; ++run) {
                const auto mine = key[i];
                emulated::Sum<Op, emulated::ValueOf<Values>, emulated::ValueOf<Values>> sum = value[i];
                while (++i < n && key[i] == mine) sum = join(sum, value[i]);
                first[run] = mine, total[run] = sum;
            }
            *number = static_cast<emulated::WrittenBy<Runs, N*>>(run);
        };
        return emulated::in_two_phases("cub::DeviceReduce::ReduceByKey", storage, bytes, emulated::tiles(count), stream, work, keys, unique, values, sums,
                                       runs, op, count);
    }
};

}  // namespace cub
