// The emulator's <nvtx3/nvToolsExt.h>.
#pragma once
#include "../nvToolsExt.h"
