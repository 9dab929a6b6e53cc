// The emulator has one header for barriers and asynchronous copies.
#pragma once
#include "emulator_async.h"
