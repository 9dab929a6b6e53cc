// Races of asynchronous copies, barriers that are only arrived at, and atomics without a fence, as the memory model has
// them (PTX ISA, Memory Consistency Model): each launcher has a twin that is right.
#pragma nv_diag_suppress static_var_with_dynamic_init

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
// kRight: with what is missing otherwise.
#define KERNEL template <bool kRight> __global__ void
KERNEL only_arrived_k(const float* x, float* out) {
    __shared__ float s[256];
    __shared__ Barrier all;
    const int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + t, x + t, sizeof(float), all);
    auto token = all.arrive();
    if (kRight || t < 250) all.wait(std::move(token));
    out[t] = s[255 - t];
}
KERNEL own_copy_k(const float* x, float* out) {
    __shared__ float s[256];
    __shared__ Barrier all;
    const int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + t, x + t, sizeof(float), all);
    auto token = all.arrive();
    float early = kRight ? 0.0f : s[t];
    all.wait(std::move(token));
    out[t] = s[t] + early;
}
KERNEL last_to_arrive_k(const float* x, float* out) {
    __shared__ float s[256];
    __shared__ Barrier all;
    const int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    s[t] = x[t];
    if (t == 255) __nanosleep(1000);
    auto token = all.arrive();
    if (kRight || t < 255) all.wait(std::move(token));
    out[t] = s[t ^ 128];
}
KERNEL wrong_phase_k(const float* x, float* out) {
    __shared__ float s[256];
    __shared__ Barrier all;
    const int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    auto first = all.arrive();
    all.wait(std::move(first));
    cuda::memcpy_async(s + t, x + t, sizeof(float), all);
    auto second = all.arrive();
    if (kRight) all.wait(std::move(second));
    __syncthreads();
    out[t] = s[255 - t];
    if (!kRight) all.wait(std::move(second));
}
KERNEL told_by_another_k(const float* x, float* out) {
    __shared__ float s[256];
    __shared__ Barrier all;
    const int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + t, x + t, sizeof(float), all);
    auto token = all.arrive();
    if (t < 32) all.wait(std::move(token));
    if (kRight) __syncthreads();
    out[t] = s[255 - t];
}
KERNEL source_of_its_own_k(const float* x, float* out) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    out[t] = x[t];
    __pipeline_memcpy_async(s + t, out + t, sizeof(float));
    __pipeline_commit();
    if (!kRight) out[t] = 0;
    __pipeline_wait_prior(0);
    if (kRight) out[t] = 0;
    out[256 + t] = s[t];
}
KERNEL source_of_another_k(const float* x, float* out) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    out[t] = x[t];
    __pipeline_memcpy_async(s + t, out + t, sizeof(float));
    __pipeline_commit();
    if (kRight) __pipeline_wait_prior(0);
    __syncthreads();
    out[255 - t] = 0;
    __pipeline_wait_prior(0);
    out[256 + t] = s[t];
}
KERNEL source_by_arrival_k(const float* x, float* out) {
    __shared__ float s[256];
    __shared__ Barrier all;
    const int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    out[t] = x[t];
    cuda::memcpy_async(s + t, out + t, sizeof(float), all);
    auto token = all.arrive();
    if (kRight) all.wait(std::move(token));
    out[255 - t] = 1;
    if (!kRight) all.wait(std::move(token));
    out[256 + t] = s[t];
}
KERNEL target_before_wait_k(const float* x, float* out) {
    __shared__ float s[256];
    __shared__ Barrier all;
    const int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + t, x + t, sizeof(float), all);
    if (!kRight) s[t] = 1;
    all.arrive_and_wait();
    if (kRight) s[t] = 1;
    out[t] = s[t];
}
KERNEL refilled_k(const float* x, float* out) {
    __shared__ float s[256];
    __shared__ Barrier all;
    const int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    float sum = 0;
    for (int round = 0; round < 3; ++round) {
        cuda::memcpy_async(s + t, x + 256 * round + t, sizeof(float), all);
        all.arrive_and_wait();
        sum += s[255 - t];
        if (kRight) all.arrive_and_wait();
    }
    out[t] = sum;
}
KERNEL roles_unwaited_k(const float* x, float* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][128];
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x % 128;
    const bool produces = threadIdx.x < 128;
    auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    float sum = 0;
    for (int round = 0; round < 6; ++round) {
        float* const now = s[round % 2];
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(now + t, x + 128 * round + t, sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            if (kRight || round < 5) pipe.consumer_wait();
            sum += now[127 - t];
            pipe.consumer_release();
        }
    }
    if (!produces) out[t] = sum;
}
KERNEL roles_released_k(const float* x, float* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][128];
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x % 128;
    const bool produces = threadIdx.x < 128;
    auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    float sum = 0;
    for (int round = 0; round < 6; ++round) {
        float* const now = s[round % 2];
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(now + t, x + 128 * round + t, sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            if (!kRight) pipe.consumer_release();
            sum += now[127 - t];
            if (kRight) pipe.consumer_release();
        }
    }
    if (!produces) out[t] = sum;
}
KERNEL roles_unacquired_k(const float* x, float* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][128];
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x % 128;
    const bool produces = threadIdx.x < 128;
    auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    float sum = 0;
    for (int round = 0; round < 6; ++round) {
        float* const now = s[round % 2];
        if (produces) {
            if (kRight || round != 4) pipe.producer_acquire();
            cuda::memcpy_async(now + t, x + 128 * round + t, sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += now[127 - t];
            pipe.consumer_release();
        }
    }
    if (!produces) out[t] = sum;
}
KERNEL stages_of_all_k(const float* x, float* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][256];
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
    const int t = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < 5; ++round) {
        if (round < 4) {
            pipe.producer_acquire();
            cuda::memcpy_async(s[round % 2] + t, x + 256 * round + t, sizeof(float), pipe);
            pipe.producer_commit();
        }
        if (round > 0) {
            pipe.consumer_wait();
            if (!kRight) pipe.consumer_release();
            sum += s[(round - 1) % 2][255 - t];
            if (kRight) pipe.consumer_release();
        }
    }
    out[t] = sum;
}
KERNEL named_arrive_k(const float* x, float* out) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = x[t];
    if (t >= 32 || kRight) {
        asm volatile("bar.sync 1, 256;" ::: "memory");
    } else {
        __nanosleep(1000);
        asm volatile("bar.arrive 1, 256;" ::: "memory");
    }
    out[t] = s[t ^ 64];
}
KERNEL summed_by_atomics_k(const float* x, float* out) {
    __shared__ bool last;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    float* const part = out + 256;
    atomicAdd(&part[threadIdx.x], x[threadIdx.x]);
    if (kRight) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(count, 1) == gridDim.x - 1;
        if (kRight) __threadfence();
    }
    __syncthreads();
    if (last) out[threadIdx.x] = part[threadIdx.x];
}
KERNEL summed_read_as_atomic_k(const float* x, float* out) {
    __shared__ bool last;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    float* const part = out + 256;
    atomicAdd(&part[threadIdx.x], x[threadIdx.x]);
    if (kRight) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) out[threadIdx.x] = kRight ? atomicAdd(&part[threadIdx.x], 0.0f) : part[255 - threadIdx.x];
}
KERNEL fence_behind_barrier_k(const float* x, float* out) {
    __shared__ bool last;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    float* const part = out + 256;
    part[blockIdx.x * 256 + threadIdx.x] = x[threadIdx.x];
    if (!kRight && threadIdx.x == 0) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (kRight) __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) out[threadIdx.x] = part[threadIdx.x] + part[511 - threadIdx.x];
}
KERNEL volatile_reader_k(const float* x, float* out) {
    __shared__ bool last;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    float* const part = out + 256;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x[blockIdx.x];
        if (kRight) __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = *static_cast<volatile float*>(&part[threadIdx.x]);
}
KERNEL volatile_parts_k(const float* x, float* out) {
    __shared__ bool last;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    volatile float* const part = out;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1 || !kRight;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) sum += part[b];
        out[0] = sum;
    }
}
KERNEL counter_reset_k(const float* x, float* out) {
    __shared__ bool last;
    unsigned* const count = reinterpret_cast<unsigned*>(out + 1023);
    float* const part = out + 256;
    if (threadIdx.x == 0) {
        bool mine = true;
        if (kRight) mine = atomicAdd(count, 1) == gridDim.x - 1;
        if (!kRight) atomicAdd(count, 1);
        if (mine) *count = 0;
    }
    last = false;
}
KERNEL flag_reset_k(const float* x, float* out) {
    volatile int* const flag = reinterpret_cast<volatile int*>(out + 1023);
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            out[0] = x[0];
            if (kRight) __threadfence();
            *flag = 1;
        } else {
            while (*flag == 0) {
            }
            __threadfence();
            out[1] = out[0];
            *reinterpret_cast<int*>(out + 1023) = 0;
        }
    }
}
KERNEL lock_unfenced_k(const float* x, float* out) {
    int* const lock = reinterpret_cast<int*>(out + 1023);
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        if (kRight) __threadfence();
        out[0] += x[blockIdx.x];
        __threadfence();
        atomicExch(lock, 0);
    }
}
KERNEL ref_relaxed_k(const float* x, float* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(reinterpret_cast<int*>(out)[1023]);
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            out[0] = x[0];
            flag.store(1, kRight ? cuda::memory_order_release : cuda::memory_order_relaxed);
        } else {
            while (flag.load(cuda::memory_order_acquire) == 0) {
            }
            out[1] = out[0];
        }
    }
}
KERNEL ref_unacquired_k(const float* x, float* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(reinterpret_cast<int*>(out)[1023]);
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            out[0] = x[0];
            flag.fetch_add(1, cuda::memory_order_release);
        } else {
            while (flag.load(kRight ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
            }
            out[1] = out[0];
        }
    }
}
KERNEL ref_of_block_k(const float* x, float* out) {
    cuda::atomic_ref<int, cuda::thread_scope_block> near(reinterpret_cast<int*>(out)[1023]);
    cuda::atomic_ref<int, cuda::thread_scope_device> far(reinterpret_cast<int*>(out)[1023]);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = x[blockIdx.x];
        const int before = kRight ? far.fetch_add(1, cuda::memory_order_acq_rel) : near.fetch_add(1, cuda::memory_order_acq_rel);
        if (before == 1) out[2] = out[0] + out[1];
    }
}
KERNEL ptx_flag_k(const float* x, float* out) {
    int* const flag = reinterpret_cast<int*>(out + 1023);
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            out[0] = x[0];
            if (kRight) {
                asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
            } else {
                asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
            }
        } else {
            int seen = 0;
            while (seen == 0) asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
            out[1] = out[0];
        }
    }
}
KERNEL look_back_writer_k(const float* x, float* out) {
    // Each block's sum, then those of the blocks before it: 1 says that the sum is there, 2 that all before it are in it.
    __shared__ float s[256], before;
    volatile int* const state = reinterpret_cast<volatile int*>(out + 1000);
    float *const sums = out + 800, *const totals = out + 900;
    const int b = blockIdx.x, t = threadIdx.x;
    s[t] = x[256 * b + t];
    __syncthreads();
    if (t == 0) {
        float sum = 0;
        for (int i = 0; i < 256; ++i) sum += s[i];
        sums[b] = sum;
        if (kRight) __threadfence();
        state[b] = 1;
        float carried = 0;
        for (int k = b - 1; k >= 0; --k) {
            int now;
            while ((now = state[k]) == 0) {
            }
            __threadfence();
            carried += now == 2 ? totals[k] : sums[k];
            if (now == 2) break;
        }
        totals[b] = carried + sum;
        if (kRight) __threadfence();
        state[b] = 2;
        before = carried;
    }
    __syncthreads();
    out[256 * b + t] = before + s[t];
}
KERNEL look_back_reader_k(const float* x, float* out) {
    // Each block's sum, then those of the blocks before it: 1 says that the sum is there, 2 that all before it are in it.
    __shared__ float s[256], before;
    volatile int* const state = reinterpret_cast<volatile int*>(out + 1000);
    float *const sums = out + 800, *const totals = out + 900;
    const int b = blockIdx.x, t = threadIdx.x;
    s[t] = x[256 * b + t];
    __syncthreads();
    if (t == 0) {
        float sum = 0;
        for (int i = 0; i < 256; ++i) sum += s[i];
        sums[b] = sum;
        __threadfence();
        state[b] = 1;
        float carried = 0;
        for (int k = b - 1; k >= 0; --k) {
            int now;
            while ((now = state[k]) == 0) {
            }
            if (kRight) __threadfence();
            carried += now == 2 ? totals[k] : sums[k];
            if (now == 2) break;
        }
        totals[b] = carried + sum;
        __threadfence();
        state[b] = 2;
        before = carried;
    }
    __syncthreads();
    out[256 * b + t] = before + s[t];
}
KERNEL compaction_k(const float* x, float* out) {
    __shared__ int base[8];
    int* const count = reinterpret_cast<int*>(out + 1023);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float mine = x[threadIdx.x];
    const unsigned kept = __ballot_sync(~0u, mine > 100);
    if (lane == 0) base[warp] = atomicAdd(count, __popc(kept));
    if (kRight) __syncwarp();
    if (mine > 100) out[base[warp] + __popc(kept & ((1u << lane) - 1))] = mine;
}
KERNEL compaction_by_group_k(const float* x, float* out) {
    int* const count = reinterpret_cast<int*>(out + 1023);
    const float mine = x[threadIdx.x];
    if (mine > 100) {
        const auto active = cg::coalesced_threads();
        int at = 0;
        if (active.thread_rank() == 0) at = kRight ? atomicAdd(count, active.size()) : *count;
        if (!kRight && active.thread_rank() == 0) *count = at + active.size();
        out[active.shfl(at, 0) + active.thread_rank()] = mine;
    }
}
KERNEL flag_in_shared_k(const float* x, float* out) {
    __shared__ float value;
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = x[0];
        __threadfence_block();
        flag = 1;
    }
    if (threadIdx.x == 0) {
        while (flag == 0) {
        }
        if (kRight) __threadfence_block();
        out[0] = value;
    }
}
KERNEL tile_of_two_warps_k(const float* x, float* out) {
    __shared__ cg::block_tile_memory<256> room;
    __shared__ float s[256];
    const auto tile = cg::tiled_partition<64>(cg::this_thread_block(room));
    s[threadIdx.x] = x[threadIdx.x];
    if (kRight)
        tile.sync();
    else
        __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
KERNEL tile_for_block_k(const float* x, float* out) {
    __shared__ cg::block_tile_memory<256> room;
    __shared__ float s[256];
    const auto tile = cg::tiled_partition<128>(cg::this_thread_block(room));
    s[threadIdx.x] = x[threadIdx.x];
    tile.sync();
    out[threadIdx.x] = s[threadIdx.x ^ (kRight ? 64 : 128)];
}
KERNEL wide_shuffle_k(const float* x, float* out) {
    __shared__ float s[256];
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    s[threadIdx.x] = x[threadIdx.x];
    const float4 first = tile.shfl(make_float4(x[0], x[1], x[2], x[threadIdx.x]), 0);
    if (kRight) tile.sync();
    out[threadIdx.x] = first.w + s[threadIdx.x ^ 1];
}
KERNEL two_buffers_one_barrier_k(const float* x, float* out) {
    __shared__ float s[2][256];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], x + t, sizeof(float));
    __pipeline_commit();
    float sum = 0;
    for (int round = 0; round < 4; ++round) {
        if (round < 3) __pipeline_memcpy_async(&s[(round + 1) % 2][t], x + 256 * (round + 1) + t, sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[round % 2][255 - t];
        if (kRight) __syncthreads();
    }
    out[t] = sum;
}
KERNEL private_bins_k(const float* x, float* out) {
    __shared__ unsigned bins[64];
    unsigned* const all = reinterpret_cast<unsigned*>(out);
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    if (kRight) __syncthreads();
    atomicAdd(&bins[static_cast<int>(x[threadIdx.x]) & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&all[threadIdx.x], bins[threadIdx.x]);
}
KERNEL bins_read_by_all_k(const float* x, float* out) {
    unsigned* const all = reinterpret_cast<unsigned*>(out);
    atomicAdd(&all[static_cast<int>(x[threadIdx.x]) & 63], 1);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < 64) out[256 + threadIdx.x] = kRight ? 0 : static_cast<float>(all[threadIdx.x]);
}
KERNEL half_masks_k(const float* x, float* out) {
    __shared__ float s[32];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncwarp(t < 16 || kRight ? ~0u >> (kRight ? 0 : 16) : 0xffff0000u);
    out[t] = s[31 - t];
}
// CUB's storage is used again, for the same numbers.
KERNEL cub_sum_and_maximum_k(const float* x, float* out) {
    using Reduce = cub::BlockReduce<float, 256>;
    __shared__ Reduce::TempStorage storage;
    const int t = threadIdx.x;
    const float sum = Reduce(storage).Sum(x[t]);
    if (kRight) __syncthreads();
    const float most = Reduce(storage).Reduce(x[t], [](float a, float b) { return fmaxf(a, b); });
    if (t == 0) out[0] = sum + most;
}
KERNEL cub_two_scans_k(const float* x, float* out) {
    using Scan = cub::BlockScan<float, 256>;
    __shared__ Scan::TempStorage storage;
    const int t = threadIdx.x;
    float behind, before;
    Scan(storage).InclusiveSum(x[t], behind);
    if (kRight) __syncthreads();
    Scan(storage).ExclusiveSum(x[t], before);
    out[t] = behind - before;
}
KERNEL cub_two_sorts_k(const float* x, float* out) {
    using Sort = cub::BlockRadixSort<float, 256, 1, int>;
    __shared__ Sort::TempStorage storage;
    const int t = threadIdx.x;
    float rises[1] = {x[t]}, falls[1] = {x[t]};
    int from[1] = {t}, to[1] = {t};
    Sort(storage).Sort(rises, from);
    if (kRight) __syncthreads();
    Sort(storage).SortDescending(falls, to);
    out[t] = rises[0] - falls[0] + static_cast<float>(from[0] - to[0]);
}
// Of a warp's collectives, which need none here.
KERNEL cub_warp_sums_k(const float* x, float* out) {
    using Reduce = cub::WarpReduce<float>;
    using Scan = cub::WarpScan<float>;
    __shared__ Reduce::TempStorage storage[8];
    __shared__ Scan::TempStorage of_scan[8];
    const int t = threadIdx.x;
    float before;
    Scan(of_scan[t / 32]).ExclusiveSum(x[t], before);
    const float sum = Reduce(storage[t / 32]).Sum(x[t]);
    if (kRight) __syncwarp();
    const float squares = Reduce(storage[t / 32]).Sum(x[t] * x[t]);
    out[t] = t % 32 ? before : sum + squares;
}
extern "C" void only_arrived_right(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { only_arrived_k<true><<<1, 256>>>(x, out); }
extern "C" void only_arrived_racy(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n) { only_arrived_k<false><<<1, 256>>>(x, out); }
extern "C" void own_copy_right(const float* x,  // [n]
                               float* out,  // [n]
                               int64_t n) { own_copy_k<true><<<1, 256>>>(x, out); }
extern "C" void own_copy_racy(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n) { own_copy_k<false><<<1, 256>>>(x, out); }
extern "C" void last_to_arrive_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n) { last_to_arrive_k<true><<<1, 256>>>(x, out); }
extern "C" void last_to_arrive_racy(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { last_to_arrive_k<false><<<1, 256>>>(x, out); }
extern "C" void wrong_phase_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n) { wrong_phase_k<true><<<1, 256>>>(x, out); }
extern "C" void wrong_phase_racy(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n) { wrong_phase_k<false><<<1, 256>>>(x, out); }
extern "C" void told_by_another_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n) { told_by_another_k<true><<<1, 256>>>(x, out); }
extern "C" void told_by_another_racy(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n) { told_by_another_k<false><<<1, 256>>>(x, out); }
extern "C" void source_of_its_own_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n) { source_of_its_own_k<true><<<1, 256>>>(x, out); }
extern "C" void source_of_its_own_racy(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n) { source_of_its_own_k<false><<<1, 256>>>(x, out); }
extern "C" void source_of_another_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n) { source_of_another_k<true><<<1, 256>>>(x, out); }
extern "C" void source_of_another_racy(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n) { source_of_another_k<false><<<1, 256>>>(x, out); }
extern "C" void source_by_arrival_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n) { source_by_arrival_k<true><<<1, 256>>>(x, out); }
extern "C" void source_by_arrival_racy(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n) { source_by_arrival_k<false><<<1, 256>>>(x, out); }
extern "C" void target_before_wait_right(const float* x,  // [n]
                                         float* out,  // [n]
                                         int64_t n) { target_before_wait_k<true><<<1, 256>>>(x, out); }
extern "C" void target_before_wait_racy(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n) { target_before_wait_k<false><<<1, 256>>>(x, out); }
extern "C" void refilled_right(const float* x,  // [n]
                               float* out,  // [n]
                               int64_t n) { refilled_k<true><<<1, 256>>>(x, out); }
extern "C" void refilled_racy(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n) { refilled_k<false><<<1, 256>>>(x, out); }
extern "C" void roles_unwaited_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n) { roles_unwaited_k<true><<<1, 256>>>(x, out); }
extern "C" void roles_unwaited_racy(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { roles_unwaited_k<false><<<1, 256>>>(x, out); }
extern "C" void roles_released_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n) { roles_released_k<true><<<1, 256>>>(x, out); }
extern "C" void roles_released_racy(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { roles_released_k<false><<<1, 256>>>(x, out); }
extern "C" void roles_unacquired_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n) { roles_unacquired_k<true><<<1, 256>>>(x, out); }
extern "C" void roles_unacquired_racy(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n) { roles_unacquired_k<false><<<1, 256>>>(x, out); }
extern "C" void stages_of_all_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { stages_of_all_k<true><<<1, 256>>>(x, out); }
extern "C" void stages_of_all_racy(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { stages_of_all_k<false><<<1, 256>>>(x, out); }
extern "C" void named_arrive_right(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { named_arrive_k<true><<<1, 256>>>(x, out); }
extern "C" void named_arrive_racy(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n) { named_arrive_k<false><<<1, 256>>>(x, out); }
extern "C" void summed_by_atomics_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n) { summed_by_atomics_k<true><<<3, 256>>>(x, out); }
extern "C" void summed_by_atomics_racy(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n) { summed_by_atomics_k<false><<<3, 256>>>(x, out); }
extern "C" void summed_read_as_atomic_right(const float* x,  // [n]
                                            float* out,  // [n]
                                            int64_t n) { summed_read_as_atomic_k<true><<<3, 256>>>(x, out); }
extern "C" void summed_read_as_atomic_racy(const float* x,  // [n]
                                           float* out,  // [n]
                                           int64_t n) { summed_read_as_atomic_k<false><<<3, 256>>>(x, out); }
extern "C" void fence_behind_barrier_right(const float* x,  // [n]
                                           float* out,  // [n]
                                           int64_t n) { fence_behind_barrier_k<true><<<2, 256>>>(x, out); }
extern "C" void fence_behind_barrier_racy(const float* x,  // [n]
                                          float* out,  // [n]
                                          int64_t n) { fence_behind_barrier_k<false><<<2, 256>>>(x, out); }
extern "C" void volatile_reader_right(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n) { volatile_reader_k<true><<<4, 256>>>(x, out); }
extern "C" void volatile_reader_racy(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n) { volatile_reader_k<false><<<4, 256>>>(x, out); }
extern "C" void volatile_parts_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n) { volatile_parts_k<true><<<4, 256>>>(x, out); }
extern "C" void volatile_parts_racy(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { volatile_parts_k<false><<<4, 256>>>(x, out); }
extern "C" void counter_reset_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { counter_reset_k<true><<<4, 256>>>(x, out); }
extern "C" void counter_reset_racy(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { counter_reset_k<false><<<4, 256>>>(x, out); }
extern "C" void flag_reset_right(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n) { flag_reset_k<true><<<2, 32>>>(x, out); }
extern "C" void flag_reset_racy(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n) { flag_reset_k<false><<<2, 32>>>(x, out); }
extern "C" void lock_unfenced_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { lock_unfenced_k<true><<<4, 32>>>(x, out); }
extern "C" void lock_unfenced_racy(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { lock_unfenced_k<false><<<4, 32>>>(x, out); }
extern "C" void ref_relaxed_right(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n) { ref_relaxed_k<true><<<2, 32>>>(x, out); }
extern "C" void ref_relaxed_racy(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n) { ref_relaxed_k<false><<<2, 32>>>(x, out); }
extern "C" void ref_unacquired_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n) { ref_unacquired_k<true><<<2, 32>>>(x, out); }
extern "C" void ref_unacquired_racy(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { ref_unacquired_k<false><<<2, 32>>>(x, out); }
extern "C" void ref_of_block_right(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { ref_of_block_k<true><<<2, 32>>>(x, out); }
extern "C" void ref_of_block_racy(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n) { ref_of_block_k<false><<<2, 32>>>(x, out); }
extern "C" void ptx_flag_right(const float* x,  // [n]
                               float* out,  // [n]
                               int64_t n) { ptx_flag_k<true><<<2, 32>>>(x, out); }
extern "C" void ptx_flag_racy(const float* x,  // [n]
                              float* out,  // [n]
                              int64_t n) { ptx_flag_k<false><<<2, 32>>>(x, out); }
extern "C" void look_back_writer_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n) { look_back_writer_k<true><<<3, 256>>>(x, out); }
extern "C" void look_back_writer_racy(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n) { look_back_writer_k<false><<<3, 256>>>(x, out); }
extern "C" void look_back_reader_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n) { look_back_reader_k<true><<<3, 256>>>(x, out); }
extern "C" void look_back_reader_racy(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n) { look_back_reader_k<false><<<3, 256>>>(x, out); }
extern "C" void compaction_right(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n) { compaction_k<true><<<1, 256>>>(x, out); }
extern "C" void compaction_racy(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n) { compaction_k<false><<<1, 256>>>(x, out); }
extern "C" void compaction_by_group_right(const float* x,  // [n]
                                          float* out,  // [n]
                                          int64_t n) { compaction_by_group_k<true><<<1, 256>>>(x, out); }
extern "C" void compaction_by_group_racy(const float* x,  // [n]
                                         float* out,  // [n]
                                         int64_t n) { compaction_by_group_k<false><<<1, 256>>>(x, out); }
extern "C" void flag_in_shared_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n) { flag_in_shared_k<true><<<1, 64>>>(x, out); }
extern "C" void flag_in_shared_racy(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { flag_in_shared_k<false><<<1, 64>>>(x, out); }
extern "C" void tile_of_two_warps_right(const float* x,  // [n]
                                        float* out,  // [n]
                                        int64_t n) { tile_of_two_warps_k<true><<<1, 256>>>(x, out); }
extern "C" void tile_of_two_warps_racy(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n) { tile_of_two_warps_k<false><<<1, 256>>>(x, out); }
extern "C" void tile_for_block_right(const float* x,  // [n]
                                     float* out,  // [n]
                                     int64_t n) { tile_for_block_k<true><<<1, 256>>>(x, out); }
extern "C" void tile_for_block_racy(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { tile_for_block_k<false><<<1, 256>>>(x, out); }
extern "C" void wide_shuffle_right(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { wide_shuffle_k<true><<<1, 256>>>(x, out); }
extern "C" void wide_shuffle_racy(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n) { wide_shuffle_k<false><<<1, 256>>>(x, out); }
extern "C" void two_buffers_one_barrier_right(const float* x,  // [n]
                                              float* out,  // [n]
                                              int64_t n) { two_buffers_one_barrier_k<true><<<1, 256>>>(x, out); }
extern "C" void two_buffers_one_barrier_racy(const float* x,  // [n]
                                             float* out,  // [n]
                                             int64_t n) { two_buffers_one_barrier_k<false><<<1, 256>>>(x, out); }
extern "C" void private_bins_right(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { private_bins_k<true><<<3, 256>>>(x, out); }
extern "C" void private_bins_racy(const float* x,  // [n]
                                  float* out,  // [n]
                                  int64_t n) { private_bins_k<false><<<3, 256>>>(x, out); }
extern "C" void bins_read_by_all_right(const float* x,  // [n]
                                       float* out,  // [n]
                                       int64_t n) { bins_read_by_all_k<true><<<3, 256>>>(x, out); }
extern "C" void bins_read_by_all_racy(const float* x,  // [n]
                                      float* out,  // [n]
                                      int64_t n) { bins_read_by_all_k<false><<<3, 256>>>(x, out); }
extern "C" void half_masks_right(const float* x,  // [n]
                                 float* out,  // [n]
                                 int64_t n) { half_masks_k<true><<<1, 32>>>(x, out); }
extern "C" void half_masks_racy(const float* x,  // [n]
                                float* out,  // [n]
                                int64_t n) { half_masks_k<false><<<1, 32>>>(x, out); }
extern "C" void cub_sum_and_maximum_right(const float* x,  // [n]
                                          float* out,  // [n]
                                          int64_t n) { cub_sum_and_maximum_k<true><<<1, 256>>>(x, out); }
extern "C" void cub_sum_and_maximum_racy(const float* x,  // [n]
                                         float* out,  // [n]
                                         int64_t n) { cub_sum_and_maximum_k<false><<<1, 256>>>(x, out); }
extern "C" void cub_two_scans_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { cub_two_scans_k<true><<<1, 256>>>(x, out); }
extern "C" void cub_two_scans_racy(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { cub_two_scans_k<false><<<1, 256>>>(x, out); }
extern "C" void cub_two_sorts_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { cub_two_sorts_k<true><<<1, 256>>>(x, out); }
extern "C" void cub_two_sorts_racy(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { cub_two_sorts_k<false><<<1, 256>>>(x, out); }
extern "C" void cub_warp_sums_right(const float* x,  // [n]
                                    float* out,  // [n]
                                    int64_t n) { cub_warp_sums_k<true><<<1, 256>>>(x, out); }
extern "C" void cub_warp_sums_racy(const float* x,  // [n]
                                   float* out,  // [n]
                                   int64_t n) { cub_warp_sums_k<false><<<1, 256>>>(x, out); }
