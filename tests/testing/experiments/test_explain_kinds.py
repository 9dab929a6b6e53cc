"""Of which kind of cases a fault is."""

import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import explain_kinds
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure

VAGUE = Diagnosis("some elements are wrong", specific=False)


def case(label, value):
    x = torch.full((4,), float(value))
    return Case(label, (x,), (x,), dtypes=(torch.float32,))


def asked(fake_launcher, first, passed, following, told=VAGUE):
    """Ask of a kernel that copies, and makes 0 of what is below 1."""

    def launch(launcher, x, out, **arguments):
        out.copy_(torch.where(x < 1, 0, x))

    launcher = fake_launcher("float x", "float out", launch)
    failure = Failure(first, ROUNDS[0], told)
    some = Experiment(launcher, failure, passed, following=following)
    answer = explain_kinds.only_of_a_kind(some)
    assert answer is None or (answer.depends and not answer.specific)
    return answer and answer.sentence


SMALL = [case(f"n = {n}, small, at once", 0.5) for n in (1, 2)]
LARGE = [case(f"n = {n}, large, at once", 2) for n in (1, 2, 3)]
ENDS = ": is the formula another one for such numbers?"


def test_only_cases_of_one_kind_go_wrong(fake_launcher):
    first, *others = SMALL
    words = 'some elements are wrong; only cases of "small" go wrong, and 3 others come out '
    assert asked(fake_launcher, first, LARGE, others) == f"{words}right{ENDS}"
    assert (
        asked(fake_launcher, first, LARGE[:1], [*others, *LARGE[1:]]) == f"{words}right{ENDS}"
    )
    assert asked(fake_launcher, first, LARGE, []) is None  # one alone
    assert asked(fake_launcher, first, LARGE[1:], others) is None
    assert asked(fake_launcher, first, [*LARGE, case("small", 2)], others) is None
    assert asked(fake_launcher, case("n = 1", 0.5), LARGE, others) is None
    sure = Diagnosis("it is a copy")
    assert asked(fake_launcher, first, LARGE, others, sure) is None


def test_only_cases_of_one_kind_come_out_right(fake_launcher):
    first, *others = SMALL
    others += [case("n = 7, tiny, at once", 0.25)]
    told = Diagnosis("all are wrong: is the formula another one?", specific=False)
    assert asked(fake_launcher, first, LARGE, others, told) == (
        'all are wrong: is the formula another one?; right in 3 cases of "large, at once", and '
        "wrong in all of other kinds"
    )
    assert asked(fake_launcher, first, [*LARGE, case("huge, at once", 9)], others) is None


def test_a_case_counts_once_and_no_kind_is_no_kind(fake_launcher):
    first, *others = SMALL
    assert asked(fake_launcher, first, LARGE, [first, *LARGE]) is None  # one alone
    words = asked(fake_launcher, first, LARGE, [first, *LARGE, *others])
    assert "and 3 others come out right" in words
    plain = [case(f"n = {n}", 2) for n in (1, 2, 3)]
    assert asked(fake_launcher, first, plain, [case("n = 7, tiny", 0.25)]) is None
