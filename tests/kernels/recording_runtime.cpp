// A CUDA runtime that launches nothing: it notes each launch, and describes the card that a test sets.
#include <cuda_runtime_api.h>

#include <cstdint>

extern "C" {

struct Card {
    int sms, l2_bytes, shared_per_sm, shared_reserved, max_shared, memory_khz, bus_bits, code;  // code: 80, 90
} card = {132, 60 << 20, 228 << 10, 1 << 10, 227 << 10, 3201000, 6144, 90};

struct Noted {
    int launches, blocks, threads, shared, programmatic, asked;
} noted;

static cudaError_t error_of_launch = cudaSuccess;
void refuse_launches(int error) { error_of_launch = static_cast<cudaError_t>(error); }

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    ++noted.asked;
    switch (attribute) {
        case cudaDevAttrMultiProcessorCount: *value = card.sms; break;
        case cudaDevAttrL2CacheSize: *value = card.l2_bytes; break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = card.shared_per_sm; break;
        case cudaDevAttrReservedSharedMemoryPerBlock: *value = card.shared_reserved; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = card.max_shared; break;
        case cudaDevAttrMemoryClockRate: *value = card.memory_khz; break;
        case cudaDevAttrGlobalMemoryBusWidth: *value = card.bus_bits; break;
        default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
    *attributes = {};
    attributes->ptxVersion = card.code;
    attributes->binaryVersion = 90;  // PTX for 8.0, too, becomes machine code of the card
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void*, void**) {
    const bool programmatic =
        config->numAttrs > 0 && config->attrs[0].id == cudaLaunchAttributeProgrammaticStreamSerialization;
    noted = {noted.launches + 1, static_cast<int>(config->gridDim.x), static_cast<int>(config->blockDim.x),
             static_cast<int>(config->dynamicSmemBytes), programmatic, noted.asked};
    return error_of_launch;
}

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }

void** __cudaRegisterFatBinary(void*) {
    static void* handle = nullptr;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*) {}
char __cudaInitModule(void**) { return 1; }
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void*) { return 0; }
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) { return cudaSuccess; }
cudaError_t __cudaGetKernel(void**, const void*) { return cudaSuccess; }
cudaError_t __cudaLaunchKernel(void*, dim3, dim3, void**, size_t, void*) { return cudaSuccess; }
cudaError_t __cudaLaunchKernel_ptsz(void*, dim3, dim3, void**, size_t, void*) { return cudaSuccess; }
}
