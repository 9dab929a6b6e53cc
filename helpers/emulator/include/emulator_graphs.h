// Graphs whose nodes a launcher adds one by one. Each node is done in a stream of its own that waits for those before it, so
// that a dependency which was forgotten shows as an event that was.
#pragma once

#include "emulator_host.h"

struct cudaKernelNodeParams {
    void* func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void** kernelParams;
    void** extra;
};
struct cudaMemsetParams {
    void* dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;  // in elements, in rows
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void* userData;
};
struct cudaGraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
};
enum cudaGraphNodeType { cudaGraphNodeTypeKernel,
                         cudaGraphNodeTypeMemcpy,
                         cudaGraphNodeTypeMemset,
                         cudaGraphNodeTypeHost,
                         cudaGraphNodeTypeGraph,
                         cudaGraphNodeTypeEmpty,
                         cudaGraphNodeTypeWaitEvent,
                         cudaGraphNodeTypeEventRecord };

#define EMULATOR_NEW_NODE cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count
EMULATOR_OF_RUNTIME cudaError_t cudaGraphAddKernelNode(EMULATOR_NEW_NODE, const cudaKernelNodeParams* given);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphAddMemcpyNode(EMULATOR_NEW_NODE, const cudaMemcpy3DParms* given);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphAddMemcpyNode1D(EMULATOR_NEW_NODE, void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphAddMemsetNode(EMULATOR_NEW_NODE, const cudaMemsetParams* given);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphAddHostNode(EMULATOR_NEW_NODE, const cudaHostNodeParams* given);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphAddChildGraphNode(EMULATOR_NEW_NODE, cudaGraph_t child);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphAddEmptyNode(EMULATOR_NEW_NODE);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                                         const cudaGraphEdgeData* edges, size_t count);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* given);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t ready, cudaGraphNode_t node, const cudaKernelNodeParams* given);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t ready, cudaGraphNode_t node, void* to, const void* from,
                                                                   size_t bytes, cudaMemcpyKind kind);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t ready, cudaGraphNode_t node, const cudaMemsetParams* given);
// What a node is, and was given. The kernel's arguments that are read are the node's own copies.
EMULATOR_OF_RUNTIME cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* kind);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* read);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* read);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* read);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* read);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* given);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* given);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* given);
// Which nodes there are without others before them, and who waits for whom. Without places, how many.
EMULATOR_OF_RUNTIME cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges, size_t* count);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* before, cudaGraphEdgeData* edges, size_t* count);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* behind, cudaGraphEdgeData* edges, size_t* count);
EMULATOR_OF_RUNTIME cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                                            const cudaGraphEdgeData* edges, size_t count);
EMULATOR_OF_RUNTIME cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* given, const void* kernel, void** arguments);
// The name as it is written: a GPU's has the types of the parameters behind it.
EMULATOR_OF_RUNTIME cudaError_t cudaFuncGetName(const char** name, const void* kernel);
// What a kernel is called by; here its address, so that the calls above take it, too.
using cudaFunction_t = struct CUfunc_st*;
using cudaKernel_t = struct CUkern_st*;
EMULATOR_OF_RUNTIME cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* kernel);
EMULATOR_OF_RUNTIME cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* kernel);
#if defined(__CUDA__)
template <typename T>
cudaError_t cudaGetKernel(cudaKernel_t* handle, T* kernel);
#else
namespace [[gnu::visibility("hidden")]] emulator {
template <typename... P>
void* kernel_by_address(const char* name, void (*kernel)(P...));
}
template <typename... P>
cudaError_t cudaGetKernel(cudaKernel_t* handle, void (*kernel)(P...)) {
    return cudaGetKernel(handle, emulator::kernel_by_address("a kernel", kernel));
}
#endif

#if !defined(__CUDA__)
namespace [[gnu::visibility("hidden")]] emulator {

// A kernel whose address is kept: `bind` copies its arguments, as CUDA does when a node is added.
struct NodeKernel {
    const char* name;
    std::function<NodeAction(const Config& config, void** arguments)> bind;
    std::function<std::shared_ptr<void>(std::vector<void*>& arguments)> keep;  // copies them, and puts the copies' addresses there
    size_t arguments;
};
void note_kernel(const void* kernel, NodeKernel one);
// What it is called, whatever the variable is called that keeps its address.
const char* name_of_kernel(const char* variable, const void* kernel);
template <typename... P>
const char* name_of_kernel(const char* variable, void (*)(P...)) {
    return variable;
}

template <typename... P, size_t... kPlace>
NodeAction bind_kernel(const char* name, void (*kernel)(P...), const Config& config, void** arguments, std::index_sequence<kPlace...>) {
    std::tuple<std::decay_t<P>...> kept(*static_cast<std::decay_t<P>*>(arguments[kPlace])...);
    return [=](cudaStream_t stream) {
        Config there = config;
        there.stream = stream;
        std::apply(on(name, [kernel](const auto&... given) { kernel(given...); }, there), kept);
        return cudaPeekAtLastError();
    };
}
template <typename... P, size_t... kPlace>
std::shared_ptr<void> keep_arguments(std::vector<void*>& arguments, std::index_sequence<kPlace...>) {
    auto all = std::make_shared<std::tuple<std::decay_t<P>...>>(*static_cast<std::decay_t<P>*>(arguments[kPlace])...);
    arguments = {&std::get<kPlace>(*all)...};
    return all;
}
// translate.py calls this for a kernel that is cast to void*, in files that add nodes or launch by addresses.
template <typename... P>
void* kernel_by_address(const char* name, void (*kernel)(P...)) {
    constexpr std::index_sequence_for<P...> places;
    const auto bind = [=](const Config& config, void** arguments) { return bind_kernel(name, kernel, config, arguments, places); };
    const auto keep = [=](std::vector<void*>& arguments) { return keep_arguments<P...>(arguments, places); };
    note_kernel(reinterpret_cast<void*>(kernel), {name, bind, keep, sizeof...(P)});
    return reinterpret_cast<void*>(kernel);
}
cudaError_t launch_by_address(const void* kernel, const Config& config, void** arguments);

}  // namespace emulator
inline cudaError_t emulator_launch_kernel(const char*, const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                                          cudaStream_t stream = nullptr) {
    return emulator::launch_by_address(kernel, {grid, block, static_cast<int64_t>(shared_bytes), stream}, arguments);
}
inline cudaError_t emulator_launch_cooperative(const char*, const void* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    emulator::Config config{grid, block, static_cast<int64_t>(shared_bytes), stream};
    config.cooperative = true;
    return emulator::launch_by_address(kernel, config, arguments);
}

#if !defined(EMULATOR_RUNTIME_APART)
namespace [[gnu::visibility("hidden")]] emulator {

static std::map<const void*, NodeKernel>& node_kernels() {
    static std::map<const void*, NodeKernel> all;
    return all;
}
void note_kernel(const void* kernel, NodeKernel one) { node_kernels()[kernel] = std::move(one); }

static cudaError_t add_node(EMULATOR_NEW_NODE, int kind, NodeAction action, std::shared_ptr<void> parameters = {}) {
    if (!node || !graph || (count && !after)) return set_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; ++i) {
        if (!graph->has(after[i])) return set_error(cudaErrorInvalidValue);
    }
    graph->nodes.push_back(std::make_shared<CUgraphNode_st>(CUgraphNode_st{std::move(action), {after, after + count}, kind, std::move(parameters), graph}));
    *node = graph->nodes.back().get();
    return cudaSuccess;
}
// What a kernel's node was given, with copies of the arguments.
struct KernelNode {
    cudaKernelNodeParams read;
    std::vector<void*> arguments;
    std::shared_ptr<void> copies;
};
static std::shared_ptr<void> kept_by_node(const cudaKernelNodeParams& given) {
    const NodeKernel& kernel = node_kernels().at(given.func);
    auto one = std::make_shared<KernelNode>(KernelNode{given, {}, nullptr});
    one->arguments.assign(given.kernelParams, given.kernelParams + kernel.arguments);
    one->copies = kernel.keep(one->arguments);
    one->read.kernelParams = one->arguments.data();
    return one;
}
template <typename Params>
std::shared_ptr<void> kept_by_node(const Params& given) { return std::make_shared<Params>(given); }
static cudaMemcpy3DParms plain_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    const cudaPitchedPtr source{const_cast<void*>(from), bytes, bytes, 1}, place{to, bytes, bytes, 1};
    return {nullptr, {}, source, nullptr, {}, place, {bytes, 1, 1}, kind};
}
template <typename Params>
cudaError_t read_node(cudaGraphNode_t node, int kind, Params* read) {
    if (!node || !read || node->kind != kind) return set_error(cudaErrorInvalidValue);
    *read = *static_cast<Params*>(node->parameters.get());  // the first member, of a kernel's
    return cudaSuccess;
}
template <typename Params>
cudaError_t renew_node(cudaGraphNode_t node, int kind, NodeAction action, const Params& given) {
    if (!node || !action || node->kind != kind) return set_error(cudaErrorInvalidValue);
    node->action = std::move(action);
    node->parameters = kept_by_node(given);
    return cudaSuccess;
}
// Fills the places that there are; without any, tells how many there might be.
inline cudaError_t list_nodes(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* places, cudaGraphEdgeData* edges, size_t* count) {
    if (!count) return set_error(cudaErrorInvalidValue);
    if (places) {
        for (size_t i = 0; i < *count; ++i) places[i] = i < all.size() ? all[i] : nullptr;
        if (edges) std::fill(edges, edges + std::min(*count, all.size()), cudaGraphEdgeData{});
    }
    *count = places ? std::min(*count, all.size()) : all.size();
    return cudaSuccess;
}
// Nothing, if there is no such kernel.
static NodeAction kernel_action(const void* kernel, const Config& config, void** arguments) {
    const auto found = node_kernels().find(kernel);
    return found == node_kernels().end() ? NodeAction() : found->second.bind(config, arguments);
}
cudaError_t launch_by_address(const void* kernel, const Config& config, void** arguments) {
    const NodeAction action = kernel_action(kernel, config, arguments);
    return action ? action(static_cast<cudaStream_t>(config.stream)) : set_error(cudaErrorInvalidDeviceFunction);
}
const char* name_of_kernel(const char* variable, const void* kernel) {
    const auto found = node_kernels().find(kernel);
    return found == node_kernels().end() ? variable : found->second.name;
}
static NodeAction kernel_action(const cudaKernelNodeParams* given) {
    if (!given) return {};
    return kernel_action(given->func, {given->gridDim, given->blockDim, static_cast<int64_t>(given->sharedMemBytes), nullptr}, given->kernelParams);
}
static NodeAction copy_action(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return [=](cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); };
}
static NodeAction copy_action(const cudaMemcpy3DParms& given) {
    return [copy = given](cudaStream_t stream) { return cudaMemcpy3DAsync(&copy, stream); };
}
static NodeAction host_action(const cudaHostNodeParams& given) {
    return [one = given](cudaStream_t stream) { return cudaLaunchHostFunc(stream, one.fn, one.userData); };
}
static NodeAction set_action(const cudaMemsetParams& given) {
    const size_t bytes = given.width * given.elementSize, pitch = given.height > 1 ? given.pitch : bytes;
    return [=](cudaStream_t stream) {
        if (!can_set("cudaMemset", given.dst, emulator_rows_bytes(pitch, bytes, given.height))) return cudaErrorInvalidValue;
        return in_stream(stream, "cudaMemsetAsync", given.dst, given.dst, [=] {
            const UseDeviceMemory use;
            for (size_t i = 0; i < given.height * given.width; ++i) {
                char* const row = static_cast<char*>(given.dst) + i / given.width * pitch;
                memcpy(row + i % given.width * given.elementSize, &given.value, given.elementSize);
            }
            return cudaSuccess;
        });
    };
}
static cudaError_t set_node(cudaGraphExec_t ready, cudaGraphNode_t node, NodeAction action) {
    if (!ready || !action || !ready->has(node)) return set_error(cudaErrorInvalidValue);
    ready->find(node)->second.action = std::move(action);
    return cudaSuccess;
}
static bool is_right(const cudaMemsetParams* given) {
    return given && (given->elementSize == 1 || given->elementSize == 2 || given->elementSize == 4);
}

}  // namespace emulator

cudaError_t cudaFuncGetName(const char** name, const void* kernel) {
    *name = emulator::name_of_kernel(nullptr, kernel);
    return *name ? cudaSuccess : emulator::set_error(cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* kernel) {
    if (!emulator::node_kernels().count(kernel)) return emulator::set_error(cudaErrorInvalidDeviceFunction);
    *function = static_cast<cudaFunction_t>(const_cast<void*>(kernel));
    return cudaSuccess;
}
cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* kernel) {
    if (!emulator::node_kernels().count(kernel)) return emulator::set_error(cudaErrorInvalidDeviceFunction);
    *handle = static_cast<cudaKernel_t>(const_cast<void*>(kernel));
    return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* given, const void* kernel, void** arguments) {
    emulator::Config config(1);
    if (!emulator::read_configuration(emulator::name_of_kernel("a kernel", kernel), *given, config)) return cudaErrorNotSupported;
    return emulator::launch_by_address(kernel, config, arguments);
}
cudaError_t cudaGraphAddKernelNode(EMULATOR_NEW_NODE, const cudaKernelNodeParams* given) {
    emulator::NodeAction action = emulator::kernel_action(given);
    if (!action) return emulator::set_error(cudaErrorInvalidDeviceFunction);
    return emulator::add_node(node, graph, after, count, cudaGraphNodeTypeKernel, std::move(action), emulator::kept_by_node(*given));
}
cudaError_t cudaGraphAddMemcpyNode(EMULATOR_NEW_NODE, const cudaMemcpy3DParms* given) {
    if (!given) return emulator::set_error(cudaErrorInvalidValue);
    return emulator::add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy, emulator::copy_action(*given), emulator::kept_by_node(*given));
}
cudaError_t cudaGraphAddMemcpyNode1D(EMULATOR_NEW_NODE, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return emulator::add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy, emulator::copy_action(to, from, bytes, kind),
                              emulator::kept_by_node(emulator::plain_copy(to, from, bytes, kind)));
}
cudaError_t cudaGraphAddMemsetNode(EMULATOR_NEW_NODE, const cudaMemsetParams* given) {
    if (!emulator::is_right(given)) return emulator::set_error(cudaErrorInvalidValue);
    return emulator::add_node(node, graph, after, count, cudaGraphNodeTypeMemset, emulator::set_action(*given), emulator::kept_by_node(*given));
}
cudaError_t cudaGraphAddHostNode(EMULATOR_NEW_NODE, const cudaHostNodeParams* given) {
    if (!given || !given->fn) return emulator::set_error(cudaErrorInvalidValue);
    return emulator::add_node(node, graph, after, count, cudaGraphNodeTypeHost, emulator::host_action(*given), emulator::kept_by_node(*given));
}
cudaError_t cudaGraphAddChildGraphNode(EMULATOR_NEW_NODE, cudaGraph_t child) {
    cudaGraphExec_t ready = nullptr;
    if (const cudaError_t error = cudaGraphInstantiate(&ready, child)) return error;
    const std::shared_ptr<CUgraphExec_st> kept(ready);
    return emulator::add_node(node, graph, after, count, cudaGraphNodeTypeGraph, [kept](cudaStream_t stream) { return kept->launch(stream); });
}
cudaError_t cudaGraphAddEmptyNode(EMULATOR_NEW_NODE) {
    return emulator::add_node(node, graph, after, count, cudaGraphNodeTypeEmpty, [](cudaStream_t) { return cudaSuccess; });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!graph || !graph->has(from[i]) || !graph->has(to[i])) return emulator::set_error(cudaErrorInvalidValue);
        to[i]->after.push_back(from[i]);
    }
    return cudaSuccess;
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!graph || !graph->has(from[i]) || !graph->has(to[i])) return emulator::set_error(cudaErrorInvalidValue);
        auto& after = to[i]->after;
        const auto found = std::find(after.begin(), after.end(), from[i]);
        if (found == after.end()) return emulator::set_error(cudaErrorInvalidValue);
        after.erase(found);
    }
    return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* given) {
    emulator::NodeAction action = emulator::kernel_action(given);
    if (!action) return emulator::set_error(cudaErrorInvalidValue);
    return emulator::renew_node(node, cudaGraphNodeTypeKernel, std::move(action), *given);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* given) {
    if (!given) return emulator::set_error(cudaErrorInvalidValue);
    return emulator::renew_node(node, cudaGraphNodeTypeMemcpy, emulator::copy_action(*given), *given);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return emulator::renew_node(node, cudaGraphNodeTypeMemcpy, emulator::copy_action(to, from, bytes, kind),
                                emulator::plain_copy(to, from, bytes, kind));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* given) {
    if (!emulator::is_right(given)) return emulator::set_error(cudaErrorInvalidValue);
    return emulator::renew_node(node, cudaGraphNodeTypeMemset, emulator::set_action(*given), *given);
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* given) {
    if (!given || !given->fn) return emulator::set_error(cudaErrorInvalidValue);
    return emulator::renew_node(node, cudaGraphNodeTypeHost, emulator::host_action(*given), *given);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* kind) {
    if (!node || !kind) return emulator::set_error(cudaErrorInvalidValue);
    *kind = static_cast<cudaGraphNodeType>(node->kind);
    return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* read) {
    return emulator::read_node(node, cudaGraphNodeTypeKernel, read);
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* read) {
    return emulator::read_node(node, cudaGraphNodeTypeMemcpy, read);
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* read) {
    return emulator::read_node(node, cudaGraphNodeTypeMemset, read);
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* read) {
    return emulator::read_node(node, cudaGraphNodeTypeHost, read);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    if (!graph || !graph->steps.empty()) return emulator::set_error(graph ? cudaErrorNotSupported : cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> roots;
    for (const auto& one : graph->nodes) {
        if (one->after.empty()) roots.push_back(one.get());
    }
    return emulator::list_nodes(roots, nodes, nullptr, count);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges, size_t* count) {
    if (!graph || !count || !graph->steps.empty()) return emulator::set_error(graph && count ? cudaErrorNotSupported : cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> begins, ends;
    for (const auto& one : graph->nodes) {
        begins.insert(begins.end(), one->after.begin(), one->after.end());
        ends.insert(ends.end(), one->after.size(), one.get());
    }
    size_t also = *count;
    emulator::list_nodes(ends, to, nullptr, &also);
    return emulator::list_nodes(begins, from, edges, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* before, cudaGraphEdgeData* edges, size_t* count) {
    if (!node) return emulator::set_error(cudaErrorInvalidValue);
    return emulator::list_nodes(node->after, before, edges, count);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* behind, cudaGraphEdgeData* edges, size_t* count) {
    if (!node) return emulator::set_error(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> all;
    for (const auto& one : node->graph->nodes) {
        if (std::count(one->after.begin(), one->after.end(), node)) all.push_back(one.get());
    }
    return emulator::list_nodes(all, behind, edges, count);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t ready, cudaGraphNode_t node, const cudaKernelNodeParams* given) {
    return emulator::set_node(ready, node, emulator::kernel_action(given));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t ready, cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
    return emulator::set_node(ready, node, emulator::copy_action(to, from, bytes, kind));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t ready, cudaGraphNode_t node, const cudaMemsetParams* given) {
    return emulator::set_node(ready, node, emulator::is_right(given) ? emulator::set_action(*given) : emulator::NodeAction());
}
#endif
#endif
#undef EMULATOR_NEW_NODE
