// What CUDA adds to C++, for the front end (front_end.py): clang parses a kernel with this header and judges it.
// Declarations with their execution spaces; g++ never reads them, and nothing here runs.
#pragma once

#include <math.h>  // as in CUDA: exp, sqrt, ... of a float, too, outside of std

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "emulator_error_numbers.h"
#include "emulator_vectors.h"

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define _ALIGN_ _Alignas  // see front_end.py
#define __managed__ __attribute__((device, annotate("__managed__")))
#define __grid_constant__ __attribute__((annotate("__grid_constant__")))
#define $ __host__ __device__  // before a deduction guide: helpers/emulator/front_end.py
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__), annotate("__launch_bounds__")))
#define __maxnreg__(registers) __attribute__((annotate("__maxnreg__")))
#define __cluster_dims__(...) __attribute__((annotate("__cluster_dims__")))
#define __inline_hint__
#define __align__(bytes) __attribute__((aligned((bytes))))  // some number
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define CUDART_CB

// What front_end.py writes for nvcc's pragmas on warnings.
#define FE_PUSH _Pragma("clang diagnostic push")
#define FE_POP _Pragma("clang diagnostic pop")
#define FE_E68 _Pragma("clang diagnostic error \"-Wsign-conversion\"") _Pragma("clang diagnostic error \"-Wsign-compare\"")
#define FE_I68 _Pragma("clang diagnostic ignored \"-Wsign-conversion\"") _Pragma("clang diagnostic ignored \"-Wsign-compare\"")
#define FE_E111 _Pragma("clang diagnostic error \"-Wunreachable-code-aggressive\"")
#define FE_I111 _Pragma("clang diagnostic ignored \"-Wunreachable-code-aggressive\"")
#define FE_E177 _Pragma("clang diagnostic error \"-Wunused-variable\"") _Pragma("clang diagnostic error \"-Wunused-function\"")
#define FE_I177 _Pragma("clang diagnostic ignored \"-Wunused-variable\"") _Pragma("clang diagnostic ignored \"-Wunused-function\"")
#define FE_E186 _Pragma("clang diagnostic error \"-Wtautological-unsigned-zero-compare\"")
#define FE_I186 _Pragma("clang diagnostic ignored \"-Wtautological-unsigned-zero-compare\"")
#define FE_E549 _Pragma("clang diagnostic error \"-Wuninitialized\"")
#define FE_I549 _Pragma("clang diagnostic ignored \"-Wuninitialized\"")
#define FE_E550 _Pragma("clang diagnostic error \"-Wunused-but-set-variable\"")
#define FE_I550 _Pragma("clang diagnostic ignored \"-Wunused-but-set-variable\"")
#define FE_E940 _Pragma("clang diagnostic error \"-Wreturn-type\"")
#define FE_I940 _Pragma("clang diagnostic ignored \"-Wreturn-type\"")

// ---- a launch -------------------------------------------------------------------------------------------------

struct CUstream_st;
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, CUstream_st* stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0, CUstream_st* stream = 0);

// ---- built-in variables: their members can be read, and in device code only -----------------------------------

#define FRONT_END_VARIABLE(name) \
    struct name##_type { \
        __declspec(property(get = name##_x)) unsigned x; \
        __declspec(property(get = name##_y)) unsigned y; \
        __declspec(property(get = name##_z)) unsigned z; \
        __device__ unsigned name##_x() const; \
        __device__ unsigned name##_y() const; \
        __device__ unsigned name##_z() const; \
        __device__ operator uint3() const; \
\
     private: \
        void operator=(const name##_type&) const; \
        name##_type* operator&() const; \
    }; \
    extern const __device__ name##_type name;
FRONT_END_VARIABLE(threadIdx)
FRONT_END_VARIABLE(blockIdx)
FRONT_END_VARIABLE(blockDim)
FRONT_END_VARIABLE(gridDim)
#undef FRONT_END_VARIABLE
extern const __device__ int warpSize;

// ---- the C library's functions that kernels have, too -----------------------------------------------------------

extern "C" {
__device__ int printf(const char*, ...);
__device__ void* malloc(size_t) noexcept;
__device__ void free(void*) noexcept;
__device__ void* memcpy(void*, const void*, size_t) noexcept;
__device__ void* memset(void*, int, size_t) noexcept;
__device__ void __assert_fail(const char*, const char*, unsigned, const char*) noexcept;
__device__ long clock() noexcept;
__device__ int abs(int) noexcept;
__device__ long labs(long) noexcept;
__device__ long long llabs(long long) noexcept;
}
// nvcc counts the characters of a constant itself.
template <typename T, size_t kLength, typename = std::enable_if_t<std::is_const_v<T>>>
__device__ constexpr size_t strlen(T (&)[kLength]) {
    return kLength - 1;
}
namespace std {  // their headers have said so of the host's
using ::abs;
using ::free;
using ::labs;
using ::llabs;
using ::malloc;
using ::memcpy;
using ::memset;
using ::printf;
using ::strlen;
__device__ long abs(long) noexcept;
__device__ long long abs(long long) noexcept;
}  // namespace std
__device__ void* operator new(size_t);
__device__ void* operator new[](size_t);
__device__ void* operator new(size_t, void*) noexcept;
__device__ void* operator new[](size_t, void*) noexcept;
__device__ void operator delete(void*, void*) noexcept;
__device__ void operator delete[](void*, void*) noexcept;
__device__ void operator delete(void*) noexcept;
__device__ void operator delete[](void*) noexcept;
__device__ void operator delete(void*, size_t) noexcept;
__device__ void operator delete[](void*, size_t) noexcept;
namespace emulator {
__host__ __device__ void assert_failed(const char* condition, int line, const char* message);
constexpr int kDefaultShared = 48 << 10, kMaxShared = 227 << 10, kPoison = 0xff;
cudaError_t set_error(cudaError_t error);
enum class Side { unknown,
                  gpu,
                  host,
                  both };
template <typename To, typename From>
__host__ __device__ constexpr To nearest(From value) {
    return static_cast<To>(value);
}
template <typename T>
__host__ __device__ T& in_constant_memory(T& variable);
}  // namespace emulator

// clang-format off
#define FRONT_END_ONE(F) \
    F(acos) F(acosh) F(asin) F(asinh) F(atan) F(atanh) F(cbrt) F(ceil) F(cos) F(cosh) F(erf) F(erfc) F(exp) F(exp2) \
    F(expm1) F(fabs) F(floor) F(lgamma) F(log) F(log10) F(log1p) F(log2) F(logb) F(nearbyint) F(rint) F(round) F(sin) \
    F(sinh) F(sqrt) F(tan) F(tanh) F(tgamma) F(trunc)
#define FRONT_END_TWO(F) \
    F(atan2) F(copysign) F(fdim) F(fmax) F(fmin) F(fmod) F(hypot) F(nextafter) F(pow) F(remainder)
#define FRONT_END_C1(name) __device__ float name##f(float) noexcept; __device__ double name(double) noexcept;
#define FRONT_END_C2(name) __device__ float name##f(float, float) noexcept; __device__ double name(double, double) noexcept;
extern "C" {
FRONT_END_ONE(FRONT_END_C1)
FRONT_END_TWO(FRONT_END_C2)
FRONT_END_C1(j0) FRONT_END_C1(j1) FRONT_END_C1(y0) FRONT_END_C1(y1)
__device__ float fmaf(float, float, float) noexcept;
__device__ double fma(double, double, double) noexcept;
__device__ float ldexpf(float, int) noexcept;
__device__ double ldexp(double, int) noexcept;
__device__ float exp10f(float) noexcept;
__device__ double exp10(double) noexcept;
__device__ float jnf(int, float) noexcept;
__device__ double jn(int, double) noexcept;
__device__ float ynf(int, float) noexcept;
__device__ double yn(int, double) noexcept;
__device__ float scalblnf(float, long) noexcept;
__device__ double scalbln(double, long) noexcept;
__device__ float scalbnf(float, int) noexcept;
__device__ double scalbn(double, int) noexcept;
__device__ float frexpf(float, int*) noexcept;
__device__ double frexp(double, int*) noexcept;
__device__ float modff(float, float*) noexcept;
__device__ double modf(double, double*) noexcept;
__device__ float remquof(float, float, int*) noexcept;
__device__ double remquo(double, double, int*) noexcept;
__device__ int ilogbf(float) noexcept;
__device__ int ilogb(double) noexcept;
__device__ long lrintf(float) noexcept;
__device__ long lrint(double) noexcept;
__device__ long lroundf(float) noexcept;
__device__ long lround(double) noexcept;
__device__ long long llrintf(float) noexcept;
__device__ long long llrint(double) noexcept;
__device__ long long llroundf(float) noexcept;
__device__ long long llround(double) noexcept;
__device__ float nanf(const char*) noexcept;
__device__ double nan(const char*) noexcept;
__device__ void sincosf(float, float*, float*) noexcept;
__device__ void sincos(double, double*, double*) noexcept;
}
// clang-format on
namespace std {  // CUDA's headers declare these, too
#define FRONT_END_USING(name) using ::name;
FRONT_END_ONE(FRONT_END_USING)
FRONT_END_TWO(FRONT_END_USING)
#undef FRONT_END_USING
using ::fma;
using ::frexp;
using ::ilogb;
using ::ldexp;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::nan;
using ::scalbn;
__device__ float frexp(float, int*) noexcept;
__device__ float modf(float, float*) noexcept;
}  // namespace std

// The C library declares a few of CUDA's names for itself; a launcher cannot mean those.
#define FRONT_END_NOT_ON_HOST(...) __VA_ARGS__ noexcept __attribute__((unavailable("a __device__ function")));
extern "C" {
FRONT_END_NOT_ON_HOST(float __expf(float))
FRONT_END_NOT_ON_HOST(float __exp10f(float))
FRONT_END_NOT_ON_HOST(float __logf(float))
FRONT_END_NOT_ON_HOST(float __log2f(float))
FRONT_END_NOT_ON_HOST(float __log10f(float))
FRONT_END_NOT_ON_HOST(float __powf(float, float))
FRONT_END_NOT_ON_HOST(float __sinf(float))
FRONT_END_NOT_ON_HOST(float __cosf(float))
FRONT_END_NOT_ON_HOST(float __tanf(float))
FRONT_END_NOT_ON_HOST(float __tanhf(float))
FRONT_END_NOT_ON_HOST(void __sincosf(float, float*, float*))
}
#undef FRONT_END_NOT_ON_HOST

// ---- conversions, fast functions, bits: the emulator's own, with their execution spaces -----------------------------

#pragma clang force_cuda_host_device begin
#include "emulator_float16.h"
#pragma clang force_cuda_host_device end
#include "emulator_math.h"
#pragma clang force_cuda_host_device begin
#include "emulator_rounding.h"
#include "emulator_simd.h"
#pragma clang force_cuda_host_device end

// ---- barriers, warps, atomics, hints: of emulator_device.h, whose bodies need the scheduler -------------------------

__device__ void __syncthreads();
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __barrier_sync(unsigned id);
__device__ void __barrier_sync_count(unsigned id, unsigned count);
__device__ void __syncwarp(unsigned mask = 0xffffffffu);
__device__ unsigned __activemask();
#define FRONT_END_SHUFFLES(T) \
    __device__ T __shfl_sync(unsigned mask, T value, int source, int width = 32); \
    __device__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32); \
    __device__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32); \
    __device__ T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32);
FRONT_END_SHUFFLES(int)
FRONT_END_SHUFFLES(unsigned)
FRONT_END_SHUFFLES(long)
FRONT_END_SHUFFLES(unsigned long)
FRONT_END_SHUFFLES(long long)
FRONT_END_SHUFFLES(unsigned long long)
FRONT_END_SHUFFLES(float)
FRONT_END_SHUFFLES(double)
__device__ int __all_sync(unsigned, int);
__device__ int __any_sync(unsigned, int);
__device__ int __uni_sync(unsigned, int);
__device__ unsigned __ballot_sync(unsigned, int);
#define FRONT_END_MATCH(T) \
    __device__ unsigned __match_any_sync(unsigned mask, T value); \
    __device__ unsigned __match_all_sync(unsigned mask, T value, int* all);
FRONT_END_MATCH(int)
FRONT_END_MATCH(unsigned)
FRONT_END_MATCH(long)
FRONT_END_MATCH(unsigned long)
FRONT_END_MATCH(long long)
FRONT_END_MATCH(unsigned long long)
FRONT_END_MATCH(float)
FRONT_END_MATCH(double)
#undef FRONT_END_MATCH
#define FRONT_END_REDUCE(name) __device__ unsigned __reduce_##name##_sync(unsigned mask, unsigned value);
FRONT_END_REDUCE(add)
FRONT_END_REDUCE(min)
FRONT_END_REDUCE(max)
FRONT_END_REDUCE(and)
FRONT_END_REDUCE(or)
FRONT_END_REDUCE(xor)
__device__ int __reduce_add_sync(unsigned mask, int value);
__device__ int __reduce_min_sync(unsigned mask, int value);
__device__ int __reduce_max_sync(unsigned mask, int value);
#undef FRONT_END_REDUCE
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
#include "emulator_nv_atomic.h"

// Exactly CUDA's overloads: there is none for char or int64_t (long).
#define FRONT_END_ATOMIC(name, T) \
    __device__ T name(T* address, T value); \
    __device__ T name##_block(T* address, T value); \
    __device__ T name##_system(T* address, T value);
#define FRONT_END_CAS(T) \
    __device__ T atomicCAS(T* address, T compare, T value); \
    __device__ T atomicCAS_block(T* address, T compare, T value); \
    __device__ T atomicCAS_system(T* address, T compare, T value);
// clang-format off
#define FRONT_END_32(name) FRONT_END_ATOMIC(name, int) FRONT_END_ATOMIC(name, unsigned)
#define FRONT_END_BITS(name) FRONT_END_32(name) FRONT_END_ATOMIC(name, unsigned long long)
FRONT_END_BITS(atomicAdd) FRONT_END_ATOMIC(atomicAdd, float) FRONT_END_ATOMIC(atomicAdd, double)
FRONT_END_ATOMIC(atomicAdd, float2) FRONT_END_ATOMIC(atomicAdd, float4)
FRONT_END_32(atomicSub)
FRONT_END_BITS(atomicMin) FRONT_END_ATOMIC(atomicMin, long long)
FRONT_END_BITS(atomicMax) FRONT_END_ATOMIC(atomicMax, long long)
FRONT_END_BITS(atomicAnd) FRONT_END_BITS(atomicOr) FRONT_END_BITS(atomicXor)
FRONT_END_ATOMIC(atomicAnd, long long) FRONT_END_ATOMIC(atomicOr, long long) FRONT_END_ATOMIC(atomicXor, long long)
FRONT_END_ATOMIC(atomicInc, unsigned) FRONT_END_ATOMIC(atomicDec, unsigned)
FRONT_END_BITS(atomicExch) FRONT_END_ATOMIC(atomicExch, float)
FRONT_END_CAS(int) FRONT_END_CAS(unsigned) FRONT_END_CAS(unsigned long long) FRONT_END_CAS(unsigned short)
    // clang-format on

    // And of 16 bytes, since compute capability 9.0.
    template <typename T>
    constexpr bool kFrontEnd16 = sizeof(T) == 16 && alignof(T) >= 16 && std::is_trivially_copyable_v<T>;
#define FRONT_END_16(suffix) \
    template <typename T> __device__ std::enable_if_t<kFrontEnd16<T>, T> atomicExch##suffix(T* address, T value); \
    template <typename T> __device__ std::enable_if_t<kFrontEnd16<T>, T> atomicCAS##suffix(T* address, T compare, T value);
FRONT_END_16()
FRONT_END_16(_block)
FRONT_END_16(_system)

template <typename T> struct FrontEndSame {
    using Type = T;
};
// CUDA has these for numbers and for its vectors of at most 16 bytes, which are aligned to their size.
template <typename T, typename = int>
constexpr bool kFrontEndVector = false;
template <typename T>
constexpr bool kFrontEndVector<T, decltype(T::x, 0)> = true;
template <typename T, typename = int>
constexpr bool kFrontEndHalf = false;
template <typename T>
constexpr bool kFrontEndHalf<T, decltype(T::emulator_bits, 0)> = true;
template <typename T>
using FrontEndMoved = std::enable_if_t<(!std::is_class_v<T> || kFrontEndVector<T> || kFrontEndHalf<T>) && !std::is_same_v<T, bool> && !std::is_pointer_v<T> && sizeof(T) == alignof(T) && sizeof(T) <= 16 && !std::is_const_v<T> && !std::is_volatile_v<T>, T>;
#define FRONT_END_LOAD(name) template <typename T> __device__ FrontEndMoved<T> name(const T* address);
FRONT_END_LOAD(__ldg)
FRONT_END_LOAD(__ldca)
FRONT_END_LOAD(__ldcg)
FRONT_END_LOAD(__ldcs)
FRONT_END_LOAD(__ldlu)
FRONT_END_LOAD(__ldcv)
#undef FRONT_END_LOAD
#define FRONT_END_STORE(name) \
    template <typename T, typename = FrontEndMoved<T>> __device__ void name(T* address, typename FrontEndSame<T>::Type value);
FRONT_END_STORE(__stwb)
FRONT_END_STORE(__stcg)
FRONT_END_STORE(__stcs)
FRONT_END_STORE(__stwt)
#undef FRONT_END_STORE
__host__ __device__ long long clock64();
__device__ unsigned long long __globaltimer();
__device__ void __nanosleep(unsigned);
__device__ void cudaTriggerProgrammaticLaunchCompletion();
__device__ void cudaGridDependencySynchronize();
[[noreturn]] __device__ void __trap();
__device__ void __brkpt();
__device__ void __prof_trigger(int);
__device__ size_t __cvta_generic_to_shared(const void*);
__device__ size_t __cvta_generic_to_global(const void*);
__device__ size_t __cvta_generic_to_local(const void*);
__device__ size_t __cvta_generic_to_constant(const void*);
__device__ void* __cvta_shared_to_generic(size_t);
__device__ void* __cvta_global_to_generic(size_t);
__device__ void* __cvta_local_to_generic(size_t);
__device__ void* __cvta_constant_to_generic(size_t);
__device__ unsigned __isConstant(const void*);
__device__ unsigned __isShared(const void*);
__device__ unsigned __isLocal(const void*);
__device__ unsigned __isGlobal(const void*);

// ---- the runtime's functions: host code only ------------------------------------------------------------------------

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);

#include "emulator_host.h"
#include "emulator_graphs.h"
