"""Check the arguments of a launcher, and find the sizes in the shapes of its tensors.

Nothing here launches anything; what is wrong is said by `refusals`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from helpers.run import refusals
from helpers.run.signature import Declaration, Parameter


def address(declaration: Declaration, parameter: Parameter, x, device: str) -> int:
    """Return the address of a tensor on a device ("cuda", "cpu"), for a parameter.

    Raises TypeError for a wrong type or dtype; ValueError for another device, a tensor that
    requires grad or is not contiguous, one without memory of its own, or an address of wrong
    alignment.
    """
    if not isinstance(x, torch.Tensor) or x.dtype is not parameter.dtype:
        raise refusals.wrong_tensor(declaration, parameter, x, device)
    if x.device.type != device or x.layout is not torch.strided or x.is_neg():
        raise refusals.wrong_tensor(declaration, parameter, x, device)
    if x.requires_grad or not x.is_contiguous():
        raise refusals.wrong_tensor(declaration, parameter, x, device)
    try:
        begin = x.data_ptr()
    except RuntimeError:  # a subclass, or a tensor inside a transformed function
        begin = 0
    if not begin and x.numel():
        raise refusals.wrong_tensor(declaration, parameter, x, device)
    if begin % parameter.address_multiple:
        raise refusals.misaligned(declaration, parameter, begin)
    return begin


def scalar(declaration: Declaration, parameter: Parameter, value) -> int | float:
    """Return the value of a scalar parameter, as an int or a float.

    Raises TypeError for another type, bool included but for a bool; ValueError if its C type
    cannot hold it.
    """
    if parameter.ctype == "bool" and isinstance(value, bool):
        return int(value)
    right_types = int if parameter.is_integer else (int, float)
    if isinstance(value, bool) or not isinstance(value, right_types):
        raise refusals.wrong_scalar(declaration, parameter, value)
    special = isinstance(value, float) and not math.isfinite(value)
    if not special and not parameter.least <= value <= parameter.largest:
        raise refusals.wrong_scalar(declaration, parameter, value)
    return value if parameter.is_integer else float(value)


def sizes(declaration: Declaration, shapes: Sequence[torch.Size]) -> list[int]:
    """Return the sizes that a launcher takes, in its order, from the shapes of its tensors.

    Raises ValueError if the shapes do not fit the declared ones or each other, or if a size
    does not fit its C type.
    """
    if declaration.is_flat:
        for shape in shapes:
            if shape != shapes[0] and not declaration.is_silent:
                raise refusals.unequal_shapes(declaration, shape, shapes[0])
        found = [shapes[0].numel()] * len(declaration.sizes)
    else:
        by_name = _match(declaration, shapes)
        found = [by_name[parameter.name] for parameter in declaration.sizes]
    for parameter, size in zip(declaration.sizes, found, strict=True):
        if size > parameter.largest:
            raise refusals.too_many_elements(declaration, parameter, size)
    return found


def _match(declaration: Declaration, shapes: Sequence[torch.Size]) -> dict[str, int]:
    """Return the sizes by name, for tensors of different shapes such as [m, k] and [k, n]."""
    flat: dict[str, torch.Size] = {}
    found: dict[str, int] = {}
    for parameter, shape in zip(declaration.tensors, shapes, strict=True):
        names, extents = parameter.shape, tuple(shape)
        if len(names) == 1:  # any shape of so many elements, the same for all that declare it
            first = shape if names[0].isdigit() else flat.setdefault(names[0], shape)
            if first != shape:
                raise refusals.unequal_shapes(declaration, shape, first)
            extents = (shape.numel(),)
        if len(extents) != len(names):
            raise refusals.wrong_shape(declaration, parameter, shape)
        for name, extent in zip(names, extents, strict=True):
            wanted = int(name) if name.isdigit() else found.setdefault(name, extent)
            if wanted != extent:
                raise refusals.wrong_shape(declaration, parameter, shape, name, wanted)
    return found


def outputs_are_separate(
    declaration: Declaration, begins: Sequence[int], byte_counts: Sequence[int]
) -> None:
    """Raise ValueError if an output shares memory with another tensor."""
    for i, j in declaration.overlaps:
        if begins[i] < begins[j] + byte_counts[j] and begins[j] < begins[i] + byte_counts[i]:
            raise refusals.shared_memory(declaration, i, j)


def is_empty(declaration: Declaration, byte_counts: Sequence[int]) -> bool:
    """Say whether every output is empty, so that there is nothing to launch.

    Raises ValueError if only an input is empty.
    """
    if all(byte_counts):
        return False
    empty = [p for p, count in zip(declaration.tensors, byte_counts, strict=True) if not count]
    if all(p in empty for p in declaration.tensors if p.role == "output"):
        return True
    raise refusals.empty_input(declaration, empty[0])
