// The emulator's <cuda_runtime.h>: what a .cu file of the course needs of CUDA, for g++.
#pragma once

#if defined(__CUDA__)  // the front end, clang, knows CUDA itself and needs declarations only
#include "emulator_front_end.h"
#else
#include <climits>
#ifdef EMULATOR_RUNTIME_APART
#undef _GLIBCXX_USE_STD_SPEC_FUNCS  // see emulator_special_functions.h
#endif
#include <math.h>  // as in CUDA: exp, sqrt, ... of a float, too, outside of std

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "emulator_types.h"
//
#include "emulator_device.h"
#include "emulator_math.h"
#include "emulator_nv_atomic.h"
#include "emulator_ptx.h"
#include "emulator_rounding.h"
#include "emulator_simd.h"
#include "emulator_resume.h"
#include "emulator_leave.h"
#include "emulator_phases.h"
#include "emulator_block_phases.h"
#include "emulator_together.h"
#include <assert.h>
#include "emulator_host.h"
#include "emulator_graphs.h"
#ifdef EMULATOR_LOCKSTEP
#include "emulator_lockstep.h"
#endif
#ifdef EMULATOR_ABREAST
#include "emulator_second_form.h"
#endif
#ifndef EMULATOR_RUNTIME_APART
#include "emulator_host_words.h"
#endif
#endif
