"""The family of wrong and right kernels: a sample in every run, all of it in make test-all."""

import contextlib
import itertools
from random import Random

import pytest

from helpers.errors import CourseError
from helpers.run import jit
from helpers.testing import check
from helpers.testing.wrong_kernels import combined
from tests.testing import family
from tests.testing.family import judging
from tests.testing.family.edits import edits
from tests.testing.family.judging import judge, load, misleads, names_the_fault
from tests.testing.family.table import Right, Wrong

SAMPLE = (  # built as one file; no shared memory, so that nothing is built for tracing
    "tests_a_only",
    "loses_13_of_16",
    "capped_grid",
    "half_sum_clamped",
    "int_sum_in_float",
    "tanh_bound",
    "minus_is_plus",
    "g_long_swapped",
    "t_square_only",
    "g_p_by_four",
    "h_one_too_far",
    "r_f_silu",
    "r_transpose_gathers",
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    members = [m for m in family.MEMBERS if m.name in SAMPLE]
    text = combined({m.name: m.text(family.BASES[m.base]) for m in members})
    file = tmp_path_factory.mktemp("family") / "sample.cu"
    file.write_text(text)
    return jit.load(file)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample(name, sample):
    (member,) = [m for m in family.MEMBERS if m.name == name]
    answer = judge(member, sample)
    assert answer.decided_rightly, answer.message
    if answer.wrong:
        assert names_the_fault(member, answer.message), answer.message
        assert not misleads(member, answer.message), answer.message


@pytest.mark.stress
@pytest.mark.parametrize("base", family.BASES)
def test_all_of_a_base(base, tmp_path, monkeypatch):
    """All right ones pass; wrong ones are caught and named, but for those set apart.

    With the lines of which an edit helps, as a learner reads them.
    """
    monkeypatch.setenv("ELEMENTWISE_FIND_LINE", "1")
    kernel = load(tmp_path, base)
    answers = {m: judge(m, kernel) for m in family.MEMBERS if m.base == base}
    wrong = {m: a for m, a in answers.items() if a.wrong}
    right = {a.name: a.ok for a in answers.values() if not a.wrong}
    refused = [name for name, ok in right.items() if not ok and name not in family.REFUSED]
    known = family.OPEN | family.MISSED
    passed = [a.name for a in wrong.values() if a.ok and a.name not in known]
    told = {m: a.message for m, a in wrong.items() if not a.ok}
    clear = {m: message for m, message in told.items() if m.name not in family.MISLED}
    misled = [message for m, message in clear.items() if misleads(m, message)]
    told = {m: message for m, message in told.items() if m.name not in family.UNNAMED}
    unnamed = [message for m, message in told.items() if not names_the_fault(m, message)]
    assert not refused and not passed and not misled and not unnamed


OPEN_WORDS = {
    "t_y_cannot": "65,535 blocks into grid.y",
    "p_n_in_y": "65,535 blocks into grid.y",
    "h_largest_by_float": "NaN",
    "xx_max_fmaxf": "NaN",
    "xxii_turn_tall_grid": "65,535 blocks into grid.y",
    "hundrednine_flip_too_tall": "65,535 blocks into grid.y",
    "xxv_max_keys_nan_lowest": "NaN",
    "xxxviii_a_causal_grid_y": "65,535 blocks into grid.y",
    "xxxviii_count_int": "sizes past 2^31",
    "xxxix_bcast_int": "sizes past 2^31",
    "seventyone_page_no_limit_downwards": "65,535 blocks into grid.y",
    "seventyseven_flip_rows_in_grid_y": "65,535 blocks into grid.y",
    "seventynine_flip_down_in_y": "65,535 blocks into grid.y",
    "ninety_turn_tiles_in_y": "65,535 blocks into grid.y",
    "ninetytwo_turn_grid_of_two": "65,535 blocks into grid.y",
}


@pytest.mark.parametrize("name", [*family.BASES][:: len(family.BASES) // 20])
def test_random_edits_are_of_one_place_and_each_of_another_kind(name):
    base, kinds = family.BASES[name], []
    for edit, again in zip(edits(name, Random(7)), edits(name, Random(7)), strict=True):
        text, (start, end) = edit.text(base), edit.span
        assert text == again.text(base) != base.text
        assert text[:start] == base.text[:start] and text.endswith(base.text[end:])
        first, *lines = edit.shown(base).splitlines()
        assert first.startswith("line ") and any(line.startswith("- ") for line in lines)
        for line in lines:
            assert line[2:] in (base.text if line[0] == "-" else text).splitlines()
        kinds.append(edit.kind)
    assert len(kinds) == len({*kinds}) >= 5


@pytest.mark.stress
def test_a_verdict_on_any_edit_is_a_sentence(tmp_path):
    for name in [*family.BASES][5 :: len(family.BASES) // 4]:
        for edit in itertools.islice(edits(name, Random(3)), 4):
            with contextlib.suppress(CourseError):  # it does not build
                answer = judge(edit, load(tmp_path, name, [edit]))
                assert answer.ok is None or answer.message.startswith(("WRONG: ", "right in "))
                assert "launcher's own code" not in answer.message


@pytest.mark.stress
@pytest.mark.parametrize("name", sorted(family.OPEN))
def test_the_verdict_says_what_was_not_tried(name, tmp_path):
    (member,) = [m for m in family.MEMBERS if m.name == name]
    answer = judge(member, load(tmp_path, member.base))
    assert answer.ok and OPEN_WORDS[name] in answer.message.partition("not tried: ")[2]


def test_names_are_unique_and_every_edit_fits():
    names = [m.name for m in family.MEMBERS]
    assert len(set(names)) == len(names)
    texts = {m.text(family.BASES[m.base]) for m in family.WRONG}
    assert len(texts) == len(family.WRONG) >= 630 and len(family.RIGHT) >= 296
    assert {m.base for m in family.MEMBERS} == set(family.BASES)


def test_a_member_names_causes_that_exist():
    with pytest.raises(ValueError, match="no cause 'nonsense'"):
        Wrong("x", "f_add", "nonsense")
    with pytest.raises(ValueError, match=r"'no such text' is 0 times in f_add"):
        Right("x", "f_add", ("no such text", "")).text(family.BASES["f_add"])


@pytest.mark.parametrize(
    ("sentence", "causes"),
    [
        ("WRONG: only NaN goes wrong [n = 5, tail]", {"nan"}),
        ("the last element was never written: is the tail handled", {"tail", "unwritten"}),
        ("nothing orders the two: a missing __syncthreads()? This is a race.", {"race"}),
        ("3 of 9 elements are wrong", set()),
        ("thread 1 reads factor[0] (line 9), and writes tail[2, 3]: This is a race", {"race"}),
        ("WRONG: f.cu: squares<2>, block (0, 0, 0), thread (1, 0, 0): a trap", set()),
    ],
)
def test_a_sentence_claims_causes(sentence, causes):
    assert judging.claims(sentence) == causes


def test_the_verdict_of_a_base_that_has_no_cases_is_open():
    answer = judging.Judgement("x", True, "", 0.0, None)
    assert not answer.decided_rightly
    assert check.Verdict("x", True, 1, "right").ok
