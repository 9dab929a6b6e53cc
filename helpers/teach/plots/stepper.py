"""Step through the requests of a traced warp: lanes against sectors, or against banks.

In a notebook a slider chooses the request (ipywidgets). Where no kernel runs, as in an exported
page, or where ipywidgets is missing, the first request stands there as a picture.
"""

from __future__ import annotations

import base64
import io

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from helpers.emulator.trace import Step, Trace
from helpers.teach.plots.style import new
from helpers.teach.plots.traces import request_banks, request_sectors

SPACES = ("global", "shared")
DPI = 110


class RequestStepper:
    """The requests that the followed warp made on a line, one after another, as pictures."""

    def __init__(self, steps: list[Step]):
        self.steps = steps
        self._pictures: dict[int, tuple[bytes, str]] = {}

    def __len__(self) -> int:
        return len(self.steps)

    def draw(self, axes: Axes, number: int) -> Axes:
        """Draw request `number`, from 0 on: its sectors, or banks if it is to shared memory."""
        step = self.steps[number]
        draw = request_banks if step.space == "shared" else request_sectors
        title = f"{step.line}, {step.kind} {number + 1} of {len(self)}"
        return draw(axes, step.request, title)

    def words(self, number: int) -> str:
        """Say in words what the picture of request `number` shows: its text alternative."""
        return self._picture(number)[1]

    def png(self, number: int) -> bytes:
        """Return the picture of request `number` as PNG."""
        return self._picture(number)[0]

    def _picture(self, number: int) -> tuple[bytes, str]:
        if number not in self._pictures:
            axes = self.draw(new(), number)
            buffer = io.BytesIO()
            axes.figure.savefig(buffer, format="png", dpi=DPI, bbox_inches="tight")
            words = axes.get_title(loc="left").replace("\n", ": ")
            plt.close(axes.figure)
            self._pictures[number] = buffer.getvalue(), words
        return self._pictures[number]

    def widget(self):
        """Return the slider with its picture and words below. Raises ImportError without it."""
        import ipywidgets

        slider = ipywidgets.IntSlider(0, 0, len(self) - 1, description="request")
        picture = ipywidgets.Image(value=self.png(0), format="png")
        words = ipywidgets.Label(self.words(0))

        def show(change) -> None:
            picture.value, words.value = self._picture(change["new"])

        slider.observe(show, names="value")
        return ipywidgets.VBox([slider, picture, words])

    def _repr_mimebundle_(self, **_) -> dict:
        """Give the widget and, for a page without a kernel, the first picture and its words."""
        first = base64.b64encode(self.png(0)).decode("ascii")
        bundle = {"text/plain": self.words(0), "image/png": first}
        try:
            shown = self.widget()._repr_mimebundle_()
        except ImportError:
            return bundle
        return {**shown, **bundle}


def step_requests(
    seen: Trace, line: int | None = None, space: str = "global"
) -> RequestStepper:
    """Step through the requests to one space on a line, or on all lines.

    seen: its `steps` are those of one warp, which `trace(..., block=, warp=)` names.

    Raises ValueError for another space, and if the warp made no such request.
    """
    if space not in SPACES:
        raise ValueError(f"space is {space!r}: it must be one of {', '.join(SPACES)}")
    requests = [step for step in seen.steps if step.request and step.space == space]
    chosen = [step for step in requests if line in (None, step.line.number)]
    if not chosen:
        numbers = sorted({step.line.number for step in requests})
        known = (
            f"it made some on lines {', '.join(map(str, numbers))}" if numbers else "nowhere"
        )
        where = "" if line is None else f" on line {line}"
        raise ValueError(f"the warp made no request to {space} memory{where}: {known}")
    return RequestStepper(chosen)
