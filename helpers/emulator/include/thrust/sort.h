// Thrust's sorts on the GPU, by CUB's.
#pragma once
#include "functional.h"
#include "policy.h"

namespace [[gnu::visibility("hidden")]] thrust {

#define EMULATOR_SORT(kind) \
    template <bool kWaits, typename It, typename Before> \
    void kind(const emulated::Policy<kWaits>& policy, It first, It last, Before before) { \
        policy([&](void* storage, size_t& bytes) { \
            cub::DeviceMergeSort::StableSortKeys(storage, bytes, first, last - first, before, policy.stream); \
        }); \
    } \
    template <bool kWaits, typename It> \
    void kind(const emulated::Policy<kWaits>& policy, It first, It last) { \
        kind(policy, first, last, less<typename std::iterator_traits<It>::value_type>()); \
    } \
    template <bool kWaits, typename It, typename Values, typename Before> \
    void kind##_by_key(const emulated::Policy<kWaits>& policy, It first, It last, Values values, Before before) { \
        policy([&](void* storage, size_t& bytes) { \
            cub::DeviceMergeSort::StableSortPairs(storage, bytes, first, values, last - first, before, policy.stream); \
        }); \
    } \
    template <bool kWaits, typename It, typename Values> \
    void kind##_by_key(const emulated::Policy<kWaits>& policy, It first, It last, Values values) { \
        kind##_by_key(policy, first, last, values, less<typename std::iterator_traits<It>::value_type>()); \
    }
EMULATOR_SORT(sort)
EMULATOR_SORT(stable_sort)
#undef EMULATOR_SORT

}  // namespace thrust
