// Shuffles of a block, which <cub/cub.cuh> does not include.
#pragma once
#include "../collectives.cuh"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif

namespace [[gnu::visibility("hidden")]] cub {

// Elements of other threads, by their distance; where there is no such thread, the result stays as it is.
template <typename T, int kX, int kY = 1, int kZ = 1>
class BlockShuffle {
    static constexpr int kThreads = kX * kY * kZ;

 public:
    struct TempStorage {
        T of[kThreads];
    };
    BlockShuffle() : storage_(own_storage<BlockShuffle>()) {}
    explicit BlockShuffle(TempStorage& storage) : storage_(storage) {}

    void Offset(T value, T& result, int distance = 1) {
        put(value);
        const int from = me() + distance;
        if (from >= 0 && from < kThreads) result = storage_.of[from];
    }
    void Rotate(T value, T& result, unsigned distance = 1) {
        put(value);
        result = storage_.of[(static_cast<unsigned>(me()) + distance) % kThreads];
    }
    template <int kItems>
    void Up(T (&items)[kItems], T (&before)[kItems]) {
        put(items[kItems - 1]);
        for (int i = kItems - 1; i > 0; --i) before[i] = items[i - 1];
        if (me()) before[0] = storage_.of[me() - 1];
    }
    template <int kItems>
    void Up(T (&items)[kItems], T (&before)[kItems], T& last) {
        Up(items, before);
        last = storage_.of[kThreads - 1];
    }
    template <int kItems>
    void Down(T (&items)[kItems], T (&behind)[kItems]) {
        put(items[0]);
        for (int i = 0; i + 1 < kItems; ++i) behind[i] = items[i + 1];
        if (me() + 1 < kThreads) behind[kItems - 1] = storage_.of[me() + 1];
    }
    template <int kItems>
    void Down(T (&items)[kItems], T (&behind)[kItems], T& first) {
        Down(items, behind);
        first = storage_.of[0];
    }

 private:
    static int me() { return static_cast<int>(cooperative_groups::thread_in_block()); }
    void put(const T& value) {
        check_block(kThreads);
        leave(storage_.of[me()], value);
        __syncthreads();
    }
    TempStorage& storage_;
};

}  // namespace cub

#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
