// What Thrust's iterators have in common: `Its` tells what an element is (`at`), and where another begins (`moved`).
#pragma once
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "../../cuda_runtime.h"

namespace [[gnu::visibility("hidden")]] thrust {
namespace emulated {

template <typename T>
__host__ __device__ T&& some();  // as std::declval, which is the host's

template <typename Its, typename Value, typename Reference = Value>
struct Facade {
    using value_type = Value;
    using reference = Reference;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using iterator_category = std::random_access_iterator_tag;

    __host__ __device__ Reference operator*() const { return its().at(0); }
    __host__ __device__ Reference operator[](difference_type i) const { return its().at(i); }
    __host__ __device__ Its operator+(difference_type by) const { return its().moved(by); }
    __host__ __device__ Its operator-(difference_type by) const { return its().moved(-by); }
    __host__ __device__ Its& operator+=(difference_type by) { return its() = its().moved(by); }
    __host__ __device__ Its& operator-=(difference_type by) { return its() = its().moved(-by); }
    __host__ __device__ Its& operator++() { return *this += 1; }
    __host__ __device__ Its& operator--() { return *this -= 1; }
    __host__ __device__ Its operator++(int) {
        const Its before = its();
        ++*this;
        return before;
    }
    __host__ __device__ Its operator--(int) {
        const Its before = its();
        --*this;
        return before;
    }
    __host__ __device__ difference_type operator-(const Its& other) const { return its().from(other); }
    __host__ __device__ bool operator==(const Its& other) const { return its().from(other) == 0; }
    __host__ __device__ bool operator!=(const Its& other) const { return its().from(other) != 0; }
    __host__ __device__ bool operator<(const Its& other) const { return its().from(other) < 0; }
    __host__ __device__ friend Its operator+(difference_type by, const Its& one) { return one.moved(by); }

 private:
    __host__ __device__ const Its& its() const { return static_cast<const Its&>(*this); }
    __host__ __device__ Its& its() { return static_cast<Its&>(*this); }
};

}  // namespace emulated
}  // namespace thrust
