"""Extend Sphinx: CUDA cells are coloured as CUDA, wide tables scroll by themselves."""

from __future__ import annotations

from docutils import nodes
from pygments.lexer import RegexLexer, using
from pygments.lexers.c_like import CudaLexer
from pygments.token import Comment
from sphinx.application import Sphinx

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


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_lexer("cuda-cell", CudaCellLexer)
    app.connect("doctree-read", colour_cuda)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
