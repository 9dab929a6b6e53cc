"""Say what to do about a compiler's error: one hint for each mistake, whoever found it.

clang (the emulator's front end), g++ and nvcc describe the same mistake in different words. A
hint is found by any of them, so that a learner reads the same advice with and without a GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# (what the compilers say, the words for both sides): warnings that the course refuses.
SAME_WORDS = (
    (r"unknown type name '(requires|concept|consteval|constinit)'", r"'\1' is C++20"),
    (
        r"'operator<=' cannot be the name of a variable or data member"
        r"|an operator name must be declared as a function",
        "'<=>' is C++20",
    ),
    (
        r"lambda expression in an unevaluated operand"
        r"|a lambda is not allowed in an unevaluated expression",
        "a lambda in 'decltype' is C++20",
    ),
    (r"'(using enum)' only available with '-std=c\+\+20'.*", r"'\1' is C++20"),
    (
        r"defaulted '.*' only available with '-std=c\+\+20'.*"
        r"|\"= default\" can only appear on default constructors, .*",
        "'operator== = default' is C++20",
    ),
    (
        r"(?:non-constant-expression cannot be narrowed from )?type ('.*?')"
        r"(?: cannot be narrowed)? to ('.*') in initializer list",
        r"invalid narrowing conversion from \1 to \2",
    ),
    (
        r"invalid narrowing conversion from \"([^\"]+)\" to \"([^\"]+)\"",
        r"invalid narrowing conversion from '\1' to '\2'",
    ),
    (
        r"non-constant condition for static assertion"  # g++'s, of what `ptx` writes
        r"|an asm operand must be an integral constant expression\.?",
        'an operand "n" of asm is not a constant',
    ),
    (
        r"non-void (?:function|lambda) does not return a value.*"
        r"|missing return statement at end of non-void function.*",
        "a function that returns a value ends without a return statement",
    ),
    (
        r"""variable ['"](\w+)['"] is (?:uninitialized when .*|used before its value is set)""",
        r"variable '\1' is used before it is set",
    ),
    (
        r"a __(?:device|constant)__ variable \"(\w+)\" cannot be directly (read|written) in a "
        r"host function",
        r"a __device__ variable, '\1', is \2 by host code",
    ),
    (
        r"cannot jump from (?:switch statement|this goto statement) to (?:this case|its) label"
        r"|transfer of control bypasses initialization of.*|jump to (?:case label|label '\w+')",
        "a jump past the initialisation of a variable",
    ),
    (
        r"(?:dynamic )?initialization is not supported for (?:__shared__ variables|a function-"
        r"scope static __shared__ variable).*",
        "a __shared__ variable cannot be initialised: no constructor or value is run",
    ),
)
# What clang refuses and nvcc lets pass, with a warning at most.
_NVCC_ACCEPTS = re.compile(
    r"(?:in|from) __host__ __device__ function$"
    r"|no function template matches function template specialization"  # g++ judges it
    r"|requested alignment is less than minimum alignment"
    r"|fallthrough annotation does not directly precede switch label"
    r"|arithmetic on a pointer to void$"
    r"|to follow '#pragma unroll'$|incompatible directives '#pragma unroll'"
    r"|^invalid value '(?:0|-\d+)'; must be positive$"
    r"|__shared__ variable '\w+' cannot be 'extern'"
    r"|too few execution configuration arguments"
    r"|invalid % escape in inline assembly string"
    r"|restrict requires a pointer or reference \('[^']*' \(aka"
    r"|use 'template' keyword to treat '\w+' as a dependent template"  # a type's: g++ judges
)
_UNKNOWN_NAME = re.compile(
    r"use of undeclared identifier|unknown type name|no (?:member|type|template) named"
    r"|file not found|no type or|undeclared (?:label|template)|is not a (?:class|template)"
    r"|use of undeclared|expected namespace name"
)
_MISSING_INCLUDE = r"no (?:member|type|template) named '\w+' in namespace 'std'"
_ABOUT_CUDA = re.compile(
    r"__(?:global|device|host|shared|constant)__|kernel|call to global function|<<<"
    r"|ends without a return|is used before it is set|' is C\+\+20$"
)
_SYNTAX = re.compile(
    r"^(?:expected|extraneous|unterminated|missing terminating)\b|' is C\+\+20$"
)
_OTHER_SPACE = re.compile(r"not viable: call to (__[\w ]+__) function from (__[\w ]+__) fun")
_REASON = re.compile(
    r"template ignored: ((?:couldn't infer|invalid explicitly-specified) .*)"
    r"|(no known conversion .*); take the address of the argument with &"
)
_NOT_VIABLE = re.compile(
    r"candidate function(?: template)? not viable: "
    r"(requires .* provided|no known conversion .*|.* would lose const qualifier)$"
)
_VOLATILE = re.compile(r"1st argument \('volatile \w+\d'\) would lose volatile qualifier")
_OWN_NAMES = (
    (
        r"reference to __device__ function '(threadIdx|blockIdx|blockDim|gridDim)_([xyz])' in",
        r"use of the kernel's built-in variable '\1.\2' in",
    ),
    (r"\b(threadIdx|blockIdx|blockDim|gridDim)_([xyz])\b", r"\1.\2"),
    (r"\b(?:const )?(?:threadIdx|blockIdx)_type\b", "const uint3"),
    (r"\b(?:const )?(?:blockDim|gridDim)_type\b", "const dim3"),
    (r"no matching function for call to '__cudaPushCallConfiguration'", "wrong <<<...>>>"),
    (r"no matching function for call to 'Config::Config\(.*", "wrong <<<...>>>"),
    (
        r"inlining failed in call to 'always_inline' '[^']*?(\w+)\([^']*': function body .*",
        r"the code of `\1` is not in this file or what it includes",
    ),
    (r"; did you mean '(?:_|emulator_)\w+'\?", ""),
    (r"\bemulator_t_(\w+)", r"\1"),
    (r"'using (\w+) = [^']*' \{aka '[^']*'\}", r"'\1'"),
    (r"StaticShared<(\w+), \d+, \d+(?:, .*?emulator_s_\w+)?>", r"\1"),
    (r"'[^']*\bemulator_[a-z]_(\w+)'", r"'\1'"),
    (r"\bemulator_[a-z]_(\w+)", r"\1"),
)
_ADDRESS = r"""['"][^'"*]*\*['"]"""  # a type, as compilers name it
_VALUE = r"""['"][^'"*]*['"]"""
_HOST_CALL = r"(?:(?:call|reference) to __host__ function|calling a (?:constexpr )?__host__)"
_NOT_KNOWN = (
    r"['\"] (?:does not name|has not been decl|is not a namespace|was not decl|is undefined)"
)
# (what clang, g++ or nvcc says, what to do): the first that fits.
HINTS = (
    # These two first: without a kernel, clang knows of no threadIdx there.
    (
        r"must have void return type|function must have (?:a )?void return|must return void",
        "a kernel returns nothing: write its results through a pointer",
    ),
    (
        r"kernel function .* must be a free function|kernel .* is a member function"
        r"|__global__ function .* cannot be a member function",
        "a kernel is no member: write it outside of the class, and pass it the object",
    ),
    (
        rf"""['"](?:cooperative_groups|cg){_NOT_KNOWN}""",
        "#include <cooperative_groups.h>, and write namespace cg = cooperative_groups;",
    ),
    (
        r"BlockShuffle['\"] in namespace|no member ['\"]BlockShuffle",
        "#include <cub/block/block_shuffle.cuh>",
    ),
    (rf"""['"]cub{_NOT_KNOWN}""", "#include <cub/cub.cuh>"),
    (
        rf"""['"](?:nvcuda|wmma){_NOT_KNOWN}""",
        "#include <mma.h>, and write using namespace nvcuda;",
    ),
    (
        rf"""['"]curand(?:State\w*|_init|_(?:log_)?(?:uniform|normal)\w*){_NOT_KNOWN}""",
        "#include <curand_kernel.h>",
    ),
    (
        rf"""['"](?:(?:make_)?cu(?:Float|Double)?Complex|cuC\w+){_NOT_KNOWN}""",
        "#include <cuComplex.h>",
    ),
    (
        rf"""['"]cuda{_NOT_KNOWN}""",
        "#include the header of what it is: <cuda/barrier>, <cuda/atomic>, <cuda/std/tuple>",
    ),
    (
        r"the code of `\w+` is not in this file",
        "one file and what it includes are compiled: write the function's body here, or "
        "#include the file that has it",
    ),
    (
        r"jump past the initialisation",
        "put each case that declares a variable in braces, or declare it before the jump",
    ),
    (
        r"""['"](?:bit_cast|bit_width|popcount|has_single_bit|span|ssize|lerp|midpoint|numbers"""
        r"|remove_cvref(?:_t)?|type_identity(?:_t)?|source_location|format|ranges|views|jthread"
        r"|(?:(?:un)?signed_)?integral|floating_point|same_as|convertible_to|derived_from"
        r"|invocable|regular|totally_ordered|default_initializable)['\"]"
        r".*(?:'std'|\"std\")",
        "that is C++20, and files are compiled as C++17: cuda::std has some of it, as in "
        "<cuda/std/bit>, <cuda/std/span>, <cuda/std/concepts>",
    ),
    (
        r"invalid operands to binary expression \('void \(|"
        r"invalid operands of types 'void ?\(",
        "a launch has three brackets on each side: k<<<grid, block>>>(...)",
    ),
    (
        r"no setter defined for property",
        "threadIdx, blockIdx, blockDim and gridDim are read-only: use a variable of your own",
    ),
    (
        rf"{_HOST_CALL}(?: function)?[ '(\"]+cuda(?!Malloc|Free)\w+",
        "the runtime is called by the launcher: leave this out of the kernel, where "
        "__syncthreads() lets the threads of a block wait for each other",
    ),
    (
        rf"{_MISSING_INCLUDE}|is not a member of 'std'|namespace \"std\" has no member",
        "include the header that declares it, such as <vector>, <string>, <algorithm>",
    ),
    (
        r"['\"]__shfl(?:_up|_down|_xor)?['\"]|['\"]__(?:any|all|ballot)['\"]",
        "since CUDA 9 these take the lanes that take part: __shfl_down_sync(0xffffffff, x, 1)",
    ),
    (
        r"['\"](?:__)?(?:half2?|(?:float|int)2half\w*|half2\w+)['\"].*(?:not declared|undefined"
        r"|not name a type)",
        "#include <cuda_fp16.h>",
    ),
    (
        r"['\"](?:__nv_bfloat16\w*|__float2bfloat16\w*|__bfloat162\w+)['\"].*(?:not declared"
        r"|undefined|not name a type)",
        "#include <cuda_bf16.h>",
    ),
    (
        r"""['"](?:(?:f|s|sn)?printf|puts|std(?:err|out))['"] (?:is undefined|was not decl)""",
        "#include <cstdio>",
    ),
    (
        r"""['"]CUDART_\w+['"] (?:is undefined|was not decl)""",
        "#include <math_constants.h>, or write INFINITY and NAN",
    ),
    (
        r"'(?:requires|concept)' is C\+\+20",
        "files are compiled as C++17: std::enable_if_t and static_assert can say the same",
    ),
    (
        r"thread_block' has no member named 'shfl'",
        "reduce and the scans take a tile or coalesced threads: cg::tiled_partition<32>(block)",
    ),
    (
        r"casts away qualifiers|cannot cast away const",
        "a cast keeps const: reinterpret_cast<const float4*>(x); what writes, atomics too, "
        "needs memory that is not const",
    ),
    (
        r"'<=>' is C\+\+20",
        "files are compiled as C++17: write operator< and the others that are used",
    ),
    (
        r"in 'decltype' is C\+\+20",
        "files are compiled as C++17: give the lambda a name first, auto f = [](...) {...};",
    ),
    (
        r"'\w+' is C\+\+20",
        "files are compiled as C++17, which has constexpr",
    ),
    (
        r"cannot use '(?:throw|try)'|exception handling|does not support exception",
        "device code has no exceptions: use assert or __trap(), or write a flag",
    ),
    (
        r"on a lambda needs|annotation on lambda requires",
        "write a struct with a __device__ operator() instead",
    ),
    (
        r"CUDA has (atomic\w+) of .* already|function \"(atomic\w+)\(.*already been defined",
        "leave it out, or give it a name of your own: the GPU has this function",
    ),
    (
        r"of a kernel is a reference",
        "it would lead to memory of the host, which a GPU cannot access: pass the value, or a "
        "pointer to memory of the GPU",
    ),
    (
        r"__\w+__ variable '\w+' is inline",
        "write static in the place of inline: it belongs to this file alone",
    ),
    (
        r"['\"]cuda(?:GraphAdd|GraphExec(?:Update|\w+SetParams)|MemcpyNodeP)\w*['\"]"
        r" (?:was not decl|is undef)",
        "without a GPU a graph has nodes for kernels, memset, memcpy, host functions and child "
        "graphs, or is made by a capture: cudaStreamBeginCapture, cudaStreamEndCapture",
    ),
    (
        r"of a kernel is a pointer to a member",
        "nvcc's own host code for it does not compile: put it in a struct, and pass that",
    ),
    (
        r"__isGridConstant",
        "the emulator does not know where a parameter lies: leave __isGridConstant out",
    ),
    (
        r"kernel call to non-global function '(\w+)|a host function call cannot be configured",
        "write __global__ before the kernel that <<<...>>> launches",
    ),
    (
        r"reference to __global__ function|kernel launch from __device__",
        "a kernel launches no other here: let the launcher launch one after the other",
    ),
    (
        r"kernel's built-in variable '([\w.]+)'",
        r"\1 exists in kernels only: is __global__ (a kernel) or __device__ missing?",
    ),
    (
        rf"{_HOST_CALL}.*(?:of the C\+\+ library|['\"(](?:::)?std::"
        r"|\b(?:__builtin|__sync|__atomic)_|['\"](?:mem(?:cmp|move|chr)|str\w+|s?n?printf|puts|s?rand|exit|abort|time|qsort"
        r"|swap|exchange|sort|fill|copy|accumulate|find|reverse)['\"])",
        "of the C++ library a kernel has constexpr functions, mathematics, memcpy, memset, "
        "printf and assert: write a __device__ function of your own",
    ),
    (
        _HOST_CALL,
        "a kernel calls device code only: write __device__ before that function",
    ),
    (
        r"(?:call|reference) to __device__ function|calling a __device__ f|unavailable: a __d",
        "host code launches kernels and calls no device code: do it in the kernel, or write "
        "__host__ __device__",
    ),
    (
        r"call to global function '?(\w+)'? not configured|must be configured",
        r"launch a kernel with \1<<<grid, block, 0, stream>>>(...)",
    ),
    (
        r"__shared__ variable cannot be initialised",
        "assign in the kernel, one thread an element, then __syncthreads(); one thread gives a"
        " cuda::barrier its count by init(&barrier, count), and at the top stands"
        " #pragma nv_diag_suppress static_var_with_dynamic_init",
    ),
    (
        r"static shared memory|too much shared data",
        "declare extern __shared__ and give the bytes in <<<grid, block, bytes, stream>>>",
    ),
    (
        r"\bthrust/[\w./]+: No such file",
        "without a GPU Thrust has iterators, and reduces, scans, sorts and transforms pointers",
    ),
    (
        r"""['"](?:cub::)?(?:Sum|Max|Min|Equality|Difference|Division)['"] .*['"]cub['"]"""
        r"""|['"]cub['"] has no member ['"](?:Sum|Max|Min|Equality|Difference|Division)['"]""",
        "CUDA 13's CUB has them no more: cuda::std::plus<>{}, cuda::maximum<>{}, "
        "cuda::minimum<>{} of <cuda/std/functional> and <cuda/functional>",
    ),
    (
        r"['\"]cub::Device\w+['\"]|['\"]Device\w+['\"] is not a member of ['\"]cub",
        "#include <cub/cub.cuh>; without a GPU CUB reduces, scans, selects, sorts and counts",
    ),
    (
        r"'(?:cu(?:blas|fft|rand|sparse|solver|dnn)|CU(?:BLAS|FFT|RAND|SPARSE)_)\w+' was not",
        "without a GPU NVIDIA's libraries (cuBLAS, cuFFT, ...) are not there: write the kernel",
    ),
    (
        r"'(?:cu(?:Init|Mem|Module|Launch|Ctx|Device|Stream|Func)(?:[A-Z]\w*)?|CU(?!DA)\w+"
        r"|CUDA_(?:SUCCESS|ERROR_\w+))' was not",
        "without a GPU there is no driver API: use the runtime's functions, as cudaMalloc",
    ),
    (
        r"['\"]cudaThread(Synchronize|Exit)['\"]",
        "CUDA 13 has it no more: cudaDeviceSynchronize(), or cudaDeviceReset() at the end",
    ),
    (
        r"no member (?:named )?['\"](?:c|memoryC)lockRate['\"]",
        "CUDA 13 says it by cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0), or with "
        "cudaDevAttrMemoryClockRate",
    ),
    (
        r"\bcluster_group\b|\bthis_cluster\b",
        "without a GPU there are no clusters: blocks share global memory only",
    ),
    (
        r"(?<![\w/-])(thrust|cuda|cub)/([\w./]+): No such file",
        r"without a GPU <\1/\2> is not there: the emulator has few of the CUDA C++ libraries",
    ),
    (r"ends without a return", "every path must return a value, or the function returns void"),
    (r"is used before it is set", "give it a value where it is declared: float sum = 0.0f;"),
    (r"variable_warpSize|'warpSize', is read by", "host code writes 32: only kernels know it"),
    (
        r"by host code$",
        "copy it with cudaMemcpyToSymbol or cudaMemcpyFromSymbol: it lives on the GPU",
    ),
    (r"^\S*isnormal of a variable", "compare: fabsf(x) >= FLT_MIN && fabsf(x) <= FLT_MAX"),
    (
        r"which a function takes by reference",
        "a kernel knows a constant's value only: give a copy, int(kLimit), or use ::min, ::max",
    ),
    (
        r"reference to __host__ variable|is undefined in device code",
        "a kernel sees no host variable, and of a constexpr one its value only, no address: "
        "make an array __constant__, a number constexpr, or pass it",
    ),
    (
        r"variable[- ]length array|array bound|not usable in a constant expression"
        r"|must be initialized by a constant expression",
        "a compile-time constant is needed here, as for the length of an array",
    ),
    (
        r"call to '(?:max|min)' is ambiguous"
        r"|overloaded function \"(?:max|min)\" matches the argument"
        r"(?!(?s:.*)types are: \((?:.*half|.*bfloat))",
        "both numbers must have one type: min(n, int64_t{3}); "
        "for half and bfloat16 there are __hmin and __hmax",
    ),
    (
        r"(?:call to '|overloaded function \"(?:std::)?|call of overloaded ')"
        r"(?:exp(?:2|m1)?|log(?:2|10|1p)?|r?sqrt|sin|cos|tanh?|f?abs|floor|ceil|round|trunc|rint"
        r"|pow|erf|fma|fmax|fmin|max|min|isnan|isinf)\b(?:.*ambiguous"
        r"|.*matches the argument list(?s:.*)types are: \((?:.*half|.*bfloat))",
        "half and bfloat16 have functions of their own, as hexp, hsqrt, __hmax, __hisnan; or "
        "convert: exp(float(x))",
    ),
    (
        r"more than one instance of overloaded function .* has \"C\" linkage"
        r"|(?:differ only in their|distinguished by) return type",
        "a function of this name is there already, perhaps in C's library: take another name",
    ),
    (
        r"(?:operator .*|call to '__h\w+' )is ambiguous.*|more than one (?:operator|instance)",
        "half and float do not mix: convert one side, half(x) or float(x)",
    ),
    (
        r"no matching function for call to 'atomic\w+(?:': .* for 1st argument|\([^,)*[]+[,)])"
        r"|overloaded function \"atomic\w+\" matches .*\s+argument types are: \([^,)*[]+[,)]",
        "an atomic takes an address: atomicAdd(&count, 1)",
    ),
    (
        r"no known conversion .* to 'cudaMemLocation'|convert from .* to \"cudaMemLocation\"",
        "since CUDA 13 a place is a cudaMemLocation, of a type and an id; flags, 0, follow it",
    ),
    (
        r"call to deleted constructor|use of deleted function|it is a deleted function",
        "it cannot be copied, as a kernel's arguments are: give a kernel its pointer and sizes",
    ),
    (
        r"would lose volatile qualifier|class \"\w+\d\" has no suitable copy constructor",
        "a volatile vector is read and written by its members, v.x; or drop the volatile",
    ),
    (
        r"no matching function for call to '\w+': no known conversion .* for \w+ argument",
        "an address is needed there: &x, or a pointer",
    ),
    (
        r"(?:initialization of|conversion .* to) 'dim3'|dim3::dim3\b"
        r"|convert from .* to \"dim3\"",
        "dim3 takes one to three whole numbers: dim3 grid(4, 2)",
    ),
    (
        r"(?:for call to '|overloaded function \")cuda(?:Malloc\w*|Host(?:Malloc|Alloc))\b",
        "it sets your pointer, so give its address: cudaMalloc(&x, n * sizeof(float))",
    ),
    (
        r"(?:conversion|convert) from ['\"](?:const )?\w+['\"] to "
        r"['\"]((?:float|int|double|half|uint|u?char)[234])['\"]",
        r"a pack is read through a pointer of its own: reinterpret_cast<const \1*>(a)[i]",
    ),
    (
        r"redeclaration of '\w+' with a different type: '[^']*\[\]'"
        r"|declaration is incompatible with previous",
        "dynamic shared memory has one type by each name: declare unsigned char, and cast its "
        "address",
    ),
    (
        r"void function '\w+' should not return a value"
        r"|return value type does not match the function type",
        "a function that returns void, as a kernel does, ends with `return;` or at its }",
    ),
    (
        r"^\S+ expected '}' for the '{' of line",
        "each { needs its }, and what stands behind a missing one is taken for its inside",
    ),
    (
        r"'cudaStream_t'.* parameter of type 'size_t'|parameter of type 'size_t'.*cudaStream_t"
        r"|\"cudaStream_t\".* parameter of type \"size_t\"",
        "the bytes of shared memory stand before the stream: <<<grid, block, 0, stream>>>",
    ),
    (
        r"binary expression \('const (?:uint3|dim3)' and 'const (?:uint3|dim3)'\)"
        r"|these operands\s+operand types are: const (?:uint3|dim3) . const (?:uint3|dim3)",
        "each of these has .x, .y and .z: blockIdx.x * blockDim.x + threadIdx.x",
    ),
    (
        r"binary expression \(.*\bdim3'|these operands\s+operand types are: .*\bdim3\b",
        "a dim3 is three numbers: compute with .x, as (n + block.x - 1) / block.x",
    ),
    (
        r"parameter of type '(\w+) \*' with an lvalue of type 'const \1 \*'"
        r"|initialize a variable of type '(\w+) \*' with an .value of type 'const \2 \*'"
        r"|\"const (\w+) \*\".* \"\3 \*\"",
        "through a pointer to const nothing is written: add const to the other pointer as well",
    ),
    (
        r"'(?:const )?(?:float|double|__?half|half|int|unsigned int|__nv_bfloat16) \*'"
        r" with an .value of type '(?:const )?\w+ \*'",
        "a pointer's type says how its elements are read: give both sides the same type",
    ),
    (
        r"cannot assign to \w+ '\w+' with const-qualified|read-only variable is not assignable",
        "it is const: drop the const where it is declared, or write to another variable",
    ),
    (
        r"rvalue reference .*(?:arrival_token|cannot be bound to an lvalue)",
        "a token is given away: bar.wait(std::move(token)), or bar.wait(bar.arrive())",
    ),
    (
        r"narrowing conversion of (?!'-\d)|invalid narrowing conversion|cannot be narrowed",
        "braces take no number that its new type may not hold: convert it, unsigned(x)",
    ),
    (
        r"(?:no matching function for call to '|no instance of overloaded function \")atomic"
        r"(?:Min|Max|And|Or|Xor)",
        "this atomic takes int, unsigned and their long long forms: for floats write a loop "
        "with atomicCAS",
    ),
    (
        r"(?:no matching function for call to '|no instance of overloaded function \")__shfl",
        "a shuffle takes numbers of 4 or 8 bytes, half2 and the like: shuffle a struct's "
        "members one by one",
    ),
    (
        r"dynamic initialization is not supported for",
        "give it a constant, or fill it from a kernel or with cudaMemcpyToSymbol",
    ),
    (
        r"""no (?:matching function|instance of overloaded).*['"]atomicSub['"(]""",
        "atomicSub takes int and unsigned: for other numbers write atomicAdd(p, -x)",
    ),
    (
        r"""no (?:matching function|instance of overloaded).*['"]atomic(Exch|CAS)['"(]""",
        r"atomic\1 has no form for this type: reinterpret an address and a number of as many "
        "bytes as int or unsigned long long",
    ),
    (
        r"no matching function for call to 'atomic|no instance of overloaded function \"atomic",
        "atomics take int, unsigned, unsigned long long, float and double: no char, "
        "no int64_t, no size_t",
    ),
    (
        r"no matching function for call to '(min|max)'|"
        r"no instance of overloaded function \"std::(min|max)",
        "std::min and std::max take two numbers of one type: convert one of them, or say the "
        "type, std::min<size_t>(a, b)",
    ),
    (
        r"but function is not marked const|as 'this' argument discards qualifiers"
        r"|type qualifiers that are not compatible with the member function",
        "a const object has const methods only: float at(int i) const { ... }",
    ),
    (
        r"(?:torch|ATen|c10)/[\w/]+\.\w+"
        r"|(?<!function )'(?:class |const )*(?:torch|at|c10)(?:::\w+)*'",
        "without a GPU, of PyTorch's C++ only torch::Tensor's plain methods, TORCH_CHECK and "
        "PYBIND11_MODULE are known: use data_ptr<float>(), numel(), size(i), and compute in "
        "kernels",
    ),
    (
        r"indirection requires pointer|operand of \"\*\" must be a|type argument of unary '\*'",
        "C++ has no ** for powers: multiply, x[i] * x[i]",
    ),
    (
        r"binary expression \('(?:const )?(?:float|double)' and '(?:const )?(?!\w+[1-4]\b)[a-z]"
        r"[^*]*\)$|must have integral or"
        r"|to binary 'operator[&|^%]'|array subscript is not an integer|for array subscript",
        "whole numbers are needed here: a float has no ^, % or & (multiply for a power, "
        "fmodf(x, y) is a remainder), and is no index",
    ),
    (
        rf"binary expression .*\*'|operands of types .*\*'|must have arithmetic or"
        rf"|argument type {_ADDRESS} to unary"
        rf"|(?:assigning to|convert) {_ADDRESS} (?:to|from incompatible type) {_VALUE}"
        rf"|(?:assigning to|convert) {_VALUE} (?:to|from incompatible type) {_ADDRESS}"
        rf"|{_ADDRESS} cannot be assigned to an entity of type {_VALUE}"
        rf"|{_VALUE} cannot be assigned to an entity of type {_ADDRESS}",
        "an array's name is the address of its first element: x[i] is element i",
    ),
    (
        r"the type of a lambda is local|The closure type for a lambda",
        "write a struct with a __device__ operator() instead",
    ),
    (
        r"would lose const qualifier",
        "what is const is not written to: copy it, or take a const pointer there, too",
    ),
    (
        r"marked 'override' (?:hides|but does)|marked 'override', but"
        r"|execution space mismatch: overridden entity",
        "a function overrides one of the same parameters, const and execution space: write "
        "__device__ before both",
    ),
    (
        r'operand "n" of asm is not a constant',
        "make it an argument of a template, or write the number",
    ),
    (
        r"couldn't infer template argument",
        "name the template's arguments: kernel<float><<<...>>>(...)",
    ),
    (
        r"invalid explicitly-specified argument|expression must have a constant value",
        "a template's argument must be a compile-time constant: choose among a few with switch",
    ),
    (
        r"\bcuda(?:TextureObject_t|ResourceDesc|TextureDesc|SurfaceObject_t|Array_t)\b"
        r"|\b(?:tex|surf)[123]D\w*",
        "without a GPU there are no textures and surfaces: read through a const pointer",
    ),
    (
        r"\b(?:GL|GLFW|opencv2?|SDL2?)/[\w./]+: No such file|\bcuda_gl_interop|'glut\w+'",
        "windows and pictures are not drawn here: leave out what shows the result, and give it "
        "to the launcher's output",
    ),
    (
        r"[\w.]+: No such file or directory|file not found",
        "a file is found if it lies beside this one, or is C++'s or CUDA's own: paste in what "
        "you use of it",
    ),
)


def plain_words(words: str, notes: Iterable[str] = (), of_library: bool = False) -> str:
    """Return a compiler's words in the course's, where those are common to both sides.

    notes: clang's; where an overload is missing, one says that it is in another space.
    of_library: whether the last note is of a function that the learner has not written.
    """
    named = re.search(r"(?:call to|initialization of) '([^']+)'", words)
    both = "'dim3'", "'cudaMalloc'", "'cudaFree'"  # kernels have them, too
    for note in notes if not any(name in words for name in both) else ():
        if match := _OTHER_SPACE.search(note):
            name = f" '{named[1]}'" if named else " of the C++ library" if of_library else ""
            return f"call to {match[1]} function{name} from {match[2]} function"
    if words.startswith("no matching constructor"):
        words += next((f": {one[0]}" for note in notes if (one := _VOLATILE.search(note))), "")
    if words.startswith("no matching function"):
        reasons = (_REASON.search(note) for note in notes)
        reason = next((found[1] or found[2] for found in reasons if found), "")
        words += f": {reason or _only_reason(notes)}".removesuffix(": ")
    for pattern, same in SAME_WORDS:
        words = re.sub(pattern, same, words)
    for pattern, plain in _OWN_NAMES:
        words = re.sub(pattern, plain, words)
    return words


def _only_reason(notes: Iterable[str]) -> str:
    """Return why the only function of a name cannot be called, by clang's note; or ""."""
    candidates = [note for note in notes if note.startswith("candidate ")]
    found = _NOT_VIABLE.match(candidates[0]) if len(candidates) == 1 else None
    return found[1] if found else ""


def is_fine_for_nvcc(words: str) -> bool:
    """Return whether clang complains of what nvcc lets pass."""
    return bool(_NVCC_ACCEPTS.search(words))


def is_unknown_name(words: str) -> bool:
    """Return whether clang complains of a name, or a header, that it does not know."""
    return bool(_UNKNOWN_NAME.search(words))


def is_missing_include(words: str) -> bool:
    """Return whether clang complains of a name of the C++ library that no header declares."""
    return bool(re.search(_MISSING_INCLUDE, words))


def is_about_cuda(words: str) -> bool:
    """Return whether clang complains of what CUDA adds to C++, or lacks of it."""
    return bool(_ABOUT_CUDA.search(words))


def is_about_constructor(words: str) -> bool:
    """Return whether clang complains of the constructor of a shared variable."""
    return words.startswith("a __shared__ variable cannot be initialised")


def is_about_syntax(words: str) -> bool:
    """Return whether clang lost the thread there, so that what it says next may be wrong."""
    return bool(_SYNTAX.search(words))


def hint(words: str) -> str:
    """Return what to do about an error; "" if nothing is known."""
    for pattern, advice in HINTS:
        if match := re.search(pattern, words):
            return match.expand(advice)
    return ""


def rank(words: str) -> int:
    """Return a number that is smaller, the more an error says of the mistake behind it."""
    fitting = (place for place, (pattern, _) in enumerate(HINTS) if re.search(pattern, words))
    return next(fitting, len(HINTS))


def message(name: str, errors: list[str]) -> str:
    """Return an error's text: the file, the compiler's words, and the first error's hint."""
    lines = [f"{name} does not compile:", *(errors or [""])]
    advice = next(filter(None, map(hint, errors)), "")
    if advice:
        lines.append(f"hint: {advice}")
    return "\n    ".join(lines)
