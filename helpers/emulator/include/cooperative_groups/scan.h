// The emulator's <cooperative_groups/scan.h>.
#pragma once
#include "../cooperative_groups.h"
