// CUB's radix sorts over the whole GPU, and of segments.
#pragma once
#include "sort.cuh"

namespace [[gnu::visibility("hidden")]] cub {

struct DeviceRadixSort {
#define EMULATOR_RADIX_SORT(Order, kDown) \
    template <typename Key, typename Value, typename N> \
    static cudaError_t SortPairs##Order(void* storage, size_t& bytes, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, N count, \
                                        int begin = 0, int end = 8 * sizeof(Key), cudaStream_t stream = nullptr) { \
        return emulated::sort_copy("cub::DeviceRadixSort::SortPairs" #Order, storage, bytes, keys_in, keys_out, values_in, values_out, \
                                   static_cast<int64_t>(count), 1, emulated::Whole{0}, emulated::Whole{static_cast<int64_t>(count)}, \
                                   emulated::ByBits<Key>{kDown, begin, end}, stream); \
    } \
    template <typename Key, typename N> \
    static cudaError_t SortKeys##Order(void* storage, size_t& bytes, const Key* keys_in, Key* keys_out, N count, int begin = 0, int end = 8 * sizeof(Key), \
                                       cudaStream_t stream = nullptr) { \
        return emulated::sort_copy<Key, NullType>("cub::DeviceRadixSort::SortKeys" #Order, storage, bytes, keys_in, keys_out, nullptr, nullptr, \
                                                  static_cast<int64_t>(count), 1, emulated::Whole{0}, emulated::Whole{static_cast<int64_t>(count)}, \
                                                  emulated::ByBits<Key>{kDown, begin, end}, stream); \
    } \
    template <typename Key, typename Value, typename N> \
    static cudaError_t SortPairs##Order(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, N count, int begin = 0, \
                                        int end = 8 * sizeof(Key), cudaStream_t stream = nullptr) { \
        return emulated::sort_buffers("cub::DeviceRadixSort::SortPairs" #Order, storage, bytes, keys, values, static_cast<int64_t>(count), 1, \
                                      emulated::Whole{0}, emulated::Whole{static_cast<int64_t>(count)}, emulated::ByBits<Key>{kDown, begin, end}, stream); \
    } \
    template <typename Key, typename N> \
    static cudaError_t SortKeys##Order(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, N count, int begin = 0, int end = 8 * sizeof(Key), \
                                       cudaStream_t stream = nullptr) { \
        DoubleBuffer<NullType> none; \
        return emulated::sort_buffers("cub::DeviceRadixSort::SortKeys" #Order, storage, bytes, keys, none, static_cast<int64_t>(count), 1, \
                                      emulated::Whole{0}, emulated::Whole{static_cast<int64_t>(count)}, emulated::ByBits<Key>{kDown, begin, end}, stream); \
    }
    EMULATOR_RADIX_SORT(, false)
    EMULATOR_RADIX_SORT(Descending, true)
#undef EMULATOR_RADIX_SORT
};

}  // namespace cub
