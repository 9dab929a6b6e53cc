"""Judge a test that the learner writes, and a kernel that a given test lets pass."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType

import numpy as np
import torch

from helpers import paths
from helpers.errors import CourseError
from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.sources import write_whole
from helpers.teach.exercises.marking import Code, Mark
from helpers.testing import check
from helpers.testing.wrong_kernels import Variant, combined

Test = Callable[[Launcher], object]


def accepts(test: Test, launcher: Launcher) -> bool:
    """Tell whether a test accepts a kernel: it returns True, and raises no AssertionError.

    A fault of the kernel is a rejection. Raises TypeError if the answer is not true or false.
    """
    try:
        answer = test(launcher)
    except (AssertionError, CourseError):
        return False
    if isinstance(answer, (bool, np.bool_)):
        return bool(answer)
    if isinstance(answer, torch.Tensor) and answer.numel() == 1:
        return bool(answer)
    raise TypeError(f"it returns {type(answer).__name__}, not True or False")


@dataclass(frozen=True, kw_only=True)
class KernelTest:
    """An exercise whose answer is a Python function that tests a kernel.

    right: kernels of the family that it must accept. wrong: those that it must reject, each
    with the hint for a test that accepts it. All are variants of the same base.
    """

    statement: str
    hint: str
    right: tuple[Variant, ...]
    wrong: Mapping[Variant, str]

    def judge(self, given: object) -> Mark:
        """Try a test on kernels that are right, then on those that are wrong."""
        if not isinstance(given, FunctionType):
            words = (
                "the answer must be a function that takes a kernel and returns True or False"
            )
            return Mark(False, f"{words}, not {type(given).__name__}", self.hint)
        variants = (*self.right, *self.wrong)
        kernels = self._kernels(variants)
        for variant in variants:
            try:
                accepted = accepts(given, kernels[variant])
            except Exception as error:  # whatever a learner's function raises
                words = f"the test stops with {type(error).__name__}: {error}"
                return Mark(False, f"{words}\n    Hint: {self.hint}", self.hint)
            if accepted != (variant in self.right):
                return self._disagrees(variant, accepted)
        return Mark(
            True, f"right: accepts {len(self.right)}, rejects {len(self.wrong)} kernels"
        )

    def _disagrees(self, variant: Variant, accepted: bool) -> Mark:
        if accepted:
            hint = self.wrong[variant]
            words = f"the test accepts a kernel that is wrong: {variant.what}"
        else:
            hint = (
                "compare with what is right for every kernel, whatever its order and its blocks"
            )
            words = f"the test rejects a kernel that is right: {variant.what}"
        return Mark(False, f"{words}\n    Hint: {hint}", hint)

    def _kernels(self, variants: tuple[Variant, ...]) -> dict[Variant, Launcher]:
        """Build all kernels in one file, under names that say nothing."""
        names = {f"kernel_{k}": variant for k, variant in enumerate(variants)}
        text = combined({name: variant.text for name, variant in names.items()})
        file = paths.KERNELS / "mine" / f"to_be_tested_{zlib.crc32(text.encode()):08x}.cu"
        write_whole(file, text)  # another lesson may do so at the same time
        launchers = jit.load(file).launchers
        return {variant: launchers[name] for name, variant in names.items()}


@dataclass(frozen=True, kw_only=True)
class Survivor(Code):
    """An exercise whose answer is a wrong kernel that a given test accepts."""

    test: Test

    def judge(self, given: object) -> Mark:
        """Require that the checker rejects the kernel and the test does not."""
        fitting = self.fitting(given) if isinstance(given, Kernel) else []
        if not fitting:
            return super().judge(given)
        verdict = check.verdict(given, self.reference, only=fitting[0].__name__)
        if verdict.ok:
            return self._wrong(f"this kernel is not wrong: {verdict.message}")
        if not accepts(self.test, fitting[0]):
            return self._wrong("the test finds that this kernel is wrong")
        return Mark(True, f"right: the test accepts it, and check says {verdict.message}")
