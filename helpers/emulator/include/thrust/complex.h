// thrust::complex, which is ::cuda::std::complex here.
#pragma once
#include <cuda/std/complex>

namespace thrust {
using ::cuda::std::abs, ::cuda::std::arg, ::cuda::std::complex, ::cuda::std::conj, ::cuda::std::norm, ::cuda::std::polar;
using ::cuda::std::cos, ::cuda::std::cosh, ::cuda::std::exp, ::cuda::std::log, ::cuda::std::log10, ::cuda::std::pow, ::cuda::std::sin;
using ::cuda::std::sinh, ::cuda::std::sqrt, ::cuda::std::tan, ::cuda::std::tanh;
}  // namespace thrust
