// Thrust's transformations on the GPU, by CUB's.
#pragma once
#include "functional.h"
#include "policy.h"

namespace [[gnu::visibility("hidden")]] thrust {

template <bool kWaits, typename It, typename Out, typename Op>
Out transform(const emulated::Policy<kWaits>& policy, It first, It last, Out out, Op op) {
    cub::DeviceTransform::Transform(first, out, last - first, op, policy.stream);
    if (kWaits) cudaStreamSynchronize(policy.stream);
    return out + (last - first);
}
template <bool kWaits, typename It, typename Other, typename Out, typename Op>
Out transform(const emulated::Policy<kWaits>& policy, It first, It last, Other other, Out out, Op op) {
    cub::DeviceTransform::Transform(::cuda::std::make_tuple(first, other), out, last - first, op, policy.stream);
    if (kWaits) cudaStreamSynchronize(policy.stream);
    return out + (last - first);
}

}  // namespace thrust
