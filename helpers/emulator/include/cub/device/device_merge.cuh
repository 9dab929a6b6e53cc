// CUB's merges of two sorted lists over the whole GPU.
#pragma once
#include "sort.cuh"

namespace [[gnu::visibility("hidden")]] cub {

struct DeviceMerge {
    template <typename Keys, typename Values, typename OtherKeys, typename OtherValues, typename KeysOut, typename ValuesOut, typename Before = emulated::Less>
    static cudaError_t MergePairs(void* storage, size_t& bytes, Keys keys, Values values, int64_t count, OtherKeys other_keys, OtherValues other_values,
                                  int64_t others, KeysOut keys_out, ValuesOut values_out, Before before = {}, cudaStream_t stream = nullptr) {
        return merge("cub::DeviceMerge::MergePairs", storage, bytes, keys, values, count, other_keys, other_values, others, keys_out, values_out, before,
                     stream);
    }
    template <typename Keys, typename OtherKeys, typename KeysOut, typename Before = emulated::Less>
    static cudaError_t MergeKeys(void* storage, size_t& bytes, Keys keys, int64_t count, OtherKeys other_keys, int64_t others, KeysOut keys_out,
                                 Before before = {}, cudaStream_t stream = nullptr) {
        NullType* const none = nullptr;
        return merge("cub::DeviceMerge::MergeKeys", storage, bytes, keys, none, count, other_keys, none, others, keys_out, none, before, stream);
    }

 private:
    template <typename Keys, typename Values, typename OtherKeys, typename OtherValues, typename KeysOut, typename ValuesOut, typename Before>
    static cudaError_t merge(const char* name, void* storage, size_t& bytes, Keys keys, Values values, int64_t count, OtherKeys other_keys,
                             OtherValues other_values, int64_t others, KeysOut keys_out, ValuesOut values_out, Before before, cudaStream_t stream) {
        const auto work = [] __device__(void* temp, size_t size, Keys key, Values value, int64_t n, OtherKeys other_key, OtherValues other_value, int64_t m,
                                        KeysOut key_out, ValuesOut value_out, Before is_before) {
            emulated::spoil(temp, size);
            const auto one = emulated::columns(key, value);
            const auto two = emulated::columns(other_key, other_value);
            const auto to = emulated::columns(key_out, value_out);
            for (int64_t a = 0, b = 0; a + b < n + m;) {
                if (a == n || (b < m && is_before(other_key[b], key[a]))) {
                    to.take(a + b, two, b), ++b;
                } else {
                    to.take(a + b, one, a), ++a;
                }
            }
        };
        return emulated::in_two_phases(name, storage, bytes, emulated::tiles(count + others), stream, work, keys, values, count, other_keys, other_values,
                                       others, keys_out, values_out, before);
    }
};

}  // namespace cub
