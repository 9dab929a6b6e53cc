// The sort of the whole GPU's: keys, and what goes with them, are merged to and fro between their place and another.
#pragma once
#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {

// Two places of as many elements, of which one has them now: a sort may leave them in the other.
template <typename T>
struct DoubleBuffer {
    T* d_buffers[2] = {};
    int selector = 0;

    __host__ __device__ DoubleBuffer() {}
    __host__ __device__ DoubleBuffer(T* current, T* other) : d_buffers{current, other} {}
    __host__ __device__ T* Current() { return d_buffers[selector]; }
    __host__ __device__ T* Alternate() { return d_buffers[selector ^ 1]; }
};

namespace emulated {

// Keys and values side by side; there may be none of these.
template <typename Keys, typename Values>
struct Columns {
    Keys keys;
    Values values;

    template <typename OtherKeys, typename OtherValues>
    __device__ void take(int64_t to, const Columns<OtherKeys, OtherValues>& other, int64_t from) const {
        keys[to] = other.keys[from];
        if constexpr (!std::is_same_v<ValueOf<Values>, NullType>) values[to] = other.values[from];
    }
    template <typename OtherKeys, typename OtherValues>
    EMULATOR_UNSEEN __device__ void take_unseen(int64_t to, const Columns<OtherKeys, OtherValues>& other, int64_t from) const {
        keys[to] = other.keys[from];
        if constexpr (!std::is_same_v<ValueOf<Values>, NullType>) values[to] = other.values[from];
    }
    __device__ Columns behind(int64_t first) const {
        if constexpr (std::is_same_v<ValueOf<Values>, NullType>)
            return {keys + first, values};
        else
            return {keys + first, values + first};
    }
};
template <typename Keys, typename Values>
__host__ __device__ Columns<Keys, Values> columns(Keys keys, Values values) { return {keys, values}; }

// The elements as a trace sees them: read and written once, whatever a sort does in between, and however often.
template <typename From, typename To>
__device__ void copy(const From& from, const To& to, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) to.take(i, from, i);
}

// Merges neighbours of `width` sorted elements each.
template <typename From, typename To, typename Before>
EMULATOR_UNSEEN __device__ void merge_neighbours(const From& from, const To& to, int64_t count, int64_t width, Before& before) {
    for (int64_t first = 0; first < count; first += 2 * width) {
        const int64_t middle = first + width < count ? first + width : count, end = middle + width < count ? middle + width : count;
        int64_t a = first, b = middle;
        for (int64_t i = first; i < end; ++i) {
            const bool second = a == middle || (b < end && before(from.keys[b], from.keys[a]));
            to.take_unseen(i, from, second ? b++ : a++);
        }
    }
}
// Leaves the sorted elements where they were; equal ones keep their order.
template <typename Place, typename Other, typename Before>
__device__ void sort(const Place& place, const Other& other, int64_t count, Before before) {
    for (int64_t width = 1; width < count; width *= 4) {
        merge_neighbours(place, other, count, width, before);
        merge_neighbours(other, place, count, 2 * width, before);
    }
    if constexpr (kTraced) copy(place, place, 0, count);
}

// The other place, in the temporary storage.
constexpr size_t kLine = 256;
template <typename T>
constexpr size_t bytes_of(size_t count) { return std::is_same_v<T, NullType> ? 0 : (count * sizeof(T) + kLine - 1) / kLine * kLine; }
template <typename Key, typename Value>
constexpr size_t storage_of_sort(size_t count) { return kLine + bytes_of<Key>(count) + bytes_of<Value>(count); }
template <typename Key, typename Value>
__device__ Columns<Key*, Value*> other_place(void* storage, size_t count) {
    return {static_cast<Key*>(storage), reinterpret_cast<Value*>(static_cast<char*>(storage) + bytes_of<Key>(count))};
}

// What is compared of a key: some bits of an unsigned number that has its order.
template <typename Key>
struct ByBits {
    bool down;
    int begin, end;

    using Bits = std::conditional_t<sizeof(Key) == 1, uint8_t, std::conditional_t<sizeof(Key) == 2, uint16_t, std::conditional_t<sizeof(Key) == 4, uint32_t, uint64_t>>>;
    static_assert(sizeof(Key) <= 8, "the emulator sorts keys of up to 8 bytes");

    EMULATOR_UNSEEN __device__ uint64_t part(const Key& key) const {
        constexpr Bits kTop = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
        Bits bits;
        memcpy(&bits, &key, sizeof bits);
        if constexpr (std::is_integral_v<Key>) {
            if constexpr (std::is_signed_v<Key>) bits = static_cast<Bits>(bits ^ kTop);
        } else {  // of a floating-point number
            if (bits == kTop) bits = 0;
            bits = static_cast<Bits>(bits & kTop ? ~bits : bits ^ kTop);
        }
        const uint64_t all = static_cast<uint64_t>(bits) >> begin;
        return end - begin < 64 ? all & ((uint64_t{1} << (end - begin)) - 1) : all;
    }
    EMULATOR_UNSEEN __device__ bool operator()(const Key& a, const Key& b) const { return down ? part(b) < part(a) : part(a) < part(b); }
};

// Of segments, from `begins` to before `ends`: a whole list is one.
struct Whole {
    int64_t at;
    __device__ int64_t operator[](int64_t) const { return at; }
};
template <typename Key, typename Value, typename Begins, typename Ends, typename Before>
inline cudaError_t sort_copy(const char* name, void* storage, size_t& bytes, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                             int64_t count, int64_t segments, Begins begins, Ends ends, Before before, cudaStream_t stream) {
    const auto work = [] __device__(void* temp, size_t size, const Key* key_in, Key* key_out, const Value* value_in, Value* value_out, int64_t n,
                                    int64_t parts, Begins begin, Ends end, Before is_before) {
        spoil(temp, size);
        const auto from = columns(key_in, value_in);
        const auto to = columns(key_out, value_out), other = other_place<Key, Value>(temp, static_cast<size_t>(n));
        for (int64_t part = 0; part < parts; ++part) {
            const int64_t first = begin[part], last = end[part];
            copy(from, to, first, last);
            if (last > first) sort(to.behind(first), other.behind(first), last - first, is_before);
        }
    };
    return in_two_phases(name, storage, bytes, storage_of_sort<Key, Value>(static_cast<size_t>(count)), stream, work, keys_in, keys_out, values_in, values_out,
                         count, segments, begins, ends, before);
}
// The sorted elements come to the other place: who does not ask which it is has none that are sorted.
template <typename Key, typename Value, typename Begins, typename Ends, typename Before>
inline cudaError_t sort_buffers(const char* name, void* storage, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, int64_t count,
                                int64_t segments, Begins begins, Ends ends, Before before, cudaStream_t stream) {
    const auto work = [] __device__(void* temp, size_t size, Key* key_in, Key* key_out, Value* value_in, Value* value_out, int64_t parts, Begins begin,
                                    Ends end, Before is_before) {
        spoil(temp, size);
        const auto from = columns(key_in, value_in), to = columns(key_out, value_out);
        for (int64_t part = 0; part < parts; ++part) {
            const int64_t first = begin[part], last = end[part];
            copy(from, to, first, last);
            if (last > first) sort(to.behind(first), from.behind(first), last - first, is_before);
        }
    };
    Key *const key_in = keys.Current(), *const key_out = keys.Alternate();
    Value *const value_in = values.Current(), *const value_out = values.Alternate();
    const bool only_asks = !storage;
    const cudaError_t error = in_two_phases(name, storage, bytes, tiles(count), stream, work, key_in, key_out, value_in, value_out, segments, begins, ends, before);
    if (!only_asks && !error && count) keys.selector ^= 1, values.selector ^= 1;
    return error;
}

}  // namespace emulated

}  // namespace cub
