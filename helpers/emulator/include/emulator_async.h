// Barriers in shared memory, and copies that a GPU makes in the background: here they are made at once.
#pragma once
#include "cooperative_groups.h"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif

namespace [[gnu::visibility("hidden")]] cuda {

enum thread_scope { thread_scope_system,
                    thread_scope_device,
                    thread_scope_block,
                    thread_scope_thread };

template <size_t kAlignment>
struct aligned_size_t {
    static constexpr size_t align = kAlignment;
    size_t value;
    explicit constexpr aligned_size_t(size_t value) : value(value) {}
    constexpr operator size_t() const { return value; }
};

// Lets the block's other threads run once. met: for a trace, what threads did before they came here is known to those
// that come later.
#if defined(__CUDA__)
#define EMULATOR_UNTRACED
void let_others_run();
void met(const volatile void* here, const void* pc);
#else
inline void let_others_run() { emulator::yield(); }
inline void met(const volatile void* here, const void* pc) {
    emulator_trace_fence(false);
    emulator_trace_atomic(const_cast<const void*>(here), sizeof(ptrdiff_t), pc, emulator::Atomic::exchange);
}
#endif

// Of one block: its threads run one at a time, so plain numbers will do.
template <thread_scope kScope = thread_scope_system, typename Completion = void>
class barrier {
 public:
    using arrival_token = unsigned;

    barrier() = default;
    explicit barrier(ptrdiff_t expected) { start(expected); }
    void start(ptrdiff_t expected) {
        expected_ = pending_ = expected;
        phase_ = 0;
    }
    EMULATOR_UNTRACED arrival_token arrive(ptrdiff_t by = 1) {
        emulator_trace_copies_done(this, 0, true);  // this phase ends when they have
        met(&pending_, __builtin_return_address(0));
        const arrival_token phase = phase_;
        pending_ -= by;
        if (pending_ == 0) {
            pending_ = expected_;
            phase_ = phase_ + 1;
        }
        return phase;
    }
    EMULATOR_UNTRACED void wait(arrival_token phase) const {
        while (phase_ == phase) let_others_run();
        met(&pending_, __builtin_return_address(0));
    }
    EMULATOR_UNTRACED bool try_wait(arrival_token phase) const {
        if (phase_ == phase) let_others_run();
        if (phase_ != phase) met(&pending_, __builtin_return_address(0));
        return phase_ != phase;
    }
    void arrive_and_wait() { wait(arrive()); }
    EMULATOR_UNTRACED void arrive_and_drop() {
        expected_ = expected_ - 1;
        arrive();
    }

 private:
    volatile ptrdiff_t expected_, pending_;
    volatile unsigned phase_;
};
template <thread_scope kScope, typename Completion>
inline void init(barrier<kScope, Completion>* one, ptrdiff_t expected) {
    one->start(expected);
}

// ---- copies by one thread, or by all threads of a group -------------------------------------------------------------

// key: the barrier or pipeline that one waits at.
inline void copy_at_once(void* to, const void* from, size_t bytes, const void* key, size_t first, size_t step) {
    char* target = static_cast<char*>(to);
    const char* source = static_cast<const char*>(from);
    for (size_t i = first; i < bytes; i += step) {
        target[i] = source[i];
        if (step > 1) emulator_trace_copied(target + i, 1, key);
    }
    if (step == 1) emulator_trace_copied(to, bytes, key);
}
template <typename Size, typename Sync>
inline void memcpy_async(void* to, const void* from, Size bytes, Sync& sync) {
    copy_at_once(to, from, bytes, &sync, 0, 1);
}
template <typename Group, typename Size, typename Sync>
inline void memcpy_async(const Group& group, void* to, const void* from, Size bytes, Sync& sync) {
    copy_at_once(to, from, bytes, &sync, group.thread_rank(), group.num_threads());
}

// ---- pipelines: each stage's end is a barrier of the group ----------------------------------------------------------

template <thread_scope kScope, unsigned kStages>
struct pipeline_shared_state {
    char unused[kStages];
};
template <thread_scope kScope = thread_scope_thread>
class pipeline {
 public:
    explicit pipeline(unsigned lanes = 0) : lanes_(lanes) {}
    void producer_acquire() { synchronize(); }
    void producer_commit() {
        emulator_trace_commit(this);
        ++committed_;
    }
    void consumer_wait() { wait_prior(committed_ - consumed_ - (committed_ > consumed_)); }
    void consumer_release() {}
    // Waits for all stages but the newest `prior`.
    void wait_prior(unsigned prior) {
        consumed_ = committed_ > prior ? committed_ - prior : 0;
        emulator_trace_copies_done(this, prior, false);
        synchronize();
    }
    bool quit() { return true; }

 private:
    void synchronize() {
        if (kScope == thread_scope_thread) return;
        lanes_ ? __syncwarp(lanes_) : __syncthreads();
    }
    unsigned lanes_;  // of a warp's group; 0: the block
    unsigned committed_ = 0, consumed_ = 0;  // stages
};
inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }
template <thread_scope kScope, unsigned kStages>
inline pipeline<kScope> make_pipeline(const cooperative_groups::thread_block&, pipeline_shared_state<kScope, kStages>*) {
    return pipeline<kScope>();
}
template <thread_scope kScope, unsigned kStages>
inline pipeline<kScope> make_pipeline(const cooperative_groups::lanes& group, pipeline_shared_state<kScope, kStages>*) {
    return pipeline<kScope>(group.mask);
}
template <unsigned kPrior, thread_scope kScope>
inline void pipeline_consumer_wait_prior(pipeline<kScope>& one) {
    one.wait_prior(kPrior);
}

}  // namespace cuda

inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
    for (size_t i = bytes - zeros; i < bytes; ++i) static_cast<char*>(to)[i] = 0;
    if (zeros) emulator_trace_copied(static_cast<char*>(to) + bytes - zeros, zeros, nullptr);
    cuda::copy_at_once(to, from, bytes - zeros, nullptr, 0, 1);
}
inline void __pipeline_commit() { emulator_trace_commit(nullptr); }
inline void __pipeline_wait_prior(size_t prior) { emulator_trace_copies_done(nullptr, prior, false); }

#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
