// CUB's BlockRunLengthDecode, which <cub/cub.cuh> does not include.
#pragma once
#include "../collectives.cuh"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif

namespace [[gnu::visibility("hidden")]] cub {

// Each thread brings some runs, and then takes neighbours of what the block's runs make up.
template <typename T, int kX, int kRuns, int kItems, typename Offset = unsigned, int kY = 1, int kZ = 1>
class BlockRunLengthDecode {
    static constexpr int kThreads = kX * kY * kZ, kAll = kThreads * kRuns;
    using Scan = BlockScan<Offset, kX, BLOCK_SCAN_RAKING, kY, kZ>;

 public:
    struct TempStorage {
        typename Scan::TempStorage scan;
        T values[kAll];
        Offset begins[kAll];
    };
    template <typename Length, typename Total>
    BlockRunLengthDecode(TempStorage& storage, T (&values)[kRuns], Length (&lengths)[kRuns], Total& total) : storage_(storage) {
        Offset begins[kRuns], all;
        for (int i = 0; i < kRuns; ++i) begins[i] = static_cast<Offset>(lengths[i]);
        Scan(storage_.scan).ExclusiveSum(begins, begins, all);
        total = static_cast<Total>(all);
        put(values, begins);
    }
    template <typename Begin>
    BlockRunLengthDecode(TempStorage& storage, T (&values)[kRuns], Begin (&begins)[kRuns]) : storage_(storage) {
        check_block(kThreads);
        put(values, begins);
    }
    template <typename Length, typename Total>
    BlockRunLengthDecode(T (&values)[kRuns], Length (&lengths)[kRuns], Total& total)
        : BlockRunLengthDecode(own_storage<BlockRunLengthDecode>(), values, lengths, total) {}
    template <typename Begin>
    BlockRunLengthDecode(T (&values)[kRuns], Begin (&begins)[kRuns])
        : BlockRunLengthDecode(own_storage<BlockRunLengthDecode>(), values, begins) {}

    // places: of each element, how many of its run come before it. What lies behind the last run is counted to it.
    template <typename Place>
    void RunLengthDecode(T (&items)[kItems], Place (&places)[kItems], Offset from = 0) {
        Offset at = from + static_cast<Offset>(cooperative_groups::thread_in_block()) * kItems;
        int run = 0;
        for (int i = 0; i < kItems; ++i, ++at) {
            while (run + 1 < kAll && storage_.begins[run + 1] <= at) ++run;
            items[i] = storage_.values[run];
            places[i] = static_cast<Place>(at - storage_.begins[run]);
        }
    }
    void RunLengthDecode(T (&items)[kItems], Offset from = 0) {
        Offset places[kItems];
        RunLengthDecode(items, places, from);
    }

 private:
    template <typename Begin>
    void put(T (&values)[kRuns], Begin (&begins)[kRuns]) {
        const int first = static_cast<int>(cooperative_groups::thread_in_block()) * kRuns;
        for (int i = 0; i < kRuns; ++i) {
            leave(storage_.values[first + i], values[i]);
            leave(storage_.begins[first + i], static_cast<Offset>(begins[i]));
        }
        __syncthreads();
    }
    TempStorage& storage_;
};

}  // namespace cub

#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
