// CUB's differences of neighbours over the whole GPU.
#pragma once
#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {
namespace emulated {

struct Subtracted {
    template <typename T, typename U>
    __host__ __device__ constexpr auto operator()(const T& a, const U& b) const { return a - b; }
};
// Also in place: of the left neighbours from the end on.
template <bool kLeft, typename In, typename Out, typename N, typename Op>
inline cudaError_t differences(const char* name, void* storage, size_t& bytes, In in, Out out, N count, Op op, cudaStream_t stream) {
    const auto work = [] __device__(void* temp, size_t size, In from, Out to, N n, Op subtract) {
        spoil(temp, size);
        for (N i = 0; i < n; ++i) {
            const N at = kLeft ? n - 1 - i : i;
            const N other = kLeft ? at - 1 : at + 1;
            const ValueOf<In> value = from[at];
            if (i + 1 == n) {
                to[at] = value;
            } else {
                to[at] = subtract(value, static_cast<ValueOf<In>>(from[other]));
            }
        }
    };
    return in_two_phases(name, storage, bytes, tiles(count), stream, work, in, out, count, op);
}

}  // namespace emulated

struct DeviceAdjacentDifference {
#define EMULATOR_DIFFERENCE(Side, kLeft) \
    template <typename In, typename Out, typename N, typename Op = emulated::Subtracted> \
    static cudaError_t Subtract##Side##Copy(void* storage, size_t& bytes, In in, Out out, N count, Op op = {}, cudaStream_t stream = nullptr) { \
        return emulated::differences<kLeft>("cub::DeviceAdjacentDifference::Subtract" #Side "Copy", storage, bytes, in, out, count, op, stream); \
    } \
    template <typename Both, typename N, typename Op = emulated::Subtracted> \
    static cudaError_t Subtract##Side(void* storage, size_t& bytes, Both data, N count, Op op = {}, cudaStream_t stream = nullptr) { \
        return emulated::differences<kLeft>("cub::DeviceAdjacentDifference::Subtract" #Side, storage, bytes, data, data, count, op, stream); \
    }
    EMULATOR_DIFFERENCE(Left, true)
    EMULATOR_DIFFERENCE(Right, false)
#undef EMULATOR_DIFFERENCE
};

}  // namespace cub
