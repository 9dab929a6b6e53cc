// The emulator has one header for its part of CUB.
#pragma once
#include "../collectives.cuh"
