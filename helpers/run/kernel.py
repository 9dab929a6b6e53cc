"""Hold a loaded .cu file: its launchers by name, and by the dtype of their first tensor."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from helpers import emulator
from helpers.model.dtypes import dtype_name
from helpers.run.launcher import Launcher
from helpers.run.signature import declarations


class Kernel:
    """A loaded .cu file. Call it, or one of its launchers: `v3(a, b, out)`, `v3.add_bf16(...)`.

    A call of the kernel itself goes to the first launcher that takes the first tensor's dtype.
    """

    def __init__(
        self,
        path: Path,
        text: str,
        library: Path,
        on_gpu: bool,
        build_seconds: float,
        first_launch: Callable[..., bool] | None = None,
    ):
        self.path = path
        self.name = path.stem
        self.text = text
        self.library = library
        self.on_gpu = on_gpu
        self.build_seconds = build_seconds  # 0.0 if it came from the cache
        self.verdict = None  # of the last check of all launchers (testing.check.Verdict)
        self.declarations = declarations(text, path.name)
        handle = ctypes.CDLL(str(library)) if on_gpu else emulator.load(library)
        self.launchers = {
            name: Launcher(declaration, handle, on_gpu, first_launch)
            for name, declaration in self.declarations.items()
        }
        for launcher in self.launchers.values():
            launcher.path = path
        self._by_first_dtype: dict[torch.dtype, Launcher] = {}
        for launcher in self.launchers.values():
            if launcher.declaration.tensors:
                self._by_first_dtype.setdefault(launcher.declaration.tensors[0].dtype, launcher)
        self._first = next(iter(self.launchers.values()))
        self._several = len(self._by_first_dtype) > 1

    @property
    def checked(self) -> bool:
        """Whether the last check found every launcher right, so that it may be timed."""
        return self.verdict is not None and self.verdict.ok

    def __repr__(self) -> str:
        where = "CUDA" if self.on_gpu else "the CPU emulator"
        return f"<{self.name} on {where}: {'; '.join(map(str, self.declarations.values()))}>"

    def __getattr__(self, name: str) -> Launcher:
        try:
            return self.__dict__["launchers"][name]
        except KeyError:
            raise AttributeError(
                f"{self.name} has no launcher {name!r}; it has {list(self.launchers)}"
            ) from None

    def __call__(self, *args, **kwargs) -> None:
        """Call the first launcher that takes the first tensor's dtype."""
        launcher = self._first
        if self._several:
            first = args[0] if args else next(iter(kwargs.values()), None)
            if isinstance(first, torch.Tensor):
                launcher = self._by_first_dtype.get(first.dtype, launcher)
        launcher(*args, **kwargs)

    def launcher_of(self, args: Sequence) -> Launcher:
        """Return the launcher that a call with these arguments reaches."""
        first = args[0] if args else None
        dtype = first.dtype if isinstance(first, torch.Tensor) else None
        return self._by_first_dtype.get(dtype, self._first)

    @property
    def dtypes(self) -> list[torch.dtype]:
        """The dtypes of the launchers' first tensors, in the order of the file."""
        return list(self._by_first_dtype)

    def launcher_for(self, dtype: torch.dtype) -> Launcher:
        """Return the launcher whose first tensor has this dtype.

        Raises TypeError, with the dtypes that the kernel takes, if there is none.
        """
        if dtype not in self._by_first_dtype:
            known = ", ".join(dtype_name(known) for known in self._by_first_dtype)
            raise TypeError(f"{self.name} takes {known}, not {dtype_name(dtype)}")
        return self._by_first_dtype[dtype]
