// CUDA's error numbers and their words.
#pragma once

// clang-format off
#define EMULATOR_ERRORS(X)                                                                                \
    X(0, cudaSuccess, "no error")                                                                         \
    X(1, cudaErrorInvalidValue, "invalid argument")                                                       \
    X(2, cudaErrorMemoryAllocation, "out of memory")                                                      \
    X(3, cudaErrorInitializationError, "initialization error")                                            \
    X(9, cudaErrorInvalidConfiguration, "invalid configuration argument")                                 \
    X(12, cudaErrorInvalidPitchValue, "invalid pitch argument")                                           \
    X(13, cudaErrorInvalidSymbol, "invalid device symbol")                                                \
    X(17, cudaErrorInvalidDevicePointer, "invalid device pointer")                                        \
    X(21, cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                           \
    X(98, cudaErrorInvalidDeviceFunction, "invalid device function")                                      \
    X(100, cudaErrorNoDevice, "no CUDA-capable device is detected")                                       \
    X(101, cudaErrorInvalidDevice, "invalid device ordinal")                                              \
    X(215, cudaErrorUnsupportedLimit, "limit is not supported on this architecture")                      \
    X(400, cudaErrorInvalidResourceHandle, "invalid resource handle")                                     \
    X(401, cudaErrorIllegalState, "the operation cannot be performed in the present state")               \
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
    X(720, cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch")                    \
    X(801, cudaErrorNotSupported, "operation not supported")                                              \
    X(900, cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing")         \
    X(999, cudaErrorUnknown, "unknown error")
// clang-format on

enum cudaError {
#define EMULATOR_VALUE(number, name, words) name = number,
    EMULATOR_ERRORS(EMULATOR_VALUE)
#undef EMULATOR_VALUE
};
using cudaError_t = cudaError;
