// What a launcher may call of the CUDA runtime.
#pragma once

#include "emulator_launch.h"

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
