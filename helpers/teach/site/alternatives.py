"""Say in words what a picture shows, for readers who do not see it.

A picture that was drawn since `helpers.teach.plots.description` exists has a text in its
output's metadata, where nbconvert looks for it too. For others the cell that drew the picture
is read: the name of the plot, whose docstring says what it draws, and the titles and labels
that it was given.
"""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

from nbformat import NotebookNode

from helpers.teach import plots

LABELS = ("xlabel", "ylabel", "label")
TITLES = ("set_title", "suptitle", "title")
# Words for a reader; a single one is the name of a kernel or of an option.
PLAIN_WORDS = re.compile(r".*\w[ ,:]+\w.*", re.DOTALL)


def of_output(output: NotebookNode) -> str:
    """Return the text that the plot itself wrote into the output's metadata, or ""."""
    metadata = output.get("metadata", {})
    return metadata.get("image/png", {}).get("alt") or metadata.get("alt") or ""


def drawn(source: str) -> str:
    """Return what the calls of `plots.` in a cell draw; "" if there are none."""
    return "; ".join(
        dict.fromkeys(what for call in _calls(source) if (what := _what_is_drawn(call)))
    )


def of_source(source: str) -> str:
    """Describe the picture that a cell draws, by the cell's own words; "" if it has none.

    "V1, float32, against the roofs: one version by size beside the article's points, ...".
    """
    calls = _calls(source)
    titles = [title for call in calls for title in _titles(call)]
    labels = [label for call in calls for label in _labels(call)]
    parts = [", ".join(dict.fromkeys(titles)), drawn(source)]
    if labels and not parts[1]:
        parts.append("axes " + ", ".join(dict.fromkeys(labels)))
    return ": ".join(part.rstrip(":") for part in parts if part)


def _calls(source: str) -> list[ast.Call]:
    """List the calls of a cell in the order of the text; none if it is not Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return sorted(calls, key=lambda call: (call.lineno, call.col_offset))


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _is_of_plots(call: ast.Call) -> bool:
    owner = getattr(call.func, "value", None)
    return isinstance(owner, ast.Name) and owner.id == "plots"


def _what_is_drawn(call: ast.Call) -> str:
    """Return what a call of `plots.` draws: its docstring's first line after the verb."""
    line = first_lines().get(_name(call), "") if _is_of_plots(call) else ""
    verb, _, rest = line.partition(" ")
    return rest.rstrip(".").replace("`", "") if verb in ("Draw", "Step") else ""


@functools.cache
def first_lines() -> dict[str, str]:
    """Return the first line of each picture's docstring; nothing that draws is loaded."""
    found = {}
    for path in Path(plots.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name in plots.__all__:
                found[node.name] = (ast.get_docstring(node) or "").split("\n")[0]
    return found


def _text(node: ast.expr) -> str:
    """Return a string; of an f-string, its fixed parts if they say something."""
    if isinstance(node, ast.JoinedStr):
        fixed = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
        text = "".join(fixed).strip(" …:,")
        return text if PLAIN_WORDS.fullmatch(text) else ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.sub(r"\s+", " ", node.value).strip()
    return ""


def _titles(call: ast.Call) -> list[str]:
    named = [_text(word.value) for word in call.keywords if word.arg == "title"]
    first = [_text(argument) for argument in call.args[:1]]
    if _name(call) in TITLES or (_is_of_plots(call) and _name(call) == "new"):
        named = first + named
    elif _is_of_plots(call):
        texts = (_text(argument) for argument in call.args)
        named += [text for text in texts if PLAIN_WORDS.fullmatch(text)]
    return [text for text in named if text]


def _labels(call: ast.Call) -> list[str]:
    texts = [_text(word.value) for word in call.keywords if word.arg in LABELS]
    if _name(call) in ("set_xlabel", "set_ylabel"):
        texts += map(_text, call.args[:1])
    return [text for text in texts if text]
