// Thrust's reductions on the GPU, by CUB's.
#pragma once
#include "functional.h"
#include "policy.h"

namespace [[gnu::visibility("hidden")]] thrust {

template <bool kWaits, typename It, typename T, typename Op>
T reduce(const emulated::Policy<kWaits>& policy, It first, It last, T begin, Op op) {
    return policy.template result<T>([&](void* storage, size_t& bytes, T* to) {
        cub::DeviceReduce::Reduce(storage, bytes, first, to, last - first, op, begin, policy.stream);
    });
}
template <bool kWaits, typename It, typename T>
T reduce(const emulated::Policy<kWaits>& policy, It first, It last, T begin) {
    return reduce(policy, first, last, begin, plus<T>());
}
template <bool kWaits, typename It>
auto reduce(const emulated::Policy<kWaits>& policy, It first, It last) {
    return reduce(policy, first, last, typename std::iterator_traits<It>::value_type());
}

}  // namespace thrust
