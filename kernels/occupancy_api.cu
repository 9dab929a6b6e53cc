// Asks the CUDA runtime what it knows of the course's own kernels: how many registers and how much shared
// memory each was given, and how many of its blocks fit on one multiprocessor of this GPU. Launches nothing.
//
//   out[0]   registers a thread
//   out[1]   static shared memory, bytes a block
//   out[2]   the most threads a block that this kernel can be launched with
//   out[3]   resident blocks on a multiprocessor, for this block size and dynamic shared memory
//
// The kernels come from their own files, each in a namespace, since their names repeat. All four numbers are
// -1 for a question that the runtime refuses, and without a GPU, where there is no runtime to ask.
// `kernel_name` says which kernel a number means.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#ifndef ELEMENTWISE_EMULATOR  // which has no runtime to ask: there the names are enough
#define add add_v1
namespace v1 {
#include "v1_f32.cu"
}
#undef add
#define add add_v2
namespace v2 {
#include "v2_f32x4.cu"
}
#undef add
#define add add_v3
#define add_bf16 add_bf16_v3
namespace v3 {
#include "v3_f16.cu"
}
#undef add
#undef add_bf16
#define add add_v4
#define add_bf16 add_bf16_v4
namespace v4 {
#include "v4_f16x2.cu"
}
#undef add
#undef add_bf16
#define add add_v5
#define add_bf16 add_bf16_v5
namespace v5 {
#include "v5_f16x8.cu"
}
#undef add
#undef add_bf16
#define add add_v6
#define add_bf16 add_bf16_v6
namespace v6 {
#include "v6_f16x8_pack.cu"
}
#undef add
#undef add_bf16
namespace bounds {
#include "launch_bounds.cu"
}
namespace products {
#include "matmul.cu"
}
namespace reductions {
#include "sums.cu"
}

#define FUNCTION(...) reinterpret_cast<const void*>(__VA_ARGS__)
#else
#define FUNCTION(...) nullptr
#endif

struct Entry {
    const char* name;
    const void* function;
};

static const Entry entries[] = {
    {"v1_f32", FUNCTION(v1::add_f32)},
    {"v2_f32x4", FUNCTION(v2::add_f32x4)},
    {"v3_f16", FUNCTION(v3::add_f16<half>)},
    {"v4_f16x2", FUNCTION(v4::add_f16x2<half, half2>)},
    {"v5_f16x8", FUNCTION(v5::add_f16x8<half, half2>)},
    {"v6_f16x8_pack", FUNCTION(v6::add_f16x8_pack<half, half2>)},
    {"launch_bounds plain", FUNCTION(bounds::plain)},
    {"launch_bounds for_4", FUNCTION(bounds::for_4)},
    {"launch_bounds for_6", FUNCTION(bounds::for_6)},
    {"launch_bounds for_8", FUNCTION(bounds::for_8)},
    {"matmul tiles of 16", FUNCTION(products::tile_kernel<16, 0>)},
    {"matmul tiles of 32", FUNCTION(products::tile_kernel<32, 1>)},
    {"sums tree", FUNCTION(reductions::tree_kernel)},
    {"sums block", FUNCTION(reductions::block_kernel)},
};

static const Entry* entry(int kernel) {
    const int count = sizeof(entries) / sizeof(entries[0]);
    return 0 <= kernel && kernel < count ? &entries[kernel] : nullptr;
}

// The host's answer, in the caller's memory.
static void answer(void* out, const void* found, size_t bytes, cudaStream_t stream) {
    cudaMemcpyAsync(out, found, bytes, cudaMemcpyHostToDevice, stream);
}

// The name of a kernel, ended by a zero; a zero alone where there is no such kernel.
extern "C" void kernel_name(int8_t* out,  // [32]
                            int kernel, cudaStream_t stream = 0) {
    char name[32] = {};
    if (entry(kernel) != nullptr) std::strncpy(name, entry(kernel)->name, sizeof(name) - 1);
    answer(out, name, sizeof(name), stream);
}

extern "C" void resources(int* out,  // [4]
                          int kernel, int block_size, int shared_bytes = 0, cudaStream_t stream = 0) {
    int found[4] = {-1, -1, -1, -1};
#ifndef ELEMENTWISE_EMULATOR
    cudaFuncAttributes attributes;
    int blocks = 0;
    const void* const function = entry(kernel) == nullptr ? nullptr : entry(kernel)->function;
    const bool known = function != nullptr && cudaFuncGetAttributes(&attributes, function) == cudaSuccess;
    if (known && cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block_size, shared_bytes) ==
                     cudaSuccess) {
        found[0] = attributes.numRegs;
        found[1] = static_cast<int>(attributes.sharedSizeBytes);
        found[2] = attributes.maxThreadsPerBlock;
        found[3] = blocks;
    }
    cudaGetLastError();  // a refused question is an answer, not a failed launch
#endif
    answer(out, found, sizeof(found), stream);
}
