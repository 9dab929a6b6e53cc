"""Write the guide and the slides as web pages: `python -m tools.teacher`.

build/teacher/index.html is the guide, build/teacher/slides/ has a file for each lesson. No page
asks another server for anything.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from helpers import paths
from helpers.errors import pip_install
from tools.teacher import guide, reading
from tools.teacher.slides import Deck

SLIDES = {
    "extensions": ["myst_nb", "helpers.teach.site.extension", "sphinx_revealjs"],
    "html_css_files": [],
    "html_theme": "alabaster",
    "revealjs_style_theme": "white",
    "revealjs_static_path": ["static"],
    "revealjs_css_files": ["pygments.css", "slides.css"],
    "revealjs_script_plugins": [
        {"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"},
    ],
    "revealjs_script_conf": {"slideNumber": True, "hash": True, "center": False},
}


def write_guide(taught: list[reading.Taught], target: Path, strict: bool = False) -> Path:
    """Write the guide's pages, and return the first."""
    from helpers.teach.site.build import render

    sources = target / ".work" / "guide"
    _fresh(sources)
    for name, text in guide.pages(taught).items():
        (sources / name).write_text(text, encoding="utf-8")
    render(sources, target, strict=strict)
    return target / "index.html"


def write_slides(taught: list[reading.Taught], target: Path, strict: bool = False) -> Path:
    """Write the slides of each lesson, and return their folder."""
    from helpers.teach.site.build import render

    sources = target / ".work" / "slides"
    _fresh(sources)
    names = "\n".join(f"lesson_{lesson.number}" for lesson in taught)
    index = f"# Slides\n\n```{{toctree}}\n{names}\n```\n"
    (sources / "index.md").write_text(index, encoding="utf-8")
    for lesson in taught:
        deck = Deck(lesson)
        (sources / f"lesson_{lesson.number}.md").write_text(deck.text, encoding="utf-8")
        for name, picture in deck.pictures.items():
            (sources / name).write_bytes(picture)
    return render(sources, target / "slides", "revealjs", SLIDES, strict).parent


def _fresh(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def main(arguments: list[str] | None = None) -> int:
    """Write both, and print where they are. Returns 1 without Sphinx."""
    parser = argparse.ArgumentParser(prog="python -m tools.teacher", description=__doc__)
    parser.add_argument("--to", type=Path, default=paths.ROOT / "build" / "teacher")
    options = parser.parse_args(arguments)
    taught = reading.read_all(paths.ROOT / "notebooks")
    try:
        import sphinx_revealjs  # noqa: F401

        print(f"guide:  {write_guide(taught, options.to)}")
        print(f"slides: {write_slides(taught, options.to)}")
    except ImportError as error:
        remedy = pip_install("-e '.[site]'")
        print(f"{error}. In the course's folder: {remedy}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
