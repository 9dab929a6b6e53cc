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
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
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
#endif
