"""The checker rejects every known-wrong kernel for the right reason, and no right one."""

import json
import subprocess
import sys

import pytest
import torch

from helpers import paths
from helpers.run import machine
from helpers.testing import wrong_kernels
from helpers.testing.base_kernels import BASES
from helpers.testing.wrong_kernels import FAMILY, RIGHT, WRONG, Variant

GPU = machine.present().is_gpu
ELEMENTWISE = 94  # cases of one launcher
SEEN = [variant for variant in WRONG if GPU or not variant.needs_gpu]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    folder, loaded = tmp_path_factory.mktemp("known"), {}

    def of(base):
        if base not in loaded:
            loaded[base] = wrong_kernels.load(folder, base)
        return loaded[base]

    return of


def names(variants):
    return [variant.name for variant in variants]


# ---- the family: first what takes no time


def test_the_family_is_large_and_each_has_its_own_text():
    assert len(WRONG) == 46 and len(RIGHT) == 23  # lesson 19 prints both
    texts = [variant.text for variant in FAMILY.values()]
    assert len(set(texts)) == len(texts) == len(WRONG) + len(RIGHT)
    assert all(variant.words for variant in WRONG)
    assert not any(variant.words for variant in RIGHT)


def test_every_base_is_in_the_family_as_it_is():
    assert {variant.base for variant in FAMILY.values()} == set(BASES)
    for base, right in BASES.items():
        assert FAMILY[f"right_{base}"].text == right.text


@pytest.mark.parametrize("old", ["no such text", "int64_t"])
def test_an_edit_must_fit_once(old):
    with pytest.raises(ValueError, match=r"^bad: .* times in add"):
        _ = Variant("bad", "add", "", ((old, "new"),)).text


def test_kernels_are_combined_in_namespaces():
    text = wrong_kernels.combined(
        {
            "one": '#include <b>\nextern "C" void launch(int x);\n',
            "two": '#include <a>\n#include <b>\nextern "C" void add(int x);\nadd(1); readd(2);',
        }
    )
    assert text == (
        "#include <a>\n#include <b>\n\n"
        'namespace in_one {\nextern "C" void one(int x);\n}  // namespace in_one\n\n'
        'namespace in_two {\nextern "C" void two_add(int x);\ntwo_add(1); readd(2);\n'
        "}  // namespace in_two\n"
    )


def test_lesson_19_shows_the_whole_family():
    """Its committed output has a line for each wrong kernel: name, base, what is wrong."""
    lesson = json.loads(
        (paths.ROOT / "notebooks" / "19_testing_kernels.ipynb").read_text("utf-8")
    )
    texts = ["".join(o.get("text", "")) for c in lesson["cells"] for o in c.get("outputs", [])]
    heading = f"{len(WRONG)} wrong, {len(RIGHT)} right\n"
    (table,) = [text for text in texts if text.startswith(heading)]
    shown = [line.split(maxsplit=2) for line in table.splitlines()[1:]]
    assert [name for name, *_ in shown] == [variant.name for variant in WRONG]
    assert [base for _, base, _ in shown] == [variant.base for variant in WRONG]
    assert [what for *_, what in shown] == [variant.what for variant in WRONG]


def test_the_right_ones_are_named_and_described():
    described = [(variant.name, variant.base) for variant in RIGHT if variant.edits]
    assert described == [
        ("one_thread_a_block", "strided"),
        ("backwards", "add"),
        ("idle_blocks", "add"),
        ("two_launches", "add"),
        ("twice_over", "add"),
        ("int_within_a_block", "add"),
        ("cleared_first", "add"),
        ("one_block_strides", "strided"),
        ("warp_strides", "strided"),
        ("branch_on_alignment", "packs"),
        ("sum_one_thread", "sum"),
        ("sum_in_double", "sum"),
    ]
    assert FAMILY["sum_in_double"].what == "sums in float64"
    assert FAMILY["idle_blocks"].what == "three blocks too many"
    assert [v.name for v in RIGHT if not v.edits] == [f"right_{base}" for base in BASES]


def test_only_lost_updates_need_a_gpu():
    assert [variant.name for variant in WRONG if variant.needs_gpu] == ["lost_updates"]
    plain = Variant("a", "add", "b", ())
    assert plain.words == "" and plain.needs_gpu is False and plain.text == BASES["add"].text


def test_an_edit_replaces_its_text():
    text = Variant("a", "add", "b", (("i < n", "i < n - 1"), ("a[i] + b[i]", "0.0f"))).text
    assert "if (i < n - 1) out[i] = 0.0f;" in text


def test_all_variants_of_a_base_are_built_in_one_file(tmp_path, monkeypatch):
    built = []
    monkeypatch.setattr(wrong_kernels.jit, "load", lambda file: built.append(file) or "kernel")
    assert wrong_kernels.load(tmp_path, "sum") == "kernel"
    assert built == [tmp_path / "known_sum.cu"]
    own = [name for name, variant in FAMILY.items() if variant.base == "sum"]
    text = built[0].read_text(encoding="utf-8")
    expected = wrong_kernels.combined({name: FAMILY[name].text for name in own})
    assert text == expected and len(own) == 7


def test_one_variant_is_judged_with_the_options_of_its_base(monkeypatch):
    monkeypatch.setattr(wrong_kernels.check, "verdict", lambda *a, **more: (a, more))
    variant = FAMILY["swapped"]
    (kernel,), options = wrong_kernels.judge(variant, "kernel")
    assert kernel == "kernel" and options.pop("only") == "swapped"
    assert options == BASES["subtract"].options


# ---- what the checker says of each


@pytest.mark.sample(5)
@pytest.mark.parametrize("variant", SEEN, ids=names(SEEN))
def test_a_wrong_kernel_is_rejected_with_a_sentence_that_helps(variant, kernels):
    answer = wrong_kernels.judge(variant, kernels(variant.base))
    assert not answer.ok
    assert answer.message.startswith("WRONG: ")
    assert variant.words in answer.message
    assert len(answer.message) < 600


@pytest.mark.sample(5)
@pytest.mark.parametrize("variant", RIGHT, ids=names(RIGHT))
def test_a_right_kernel_is_accepted(variant, kernels):
    answer = wrong_kernels.judge(variant, kernels(variant.base))
    assert answer.ok, answer.message
    if "reference" in BASES[variant.base].options:
        assert answer.cases == ELEMENTWISE  # the same on a GPU and on the emulator


BIG = """
import sys, torch
from helpers.run import jit
n = (1 << 31) + 1001
a, out = torch.zeros(n, device="cuda"), torch.full((n,), float("nan"), device="cuda")
b = torch.zeros(n, device="cuda")
for at in (slice(0, 1000), slice((1 << 31) - 1000, n)):
    a[at] = torch.arange(a[at].numel(), device="cuda") % 1000
    b[at] = 0.5
jit.load(sys.argv[1])(a, b, out)
torch.cuda.synchronize()
parts = zip(*(x.split(1 << 28) for x in (out, a, b)))
same = all(torch.equal(o, x + y) for o, x, y in parts)
print("every element is right" if same else "some elements are wrong")
"""


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.parametrize("name", ["right_add", "right_strided", "past_2_31", "past_2_31_int_n"])
def test_past_2_31_elements_on_a_gpu(name, tmp_path):
    """Launch on 25.8 GB, in another process: an illegal access would end this one's CUDA."""
    if torch.cuda.mem_get_info()[0] < 40e9:
        pytest.skip("needs 40 GB of free GPU memory")
    file = tmp_path / f"{name}.cu"
    file.write_text(FAMILY[name].text)
    command = [sys.executable, "-c", BIG, str(file)]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True)
    right = "every element is right" in done.stdout
    assert right is name.startswith("right"), done.stdout + done.stderr
