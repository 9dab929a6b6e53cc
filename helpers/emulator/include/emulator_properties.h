// What the runtime tells of the device: cudaDeviceProp and cudaDeviceAttr. Sizes of textures and surfaces are an H100's.
#pragma once

#include "emulator_card.h"

enum cudaComputeMode { cudaComputeModeDefault,
                       cudaComputeModeExclusive,
                       cudaComputeModeProhibited,
                       cudaComputeModeExclusiveProcess };
struct CUuuid_st {
    char bytes[16];
};
using CUuuid = CUuuid_st;
using cudaUUID_t = CUuuid_st;

struct cudaDeviceProp {
    char name[256] = "";
    cudaUUID_t uuid = {};
    char luid[8] = {};
    unsigned luidDeviceNodeMask = 0;
    size_t totalGlobalMem = size_t{8} << 30;
    size_t sharedMemPerBlock = emulator::kDefaultShared;
    int regsPerBlock = emulator::card().registers_per_block;
    int warpSize = 32;
    size_t memPitch = 0x7fffffff;
    int maxThreadsPerBlock = 1024;
    int maxThreadsDim[3] = {1024, 1024, 64};
    int maxGridSize[3] = {0x7fffffff, 65535, 65535};
    size_t totalConstMem = 65536;
    int major = emulator::card().major, minor = emulator::card().minor;
    size_t textureAlignment = 512, texturePitchAlignment = 32;
    int multiProcessorCount = emulator::card().multiprocessors;
    int integrated = 0, canMapHostMemory = 1;
    int maxTexture1D = 131072, maxTexture1DMipmap = 32768;
    int maxTexture2D[2] = {131072, 65536}, maxTexture2DMipmap[2] = {32768, 32768};
    int maxTexture2DLinear[3] = {131072, 65000, 2097120}, maxTexture2DGather[2] = {32768, 32768};
    int maxTexture3D[3] = {16384, 16384, 16384}, maxTexture3DAlt[3] = {8192, 8192, 32768};
    int maxTextureCubemap = 32768;
    int maxTexture1DLayered[2] = {32768, 2048}, maxTexture2DLayered[3] = {32768, 32768, 2048};
    int maxTextureCubemapLayered[2] = {32768, 2046};
    int maxSurface1D = 32768, maxSurface2D[2] = {131072, 65536}, maxSurface3D[3] = {16384, 16384, 16384};
    int maxSurface1DLayered[2] = {32768, 2048}, maxSurface2DLayered[3] = {32768, 32768, 2048};
    int maxSurfaceCubemap = 32768, maxSurfaceCubemapLayered[2] = {32768, 2046};
    size_t surfaceAlignment = 512;
    int concurrentKernels = 1, ECCEnabled = 0;
    int pciBusID = 0, pciDeviceID = 0, pciDomainID = 0, tccDriver = 0;
    int asyncEngineCount = 3, unifiedAddressing = 1;
    int memoryBusWidth = emulator::card().memory_bits;
    int l2CacheSize = emulator::card().l2_bytes, persistingL2CacheMaxSize = emulator::card().l2_bytes / 8 * 5;
    int maxThreadsPerMultiProcessor = emulator::card().threads_per_multiprocessor;
    int streamPrioritiesSupported = 1, globalL1CacheSupported = 1, localL1CacheSupported = 1;
    size_t sharedMemPerMultiprocessor = static_cast<size_t>(emulator::card().shared_per_multiprocessor);
    int regsPerMultiprocessor = emulator::card().registers_per_multiprocessor;
    int managedMemory = 1, isMultiGpuBoard = 0, multiGpuBoardGroupID = 0, hostNativeAtomicSupported = 0;
    int pageableMemoryAccess = 0, concurrentManagedAccess = 1, computePreemptionSupported = 1;
    int canUseHostPointerForRegisteredMem = 1, cooperativeLaunch = 1;
    size_t sharedMemPerBlockOptin = static_cast<size_t>(emulator::card().shared_per_block);
    int pageableMemoryAccessUsesHostPageTables = 0, directManagedMemAccessFromHost = 0;
    int maxBlocksPerMultiProcessor = emulator::card().blocks_per_multiprocessor;
    int accessPolicyMaxWindowSize = 128 << 20;
    size_t reservedSharedMemPerBlock = static_cast<size_t>(emulator::card().shared_reserved);
    int hostRegisterSupported = 1, sparseCudaArraySupported = 0, hostRegisterReadOnlySupported = 0;
    int timelineSemaphoreInteropSupported = 0, memoryPoolsSupported = 1, gpuDirectRDMASupported = 0;
    unsigned gpuDirectRDMAFlushWritesOptions = 0;
    int gpuDirectRDMAWritesOrdering = 0;
    unsigned memoryPoolSupportedHandleTypes = 0;
    int deferredMappingCudaArraySupported = 0, ipcEventSupported = 0, clusterLaunch = 0, unifiedFunctionPointers = 0;
    int deviceNumaConfig = 0, deviceNumaId = -1, mpsEnabled = 0, hostNumaId = 0;
    unsigned gpuPciDeviceID = 0, gpuPciSubsystemID = 0;
    int hostNumaMultinodeIpcSupported = 0;
};
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (device != 0) return emulator::set_error(cudaErrorInvalidDevice);
    *properties = cudaDeviceProp();
    memcpy(properties->name, emulator::card().name, sizeof properties->name);
    return cudaSuccess;
}

// An attribute's number, its name, and its value by the properties `p`.
// clang-format off
#define EMULATOR_ATTRIBUTES(X)                                                               \
    X(1, MaxThreadsPerBlock, p.maxThreadsPerBlock)                                           \
    X(2, MaxBlockDimX, p.maxThreadsDim[0])                                                   \
    X(3, MaxBlockDimY, p.maxThreadsDim[1])                                                   \
    X(4, MaxBlockDimZ, p.maxThreadsDim[2])                                                   \
    X(5, MaxGridDimX, p.maxGridSize[0])                                                      \
    X(6, MaxGridDimY, p.maxGridSize[1])                                                      \
    X(7, MaxGridDimZ, p.maxGridSize[2])                                                      \
    X(8, MaxSharedMemoryPerBlock, p.sharedMemPerBlock)                                       \
    X(9, TotalConstantMemory, p.totalConstMem)                                               \
    X(10, WarpSize, p.warpSize)                                                              \
    X(11, MaxPitch, p.memPitch)                                                              \
    X(12, MaxRegistersPerBlock, p.regsPerBlock)                                              \
    X(13, ClockRate, emulator::card().clock_khz)                                             \
    X(14, TextureAlignment, p.textureAlignment)                                              \
    X(15, GpuOverlap, 1)                                                                     \
    X(16, MultiProcessorCount, p.multiProcessorCount)                                        \
    X(17, KernelExecTimeout, 0)                                                              \
    X(18, Integrated, p.integrated)                                                          \
    X(19, CanMapHostMemory, p.canMapHostMemory)                                              \
    X(20, ComputeMode, cudaComputeModeDefault)                                               \
    X(21, MaxTexture1DWidth, p.maxTexture1D)                                                 \
    X(22, MaxTexture2DWidth, p.maxTexture2D[0])                                              \
    X(23, MaxTexture2DHeight, p.maxTexture2D[1])                                             \
    X(24, MaxTexture3DWidth, p.maxTexture3D[0])                                              \
    X(25, MaxTexture3DHeight, p.maxTexture3D[1])                                             \
    X(26, MaxTexture3DDepth, p.maxTexture3D[2])                                              \
    X(27, MaxTexture2DLayeredWidth, p.maxTexture2DLayered[0])                                \
    X(28, MaxTexture2DLayeredHeight, p.maxTexture2DLayered[1])                               \
    X(29, MaxTexture2DLayeredLayers, p.maxTexture2DLayered[2])                               \
    X(30, SurfaceAlignment, p.surfaceAlignment)                                              \
    X(31, ConcurrentKernels, p.concurrentKernels)                                            \
    X(32, EccEnabled, p.ECCEnabled)                                                          \
    X(33, PciBusId, p.pciBusID)                                                              \
    X(34, PciDeviceId, p.pciDeviceID)                                                        \
    X(35, TccDriver, p.tccDriver)                                                            \
    X(36, MemoryClockRate, emulator::card().memory_clock_khz)                                \
    X(37, GlobalMemoryBusWidth, p.memoryBusWidth)                                            \
    X(38, L2CacheSize, p.l2CacheSize)                                                        \
    X(39, MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor)                        \
    X(40, AsyncEngineCount, p.asyncEngineCount)                                              \
    X(41, UnifiedAddressing, p.unifiedAddressing)                                            \
    X(50, PciDomainId, p.pciDomainID)                                                        \
    X(51, TexturePitchAlignment, p.texturePitchAlignment)                                    \
    X(75, ComputeCapabilityMajor, p.major)                                                   \
    X(76, ComputeCapabilityMinor, p.minor)                                                   \
    X(78, StreamPrioritiesSupported, p.streamPrioritiesSupported)                            \
    X(79, GlobalL1CacheSupported, p.globalL1CacheSupported)                                  \
    X(80, LocalL1CacheSupported, p.localL1CacheSupported)                                    \
    X(81, MaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor)                    \
    X(82, MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor)                            \
    X(83, ManagedMemory, p.managedMemory)                                                    \
    X(84, IsMultiGpuBoard, p.isMultiGpuBoard)                                                \
    X(85, MultiGpuBoardGroupID, p.multiGpuBoardGroupID)                                      \
    X(86, HostNativeAtomicSupported, p.hostNativeAtomicSupported)                            \
    X(87, SingleToDoublePrecisionPerfRatio, 2)                                               \
    X(88, PageableMemoryAccess, p.pageableMemoryAccess)                                      \
    X(89, ConcurrentManagedAccess, p.concurrentManagedAccess)                                \
    X(90, ComputePreemptionSupported, p.computePreemptionSupported)                          \
    X(91, CanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem)            \
    X(95, CooperativeLaunch, p.cooperativeLaunch)                                            \
    X(97, MaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin)                            \
    X(99, HostRegisterSupported, p.hostRegisterSupported)                                    \
    X(100, PageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables) \
    X(101, DirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost)                 \
    X(106, MaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor)                         \
    X(108, MaxPersistingL2CacheSize, p.persistingL2CacheMaxSize)                             \
    X(109, MaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize)                           \
    X(111, ReservedSharedMemoryPerBlock, p.reservedSharedMemPerBlock)                        \
    X(113, HostRegisterReadOnlySupported, p.hostRegisterReadOnlySupported)                   \
    X(115, MemoryPoolsSupported, p.memoryPoolsSupported)                                     \
    X(120, ClusterLaunch, p.clusterLaunch)
// clang-format on
enum cudaDeviceAttr {
#define EMULATOR_VALUE(number, name, value) cudaDevAttr##name = number,
    EMULATOR_ATTRIBUTES(EMULATOR_VALUE)
#undef EMULATOR_VALUE
};
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    if (device != 0) return emulator::set_error(cudaErrorInvalidDevice);
    const cudaDeviceProp p{};
    switch (attribute) {
#define EMULATOR_CASE(number, name, of) \
    case number: *value = static_cast<int>(of); break;
        EMULATOR_ATTRIBUTES(EMULATOR_CASE)
#undef EMULATOR_CASE
        default: return emulator::set_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}
