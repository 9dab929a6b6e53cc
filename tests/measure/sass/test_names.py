"""The names of kernels, from their symbols."""

import ctypes

import pytest

from helpers.measure.sass import kernel_name, names


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z7add_f32PKfS0_Pfl", "add_f32"),
        ("_Z9add_f16x8I6__half7__half2EvPKT_S3_PS1_l", "add_f16x8<__half, __half2>"),
        ("_Z2tkIiLin4EEvPT_", "tk<int, -4>"),
        ("_ZN2ns5innerEPf", "ns::inner"),
        ("_Z3fooIN2ns3AddELb1EPKfEvT_", "foo<ns::Add, true, float const*>"),
        (
            "_ZN1e2ekILi8E3Add6__halfJPKS2_S4_EEEvT0_lPT1_DpT2_",
            "e::ek<8, Add, __half, __half const*, __half const*>",
        ),
        ("_ZN12_GLOBAL__N_13addEPf", "(anonymous)::add"),
        ("_ZL3addPf", "add"),
        ("plain_c_name", "plain_c_name"),
        ("_Z1kILj4ELl5EEvv", "k<4, 5>"),  # unsigned and long
        ("_Z1kI1AI1BEEvT_", "k<A<B>>"),
        ("_Z1kIPFvfEEvT_", "k<void (*)(float)>"),  # a pointer to a function
        ("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const"),
        ("_Z", "_Z"),
        ("_Z9short", "_Z9short"),
    ],
)
def test_kernel_name(symbol, name):
    assert kernel_name(symbol) == name


def test_without_libstdcxx_a_symbol_stays_as_it_is(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    names._demangle.cache_clear()
    assert kernel_name("_Z7add_f32PKfS0_Pfl") == "_Z7add_f32PKfS0_Pfl"
    names._demangle.cache_clear()
