// One value everywhere.
#pragma once
#include "facade.h"

namespace [[gnu::visibility("hidden")]] thrust {

template <typename T, typename = void, typename = void>
struct constant_iterator : emulated::Facade<constant_iterator<T>, T> {
    __host__ __device__ constant_iterator() : value_(), place_() {}
    __host__ __device__ constant_iterator(T value, std::ptrdiff_t place = 0) : value_(value), place_(place) {}
    __host__ __device__ T at(std::ptrdiff_t) const { return value_; }
    __host__ __device__ constant_iterator moved(std::ptrdiff_t by) const { return {value_, place_ + by}; }
    __host__ __device__ std::ptrdiff_t from(const constant_iterator& other) const { return place_ - other.place_; }

 private:
    T value_;
    std::ptrdiff_t place_;
};
template <typename T>
__host__ __device__ constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }

}  // namespace thrust
