// The special functions that C++17 has added to <cmath>, for files that name one: g++ would make the templates that they
// call anew with each file (cuda_runtime.h leaves them out).
#pragma once

#include <cmath>
#if __has_include(<bits/specfun.h>) && !defined(_GLIBCXX_USE_STD_SPEC_FUNCS)
#define _GLIBCXX_USE_STD_SPEC_FUNCS 1
#include <bits/specfun.h>
#endif
