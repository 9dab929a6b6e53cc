// CUB's transformations over the whole GPU: each element has a thread of its own.
#pragma once
#include <cuda/std/tuple>

#include "device_for.cuh"

namespace [[gnu::visibility("hidden")]] cub {

struct DeviceTransform {
    template <typename... In, typename Out, typename N, typename Op>
    static cudaError_t Transform(cuda::std::tuple<In...> in, Out out, N count, Op op, cudaStream_t stream = nullptr) {
        const auto work = [] __device__(N n, Out to, Op call, In... from) {
            const N i = emulated::my_number<N>();
            if (i < n) to[i] = call(from[i]...);
        };
        return cuda::std::apply(
            [&](In... from) { return emulated::for_each("cub::DeviceTransform::Transform", count, stream, work, out, op, from...); }, in);
    }
    template <typename In, typename Out, typename N, typename Op>
    static cudaError_t Transform(In in, Out out, N count, Op op, cudaStream_t stream = nullptr) {
        return Transform(cuda::std::make_tuple(in), out, count, op, stream);
    }
    template <typename In, typename Out, typename N, typename Op>
    static cudaError_t Transform(void* storage, size_t& bytes, In in, Out out, N count, Op op, cudaStream_t stream = nullptr) {
        return emulated::in_one_phase(storage, bytes, [&] { return Transform(in, out, count, op, stream); });
    }
    template <typename... A>
    static cudaError_t TransformStableArgumentAddresses(A... given) { return Transform(given...); }
};

}  // namespace cub
