// CUDA's error numbers and words, and what the last launch left: an error, a fault's text, printed lines.
#pragma once

#include <mutex>
#include <string>

// clang-format off
#define EMULATOR_ERRORS(X)                                                                                \
    X(0, cudaSuccess, "no error")                                                                         \
    X(1, cudaErrorInvalidValue, "invalid argument")                                                       \
    X(2, cudaErrorMemoryAllocation, "out of memory")                                                      \
    X(3, cudaErrorInitializationError, "initialization error")                                            \
    X(9, cudaErrorInvalidConfiguration, "invalid configuration argument")                                 \
    X(13, cudaErrorInvalidSymbol, "invalid device symbol")                                                \
    X(17, cudaErrorInvalidDevicePointer, "invalid device pointer")                                        \
    X(21, cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                           \
    X(98, cudaErrorInvalidDeviceFunction, "invalid device function")                                      \
    X(100, cudaErrorNoDevice, "no CUDA-capable device is detected")                                       \
    X(101, cudaErrorInvalidDevice, "invalid device ordinal")                                              \
    X(400, cudaErrorInvalidResourceHandle, "invalid resource handle")                                     \
    X(600, cudaErrorNotReady, "device not ready")                                                         \
    X(700, cudaErrorIllegalAddress, "an illegal memory access was encountered")                           \
    X(701, cudaErrorLaunchOutOfResources, "too many resources requested for launch")                      \
    X(702, cudaErrorLaunchTimeout, "the launch timed out and was terminated")                             \
    X(710, cudaErrorAssert, "device-side assert triggered")                                               \
    X(714, cudaErrorHardwareStackError, "hardware stack error")                                           \
    X(715, cudaErrorIllegalInstruction, "an illegal instruction was encountered")                         \
    X(716, cudaErrorMisalignedAddress, "misaligned address")                                              \
    X(717, cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space")        \
    X(719, cudaErrorLaunchFailure, "unspecified launch failure")                                          \
    X(801, cudaErrorNotSupported, "operation not supported")                                              \
    X(999, cudaErrorUnknown, "unknown error")
// clang-format on

enum cudaError {
#define EMULATOR_VALUE(number, name, words) name = number,
    EMULATOR_ERRORS(EMULATOR_VALUE)
#undef EMULATOR_VALUE
};
using cudaError_t = cudaError;

namespace [[gnu::visibility("hidden")]] emulator {

struct Report {
    std::mutex mutex;
    int error = 0;
    std::string fault, printed, returned_fault, returned_print;
};
inline Report& report() {
    static Report* one = new Report;  // never destroyed: a library may be closed while Python still ends
    return *one;
}
inline cudaError_t set_error(int error) {
    if (error) report().error = error;
    return static_cast<cudaError_t>(error);
}

}  // namespace emulator

#define EMULATOR_EXPORT extern "C" inline __attribute__((visibility("default"), used))

EMULATOR_EXPORT cudaError_t cudaGetLastError() {
    const int error = emulator::report().error;
    emulator::report().error = 0;
    return static_cast<cudaError_t>(error);
}
EMULATOR_EXPORT cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(emulator::report().error); }
EMULATOR_EXPORT const char* cudaGetErrorString(cudaError_t error) {
    switch (static_cast<int>(error)) {
#define EMULATOR_CASE(number, name, words) \
    case number: return words;
        EMULATOR_ERRORS(EMULATOR_CASE)
#undef EMULATOR_CASE
        default: return "unrecognized error code";
    }
}
EMULATOR_EXPORT const char* cudaGetErrorName(cudaError_t error) {
    switch (static_cast<int>(error)) {
#define EMULATOR_CASE(number, name, words) \
    case number: return #name;
        EMULATOR_ERRORS(EMULATOR_CASE)
#undef EMULATOR_CASE
        default: return "unrecognized error code";
    }
}

// The text of the last fault, or NULL; printed lines, or NULL. Reading clears; the pointer lives until the next call.
EMULATOR_EXPORT const char* emulator_fault() {
    emulator::Report& r = emulator::report();
    const std::lock_guard<std::mutex> lock(r.mutex);
    r.returned_fault.swap(r.fault);
    r.fault.clear();
    return r.returned_fault.empty() ? nullptr : r.returned_fault.c_str();
}
EMULATOR_EXPORT const char* emulator_printf_output() {
    emulator::Report& r = emulator::report();
    const std::lock_guard<std::mutex> lock(r.mutex);
    r.returned_print.swap(r.printed);
    r.printed.clear();
    return r.returned_print.empty() ? nullptr : r.returned_print.c_str();
}
