// Another iterator's elements, in the order that a list of places gives.
#pragma once
#include "facade.h"

namespace [[gnu::visibility("hidden")]] thrust {

template <typename It, typename Places>
struct permutation_iterator : emulated::Facade<permutation_iterator<It, Places>, typename std::iterator_traits<It>::value_type, decltype(emulated::some<const It&>()[0])> {
    using Its = permutation_iterator;
    __host__ __device__ permutation_iterator() = default;
    __host__ __device__ permutation_iterator(It of, Places places) : of_(of), places_(places) {}
    __host__ __device__ decltype(auto) at(std::ptrdiff_t i) const { return of_[places_[i]]; }
    __host__ __device__ Its moved(std::ptrdiff_t by) const { return Its(of_, places_ + by); }
    __host__ __device__ std::ptrdiff_t from(const Its& other) const { return places_ - other.places_; }

 private:
    It of_;
    Places places_;
};
template <typename It, typename Places>
__host__ __device__ permutation_iterator<It, Places> make_permutation_iterator(It of, Places places) { return {of, places}; }

}  // namespace thrust
