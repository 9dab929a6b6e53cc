// Takes everything and keeps nothing.
#pragma once
#include "facade.h"

namespace [[gnu::visibility("hidden")]] thrust {
namespace emulated {
struct Discarded {
    template <typename T>
    __host__ __device__ const Discarded& operator=(const T&) const { return *this; }
};
}  // namespace emulated

template <typename = void>
struct discard_iterator : emulated::Facade<discard_iterator<>, void, emulated::Discarded> {
    __host__ __device__ discard_iterator(std::ptrdiff_t place = 0) : place_(place) {}
    __host__ __device__ emulated::Discarded at(std::ptrdiff_t) const { return {}; }
    __host__ __device__ discard_iterator moved(std::ptrdiff_t by) const { return {place_ + by}; }
    __host__ __device__ std::ptrdiff_t from(const discard_iterator& other) const { return place_ - other.place_; }

 private:
    std::ptrdiff_t place_;
};
__host__ __device__ inline discard_iterator<> make_discard_iterator(std::ptrdiff_t place = 0) { return {place}; }

}  // namespace thrust
