"""The course's public address: one line of pyproject.toml, and links only where it is known."""

import pytest

from helpers import paths
from helpers.teach import address

PAGE = """\
COURSE="x"
    COURSE = "https://example.org/old"
<!-- colab: from there -->
old
<!-- end of colab -->
"""


def named(folder, line):
    text = f'[project]\nname = "a"\n\n[project.urls]\nHomepage = "https://a.org"\n{line}\n'
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return address.address(folder)


def test_the_address_is_one_line(tmp_path):
    assert named(tmp_path, 'Repository = "https://example.org/c"') == "https://example.org/c"
    assert named(tmp_path, '# Repository = "https://example.org/c"') == ""
    assert named(tmp_path, "") == ""


def test_a_commented_section_names_none(tmp_path):
    text = '# [project.urls]\n# Repository = "https://example.org/c"\n'
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert address.address(tmp_path) == ""


def test_without_an_address_a_word_stands_for_it():
    page = address.with_address(PAGE, "")
    assert page.count(address.UNKNOWN) == 2 and "example.org" not in page
    assert "old" not in page and "](" not in page
    assert address.with_address(page, "") == page


def test_the_address_is_written_into_every_line():
    page = address.with_address(PAGE, "https://example.org/c")
    assert page.startswith('COURSE="https://example.org/c"\n    COURSE = "https://example.org')
    assert "](" not in page, "only GitHub's notebooks open on Colab"


@pytest.mark.parametrize("end", ["", "/", ".git"])
def test_a_course_on_github_opens_on_colab(end):
    page = address.with_address(PAGE, f"https://github.com/someone/a.course{end}")
    assert (
        "github/someone/a.course/blob/main/notebooks/00_first_kernel.ipynb)\n<!-- end" in page
    )


def test_no_page_of_the_course_names_another_address():
    pages = list((paths.ROOT / "docs").glob("*.md"))
    assert pages
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert text == address.with_address(text, address.address())
