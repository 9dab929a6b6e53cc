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
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#ifdef __CUDACC__
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

static const void* kernel_at(int index) {
    static const void* const kernels[] = {
        reinterpret_cast<const void*>(v1::add_f32),
        reinterpret_cast<const void*>(v2::add_f32x4),
        reinterpret_cast<const void*>(v3::add_f16<half>),
        reinterpret_cast<const void*>(v4::add_f16x2<half, half2>),
        reinterpret_cast<const void*>(v5::add_f16x8<half, half2>),
        reinterpret_cast<const void*>(v6::add_f16x8_pack<half, half2>),
        reinterpret_cast<const void*>(bounds::plain),
        reinterpret_cast<const void*>(bounds::for_4),
        reinterpret_cast<const void*>(bounds::for_6),
        reinterpret_cast<const void*>(bounds::for_8),
        reinterpret_cast<const void*>(products::tile_kernel<16, 0>),
        reinterpret_cast<const void*>(products::tile_kernel<32, 1>),
        reinterpret_cast<const void*>(reductions::tree_kernel),
        reinterpret_cast<const void*>(reductions::block_kernel),
    };
    const int count = sizeof(kernels) / sizeof(kernels[0]);
    return 0 <= index && index < count ? kernels[index] : nullptr;
}
#endif

extern "C" void resources(int* out,  // [4]
                          int kernel, int block_size, int shared_bytes = 0, cudaStream_t stream = 0) {
    int found[4] = {-1, -1, -1, -1};
#ifdef __CUDACC__
    cudaFuncAttributes attributes;
    int blocks = 0;
    const void* const function = kernel_at(kernel);
    const bool known = function != nullptr && cudaFuncGetAttributes(&attributes, function) == cudaSuccess;
    if (known && cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block_size, shared_bytes) ==
                     cudaSuccess) {
        found[0] = attributes.numRegs;
        found[1] = static_cast<int>(attributes.sharedSizeBytes);
        found[2] = attributes.maxThreadsPerBlock;
        found[3] = blocks;
    }
    cudaGetLastError();  // a refused question is an answer, not a failed launch
    cudaMemcpyAsync(out, found, sizeof(found), cudaMemcpyHostToDevice, stream);
#else
    for (int k = 0; k < 4; ++k) out[k] = found[k];
#endif
}
