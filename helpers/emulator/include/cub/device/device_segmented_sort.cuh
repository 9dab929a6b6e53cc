// CUB's sorts of segments of any lengths.
#pragma once
#include "device_segmented_radix_sort.cuh"

namespace [[gnu::visibility("hidden")]] cub {

struct DeviceSegmentedSort {
#define EMULATOR_SEGMENTED_SORT(name, kind) \
    template <typename... A> \
    static cudaError_t name(void* storage, size_t& bytes, A&&... given) { return kind(storage, bytes, std::forward<A>(given)...); }
    EMULATOR_SEGMENTED_SORT(SortKeys, keys<false>)
    EMULATOR_SEGMENTED_SORT(StableSortKeys, keys<false>)
    EMULATOR_SEGMENTED_SORT(SortKeysDescending, keys<true>)
    EMULATOR_SEGMENTED_SORT(StableSortKeysDescending, keys<true>)
    EMULATOR_SEGMENTED_SORT(SortPairs, pairs<false>)
    EMULATOR_SEGMENTED_SORT(StableSortPairs, pairs<false>)
    EMULATOR_SEGMENTED_SORT(SortPairsDescending, pairs<true>)
    EMULATOR_SEGMENTED_SORT(StableSortPairsDescending, pairs<true>)
#undef EMULATOR_SEGMENTED_SORT

 private:
    template <bool kDown, typename Key, typename Value, typename Begins, typename Ends>
    static cudaError_t pairs(void* storage, size_t& bytes, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, int64_t count,
                             int64_t segments, Begins begins, Ends ends, cudaStream_t stream = nullptr) {
        return emulated::sort_copy("cub::DeviceSegmentedSort::SortPairs", storage, bytes, keys_in, keys_out, values_in, values_out, count, segments, begins,
                                   ends, emulated::ByBits<Key>{kDown, 0, 8 * sizeof(Key)}, stream);
    }
    template <bool kDown, typename Key, typename Begins, typename Ends>
    static cudaError_t keys(void* storage, size_t& bytes, const Key* keys_in, Key* keys_out, int64_t count, int64_t segments, Begins begins, Ends ends,
                            cudaStream_t stream = nullptr) {
        return emulated::sort_copy<Key, NullType>("cub::DeviceSegmentedSort::SortKeys", storage, bytes, keys_in, keys_out, nullptr, nullptr, count, segments,
                                                  begins, ends, emulated::ByBits<Key>{kDown, 0, 8 * sizeof(Key)}, stream);
    }
    template <bool kDown, typename Key, typename Value, typename Begins, typename Ends>
    static cudaError_t pairs(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, int64_t count, int64_t segments,
                             Begins begins, Ends ends, cudaStream_t stream = nullptr) {
        return emulated::sort_buffers("cub::DeviceSegmentedSort::SortPairs", storage, bytes, keys, values, count, segments, begins, ends,
                                      emulated::ByBits<Key>{kDown, 0, 8 * sizeof(Key)}, stream);
    }
    template <bool kDown, typename Key, typename Begins, typename Ends>
    static cudaError_t keys(void* storage, size_t& bytes, DoubleBuffer<Key>& all, int64_t count, int64_t segments, Begins begins, Ends ends,
                            cudaStream_t stream = nullptr) {
        DoubleBuffer<NullType> none;
        return emulated::sort_buffers("cub::DeviceSegmentedSort::SortKeys", storage, bytes, all, none, count, segments, begins, ends,
                                      emulated::ByBits<Key>{kDown, 0, 8 * sizeof(Key)}, stream);
    }
};

}  // namespace cub
