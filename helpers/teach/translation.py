"""Translate the text of lessons: one catalogue (.po) for each lesson and language.

`python -m helpers.teach.translation zh_CN 00 01` writes docs/translations/zh_CN/00_*.po and
01_*.po anew from the lessons, `... zh_CN site` the words of the pages in site.po: a text that
stayed keeps its translation, one that changed keeps the old one marked fuzzy, which is not used
until somebody has looked at it. Without names all of them are renewed. A
translator edits the .po files, with any editor.

`make site TRANSLATION=zh_CN` and `make student TRANSLATION=zh_CN` write the course with these
texts; what has no translation stays English. Code and its outputs stay as they are.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import nbformat
from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from nbformat import NotebookNode

from helpers import paths
from helpers.errors import UnknownNameError
from helpers.teach import notebooks

FOLDER = paths.ROOT / "docs" / "translations"
FENCE = re.compile(r"^ *(`{3,}|~{3,})")
WORD = re.compile(r"[^\W\d_]{2,}")
TAG = re.compile(r"</?[a-z][^<>]*>")
MATHEMATICS = re.compile(r"\$\$.*\$\$", re.DOTALL)
# What a translation must keep: code, the targets of links and pictures, mathematics.
KEPT = re.compile(r"`[^`]+`|(?<=\]\()[^)\s]+|\$[^$]+\$")
# East Asian scripts have no spaces between sentences; a line's end would be shown as one.
WIDE = "\u3000-\u30ff\u3400-\u9fff\uff01-\uff60"
CLOSED = re.compile(r"[\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f\u201d][*_]*$")
BEGINS_BLOCK = re.compile(r"\s*(?:[-*+] |\d+[.)] |[|#><]|```|~~~|$)")
SITE = "site"  # the catalogue of what the pages add to the lessons' texts
HEADER = {
    "project": "Elementwise to the Roof",
    "version": "1",
    "msgid_bugs_address": "see README.md",
    "last_translator": "see the history",
    "language_team": "see the history",
}

Translator = Callable[[str, NotebookNode], NotebookNode]  # of a lesson, given its file's name


def blocks(text: str) -> list[str]:
    """Split Markdown at its empty lines, those within fences aside; "".join gives it back.

    Every second block is the space in between.
    """
    lines, found, inside = text.splitlines(keepends=True), [""], None
    for line in lines:
        fence = FENCE.match(line)
        empty = not line.strip() and not inside
        if empty == bool(len(found) % 2):
            found.append("")
        found[-1] += line
        if fence:
            inside = None if inside == fence[1] else inside or fence[1]
    return found


def is_prose(block: str) -> bool:
    """Tell whether a block has words to translate: not a fence, mathematics, tags or space."""
    if FENCE.match(block) or MATHEMATICS.fullmatch(block.strip()):
        return False
    return WORD.search(KEPT.sub("", TAG.sub("", block))) is not None


def texts(lesson: NotebookNode) -> list[str]:
    """List the blocks of a lesson to translate, in order, each once."""
    found = (
        block.rstrip("\n")
        for cell in lesson.cells
        if cell.cell_type == "markdown"
        for block in blocks(cell.source)
        if is_prose(block)
    )
    return list(dict.fromkeys(found))


def translated(lesson: NotebookNode, catalogue: Catalog) -> NotebookNode:
    """Replace the text of a lesson by its translations, where there are any."""
    for cell in lesson.cells:
        if cell.cell_type == "markdown":
            cell.source = "".join(
                _translation(block, catalogue) for block in blocks(cell.source)
            )
    return lesson


def _translation(block: str, catalogue: Catalog) -> str:
    text = block.rstrip("\n")
    message = catalogue.get(text) if is_prose(block) else None
    if message is None or not message.string or message.fuzzy:
        return block
    return joined(message.string) + block[len(text) :]


def joined(text: str) -> str:
    """Join lines of East Asian prose, which a page would show with a space in between."""
    lines = text.split("\n")
    written = lines[:1]
    for before, line in pairwise(lines):
        if _continues(before, line):
            written[-1] += line.lstrip()
        else:
            written.append(line)
    return "\n".join(written)


def _continues(before: str, line: str) -> bool:
    if before.lstrip().startswith(("|", "#")) or BEGINS_BLOCK.match(line):
        return False
    both_wide = re.search(rf"[{WIDE}]$", before) and re.match(rf"\s*[{WIDE}]", line)
    return bool(CLOSED.search(before) or both_wide)


# ---- catalogues ----------------------------------------------------------------------------


def path_of(language: str, lesson: str, folder: Path = FOLDER) -> Path:
    """Return the file of a lesson's catalogue, by the notebook's name."""
    return folder / language / f"{Path(lesson).stem}.po"


def languages(folder: Path = FOLDER) -> list[str]:
    """List the languages that have catalogues."""
    return sorted({path.parent.name for path in folder.glob("*/*.po")})


def read(path: Path) -> Catalog:
    """Read a catalogue."""
    with path.open("rb") as file:
        return read_po(file)


def translator(language: str, folder: Path = FOLDER) -> Translator:
    """Return a function that translates a lesson, given its name; others stay as they are.

    Raises UnknownNameError for a language without catalogues.
    """
    if language not in languages(folder):
        known = ", ".join(languages(folder)) or "none"
        raise UnknownNameError(
            f"no translation into {language!r}; there are: {known}. `python -m "
            f"helpers.teach.translation {language} 00` begins one"
        )

    def translate(name: str, lesson: NotebookNode) -> NotebookNode:
        path = path_of(language, name, folder)
        return translated(lesson, read(path)) if path.exists() else lesson

    return translate


def renew(language: str, source: Path, folder: Path = FOLDER) -> tuple[int, int]:
    """Write a lesson's catalogue anew; return how many of its texts are translated, and all.

    Raises UnknownNameError for a language that is not one.
    """
    return renew_texts(language, source.stem, texts(notebooks.read(source)), folder)


def renew_texts(
    language: str, name: str, originals: Iterable[str], folder: Path = FOLDER
) -> tuple[int, int]:
    """Write the catalogue `name` anew from its texts. Returns and raises as `renew`."""
    template = Catalog()
    for text in originals:
        template.add(text)
    try:
        Locale.parse(language)
    except (ValueError, UnknownLocaleError) as error:
        raise UnknownNameError(f"{language!r} is no language such as zh_CN: {error}") from error
    path = path_of(language, name, folder)
    catalogue = read(path) if path.exists() else Catalog(locale=language, **HEADER)
    catalogue.update(template, update_header_comment=False, update_creation_date=False)
    where = "the pages" if name == SITE else "the lesson"
    catalogue.header_comment = f"# {name}: texts of {where}, CC BY 4.0"
    catalogue.fuzzy = False
    catalogue.obsolete.clear()
    for message in catalogue:
        message.flags.discard("python-format")  # a per cent sign in prose is no format
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=96, omit_header=False)
    done = [message for message in catalogue if message.id and message.string]
    return sum(not message.fuzzy for message in done), len(template)


def write_lessons(language: str, source: Path, target: Path, folder: Path = FOLDER) -> Path:
    """Write the notebooks of a folder into another one, in a language; return that folder.

    Outputs stay. Raises UnknownNameError for a language without catalogues.
    """
    translate = translator(language, folder)
    glossary = source / notebooks.GLOSSARY
    for path in (*notebooks.find(source), *([glossary] if glossary.exists() else [])):
        written = target / path.relative_to(source)
        written.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(translate(path.name, notebooks.read(path)), written)
    return target


def main(arguments: Sequence[str] | None = None) -> int:
    """Write catalogues anew, and say how much of each is translated."""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.teach.translation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("language", help="such as zh_CN")
    parser.add_argument("lessons", nargs="*", help="beginnings of names, such as 00 01")
    options = parser.parse_args(arguments)
    present = {path.stem for path in (FOLDER / options.language).glob("*.po")}
    sources = [
        path
        for path in sorted(notebooks.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
        if (
            path.name.startswith(tuple(options.lessons))
            if options.lessons
            else path.stem in present
        )
    ]
    pages = SITE in options.lessons or (not options.lessons and SITE in present)
    if not sources and not pages:
        print("name lessons, such as 00 01: none of this language was begun")
        return 1
    for source in sources:
        try:
            done, count = renew(options.language, source)
        except UnknownNameError as error:
            print(error)
            return 1
        print(f"{source.stem}: {done} of {count} texts translated")
    if pages:
        from helpers.teach.site.words import OF_THEME, OWN

        done, count = renew_texts(options.language, SITE, OWN + OF_THEME)
        print(f"{SITE}: {done} of {count} texts translated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
