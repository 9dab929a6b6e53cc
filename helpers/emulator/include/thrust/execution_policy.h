// Where Thrust's algorithms run: on the GPU, in a stream, and whether the host waits.
#pragma once
#include "policy.h"

namespace [[gnu::visibility("hidden")]] thrust {

namespace cuda {
constexpr emulated::Policy<true> par;
constexpr emulated::Policy<false> par_nosync;
}  // namespace cuda
constexpr emulated::Policy<true> device;

}  // namespace thrust
