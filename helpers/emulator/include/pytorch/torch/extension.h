// The part of PyTorch's C++ interface that classic kernel files use: torch::Tensor as a view of dense memory, checks,
// PYBIND11_MODULE. Plain C++ and the CUDA runtime, for the emulator and for nvcc, in a second instead of a minute.
// helpers/run/classic.py calls the functions that such a file hands to Python. A name that is missing here is a
// compiler's error; on a GPU the file is then built with PyTorch's own headers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#define ELEMENTWISE_TORCH_STAND_IN 1

namespace c10 {

enum class ScalarType : int { Byte,
                              Char,
                              Short,
                              Int,
                              Long,
                              Half,
                              Float,
                              Double,
                              Bool,
                              BFloat16,
                              Float8_e4m3fn,
                              Float8_e5m2 };
enum class DeviceType : int { CPU,
                              CUDA };
using Half = __half;
using BFloat16 = __nv_bfloat16;
using IntArrayRef = std::vector<int64_t>;

// The ScalarType of a C++ type.
template <typename T>
struct ScalarTypeOf;
// clang-format off
#define ELEMENTWISE_SCALAR_TYPES(F) \
    F(uint8_t, Byte, "unsigned char") \
    F(int8_t, Char, "signed char") F(int16_t, Short, "short int") F(int32_t, Int, "int") \
        F(int64_t, Long, "long int") F(__half, Half, "c10::Half") F(float, Float, "float") F(double, Double, "double") \
            F(bool, Bool, "bool") F(__nv_bfloat16, BFloat16, "c10::BFloat16") \
                F(__nv_fp8_e4m3, Float8_e4m3fn, "c10::Float8_e4m3fn") F(__nv_fp8_e5m2, Float8_e5m2, "c10::Float8_e5m2")
// clang-format on
#define ELEMENTWISE_OF(T, Name, words) \
    template <> \
    struct ScalarTypeOf<T> { \
        static constexpr ScalarType value = ScalarType::Name; \
    };
ELEMENTWISE_SCALAR_TYPES(ELEMENTWISE_OF)
#undef ELEMENTWISE_OF

inline const char* toString(ScalarType type) {
    switch (type) {
#define ELEMENTWISE_CASE(T, Name, words) \
    case ScalarType::Name: return words;
        ELEMENTWISE_SCALAR_TYPES(ELEMENTWISE_CASE)
#undef ELEMENTWISE_CASE
    }
    return "?";
}
inline int64_t elementSize(ScalarType type) {
    switch (type) {
#define ELEMENTWISE_CASE(T, Name, words) \
    case ScalarType::Name: return sizeof(T);
        ELEMENTWISE_SCALAR_TYPES(ELEMENTWISE_CASE)
#undef ELEMENTWISE_CASE
    }
    return 0;
}
inline std::ostream& operator<<(std::ostream& to, ScalarType type) { return to << toString(type); }

constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = kByte, kChar = ScalarType::Char, kInt8 = kChar;
constexpr ScalarType kShort = ScalarType::Short, kInt16 = kShort, kInt = ScalarType::Int, kInt32 = kInt;
constexpr ScalarType kLong = ScalarType::Long, kInt64 = kLong, kHalf = ScalarType::Half, kFloat16 = kHalf;
constexpr ScalarType kFloat = ScalarType::Float, kFloat32 = kFloat, kDouble = ScalarType::Double, kFloat64 = kDouble;
constexpr ScalarType kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kFloat8_e4m3fn = ScalarType::Float8_e4m3fn, kFloat8_e5m2 = ScalarType::Float8_e5m2;
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;

struct Device {
    DeviceType kind = kCUDA;
    Device(DeviceType kind = kCUDA, int = 0) : kind(kind) {}
    DeviceType type() const { return kind; }
    int index() const { return 0; }
    bool is_cuda() const { return kind == kCUDA; }
    bool is_cpu() const { return kind == kCPU; }
    bool operator==(const Device& other) const { return kind == other.kind; }
    bool operator!=(const Device& other) const { return kind != other.kind; }
};

struct TensorOptions {
    ScalarType type = kFloat;
    Device where;
    TensorOptions() = default;
    TensorOptions(ScalarType type) : type(type) {}
    TensorOptions dtype(ScalarType other) const {
        TensorOptions result = *this;
        result.type = other;
        return result;
    }
    TensorOptions device(Device, int = 0) const { return *this; }
    TensorOptions requires_grad(bool) const { return *this; }
    ScalarType dtype() const { return type; }
    Device device() const { return where; }
};
inline std::ostream& operator<<(std::ostream& to, const TensorOptions& options) {
    return to << "TensorOptions(dtype=" << options.type << ", device=cuda:0)";
}

[[noreturn]] inline void fail(const std::string& words) { throw std::runtime_error(words); }
// Numbers and texts without a stream: where the compiler puts a C++ library of its own into the kernel's library, a
// stream finds the locale of the process's other one, and crashes.
template <typename T>
inline std::string shown(const T& part) {
    if constexpr (std::is_floating_point_v<T>) {
        char text[32];
        snprintf(text, sizeof text, "%g", static_cast<double>(part));
        return text;
    } else if constexpr (std::is_same_v<T, char>) {
        return std::string(1, part);
    } else if constexpr (std::is_integral_v<T>) {
        return std::to_string(part);
    } else if constexpr (std::is_same_v<T, ScalarType>) {
        return toString(part);
    } else if constexpr (std::is_convertible_v<const T&, std::string>) {
        return part;
    } else if constexpr (std::is_same_v<T, IntArrayRef>) {
        std::string text;
        for (const int64_t one : part) text += (text.empty() ? "" : ", ") + std::to_string(one);
        return "[" + text + "]";
    } else {
        std::ostringstream text;
        text << part;
        return text.str();
    }
}
template <typename... A>
inline std::string words(const A&... parts) {
    return (std::string() + ... + shown(parts));
}

}  // namespace c10

namespace at {
using namespace c10;

// How an accessor's pointer is declared.
template <typename T>
struct DefaultPtrTraits {
    using PtrType = T*;
};
template <typename T>
struct RestrictPtrTraits {
    using PtrType = T* __restrict__;
};
// A tensor's elements by their places, in a kernel and in host code: accessor[row][column].
template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits, typename Index = int64_t>
class TensorAccessor {
 public:
    using PtrType = typename PtrTraits<T>::PtrType;
    __host__ __device__ TensorAccessor(PtrType data, const Index* sizes, const Index* strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    __host__ __device__ decltype(auto) operator[](Index i) const {
        if constexpr (N == 1) {
            return (data_[strides_[0] * i]);
        } else {
            return TensorAccessor<T, N - 1, PtrTraits, Index>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
        }
    }
    __host__ __device__ Index size(Index i) const { return sizes_[i]; }
    __host__ __device__ Index stride(Index i) const { return strides_[i]; }
    __host__ __device__ PtrType data() const { return data_; }

 private:
    PtrType data_;
    const Index* sizes_;
    const Index* strides_;
};
// The same with sizes and strides of its own, so that a kernel can be given it.
template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits, typename Index = int64_t>
class GenericPackedTensorAccessor {
 public:
    using PtrType = typename PtrTraits<T>::PtrType;
    template <typename Sizes>
    GenericPackedTensorAccessor(PtrType data, const Sizes& sizes) : data_(data) {
        Index step = 1;
        for (size_t i = N; i-- > 0; step *= sizes_[i]) {
            sizes_[i] = static_cast<Index>(sizes[i]);
            strides_[i] = step;
        }
    }
    __host__ __device__ decltype(auto) operator[](Index i) const {
        return TensorAccessor<T, N, PtrTraits, Index>(data_, sizes_, strides_)[i];
    }
    __host__ __device__ Index size(Index i) const { return sizes_[i]; }
    __host__ __device__ Index stride(Index i) const { return strides_[i]; }
    __host__ __device__ PtrType data() const { return data_; }

 private:
    PtrType data_;
    Index sizes_[N];
    Index strides_[N];
};
template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits, typename Index = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, Index>;

// Dense memory of the GPU in row-major order.
class Tensor {
 public:
    Tensor() = default;
    Tensor(void* data, std::vector<int64_t> sizes, ScalarType type, std::shared_ptr<void> owner = {})
        : data_(data), sizes_(std::move(sizes)), type_(type), owner_(std::move(owner)) {}

    void* data_ptr() const { return data_; }
    template <typename T>
    T* data_ptr() const {
        using Plain = std::remove_const_t<T>;
        if (ScalarTypeOf<Plain>::value != type_) {
            fail(words("expected scalar type ", toString(ScalarTypeOf<Plain>::value), " but found ", toString(type_)));
        }
        return static_cast<T*>(data_);
    }
    template <typename T>
    const T* const_data_ptr() const { return data_ptr<const T>(); }
    template <typename T>
    T* mutable_data_ptr() const { return data_ptr<T>(); }

    template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits, typename Index = int64_t>
    PackedTensorAccessor<T, N, PtrTraits, Index> packed_accessor() const {
        if (dim() != static_cast<int64_t>(N)) fail(words("TensorAccessor expected ", N, " dims but tensor has ", dim()));
        return {data_ptr<T>(), sizes_};
    }
    template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const { return packed_accessor<T, N, PtrTraits, int32_t>(); }
    template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const { return packed_accessor<T, N, PtrTraits, int64_t>(); }

    int64_t dim() const { return static_cast<int64_t>(sizes_.size()); }
    int64_t ndimension() const { return dim(); }
    const std::vector<int64_t>& sizes() const { return sizes_; }
    int64_t size(int64_t axis) const { return sizes_.at(static_cast<size_t>(axis < 0 ? axis + dim() : axis)); }
    int64_t stride(int64_t axis) const {
        int64_t step = 1;
        for (int64_t later = (axis < 0 ? axis + dim() : axis) + 1; later < dim(); ++later) step *= size(later);
        return step;
    }
    int64_t numel() const {
        int64_t count = 1;
        for (const int64_t size : sizes_) count *= size;
        return count;
    }
    int64_t element_size() const { return elementSize(type_); }
    int64_t itemsize() const { return element_size(); }
    int64_t nbytes() const { return numel() * element_size(); }
    ScalarType scalar_type() const { return type_; }
    ScalarType dtype() const { return type_; }
    ScalarType type() const { return type_; }
    TensorOptions options() const { return TensorOptions(type_); }
    Device device() const { return {}; }
    int64_t get_device() const { return 0; }
    bool is_cuda() const { return true; }
    bool is_cpu() const { return false; }
    bool is_contiguous() const { return true; }
    bool defined() const { return data_ != nullptr; }
    Tensor contiguous() const { return *this; }
    Tensor detach() const { return *this; }

 private:
    void* data_ = nullptr;
    std::vector<int64_t> sizes_;
    ScalarType type_ = kFloat;
    std::shared_ptr<void> owner_;
};

inline Tensor empty(std::vector<int64_t> sizes, TensorOptions options = {}) {
    Tensor shape(nullptr, sizes, options.dtype());
    void* memory = nullptr;
    if (shape.nbytes() && cudaMalloc(&memory, static_cast<size_t>(shape.nbytes())) != cudaSuccess) fail("out of memory");
    return Tensor(memory, std::move(sizes), options.dtype(), std::shared_ptr<void>(memory, [](void* at) { cudaFree(at); }));
}
inline Tensor zeros(std::vector<int64_t> sizes, TensorOptions options = {}) {
    const Tensor result = empty(std::move(sizes), options);
    if (result.nbytes()) cudaMemset(result.data_ptr(), 0, static_cast<size_t>(result.nbytes()));
    return result;
}
inline Tensor empty_like(const Tensor& other) { return empty(other.sizes(), other.options()); }
inline Tensor zeros_like(const Tensor& other) { return zeros(other.sizes(), other.options()); }
inline Device device_of(const Tensor& tensor) { return tensor.device(); }

}  // namespace at

namespace c10 {
namespace cuda {

// The stream of the caller, which helpers/run/classic.py passes on.
inline cudaStream_t& caller_stream() {
    static thread_local cudaStream_t stream = nullptr;
    return stream;
}
struct CUDAStream {
    cudaStream_t stream() const { return caller_stream(); }
    operator cudaStream_t() const { return stream(); }
};
inline CUDAStream getCurrentCUDAStream(int = 0) { return {}; }
struct CUDAGuard {
    template <typename T>
    explicit CUDAGuard(const T&) {}
};
using OptionalCUDAGuard = CUDAGuard;
inline void check(cudaError_t error) {
    if (error != cudaSuccess) fail(std::string("CUDA error: ") + cudaGetErrorString(error));
}

}  // namespace cuda
}  // namespace c10

namespace at {
namespace cuda {
using namespace c10::cuda;
}
}  // namespace at
namespace torch {
using namespace at;
namespace cuda {
using namespace c10::cuda;
}
}  // namespace torch

#define TORCH_CHECK(condition, ...) \
    if (!(condition)) ::c10::fail(::c10::words(__VA_ARGS__))
#define AT_ASSERTM TORCH_CHECK
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define C10_CUDA_CHECK(call) ::c10::cuda::check(call)
#define AT_CUDA_CHECK C10_CUDA_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ::c10::cuda::check(cudaGetLastError())

#define ELEMENTWISE_DISPATCH(T, ...) \
    case ::c10::ScalarTypeOf<T>::value: { \
        using scalar_t [[maybe_unused]] = T; \
        return __VA_ARGS__(); \
    }
#define ELEMENTWISE_SWITCH(type, name, ...) \
    [&] { \
        switch (type) { \
            __VA_ARGS__ \
            default: ::c10::fail(::c10::words(name, " not implemented for '", ::c10::toString(type), "'")); \
        } \
    }()
// Of a ScalarType that the file names, as in AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, ...).
namespace c10 {
template <ScalarType>
struct ElementOf;
#define ELEMENTWISE_OF(T, Name, words) \
    template <> \
    struct ElementOf<ScalarType::Name> { \
        using type = T; \
    };
ELEMENTWISE_SCALAR_TYPES(ELEMENTWISE_OF)
#undef ELEMENTWISE_OF
}  // namespace c10
#define AT_DISPATCH_CASE(kind, ...) \
    case kind: { \
        using scalar_t [[maybe_unused]] = ::c10::ElementOf<kind>::type; \
        return __VA_ARGS__(); \
    }
#define AT_DISPATCH_SWITCH ELEMENTWISE_SWITCH
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) \
    ELEMENTWISE_DISPATCH(float, __VA_ARGS__) \
    ELEMENTWISE_DISPATCH(double, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...) \
    ELEMENTWISE_DISPATCH(uint8_t, __VA_ARGS__) \
    ELEMENTWISE_DISPATCH(int8_t, __VA_ARGS__) \
    ELEMENTWISE_DISPATCH(int16_t, __VA_ARGS__) \
    ELEMENTWISE_DISPATCH(int32_t, __VA_ARGS__) \
    ELEMENTWISE_DISPATCH(int64_t, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) \
    ELEMENTWISE_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) \
    AT_DISPATCH_FLOATING_TYPES_AND(::c10::ScalarType::Half, type, name, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(one, type, name, ...) \
    ELEMENTWISE_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(one, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(one, two, type, name, ...) \
    ELEMENTWISE_SWITCH( \
        type, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(one, __VA_ARGS__) AT_DISPATCH_CASE(two, __VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(type, name, ...) \
    ELEMENTWISE_SWITCH(type, name, ELEMENTWISE_DISPATCH(__half, __VA_ARGS__) ELEMENTWISE_DISPATCH(__nv_bfloat16, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(type, name, ...) \
    ELEMENTWISE_SWITCH(type, name, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(type, name, ...) ELEMENTWISE_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(one, type, name, ...) \
    ELEMENTWISE_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(one, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(one, two, type, name, ...) \
    ELEMENTWISE_SWITCH( \
        type, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(one, __VA_ARGS__) AT_DISPATCH_CASE(two, __VA_ARGS__))

// What a file hands to Python: helpers/run/classic.py has read it from the text.
namespace pybind11 {
struct arg {
    explicit arg(const char*) {}
    template <typename T>
    arg& operator=(const T&) { return *this; }
};
struct module_ {
    template <typename... A>
    module_& def(const A&...) { return *this; }
    template <typename T>
    void attr(const T&) {}
    const char*& doc() {
        static const char* words = "";
        return words;
    }
};
}  // namespace pybind11
namespace py = pybind11;
#define PYBIND11_MODULE(name, m) [[maybe_unused]] static void elementwise_module(::pybind11::module_& m)
namespace torch {
struct Library {
    template <typename... A>
    Library& def(const A&...) { return *this; }
    template <typename... A>
    Library& impl(const A&...) { return *this; }
};
}  // namespace torch
#define TORCH_FN(function) (function)
#define ELEMENTWISE_JOINED(a, b) a##b
#define ELEMENTWISE_LIBRARY(m, number) [[maybe_unused]] static void ELEMENTWISE_JOINED(elementwise_library_, number)(::torch::Library & m)
#define TORCH_LIBRARY(name, m) ELEMENTWISE_LIBRARY(m, __COUNTER__)
#define TORCH_LIBRARY_FRAGMENT(name, m) ELEMENTWISE_LIBRARY(m, __COUNTER__)
#define TORCH_LIBRARY_IMPL(name, key, m) ELEMENTWISE_LIBRARY(m, __COUNTER__)
