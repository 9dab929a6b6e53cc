// Several iterators side by side. They are kept one by one, as a kernel's arguments must be copied as bytes, and a tuple is not.
#pragma once
#include "../tuple.h"
#include "facade.h"

namespace [[gnu::visibility("hidden")]] thrust {
namespace emulated {

template <size_t kPlace, typename It>
struct Zipped {
    It each;
};
template <typename Places, typename... It>
struct ZippedAt;
template <size_t... kPlaces, typename... It>
struct ZippedAt<std::index_sequence<kPlaces...>, It...> : Zipped<kPlaces, It>... {
    using Value = tuple<typename std::iterator_traits<It>::value_type...>;
    using Reference = tuple<decltype(emulated::some<const It&>()[0])...>;

    ZippedAt() = default;
    __host__ __device__ explicit ZippedAt(const It&... its) : Zipped<kPlaces, It>{its}... {}
    __host__ __device__ Reference at(std::ptrdiff_t i) const { return Reference(Zipped<kPlaces, It>::each[i]...); }
    template <typename Its>
    __host__ __device__ Its moved(std::ptrdiff_t by) const { return Its(Zipped<kPlaces, It>::each + by...); }
    __host__ __device__ const auto& first() const { return std::get<0>(std::tie(Zipped<kPlaces, It>::each...)); }
};
template <typename... It>
using ZippedOf = ZippedAt<std::index_sequence_for<It...>, It...>;

}  // namespace emulated

template <typename Tuple>
struct zip_iterator;
template <typename... It>
struct zip_iterator<tuple<It...>>
    : emulated::Facade<zip_iterator<tuple<It...>>, typename emulated::ZippedOf<It...>::Value, typename emulated::ZippedOf<It...>::Reference> {
    zip_iterator() = default;
    __host__ __device__ explicit zip_iterator(const It&... its) : its_(its...) {}
    __host__ __device__ zip_iterator(const tuple<It...>& its) : zip_iterator(std::apply([](const It&... each) { return zip_iterator(each...); }, its)) {}
    __host__ __device__ typename emulated::ZippedOf<It...>::Reference at(std::ptrdiff_t i) const { return its_.at(i); }
    __host__ __device__ zip_iterator moved(std::ptrdiff_t by) const { return its_.template moved<zip_iterator>(by); }
    __host__ __device__ std::ptrdiff_t from(const zip_iterator& other) const { return its_.first() - other.its_.first(); }

 private:
    emulated::ZippedOf<It...> its_;
};
template <typename... It>
__host__ __device__ zip_iterator<tuple<It...>> make_zip_iterator(const tuple<It...>& its) { return {its}; }
template <typename First, typename Second, typename... It>
__host__ __device__ zip_iterator<tuple<First, Second, It...>> make_zip_iterator(First first, Second second, It... its) {
    return zip_iterator<tuple<First, Second, It...>>(first, second, its...);
}

}  // namespace thrust
