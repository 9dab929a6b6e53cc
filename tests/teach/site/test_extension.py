"""CUDA cells have the colours of CUDA."""

import pytest

pytest.importorskip("myst_nb")

from types import SimpleNamespace

from docutils import nodes
from docutils.utils import new_document
from pygments.token import Comment, Keyword, Token

from helpers.teach.site import extension

CELL = "%%writefile ../kernels/a.cu\n__global__ void f();  // the warp's\nint x;\n"


def test_the_first_line_is_no_cuda_and_the_others_are():
    tokens = list(extension.CudaCellLexer().get_tokens(CELL))
    assert tokens[0] == (Comment.Preproc, "%%writefile ../kernels/a.cu\n")
    assert (Keyword.Reserved, "__global__") in tokens
    assert (Comment.Single, "// the warp's\n") in tokens
    assert not [text for kind, text in tokens if kind in Token.Error]


def test_cuda_blocks_get_the_lexer_and_others_keep_theirs():
    document = new_document("page")
    document += nodes.literal_block(CELL, CELL, language="ipython3")
    document += nodes.literal_block("print(1)", "print(1)", language="ipython3")
    extension.colour_cuda(None, document)
    assert [block["language"] for block in document] == ["cuda-cell", "ipython3"]


def test_chinese_is_searched_by_characters_and_pairs():
    search = extension.SearchChinese({})
    assert search.split("核函数 (kernel_1) 块") == [
        *("核", "函", "数", "核函", "函数"),
        "kernel_1",
        "块",
    ]
    assert all(search.word_filter(word) for word in ("核", "核函", "kernel"))
    assert not search.word_filter("the")


@pytest.mark.parametrize(
    ("language", "page", "marked"),
    [
        ("zh_CN", "notebooks/00_first_kernel", "own"),
        ("zh_CN", "notebooks/02_v2_f32x4", "en"),
        ("zh_CN", "notebooks/solutions/00_first_kernel_solutions", "en"),
        ("zh_CN", "index", "en"),
        ("en", "index", "own"),
    ],
)
def test_a_page_without_translation_is_marked_as_english(language, page, marked):
    app, context = (
        SimpleNamespace(config=SimpleNamespace(language=language)),
        {"language": "own"},
    )
    extension.name_language(app, page, "page.html", context, new_document(page))
    assert context["language"] == marked


def test_the_pages_that_sphinx_makes_have_the_sites_language():
    app, context = (
        SimpleNamespace(config=SimpleNamespace(language="zh_CN")),
        {"language": "own"},
    )
    extension.name_language(app, "search", "search.html", context, None)
    assert context == {"language": "own"}
