// What streams are asked for and nothing has waited for yet. It is kept back: where no stream and no event says otherwise, what
// was asked for last is done first, so that a launcher that forgets an event goes wrong, as it may on a GPU. Part of the runtime.
#pragma once

#include <functional>
#include <set>

#include "emulator_device_memory.h"

namespace [[gnu::visibility("hidden")]] emulator {

struct Step {
    std::string name;           // of a kernel or a function
    std::vector<GivenMemory> memory;  // that it was given
    std::function<void()> action;
    int stream = 0;  // its number
    bool blocking = true;
    std::vector<uint64_t> after;  // the steps that come before it
};
struct Stream {
    int number;                  // 0: the default one; kOfCaller: not created here
    bool blocking;               // waits for the default stream, which waits for it
    std::vector<uint64_t> last;  // what its next step comes after
    int priority = 0;
};
void host_error(const Cause& cause, const char* what);  // emulator_launcher.h
constexpr int kOfCaller = -1;

struct Queue {
    std::recursive_mutex mutex;
    std::map<uint64_t, Step> steps;  // in the order in which they were asked for
    std::map<const void*, Stream> streams{{nullptr, {0, true, {}}}};
    uint64_t asked = 0;
    bool running = false;   // a step
    bool as_asked = false;  // nothing is kept back
    std::string overtaking, returned;
    bool overtakes_shared = false;

    Stream& find(const void* handle);
    std::vector<uint64_t> before(const Stream& stream) const;
    std::vector<uint64_t> order() const;
    bool keeps_back(const Stream& stream) const;
    void note_overtaking(uint64_t id, const Step& step);
    void run_until(const std::vector<uint64_t>& wanted);
};
inline Queue& queue() {
    static Queue* one = new Queue;
    return *one;
}

// A launcher may be left in the middle of a step: then what this OS thread holds is given back at its end.
static thread_local int queue_locks = 0;
struct QueueLock {
    const OfRuntime guard;
    QueueLock() { queue().mutex.lock(), ++queue_locks; }
    QueueLock(const QueueLock&) = delete;
    ~QueueLock() { --queue_locks, queue().mutex.unlock(); }
};

inline Stream& Queue::find(const void* handle) {
    const auto number = reinterpret_cast<uintptr_t>(handle);
    if (number == 1) handle = nullptr;  // cudaStreamLegacy; 2: cudaStreamPerThread
    return streams.try_emplace(handle, Stream{kOfCaller, number == 2, {}}).first->second;
}
// What a stream's next step comes after.
inline std::vector<uint64_t> Queue::before(const Stream& stream) const {
    std::set<uint64_t> all(stream.last.begin(), stream.last.end());
    if (!stream.number) {
        for (const auto& [id, step] : steps) {
            if (step.blocking) all.insert(id);
        }
    } else if (stream.blocking) {
        const Stream& by_default = streams.at(nullptr);
        all.insert(by_default.last.begin(), by_default.last.end());
    }
    std::vector<uint64_t> waiting;
    std::copy_if(all.begin(), all.end(), std::back_inserter(waiting), [this](uint64_t id) { return steps.count(id) > 0; });
    return waiting;
}
// Of all that is kept back. As the order of threads says: what was asked for first as late as can be; what was asked for last
// as early as can be; or the streams by turns. No order alone shows all that is missing.
inline std::vector<uint64_t> Queue::order() const {
    const int mode = runtime().mode;
    const bool from_the_end = mode == 0, by_turns = mode == 2;
    std::map<uint64_t, std::vector<uint64_t>> next;
    std::map<uint64_t, size_t> open;  // how many come before
    for (const auto& [id, step] : steps) {
        open[id];
        for (const uint64_t other : step.after) {
            if (!steps.count(other)) continue;
            next[from_the_end ? id : other].push_back(from_the_end ? other : id);
            ++open[from_the_end ? other : id];
        }
    }
    std::set<uint64_t> ready;
    for (const auto& [id, count] : open) {
        if (!count) ready.insert(id);
    }
    std::vector<uint64_t> all;
    while (!ready.empty()) {
        const auto other_stream = [&](uint64_t id) { return steps.at(id).stream != steps.at(all.back()).stream; };
        auto at = from_the_end || by_turns ? ready.begin() : std::prev(ready.end());
        if (by_turns && !all.empty()) {
            if (const auto other = std::find_if(ready.begin(), ready.end(), other_stream); other != ready.end()) at = other;
        }
        all.push_back(*at);
        ready.erase(at);
        for (const uint64_t other : next[all.back()]) {
            if (!--open[other]) ready.insert(other);
        }
    }
    if (from_the_end) std::reverse(all.begin(), all.end());
    return all;
}
// The default stream's work need not wait, as all streams do for it, where all are blocking ones.
inline bool Queue::keeps_back(const Stream& stream) const {
    if (!host || kTraced || running || as_asked) return false;
    return stream.number || std::any_of(streams.begin(), streams.end(), [](const auto& one) { return !one.second.blocking; });
}

inline std::string name_of_stream(int number) {
    return number == 0 ? "the default stream" : number == kOfCaller ? "the caller's stream"
                                                                    : "the launcher's stream " + std::to_string(number);
}
inline bool share_memory(const Step& a, const Step& b) {
    return std::any_of(a.memory.begin(), a.memory.end(), [&](const GivenMemory& mine) {
        return std::any_of(b.memory.begin(), b.memory.end(), [&](const GivenMemory& other) {
            return mine.memory == other.memory && !(mine.read_only && other.read_only);
        });
    });
}
// Keeps the words for the first step that is done before one which was asked for earlier and has the same memory.
inline void Queue::note_overtaking(uint64_t id, const Step& step) {
    for (const auto& [other, earlier] : steps) {
        if (other >= id || overtakes_shared) return;
        if (earlier.stream == step.stream && earlier.stream >= 0) continue;
        const bool shared = share_memory(step, earlier);
        if (!shared && !overtaking.empty()) continue;
        overtakes_shared = shared;
        overtaking = step.name + " on " + name_of_stream(step.stream) + " does not wait for " + earlier.name + " on " +
                     name_of_stream(earlier.stream);
    }
}
// Does what is kept back, up to the last of the wanted steps.
inline void Queue::run_until(const std::vector<uint64_t>& wanted) {
    if (running || wanted.empty()) return;
    size_t left = wanted.size();
    for (const uint64_t id : order()) {
        if (!left) return;
        left -= static_cast<size_t>(std::count(wanted.begin(), wanted.end(), id));
        const Step step = std::move(steps.extract(id).mapped());
        note_overtaking(id, step);
        const bool busy = default_stream_is_busy();
        running = true;
        step.action();
        running = false;
        default_stream_is_busy() = busy;
    }
}

uint64_t ask(const void* stream, const char* name, std::vector<GivenMemory> memory, std::function<void()> action) {
    const QueueLock lock;
    Queue& all = queue();
    Stream& in = all.find(stream);
    Step step{name, std::move(memory), std::move(action), in.number, in.blocking, all.before(in)};
    if (!all.keeps_back(in)) {
        all.run_until(step.after);
        if (!all.running) all.note_overtaking(UINT64_MAX, step);
        step.action();
        return 0;
    }
    in.last = {++all.asked};
    all.steps[all.asked] = std::move(step);
    return all.asked;
}
bool keeps_back(const void* stream) {
    const QueueLock lock;
    return queue().keeps_back(queue().find(stream));
}
void do_before(const void* stream) {
    const QueueLock lock;
    queue().run_until(queue().before(queue().find(stream)));
}
void do_before_copy(const char* name, const void* to, const void* from, bool host_waits) {
    const QueueLock lock;
    do_before(nullptr);
    if (!queue().running) queue().note_overtaking(UINT64_MAX, {name, {given(to), given(from, true)}, {}, 0, true, {}});
    if (host_waits) take_back([](const LentRegion&) { return true; });
}
void do_step(uint64_t id) {
    const QueueLock lock;
    if (queue().steps.count(id)) queue().run_until({id});
}
void do_all() {
    const QueueLock lock;
    std::vector<uint64_t> all;
    for (const auto& [id, step] : queue().steps) all.push_back(id);
    queue().run_until(all);
}
void add_stream(const void* handle, bool blocking) {
    const QueueLock lock;
    Queue& all = queue();
    int number = 1;
    const auto has_number = [&](const auto& one) { return one.second.number == number; };
    const auto of_number = [&](const auto& one) { return one.second.stream == number; };
    while (std::any_of(all.streams.begin(), all.streams.end(), has_number) || std::any_of(all.steps.begin(), all.steps.end(), of_number)) ++number;
    all.streams[handle] = {number, blocking, {}};
}
void forget_stream(const void* handle) {
    const QueueLock lock;
    if (handle) queue().streams.erase(handle);
}
bool is_blocking(const void* handle) {
    const QueueLock lock;
    return queue().find(handle).blocking;
}
void set_priority(const void* handle, int priority) {
    const QueueLock lock;
    queue().find(handle).priority = std::clamp(priority, kGreatestPriority, 0);
}
int priority_of(const void* handle) {
    const QueueLock lock;
    return queue().find(handle).priority;
}
void come_after(const void* stream, uint64_t id) {
    const QueueLock lock;
    if (queue().steps.count(id)) queue().find(stream).last.push_back(id);
}

inline void begin_streams() {
    const QueueLock lock;
    queue().overtaking.clear();
    queue().overtakes_shared = false;
}
// What the caller's stream does not wait for when the launcher returns, and writes a tensor that Python gave.
inline void check_returned_early() {
    Queue& all = queue();
    const auto of_caller = [](const auto& one) { return one.second.number == kOfCaller; };
    const auto caller = std::find_if(all.streams.begin(), all.streams.end(), of_caller);
    std::vector<uint64_t> left = all.before(caller == all.streams.end() ? all.find(nullptr) : caller->second);
    std::set<uint64_t> awaited;
    while (!left.empty()) {
        const uint64_t id = left.back();
        left.pop_back();
        if (all.steps.count(id) && awaited.insert(id).second) left.insert(left.end(), all.steps[id].after.begin(), all.steps[id].after.end());
    }
    const auto writes_tensor = [](const GivenMemory& one) { return !one.read_only && is_tensor(one.memory); };
    for (const auto& [id, step] : all.steps) {
        if (awaited.count(id) || std::none_of(step.memory.begin(), step.memory.end(), writes_tensor)) continue;
        const std::string words = "returned while " + step.name + " on " + name_of_stream(step.stream) +
                                  " may still run: wait for it with cudaStreamSynchronize, or let the caller's stream wait for an event behind it";
        return host_error({719, Rule::host}, words.c_str());
    }
}
// Does the rest; after a fault there is none.
inline void end_streams() {
    Queue& all = queue();
    const QueueLock lock;
    if (!report().has_fault()) check_returned_early(), do_all();
    all.steps.clear();
    all.running = false;
    for (auto at = all.streams.begin(); at != all.streams.end();) {
        at->second.last.clear();
        at = at->second.number == kOfCaller ? all.streams.erase(at) : std::next(at);
    }
    while (queue_locks > 1) --queue_locks, all.mutex.unlock();
}

void note_wait() {
    do_all();
    take_back([](const LentRegion&) { return true; });
}
void note_event_wait(uint64_t id) {
    do_step(id);
    take_back([](const LentRegion&) { return true; });
}
void note_wait(const void* stream) {
    do_before(stream);
    take_back([=](const LentRegion& one) { return !stream || std::count(one.streams.begin(), one.streams.end(), stream); });
}

// Its step comes behind those that it waits for; so what they were lent is the host's again.
void note_host_function(const void* stream, const void* of_graph) {
    const auto has = [](const LentRegion& one, const void* handle) { return std::count(one.streams.begin(), one.streams.end(), handle) > 0; };
    take_back([=](const LentRegion& one) { return !of_graph || has(one, stream) || has(one, of_graph); });
}

}  // namespace emulator

// Whether streams are done in the order in which they are asked for, from now on.
EMULATOR_EXPORT void emulator_set_streams_as_asked(int as_asked) { emulator::queue().as_asked = as_asked != 0; }
// Which work of a stream was done before that of another that was asked for earlier, in words, or NULL. Reading clears it.
EMULATOR_EXPORT const char* emulator_take_overtaking() {
    emulator::Queue& all = emulator::queue();
    all.returned.swap(all.overtaking);
    all.overtaking.clear();
    return all.returned.empty() ? nullptr : all.returned.c_str();
}
