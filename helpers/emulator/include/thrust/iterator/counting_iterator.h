// Numbers in their order.
#pragma once
#include "facade.h"

namespace [[gnu::visibility("hidden")]] thrust {

template <typename T, typename = void, typename = void, typename = void>
struct counting_iterator : emulated::Facade<counting_iterator<T>, T> {
    __host__ __device__ counting_iterator() : first_() {}
    __host__ __device__ explicit counting_iterator(T first) : first_(first) {}
    __host__ __device__ T at(std::ptrdiff_t i) const { return static_cast<T>(first_ + static_cast<T>(i)); }
    __host__ __device__ counting_iterator moved(std::ptrdiff_t by) const { return counting_iterator(at(by)); }
    __host__ __device__ std::ptrdiff_t from(const counting_iterator& other) const {
        return static_cast<std::ptrdiff_t>(first_) - static_cast<std::ptrdiff_t>(other.first_);
    }

 private:
    T first_;
};
template <typename T>
__host__ __device__ counting_iterator<T> make_counting_iterator(T first) { return counting_iterator<T>(first); }

}  // namespace thrust
