// Thrust's operators, which are those of cuda::std here.
#pragma once
#include <cuda/std/functional>

namespace thrust {
using ::cuda::maximum, ::cuda::minimum;
using ::cuda::std::bit_and, ::cuda::std::bit_or, ::cuda::std::bit_xor;
using ::cuda::std::divides, ::cuda::std::minus, ::cuda::std::modulus, ::cuda::std::multiplies, ::cuda::std::negate, ::cuda::std::plus;
using ::cuda::std::equal_to, ::cuda::std::greater, ::cuda::std::greater_equal, ::cuda::std::less, ::cuda::std::less_equal, ::cuda::std::not_equal_to;
using ::cuda::std::logical_and, ::cuda::std::logical_not, ::cuda::std::logical_or;
}  // namespace thrust
