// CUB's selections over the whole GPU.
#pragma once
#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {
namespace emulated {

// `keeps` is asked with an element, the one before it, and its flag.
template <typename In, typename Flags, typename Out, typename Kept, typename Keeps>
inline cudaError_t select(const char* name, void* storage, size_t& bytes, In in, Flags flags, Out out, Kept kept, int64_t count, Keeps keeps,
                          cudaStream_t stream) {
    const auto work = [] __device__(void* temp, size_t size, In from, Flags flag, Out to, Kept number, int64_t n, Keeps is_kept) {
        spoil(temp, size);
        int64_t so_far = 0;
        ValueOf<In> last{};
        for (int64_t i = 0; i < n; ++i) {
            const ValueOf<In> value = from[i];
            if (is_kept(value, i ? &last : nullptr, flag[i])) to[so_far++] = value;
            last = value;
        }
        *number = static_cast<WrittenBy<Kept, int64_t*>>(so_far);
    };
    return in_two_phases(name, storage, bytes, tiles(count), stream, work, in, flags, out, kept, count, keeps);
}
struct NoFlags {
    __device__ bool operator[](int64_t) const { return true; }
};
struct IsFlagged {
    template <typename T, typename Flag>
    __device__ bool operator()(const T&, const T*, const Flag& flag) const { return static_cast<bool>(flag); }
};
template <typename Op>
struct FitsAlone {
    mutable Op op;
    template <typename T, typename Flag>
    __device__ bool operator()(const T& value, const T*, const Flag&) const { return static_cast<bool>(op(value)); }
};
template <typename Op>
struct FlagFits {
    mutable Op op;
    template <typename T, typename Flag>
    __device__ bool operator()(const T&, const T*, const Flag& flag) const { return static_cast<bool>(op(flag)); }
};
struct IsNew {
    template <typename T, typename Flag>
    __device__ bool operator()(const T& value, const T* last, const Flag&) const { return !last || !(*last == value); }
};

}  // namespace emulated

struct DeviceSelect {
    template <typename In, typename Flags, typename Out, typename Kept>
    static cudaError_t Flagged(void* storage, size_t& bytes, In in, Flags flags, Out out, Kept kept, int64_t count, cudaStream_t stream = nullptr) {
        return emulated::select("cub::DeviceSelect::Flagged", storage, bytes, in, flags, out, kept, count, emulated::IsFlagged(), stream);
    }
    template <typename Both, typename Flags, typename Kept>
    static cudaError_t Flagged(void* storage, size_t& bytes, Both data, Flags flags, Kept kept, int64_t count, cudaStream_t stream = nullptr) {
        return Flagged(storage, bytes, data, flags, data, kept, count, stream);
    }
    template <typename In, typename Out, typename Kept, typename Op>
    static cudaError_t If(void* storage, size_t& bytes, In in, Out out, Kept kept, int64_t count, Op op, cudaStream_t stream = nullptr) {
        return emulated::select("cub::DeviceSelect::If", storage, bytes, in, emulated::NoFlags(), out, kept, count, emulated::FitsAlone<Op>{op}, stream);
    }
    template <typename Both, typename Kept, typename Op>
    static cudaError_t If(void* storage, size_t& bytes, Both data, Kept kept, int64_t count, Op op, cudaStream_t stream = nullptr) {
        return If(storage, bytes, data, data, kept, count, op, stream);
    }
    template <typename In, typename Flags, typename Out, typename Kept, typename Op>
    static cudaError_t FlaggedIf(void* storage, size_t& bytes, In in, Flags flags, Out out, Kept kept, int64_t count, Op op, cudaStream_t stream = nullptr) {
        return emulated::select("cub::DeviceSelect::FlaggedIf", storage, bytes, in, flags, out, kept, count, emulated::FlagFits<Op>{op}, stream);
    }
    template <typename Both, typename Flags, typename Kept, typename Op>
    static cudaError_t FlaggedIf(void* storage, size_t& bytes, Both data, Flags flags, Kept kept, int64_t count, Op op, cudaStream_t stream = nullptr) {
        return FlaggedIf(storage, bytes, data, flags, data, kept, count, op, stream);
    }
    template <typename In, typename Out, typename Kept>
    static cudaError_t Unique(void* storage, size_t& bytes, In in, Out out, Kept kept, int64_t count, cudaStream_t stream = nullptr) {
        return emulated::select("cub::DeviceSelect::Unique", storage, bytes, in, emulated::NoFlags(), out, kept, count, emulated::IsNew(), stream);
    }
    template <typename Keys, typename Values, typename UniqueKeys, typename UniqueValues, typename Kept, typename N, typename Same,
              std::enable_if_t<!std::is_convertible_v<Same, cudaStream_t>, int> = 0>
    static cudaError_t UniqueByKey(void* storage, size_t& bytes, Keys keys, Values values, UniqueKeys unique, UniqueValues firsts, Kept kept, N count,
                                   Same same, cudaStream_t stream = nullptr) {
        const auto work = [] __device__(void* temp, size_t size, Keys key, Values value, UniqueKeys to, UniqueValues first, Kept number, N n, Same are_same) {
            emulated::spoil(temp, size);
            N so_far = 0;
            emulated::ValueOf<Keys> last{};
            for (N i = 0; i < n; ++i) {
                const emulated::ValueOf<Keys> mine = key[i];
                if (!i || !are_same(last, mine)) to[so_far] = mine, first[so_far] = value[i], ++so_far;
                last = mine;
            }
            *number = static_cast<emulated::WrittenBy<Kept, N*>>(so_far);
        };
        return emulated::in_two_phases("cub::DeviceSelect::UniqueByKey", storage, bytes, emulated::tiles(count), stream, work, keys, values, unique, firsts,
                                       kept, count, same);
    }
    template <typename Keys, typename Values, typename UniqueKeys, typename UniqueValues, typename Kept, typename N>
    static cudaError_t UniqueByKey(void* storage, size_t& bytes, Keys keys, Values values, UniqueKeys unique, UniqueValues firsts, Kept kept, N count,
                                   cudaStream_t stream = nullptr) {
        return UniqueByKey(storage, bytes, keys, values, unique, firsts, kept, count, emulated::Equal(), stream);
    }
};

}  // namespace cub
