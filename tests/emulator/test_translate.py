"""CUDA's syntax as C++: what is rewritten, and that every line stays where it is."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.emulator.translate import (
    join_launches,
    plain_brackets,
    shared_macros,
    translate,
    with_few_of_cub,
)

FIRST = '#line 1 "f.cu"\n'


def translated(text):
    result = translate(text, "f.cu")
    assert result.startswith(FIRST)
    return result.removeprefix(FIRST)


def call(code, name, configuration):
    return (
        f'::emulator::on("{name}", [=](const auto&... emulator_a) EMULATOR_INLINED '
        f"{{ {code}(emulator_a...); }}, ::emulator::Config({configuration}))"
    )


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("k<<<1, 2>>>(x);", call("k", "k", "1, 2") + "(x);"),
        ("k<T><<<g(1, 2), b, 0, s>>>(x);",
         call("k<T>", "k", "g(1, 2), b, 0, s")[:-1] + '.of("<T>"))(x);'),
        ("a::b<C<int>><<<1, sizeof(D<E<F>>)>>> (x);",
         call("a::b<C<int>>", "b", "1, sizeof(D<E<F>>)") + " (x);"),
        ("(k)<<<1, 2>>>();", call("(k)", "k", "1, 2") + "();"),
        ("k \n<<<1,\n2>>>\n(x);", call("k", "k", " \n1,\n2") + "\n(x);"),
    ],
)  # fmt: skip
def test_a_launch_becomes_a_call(text, result):
    assert translated(text) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("x = (c ? a : b)[i];", "x = (::emulator::chosen(c ? a : b))[i];"),
        ("x = ( (c ? a\n: b) ) [i];", "x = ( (::emulator::chosen(c ? a\n: b)) ) [i];"),
        ("x = 1 > (i < n ? a : b)[i];", "x = 1 > (::emulator::chosen(i < n ? a : b))[i];"),
        ("x = (c ? (d ? a : b)[1] : b)[i / 2];",
         "x = (::emulator::chosen(c ? (::emulator::chosen(d ? a : b))[1] : b))[i / 2];"),
        ("x = f(c, d ? a : b)[i];", "x = f(c, d ? a : b)[i];"),
        ("x = (f(c ? 1 : 2))[i];", "x = (f(c ? 1 : 2))[i];"),
        ("if (c ? a : b) [[likely]] f();", "if (c ? a : b) [[likely]] f();"),
        ("// (c ? a : b)[i]", "// (c ? a : b)[i]"),
        (")[i] ? a : b;", ")[i] ? a : b;"),
    ],
)  # fmt: skip
def test_one_of_two_arrays_is_an_expression_of_its_own(text, result):
    assert translated(text) == result


@pytest.mark.parametrize(
    "text",
    [
        "int x = 1 << 2;",
        "// k<<<1, 1>>>(x);",
        's = "k<<<1, 1>>>(x)";',
        "k<<<1, 2; f()>>>(x);",
        "k<<<1, 2>>> x;",
        "<<<1, 2>>>(x);",
        "f(k<<<1)>>>(x);",
    ],
)
def test_what_is_no_launch_stays(text):
    assert translated(text) == text


def test_several_launches():
    text = (
        "a::b<(1 > 0), C<int>>\n  <<<g(1, 2), sizeof(D<E<F>>)>>>\n(x,\n y);\n(k)<<<1, 2>>>();\n"
    )
    result = translated(text)
    assert result.count("\n") == text.count("\n")
    assert result.count("::emulator::on(") == 2 and 'on("b", ' in result


def test_the_name_of_a_kernel_may_be_pasted_in_a_macro():
    result = translated("#define RUN(x) add_##x##_k<T><<<1, 2>>>(x)")
    assert "::emulator::on(EMULATOR_STRING(add_##x##_k), [=]" in result
    assert "{ add_##x##_k<T>(emulator_a...); }" in result


def test_a_launch_in_a_macro_may_go_over_lines():
    result = translated("#define RUN(K) \\\n  k<(K)>  \\\n  <<<1, 2>>>(x)\n")
    assert '::emulator::on("k", [=]' in result and "{ k<(K)>(emulator_a...); }" in result
    assert result.count("\\\n") == 2


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("k << <1, 2 >> > (x);", "k <<< 1, 2 >>>  (x);"),
        ("k<T> <<\n<f(a, 4), (b >> 1)>> >(x);", "k<T> <<<\nf(a, 4), (b >> 1)>>> (x);"),
        ("k<<<1, 2>> >(x); j<<<1, 2>>>(y);", "k<<<1, 2>>> (x); j<<<1, 2>>>(y);"),
        ("A<B<C<int>> > (x); y << x; // k << <1>> >(x)", None),
        ("std::cout << 1; a << <", None),
    ],
)
def test_launches_in_parts_are_joined(text, joined):
    assert join_launches(text) == (joined or text)


def test_a_kernel_of_an_array_is_launched_by_the_arrays_name():
    assert '::emulator::on("kernels", [=]' in translated("kernels[k]<<<1, 2>>>(x);")


def test_braces_among_the_arguments_wait_for_their_parameter():
    result = translated("k<<<{1, 2}, 3>>>(a, {x, {1, 2}}, f<b, c>(n), {});")
    braced = "::emulator::braced("
    assert f"(a, {braced}x, {braced}1, 2)), f<b, c>(n), {braced}));" in result
    assert "{1, 2}, 3))" in result


def test_0_and_null_among_the_arguments_may_be_pointers():
    zero = "::emulator::Zero()"
    assert f"(a, {zero}, {zero} , 10, f(0), b[0]);" in translated(
        "k<<<1, 0>>>(a, 0, NULL , 10, f(0), b[0]);"
    )
    deduced = "template <typename T>\n__global__ void k(T* x, T y) {}\n"
    assert "(a, 0);" in translated(deduced + "k<<<1, 2>>>(a, 0);")
    assert f"(a, {zero});" in translated(deduced + "k<int><<<1, 2>>>(a, 0);")


def in_function(text):
    return translated(f"{{{text}}}")[1:-1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("__shared__ float x[4][2];", "float emulator_t_x[4][2]"),
        ("static __shared__ int64_t x;", "int64_t emulator_t_x"),
        ("volatile __shared__ int x;", "volatile int emulator_t_x"),
        ("__shared__ volatile int x;", "volatile int emulator_t_x"),
        ("__shared__ T* x;", "T* emulator_t_x"),
    ],
)
def test_a_shared_variable_becomes_a_reference(text, kind):
    begin = (
        f"typedef {kind}; struct emulator_s_x; "
        "auto& x = ::emulator::StaticShared<emulator_t_x, 1, "
    )
    result = in_function(text)
    assert result.startswith(begin) and result.endswith('u, emulator_s_x>::get("x");')


@pytest.mark.parametrize("word", ["alignas", "__align__"])
@pytest.mark.parametrize("alignment", ["16", "float4", "N", "sizeof(T)", "8 * 2"])
def test_an_alignment_may_be_a_type_or_a_number(word, alignment):
    begin = (
        f"struct emulator_a_x {{ alignas({alignment}) char x; }}; typedef T emulator_t_x[3]; "
        "struct emulator_s_x; "
        "auto& x = ::emulator::StaticShared<emulator_t_x, alignof(emulator_a_x), "
    )
    assert in_function(f"__shared__ {word}({alignment}) T x[3];").startswith(begin)


def test_each_shared_variable_has_a_number_of_its_own():
    text = "__shared__ char a[2], b; __shared__ float c;"
    numbers = [part.split("u, ")[0] for part in in_function(text).split(", 1, ")[1:]]
    assert len(numbers) == len(set(numbers)) == 3
    assert translate(f"{{{text}}}", "g.cu") != translate(f"{{{text}}}", "f.cu")
    assert "typedef char emulator_t_b; struct emulator_s_b; auto& b" in in_function(text)


@pytest.mark.parametrize("word", ["LOCAL", "volatile LOCAL", "static LOCAL"])
def test_a_macro_may_be_another_word_for_shared(word):
    kind = "volatile float" if "volatile" in word else "float"
    for body in ("__shared__", "static __shared__  "):
        macro = f"#define LOCAL {body}\n"
        result = translated(f"{macro}void f() {{ {word} float x[4]; LOCALS y; }}")
        assert result.startswith(f"{macro}void f() {{ typedef {kind} emulator_t_x[4]; ")
        assert "auto& x = ::emulator::StaticShared<" in result
        assert result.endswith('("x"); LOCALS y; }')


@pytest.mark.parametrize(
    ("macro", "use"),
    [
        ("#define S __shared__ float", "S x[4]"),
        ("#define S __shared__ \\\n float", "S x[4]"),
        ("#define S(T, name, n) __shared__ T name[n]", "S(float, x, ((4)))"),
        ("#define IN __shared__\n#define S(T) IN T", "S(float) x[4]"),
        ("#define S() __shared__ float x[4]", "S( )"),
        ("#define S(n) __shared__ float x[n]", "S(f<2>(1, 3)\n)"),
    ],
)
def test_a_macro_may_declare_shared_memory(macro, use):
    text = f"{macro}\nvoid f() {{ {use}; }}"
    result = translated(text)
    assert result.startswith(f"{macro}\nvoid f() {{ typedef float emulator_t_x[")
    assert "auto& x = ::emulator::StaticShared<" in result
    assert result.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "macro",
    [
        "#define S(x) __shared__ float x##_s[4]",
        "#if A\n#define S(x) __shared__ int x\n#else\n#define S(x) __shared__ char x\n#endif",
        "#define S(x, y) __shared__ float x[4], y[4]",
    ],
)
def test_a_macro_that_only_the_preprocessor_knows_stays(macro):
    text = f"{macro}\nvoid f() {{ S(x); }}"
    assert translated(text).endswith("void f() { S(x); }")


def test_a_macro_of_an_included_file_declares_shared_memory():
    macros = shared_macros(["#define S __shared__ float\n", "void f() { S x[4]; }"])
    assert macros == {"S": (None, "__shared__ float")}
    result = translate("void f() { S x[4]; }", "f.cu", macros=macros)
    assert "auto& x = ::emulator::StaticShared<" in result


@pytest.mark.parametrize("alignment", ["", "32"])
def test_a_shared_variable_outside_of_functions(alignment):
    word = f" alignas({alignment})" if alignment else ""
    aligned = "alignof(emulator_a_x)" if alignment else "1"
    result = translated(f"__shared__{word} T x[3][2];")
    memory = re.search(r"::emulator::StaticShared<[^>]*>", result)[0]
    assert memory.startswith(f"::emulator::StaticShared<emulator_t_x, {aligned}, ")
    assert result.endswith(
        "typedef T emulator_t_x[3][2]; "
        f'static thread_local auto& x = {memory}::of_thread("x"); '
        "static ::emulator::FileScopeShared emulator_x"
        f'([](void*) {{ {memory}::begin_block("x", x); }}, true);'
    )
    assert ("struct emulator_a_x { alignas(32) char x; }" in result) is bool(alignment)


@pytest.mark.parametrize(
    "text",
    [
        "template <class T> __shared__ T x[3];",
        "__shared__ int x = 3;",
        "__shared__ struct { int q; };",
        "static __shared__ struct { int q; } x;",
        "__shared__",
        "__shared__ ;",
    ],
)
def test_a_shared_variable_that_is_not_understood_stays(text):
    assert translated(text) == text


@pytest.mark.parametrize(
    ("text", "begin", "declared"),
    [
        ("union { int q;\n T r; } x;", "union emulator_u_x {", "emulator_u_x emulator_t_x;"),
        ("struct Q { int q; } x[3];", "struct Q {", "Q emulator_t_x[3];"),
        (
            "union alignas(8)\n{ int q; } x;",
            "union alignas(8) emulator_u_x {\n",
            "emulator_u_x ",
        ),
    ],
)
def test_a_shared_variable_of_a_type_declared_with_it(text, begin, declared):
    result = translated(f"void f() {{ __shared__ {text} }}")
    assert result.startswith(f"void f() {{ {begin} int q;")
    assert f"}}; typedef {declared}" in result and result.endswith('get("x"); }')
    assert result.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "struct S { int a; __shared__ float x[4]; };",
        "template <class T> class S : public T { __shared__ T x; };",
        "void f(int a, __shared__ float* x) {}",
        "typedef __shared__ float tile[4];",
        "__device__ __shared__ float* f(int a) { return 0; }",
    ],
)
def test_shared_is_ignored_where_nvcc_ignores_it(text):
    told = translated(text).replace(" EMULATOR_STRUCT(S, false)", "")
    assert told == text.replace("__shared__", "")


@pytest.mark.parametrize("name", ["memcpy", "std::memcpy", ":: memset", "memmove"])
def test_copies_of_bytes_are_told_to_the_tracer(name):
    hook = "FILLED" if "memset" in name else "MOVED"
    assert translated(f"a = {name} (b, c, 4);") == f"a = EMULATOR_{hook}({name}) (b, c, 4);"
    for other in ("x.memcpy(a)", "my::memcpy(a)", "memcpy_async(a)", "p->memcpy(b)", "memcpy"):
        assert translated(other) == other


def test_shared_counts_in_a_function_of_a_class():
    text = "struct S { void f() { __shared__ float x[4]; } static __shared__ float y; };"
    assert "__shared__" not in translated(text)
    assert translated(text).count("::emulator::StaticShared<") == 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("int64_t __restrict__ n", "int64_t  n"),
        ("float* __restrict__ n", "float* __restrict__ n"),
        ("float *__restrict__ n", "float *__restrict__ n"),
        ("float& __restrict__ n", "float& __restrict__ n"),
    ],
)
def test_restrict_of_what_is_no_pointer_is_left_out(given, expected):
    assert translated(f"void f({given});") == f"void f({expected});"


def test_dynamic_shared_memory_in_a_function_is_a_pointer():
    text = "void k() { extern __shared__ float x[]; }"
    expected = "void k() { float* const x = ::emulator::dynamic_shared<float>(); }"
    assert translated(text) == expected
    assert translated(text.replace("extern __shared__", "__shared__ extern")) == expected


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "namespace a {{ {} }}",
        "namespace {{ {} }}",
        'extern "C" {{ {} }}',
        "void f() {{}} {}",
    ],
)
def test_dynamic_shared_memory_outside_of_functions(around):
    result = translated(around.format("extern __shared__ __align__(16) T x[];"))
    new = (
        "static thread_local T* x; static ::emulator::FileScopeShared emulator_x"
        "([](void* emulator_p) { x = static_cast<T*>(emulator_p); "
        "::emulator::self->note_dynamic(sizeof(T)); });"
    )
    assert result == around.format(new)


def test_lines_in_a_shared_declaration_stay():
    text = "__shared__\n  float x[4]\n;\nextern __shared__\nfloat\ny[];\n"
    assert translated(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('asm("mov.u32 %0, %%laneid;" : "=r"(x));',
         "do { static_assert(::emulator::fits<'r', decltype((x))>(), "
         "\"asm operand %0 is not of the type that 'r' means\"); "
         "::emulator::output((x)) = static_cast<std::decay_t<decltype((x))>>"
         "(::emulator::special(::emulator::Special::laneid)); } while (0);"),
        ('asm volatile ("mov.u64 %0, %%clock64;" : "=l"( a.b ) :: "memory");',
         "do { static_assert(::emulator::fits<'l', decltype((a.b))>(), "
         "\"asm operand %0 is not of the type that 'l' means\"); "
         "::emulator::output((a.b)) = static_cast<std::decay_t<decltype((a.b))>>"
         "(::emulator::special(::emulator::Special::clock64)); } while (0);"),
        ('asm volatile("" ::: "memory");', 'asm volatile("" ::: "memory");'),
    ],
)  # fmt: skip
def test_special_registers_are_read(text, result):
    assert translated(text) == result


def test_a_file_that_captures_streams_launches_what_a_capture_can_keep():
    assert "::emulator::recordable(" in translated(
        "cudaStreamBeginCapture(s, m); k<<<1, 1>>>();"
    )
    assert "::emulator::recordable(" not in translated("k<<<1, 1>>>();")


@pytest.mark.parametrize(
    "text",
    [
        'asm("mma.sync %0, %1, %2;" : "=r"(x) : "r"(y), "r"(z));',
        '__asm__ __volatile__("bar.red.popc.u32 0, 64;");',
        'asm("mov.u32 %0, %%envreg3;" : "=r"(x));',
    ],
)
def test_other_ptx_is_an_error_that_says_so(text):
    assert translated(text) == (
        'static_assert(false, "the CPU emulator does not run this inline PTX: write it in C++, '
        "or by CUDA's functions\");"
    )


@pytest.mark.parametrize(
    "text",
    [
        'asm(op " %0, %1;" : "=r"(x) : "r"(y));',
        'asm("ld." #space ".f32 %0, [%1];" : "=f"(x) : "l"(y));',
        'asm("mov.b32 %0, %1;" : "=" c(x) : c(y));',
    ],
)
def test_ptx_that_macros_put_together_is_an_error_that_says_so(text):
    assert "before macros are replaced" in translated(text)


@pytest.mark.parametrize(
    ("macros", "use"),
    [
        (
            '#define ADD(text, c) asm(text " %0, %1, 1;" : "=" c(y) : c(x))',
            'ADD("add.s32", "r")',
        ),
        (
            "#define ADD(op, t)  /* op, t */ \\\n"
            '    asm(#op "." #t \\\n" %0, %1, 1;" : "=r"(y) : "r"(x))',
            "ADD(add, s32)",
        ),
        (
            '#define PTX(text) asm(text : "=r"(y) : "r"(x))\n'
            '#define ADD(op) PTX(#op ".s32 %0, %1, 1;")',
            "ADD(add)",
        ),
        ('#define ADD "add.s32"  // of "r"', 'asm(ADD " %0, %1, 1;" : "=r"(y) : "r"(x))'),
        (
            '#define ADD(n, op) asm(#op ".s32 %0, %1, " n ";" : "=r"(y) : "r"(x))',
            'ADD("1",  // "2",\n add)',
        ),
        (
            '#define ONE(op) asm(#op ".s32 %0, %1, 1;" : "=r"(y) : "r"(x))\n'
            "#define ALL(X) X(add)",
            "ALL(ONE)",
        ),
    ],
)
def test_macros_may_give_parts_of_inline_ptx(macros, use):
    result = translated(f"{macros}\nvoid f() {{ {use}; }}")
    assert "((x) + 1)" in result.split("void f()")[1]


def test_a_name_of_strings_that_is_defined_twice_stays_in_inline_ptx():
    text = (
        '#define ADD "add.s32"\n#undef ADD\n#define ADD "sub.s32"\nvoid f() {{ asm(ADD ";"); }}'
    )
    assert "before macros are replaced" in translated(text)


def test_a_launcher_catches_what_it_throws():
    assert translated('extern "C" void f(int n) { g(n); }') == (
        'extern "C" void f(int n) try { EMULATOR_LAUNCHER(f, return;) g(n); '
        "} catch (...) { ::emulator::launcher_threw(EMULATOR_STRING(f)); return; }"
    )
    assert "EMULATOR_LAUNCHER(f, return {};)" in translated(
        'extern "C" int f() {\n return 1; }'
    )


@pytest.mark.parametrize(
    "text", ['extern "C" void f(int n);', "extern int table[3];", "void f() {}", 'extern "C" {']
)
def test_what_is_no_launcher_stays(text):
    assert translated(text) == text


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('printf("%d", x);', '::emulator::print("%d", x);'),
        ('std::printf ("x");', '::emulator::print("x");'),
        ('::printf("x");', '::emulator::print("x");'),
        ('x.printf("x"); sprintf(s, "x");', 'x.printf("x"); sprintf(s, "x");'),
        ("__noinline__ void f();", "__attribute__((noinline)) void f();"),
        ("__attribute__((__noinline__))", "__attribute__((__noinline__))"),
        ("cudaFuncSetAttribute(k, a, 1);", 'emulator_set_attribute("k", a, 1);'),
        (
            "cudaFuncSetAttribute(n::k<T, 2>,\n a, 1);",
            'emulator_set_attribute("k<T,2>",\n a, 1);',
        ),
        ("cudaFuncSetAttribute((const void*)k, a, 1);", 'emulator_set_attribute("k", a, 1);'),
    ],
)
def test_words(text, result):
    assert translated(text) == result


def test_an_explicit_instantiation_is_not_inline():
    text = "template <int N> __global__ void k();\ntemplate __global__ void k<3>();"
    assert translated(text) == text.replace("template __global__", "template")


def test_an_array_in_local_memory_is_named_for_the_tracer():
    text = (
        "__global__ void k(int n) { int a[8], b[4]; int c[8];\nint d[8] = {};\nc[n] = d[n]; }"
    )
    named = text.replace("c[8];", "c[8]; EMULATOR_LOCAL(c);")
    for name in "cd":
        words = "alignas(int) alignas(::emulator::vector_alignment(sizeof(int[8]))) int"
        named = named.replace(f"int {name}[", f"{words} {name}[")
    assert translated(text) == named.replace("d[8] = {};", "d[8] = {}; EMULATOR_LOCAL(d);")
    same = text.replace("void k", "constexpr void k")
    assert translated(same) == same


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("int a<:2:>;", "int a[ 2 ];"),
        ("void f() <% %>", "void f() {   }"),
        ('x = "<: %>"; // <% :>', 'x = "<: %>"; // <% :>'),
        ("std::vector<::N::T> v; a<:::i:>;", "std::vector<::N::T> v; a[ ::i ];"),
    ],
)
def test_brackets_of_two_characters(text, plain):
    assert plain_brackets(text) == plain


def test_local_headers_get_new_names():
    text = '#include "a.cuh"\n#include <b.h>\n// #include "c.cuh"\n'
    result = translate(text, "f.cu", lambda name: name.upper())
    assert result == FIRST + text.replace('"a.cuh"', '"A.CUH"')
    assert translate(text, "f.cu") == FIRST + text


def test_the_name_of_the_file_is_quoted():
    assert translate("", 'a"b\\c.cu') == '#line 1 "a\\"b\\\\c.cu"\n'


@given(st.text(alphabet="k<>(),;{}[]\"'/*\\ \n\t=x__shared__extern asm", max_size=80))
@settings(max_examples=200)
def test_no_line_is_added_or_lost(text):
    assert translated(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("__global__ void __launch_bounds__(256, 4) k(int* x) {",
         "__global__ void __launch_bounds__(256, 4) k(int* x) "
         "{ ::emulator::check_launch_bounds(256);"),
        ("__launch_bounds__(f(1, 2)) __global__ __cluster_dims__(2) void k(int x)\n{ y; }",
         "__launch_bounds__(f(1, 2)) __global__ __cluster_dims__(2) void k(int x)\n"
         "{ ::emulator::check_launch_bounds(f(1, 2)); y; }"),
        ("__launch_bounds__(256) __global__ void k();", None),
        ("__launch_bounds__(", None),
    ],
)  # fmt: skip
def test_launch_bounds_are_checked_in_the_body(text, result):
    assert translated(text) == (result or text)


def references(text):
    """Return the built-in variables that a function refers to, and the text without them."""
    found = r" \[\[maybe_unused\]\] const \w+& (\w+) = \*::emulator::\w+\(\); "
    return sorted(re.findall(found, translated(text))), re.sub(found, "", translated(text))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void k(int n) { f(threadIdx.x + blockIdx.x * blockDim.x); }",
         ["blockDim", "blockIdx", "threadIdx"]),
        ("inline __device__ int f()\n{ return gridDim.y; }", ["gridDim"]),
        ("#define I \\\n threadIdx.x\n__global__ void k(int n) { f(I); }", ["threadIdx"]),
        ("__device__ S() : x(threadIdx.x) { f(blockIdx.x); }", ["blockIdx"]),
        ("__global__ void k(dim3 blockDim) { f(threadIdx.x, blockDim); }", ["threadIdx"]),
        ("__global__ void k() { auto f = [] { return threadIdx.x; }; }", []),
        ("__global__ void k() { auto f = [] (int i) { return threadIdx.x; }; }", []),
        ("__global__ void k() { auto f = [] __device__ { return threadIdx.x; }; }", []),
        ("__global__ void k() { struct S { int x = threadIdx.x; } s; }", []),
        ("void k() { dim3 blockDim(3); }", []),
        ("__global__ void k(int n); void f() { threadIdx.x; }", []),
        ("__device__ int x = f(threadIdx.x);", []),
    ],
)  # fmt: skip
def test_a_function_asks_once_for_the_built_in_variables(text, names):
    assert references(text) == (names, text)


@pytest.mark.parametrize("cast", ["(void*)", "reinterpret_cast<const void*>"])
def test_the_runtime_knows_a_kernel_whose_address_is_kept(cast):
    kernel = "template <class T, T (*F)(T)> __global__ void k(T* a);\n"
    kept = f"{kernel}const void* p = {cast}(&k<int, twice<int>>);\n"
    launched = "void f() { cudaLaunchKernel(p, 1, 1, nullptr); }\n"
    known = '::emulator::kernel_by_address("k", (k<int, twice<int>>))'
    assert known in translated(kept + launched)
    assert known not in translated(kept)
    bounds = "__global__ void __launch_bounds__(64)"
    assert known in translated((kept + launched).replace("__global__ void", bounds))


@pytest.mark.parametrize(
    ("other", "is_few"),
    [
        ("cub::BlockReduce<int, 32> r;", True),
        ("cub::DeviceReduce::Sum(t, b, x, y, n);", False),
        ("cub::Device##name::Sum", False),
        ("cub::DoubleBuffer<int> d(x, y);", False),
    ],
)
def test_a_file_without_functions_for_the_whole_gpu_includes_less_of_cub(other, is_few):
    text = "#include <cub/cub.cuh>\nint x;\n"
    result = with_few_of_cub(text, text + other)
    assert (result == text) != is_few and len(result) == len(text)
