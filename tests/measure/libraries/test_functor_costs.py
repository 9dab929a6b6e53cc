"""What a functor's arithmetic costs is read from the machine code of a pack's kernel."""

import re

import pytest
import torch

from helpers import specs
from helpers.measure.libraries import functor_costs, my_operator
from helpers.measure.sass import Instruction, KernelSass
from helpers.run import c_types
from helpers.run.signature import declarations

DIVIDES = "CALL.REL.NOINC $__internal_2_$__cuda_sm3x_div_rn_noftz_f32_slowpath"
CODE = (
    "LDG.E.128 R4, desc[UR4][R2.64]",
    *["BSSY B0, `(.L_x_59)", "FCHK P0, R3, 6", "@!P0 BRA .L_x_60", DIVIDES] * 8,
    *["MUFU.EX2 R5, R5"] * 16,
    "STG.E.128 desc[UR4][R2.64], R4",
    "EXIT",
    *["FADD R1, R1, R1"] * 60,  # the slow path
)


def kernel(elements=8, packs=1, functor="3Own", form=0, code=CODE):
    """Return a kernel of fast.cuh on halves, by its name in the object file."""
    symbol = (
        f"_ZN4fast12packs_kernelILi{elements}ELi{packs}ELi256ELNS_4FormE{form}ELNS_5StartE0E"
        f"{functor}6__halfJPKS4_EEEvT4_NSt11conditionalIXeqT2_LS1_2EENS_3JobENS_8WholeJobEE4type"
        "EPT5_DpT6_"
    )
    instructions = tuple(Instruction(16 * k, text) for k, text in enumerate(code))
    return KernelSass(symbol, 25, 0, 0, 0, 0, instructions)


def test_the_widest_pack_speaks_without_its_slow_path():
    (one,) = functor_costs.costs([kernel(4, code=CODE[:3]), kernel(), kernel(2)])
    assert (one.functor, one.types, one.elements) == ("Own", "__half, __half const*", 8)
    assert one.instructions == (1 + 32 + 16 + 2) / 8
    assert (one.special, one.branches, one.exact, one.is_light) == (2, 1, {"div"}, False)


@pytest.mark.parametrize("other", [{"packs": 2}, {"form": 2}])
def test_other_kernels_say_nothing(other):
    assert functor_costs.costs([kernel(**other)]) == []


def test_what_it_allows_and_what_is_shorter():
    (one,) = functor_costs.costs([kernel()])
    card = specs.gpu("H200")
    per_us = card.sm_count * 4 * card.boost_MHz * 32  # instructions of threads
    assert one.issue_GBps(card, 4) == pytest.approx(4 * per_us / one.instructions / 1e3)
    cost, shorter, branches = one.lines(card, 4)
    assert cost.startswith("6.4 instructions an element, 2.0 of them exponentials")
    assert shorter.startswith("among them an exact division; `functions::quotient(a, b)`")
    assert branches.startswith("1.0 branches an element")


@pytest.mark.parametrize(
    ("code", "light"),
    [(["FADD"] * 71, True), (["FADD"] * 72, False), (["MUFU.RSQ"] * 8, True),
     (["MUFU.RSQ"] * 9, False)],
)  # fmt: skip
def test_a_light_functor_is_told_so(code, light):
    (one,) = functor_costs.costs([kernel(code=[*code, "EXIT"])])
    assert one.is_light is light
    assert ("kLight" in list(one.lines(specs.gpu("H200"), 4))[-1]) is light


def test_types_are_those_of_the_names():
    found = functor_costs.types_of(torch.half, [torch.half])
    assert found == functor_costs.cost(kernel()).types
    assert functor_costs.types_of(torch.bfloat16, [torch.float32, torch.int8]) == (
        "__nv_bfloat16, float const*, signed char const*"
    )


@pytest.mark.parametrize("dtype", sorted(set(c_types.DTYPES.values()), key=str), ids=str)
def test_a_launcher_of_any_type_has_such_a_name(dtype):
    assert re.fullmatch(r"[\w ]+, [\w ]+ const\*", functor_costs.types_of(dtype, [dtype]))


@pytest.fixture
def launch(monkeypatch):
    text = 'extern "C" void twice(const half* x,  // [n]\n half* out,  // [n]\n int64_t n);'
    monkeypatch.setattr(my_operator.roofs, "this_gpu", lambda: specs.gpu("H200"))

    class Launch:
        declaration = declarations(text, "twice.cu")["twice"]

    return Launch


def test_a_reader_is_told_his_launcher_s_cost(launch, monkeypatch, capsys, tmp_path):
    report = type("Report", (), {"kernels": [kernel(), kernel(functor="5Other")]})
    monkeypatch.setattr(my_operator.sass, "read", lambda path, arch: report)
    my_operator.print_costs(tmp_path / "twice.cu", [launch])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["twice (Own)"] * 3 + ["twice (Other)"] * 3


def test_without_tools_it_says_so(launch, capsys, tmp_path, monkeypatch):
    def missing(path, arch):
        raise my_operator.CourseError("nvcc was not found")

    monkeypatch.setattr(my_operator.sass, "read", missing)
    my_operator.print_costs(tmp_path / "twice.cu", [launch])
    assert capsys.readouterr().out == "without the machine code: nvcc was not found\n"
