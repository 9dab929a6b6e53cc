"""Write the pages: copy what they are made from, prepare the notebooks, run Sphinx.

The sources are laid out as in the course, so that every link of a lesson or of the README leads
to the same file on the pages. No page asks anybody's server for anything.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
from pathlib import Path

import nbformat
from sphinx.application import Sphinx
from sphinx.errors import SphinxWarning
from sphinx.util.docutils import docutils_namespace, patch_docutils

from helpers.teach import notebooks
from helpers.teach.site import pages

CONFIGURATION = Path(__file__).resolve().parent  # conf.py, static/
TITLE = "Elementwise to the Roof"
PROSE = ("docs/where_it_runs.md", "CONTRIBUTING.md", "data/README.md")
LINKED = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
# Of some lessons' pages, links to the other lessons lead nowhere.
QUIET_IN_PART = ["myst.header", "misc.highlighting_failure", "myst.xref_missing"]
CONTENTS = """
```{{toctree}}
:hidden:
:caption: {caption}

{names}
```
"""
SOLUTIONS = """\
# Solutions

Try an exercise yourself before you read its solution.

```{{toctree}}

{names}
```
"""


def build(
    course: Path,
    target: Path,
    only: tuple[str, ...] = (),
    strict: bool = False,
    processes: int = 1,
) -> Path:
    """Build the pages of the course in a folder, and return the first page.

    course: the folder of README.md, notebooks/ and what they link to.
    target: becomes the pages, with what Sphinx remembers for the next time in `.work`.
    only: beginnings of notebooks' names; without, all of them.
    strict: raise SphinxWarning if there was a warning, such as a link that leads nowhere.
    processes: started by fork, so 1 where threads run.
    """
    work, said = target / ".work", io.StringIO()
    sources = write_sources(course, work / "source", only)
    with patch_docutils(), docutils_namespace():  # what Sphinx registers ends with the build
        app = Sphinx(
            str(sources),
            str(CONFIGURATION),
            str(target),
            str(work / "doctrees"),
            "html",
            confoverrides={"suppress_warnings": QUIET_IN_PART} if only else None,
            status=None,
            warning=said,
            parallel=processes,
        )
        app.build()
    if strict and said.getvalue():
        raise SphinxWarning(said.getvalue())
    sys.stderr.write(said.getvalue())
    return target / "index.html"


def write_sources(course: Path, sources: Path, only: tuple[str, ...]) -> Path:
    """Write what Sphinx reads, files that are the same as before left alone."""
    found = [
        path
        for path in notebooks.find(course / "notebooks")
        if not only or path.name.startswith(only)
    ]
    texts = {path.relative_to(course): nbformat.writes(pages.read(path)) for path in found}
    prose = [name for name in PROSE if (course / name).exists()]
    texts |= {Path(name): (course / name).read_text("utf-8") for name in prose}
    lessons = [name for name in texts if name.parts[:-1] == ("notebooks",)]
    solutions = [name for name in texts if name.parts[:-1] == ("notebooks", "solutions")]
    if solutions:
        index = SOLUTIONS.format(names="\n".join(path.stem for path in solutions))
        texts[Path("notebooks/solutions/index.md")] = index
    texts[Path("index.md")] = front_page(course, lessons, bool(solutions), prose)
    for path in sources.rglob("*"):
        if path.is_file() and path.relative_to(sources) not in texts:
            path.unlink()
    for name, text in texts.items():
        write(sources / name, text)
        copy_linked(course, sources, name, text)
    return sources


def front_page(course: Path, lessons: list[Path], solutions: bool, prose: list[str]) -> str:
    """Return the README, with the contents of the whole."""
    readme = course / "README.md"
    text = readme.read_text("utf-8") if readme.exists() else f"# {TITLE}\n"
    more = ["notebooks/solutions/index"] * solutions + [name[:-3] for name in prose]
    names = "\n".join(str(path.with_suffix("")) for path in lessons)
    text += CONTENTS.format(caption="Lessons", names=names)
    return text + CONTENTS.format(caption="More", names="\n".join(more))


def write(path: Path, text: str) -> None:
    """Write a file unless it has this text: Sphinx reads again what is newer."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def copy_linked(course: Path, sources: Path, name: Path, text: str) -> None:
    """Copy the pictures and files that a page links to and that are not pages themselves."""
    for target in LINKED.findall(text):
        path = (course / name.parent / target).resolve()
        if path.is_file() and path.suffix not in (".md", ".ipynb"):
            copy = sources / path.relative_to(course.resolve())
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
