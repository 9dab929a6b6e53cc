// thrust::tuple, which is ::cuda::std::tuple here.
#pragma once
#include <cuda/std/tuple>

namespace thrust {
using ::cuda::std::get, ::cuda::std::make_tuple, ::cuda::std::tie, ::cuda::std::tuple, ::cuda::std::tuple_element, ::cuda::std::tuple_size;
}  // namespace thrust
