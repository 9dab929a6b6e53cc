"""One hint for each mistake, and the same words for both sides."""

import pytest

from helpers.emulator import hints


@pytest.mark.parametrize(
    ("clang", "nvcc", "words"),
    [
        (
            "non-void function does not return a value",
            'missing return statement at end of non-void function "one"',
            "a function that returns a value ends without a return statement",
        ),
        (
            "non-void function does not return a value in all control paths",
            'missing return statement at end of non-void function "f<T>(T)"',
            "a function that returns a value ends without a return statement",
        ),
        (
            "variable 'sum' is uninitialized when used here",
            'variable "sum" is used before its value is set',
            "variable 'sum' is used before it is set",
        ),
        (
            "initialization is not supported for __shared__ variables.",
            "dynamic initialization is not supported for a function-scope static __shared__ "
            "variable within a __device__/__global__ function",
            "a __shared__ variable cannot be initialised: no constructor or value is run",
        ),
        (
            "non-constant-expression cannot be narrowed from type 'int' to 'float' in "
            "initializer list",
            'invalid narrowing conversion from "int" to "float"',
            "invalid narrowing conversion from 'int' to 'float'",
        ),
        (
            "defaulted 'bool Cell::operator==(const Cell&) const' only available with "
            "'-std=c++20' or '-std=gnu++20'",
            '"= default" can only appear on default constructors, copy/move constructors',
            "'operator== = default' is C++20",
        ),
    ],
)
def test_clang_and_nvcc_come_to_the_same_words(clang, nvcc, words):
    assert hints.plain_words(clang) == hints.plain_words(nvcc) == words


def test_a_missing_overload_is_told_by_its_note():
    note = "candidate function not viable: call to __host__ function from __global__ function"
    said = hints.plain_words("no matching function for call to 'one'", [note])
    assert said == "call to __host__ function 'one' from __global__ function"
    other = "candidate function not viable: requires 2 arguments, but 1 was provided"
    assert hints.plain_words("no matching function for call to 'f'", [other]).startswith("no m")


def test_no_name_of_the_front_end_is_shown():
    said = "reference to __device__ function 'threadIdx_x' in __host__ function"
    plain = "use of the kernel's built-in variable 'threadIdx.x' in __host__ function"
    assert hints.plain_words(said) == plain
    assert hints.plain_words("no match for 'emulator_t_tile'") == "no match for 'tile'"
    of_tile = "StaticShared<emulator_t_tile, 1, 7, k(const float*, int)::emulator_s_tile>::get"
    assert hints.plain_words(f"no match for '{of_tile}'") == "no match for 'tile::get'"
    said = "'bar' was not declared in this scope; did you mean 'emulator_s_bar'?"
    assert hints.plain_words(said) == "'bar' was not declared in this scope"
    assert hints.plain_words("'struct k()::emulator_s_bar' is local") == "'bar' is local"
    said = "no matching function for call to 'Config::Config(const char [2], int)'"
    assert hints.plain_words(said) == "wrong <<<...>>>"


def test_a_kernel_template_without_a_body_is_told_as_other_functions_are():
    said = (
        "inlining failed in call to 'always_inline' 'void turned(const T*, T*, int) "
        "[with T = float]': function body not available"
    )
    words = "the code of `turned` is not in this file or what it includes"
    assert hints.plain_words(said) == words
    assert "#include the file that has it" in hints.message("k.cu", [f"k.cu:4: {words}"])


NO_ADDRESS = "candidate function not viable: no known conversion from 'int' to 'int *' for 1st "


def test_an_address_that_is_missing():
    """As clang, g++ and nvcc say it: `atomicAdd(count, 1)`."""
    note = NO_ADDRESS + "argument; take the address of the argument with &"
    clang = hints.plain_words("no matching function for call to 'atomicMax'", [note])
    nvcc = 'no instance of overloaded function "atomicMax" matches the argument list\n    '
    for words in (
        clang,
        "no matching function for call to 'atomicMax(int&, int)'",
        nvcc + "argument types are: (int, int)",
    ):
        assert hints.hint(words) == "an atomic takes an address: atomicAdd(&count, 1)"
    clang = hints.plain_words("no matching function for call to 'f'", [note])
    assert "address" in hints.hint(clang)
    for words in (
        hints.plain_words("no matching function for call to 'atomicMax'", [NO_ADDRESS]),
        "no matching function for call to 'atomicMax(float*, float)'",
        nvcc + "argument types are: (float *, float)",
    ):
        assert hints.hint(words).startswith("this atomic takes int")


def test_a_dim3_of_something_else():
    note = (
        "candidate constructor not viable: call to __device__ function from __host__ function"
    )
    for words in (
        "no matching constructor for initialization of 'dim3'",
        "no viable conversion from 'const char[2]' to 'dim3'",
    ):
        said = hints.plain_words(words, [note])
        assert said == words and "whole numbers: dim3 grid(4, 2)" in hints.hint(said)
    for words in (
        "no matching function for call to 'dim3::dim3(int, int, int, int)'",
        'no instance of constructor "dim3::dim3" matches the argument list',
        'no suitable constructor exists to convert from "const char [2]" to "dim3"',
    ):
        assert "dim3 grid(4, 2)" in hints.hint(words)


def test_a_jump_past_an_initialisation():
    for words in (
        "cannot jump from switch statement to this case label",
        "cannot jump from this goto statement to its label",
        "transfer of control bypasses initialization of:",
        "jump to case label",
    ):
        said = hints.plain_words(words)
        assert said == "a jump past the initialisation of a variable"
        assert hints.hint(said).startswith("put each case that declares a variable in braces")


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("kernel call to non-global function 'k'", "write __global__ before"),
        ("call to __host__ function 'f' from __global__ function", "write __device__ before"),
        ('calling a __device__ function("f") from a __host__ function', "host code launches"),
        ("call to global function 'k' not configured", "k<<<grid, block, 0, stream>>>(...)"),
        ("variable 'x' is used before it is set", "float sum = 0.0f"),
        ("use of overloaded operator '+' is ambiguous", "half(x) or float(x)"),
        ("call to 'min' is ambiguous", "both numbers must have one type"),
        (
            'more than one instance of overloaded function "hypot" has "C" linkage',
            "take another name",
        ),
        ("functions that differ only in their return type cannot be", "take another name"),
        ("cannot use 'throw' in __global__ function", "no exceptions"),
        ("'class at::Tensor' has no member named 'sin'", "data_ptr<float>()"),
        ("'relu' is not a member of 'torch'", "data_ptr<float>()"),
        ("ATen/native/Loops.cuh: No such file or directory", "data_ptr<float>()"),
        (
            "use of the kernel's built-in variable 'threadIdx.x' in",
            "threadIdx.x exists in kern",
        ),
        ("indirection requires pointer operand ('int' invalid)", "x[i] * x[i]"),
        ('operand of "*" must be a pointer but has type "int"', "x[i] * x[i]"),
        ("invalid operands to binary expression ('const float' and 'int')", "no ^, % or &"),
        ("expression must have integral or unscoped enum type", "no ^, % or &"),
        ("array subscript is not an integer", "no index"),
        ("invalid operands to binary expression ('const float *' and 'const float *')", "x[i]"),
        ("invalid operands to binary expression ('int' and 'const float *')", "x[i] is"),
        ("invalid argument type 'const float *' to unary expression", "x[i] is"),
        ("assigning to 'float *' from incompatible type 'float'", "x[i] is"),
        ("assigning to 'float' from incompatible type 'const float *'", "x[i] is"),
        ("expression must have arithmetic or unscoped enum type", "x[i] is"),
        (
            'a value of type "float" cannot be assigned to an entity of type "float *"',
            "x[i] is",
        ),
        ("cannot convert 'const float*' to 'float' in assignment", "x[i] is"),
        ("a.cu:3: thrust/sort.h: No such file or directory", "Thrust has iterators"),
        ("a.cu:2: 'cub::DeviceReduce' has not been declared", "#include <cub/cub.cuh>"),
        ("redeclaration of 's' with a different type: 'double[]' vs 'float[]'", "and cast its"),
        ('declaration is incompatible with previous "s" (declared at line 3)', "and cast its"),
        ("a.cu:2: 'cublasHandle_t' was not declared in this scope", "write the kernel"),
        ("a.cu:2: 'CUBLAS_OP_N' was not declared in this scope", "write the kernel"),
        ("a.cu:2: 'cuMemAlloc' was not declared in this scope", "there is no driver API"),
        ("a.cu:2: 'CUdeviceptr' was not declared in this scope", "there is no driver API"),
        ("kernel function 'k' must be a free function or static member function", "no member"),
        (
            "'cudaGraphAddMemAllocNode' was not declared in this scope",
            "or is made by a capture",
        ),
        ("'cudaGraphExecUpdate' was not declared in this scope", "or is made by a capture"),
        ("a.cu:3: cuda/std/chrono: No such file", "<cuda/std/chrono> is not there"),
        (
            "'BlockShuffle' in namespace 'cub' does not name a template type",
            "block_shuffle.cuh",
        ),
        ('namespace "cub" has no member "BlockShuffle"', "block_shuffle.cuh"),
        ("a.cu:2: __device__ variable 'x' is inline", "write static in the place of inline"),
        ("parameter 'm' of a kernel is a pointer to a member", "put it in a struct"),
        ("call to __host__ function 'memcmp' from __global__ function", "of the C++ library"),
        ('calling a __host__ function("std::vector<int>::vector()")', "of the C++ library"),
        (
            "call to __host__ function 'fillet' from __global__ function",
            "write __device__ before",
        ),
        ("'cudaTextureObject_t' was not declared in this scope", "no textures"),
        ("no matching function for call to 'atomicMin'", "a loop with atomicCAS"),
        ("no matching function for call to 'min'", "two numbers of one type"),
        ("no matching function for call to 'atomicAdd'", "float and double"),
        ("no matching function for call to '__shfl_sync'", "members one by one"),
        ("'k': couldn't infer template argument 'N'", "name the template's arguments"),
        ("narrowing conversion of 'x' from 'float' to 'unsigned int'", "unsigned(x)"),
        (
            "no matching function for call to 'cudaMemPrefetchAsync': no known conversion from "
            "'int' to 'cudaMemLocation' for 3rd argument",
            "since CUDA 13",
        ),
        ('suitable constructor exists to convert from "int" to "cudaMemLocation"', "CUDA 13"),
        ("call to deleted constructor of 'Buffer'", "its pointer and sizes"),
        (
            "'this' argument to member function 'at' has type 'const Row', but function is not "
            "marked const",
            "const methods only",
        ),
        ("1st argument ('volatile float4') would lose volatile qualifier", "its members, v.x"),
        (
            "reinterpret_cast from 'const float *' to 'float4 *' casts away qualifiers",
            "const float4*>",
        ),
        ("no matching function for call to 'cudaMalloc'", "cudaMalloc(&x, n * sizeof(float))"),
        ('no instance of overloaded function "cudaMalloc" matches', "cudaMalloc(&x, n"),
        ("no viable conversion from 'const float' to 'float4'", "<const float4*>(a)[i]"),
        ('exists to convert from "const float" to "float4"', "<const float4*>(a)[i]"),
        ("void function 'k' should not return a value", "`return;`"),
        ("return value type does not match the function type", "`return;`"),
        ("k.cu:8: expected '}' for the '{' of line 1", "each { needs its }"),
        ("invalid operands to binary expression ('const uint3' and 'const dim3')", "has .x"),
        (
            "constexpr variable 'half' must be initialized by a constant expression",
            "compile-time constant",
        ),
        ("'CUDART_INF_F' was not declared in this scope", "<math_constants.h>"),
        ('identifier "CUDART_PI_F" is undefined', "<math_constants.h>"),
        ("'CUDA_SUCCESS' was not declared in this scope", "there is no driver API"),
        ("'CUDA_CHECK' was not declared in this scope", ""),
        ("'requires' is C++20", "std::enable_if_t"),
        ("__device__ on a lambda needs nvcc's --extended-lambda", "__device__ operator()"),
        ("annotation on lambda requires --extended-lambda nvcc flag", "__device__ operator()"),
        ("invalid operands to binary expression ('int' and 'dim3')", "block.x - 1"),
        (
            "cannot initialize a parameter of type 'size_t' (aka 'unsigned long') with an "
            "lvalue of type 'cudaStream_t' (aka 'CUstream_st *')",
            "before the stream",
        ),
        (
            'argument of type "cudaStream_t" (aka "CUstream_st *") is incompatible with '
            'parameter of type "size_t" (aka "unsigned long")',
            "before the stream",
        ),
        (
            "cannot initialize a parameter of type 'float *' with an lvalue of type "
            "'const float *'",
            "add const",
        ),
        (
            'argument of type "const float *" is incompatible with parameter of type "float *"',
            "add const",
        ),
        (
            "cannot initialize a parameter of type 'const float *' with an lvalue of type "
            "'const double *'",
            "the same type",
        ),
        ("read-only variable is not assignable", "drop the const"),
        (
            "cannot assign to variable 'i' with const-qualified type 'const int'",
            "drop the const",
        ),
        ("no member named 'bit_cast' in namespace 'std'", "that is C++20"),
        (
            "non-virtual member function marked 'override' hides virtual member function",
            "write __device__ before both",
        ),
        ('execution space mismatch: overridden entity (function "f")', "execution space"),
        ('namespace "std" has no member "vector"', "include the header"),
        (
            "invalid operands to binary expression ('void (const float *, int)' and 'int')",
            "k<<<grid, block>>>",
        ),
        ("no setter defined for property 'x'", "are read-only"),
        ("'cub' does not name a type", "#include <cub/cub.cuh>"),
        ('identifier "cub" is undefined', "#include <cub/cub.cuh>"),
        ("'cooperative_groups' is not a namespace-name", "#include <cooperative_groups.h>"),
        ("'wmma' has not been declared", "#include <mma.h>"),
        ("'curandState' was not declared in this scope", "#include <curand_kernel.h>"),
        ("'cuda' has not been declared", "<cuda/barrier>"),
        ("'make_cuFloatComplex' was not declared in this scope", "#include <cuComplex.h>"),
        ("no matching function for call to 'atomicSub(float*&, float)'", "atomicAdd(p, -x)"),
        ("no matching function for call to 'atomicSub(int&, int)'", "takes an address"),
        (
            "call to __host__ function 'cudaDeviceSynchronize' from __global__ function",
            "leave this out of the kernel",
        ),
        (
            'calling a __host__ function("cudaStreamCreate") from a __global__ function("k")',
            "leave this out of the kernel",
        ),
        ("CUDA has atomicAdd of double already", "a name of your own"),
        ("parameter 'p' of a kernel is a reference", "pass the value"),
        (
            "'const struct thread_block' has no member named 'shfl'",
            "tiled_partition<32>(block)",
        ),
        (
            "'reinterpret_cast' from type 'const int*' to type 'Word*' casts away qualifiers",
            "const",
        ),
        ("no member named 'integral' in namespace 'std'", "that is C++20, and files are"),
    ],
)
def test_the_hint_for(words, advice):
    assert advice in hints.hint(words)


def test_two_addresses_of_which_one_is_assigned_to_the_other_are_no_forgotten_index():
    for words in (
        "assigning to 'float *' from incompatible type 'half *'",
        "cannot convert 'half*' to 'float*' in assignment",
        'a value of type "half *" cannot be assigned to an entity of type "float *"',
        "invalid operands to binary expression ('half2' and 'half')",
    ):
        assert hints.hint(words) == ""


def test_an_overload_that_does_not_fit_says_why():
    note = "candidate template ignored: couldn't infer template argument 'N'"
    words = hints.plain_words("no matching function for call to 'k'", ["x declared here", note])
    assert words == "no matching function for call to 'k': couldn't infer template argument 'N'"


CONST = "candidate function not viable: 1st argument ('const int *') would lose const qualifier"
COUNT = "candidate function not viable: requires 2 arguments, but 1 was provided"


def test_the_only_function_of_a_name_says_why_it_cannot_be_called():
    words = "no matching function for call to 'f'"
    assert hints.plain_words(words, ["x declared here", COUNT]).endswith(
        "'f': requires 2 arguments, but 1 was provided"
    )
    said = hints.plain_words(words, [CONST])
    assert said.endswith("would lose const qualifier")
    assert "const pointer" in hints.hint(said)
    ignored = "candidate template ignored: substitution failure"
    for several in ([CONST, COUNT], [COUNT, ignored]):
        assert hints.plain_words(words, several) == words


def test_a_volatile_vector_that_is_copied_says_so():
    note = "candidate constructor (the implicit copy constructor) not viable: 1st argument "
    words = "no matching constructor for initialization of 'const float4'"
    lost = "1st argument ('volatile float4') would lose volatile qualifier"
    assert hints.plain_words(words, [note.removesuffix("1st argument ") + lost]) == (
        f"{words}: {lost}"
    )
    assert hints.plain_words(words, ["requires 0 arguments, but 1 was provided"]) == words


def test_a_message_has_the_errors_and_the_first_hint_only():
    said = hints.message("k.cu", ["k.cu:1: nobody knows", "k.cu:2: ends without a return", "x"])
    assert said.splitlines() == [
        "k.cu does not compile:",
        "    k.cu:1: nobody knows",
        "    k.cu:2: ends without a return",
        "    x",
        "    hint: every path must return a value, or the function returns void",
    ]
    assert "hint" not in hints.message("k.cu", ["k.cu:1: nobody knows"])


def test_what_was_written_comes_before_what_follows_from_it():
    """`throw std::domain_error("x")` calls a constructor, too."""
    throws = "cannot use 'throw' in __device__ function"
    assert hints.rank(throws) < hints.rank("call to __host__ function from __device__ function")
    annotated = "__device__ on a lambda needs nvcc's --extended-lambda"
    assert hints.rank(annotated) < hints.rank("the type of a lambda is local to host code")


def test_a_word_of_a_later_standard_is_known():
    said = hints.plain_words("unknown type name 'requires'")
    assert said == "'requires' is C++20" and not hints.is_unknown_name(said)
    assert hints.is_about_syntax(said) and hints.is_about_syntax("expected ';' after struct")
    assert not hints.is_about_syntax("use of undeclared identifier 'expected'")


@pytest.mark.parametrize(
    ("compilers", "words", "advice"),
    [
        (
            (
                "'operator<=' cannot be the name of a variable or data member",
                "an operator name must be declared as a function",
            ),
            "'<=>' is C++20",
            "operator<",
        ),
        (
            (
                "lambda expression in an unevaluated operand",
                "a lambda is not allowed in an unevaluated expression",
            ),
            "a lambda in 'decltype' is C++20",
            "a name first",
        ),
        (
            (
                "non-constant condition for static assertion",
                "an asm operand must be an integral constant expression.",
            ),
            'an operand "n" of asm is not a constant',
            "argument of a template",
        ),
    ],
)
def test_what_each_compiler_says_in_words_of_its_own(compilers, words, advice):
    for said in compilers:
        assert hints.plain_words(said) == words
    assert advice in hints.hint(words)


def test_what_is_believed():
    assert hints.is_unknown_name("use of undeclared identifier 'x'")
    assert not hints.is_unknown_name("kernel call to non-global function 'k'")
    assert hints.is_about_cuda("kernel call to non-global function 'k'")
    assert not hints.is_about_cuda("expected ';' after expression")
    accepted = "reference to __host__ function 'f' in __host__ __device__ function"
    assert hints.is_fine_for_nvcc(accepted)
    assert not hints.is_fine_for_nvcc(
        "reference to __host__ function 'f' in __global__ function"
    )


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("no member named 'vector' in namespace 'std'", "include the header"),
        ('namespace "std" has no member "vector"', "include the header"),
        ("'__shfl_down' was not declared in this scope", "__shfl_down_sync"),
        ('identifier "__shfl_down" is undefined', "__shfl_down_sync"),
        ("'__half' was not declared in this scope", "<cuda_fp16.h>"),
        ('identifier "__half" is undefined', "<cuda_fp16.h>"),
        ("a __device__ variable, 'warpSize', is read by host code", "writes 32"),
        ("undefined reference to `__device_builtin_variable_warpSize'", "writes 32"),
        ("reference to __global__ function 'b' in __global__ function", "one after the other"),
        ("'cudaThreadSynchronize' was not declared in this scope", "cudaDeviceSynchronize"),
        ('identifier "cudaThreadExit" is undefined', "cudaDeviceReset"),
        ("'struct cudaDeviceProp' has no member named 'clockRate'", "cudaDevAttrClockRate"),
        ('class "cudaDeviceProp" has no member "memoryClockRate"', "MemoryClockRate"),
        ("'cluster_group' is not a member of 'cg'", "no clusters"),
        ("common/book.h: No such file or directory", "beside this one"),
        ("my-cuda/common.cuh: No such file or directory", "beside this one"),
        ("src/cuda/common.cuh: No such file or directory", "beside this one"),
        ("GL/glut.h: No such file or directory", "are not drawn here"),
        ("thrust/sort.h: No such file or directory", "Thrust has iterators"),
    ],
)
def test_names_of_headers_and_of_older_cuda_have_a_hint(words, advice):
    assert advice in hints.hint(words)


def test_no_name_of_the_emulator_is_proposed():
    words = "'__half' was not declared in this scope; did you mean '__tanf'?"
    assert hints.plain_words(words) == "'__half' was not declared in this scope"


def test_a_class_is_no_whole_number():
    said = "invalid operands to binary expression ('const float' and '{}')"
    assert "whole numbers" in hints.hint(said.format("int"))
    assert hints.hint(said.format("Mode")) == hints.hint(said.format("float4")) == ""


@pytest.mark.parametrize("name", ["cudaMalloc", "cudaFree"])
def test_a_wrong_argument_is_no_wrong_space_where_both_sides_have_the_function(name):
    words = f"no matching function for call to '{name}'"
    notes = [
        "candidate function not viable: call to __device__ function from __host__ function"
    ]
    assert hints.plain_words(words, notes) == words


def test_an_atomic_that_has_no_doubles_is_not_said_to_have_them():
    for name in ("atomicExch", "atomicCAS"):
        assert "double" not in hints.hint(f"no matching function for call to '{name}'")
