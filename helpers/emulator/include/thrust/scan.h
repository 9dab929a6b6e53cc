// Thrust's scans on the GPU, by CUB's.
#pragma once
#include "functional.h"
#include "policy.h"

namespace [[gnu::visibility("hidden")]] thrust {

template <bool kWaits, typename It, typename Out, typename Op>
Out inclusive_scan(const emulated::Policy<kWaits>& policy, It first, It last, Out out, Op op) {
    policy([&](void* storage, size_t& bytes) {
        cub::DeviceScan::InclusiveScan(storage, bytes, first, out, op, last - first, policy.stream);
    });
    return out + (last - first);
}
template <bool kWaits, typename It, typename Out>
Out inclusive_scan(const emulated::Policy<kWaits>& policy, It first, It last, Out out) {
    return inclusive_scan(policy, first, last, out, plus<>());
}
template <bool kWaits, typename It, typename Out, typename T, typename Op>
Out exclusive_scan(const emulated::Policy<kWaits>& policy, It first, It last, Out out, T begin, Op op) {
    policy([&](void* storage, size_t& bytes) {
        cub::DeviceScan::ExclusiveScan(storage, bytes, first, out, op, begin, last - first, policy.stream);
    });
    return out + (last - first);
}
template <bool kWaits, typename It, typename Out, typename T>
Out exclusive_scan(const emulated::Policy<kWaits>& policy, It first, It last, Out out, T begin) {
    return exclusive_scan(policy, first, last, out, begin, plus<>());
}
template <bool kWaits, typename It, typename Out>
Out exclusive_scan(const emulated::Policy<kWaits>& policy, It first, It last, Out out) {
    return exclusive_scan(policy, first, last, out, typename std::iterator_traits<It>::value_type());
}

}  // namespace thrust
