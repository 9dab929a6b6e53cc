"""jit: what `load` takes for a kernel, what it makes of it, how it says what is wrong."""

import os
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import paths
from helpers.errors import BuildError, CompileError, LauncherError
from helpers.run import build, jit, machine
from helpers.run.kernel import Kernel
from tests.run.conftest import FILL, filled, write


def libraries(cache):
    return sorted(path.name for path in cache.glob("*/*.so"))


# ---- what is a kernel ----------------------------------------------------------------------


def test_by_name_and_by_path():
    by_name, by_path = jit.load("v1_f32"), jit.load(paths.KERNELS / "v1_f32.cu")
    assert isinstance(by_name, Kernel) and by_name.library == by_path.library
    assert by_name.path == paths.KERNELS / "v1_f32.cu" and "add" in by_name.launchers
    assert jit.load(os.path.relpath(by_name.path)).library == by_name.library


@pytest.mark.parametrize(
    "name", [None, 3, b"v1_f32", ["v1_f32"], torch.zeros(3), object(), True]
)
def test_names_of_a_wrong_type(name):
    with pytest.raises(TypeError, match="a kernel is named by a str or a Path"):
        jit.load(name)


@pytest.mark.parametrize(
    "name",
    ["", " ", "..", "../v1_f32", "/etc/passwd", "a b", "v1_f32.cpp", "a\n", "$(x)", "-o"],
)
def test_names_that_are_not_names(name):
    with pytest.raises(ValueError, match="neither a kernel's name"):
        jit.load(name)


@pytest.mark.parametrize(
    "name", ["no_such", "../no_such.cu", "/no/such.cu", Path("x/y.cu"), "kernels.cu"]
)
def test_files_that_are_not_there(name):
    with pytest.raises(FileNotFoundError, match=r"no file .*the kernels there are: .*v1_f32"):
        jit.load(name)


@given(st.text(max_size=20))
@settings(max_examples=300, deadline=None)
def test_any_name_is_a_file_or_refused(name):
    try:
        jit.source_path(name)
    except (ValueError, FileNotFoundError):
        return
    assert (paths.KERNELS / f"{name}.cu").is_file() or Path(name).is_file()


def test_a_folder_is_not_a_file(tmp_path):
    (tmp_path / "folder.cu").mkdir()
    with pytest.raises(FileNotFoundError):
        jit.load(tmp_path / "folder.cu")


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_bytes_that_are_not_a_kernel(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "bytes.cu"
    path.write_bytes(content)
    with pytest.raises(LauncherError, match=r"bytes\.cu"):
        jit.load(path)


def test_a_picture_is_not_a_kernel(tmp_path, cache):
    (tmp_path / "cat.cu").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    with pytest.raises(ValueError, match=r"cat\.cu is not text"):
        jit.load(tmp_path / "cat.cu")
    assert not libraries(cache)


def test_a_missing_launcher_is_reported_before_a_build(tmp_path, quick):
    (tmp_path / "k.cu").write_text("__global__ void fill(float* out) { out[i] = 1.0f; }")
    with pytest.raises(LauncherError, match=r"k\.cu: no launcher found"):
        jit.load(tmp_path / "k.cu")
    assert not quick.builds


# ---- editing -------------------------------------------------------------------------------


def test_an_edited_kernel_is_another_one(tmp_path, cache, quick):
    first = jit.load(write(tmp_path / "k.cu", "1.0f"))
    second = jit.load(write(tmp_path / "k.cu", "2.0f"))
    assert (filled(first), filled(second), filled(first)) == (1.0, 2.0, 1.0)
    assert "2.0f" in second.text and second.name == "k" and not second.on_gpu
    again = jit.load(write(tmp_path / "k.cu", "1.0f"))
    assert again.library == first.library
    assert again.build_seconds == 0.0 < first.build_seconds
    assert quick.builds == ["k", "k"] and len(libraries(cache)) == 2


def test_an_edited_header_is_another_kernel(tmp_path, quick):
    (tmp_path / "a").mkdir()
    (tmp_path / "b.h").write_text('#include "a/c.h"\n')
    path = tmp_path / "k.cu"
    path.write_text('#include "b.h"\n' + FILL.format(value="VALUE"))
    values = []
    for value in ("3.0f", "4.0f"):
        (tmp_path / "a" / "c.h").write_text(f"#define VALUE {value}\n")
        values.append(filled(jit.load(path)))
    assert values == [3.0, 4.0]


def test_an_error_leaves_the_previous_kernel_as_it_was(tmp_path, cache, quick):
    kernel = jit.load(write(tmp_path / "k.cu"))
    for broken in (FILL.format(value="oops"), 'extern "C" void f(float* out'):
        (tmp_path / "k.cu").write_text(broken)
        with pytest.raises((CompileError, LauncherError)):
            jit.load(tmp_path / "k.cu")
        assert filled(kernel) == 1.0
    assert len(libraries(cache)) == 1 and not list(cache.glob("*building*"))
    assert filled(jit.load(write(tmp_path / "k.cu", "5.0f"))) == 5.0


def test_a_compile_error_names_file_and_line(tmp_path, cache_with_headers):
    cache = cache_with_headers
    path = write(tmp_path / "with spaces and ümläuts.cu", "oops")
    with pytest.raises(CompileError) as raised:
        jit.load(path)
    lines = str(raised.value).splitlines()
    assert lines[0] == f"{path.name} does not compile:"
    assert lines[1].strip().startswith(f"{path.name}:4: ") and "oops" in lines[1]
    assert str(tmp_path) not in str(raised.value) and len(lines) < 12
    assert not libraries(cache) and not list(cache.glob("*building*"))


def test_a_file_that_is_edited_while_it_is_compiled(tmp_path, cache, quick, monkeypatch):
    """What is called is what was read: never the text of one moment with another's code."""
    path = write(tmp_path / "k.cu", "1.0f")

    def edited_meanwhile(*args):
        quick(*args)
        if len(quick.builds) < 2:
            write(path, "2.0f")

    monkeypatch.setattr(build, "compile_library", edited_meanwhile)
    kernel = jit.load(path)
    assert len(quick.builds) == 2 and filled(kernel) == 2.0 and "2.0f" in kernel.text
    assert len(libraries(cache)) == 1


def test_a_file_that_never_stays_the_same(tmp_path, cache, quick, monkeypatch):
    path = write(tmp_path / "k.cu", "0.5f")

    def always_edited(*args):
        quick(*args)
        write(path, f"{len(quick.builds)}.0f")

    monkeypatch.setattr(build, "compile_library", always_edited)
    words = r"k\.cu was changed while it was being compiled, 3 times: save it"
    with pytest.raises(BuildError, match=words):
        jit.load(path)
    assert len(quick.builds) == 3
    assert not libraries(cache) and not list(cache.glob("*building*"))


# ---- names and places ----------------------------------------------------------------------


def test_names_that_a_shell_would_mind(tmp_path, monkeypatch, cache_with_headers):
    folder = tmp_path / "größe & $(touch pwned)"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    cache_with_headers.mkdir(exist_ok=True)
    named = cache_with_headers.rename(tmp_path / "büild $(touch pwned) dir")
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(named))
    (folder / "head er.h").write_text("#define VALUE 6.0f\n")
    path = folder / "-x ein Köpf's $(touch pwned);b&.cu"
    path.write_text('#include "head er.h"\n' + FILL.format(value="VALUE"))
    kernel = jit.load(path)
    assert filled(kernel) == 6.0 and kernel.library.is_relative_to(named)
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize("name", ["...cu", "a\\..\\b c.cu", "x" * 200 + ".cu", "a\nb.cu"])
def test_nothing_is_built_outside_of_the_cache(tmp_path, cache, quick, name):
    """A file's name goes into names of the cache; none of its characters may lead out of it."""
    sources = tmp_path / "sources"
    sources.mkdir()
    library = jit.load(write(sources / name)).library
    assert library.parent.parent == cache and library.is_file()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cache", "compiled", "sources"]
    assert [path.name for path in sources.iterdir()] == [name]


def test_links_do_not_lead_out_of_the_cache(tmp_path, cache, quick):
    kernel = jit.load(write(tmp_path / "k.cu"))
    folder, outside = kernel.library.parent, tmp_path / "outside"
    folder.rename(outside)
    before = sorted(path.name for path in outside.iterdir())
    folder.symlink_to(outside)
    rebuilt = jit.load(tmp_path / "k.cu")
    assert rebuilt.build_seconds > 0 and not folder.is_symlink() and filled(rebuilt) == 1.0
    assert sorted(path.name for path in outside.iterdir()) == before
    rebuilt.library.rename(outside / "k.so")
    rebuilt.library.symlink_to(outside / "k.so")
    assert jit.load(tmp_path / "k.cu").build_seconds > 0


def test_a_linked_source_is_the_file_it_leads_to(tmp_path, quick):
    write(tmp_path / "real.cu", "7.0f")
    (tmp_path / "link.cu").symlink_to(tmp_path / "real.cu")
    kernel = jit.load(tmp_path / "link.cu")
    assert kernel.name == "real" and filled(kernel) == 7.0


# ---- libraries that cannot be used ---------------------------------------------------------


def test_a_library_cut_short_is_built_again(tmp_path, quick):
    path = write(tmp_path / "k.cu")
    library = build.build(path, jit.read_sources(path), machine.present()).library
    library.write_bytes(library.read_bytes()[:-1])
    kernel = jit.load(path)
    assert kernel.build_seconds > 0 and filled(kernel) == 1.0


def damage(library):
    content = bytearray(library.read_bytes())
    content[18:20] = b"\xff\xff"  # for a processor that does not exist
    library.write_bytes(content)


def test_a_library_that_cannot_be_loaded_is_built_again(tmp_path, quick, monkeypatch):
    path = write(tmp_path / "k.cu")
    damage(build.build(path, jit.read_sources(path), machine.present()).library)
    kernel = jit.load(path)
    assert quick.builds == ["k", "k"] and filled(kernel) == 1.0

    def always_damaged(path, output, here):
        quick(path, output, here)
        damage(output)

    monkeypatch.setattr(build, "compile_library", always_damaged)
    with pytest.raises(BuildError, match=r"the library of k\.cu cannot be opened"):
        jit.load(write(path, "2.0f"))
    assert len(quick.builds) == 4  # built again once, not for ever


def test_a_function_without_a_body_is_named_at_its_call(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(
        "namespace far { float away(float x, int n); }\n"
        'extern "C" void f(float* out, long long n) {\n'
        "    far::away(1.0f, 2);\n"
        "}\n"
    )
    with pytest.raises(CompileError) as raised:
        jit.load(path)
    assert "k.cu:3: the code of `away` is not in this file" in str(raised.value)
    assert "#include the file that has it" in str(raised.value)


def test_a_function_without_a_body_is_not_called_by_its_parameters_type(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(
        "void must(cudaError_t status, int line);\n"
        'extern "C" void f(float* out, long long n) {\n'
        "    must(cudaSuccess, 3);\n"
        "}\n"
    )
    with pytest.raises(CompileError, match="the code of `must` is not in this file"):
        jit.load(path)


# ---- a GPU's kernel, built for the emulator ------------------------------------------------


def test_a_kernel_on_the_emulator_is_returned_as_it_is(tmp_path, quick):
    kernel = jit.load(write(tmp_path / "k.cu"))
    assert jit.emulated(kernel) is kernel


@pytest.fixture
def on_gpu(tmp_path, quick):
    """Load a kernel and say that it is a GPU's."""
    kernel = jit.load(write(tmp_path / "k.cu"))
    kernel.on_gpu = True
    return kernel


def test_a_gpus_kernel_is_built_for_the_emulator(on_gpu):
    emulated = jit.emulated(on_gpu)
    assert emulated is not on_gpu and not emulated.on_gpu
    assert emulated.text == on_gpu.text and filled(emulated) == 1.0


def test_an_edited_file_is_not_built_for_the_emulator(on_gpu):
    """The emulator would check a text that the loaded kernel does not have."""
    write(on_gpu.path, "2.0f")
    assert jit.emulated(on_gpu) is None


@pytest.mark.parametrize("text", [FILL.format(value="no_cpu_has_this"), "no launcher"])
def test_none_for_what_the_emulator_cannot_build(on_gpu, text):
    on_gpu.path.write_text(text)
    assert jit.emulated(on_gpu) is None


def test_none_without_a_compiler(on_gpu, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert jit.emulated(on_gpu) is None
