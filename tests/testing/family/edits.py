"""Edit right kernels at random, and print what `check` says of each edit, to be read.

    python -m tests.testing.family.edits [--seed N] [--seconds S] [BASE | part of a name ...]

Each edit is at one place of a base: another comparison or operator, threadIdx for blockIdx, a
number in the place of blockDim.x, one block, a barrier or a test left out, another constant, a
narrower type. Nobody has labelled them: whether a sentence names the fault, or sends its reader
the wrong way, must be read from the two lines before it. Edits that change nothing pass.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from helpers.errors import CourseError
from tests.testing import family
from tests.testing.family.judging import judge, load
from tests.testing.family.table import Base, Wrong

EACH = 5  # edits of a base, each of another kind, before the next one
_NAME, _NUMBER = r"[A-Za-z_]\w*", r"(?<![\w.])(\d+)(?![\w.])"
_OPERAND = r"(?<=[\w)\]])"  # before an operator
_TEST = r"if \([^()]*(?:\([^()]*\)[^()]*)*\)"
_LAUNCH = r"<<<([^,<>]+), ([^,<>]+)([,>])"
# A kind, what it looks for, and what takes its place: several are drawn from.
KINDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("comparison", rf"{_OPERAND} < (?=[\w(])", (" <= ", " > ")),
    ("comparison", rf"{_OPERAND} > (?=[\w(-])", (" >= ", " < ")),
    ("comparison", r" <= ", (" < ",)),
    ("comparison", r" >= ", (" > ",)),
    ("operator", rf"{_OPERAND} \+ (?=[\w(])", (" - ", " * ")),
    ("operator", rf"{_OPERAND} - (?=[\w(])", (" + ",)),
    ("operator", rf"{_OPERAND} \* (?=[\w(])", (" + ", " / ")),
    ("operator", rf"{_OPERAND} / (?=[\w(])", (" * ",)),
    ("assignment", r" \+= ", (" = ", " -= ")),
    ("axis", r"\b(threadIdx|blockIdx|blockDim|gridDim)\.x", (r"\1.y",)),
    ("axis", r"\b(threadIdx|blockIdx|blockDim|gridDim)\.y", (r"\1.x",)),
    ("index", r"\bblockIdx\.([xy])", (r"threadIdx.\1",)),
    ("index", r"\bthreadIdx\.([xy])", (r"blockIdx.\1",)),
    ("index", rf"\[({_NAME})\]", (r"[\1 + 1]",)),
    ("index", rf"\[([^\[\]]*) \* ({_NAME}) \+ ({_NAME})\]", (r"[\3 * \2 + \1]",)),
    ("block size", r"\bblockDim\.x", ("256", "128", "32", "gridDim.x")),
    ("barrier", r"^\s*__sync(?:threads|warp)\(\);\n", ("",)),
    ("statement", r"^\s+[\w\[\]().+*%/ -]+ [+*/-]?= [^;{}\n]*;\n", ("",)),
    ("test", rf"{_TEST} (?:return|continue|break);", ("",)),
    ("test", rf"{_TEST}(?= *\{{?\n)", ("if (true)",)),
    (
        "constant",
        r"(?<![\w.])(?:\d*\.\d+f?|\d+\.f?)(?![\w.])",
        ("0.5f", "1.0f", "2.0f", "0.0f"),
    ),
    ("function", r"\b(f?)max(f?)\(", (r"\1min\2(",)),
    ("function", r"\b(f?)min(f?)\(", (r"\1max\2(",)),
    ("function", r"\bexp(f?)\(", (r"exp2\1(", r"exp\1(-")),
    ("function", r"\brsqrt(f?)\(", (r"sqrt\1(",)),
    ("function", r"\bsqrt(f?)\(", (r"rsqrt\1(",)),
    ("function", r"\bfabsf\(", ("(",)),
    ("function", r"__shfl_down_sync", ("__shfl_up_sync",)),
    ("function", r"__shfl_xor_sync", ("__shfl_down_sync",)),
    ("rounding", r"__(float2half|double2half|float2int|double2int)(?:_rn)?\(", (r"__\1_rz(",)),
    ("type", rf"\b(?:float|double) ({_NAME}) = ", (r"__half \1 = ", r"int \1 = ")),
    ("type", rf"\b(?:int|long long|size_t|int64_t|unsigned) ({_NAME}) = ", (r"short \1 = ",)),
    ("round up", rf"\(({_NAME}) \+ ({_NAME}) - 1\) / \2", (r"\1 / \2",)),
    ("launch", _LAUNCH, (r"<<<1, \2\3", r"<<<\1, (\2) / 2\3", r"<<<(\1) - 1, \2\3")),
    ("stream", r", stream>>>", (">>>",)),
)


class Edit(Wrong):
    """One place of a base's text, and what stands there now. kind: as in KINDS."""

    def __init__(self, name: str, base: str, kind: str, span: tuple[int, int], new: str):
        super().__init__(name, base, "numbers")  # nobody has said which cause it is
        self.kind, self.span, self.new = kind, span, new

    def text(self, base: Base) -> str:
        """Return the whole .cu file."""
        start, end = self.span
        return base.text[:start] + self.new + base.text[end:]

    def shown(self, base: Base) -> str:
        """Return the lines that differ, those of the base first."""
        old, new = (text.splitlines() for text in (base.text, self.text(base)))
        at = next((k for k, pair in enumerate(zip(old, new, strict=False)) if len({*pair}) > 1))
        behind = at + 1 + max(0, len(old) - len(new))
        lines = [f"- {line}" for line in old[at:behind]]
        lines += [f"+ {line}" for line in new[at : at + 1 + len(new) - len(old)]]
        return "\n".join([f"line {at + 1}", *lines])


def edits(name: str, rng: random.Random) -> Iterator[Edit]:
    """Yield an edit of each kind that fits a base, in any order."""
    text = family.BASES[name].text
    code = text.index("\n", text.rfind("#include"))
    kinds: dict[str, list[tuple[tuple[int, int], str]]] = {}
    for kind, pattern, others in KINDS:
        for found in re.compile(pattern, re.MULTILINE).finditer(text, code):
            news = [new for new in map(found.expand, others) if new != found[0]]
            if news:
                kinds.setdefault(kind, []).extend((found.span(), new) for new in news)
    for found in re.compile(_NUMBER).finditer(text, code):
        number = int(found[1])
        news = {number + 1, max(0, number - 1), 2 * number, number // 2} - {number}
        kinds.setdefault("number", []).extend((found.span(), str(new)) for new in sorted(news))
    for k, kind in enumerate(rng.sample(sorted(kinds), len(kinds))):
        yield Edit(f"{name}_edit_{k}", name, kind, *rng.choice(kinds[kind]))


def main() -> None:
    """Judge random edits of the bases that the command line names, until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300.0)
    options = parser.parse_args()
    os.environ.setdefault("ELEMENTWISE_FIND_LINE", "1")  # as users have it
    end, rng = time.monotonic() + options.seconds, random.Random(options.seed)
    bases = [name for name in family.BASES if any(part in name for part in options.names)]
    rng.shuffle(bases)
    with tempfile.TemporaryDirectory() as folder:
        for base in itertools.cycle(bases):
            for edit in itertools.islice(edits(base, rng), EACH):
                if time.monotonic() > end:
                    return
                try:
                    kernel = load(Path(folder), base, [edit])
                except (CourseError, ValueError):
                    continue  # it does not build, or declares no alignment that there is
                try:
                    answer = judge(edit, kernel)
                except (TypeError, ValueError):
                    continue  # it declares a size that no tensor has, or another type
                message = " ".join(answer.message.split())
                shown = edit.shown(family.BASES[base])
                print(f"{base}, {edit.kind}, {shown}\n    {message}\n", flush=True)


if __name__ == "__main__":
    main()
