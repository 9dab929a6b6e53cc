// elementwise::add, gelu and bias_gelu_residual as operators of PyTorch, and Python's functions that call them.
//
// From the top: checks, the implementations (CUDA, CPU, Meta), gradients, the registration, the functions.
// `__init__.py` builds it with kernels/fast_operators.cu; for a CPU alone, WITH_CUDA is not defined.
#include <ATen/ExpandUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/library.h>

#include <initializer_list>
#include <string>

#ifdef WITH_CUDA
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// ---- Checks: one sentence that names the operator, the argument and what to do ------------------------------
//
// The sentences are put together as strings: PyTorch's libraries export parts of a C++ library of their own, and a
// stream that is made of both ends the process.

std::string dtype_of(const Tensor& x) {  // as Python names it
    return std::string(c10::getDtypeNames(x.scalar_type()).first);
}

std::string joined(std::initializer_list<std::string> parts) {
    std::string all;
    for (const auto& part : parts) all += part;
    return all;
}

std::string shape_of(const Tensor& x) {
    std::string sizes;
    for (const auto& size : x.sym_sizes()) {
        const auto known = size.maybe_as_int();
        sizes += (sizes.empty() ? "" : ", ") + (known ? std::to_string(*known) : "?");
    }
    return "[" + sizes + "]";
}

void check_dtype(const char* op, const char* name, const Tensor& x) {
    const auto dtype = x.scalar_type();
    TORCH_CHECK_TYPE(dtype == at::kFloat || dtype == at::kHalf || dtype == at::kBFloat16,
                     joined({op, ": ", name, " is ", dtype_of(x),
                             "; it must be float32, float16 or bfloat16. Convert it: ", name, ".float()"}));
}

// y must have the dtype and the device of x.
void check_like(const char* op, const char* x_name, const Tensor& x, const char* y_name, const Tensor& y) {
    TORCH_CHECK_TYPE(x.scalar_type() == y.scalar_type(),
                     joined({op, ": ", x_name, " is ", dtype_of(x), " and ", y_name, " is ", dtype_of(y),
                             "; they must be the same. Convert one: ", y_name, ".to(", x_name, ".dtype)"}));
    TORCH_CHECK_VALUE(x.device() == y.device(),
                      joined({op, ": ", x_name, " is on ", x.device().str(), " and ", y_name, " on ",
                              y.device().str(), ". Move one: ", y_name, ".to(", x_name, ".device)"}));
}

void check_shape(const char* op, const char* x_name, const Tensor& x, const char* y_name, const Tensor& y) {
    TORCH_CHECK_VALUE(x.sym_sizes() == y.sym_sizes(),
                      joined({op, ": ", x_name, " has shape ", shape_of(x), " and ", y_name, " ", shape_of(y),
                              ". Expand first: ", x_name, ", ", y_name, " = torch.broadcast_tensors(", x_name, ", ",
                              y_name, ")"}));
}

void check_add(const Tensor& a, const Tensor& b) {
    check_dtype("elementwise::add", "a", a);
    check_like("elementwise::add", "a", a, "b", b);
    check_shape("elementwise::add", "a", a, "b", b);
}

void check_gelu(const Tensor& x) { check_dtype("elementwise::gelu", "x", x); }

void check_bias_gelu_residual(const Tensor& x, const Tensor& bias, const Tensor& residual) {
    constexpr auto op = "elementwise::bias_gelu_residual";
    check_dtype(op, "x", x);
    check_like(op, "x", x, "bias", bias);
    check_like(op, "x", x, "residual", residual);
    check_shape(op, "x", x, "residual", residual);
    TORCH_CHECK_VALUE(x.dim() > 0 && bias.dim() == 1 && bias.sym_size(0) == x.sym_size(-1),
                      joined({op, ": x has shape ", shape_of(x), " and bias ", shape_of(bias),
                              "; bias must have one dimension, as long as the last one of x"}));
}

Tensor new_like(const Tensor& x) { return at::empty_like(x, {}, at::MemoryFormat::Contiguous); }

// ---- CUDA ---------------------------------------------------------------------------------------------------

#ifdef WITH_CUDA
using Unary = cudaError_t(const void* x, void* out, int64_t n, cudaStream_t stream);
using Binary = cudaError_t(const void* a, const void* b, void* out, int64_t n, cudaStream_t stream);
using Fused = cudaError_t(const void* x, const void* bias, const void* residual, void* out, int64_t rows, int64_t cols,
                          cudaStream_t stream);
extern "C" Binary fast_add, fast_add_f16, fast_add_bf16;
extern "C" Unary fast_gelu, fast_gelu_f16, fast_gelu_bf16;
extern "C" Fused fast_bias_gelu_residual, fast_bias_gelu_residual_f16, fast_bias_gelu_residual_bf16;

template <typename Launcher>
Launcher* launcher_for(const Tensor& x, Launcher* f32, Launcher* f16, Launcher* bf16) {
    return x.scalar_type() == at::kFloat ? f32 : x.scalar_type() == at::kHalf ? f16
                                                                              : bf16;
}

Tensor add_cuda(const Tensor& a, const Tensor& b) {
    check_add(a, b);
    const c10::cuda::CUDAGuard guard(a.device());
    const auto a_in = a.expect_contiguous(), b_in = b.expect_contiguous();
    Tensor out = new_like(a);
    auto* const launch = launcher_for(a, fast_add, fast_add_f16, fast_add_bf16);
    C10_CUDA_CHECK(launch(a_in->const_data_ptr(), b_in->const_data_ptr(), out.mutable_data_ptr(), a.numel(),
                          c10::cuda::getCurrentCUDAStream()));
    return out;
}

Tensor gelu_cuda(const Tensor& x) {
    check_gelu(x);
    const c10::cuda::CUDAGuard guard(x.device());
    const auto x_in = x.expect_contiguous();
    Tensor out = new_like(x);
    auto* const launch = launcher_for(x, fast_gelu, fast_gelu_f16, fast_gelu_bf16);
    C10_CUDA_CHECK(
        launch(x_in->const_data_ptr(), out.mutable_data_ptr(), x.numel(), c10::cuda::getCurrentCUDAStream()));
    return out;
}

Tensor bias_gelu_residual_cuda(const Tensor& x, const Tensor& bias, const Tensor& residual) {
    check_bias_gelu_residual(x, bias, residual);
    const c10::cuda::CUDAGuard guard(x.device());
    const auto x_in = x.expect_contiguous(), bias_in = bias.expect_contiguous(),
               residual_in = residual.expect_contiguous();
    Tensor out = new_like(x);
    if (x.numel() == 0) return out;
    auto* const launch = launcher_for(x, fast_bias_gelu_residual, fast_bias_gelu_residual_f16,
                                      fast_bias_gelu_residual_bf16);
    C10_CUDA_CHECK(launch(x_in->const_data_ptr(), bias_in->const_data_ptr(), residual_in->const_data_ptr(),
                          out.mutable_data_ptr(), x.numel() / x.size(-1), x.size(-1),
                          c10::cuda::getCurrentCUDAStream()));
    return out;
}
#endif

// ---- CPU: PyTorch's operators, in float32 where the kernels compute in it -----------------------------------

Tensor add_cpu(const Tensor& a, const Tensor& b) {
    check_add(a, b);
    return at::add(a.contiguous(), b.contiguous());
}

Tensor gelu_cpu(const Tensor& x) {
    check_gelu(x);
    return at::gelu(x.contiguous());
}

Tensor bias_gelu_residual_cpu(const Tensor& x, const Tensor& bias, const Tensor& residual) {
    check_bias_gelu_residual(x, bias, residual);
    const auto wide = [](const Tensor& tensor) { return tensor.contiguous().to(at::kFloat); };
    return at::add(at::gelu(at::add(wide(x), wide(bias))), wide(residual)).to(x.scalar_type());
}

// ---- Meta: the result's shape and dtype, without data. torch.compile traces with it --------------------------

Tensor add_meta(const Tensor& a, const Tensor& b) {
    check_add(a, b);
    return new_like(a);
}

Tensor gelu_meta(const Tensor& x) {
    check_gelu(x);
    return new_like(x);
}

Tensor bias_gelu_residual_meta(const Tensor& x, const Tensor& bias, const Tensor& residual) {
    check_bias_gelu_residual(x, bias, residual);
    return new_like(x);
}

// ---- Calls through the dispatcher, which chooses one of the above by the tensors' device ---------------------

template <typename Signature>
c10::TypedOperatorHandle<Signature> find(const char* name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

Tensor dispatch_add(const Tensor& a, const Tensor& b) {
    static const auto op = find<Tensor(const Tensor&, const Tensor&)>("elementwise::add");
    return op.call(a, b);
}

Tensor dispatch_gelu(const Tensor& x) {
    static const auto op = find<Tensor(const Tensor&)>("elementwise::gelu");
    return op.call(x);
}

Tensor dispatch_bias_gelu_residual(const Tensor& x, const Tensor& bias, const Tensor& residual) {
    static const auto op =
        find<Tensor(const Tensor&, const Tensor&, const Tensor&)>("elementwise::bias_gelu_residual");
    return op.call(x, bias, residual);
}

// ---- Gradients, in PyTorch's operators, so that they have gradients of their own ------------------------------

struct AddFunction : Function<AddFunction> {
    static Tensor forward(AutogradContext*, const Tensor& a, const Tensor& b) {
        const at::AutoDispatchBelowADInplaceOrView below;
        return dispatch_add(a, b);
    }
    static variable_list backward(AutogradContext*, const variable_list& grad) { return {grad[0], grad[0]}; }
};

struct GeluFunction : Function<GeluFunction> {
    static Tensor forward(AutogradContext* context, const Tensor& x) {
        const at::AutoDispatchBelowADInplaceOrView below;
        context->save_for_backward({x});
        return dispatch_gelu(x);
    }
    static variable_list backward(AutogradContext* context, const variable_list& grad) {
        return {at::gelu_backward(grad[0], context->get_saved_variables()[0])};
    }
};

struct BiasGeluResidualFunction : Function<BiasGeluResidualFunction> {
    static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& bias, const Tensor& residual) {
        const at::AutoDispatchBelowADInplaceOrView below;
        context->save_for_backward({x, bias});
        return dispatch_bias_gelu_residual(x, bias, residual);
    }
    static variable_list backward(AutogradContext* context, const variable_list& grad) {
        const auto saved = context->get_saved_variables();
        const Tensor x = at::gelu_backward(grad[0], at::add(saved[0], saved[1]));
        return {x, at::sum_to(x, saved[1].sym_sizes()), grad[0]};  // the bias served every row
    }
};

// Without a gradient to record, nothing is built for one. Forward-mode gradients: Function says that it has none.
template <typename... Tensors>
bool records(const Tensors&... x) {
    return (at::GradMode::is_enabled() && (x.requires_grad() || ...)) || (x._fw_grad(0).defined() || ...);
}

Tensor add_autograd(const Tensor& a, const Tensor& b) {
    if (records(a, b)) return AddFunction::apply(a, b);
    const at::AutoDispatchBelowADInplaceOrView below;
    return dispatch_add(a, b);
}

Tensor gelu_autograd(const Tensor& x) {
    if (records(x)) return GeluFunction::apply(x);
    const at::AutoDispatchBelowADInplaceOrView below;
    return dispatch_gelu(x);
}

Tensor bias_gelu_residual_autograd(const Tensor& x, const Tensor& bias, const Tensor& residual) {
    if (records(x, bias, residual)) return BiasGeluResidualFunction::apply(x, bias, residual);
    const at::AutoDispatchBelowADInplaceOrView below;
    return dispatch_bias_gelu_residual(x, bias, residual);
}

// ---- The registration -----------------------------------------------------------------------------------------

void register_all(torch::Library& m, decltype(dispatch_add) add, decltype(dispatch_gelu) gelu, decltype(dispatch_bias_gelu_residual) fused) {
    m.impl("add", add);
    m.impl("gelu", gelu);
    m.impl("bias_gelu_residual", fused);
}

TORCH_LIBRARY(elementwise, m) {
    m.def("add(Tensor a, Tensor b) -> Tensor", {at::Tag::pt2_compliant_tag});
    m.def("gelu(Tensor x) -> Tensor", {at::Tag::pt2_compliant_tag});
    m.def("bias_gelu_residual(Tensor x, Tensor bias, Tensor residual) -> Tensor", {at::Tag::pt2_compliant_tag});
}
#ifdef WITH_CUDA
TORCH_LIBRARY_IMPL(elementwise, CUDA, m) { register_all(m, add_cuda, gelu_cuda, bias_gelu_residual_cuda); }
#endif
TORCH_LIBRARY_IMPL(elementwise, CPU, m) { register_all(m, add_cpu, gelu_cpu, bias_gelu_residual_cpu); }
TORCH_LIBRARY_IMPL(elementwise, Meta, m) { register_all(m, add_meta, gelu_meta, bias_gelu_residual_meta); }
TORCH_LIBRARY_IMPL(elementwise, Autograd, m) {
    register_all(m, add_autograd, gelu_autograd, bias_gelu_residual_autograd);
}

// ---- The functions: Python's tensors in, the dispatcher, a tensor out -------------------------------------------
//
// torch.ops.elementwise.add(a, b) reads its arguments by the schema at each call. These know the schema when they
// are compiled. What is no plain tensor (a subclass, a keyword, a mode of Python) goes the general way.

template <size_t... I>
bool are_plain(PyObject* const* args, std::index_sequence<I...>) {
    return (THPVariable_CheckExact(args[I]) && ...) && !at::impl::torch_function_mode_enabled();
}

template <typename Op, size_t... I>
Tensor call_plain(Op op, PyObject* const* args, std::index_sequence<I...>) {
    const pybind11::gil_scoped_release released;
    return op(THPVariable_Unpack(args[I])...);
}

template <typename... T>
PyObject* call(Tensor (*op)(const T&...), const char* name, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    HANDLE_TH_ERRORS
    using All = std::index_sequence_for<T...>;
    if (count == sizeof...(T) && !names && are_plain(args, All{})) {
        return THPVariable_Wrap(call_plain(op, args, All{}));
    }
    const auto general = pybind11::module_::import("torch").attr("ops").attr("elementwise").attr(name);
    return PyObject_Vectorcall(general.ptr(), args, count, names);
    END_HANDLE_TH_ERRORS
}

#define FUNCTION(op) \
    PyObject* python_##op(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) { \
        return call(dispatch_##op, #op, args, count, names); \
    }
FUNCTION(add)
FUNCTION(gelu)
FUNCTION(bias_gelu_residual)
#undef FUNCTION

#define ENTRY(op, signature, words) \
    {#op, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(python_##op)), METH_FASTCALL | METH_KEYWORDS, \
     #op signature "\n--\n\n" words}
PyMethodDef methods[] = {
    ENTRY(add, "(a, b)", "Return a + b, of one shape, dtype and device."),
    ENTRY(gelu, "(x)", "Return x Phi(x)."),
    ENTRY(bias_gelu_residual, "(x, bias, residual)", "Return gelu(x + bias) + residual; bias is one row."),
    {},
};

}  // namespace

PyMODINIT_FUNC PyInit_elementwise_ops() {
    static PyModuleDef module = {PyModuleDef_HEAD_INIT, "elementwise_ops", nullptr, -1, methods};
    return PyModule_Create(&module);
}
