"""sources: comments, strings and includes as the preprocessor sees them; the content hash."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import sources
from helpers.errors import BuildError, LauncherError
from helpers.sources import (
    blank_comments_and_strings,
    code_digest,
    digest,
    local_includes,
    read_sources,
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a // b", "a     "),
        ("a /* b */ c", "a         c"),
        ("a /* b\nc */ d", "a     \n     d"),
        ("a /* never closed\n b", "a                \n  "),
        ("/**/x", "    x"),
        ("/*/ x */y", "        y"),
        ("a // b \\\n still\nc", "a       \n      \nc"),
        ("a // b \\ \n still\nc", "a        \n      \nc"),  # GCC: blanks after the backslash
        ("/\\\n/ b\nc", "  \n   \nc"),
        ("/\\\n* b *\\\n/c", "  \n      \n c"),
        ("a / b * c", "a / b * c"),
        ('f("// no")', "f(       )"),
        (r'f("\"//")g', "f(      )g"),
        ('f("a\\\nb")g', "f(   \n  )g"),
        ("""'"' + '//'""", "    +     "),
        (r"'\'' x", "     x"),
        ("1'000'000 // x", "1'000'000     "),
        ("0x1'F + 'a'", "0x1'F +    "),
        ("1e+1'0 'b' .5e-3'1", "1e+1'0     .5e-3'1"),
        ("u8'a' u8\"b\" L'c' U\"d\"", " " * 21),
        ('R"(a"b)" c', "         c"),
        ('R"x(a)"b)x" c', "            c"),
        ('u8R"(//)" c', "          c"),
        ('FOR"(a" b)', "FOR     b)"),  # an identifier before an ordinary string
        ('R"(two\nlines)"c', "      \n       c"),
        ('extern "C" void f("C")', 'extern "C" void f(   )'),
        ('extern/**/"C" {', 'extern    "C" {'),
        ('extern "C++" {', "extern       {"),
        ('a "never closed\nb', 'a "never closed\nb'),
        ("don't\nx", "don't\nx"),
    ],
)
def test_comments_and_strings_become_spaces(text, code):
    assert blank_comments_and_strings(text) == code


def test_any_text_keeps_its_positions():
    pieces = st.sampled_from([*"/*'\"\\\nR(x)1 ", "//", "/*", "*/", 'R"(', ')"', "\\\n"])

    @given(st.lists(pieces, max_size=25).map("".join))
    @settings(deadline=None)
    def holds(text):
        code = blank_comments_and_strings(text)
        assert len(code) == len(text)
        for before, after in zip(text, code, strict=True):
            assert after == before or (after == " " and before != "\n")

    holds()


COMPILER = shutil.which("g++")


@pytest.mark.skipif(not COMPILER, reason="needs g++ as the oracle")
def test_comments_are_the_compilers():
    """What g++ -E leaves of a text without strings is what is left here."""
    text = (
        "a // b \\\n c\nd /* e // f */ g\n1'000 /\\\n/ h\n"
        "i / j // k /* l\nm /* // */ n */ o\n/*/ p */ q /**/ r\n"
    )
    command = [COMPILER, "-E", "-P", "-x", "c++", "-std=c++17", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert blank_comments_and_strings(text).replace("\\\n", "").split() == done.stdout.split()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('#include "a.h"\n#include <b.h>\n', ["a.h"]),
        ('  #  include"a.h" // why', ["a.h"]),
        ('// #include "a.h"\n/* #include "b.h"\n#include "c.h" */', []),
        ('/* first */ # /* x */ include /* y */ "a b.h"', ["a b.h"]),
        ('// continued \\\n#include "a.h"\n#include "b.h"', ["b.h"]),
        ('#include \\\n "a.h"', ["a.h"]),
        ('R"(\n#include "a.h"\n)"', []),
        ('x #include "a.h"', []),
        ('"\\\n#include "', []),
        ('#include ""\n#include MACRO\n#include "open', []),
        ('#include "a//b.h"', ["a//b.h"]),
    ],
)
def test_local_includes(text, names):
    found = local_includes(text)
    assert [match[1] for match in found] == names
    assert [text[match.start(1) : match.end(1)] for match in found] == names


def tree(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "k.cu"


def test_includes_are_followed_from_the_file_that_names_them(tmp_path):
    path = tree(
        tmp_path,
        k_cu='#include "a/b.h"\n#include "e.h"\n#include "no.h"\n',
        a__b_h='#include "c.h"\n// #include "d.h"\n',
        a__c_h='#include "../k.cu"\n#include "b.h"\n',
        e_h='#include "a/c.h"\n',
        a__d_h="",
        c_h="",
    )
    found = read_sources(path)
    assert list(found) == [tmp_path / name for name in ("k.cu", "a/b.h", "e.h", "a/c.h")]
    assert all(text == path.read_text() for path, text in found.items())


def test_a_link_is_the_file_that_it_leads_to(tmp_path):
    path = tree(tmp_path, k_cu='#include "link.h"\n#include "real.h"', real_h="")
    (tmp_path / "link.h").symlink_to(tmp_path / "real.h")
    assert list(read_sources(path)) == [path, tmp_path / "real.h"]


def test_a_long_chain_of_includes(tmp_path):
    files = {f"h{i}_h": f'#include "h{i + 1}.h"\n' for i in range(1500)}
    assert len(read_sources(tree(tmp_path, k_cu='#include "h0.h"\n', **files))) == 1501


def test_what_cannot_be_read(tmp_path):
    path = tree(tmp_path, k_cu='#include "a.h"')
    (tmp_path / "a.h").write_bytes(b"\xff\xfe")
    with pytest.raises(LauncherError, match=r"a\.h is not text: .* in UTF-8"):
        read_sources(path)
    with pytest.raises(BuildError, match=r"cannot read .*gone: No such file"):
        read_sources(tmp_path / "gone")


def test_the_hash_tells_names_and_texts_but_not_folders(tmp_path):
    def hashed(folder, name="k.cu", text="x", header="y"):
        (tmp_path / folder).mkdir(exist_ok=True)
        return digest({tmp_path / folder / name: text, tmp_path / folder / "a.h": header})

    first = hashed("one")
    assert first == hashed("two") and len(first) == 64
    others = {hashed("one", name="l.cu"), hashed("one", text="y"), hashed("one", header="x")}
    assert len(others | {first, hashed("one", "k.cux", "", "y")}) == 5


def test_names_of_kernels(tmp_path):
    assert sources.source_path("v1_f32") == sources.paths.KERNELS / "v1_f32.cu"
    path = tree(tmp_path, k_cu="")
    assert sources.source_path(str(path)) == sources.source_path(path) == path
    with pytest.raises(TypeError, match="not int"):
        sources.source_path(3)
    with pytest.raises(ValueError, match=r"'\.\./v1_f32' is neither a kernel's name"):
        sources.source_path("../v1_f32")
    with pytest.raises(FileNotFoundError, match=r"no file no\.cu in kernels/.*v1_f32"):
        sources.source_path("no")
    with pytest.raises(FileNotFoundError, match=r"no file no\.cu in \./"):
        sources.source_path("no.cu")


def test_the_hash_of_code_is_of_no_comment_and_no_layout():
    def hashed(text):
        return code_digest({Path("a.cu"): text})

    same = hashed('int x = 1;  // one\n/* two */ f("a // b");\n')
    assert hashed('int x=1; f(\n    "a // b");') == same
    assert hashed('int x = 2; f("a // b");') != same != hashed('int x = 1; f("a");')


def test_a_file_is_written_whole(tmp_path):
    path = tmp_path / "kernel.cu"
    for text in ("// é\n", "// again\n"):
        sources.write_whole(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert list(tmp_path.iterdir()) == [path] and path.stat().st_mode & 0o777 == 0o644
