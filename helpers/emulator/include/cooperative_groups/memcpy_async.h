// The emulator's <cooperative_groups/memcpy_async.h>.
#pragma once
#include "../cooperative_groups.h"
