// The emulator's <helper_cuda.h>, of NVIDIA's samples: the check of a call.
#pragma once
#include <cstdio>
#include <cstdlib>
#ifndef __CUDA__  // NVIDIA's include it, too; the front end takes long for it
#include <string>
#endif

#include "cuda_runtime.h"

#define checkCudaErrors(call) \
    do { \
        const cudaError_t emulator_error = (call); \
        if (emulator_error != cudaSuccess) { \
            fprintf(stderr, "CUDA error at %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(emulator_error)); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)
#define getLastCudaError(message) checkCudaErrors(cudaGetLastError())
