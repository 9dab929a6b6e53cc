"""CUDA cells have the colours of CUDA."""

import pytest

pytest.importorskip("myst_nb")

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
