// CUDA's words for g++: function and variable qualifiers, built-in variables.
#pragma once

#if defined(__CUDA__)  // clang parses CUDA itself
#include "emulator_front_end.h"
#else

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "emulator_vectors.h"

#define ELEMENTWISE_EMULATOR 1
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 800
#ifndef __clang__
#define __builtin_assume(condition) static_cast<void>(0)  // clang and nvcc have it
#endif

#define __global__ inline __attribute__((always_inline))
#define __device__
#define __host__
#define __shared__ static thread_local  // what translate.py could not place: right, but without guard pages
#define __constant__ static __attribute__((unused))
#define __managed__ __attribute__((section("emulator_managed")))  // is_static tells them by it
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __inline_hint__
#define __align__(bytes) __attribute__((aligned((bytes))))  // some number
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define CUDART_CB

// A library consists of the kernels' code and of the emulator's, which is compiled once for all libraries
// (helpers/emulator/precompiled.py). With EMULATOR_RUNTIME_APART only the former is compiled, and the functions that
// it calls of the latter are declared; without it a file holds both. Such variables belong to both.
#define EMULATOR_OF_THREAD inline thread_local __attribute__((visibility("hidden")))

// Where the running thread is. One OS thread runs one CUDA thread at a time, so these are its own.
EMULATOR_OF_THREAD uint3 threadIdx, blockIdx;
EMULATOR_OF_THREAD dim3 blockDim, gridDim;
constexpr int warpSize = 32;

// EMULATOR_UNCHECKED (emulator_vectors.h), and always inlined.
#define EMULATOR_INLINED __attribute__((no_sanitize("alignment", "bounds"), always_inline))

namespace [[gnu::visibility("hidden")]] emulator {

// The variables above. In a library, an access to a thread_local variable is a call; the address stays the same while
// a function runs, which the compiler may learn from these only: a kernel asks once for all threads of a block.
#ifdef __clang__  // it would test at each call what it was told to assume
#define EMULATOR_ADDRESS __attribute__((const, noinline))
#else
#define EMULATOR_ADDRESS __attribute__((const, noinline, assume_aligned(alignof(uint3))))
#endif
EMULATOR_ADDRESS uint3* thread_index() noexcept;
EMULATOR_ADDRESS uint3* block_index() noexcept;
EMULATOR_ADDRESS dim3* block_size() noexcept;
EMULATOR_ADDRESS dim3* grid_size() noexcept;
// Their values, of which those of blockIdx stay the same only in `run_alone`.
enum class Fixed { block_x,
                   block_y,
                   block_z,
                   size_x,
                   size_y,
                   size_z,
                   grid_x,
                   grid_y,
                   grid_z };
__attribute__((const, noinline)) unsigned fixed(Fixed which) noexcept;
// In the second form of a kernel (emulator_abreast.h) an index made of them fits into 31 bits, and the compiler knows it:
// also with what earlier rounds of a loop have added.
constexpr unsigned kMostThreadsAbreast = 1024, kMostAdded = 1u << 30, kMostBlocksAbreast = kMostAdded / kMostThreadsAbreast;
#ifdef EMULATOR_ABREAST
EMULATOR_INLINED inline unsigned below(unsigned limit, unsigned value) {
    if (value >= limit) __builtin_unreachable();
    return value;
}
#else
EMULATOR_INLINED inline unsigned below(unsigned, unsigned value) { return value; }
#endif
EMULATOR_INLINED inline uint3 fixed_block() {
    return {below(kMostBlocksAbreast, fixed(Fixed::block_x)), fixed(Fixed::block_y), fixed(Fixed::block_z)};
}
EMULATOR_INLINED inline dim3 fixed_size() {
    return {below(kMostThreadsAbreast + 1, fixed(Fixed::size_x)), fixed(Fixed::size_y), fixed(Fixed::size_z)};
}
EMULATOR_INLINED inline dim3 fixed_grid() { return {fixed(Fixed::grid_x), fixed(Fixed::grid_y), fixed(Fixed::grid_z)}; }
#ifndef EMULATOR_RUNTIME_APART
uint3* thread_index() noexcept { return &threadIdx; }
uint3* block_index() noexcept { return &blockIdx; }
dim3* block_size() noexcept { return &blockDim; }
dim3* grid_size() noexcept { return &gridDim; }
unsigned fixed(Fixed which) noexcept {
    switch (which) {
        case Fixed::block_x: return blockIdx.x;
        case Fixed::block_y: return blockIdx.y;
        case Fixed::block_z: return blockIdx.z;
        case Fixed::size_x: return blockDim.x;
        case Fixed::size_y: return blockDim.y;
        case Fixed::size_z: return blockDim.z;
        case Fixed::grid_x: return gridDim.x;
        case Fixed::grid_y: return gridDim.y;
        default: return gridDim.z;
    }
}
#endif

}  // namespace emulator
#endif
