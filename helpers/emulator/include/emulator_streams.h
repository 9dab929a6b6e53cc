// Streams, events, captures and graphs, all of it __host__: nothing runs in the background, a stream does all at once.
#pragma once

#include "emulator_card.h"
#if !defined(__CUDA__)
#include "emulator_device.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#endif

using cudaStream_t = struct CUstream_st*;
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4;
constexpr unsigned cudaEventWaitDefault = 0, cudaEventRecordDefault = 0;

// ---- captures: what a captured stream is given is kept, and done when the graph is launched ---------------------

using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;
using cudaGraphNode_t = struct CUgraphNode_st*;
// clang-format off
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
// clang-format on

namespace [[gnu::visibility("hidden")]] emulator {

cudaGraph_t captured(void* stream);  // the graph into which a stream is captured; null if it is not
void end_capture(cudaStream_t stream);
// A stream that waits for an event of a capture that is still open joins it.
void join_capture(cudaStream_t stream, cudaGraph_t graph, size_t event);
size_t record_in_capture(void* stream);  // returns the number of the event in the graph

#if !defined(__CUDA__)
using NodeAction = std::function<cudaError_t(cudaStream_t)>;
void add_step(void* stream, NodeAction step);  // to the graph into which it is captured

// An argument as a captured launch keeps it. An object that cannot be copied stays where it is, and converts when the
// graph is launched.
template <typename A>
using KeptByGraph = std::conditional_t<std::is_copy_constructible_v<std::decay_t<A>>, std::decay_t<A>, std::remove_reference_t<A>&>;

// A launch that a capture may keep: translate.py writes it in files that capture streams.
template <typename Call>
struct Recordable {
    const char* kernel;
    Call call;
    Config config;

    template <typename... A>
    void operator()(A&&... given) const {
        if (!captured(config.stream)) return on(kernel, call, config)(std::forward<A>(given)...);
        add_step(config.stream, [one = *this, kept = std::tuple<KeptByGraph<A>...>(given...)](cudaStream_t stream) {
            Config there = one.config;
            there.stream = stream;
            std::apply(on(one.kernel, one.call, there), kept);
            return cudaPeekAtLastError();
        });
    }
};
template <typename Call>
Recordable<Call> recordable(const char* kernel, Call call, Config config) {
    return {kernel, call, config};
}

#endif
}  // namespace emulator

#define EMULATOR_OF_RUNTIME __attribute__((visibility("hidden")))
EMULATOR_OF_RUNTIME cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode);
EMULATOR_OF_RUNTIME cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
EMULATOR_OF_RUNTIME cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphDestroy(cudaGraph_t graph);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long = 0);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long = 0);
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess = 0,
                                 cudaGraphExecUpdateError = 1,
                                 cudaGraphExecUpdateErrorTopologyChanged = 2,
                                 cudaGraphExecUpdateErrorNodeTypeChanged = 3,
                                 cudaGraphExecUpdateErrorFunctionChanged = 4,
                                 cudaGraphExecUpdateErrorParametersChanged = 5,
                                 cudaGraphExecUpdateErrorNotSupported = 6,
                                 cudaGraphExecUpdateErrorUnsupportedFunctionChange = 7,
                                 cudaGraphExecUpdateErrorAttributesChanged = 8 };
struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};
EMULATOR_OF_RUNTIME cudaError_t cudaGraphExecUpdate(cudaGraphExec_t ready, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready);

// ---- streams ----------------------------------------------------------------------------------------------------

namespace [[gnu::visibility("hidden")]] emulator {
inline cudaError_t wait_for(cudaStream_t stream) {
    if (!stream) default_stream_is_busy() = false;
    note_wait(stream);
    return captured(stream) ? set_error(cudaErrorStreamCaptureUnsupported) : cudaPeekAtLastError();
}
}  // namespace emulator
inline cudaError_t cudaDeviceSynchronize() {
    emulator::default_stream_is_busy() = false;
    emulator::note_wait();
    return cudaPeekAtLastError();
}
inline cudaError_t cudaDeviceReset() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return emulator::wait_for(stream); }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    if (!stream || flags > cudaStreamNonBlocking) return emulator::set_error(cudaErrorInvalidValue);
    *stream = static_cast<cudaStream_t>(malloc(1));
    emulator::add_stream(*stream, flags == cudaStreamDefault);
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    const cudaError_t error = cudaStreamCreateWithFlags(stream, flags);
    if (error == cudaSuccess) emulator::set_priority(*stream, priority);
    return error;
}
inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    *priority = emulator::priority_of(stream);
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    *flags = emulator::is_blocking(stream) ? cudaStreamDefault : cudaStreamNonBlocking;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    *id = reinterpret_cast<unsigned long long>(stream);
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = emulator::kGreatestPriority;
    return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    emulator::end_capture(stream);
    emulator::forget_stream(stream);
    free(stream);
    return cudaSuccess;
}
inline cudaError_t cudaStreamQuery(cudaStream_t stream) { return emulator::wait_for(stream); }
using cudaHostFn_t = void (*)(void*);
EMULATOR_OF_RUNTIME cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);
EMULATOR_OF_RUNTIME cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned);

// ---- events -----------------------------------------------------------------------------------------------------

struct CUevent_st {
    long long nanoseconds = 0;
    bool is_timed = true, is_recorded = false;
    uint64_t step = 0;  // of a stream, in which it is recorded; 0 if that was done at once
    cudaGraph_t graph = nullptr;  // into which the stream was captured when it recorded this event
    size_t of_graph = 0;  // its number there
};
using cudaEvent_t = CUevent_st*;

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = 0) {
    *event = new CUevent_st;
    (*event)->is_timed = !(flags & cudaEventDisableTiming);
    return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) { return cudaEventCreate(event, flags); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (event) emulator::do_step(event->step);
    delete event;
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
    if (!stream) emulator::default_stream_is_busy() = false;  // another stream can wait for it
    event->is_recorded = true;
    event->graph = emulator::captured(stream);
    if (event->graph) event->of_graph = emulator::record_in_capture(stream);
    event->step = event->graph ? 0 : emulator::ask(stream, "cudaEventRecord", {}, [event] { event->nanoseconds = clock64(); });
    return cudaSuccess;
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned = 0) {
    return cudaEventRecord(event, stream);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
    emulator::join_capture(stream, event->graph, event->of_graph);
    emulator::come_after(stream, event->step);
    return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    emulator::note_event_wait(event->step);
    return cudaSuccess;
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    const auto tells = [](cudaEvent_t event) { return event && event->is_timed && event->is_recorded; };
    if (!tells(from) || !tells(to)) return emulator::set_error(cudaErrorInvalidResourceHandle);
    emulator::do_step(from->step);
    emulator::do_step(to->step);
    *milliseconds = static_cast<float>(to->nanoseconds - from->nanoseconds) * 1e-6f;
    return cudaSuccess;
}

#if !defined(EMULATOR_RUNTIME_APART) && !defined(__CUDA__)
#include <map>
#include <vector>

// Each captured stream is a branch; the first one becomes the stream in which the graph is launched. Events are numbers.
struct CUgraphNode_st {
    emulator::NodeAction action;
    std::vector<cudaGraphNode_t> after;
    int kind = 0;                      // a cudaGraphNodeType
    std::shared_ptr<void> parameters;  // of a type that the kind tells
    cudaGraph_t graph = nullptr;
};
struct CUgraph_st {
    enum class Kind { action,
                      record,
                      wait };
    struct Step {
        Kind kind;
        size_t branch, event;
        emulator::NodeAction action;
    };
    std::vector<void*> branches;
    std::vector<Step> steps;
    size_t events = 0;
    std::vector<std::shared_ptr<CUgraphNode_st>> nodes;  // that were added one by one (emulator_graphs.h)

    bool has(cudaGraphNode_t node) const {
        return std::any_of(nodes.begin(), nodes.end(), [=](const auto& one) { return one.get() == node; });
    }
    void add(void* stream, Kind kind, size_t event, emulator::NodeAction action = {}) {
        auto at = std::find(branches.begin(), branches.end(), stream);
        if (at == branches.end()) at = branches.insert(at, stream);
        steps.push_back({kind, static_cast<size_t>(at - branches.begin()), event, std::move(action)});
    }
    cudaError_t launch(cudaStream_t stream) const;
};
struct CUgraphExec_st : CUgraph_st {
    std::vector<std::pair<cudaGraphNode_t, CUgraphNode_st>> order;  // the nodes as they are now, each behind those that it waits for

    explicit CUgraphExec_st(const CUgraph_st& graph) : CUgraph_st(graph) {
        size_t before = 0;
        do {
            before = order.size();
            for (const auto& node : nodes) {
                const auto is_done = [this](cudaGraphNode_t one) { return find(one) != order.end(); };
                if (is_done(node.get()) || !std::all_of(node->after.begin(), node->after.end(), is_done)) continue;
                order.emplace_back(node.get(), *node);
            }
        } while (order.size() != before);
    }
    decltype(order)::iterator find(cudaGraphNode_t node) {
        return std::find_if(order.begin(), order.end(), [=](const auto& one) { return one.first == node; });
    }
    bool has_circle() const { return order.size() != nodes.size(); }
    // Do what another graph of the same form does; false if its form is another.
    bool take(const CUgraph_st& graph) {
        const CUgraphExec_st other(graph);
        const auto is_alike = [](const Step& a, const Step& b) { return a.kind == b.kind && a.branch == b.branch && a.event == b.event; };
        if (other.order.size() != order.size() ||
            !std::equal(steps.begin(), steps.end(), other.steps.begin(), other.steps.end(), is_alike)) {
            return false;
        }
        steps = other.steps;
        for (size_t i = 0; i < order.size(); ++i) order[i].second.action = other.order[i].second.action;
        return true;
    }
    cudaError_t launch(cudaStream_t stream) const;
};

namespace [[gnu::visibility("hidden")]] emulator {

static std::map<void*, cudaGraph_t>& captures() {
    static std::map<void*, cudaGraph_t> all;
    return all;
}
cudaGraph_t captured(void* stream) {
    const auto found = captures().find(stream);
    return found == captures().end() ? nullptr : found->second;
}
void end_capture(cudaStream_t stream) { captures().erase(stream); }
void join_capture(cudaStream_t stream, cudaGraph_t graph, size_t event) {
    const auto is_open = [graph](const auto& one) { return one.second == graph; };
    if (!graph || std::none_of(captures().begin(), captures().end(), is_open)) return;
    captures()[stream] = graph;
    graph->add(stream, CUgraph_st::Kind::wait, event);
}
size_t record_in_capture(void* stream) {
    const cudaGraph_t graph = captured(stream);
    graph->add(stream, CUgraph_st::Kind::record, graph->events);
    return graph->events++;
}
void add_step(void* stream, NodeAction step) {
    captured(stream)->add(stream, CUgraph_st::Kind::action, 0, std::move(step));
}
// A stream for a part of a graph that is launched in another.
static std::map<cudaStream_t, cudaStream_t>& branches() {
    static std::map<cudaStream_t, cudaStream_t> all;
    return all;
}
// That in which a branch's graph is launched; of any other stream, itself.
static cudaStream_t whole_stream(cudaStream_t stream) {
    for (auto found = branches().find(stream); found != branches().end(); found = branches().find(stream)) stream = found->second;
    return stream;
}
static cudaStream_t begin_branch(cudaStream_t of) {
    const auto branch = static_cast<cudaStream_t>(malloc(1));
    add_stream(branch, false);
    branches()[branch] = of;
    return branch;
}
static void end_branch(cudaStream_t branch) {
    lend_to(branch, branches()[branch]);
    branches().erase(branch);
    forget_stream(branch);
    free(branch);
}
// Memory of the host that is not pinned.
inline bool is_pageable(const void* at) { return at && side_of(static_cast<const char*>(at)) == Side::unknown; }
// Asks a stream for an action that writes and reads there, or keeps it for the graph. The host waits where that memory is pageable.
// Its error is known where it is done at once.
template <typename Action>
cudaError_t in_stream(cudaStream_t stream, const char* name, void* to, const void* from, Action action) {
    const cudaGraph_t graph = captured(stream);
    const auto there = [=](cudaStream_t on) {
        const bool busy = default_stream_is_busy() || !on;  // whatever the action says of it
        const auto error = std::make_shared<cudaError_t>(cudaSuccess);
        const bool lent = to && lend_from(static_cast<const char*>(to), on, true);
        if (!lent && (is_pageable(to) || is_pageable(from))) {
            do_before(on);
            *error = action();
            if (is_pageable(to)) note_wait(on);
        } else {
            ask(on, name, {given(to), given(from, to != nullptr)}, [=] { *error = action(); });
        }
        default_stream_is_busy() = busy;
        return *error;
    };
    if (!graph) return there(stream);
    add_step(stream, there);
    return cudaSuccess;
}
// The same for a function of the host, which is given the stream.
template <typename Function>
cudaError_t call_in_stream(cudaStream_t stream, const char* name, Function function) {
    const auto there = [=](cudaStream_t on) {
        const cudaStream_t whole = whole_stream(on);
        const bool busy = default_stream_is_busy() || !whole;
        ask(on, name, {}, [=] {
            note_host_function(on, whole);
            function(whole);
        });
        default_stream_is_busy() = busy;
        return cudaSuccess;
    };
    if (!captured(stream)) return there(stream);
    add_step(stream, there);
    return cudaSuccess;
}

}  // namespace emulator

cudaError_t CUgraph_st::launch(cudaStream_t stream) const {
    std::vector<cudaStream_t> there{stream};
    for (size_t i = 1; i < branches.size(); ++i) {
        there.push_back(emulator::begin_branch(stream));
    }
    std::vector<uint64_t> recorded(events);
    cudaError_t error = cudaSuccess;
    for (const Step& step : steps) {
        const cudaStream_t branch = there[step.branch];
        if (step.kind == Kind::record) {
            recorded[step.event] = emulator::ask(branch, "cudaEventRecord", {}, [] {});
        } else if (step.kind == Kind::wait) {
            emulator::come_after(branch, recorded[step.event]);
        } else if (!error) {
            error = step.action(branch);
        }
    }
    for (size_t i = 1; i < there.size(); ++i) {
        emulator::end_branch(there[i]);
    }
    return error;
}
cudaError_t CUgraphExec_st::launch(cudaStream_t stream) const {
    cudaError_t error = CUgraph_st::launch(stream);
    if (order.empty()) return error;
    const uint64_t begun = emulator::ask(stream, "cudaGraphLaunch", {}, [] {});
    std::map<cudaGraphNode_t, uint64_t> ends;
    for (const auto& [node, its] : order) {
        const cudaStream_t branch = emulator::begin_branch(stream);
        emulator::come_after(branch, begun);
        for (const cudaGraphNode_t other : its.after) emulator::come_after(branch, ends[other]);
        if (!error) error = its.action(branch);
        ends[node] = emulator::ask(branch, "cudaEventRecord", {}, [] {});
        emulator::end_branch(branch);
    }
    for (const auto& [node, end] : ends) emulator::come_after(stream, end);
    return error;
}

// CUDA captures no default stream; no stream at all is that one.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (!stream || stream == cudaStreamLegacy) return emulator::set_error(cudaErrorStreamCaptureUnsupported);
    if (emulator::captured(stream)) return emulator::set_error(cudaErrorIllegalState);
    emulator::captures()[stream] = new CUgraph_st{{stream}, {}, 0};
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    *graph = emulator::captured(stream);
    if (!*graph) return emulator::set_error(cudaErrorIllegalState);
    for (auto one = emulator::captures().begin(); one != emulator::captures().end();) {  // and streams that joined it
        one = one->second == *graph ? emulator::captures().erase(one) : std::next(one);
    }
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    *status = emulator::captured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
    *graph = new CUgraph_st;
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    const auto is_node = [](const auto& step) { return step.kind == CUgraph_st::Kind::action; };
    const auto captured = static_cast<size_t>(std::count_if(graph->steps.begin(), graph->steps.end(), is_node));
    if (nodes && captured) return emulator::set_error(cudaErrorNotSupported);
    if (nodes) {
        *count = std::min(*count, graph->nodes.size());
        std::transform(graph->nodes.begin(), graph->nodes.begin() + static_cast<long>(*count), nodes, [](const auto& one) { return one.get(); });
        return cudaSuccess;
    }
    *count = captured + graph->nodes.size();
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long) {
    if (!graph) return emulator::set_error(cudaErrorInvalidValue);
    auto made = std::make_unique<CUgraphExec_st>(*graph);
    if (made->has_circle()) return emulator::set_error(cudaErrorInvalidValue);
    *ready = made.release();
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
    return cudaGraphInstantiate(ready, graph);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long) {
    return cudaGraphInstantiate(ready, graph);
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t ready, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
    if (!ready || !graph || !info) return emulator::set_error(cudaErrorInvalidValue);
    const bool is_done = ready->take(*graph);
    *info = {is_done ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
    return is_done ? cudaSuccess : emulator::set_error(cudaErrorGraphExecUpdateFailure);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream) {
    if (!ready) return emulator::set_error(cudaErrorInvalidValue);
    return ready->launch(stream);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready) {
    delete ready;
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return emulator::call_in_stream(stream, "cudaLaunchHostFunc", [=](cudaStream_t) { function(data); });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned) {
    return emulator::call_in_stream(stream, "cudaStreamAddCallback", [=](cudaStream_t on) { function(on, cudaSuccess, data); });
}
#endif
