// The emulator has one header for all of this.
#pragma once
#include "cuda_runtime.h"
