// What a launcher may call of the CUDA runtime, all of it __host__: memory is the CPU's, a stream does all at once.
#pragma once

#include "emulator_card.h"
#if !defined(__CUDA__)
#include "emulator_device.h"
#endif
#include "emulator_properties.h"
#include "emulator_streams.h"

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

// ---- memory -------------------------------------------------------------------------------------------------

template <typename T>
inline cudaError_t emulator_allocate(T** pointer, size_t bytes, emulator::Side side) {
    if (!pointer) return emulator::set_error(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (!bytes) return cudaSuccess;
#if !defined(__CUDA__)
    if (emulator::is_in_thread()) return (*pointer = static_cast<T*>(malloc(bytes))) ? cudaSuccess : cudaErrorMemoryAllocation;
#endif
    try {
        *pointer = static_cast<T*>(emulator::allocate(bytes, side));
    } catch (const std::bad_alloc&) {
        return emulator::set_error(cudaErrorMemoryAllocation);
    }
    return cudaSuccess;
}
#if defined(__CUDA__)  // in a kernel: as malloc and free there
template <typename T>
__device__ cudaError_t cudaMalloc(T** pointer, size_t bytes);
__device__ cudaError_t cudaMalloc(void** pointer, size_t bytes);
__device__ cudaError_t cudaFree(void* pointer);
#endif
template <typename T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes) { return emulator_allocate(pointer, bytes, emulator::Side::gpu); }
inline cudaError_t cudaMalloc(void** pointer, size_t bytes) { return cudaMalloc<void>(pointer, bytes); }  // also of NULL
template <typename T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t = nullptr) { return cudaMalloc(pointer, bytes); }
template <typename T>
inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned = 1) { return emulator_allocate(pointer, bytes, emulator::Side::both); }
template <typename T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned = 0) { return emulator_allocate(pointer, bytes, emulator::Side::host); }
template <typename T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned) { return emulator_allocate(pointer, bytes, emulator::Side::host); }
constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2;
constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4;
template <typename T>
inline cudaError_t cudaHostGetDevicePointer(T** of_device, void* of_host, unsigned) {
    *of_device = static_cast<T*>(of_host);
    return cudaSuccess;
}
// Advice on managed memory, which is the CPU's here.
enum cudaMemLocationType { cudaMemLocationTypeInvalid,
                           cudaMemLocationTypeDevice,
                           cudaMemLocationTypeHost };
struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy,
};
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t = nullptr) { return cudaSuccess; }
template <typename T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T*, size_t = 0, unsigned = cudaMemAttachSingle) { return cudaSuccess; }
inline cudaError_t cudaHostRegister(void* at, size_t bytes, unsigned) {
    emulator::register_memory(at, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaHostUnregister(void* at) {
    emulator::do_all();
    emulator::forget_registered(at);
    return cudaSuccess;
}
enum cudaMemoryType { cudaMemoryTypeUnregistered,
                      cudaMemoryTypeHost,
                      cudaMemoryTypeDevice,
                      cudaMemoryTypeManaged };
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* at) {
    using emulator::Side;
    if (!attributes) return emulator::set_error(cudaErrorInvalidValue);
    const Side side = emulator::side_of(static_cast<const char*>(at));
    void* const address = const_cast<void*>(at);
    *attributes = {side == Side::gpu    ? cudaMemoryTypeDevice
                   : side == Side::host ? cudaMemoryTypeHost
                   : side == Side::both ? cudaMemoryTypeManaged
                                        : cudaMemoryTypeUnregistered,
                   side == Side::unknown ? -2 : 0, side == Side::unknown ? nullptr : address,
                   side == Side::unknown || side == Side::gpu ? nullptr : address};
    return cudaSuccess;
}
// Each row begins at a multiple of 512 bytes: `pitch` bytes behind the one before.
template <typename T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width_bytes, size_t rows) {
    *pitch = (width_bytes + 511) / 512 * 512;
    return cudaMalloc(pointer, *pitch * rows);
}
inline cudaError_t cudaFree(void* pointer) {
#if !defined(__CUDA__)
    if (emulator::is_in_thread()) return free(pointer), cudaSuccess;
#endif
    return emulator::release(pointer, "cudaFree");
}
EMULATOR_OF_RUNTIME cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
inline cudaError_t cudaFreeHost(void* pointer) { return emulator::release(pointer, "cudaFreeHost", true); }
// Where a copy of this direction writes and reads.
inline emulator::Side emulator_side_written(cudaMemcpyKind kind) {
    using emulator::Side;
    return kind == cudaMemcpyDefault                                            ? Side::unknown
           : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ? Side::gpu
                                                                                : Side::host;
}
inline emulator::Side emulator_side_read(cudaMemcpyKind kind) {
    using emulator::Side;
    return kind == cudaMemcpyDefault                                            ? Side::unknown
           : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ? Side::gpu
                                                                                : Side::host;
}
inline size_t emulator_rows_bytes(size_t pitch, size_t width_bytes, size_t rows) {
    return rows && width_bytes ? pitch * (rows - 1) + width_bytes : 0;
}
namespace [[gnu::visibility("hidden")]] emulator {
// The host waits for a copy to it, and so for the default stream, and for no copy within the GPU.
inline void note_copy(cudaMemcpyKind kind) {
    if (kind == cudaMemcpyDeviceToHost) default_stream_is_busy() = false;
    if (kind == cudaMemcpyDeviceToDevice) default_stream_is_busy() = true;
}
}  // namespace emulator
inline cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    if (!to && bytes) return emulator::set_error(cudaErrorInvalidValue);  // as after a cudaMalloc that failed
    if (!emulator::can_set("cudaMemset", to, bytes)) return cudaErrorInvalidValue;
    emulator::do_before_copy("cudaMemset", to, to, false);
    const emulator::UseDeviceMemory use;
    const size_t skip = emulator::passed_over(to, bytes);
    memset(static_cast<char*>(to) + skip, value, bytes - skip);
    emulator::default_stream_is_busy() = true;  // the host does not wait for it
    return cudaSuccess;
}
EMULATOR_OF_RUNTIME cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = nullptr);
inline cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width_bytes, size_t rows) {
    const size_t bytes = emulator_rows_bytes(pitch, width_bytes, rows);
    if (!emulator::can_set("cudaMemset2D", to, bytes)) return cudaErrorInvalidValue;
    const emulator::UseDeviceMemory use;
    for (size_t row = 0; row < rows; ++row) cudaMemset(static_cast<char*>(to) + row * pitch, value, width_bytes);
    return cudaSuccess;
}
EMULATOR_OF_RUNTIME cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width_bytes, size_t rows,
                                                  cudaStream_t stream = nullptr);
// pointers: whether there may be some in it.
inline cudaError_t emulator_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, bool pointers = true) {
    const emulator::Side written = emulator_side_written(kind), read = emulator_side_read(kind);
    if (bytes && (!to || !from)) return emulator::set_error(cudaErrorInvalidValue);
    if (!emulator::can_copy("cudaMemcpy", to, from, bytes, written, read)) return cudaErrorInvalidValue;
    const emulator::UseDeviceMemory use;
    const size_t skip = emulator::passed_over(to, bytes);
    memmove(static_cast<char*>(to) + skip, static_cast<const char*>(from) + skip, bytes - skip);
    if (pointers) emulator::note_copied(to, from, bytes);
    emulator::note_copy(kind);
    return cudaSuccess;
}
inline cudaError_t emulator_copy_now(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, bool pointers) {
    emulator::do_before_copy("cudaMemcpy", to, from, kind != cudaMemcpyDeviceToDevice);
    return emulator_copy(to, from, bytes, kind, pointers);
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return emulator_copy_now(to, from, bytes, kind, true);
}
#if !defined(__CUDA__)
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
inline cudaError_t cudaMemcpy(T* to, const T* from, size_t bytes, cudaMemcpyKind kind) {
    return emulator_copy_now(to, from, bytes, kind, sizeof(T) == 1);
}
template <typename T, typename = void>
constexpr bool emulator_has_table = false;
template <typename T>
constexpr bool emulator_has_table<T, std::void_t<decltype(sizeof(T))>> = std::is_polymorphic_v<T>;
// Of objects with virtual functions: the table of them that the host has is not the GPU's.
template <typename T, typename From, std::enable_if_t<emulator_has_table<T> && emulator_has_table<From>, int> = 0>
inline cudaError_t cudaMemcpy(T* to, const From* from, size_t bytes, cudaMemcpyKind kind) {
    std::vector<const void*> tables(bytes / sizeof(T), emulator::table_of_host());
    const auto each = [&](bool reads) {
        const emulator::UseDeviceMemory use;
        for (size_t i = 0; i < tables.size(); ++i) {
            void* const table = reinterpret_cast<char*>(to) + i * sizeof(T);
            memcpy(reads ? static_cast<void*>(&tables[i]) : table, reads ? table : static_cast<void*>(&tables[i]), sizeof(void*));
        }
    };
    if (kind == cudaMemcpyDeviceToHost) each(true);  // those of the objects that are overwritten
    const cudaError_t error = cudaMemcpy(static_cast<void*>(to), static_cast<const void*>(from), bytes, kind);
    const bool changes = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToHost;
    if (error == cudaSuccess && changes && emulator::table_of_host()) each(false);
    return error;
}
#endif
EMULATOR_OF_RUNTIME cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                                cudaStream_t stream = nullptr);
inline cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    if (to_device || from_device) return emulator::set_error(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                       cudaStream_t stream = nullptr) {
    if (to_device || from_device) return emulator::set_error(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width_bytes, size_t rows,
                                cudaMemcpyKind kind) {
    if (width_bytes > to_pitch || width_bytes > from_pitch) return emulator::set_error(cudaErrorInvalidPitchValue);
    const size_t written = emulator_rows_bytes(to_pitch, width_bytes, rows), read = emulator_rows_bytes(from_pitch, width_bytes, rows);
    const emulator::Side none = emulator::Side::unknown;
    if (!emulator::can_copy("cudaMemcpy2D", to, to, written, emulator_side_written(kind), none)) return cudaErrorInvalidValue;
    if (!emulator::can_copy("cudaMemcpy2D", const_cast<void*>(from), from, read, none, emulator_side_read(kind))) return cudaErrorInvalidValue;
    const emulator::UseDeviceMemory use;
    for (size_t row = 0; row < rows; ++row) {
        cudaMemcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width_bytes, kind);
    }
    return cudaSuccess;
}
EMULATOR_OF_RUNTIME cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width_bytes,
                                                  size_t rows, cudaMemcpyKind kind, cudaStream_t stream = nullptr);

// ---- memory in three dimensions: slices of rows; there are no CUDA arrays ------------------------------------

struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void* ptr;
    size_t pitch, xsize, ysize;
};
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* at, size_t pitch, size_t xsize, size_t ysize) { return {at, pitch, xsize, ysize}; }
struct cudaArray;
struct cudaMemcpy3DParms {
    cudaArray* srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray* dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
    if (!pointer) return emulator::set_error(cudaErrorInvalidValue);
    *pointer = {nullptr, 0, extent.width, extent.height};
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}
// From the first byte of such a region to behind its last.
inline size_t emulator_slices_bytes(const cudaPitchedPtr& at, cudaExtent extent) {
    const size_t rows = emulator_rows_bytes(at.pitch, extent.width, extent.height);
    return rows && extent.depth ? at.pitch * at.ysize * (extent.depth - 1) + rows : 0;
}
inline cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    if (!emulator::can_set("cudaMemset3D", to.ptr, emulator_slices_bytes(to, extent))) return cudaErrorInvalidValue;
    for (size_t slice = 0; slice < extent.depth; ++slice) {
        cudaMemset2D(static_cast<char*>(to.ptr) + slice * to.pitch * to.ysize, to.pitch, value, extent.width, extent.height);
    }
    return cudaSuccess;
}
EMULATOR_OF_RUNTIME cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream = nullptr);
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) {
    if (!copy || !copy->srcPtr.ptr || !copy->dstPtr.ptr) return emulator::set_error(cudaErrorInvalidValue);
    const auto begin = [](const cudaPitchedPtr& at, cudaPos from) {
        return static_cast<char*>(at.ptr) + (from.z * at.ysize + from.y) * at.pitch + from.x;
    };
    const cudaPitchedPtr &written = copy->dstPtr, &read = copy->srcPtr;
    char *const to = begin(written, copy->dstPos), *const from = begin(read, copy->srcPos);
    const size_t to_bytes = emulator_slices_bytes(written, copy->extent), from_bytes = emulator_slices_bytes(read, copy->extent);
    const emulator::Side none = emulator::Side::unknown;
    if (!emulator::can_copy("cudaMemcpy3D", to, to, to_bytes, emulator_side_written(copy->kind), none)) return cudaErrorInvalidValue;
    if (!emulator::can_copy("cudaMemcpy3D", from, from, from_bytes, none, emulator_side_read(copy->kind))) return cudaErrorInvalidValue;
    for (size_t slice = 0; slice < copy->extent.depth; ++slice) {
        const cudaError_t error = cudaMemcpy2D(to + slice * written.pitch * written.ysize, written.pitch,
                                               from + slice * read.pitch * read.ysize, read.pitch, copy->extent.width,
                                               copy->extent.height, copy->kind);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
EMULATOR_OF_RUNTIME cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream = nullptr);

template <typename T>
inline cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind = cudaMemcpyHostToDevice) {
    // A symbol's name as a text, as long ago, is no symbol.
    if (std::is_same_v<const char, std::remove_extent_t<T>>) return emulator::set_error(cudaErrorInvalidSymbol);
    if (!emulator::has_room("cudaMemcpyToSymbol", sizeof symbol, offset, bytes)) return cudaErrorInvalidValue;
    emulator::do_before_copy("cudaMemcpyToSymbol", &symbol, from, true);
    const emulator::UseDeviceMemory use;
    memcpy((char*)&symbol + offset, from, bytes);
    if (!std::is_arithmetic_v<std::remove_all_extents_t<T>>) emulator::note_copied_to_gpu((char*)&symbol + offset, bytes);
    return cudaSuccess;
}
// The address of a symbol is no symbol.
template <typename T>
inline cudaError_t cudaMemcpyToSymbol(T*&&, const void*, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) {
    return emulator::set_error(cudaErrorInvalidSymbol);
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                           cudaStream_t stream = nullptr) {
    emulator::do_before(stream);
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind = cudaMemcpyDeviceToHost) {
    if (!emulator::has_room("cudaMemcpyFromSymbol", sizeof symbol, offset, bytes)) return cudaErrorInvalidValue;
    emulator::do_before_copy("cudaMemcpyFromSymbol", to, &symbol, true);
    const emulator::UseDeviceMemory use;
    memcpy(to, (const char*)&symbol + offset, bytes);
    emulator::note_copied_from_gpu(to, bytes);
    return cudaSuccess;
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                             cudaStream_t stream = nullptr) {
    emulator::do_before(stream);
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
    *size = sizeof symbol;
    return cudaSuccess;
}
template <typename T>
inline cudaError_t cudaGetSymbolAddress(void** pointer, T& symbol) {
    *pointer = (void*)&symbol;
    emulator::note_symbol(&symbol, sizeof symbol);
    return cudaSuccess;
}

// ---- the device: one (emulator_properties.h) ------------------------------------------------------------------------

inline cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) { return device ? emulator::set_error(cudaErrorInvalidDevice) : cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
inline cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
inline cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
inline cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    *flags = 0;
    return cudaSuccess;
}
inline cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
inline cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
    if (length > 0) snprintf(id, static_cast<size_t>(length), "0000:00:00.0");
    return cudaSetDevice(device);
}
inline cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    char known[32];
    if (!device || !id) return emulator::set_error(cudaErrorInvalidValue);
    cudaDeviceGetPCIBusId(known, sizeof known, 0);
    if (strcmp(known, id)) return emulator::set_error(cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}
// There is no second device to reach.
inline cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
    *can = 0;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return emulator::set_error(cudaErrorInvalidDevice); }
inline cudaError_t cudaDeviceDisablePeerAccess(int) { return emulator::set_error(cudaErrorInvalidDevice); }
enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6,
};
// Those of an H200 at the start. Only the heap's is one here, too.
inline size_t* emulator_limit(cudaLimit limit) {
    static size_t values[] = {1024, 8650752, 0, 0, 2048, 64, 0};
    return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize ? &values[limit] : nullptr;
}
inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    size_t* const kept = emulator_limit(limit);
    if (!kept) return emulator::set_error(cudaErrorInvalidValue);
    if (limit == cudaLimitDevRuntimeSyncDepth) return emulator::set_error(cudaErrorUnsupportedLimit);
    if (limit == cudaLimitStackSize && value > (512 << 10)) return emulator::set_error(cudaErrorInvalidValue);
    if (limit == cudaLimitMallocHeapSize) emulator::kernel_heap_bytes = value;
    *kept = limit == cudaLimitStackSize ? (value + 15) / 16 * 16 : value;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    const size_t* const kept = emulator_limit(limit);
    if (!kept || !value) return emulator::set_error(cudaErrorInvalidValue);
    if (limit == cudaLimitDevRuntimeSyncDepth) return emulator::set_error(cudaErrorUnsupportedLimit);
    *value = limit == cudaLimitMallocHeapSize ? emulator::kernel_heap_bytes.load() : *kept;
    return cudaSuccess;
}
inline cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
inline cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    *free = *total = size_t{8} << 30;
    return cudaSuccess;
}

// ---- pools, from which streams have memory: each call allocates and frees at once --------------------------------

enum cudaMemAllocationType { cudaMemAllocationTypeInvalid,
                             cudaMemAllocationTypePinned,
                             cudaMemAllocationTypeManaged };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone,
                                   cudaMemHandleTypePosixFileDescriptor };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone,
                          cudaMemAccessFlagsProtRead,
                          cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemAccessDesc {
    cudaMemLocation location;
    cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
    cudaMemAllocationType allocType;
    cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    void* win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold,
    cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh,
    cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh,
};
struct CUmemPoolHandle_st {
    unsigned long long values[9] = {0, 1, 1, 1};  // by cudaMemPoolAttr
};
using cudaMemPool_t = CUmemPoolHandle_st*;
inline CUmemPoolHandle_st& emulator_default_pool() {
    static CUmemPoolHandle_st pool;
    return pool;
}
inline cudaMemPool_t& emulator_pool() {
    static cudaMemPool_t pool = &emulator_default_pool();
    return pool;
}
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    if (device != 0) return emulator::set_error(cudaErrorInvalidDevice);
    *pool = &emulator_default_pool();
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    if (device != 0) return emulator::set_error(cudaErrorInvalidValue);
    *pool = emulator_pool();
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    if (device != 0 || !pool) return emulator::set_error(cudaErrorInvalidValue);
    emulator_pool() = pool;
    return cudaSuccess;
}
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    const bool right = properties->allocType == cudaMemAllocationTypePinned && properties->location.type == cudaMemLocationTypeDevice &&
                       properties->location.id == 0;
    if (!right) return emulator::set_error(cudaErrorInvalidValue);
    *pool = new CUmemPoolHandle_st;
    return cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    if (!pool || pool == &emulator_default_pool()) return emulator::set_error(cudaErrorInvalidValue);
    if (emulator_pool() == pool) emulator_pool() = &emulator_default_pool();
    delete pool;
    return cudaSuccess;
}
// Only the threshold is of 8 bytes among those that can be set.
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (!pool || attribute < cudaMemPoolReuseFollowEventDependencies || attribute > cudaMemPoolAttrUsedMemHigh) {
        return emulator::set_error(cudaErrorInvalidValue);
    }
    const bool is_flag = attribute < cudaMemPoolAttrReleaseThreshold;
    pool->values[attribute] = is_flag ? static_cast<unsigned>(*static_cast<int*>(value)) : *static_cast<unsigned long long*>(value);
    return cudaSuccess;
}
inline cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (!pool || attribute < cudaMemPoolReuseFollowEventDependencies || attribute > cudaMemPoolAttrUsedMemHigh) {
        return emulator::set_error(cudaErrorInvalidValue);
    }
    const bool is_flag = attribute < cudaMemPoolAttrReleaseThreshold;
    is_flag ? void(*static_cast<int*>(value) = static_cast<int>(pool->values[attribute]))
            : void(*static_cast<unsigned long long*>(value) = pool->values[attribute]);
    return cudaSuccess;
}
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) { return cudaSuccess; }
template <typename T>
inline cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t, cudaStream_t) { return cudaMalloc(pointer, bytes); }
template <typename T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaMemPool_t, cudaStream_t) { return cudaMalloc(pointer, bytes); }

// ---- kernels ------------------------------------------------------------------------------------------------

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};
// clang-format off
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
// clang-format on
constexpr int cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100, cudaSharedmemCarveoutMaxL1 = 0;

// What should stay in a GPU's L2; without a cache it is taken and changes nothing.
enum cudaAccessProperty { cudaAccessPropertyNormal,
                          cudaAccessPropertyStreaming,
                          cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    cudaAccessProperty hitProp, missProp;
};
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8,
};
union cudaLaunchAttributeValue {
    char pad[64];
    cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative, programmaticStreamSerializationAllowed, priority;
    struct {
        unsigned x, y, z;
    } clusterDim;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributePriority cudaLaunchAttributePriority
inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) { return cudaSuccess; }
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

#if !defined(__CUDA__)
// translate.py calls this for cudaFuncSetAttribute(kernel<T>, ...): the limit belongs to the kernel's name.
EMULATOR_OF_RUNTIME cudaError_t emulator_set_attribute(const char* kernel, cudaFuncAttribute attribute, int value);
// translate.py calls this for cudaLaunchKernel((void*)kernel<T>, grid, block, arguments, ...).
namespace [[gnu::visibility("hidden")]] emulator {
template <typename... P, size_t... kPlace>
inline cudaError_t launch_by_addresses(const char* name, void (*kernel)(P...), const Config& config, void** arguments,
                                       std::index_sequence<kPlace...>) {
    on(name, [kernel](const auto&... given) { kernel(given...); }, config)(*static_cast<std::decay_t<P>*>(arguments[kPlace])...);
    return cudaPeekAtLastError();
}
}  // namespace emulator
template <typename... P>
inline cudaError_t emulator_launch_kernel(const char* name, void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                          size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    return emulator::launch_by_addresses(name, kernel, {grid, block, static_cast<int64_t>(shared_bytes), stream}, arguments,
                                         std::make_index_sequence<sizeof...(P)>());
}
// All blocks run at once, each on an OS thread of its own.
template <typename... P>
inline cudaError_t emulator_launch_cooperative(const char* name, void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                               size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    emulator::Config config{grid, block, static_cast<int64_t>(shared_bytes), stream};
    config.cooperative = true;
    return emulator::launch_by_addresses(name, kernel, config, arguments, std::make_index_sequence<sizeof...(P)>());
}
namespace [[gnu::visibility("hidden")]] emulator {
// Read what a launch is configured with; false if it asks for what is not there.
bool read_configuration(const char* name, const cudaLaunchConfig_t& given, Config& launch);
}  // namespace emulator
// translate.py calls this for cudaLaunchKernelEx(&config, kernel<T>, arguments...).
template <typename... P, typename... A>
inline cudaError_t emulator_launch_ex(const char* name, const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... given) {
    emulator::Config launch(1);
    if (!emulator::read_configuration(name, *config, launch)) return cudaErrorNotSupported;
    emulator::on(name, [kernel](const auto&... each) { kernel(each...); }, launch)(static_cast<std::decay_t<P>>(std::forward<A>(given))...);
    return cudaPeekAtLastError();
}
#else
template <typename... P, typename... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, void (*)(P...), A&&...);
template <typename T>
cudaError_t cudaFuncSetAttribute(T*, cudaFuncAttribute, int);
template <typename T>
cudaError_t cudaLaunchKernel(T*, dim3, dim3, void**, size_t = 0, cudaStream_t = nullptr);
template <typename T>
cudaError_t cudaLaunchCooperativeKernel(T*, dim3, dim3, void**, size_t = 0, cudaStream_t = nullptr);
#endif
template <typename T>
inline cudaError_t cudaFuncSetCacheConfig(T*, cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}
// Banks of 8 bytes were Kepler's: since then the size is taken and changes nothing.
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault,
                           cudaSharedMemBankSizeFourByte,
                           cudaSharedMemBankSizeEightByte };
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
template <typename T>
inline cudaError_t cudaFuncSetSharedMemConfig(T*, cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

// What only a compiler for GPUs knows (registers, shared and local memory) is left at 0.
struct cudaFuncAttributes {
    size_t sharedSizeBytes = 0, constSizeBytes = 0, localSizeBytes = 0;
    int maxThreadsPerBlock = 1024;
    int numRegs = 0;
    int ptxVersion = emulator::card().major * 10 + emulator::card().minor, binaryVersion = ptxVersion;
    int cacheModeCA = 0;
    int maxDynamicSharedSizeBytes = static_cast<int>(emulator::kDefaultShared);
    int preferredShmemCarveout = cudaSharedmemCarveoutDefault;
};
template <typename T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T*) {
    *attributes = cudaFuncAttributes();
    attributes->maxThreadsPerBlock = emulator::take_bound();
    return cudaSuccess;
}

enum { cudaOccupancyDefault = 0,
       cudaOccupancyDisableCachingOverride = 1 };
template <typename T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T*, int threads, size_t shared_bytes) {
    const int bound = emulator::take_bound();
    if (threads < 1 || threads > emulator::kMostThreadsOfBlock) return emulator::set_error(cudaErrorInvalidValue);
    *blocks = threads > bound ? 0 : emulator::card().resident_blocks(threads, static_cast<long long>(shared_bytes));
    return cudaSuccess;
}
template <typename T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T* kernel, int threads, size_t shared_bytes,
                                                                          unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
}
// The size of blocks, in whole warps, of which most threads are resident; of several such the largest.
template <typename Bytes, typename T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T*, Bytes bytes_of, int limit = 0) {
    const emulator::Card& card = emulator::card();
    const int bound = emulator::take_bound();
    int most = 0;
    for (int threads = limit > 0 && limit < bound ? limit : bound; threads > 0; threads = (threads - 1) / 32 * 32) {
        const int blocks = card.resident_blocks(threads, static_cast<long long>(bytes_of(threads)));
        if (blocks * threads <= most) continue;
        most = blocks * threads;
        *block = threads;
        *grid = blocks * card.multiprocessors;
    }
    return most ? cudaSuccess : emulator::set_error(cudaErrorInvalidValue);
}
template <typename T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T* kernel, size_t shared_bytes = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, [=](int) { return shared_bytes; }, limit);
}
template <typename Bytes, typename T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, T* kernel, Bytes bytes_of, int limit = 0,
                                                                           unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, bytes_of, limit);
}
template <typename T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, T* kernel, size_t shared_bytes = 0, int limit = 0,
                                                               unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared_bytes, limit);
}
template <typename T>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T*, int blocks, int) {
    const emulator::Card& card = emulator::card();
    if (blocks < 1) return emulator::set_error(cudaErrorInvalidValue);
    const int each = card.shared_per_multiprocessor / blocks - card.shared_reserved;
    *bytes = static_cast<size_t>(each < 0 ? 0 : each > card.shared_per_block ? card.shared_per_block
                                                                             : each);
    return cudaSuccess;
}

#if !defined(EMULATOR_RUNTIME_APART) && !defined(__CUDA__)
namespace [[gnu::visibility("hidden")]] emulator {
bool read_configuration(const char* name, const cudaLaunchConfig_t& given, Config& launch) {
    launch = {given.gridDim, given.blockDim, static_cast<int64_t>(given.dynamicSmemBytes), given.stream};
    for (unsigned i = 0; i < given.numAttrs; ++i) {
        const cudaLaunchAttribute& one = given.attrs[i];
        const auto& cluster = one.val.clusterDim;
        if (one.id == cudaLaunchAttributeCooperative) launch.cooperative = one.val.cooperative != 0;
        if (one.id == cudaLaunchAttributeClusterDimension && (cluster.x != 1 || cluster.y != 1 || cluster.z != 1)) {
            refuse(cudaErrorNotSupported, "%s asks for clusters of blocks, which the CPU emulator does not have", name);
            return false;
        }
    }
    return true;
}
}  // namespace emulator
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return emulator::in_stream(stream, "cudaFreeAsync", nullptr, pointer, [=] { return emulator::release(pointer, "cudaFreeAsync"); });
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    if (!emulator::can_set("cudaMemset", to, bytes)) return cudaErrorInvalidValue;
    return emulator::in_stream(stream, "cudaMemsetAsync", to, to, [=] { return cudaMemset(to, value, bytes); });
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width_bytes, size_t rows, cudaStream_t stream) {
    if (!emulator::can_set("cudaMemset2D", to, emulator_rows_bytes(pitch, width_bytes, rows))) return cudaErrorInvalidValue;
    return emulator::in_stream(stream, "cudaMemset2DAsync", to, to, [=] { return cudaMemset2D(to, pitch, value, width_bytes, rows); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    if (!emulator::can_copy("cudaMemcpy", to, from, bytes, emulator_side_written(kind), emulator_side_read(kind))) return cudaErrorInvalidValue;
    // What is not pinned is read before the call returns. A tensor of a plain call looks like it: the direction tells.
    const bool of_host = emulator_side_read(kind) == emulator::Side::host;
    const bool staged = bytes && of_host && emulator::keeps_back(stream) && !emulator::captured(stream) && emulator::is_pageable(from);
    if (!staged) {
        return emulator::in_stream(stream, "cudaMemcpyAsync", to, from, [=] { return emulator_copy(to, from, bytes, kind); });
    }
    const std::shared_ptr<void> copy = emulator::kept(from, bytes);
    return emulator::in_stream(stream, "cudaMemcpyAsync", to, to, [=] { return emulator_copy(to, copy.get(), bytes, cudaMemcpyDefault); });
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width_bytes, size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
    return emulator::in_stream(stream, "cudaMemcpy2DAsync", to, from,
                               [=] { return cudaMemcpy2D(to, to_pitch, from, from_pitch, width_bytes, rows, kind); });
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return emulator::in_stream(stream, "cudaMemset3DAsync", to.ptr, to.ptr, [=] { return cudaMemset3D(to, value, extent); });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream) {
    if (!copy) return emulator::set_error(cudaErrorInvalidValue);
    return emulator::in_stream(stream, "cudaMemcpy3DAsync", copy->dstPtr.ptr, copy->srcPtr.ptr, [copy = *copy] { return cudaMemcpy3D(&copy); });
}
cudaError_t emulator_set_attribute(const char* kernel, cudaFuncAttribute attribute, int value) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || value > emulator::card().shared_per_block) return emulator::set_error(cudaErrorInvalidValue);
    emulator::Runtime& all = emulator::runtime();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.shared_limit[kernel] = static_cast<size_t>(value);
    return cudaSuccess;
}
#endif
