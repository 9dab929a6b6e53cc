// The emulator's <helper_functions.h>, of NVIDIA's samples.
#pragma once
#include "helper_cuda.h"
