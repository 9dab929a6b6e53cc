// What a function makes of another iterator's elements.
#pragma once
#include "facade.h"

namespace [[gnu::visibility("hidden")]] thrust {
namespace emulated {
template <typename Function, typename It>
using Made = std::decay_t<decltype(emulated::some<const Function&>()(emulated::some<const It&>()[0]))>;
template <typename T, typename Function, typename It>
struct MadeUnless {
    using type = T;
};
template <typename Function, typename It>
struct MadeUnless<void, Function, It> {
    using type = Made<Function, It>;
};
}  // namespace emulated

template <typename Function, typename It, typename Reference = void, typename Value = void>
struct transform_iterator : emulated::Facade<transform_iterator<Function, It, Reference, Value>, typename emulated::MadeUnless<Value, Function, It>::type> {
    using Its = transform_iterator;
    __host__ __device__ transform_iterator() = default;
    __host__ __device__ explicit transform_iterator(const It& base, Function function = Function()) : base_(base), function_(function) {}
    __host__ __device__ typename emulated::MadeUnless<Value, Function, It>::type at(std::ptrdiff_t i) const { return function_(base_[i]); }
    __host__ __device__ Its moved(std::ptrdiff_t by) const { return Its(base_ + by, function_); }
    __host__ __device__ std::ptrdiff_t from(const Its& other) const { return base_ - other.base_; }
    __host__ __device__ const It& base() const { return base_; }
    __host__ __device__ Function functor() const { return function_; }

 private:
    It base_;
    Function function_;
};
template <typename Function, typename It>
__host__ __device__ transform_iterator<Function, It> make_transform_iterator(It base, Function function) {
    return transform_iterator<Function, It>(base, function);
}

}  // namespace thrust
