// Barriers in shared memory, and copies that a GPU makes in the background: here they are made at once.
#pragma once
#include "cooperative_groups.h"
#include "emulator_atomic.h"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif

namespace [[gnu::visibility("hidden")]] cuda {

template <size_t kAlignment>
struct aligned_size_t {
    static constexpr size_t align = kAlignment;
    size_t value;
    explicit constexpr aligned_size_t(size_t value) : value(value) {}
    constexpr operator size_t() const { return value; }
};

// For a trace: a thread comes to a phase of a barrier, and one has waited for it.
#if defined(__CUDA__)
#define EMULATOR_UNTRACED
void let_others_run();
void let_others_run(const volatile void* barrier);
struct OneStep {
    ~OneStep();
};
void arrives(const void* barrier, const volatile void* word, unsigned phase, const void* pc);
void passes(const void* barrier, const volatile void* word, unsigned phase, const void* pc);
#else
inline void let_others_run() { emulator::yield(); }
EMULATOR_UNTRACED inline void let_others_run(const volatile void* barrier) { emulator::yield_at(barrier, 0); }
using emulator::OneStep;
EMULATOR_UNTRACED inline void arrives(const void* barrier, const volatile void* word, unsigned phase, const void* pc) {
    emulator_trace_atomic(const_cast<const void*>(word), sizeof(ptrdiff_t), pc, emulator::Atomic::exchange);
    emulator_trace_arrive(barrier, phase);
}
EMULATOR_UNTRACED inline void passes(const void* barrier, const volatile void* word, unsigned phase, const void* pc) {
    emulator::has_opened();
    emulator_trace_atomic(const_cast<const void*>(word), sizeof(ptrdiff_t), pc, emulator::Atomic::exchange);
    emulator_trace_pass(barrier, phase);
}
#endif

struct no_completion {
    void operator()() const {}
};
// What a block shares begins with no constructor: nvcc, and the front end, warn of one.
template <thread_scope kScope>
struct Unstarted {};
#if defined(__CUDA__)
template <>
struct Unstarted<thread_scope_block> {
    Unstarted();
};
#endif
// Of one block: its threads run one at a time, so plain numbers will do, changed in one step. A token is the number of
// its phase.
template <thread_scope kScope = thread_scope_system, typename Completion = no_completion>
class barrier : Unstarted<kScope> {
 public:
    using arrival_token = unsigned;

    barrier() = default;
    explicit barrier(ptrdiff_t expected) { start(expected); }
    barrier(ptrdiff_t expected, Completion completion) : completion_(completion) { start(expected); }
    void start(ptrdiff_t expected) {
        expected_ = pending_ = expected;
        bytes_ = 0;
        phase_ = 0;
    }
    EMULATOR_UNTRACED arrival_token arrive(ptrdiff_t by = 1) {
        arrives(this, &pending_, phase_, __builtin_return_address(0));
        return count(by);
    }
    EMULATOR_UNTRACED void wait(arrival_token&& phase) const {
        while (!is_over(phase)) let_others_run(&phase_);
        passes(this, &pending_, phase, __builtin_return_address(0));
    }
    EMULATOR_UNTRACED void wait_parity(bool odd) const {
        while ((phase_ & 1) == odd) let_others_run(&phase_);
        passes(this, &pending_, phase_ - 1, __builtin_return_address(0));
    }
    EMULATOR_UNTRACED bool try_wait(arrival_token phase) const {
        if (!is_over(phase)) let_others_run(&phase_);
        if (is_over(phase)) passes(this, &pending_, phase, __builtin_return_address(0));
        return is_over(phase);
    }
    EMULATOR_UNTRACED bool try_wait_parity(bool odd) const {
        if ((phase_ & 1) == odd) let_others_run(&phase_);
        if ((phase_ & 1) != odd) passes(this, &pending_, phase_ - 1, __builtin_return_address(0));
        return (phase_ & 1) != odd;
    }
    void arrive_and_wait() { wait(arrive()); }
    EMULATOR_UNTRACED void arrive_and_drop() {
        arrives(this, &pending_, phase_, __builtin_return_address(0));
        count(1, 1);
    }
    EMULATOR_UNTRACED unsigned phase() const { return phase_; }  // of which copies that are made now are part

    // Copies in bulk count their bytes: a phase ends only when as many have come as were announced.
    EMULATOR_UNTRACED arrival_token arrive_expecting(ptrdiff_t by, ptrdiff_t bytes) {
        arrives(this, &pending_, phase_, __builtin_return_address(0));
        return count(by, 0, bytes);
    }
    void expect(ptrdiff_t bytes) { (void)count(0, 0, bytes); }
    void brought(ptrdiff_t bytes) { (void)count(0, 0, -bytes); }

 private:
    EMULATOR_UNTRACED bool is_over(arrival_token phase) const { return static_cast<int>(phase_ - phase) > 0; }
    EMULATOR_UNTRACED arrival_token count(ptrdiff_t by, ptrdiff_t fewer = 0, ptrdiff_t bytes = 0) {
        const arrival_token phase = phase_;
        if (!take(by, fewer, bytes)) return phase;
        completion_();  // the others still wait
        pending_ = expected_;
        phase_ = phase + 1;
        return phase;
    }
    EMULATOR_UNTRACED bool take(ptrdiff_t by, ptrdiff_t fewer, ptrdiff_t bytes) {
        const OneStep step;
        expected_ = expected_ - fewer;
        pending_ = pending_ - by;
        bytes_ = bytes_ + bytes;
        return pending_ == 0 && bytes_ == 0;
    }
    volatile ptrdiff_t expected_, pending_;
    volatile ptrdiff_t bytes_;  // announced, and not here yet
    volatile unsigned phase_;
    Completion completion_;
};
template <thread_scope kScope, typename Completion>
inline void init(barrier<kScope, Completion>* one, ptrdiff_t expected) {
    one->start(expected);
}

namespace std {
// Without a default constructor: in shared memory it is made by `new (place) barrier<>(expected)`.
template <typename Completion = no_completion>
class barrier : public ::cuda::barrier<thread_scope_system, Completion> {
 public:
    explicit barrier(ptrdiff_t expected, Completion completion = {}) : ::cuda::barrier<thread_scope_system, Completion>(expected, completion) {}
};
template <typename Completion>
void init(barrier<Completion>* one, ptrdiff_t expected) = delete;
}  // namespace std

// ---- copies by one thread, or by all threads of a group -------------------------------------------------------------

// What aligned_size_t promises of both addresses.
template <typename Size>
EMULATOR_UNTRACED inline void check_promise([[maybe_unused]] const void* to, [[maybe_unused]] const void* from, const Size&) {
#if !defined(__CUDA__)
    if constexpr (::std::is_class_v<Size>) ::emulator::must_be_aligned_both(to, from, Size::align);
#endif
}
// key: the barrier or pipeline that one waits at; phase: of the barrier.
inline void copy_at_once(void* to, const void* from, size_t bytes, const void* key, int64_t phase, size_t first, size_t step) {
    char* target = static_cast<char*>(to);
    const char* source = static_cast<const char*>(from);
    for (size_t i = first; i < bytes; i += step) {
        target[i] = source[i];
        if (step > 1) emulator_trace_copied(target + i, source + i, 1, key, phase);
    }
    if (step == 1) emulator_trace_copied(to, from, bytes, key, phase);
}
template <thread_scope kScope, typename Completion>
EMULATOR_UNTRACED inline void bind_copy(const barrier<kScope, Completion>& sync, const void*& key, int64_t& phase) {
    key = &sync, phase = sync.phase();
}
template <typename Size, typename Sync>
inline void memcpy_async(void* to, const void* from, Size bytes, Sync& sync) {
    const void* key;
    int64_t phase;
    check_promise(to, from, bytes);
    bind_copy(sync, key, phase);
    copy_at_once(to, from, bytes, key, phase, 0, 1);
}
template <typename Group, typename Size, typename Sync>
inline void memcpy_async(const Group& group, void* to, const void* from, Size bytes, Sync& sync) {
    const void* key;
    int64_t phase;
    check_promise(to, from, bytes);
    bind_copy(sync, key, phase);
    copy_at_once(to, from, bytes, key, phase, group.thread_rank(), group.num_threads());
}

// ---- copies in bulk, of one thread: 16 bytes or a multiple -----------------------------------------------------------

EMULATOR_UNTRACED inline void check_bulk([[maybe_unused]] const void* to, [[maybe_unused]] const void* from, [[maybe_unused]] size_t bytes) {
#if !defined(__CUDA__)
    ::emulator::must_be_aligned_both(to, from, 16);
    if (bytes % 16 == 0) return;
    ::emulator::fault({716, ::emulator::Rule::misaligned}, "a copy in bulk of %zu bytes: their number must be a multiple of 16", bytes);
#endif
}
// The groups of copies from shared memory, apart from those of cp.async.
inline const void* bulk_groups() { return reinterpret_cast<const void*>(uintptr_t{1}); }

namespace device {
using BlockBarrier = barrier<thread_scope_block>;

__device__ inline BlockBarrier::arrival_token barrier_arrive_tx(BlockBarrier& one, ptrdiff_t by, ptrdiff_t bytes) {
    return one.arrive_expecting(by, bytes);
}
__device__ inline void barrier_expect_tx(BlockBarrier& one, ptrdiff_t bytes) { one.expect(bytes); }
__device__ inline uint64_t* barrier_native_handle(BlockBarrier& one) { return reinterpret_cast<uint64_t*>(&one); }
template <typename T, size_t kAlignment>
__device__ inline void memcpy_async_tx(T* to, const T* from, aligned_size_t<kAlignment> bytes, BlockBarrier& one) {
    check_promise(to, from, bytes);
    check_bulk(to, from, bytes);
    copy_at_once(to, from, bytes, &one, one.phase(), 0, 1);
    one.brought(static_cast<ptrdiff_t>(bytes.value));
}

namespace experimental {
__device__ inline void cp_async_bulk_global_to_shared(void* to, const void* from, uint32_t bytes, BlockBarrier& one) {
    check_bulk(to, from, bytes);
    copy_at_once(to, from, bytes, &one, one.phase(), 0, 1);
    one.brought(bytes);
}
__device__ inline void cp_async_bulk_shared_to_global(void* to, const void* from, uint32_t bytes) {
    check_bulk(to, from, bytes);
    copy_at_once(to, from, bytes, bulk_groups(), -1, 0, 1);
}
__device__ inline void fence_proxy_async_shared_cta() {}
__device__ inline void cp_async_bulk_commit_group() { emulator_trace_commit(bulk_groups()); }
template <int kPrior>
__device__ inline void cp_async_bulk_wait_group_read() {
    emulator_trace_copies_done(bulk_groups(), kPrior, false);
}
}  // namespace experimental
}  // namespace device

// ---- pipelines: of one thread, whose stages are groups of copies, and of several, with two barriers a stage ----------

enum class pipeline_role { producer,
                           consumer };
template <thread_scope kScope, unsigned kStages>
struct pipeline_shared_state : Unstarted<kScope> {
    pipeline_shared_state() = default;
    barrier<kScope> full[kStages], empty[kStages];
    volatile unsigned producers, consumers;
};
template <thread_scope kScope = thread_scope_thread>
class pipeline {
 public:
    // Called by all threads of a group; those that are not producers are consumers, and a thread may be both.
    template <unsigned kStages, typename Group>
    pipeline(const Group& group, pipeline_shared_state<kScope, kStages>* state, bool produces, bool consumes)
        : full_(state->full), empty_(state->empty), stages_(kStages) {
        if (group.thread_rank() == 0) state->producers = state->consumers = 0;
        group.sync();
        add_to(&state->producers, produces), add_to(&state->consumers, consumes);
        group.sync();
        if (group.thread_rank() == 0) {
            for (unsigned i = 0; i < kStages; ++i) full_[i].start(state->producers), empty_[i].start(state->consumers);
        }
        group.sync();
    }
    void producer_acquire() {
        if (head_ >= stages_) empty_[head_ % stages_].wait(head_ / stages_ - 1);
    }
    void producer_commit() { (void)full_[head_++ % stages_].arrive(); }
    void consumer_wait() { full_[tail_ % stages_].wait(tail_ / stages_); }
    void consumer_release() { (void)empty_[tail_++ % stages_].arrive(); }
    bool quit() { return true; }
    const barrier<kScope>& filling() const { return full_[head_ % stages_]; }

 private:
    EMULATOR_UNTRACED static void add_to(volatile unsigned* sum, bool one) {
        const OneStep step;
        *sum = *sum + one;
    }
    barrier<kScope>*full_, *empty_;
    unsigned stages_;
    unsigned head_ = 0, tail_ = 0;  // stages
};
template <>
class pipeline<thread_scope_thread> {
 public:
    void producer_acquire() {}
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
    }
    bool quit() { return true; }

 private:
    unsigned committed_ = 0, consumed_ = 0;  // stages
};
template <thread_scope kScope>
inline void bind_copy(const pipeline<kScope>& sync, const void*& key, int64_t& phase) {
    bind_copy(sync.filling(), key, phase);
}
inline void bind_copy(const pipeline<thread_scope_thread>& sync, const void*& key, int64_t& phase) {
    key = &sync, phase = -1;
}
inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }
template <typename Group, thread_scope kScope, unsigned kStages>
inline pipeline<kScope> make_pipeline(const Group& group, pipeline_shared_state<kScope, kStages>* state) {
    return pipeline<kScope>(group, state, true, true);
}
template <typename Group, thread_scope kScope, unsigned kStages>
inline pipeline<kScope> make_pipeline(const Group& group, pipeline_shared_state<kScope, kStages>* state, pipeline_role role) {
    return pipeline<kScope>(group, state, role == pipeline_role::producer, role == pipeline_role::consumer);
}
// The first threads of the group produce, the others consume.
template <typename Group, thread_scope kScope, unsigned kStages>
inline pipeline<kScope> make_pipeline(const Group& group, pipeline_shared_state<kScope, kStages>* state, size_t producers) {
    const bool produces = group.thread_rank() < producers;
    return pipeline<kScope>(group, state, produces, !produces);
}
template <unsigned kPrior>
inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& one) {
    one.wait_prior(kPrior);
}

}  // namespace cuda

inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
#if !defined(__CUDA__)
    emulator::must_be_aligned_both(to, from, bytes);
#endif
    for (size_t i = bytes - zeros; i < bytes; ++i) static_cast<char*>(to)[i] = 0;
    if (zeros) emulator_trace_copied(static_cast<char*>(to) + bytes - zeros, nullptr, zeros, nullptr);
    cuda::copy_at_once(to, from, bytes - zeros, nullptr, -1, 0, 1);
}
inline void __pipeline_commit() { emulator_trace_commit(nullptr); }
inline void __pipeline_wait_prior(size_t prior) { emulator_trace_copies_done(nullptr, prior, false); }

#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
