"""Write the pages: copy what they are made from, prepare the notebooks, run Sphinx.

The sources are laid out as in the course, so that every link of a lesson or of the README leads
to the same file on the pages. No page asks anybody's server for anything.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import nbformat
from sphinx import locale
from sphinx.application import Sphinx
from sphinx.errors import SphinxWarning
from sphinx.util.docutils import docutils_namespace, patch_docutils

from helpers.teach import notebooks, translation
from helpers.teach.site import pages, words
from helpers.teach.site.words import Say

CONFIGURATION = Path(__file__).resolve().parent  # conf.py, static/
TITLE = "Elementwise to the Roof"
PROSE = (
    "docs/where_it_runs.md",
    "docs/workshop.md",
    "docs/gpu_sharing.md",
    "CONTRIBUTING.md",
    "data/README.md",
)
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
# {title}

{text}

```{{toctree}}

{names}
```
"""


def build(
    course: Path,
    target: Path,
    only: tuple[str, ...] = (),
    lessons: Path | None = None,
    strict: bool = False,
    processes: int = 1,
    language: str = "en",
) -> Path:
    """Build the pages of the course in a folder, and return the first page.

    course: the folder of README.md, notebooks/ and what they link to.
    target: becomes the pages, with what Sphinx remembers for the next time in `.work`.
    only: beginnings of notebooks' names; without, all of them.
    lessons: a folder notebooks/ to take instead of the course's own.
    strict: raise SphinxWarning if there was a warning, such as a link that leads nowhere.
    processes: started by fork, so 1 where threads run.
    language: of docs/translations; a text that has no translation stays English. Raises
        UnknownNameError if there is none at all.
    """
    work = target / ".work"
    lessons = lessons or course / "notebooks"
    if language != "en":
        lessons = translation.write_lessons(language, lessons, work / "lessons")
    say = words.sayer(language)
    words.write_for_sphinx(language, work / "locale")
    sources = write_sources(course, lessons, work / "source", only, say)
    settings: dict[str, object] = {
        "language": language,
        "locale_dirs": [str(work / "locale")],
        "nb_code_prompt_show": say(words.SHOW_SOURCE),
        "nb_code_prompt_hide": say(words.HIDE_SOURCE),
    }
    if only:
        settings["suppress_warnings"] = QUIET_IN_PART
    return render(sources, target, settings=settings, strict=strict, processes=processes)


def render(
    sources: Path,
    target: Path,
    builder: str = "html",
    settings: Mapping[str, object] = MappingProxyType({}),
    strict: bool = False,
    processes: int = 1,
) -> Path:
    """Run Sphinx on a folder of sources with the course's configuration; return its first page.

    settings: values in the place of those of conf.py. Others: as in `build`.
    """
    said = io.StringIO()
    locale.translators.clear()  # else an earlier build's language comes before this one's
    with patch_docutils(), docutils_namespace():  # what Sphinx registers ends with the build
        app = Sphinx(
            str(sources),
            str(CONFIGURATION),
            str(target),
            str(target / ".work" / "doctrees"),
            builder,
            confoverrides=dict(settings),
            status=None,
            warning=said,
            parallel=processes,
        )
        app.build()
    if strict and said.getvalue():
        raise SphinxWarning(said.getvalue())
    sys.stderr.write(said.getvalue())
    return target / "index.html"


def write_sources(
    course: Path, lessons: Path, sources: Path, only: tuple[str, ...], say: Say
) -> Path:
    """Write what Sphinx reads into `sources`, files that are the same as before left alone."""
    texts = texts_of(course, lessons, only, say)
    for path in sources.rglob("*"):
        if path.is_file() and path.relative_to(sources) not in texts:
            path.unlink()
    for name, text in texts.items():
        write(sources / name, text)
        copy_linked(course, sources, name, text)
    return sources


def texts_of(course: Path, lessons: Path, only: tuple[str, ...], say: Say) -> dict[Path, str]:
    """Return the text of each page's source, by its path in the course."""
    texts = {
        Path("notebooks") / path.relative_to(lessons): nbformat.writes(pages.read(path, say))
        for path in notebooks.find(lessons)
        if not only or path.name.startswith(only)
    }
    glossary = lessons / notebooks.GLOSSARY
    if glossary.exists():
        texts[Path("notebooks") / glossary.name] = nbformat.writes(pages.read(glossary, say))
    solved = [name for name in texts if name.parent.name == "solutions"]
    taught = [name for name in texts if name not in solved]
    if solved:
        index = SOLUTIONS.format(
            title=say(words.SOLUTIONS),
            text=say(words.TRY_FIRST),
            names="\n".join(name.stem for name in solved),
        )
        texts[Path("notebooks/solutions/index.md")] = index
    prose = [Path(name) for name in PROSE if (course / name).exists()]
    texts |= {name: (course / name).read_text("utf-8") for name in prose}
    more = [Path("notebooks/solutions/index.md")] * bool(solved) + prose
    return texts | {Path("index.md"): front_page(course, taught, more, say)}


def front_page(course: Path, lessons: list[Path], more: list[Path], say: Say) -> str:
    """Return the README, with the contents of the whole."""
    readme = course / "README.md"
    text = readme.read_text("utf-8") if readme.exists() else f"# {TITLE}\n"
    for caption, names in ((words.LESSONS, lessons), (words.MORE, more)):
        listed = "\n".join(name.with_suffix("").as_posix() for name in names)
        text += CONTENTS.format(caption=say(caption), names=listed)
    return text


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
