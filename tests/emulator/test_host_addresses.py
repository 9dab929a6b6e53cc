"""Where host code takes the address of a __device__ function."""

import pytest

from helpers.emulator.host_addresses import host_addresses

DEVICE = "__device__ float f(float x) { return x; }\n"


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("void launch() { op g = f; }", ["f"]),
        ("void launch() { op g = &f; g = f; }", ["&f", "f"]),
        ("void launch() { k<<<1, 64>>>(a, f, n); }", ["f"]),
        ("static op table[] = {f, &f};", ["f", "&f"]),
        ("op chosen() { return f; }", ["f"]),
        ("void launch() { void* p = (void*)f; }", ["f"]),
        ("void launch() { map<f><<<1, 64>>>(a, n); }", []),
        ("void launch() { map<3, f, float><<<1, 64>>>(a, n); }", []),
        ("void launch() { f(1); }", []),
        ("#define LAUNCH(f, n) f<<<1, n>>>()\nvoid launch() { op g = f; }", ["f"]),
        ("void launch() { auto [e, f] = both(); }", []),
        ("enum Kind { none, f };", []),
        ("void launch() { using G = decltype( f ); }", []),
        ("void launch(float f) { k<<<1, 64>>>(a, f, n); }", []),
        ("void launch() { cudaEvent_t e, f; wait(e, f); }", []),
        ("void launch() { float* e = a, *g, f = 1; use(f); }", []),
        ("void launch() { op e = f, g = f; float x = call(a, f); }", ["f", "f", "f"]),
        ("void launch() { x.f = 1; y->f = 2; }", []),
        ("__global__ void k() { op g = f; }", []),
        ("__device__ op table[] = {f};", []),
        ("__constant__ op chosen = f;", []),
    ],
)
def test_where_host_code_has_the_address(host, found):
    code = DEVICE + host
    assert [code[start:end] for start, end in host_addresses(code)] == found


def test_of_several_functions_of_a_name_none_is_taken():
    code = DEVICE + DEVICE.replace("float", "double") + "void launch() { op g = f; }"
    assert not list(host_addresses(code))


@pytest.mark.parametrize("head", ["struct f", "class __align__(16) f final : Base", "union f"])
def test_a_class_with_a_constructor_is_no_function(head):
    code = head + " { __device__ f(float x); };\nvoid launch() { use(sizeof(f), (f)); }"
    assert not list(host_addresses(code))


def test_a_function_of_both_sides_has_one_address():
    code = "__host__ __device__ float f(float x) { return x; }\nvoid launch() { op g = f; }"
    assert not list(host_addresses(code))
