// CUB's sorts by comparison over the whole GPU.
#pragma once
#include "sort.cuh"

namespace [[gnu::visibility("hidden")]] cub {
namespace emulated {

template <typename Keys, typename Values, typename N, typename Before>
inline cudaError_t sort_there(const char* name, void* storage, size_t& bytes, Keys keys, Values values, N count, Before before, cudaStream_t stream) {
    using Key = ValueOf<Keys>;
    using Value = ValueOf<Values>;
    const auto work = [] __device__(void* temp, size_t size, Keys key, Values value, N n, Before is_before) {
        spoil(temp, size);
        sort(columns(key, value), other_place<Key, Value>(temp, static_cast<size_t>(n)), static_cast<int64_t>(n), is_before);
    };
    return in_two_phases(name, storage, bytes, storage_of_sort<Key, Value>(static_cast<size_t>(count)), stream, work, keys, values, count, before);
}
template <typename KeysIn, typename ValuesIn, typename Keys, typename Values, typename N, typename Before>
inline cudaError_t sort_elsewhere(const char* name, void* storage, size_t& bytes, KeysIn keys_in, ValuesIn values_in, Keys keys, Values values, N count,
                                  Before before, cudaStream_t stream) {
    using Key = ValueOf<Keys>;
    using Value = ValueOf<Values>;
    const auto work = [] __device__(void* temp, size_t size, KeysIn key_in, ValuesIn value_in, Keys key, Values value, N n, Before is_before) {
        spoil(temp, size);
        const auto from = columns(key_in, value_in);
        const auto to = columns(key, value);
        copy(from, to, 0, static_cast<int64_t>(n));
        sort(to, other_place<Key, Value>(temp, static_cast<size_t>(n)), static_cast<int64_t>(n), is_before);
    };
    return in_two_phases(name, storage, bytes, storage_of_sort<Key, Value>(static_cast<size_t>(count)), stream, work, keys_in, values_in, keys, values, count,
                         before);
}

}  // namespace emulated

struct DeviceMergeSort {
#define EMULATOR_MERGE_SORT(kind) \
    template <typename Keys, typename Values, typename N, typename Before> \
    static cudaError_t kind##Pairs(void* storage, size_t& bytes, Keys keys, Values values, N count, Before before, cudaStream_t stream = nullptr) { \
        return emulated::sort_there("cub::DeviceMergeSort::" #kind "Pairs", storage, bytes, keys, values, count, before, stream); \
    } \
    template <typename Keys, typename N, typename Before> \
    static cudaError_t kind##Keys(void* storage, size_t& bytes, Keys keys, N count, Before before, cudaStream_t stream = nullptr) { \
        NullType* const none = nullptr; \
        return emulated::sort_there("cub::DeviceMergeSort::" #kind "Keys", storage, bytes, keys, none, count, before, stream); \
    } \
    template <typename KeysIn, typename Keys, typename N, typename Before> \
    static cudaError_t kind##KeysCopy(void* storage, size_t& bytes, KeysIn keys_in, Keys keys, N count, Before before, cudaStream_t stream = nullptr) { \
        NullType* const none = nullptr; \
        return emulated::sort_elsewhere("cub::DeviceMergeSort::" #kind "KeysCopy", storage, bytes, keys_in, none, keys, none, count, before, stream); \
    }
    EMULATOR_MERGE_SORT(Sort)
    EMULATOR_MERGE_SORT(StableSort)
#undef EMULATOR_MERGE_SORT
    template <typename KeysIn, typename ValuesIn, typename Keys, typename Values, typename N, typename Before>
    static cudaError_t SortPairsCopy(void* storage, size_t& bytes, KeysIn keys_in, ValuesIn values_in, Keys keys, Values values, N count, Before before,
                                     cudaStream_t stream = nullptr) {
        return emulated::sort_elsewhere("cub::DeviceMergeSort::SortPairsCopy", storage, bytes, keys_in, values_in, keys, values, count, before, stream);
    }
};

}  // namespace cub
