// Thrust's reductions of what a function makes, on the GPU, by CUB's.
#pragma once
#include "functional.h"
#include "policy.h"

namespace [[gnu::visibility("hidden")]] thrust {

template <bool kWaits, typename It, typename Map, typename T, typename Op>
T transform_reduce(const emulated::Policy<kWaits>& policy, It first, It last, Map map, T begin, Op op) {
    return policy.template result<T>([&](void* storage, size_t& bytes, T* to) {
        cub::DeviceReduce::TransformReduce(storage, bytes, first, to, last - first, op, map, begin, policy.stream);
    });
}

}  // namespace thrust
