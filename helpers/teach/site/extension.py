"""Extend Sphinx: colour CUDA cells as CUDA, find Chinese, name each page's language."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from docutils import nodes
from pygments.lexer import RegexLexer, using
from pygments.lexers.c_like import CudaLexer
from pygments.token import Comment
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

from helpers.teach import translation
from helpers.teach.site.pages import CUDA_CELL


class CudaCellLexer(RegexLexer):
    """Colour a cell whose first line is `%%writefile x.cu` and whose others are CUDA."""

    name = "CUDA cell"
    aliases = ("cuda-cell",)
    tokens = {  # noqa: RUF012
        "root": [
            (r"\A%%writefile[^\n]*\n", Comment.Preproc),
            (r"(?s).+", using(CudaLexer)),
        ]
    }


def colour_cuda(app: Sphinx, document: nodes.document) -> None:
    """Give each CUDA cell of a page its lexer."""
    for block in document.findall(nodes.literal_block):
        if CUDA_CELL.match(block.astext()):
            block["language"] = "cuda-cell"


class SearchChinese(SearchEnglish):
    """Find Chinese by single characters and pairs of neighbours, other words as in English.

    Sphinx's own class finds no Chinese unless jieba is installed.
    """

    lang = "zh"
    language_name = "Chinese"
    js_splitter_code = """
var splitQuery = (query) => [...query.matchAll(
    /[\u3400-\u9fff]+|(?:(?![\u3400-\u9fff])[\\p{Letter}\\p{Number}_])+/gu
)].flatMap(([word]) => /[\u3400-\u9fff]/.test(word) && word.length > 1
    ? [...word].slice(1).map((letter, i) => word[i] + letter) : [word]);
"""

    def split(self, input: str) -> list[str]:
        """Split a text into what the index holds."""
        found = []
        for word in re.findall(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+", input):
            found += chinese_terms(word) if "\u3400" <= word[0] <= "\u9fff" else [word]
        return found


def chinese_terms(text: str) -> list[str]:
    """Return the characters of a Chinese text, and all pairs of neighbours."""
    return [*text, *(text[i : i + 2] for i in range(len(text) - 1))]


def name_language(
    app: Sphinx, page: str, template: str, context: dict, document: nodes.document | None
) -> None:
    """Mark a page that nobody has translated as English: fonts and speech depend on it."""
    language, path = app.config.language, PurePosixPath(page)
    translated = path.parent.name == "notebooks" and translation.path_of(language, path.name)
    if document is not None and language != "en" and not (translated and translated.exists()):
        context["language"] = "en"


def let_summaries_speak(
    app: Sphinx, page: str, template: str, context: dict, document: nodes.document | None
) -> None:
    """Remove the label that hides a folded part's own words from those who do not see it."""
    if "body" in context:
        labelled = '<summary aria-label="Toggle hidden content">'
        context["body"] = context["body"].replace(labelled, "<summary>")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_search_language(SearchChinese)
    app.connect("html-page-context", name_language)
    app.connect("html-page-context", let_summaries_speak)
    app.add_lexer("cuda-cell", CudaCellLexer)
    app.connect("doctree-read", colour_cuda)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
