// CUB's scans over the whole GPU.
#pragma once
#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {
namespace emulated {

enum class Scanned { before,      // each result is what precedes the element
                     with_first,  // and with it
                     alone };     // without a number to begin with

// Of segments of equal keys, where `same` is not null.
template <Scanned kHow, typename Keys, typename In, typename Out, typename Op, typename First, typename N, typename Same>
inline cudaError_t scan(const char* name, void* storage, size_t& bytes, Keys keys, In in, Out out, Op op, First first, N count, Same same,
                        cudaStream_t stream) {
    const auto work = [] __device__(void* temp, size_t size, Keys key, In from, Out to, Op join, First begin, N n, Same are_same) {
        spoil(temp, size);
        using Key = std::decay_t<decltype(key[0])>;
        using T = Sum<Op, First, ValueOf<In>>;
        if (!n) return;
        Key mine = key[0];
        T sum = kHow == Scanned::alone ? static_cast<T>(from[0]) : static_cast<T>(begin);
        for (N i = 0; i < n; ++i) {
            const auto value = from[i];
            const Key next = key[i];
            const bool begins = i == 0 || !are_same(mine, next);
            mine = next;
            if (begins) sum = kHow == Scanned::alone ? static_cast<T>(value) : static_cast<T>(begin);
            if (kHow == Scanned::before) to[i] = sum;
            if (kHow != Scanned::alone || !begins) sum = join(sum, value);
            if (kHow != Scanned::before) to[i] = sum;
        }
    };
    return in_two_phases(name, storage, bytes, tiles(count), stream, work, keys, in, out, op, first, count, same);
}
// All elements have one.
struct OneKey {
    __device__ int operator[](size_t) const { return 0; }
};
template <Scanned kHow, typename In, typename Out, typename Op, typename First, typename N>
inline cudaError_t scan_all(const char* name, void* storage, size_t& bytes, In in, Out out, Op op, First first, N count, cudaStream_t stream) {
    return scan<kHow>(name, storage, bytes, OneKey(), in, out, op, first, count, Equal(), stream);
}

}  // namespace emulated

struct DeviceScan {
    template <typename In, typename Out, typename N>
    static cudaError_t ExclusiveSum(void* storage, size_t& bytes, In in, Out out, N count, cudaStream_t stream = nullptr) {
        return emulated::scan_all<kBefore>("cub::DeviceScan::ExclusiveSum", storage, bytes, in, out, emulated::Added(), emulated::ValueOf<In>(), count, stream);
    }
    template <typename Both, typename N>
    static cudaError_t ExclusiveSum(void* storage, size_t& bytes, Both data, N count, cudaStream_t stream = nullptr) {
        return ExclusiveSum(storage, bytes, data, data, count, stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t InclusiveSum(void* storage, size_t& bytes, In in, Out out, N count, cudaStream_t stream = nullptr) {
        return emulated::scan_all<kAlone>("cub::DeviceScan::InclusiveSum", storage, bytes, in, out, emulated::Added(), emulated::ValueOf<In>(), count, stream);
    }
    template <typename Both, typename N>
    static cudaError_t InclusiveSum(void* storage, size_t& bytes, Both data, N count, cudaStream_t stream = nullptr) {
        return InclusiveSum(storage, bytes, data, data, count, stream);
    }
    template <typename In, typename Out, typename Op, typename First, typename N>
    static cudaError_t ExclusiveScan(void* storage, size_t& bytes, In in, Out out, Op op, First first, N count, cudaStream_t stream = nullptr) {
        return emulated::scan_all<kBefore>("cub::DeviceScan::ExclusiveScan", storage, bytes, in, out, op, first, count, stream);
    }
    template <typename Both, typename Op, typename First, typename N>
    static cudaError_t ExclusiveScan(void* storage, size_t& bytes, Both data, Op op, First first, N count, cudaStream_t stream = nullptr) {
        return ExclusiveScan(storage, bytes, data, data, op, first, count, stream);
    }
    template <typename In, typename Out, typename Op, typename N>
    static cudaError_t InclusiveScan(void* storage, size_t& bytes, In in, Out out, Op op, N count, cudaStream_t stream = nullptr) {
        return emulated::scan_all<kAlone>("cub::DeviceScan::InclusiveScan", storage, bytes, in, out, op, emulated::ValueOf<In>(), count, stream);
    }
    template <typename Both, typename Op, typename N>
    static cudaError_t InclusiveScan(void* storage, size_t& bytes, Both data, Op op, N count, cudaStream_t stream = nullptr) {
        return InclusiveScan(storage, bytes, data, data, op, count, stream);
    }
    template <typename In, typename Out, typename Op, typename First, typename N>
    static cudaError_t InclusiveScanInit(void* storage, size_t& bytes, In in, Out out, Op op, First first, N count, cudaStream_t stream = nullptr) {
        return emulated::scan_all<emulated::Scanned::with_first>("cub::DeviceScan::InclusiveScanInit", storage, bytes, in, out, op, first, count, stream);
    }

    template <typename Keys, typename In, typename Out, typename Same = emulated::Equal, typename N = unsigned>
    static cudaError_t ExclusiveSumByKey(void* storage, size_t& bytes, Keys keys, In in, Out out, N count, Same same = {}, cudaStream_t stream = nullptr) {
        return emulated::scan<kBefore>("cub::DeviceScan::ExclusiveSumByKey", storage, bytes, keys, in, out, emulated::Added(), emulated::ValueOf<In>(), count,
                                       same, stream);
    }
    template <typename Keys, typename In, typename Out, typename Same = emulated::Equal, typename N = unsigned>
    static cudaError_t InclusiveSumByKey(void* storage, size_t& bytes, Keys keys, In in, Out out, N count, Same same = {}, cudaStream_t stream = nullptr) {
        return emulated::scan<kAlone>("cub::DeviceScan::InclusiveSumByKey", storage, bytes, keys, in, out, emulated::Added(), emulated::ValueOf<In>(), count,
                                      same, stream);
    }
    template <typename Keys, typename In, typename Out, typename Op, typename First, typename Same = emulated::Equal, typename N = unsigned>
    static cudaError_t ExclusiveScanByKey(void* storage, size_t& bytes, Keys keys, In in, Out out, Op op, First first, N count, Same same = {},
                                          cudaStream_t stream = nullptr) {
        return emulated::scan<kBefore>("cub::DeviceScan::ExclusiveScanByKey", storage, bytes, keys, in, out, op, first, count, same, stream);
    }
    template <typename Keys, typename In, typename Out, typename Op, typename Same = emulated::Equal, typename N = unsigned>
    static cudaError_t InclusiveScanByKey(void* storage, size_t& bytes, Keys keys, In in, Out out, Op op, N count, Same same = {},
                                          cudaStream_t stream = nullptr) {
        return emulated::scan<kAlone>("cub::DeviceScan::InclusiveScanByKey", storage, bytes, keys, in, out, op, emulated::ValueOf<In>(), count, same, stream);
    }

 private:
    static constexpr emulated::Scanned kBefore = emulated::Scanned::before, kAlone = emulated::Scanned::alone;
};

}  // namespace cub
