// What the front end parses once for the files that include it (helpers/emulator/front_end.py).
#pragma once

#include <cuda_runtime.h>
//
#include <cuda_bf16.h>
#include <cuda_fp16.h>
