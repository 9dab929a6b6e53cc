// CUB's radix sorts of segments.
#pragma once
#include "sort.cuh"

namespace [[gnu::visibility("hidden")]] cub {

struct DeviceSegmentedRadixSort {
#define EMULATOR_SEGMENTED_SORT(Order, kDown) \
    template <typename Key, typename Value, typename Begins, typename Ends> \
    static cudaError_t SortPairs##Order(void* storage, size_t& bytes, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, \
                                        int64_t count, int64_t segments, Begins begins, Ends ends, int begin = 0, int end = 8 * sizeof(Key), \
                                        cudaStream_t stream = nullptr) { \
        return emulated::sort_copy("cub::DeviceSegmentedRadixSort::SortPairs" #Order, storage, bytes, keys_in, keys_out, values_in, values_out, count, \
                                   segments, begins, ends, emulated::ByBits<Key>{kDown, begin, end}, stream); \
    } \
    template <typename Key, typename Begins, typename Ends> \
    static cudaError_t SortKeys##Order(void* storage, size_t& bytes, const Key* keys_in, Key* keys_out, int64_t count, int64_t segments, Begins begins, \
                                       Ends ends, int begin = 0, int end = 8 * sizeof(Key), cudaStream_t stream = nullptr) { \
        return emulated::sort_copy<Key, NullType>("cub::DeviceSegmentedRadixSort::SortKeys" #Order, storage, bytes, keys_in, keys_out, nullptr, nullptr, \
                                                  count, segments, begins, ends, emulated::ByBits<Key>{kDown, begin, end}, stream); \
    } \
    template <typename Key, typename Value, typename Begins, typename Ends> \
    static cudaError_t SortPairs##Order(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, int64_t count, \
                                        int64_t segments, Begins begins, Ends ends, int begin = 0, int end = 8 * sizeof(Key), \
                                        cudaStream_t stream = nullptr) { \
        return emulated::sort_buffers("cub::DeviceSegmentedRadixSort::SortPairs" #Order, storage, bytes, keys, values, count, segments, begins, ends, \
                                      emulated::ByBits<Key>{kDown, begin, end}, stream); \
    } \
    template <typename Key, typename Begins, typename Ends> \
    static cudaError_t SortKeys##Order(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, int64_t count, int64_t segments, Begins begins, Ends ends, \
                                       int begin = 0, int end = 8 * sizeof(Key), cudaStream_t stream = nullptr) { \
        DoubleBuffer<NullType> none; \
        return emulated::sort_buffers("cub::DeviceSegmentedRadixSort::SortKeys" #Order, storage, bytes, keys, none, count, segments, begins, ends, \
                                      emulated::ByBits<Key>{kDown, begin, end}, stream); \
    }
    EMULATOR_SEGMENTED_SORT(, false)
    EMULATOR_SEGMENTED_SORT(Descending, true)
#undef EMULATOR_SEGMENTED_SORT
};

}  // namespace cub
