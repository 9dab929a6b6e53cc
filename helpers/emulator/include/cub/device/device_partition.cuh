// CUB's partitions over the whole GPU: in two parts, the second of which comes in reverse, or in three.
#pragma once
#include "device_select.cuh"

namespace [[gnu::visibility("hidden")]] cub {
namespace emulated {

template <typename In, typename Flags, typename Out, typename Kept, typename N, typename Keeps>
inline cudaError_t part(const char* name, void* storage, size_t& bytes, In in, Flags flags, Out out, Kept kept, N count, Keeps keeps, cudaStream_t stream) {
    const auto work = [] __device__(void* temp, size_t size, In from, Flags flag, Out to, Kept number, N n, Keeps is_kept) {
        spoil(temp, size);
        N so_far = 0;
        for (N i = 0; i < n; ++i) {
            const ValueOf<In> value = from[i];
            const bool first = is_kept(value, static_cast<const ValueOf<In>*>(nullptr), flag[i]);
            to[first ? so_far : n - 1 - (i - so_far)] = value;
            so_far += first;
        }
        *number = static_cast<WrittenBy<Kept, N*>>(so_far);
    };
    return in_two_phases(name, storage, bytes, tiles(count), stream, work, in, flags, out, kept, count, keeps);
}

}  // namespace emulated

struct DevicePartition {
    template <typename In, typename Flags, typename Out, typename Kept, typename N>
    static cudaError_t Flagged(void* storage, size_t& bytes, In in, Flags flags, Out out, Kept kept, N count, cudaStream_t stream = nullptr) {
        return emulated::part("cub::DevicePartition::Flagged", storage, bytes, in, flags, out, kept, count, emulated::IsFlagged(), stream);
    }
    template <typename In, typename Out, typename Kept, typename Op, typename N>
    static cudaError_t If(void* storage, size_t& bytes, In in, Out out, Kept kept, N count, Op op, cudaStream_t stream = nullptr) {
        return emulated::part("cub::DevicePartition::If", storage, bytes, in, emulated::NoFlags(), out, kept, count, emulated::FitsAlone<Op>{op}, stream);
    }
    template <typename In, typename First, typename Second, typename Rest, typename Kept, typename OfFirst, typename OfSecond, typename N>
    static cudaError_t If(void* storage, size_t& bytes, In in, First first, Second second, Rest rest, Kept kept, N count, OfFirst of_first,
                          OfSecond of_second, cudaStream_t stream = nullptr) {
        const auto work = [] __device__(void* temp, size_t size, In from, First one, Second two, Rest three, Kept number, N n, OfFirst is_one, OfSecond is_two) {
            emulated::spoil(temp, size);
            N ones = 0, twos = 0, threes = 0;
            for (N i = 0; i < n; ++i) {
                const emulated::ValueOf<In> value = from[i];
                if (is_one(value)) {
                    one[ones++] = value;
                } else if (is_two(value)) {
                    two[twos++] = value;
                } else {
                    three[threes++] = value;
                }
            }
            number[0] = static_cast<emulated::WrittenBy<Kept, N*>>(ones);
            number[1] = static_cast<emulated::WrittenBy<Kept, N*>>(twos);
        };
        return emulated::in_two_phases("cub::DevicePartition::If", storage, bytes, emulated::tiles(count), stream, work, in, first, second, rest, kept, count,
                                       of_first, of_second);
    }
};

}  // namespace cub
