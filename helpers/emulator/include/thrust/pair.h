// thrust::pair, which is ::cuda::std::pair here.
#pragma once
#include <cuda/std/utility>

namespace thrust {
using ::cuda::std::make_pair, ::cuda::std::pair;
}  // namespace thrust
