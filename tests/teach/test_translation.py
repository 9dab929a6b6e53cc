"""Translation: blocks of prose and nothing else, kept as long as the lesson's text stays."""

from collections import Counter

import nbformat
import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from helpers import paths
from helpers.errors import UnknownNameError
from helpers.teach import notebooks, translation

LESSONS = sorted(notebooks.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
CATALOGUES = sorted(translation.FOLDER.glob("*/[0-9][0-9]_*.po"))
TEXT = """\
## A title

One sentence with `code`.
Another one.

```python
x = 1

y = "no words to translate"
```

$$
t = n / b
$$

<details><summary>Hint</summary>

---
"""


def lesson_of(*texts):
    cells = [nbformat.v4.new_markdown_cell(text) for text in texts]
    return nbformat.v4.new_notebook(cells=[*cells, nbformat.v4.new_code_cell("# a comment")])


def catalogue_of(**translations):
    made = Catalog(locale="de")
    for text, string in translations.items():
        made.add(text, string)
    return made


def test_a_fence_is_one_block_and_only_prose_is_translated():
    found = translation.blocks(TEXT)
    assert "".join(found) == TEXT
    assert '```python\nx = 1\n\ny = "no words to translate"\n```\n' in found
    assert translation.texts(lesson_of(TEXT, "## A title")) == [
        "## A title",
        "One sentence with `code`.\nAnother one.",
        "<details><summary>Hint</summary>",
    ]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem[:2])
def test_blocks_give_the_text_back(path):
    for cell in notebooks.read(path).cells:
        assert "".join(translation.blocks(cell.source)) == cell.source


@pytest.mark.parametrize(
    ("block", "prose"),
    [
        *((text, False) for text in ("", "  \n", "---", "12 > 3", "`code()`", "</details>")),
        *((text, False) for text in ("$$a + bc$$", "~~~\nwords\n~~~")),
        *((text, True) for text in ("a word", "| a | bc |", "**Bold.**", "`a` and")),
    ],
)
def test_prose_has_words_of_its_own(block, prose):
    assert translation.is_prose(block) is prose


def test_what_has_a_translation_is_replaced_and_the_rest_stays():
    catalogue = catalogue_of(One="Eins", Old="Alt", Empty="")
    catalogue.get("Old").flags.add("fuzzy")
    lesson = translation.translated(lesson_of("One\n\n\nTwo\n", "Old\n\nEmpty"), catalogue)
    assert [cell.source for cell in lesson.cells] == [
        "Eins\n\n\nTwo\n",
        "Old\n\nEmpty",
        "# a comment",
    ]


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ("一句。\n`a` 二句。\nGPU 三句。", "一句。`a` 二句。GPU 三句。"),
        ("半句\n半句", "半句半句"),
        ("**一句。**\n  二句：", "**一句。**二句："),
        ("（一句）\n“二句”\n三句", "（一句）“二句”三句"),
        *((text, text) for text in ("半句\nGPU", "One.\nTwo.", "GPU\n半句", "한 글\n한 글")),
        *(
            (text, text)
            for text in ("# 题\n文", "| 表。\n| 表", "句：\n- 一\n- 二", "句：\n1. 一")
        ),
        *((text, text) for text in ("句：\n```\n一\n```", "句。\n</details>", "句。\n\n句。")),
    ],
)
def test_chinese_lines_are_shown_without_a_space_between_them(lines, shown):
    assert translation.joined(lines) == shown
    made = translation.translated(lesson_of("One"), catalogue_of(One=lines))
    assert made.cells[0].source == shown


def test_a_renewed_catalogue_keeps_what_stayed_and_doubts_what_changed(tmp_path):
    source = tmp_path / "07_x.ipynb"
    first = "A text that is quite long and stays the same but for one word, here."
    nbformat.write(lesson_of(first, "100 % of it"), source)
    assert translation.renew("zh_CN", source, tmp_path) == (0, 2)
    path = translation.path_of("zh_CN", "07_x.ipynb", tmp_path)
    made = translation.read(path)
    made.get(first).string, made.get("100 % of it").string = "lang", "alles"
    with path.open("wb") as file:
        write_po(file, made)
    assert translation.renew("zh_CN", source, tmp_path) == (2, 2)
    before = path.read_bytes()
    translation.renew("zh_CN", source, tmp_path)
    assert path.read_bytes() == before and b"python-format" not in before
    nbformat.write(lesson_of(first.replace("here", "there"), "100 % of it"), source)
    assert translation.renew("zh_CN", source, tmp_path) == (1, 2)
    assert translation.read(path).get(first.replace("here", "there")).fuzzy
    assert translation.languages(tmp_path) == ["zh_CN"]


def test_an_unknown_language_is_named(tmp_path, monkeypatch, capsys):
    nbformat.write(lesson_of("Text"), tmp_path / "07_x.ipynb")
    with pytest.raises(UnknownNameError, match="'qq_QQ' is no language such as zh_CN"):
        translation.renew("qq_QQ", tmp_path / "07_x.ipynb", tmp_path)
    with pytest.raises(UnknownNameError, match="no translation into 'fr'; there are: none"):
        translation.translator("fr", tmp_path)
    monkeypatch.setattr(translation, "FOLDER", tmp_path)
    assert translation.main(["fr"]) == 1 and "name lessons" in capsys.readouterr().out


def test_all_notebooks_are_written_the_others_in_english(tmp_path):
    source, folder = tmp_path / "in", tmp_path / "po"
    (source / "solutions").mkdir(parents=True)
    others = ("01_b.ipynb", "solutions/00_a_solutions.ipynb", notebooks.GLOSSARY)
    for name in ("00_a.ipynb", *others):
        nbformat.write(lesson_of("One"), source / name)
    (folder / "de").mkdir(parents=True)
    with (folder / "de" / "00_a.po").open("wb") as file:
        write_po(file, catalogue_of(One="Eins"))
    translation.write_lessons("de", source, tmp_path / "out", folder)
    written = {
        str(path.relative_to(tmp_path / "out")): notebooks.read(path).cells[0].source
        for path in (tmp_path / "out").rglob("*.ipynb")
    }
    assert written == {"00_a.ipynb": "Eins"} | dict.fromkeys(others, "One")


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_translations_keep_code_links_and_tables(path):
    assert (paths.ROOT / "notebooks" / f"{path.stem}.ipynb").exists(), "its lesson is gone"
    for message in translation.read(path):
        if not message.id or not message.string or message.fuzzy:
            continue
        for kept in (translation.KEPT, translation.TAG):
            found = (Counter(kept.findall(text)) for text in (message.id, message.string))
            assert next(found) == next(found), message.id
        for count in (_rows, _level):
            assert count(message.id) == count(message.string), message.id


def _rows(text):
    return sum(line.startswith("|") for line in text.splitlines())


def _level(heading):
    return len(heading) - len(heading.lstrip("#"))
