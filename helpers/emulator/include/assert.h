// The emulator's <assert.h> and <cassert>: a failed assertion ends the launch, not the process.
#include "emulator_types.h"

namespace [[gnu::visibility("hidden")]] emulator {
[[noreturn]] inline void assert_failed(const char* condition, int line, const char* message);
}
#undef assert
#ifdef NDEBUG
#define assert(condition) (static_cast<void>(0))
#else
#define assert(...) \
    ((__VA_ARGS__) ? static_cast<void>(0) : ::emulator::assert_failed(#__VA_ARGS__, __LINE__, ""))
#endif
