"""jit.load: what it takes for a kernel, what it makes of it, and how it says what is wrong with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import paths
from helpers.errors import BuildError, CompileError, LauncherError
from helpers.run import jit, machine
from helpers.run.kernel import Kernel
from helpers.sources import read_sources

FILL = """
__global__ void fill(float* out, int64_t n) {{
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) out[i] = {value};
}}
extern "C" void f(float* out,  // [n]
                  int64_t n, cudaStream_t stream = 0) {{
    fill<<<(n + 255) / 256, 256, 0, stream>>>(out, n);
}}
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(folder))
    return folder


def write(path, value="1.0f"):
    path.write_text(FILL.format(value=value), encoding="utf-8")
    return path


def filled(kernel):
    out = torch.zeros(300, device=machine.present().device)
    kernel(out)
    assert bool((out == out[0]).all())
    return out[0].item()


def libraries(cache):
    return sorted(path.name for path in cache.glob("*/*.so"))


# ---- what is a kernel -----------------------------------------------------------------------------------------


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
def test_names_that_are_none(name):
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


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "folder.cu").mkdir()
    with pytest.raises(FileNotFoundError):
        jit.load(tmp_path / "folder.cu")


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_bytes_that_are_no_kernel(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "bytes.cu"
    path.write_bytes(content)
    with pytest.raises(LauncherError, match=r"bytes\.cu"):  # a ValueError
        jit.load(path)


def test_a_picture_is_no_kernel(tmp_path, cache):
    (tmp_path / "cat.cu").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    with pytest.raises(ValueError, match=r"cat\.cu is not text"):
        jit.load(tmp_path / "cat.cu")
    assert not libraries(cache)


# ---- editing ----------------------------------------------------------------------------------------------------


def test_an_edited_kernel_is_another_one(tmp_path, cache):
    first = jit.load(write(tmp_path / "k.cu", "1.0f"))
    second = jit.load(write(tmp_path / "k.cu", "2.0f"))
    assert (filled(first), filled(second), filled(first)) == (1.0, 2.0, 1.0)
    again = jit.load(write(tmp_path / "k.cu", "1.0f"))
    assert (
        again.library == first.library
        and again.build_seconds == 0.0
        and first.build_seconds > 0
    )
    assert len(libraries(cache)) == 2


def test_an_edited_header_is_another_kernel(tmp_path, cache):
    (tmp_path / "a").mkdir()
    (tmp_path / "b.h").write_text('#include "a/c.h"\n')
    path = tmp_path / "k.cu"
    path.write_text('#include "b.h"\n' + FILL.format(value="VALUE"))
    values = []
    for value in ("3.0f", "4.0f"):
        (tmp_path / "a" / "c.h").write_text(f"#define VALUE {value}\n")
        values.append(filled(jit.load(path)))
    assert values == [3.0, 4.0]


def test_an_error_leaves_the_previous_kernel_as_it_was(tmp_path, cache):
    kernel = jit.load(write(tmp_path / "k.cu"))
    for broken in (
        FILL.format(value="oops"),
        FILL.format(value="1.0f;;)"),
        'extern "C" void f(float* out',
    ):
        (tmp_path / "k.cu").write_text(broken)
        with pytest.raises((CompileError, LauncherError)):
            jit.load(tmp_path / "k.cu")
        assert filled(kernel) == 1.0
    assert len(libraries(cache)) == 1 and not list(cache.glob("*building*"))
    assert filled(jit.load(write(tmp_path / "k.cu", "5.0f"))) == 5.0


def test_a_compile_error_names_file_and_line(tmp_path, cache):
    path = write(tmp_path / "with spaces and ümläuts.cu", "oops")
    with pytest.raises(CompileError) as raised:
        jit.load(path)
    lines = str(raised.value).splitlines()
    assert lines[0] == f"{path.name} does not compile:"
    assert lines[1].strip().startswith(f"{path.name}:4: ") and "oops" in lines[1]
    assert str(tmp_path) not in str(raised.value) and len(lines) < 12


def test_a_file_that_changes_while_it_is_compiled(tmp_path, cache, monkeypatch):
    """What is called is what was read: never the text of one moment with the code of another."""
    path, builds = write(tmp_path / "k.cu", "1.0f"), []
    name = "_compile_gpu" if machine.present().is_gpu else "_compile_emulated"
    compile_it = getattr(jit, name)

    def edited_meanwhile(*args):
        builds.append(path.read_text())
        if len(builds) < 2:
            write(path, "2.0f")
        compile_it(*args)

    monkeypatch.setattr(jit, name, edited_meanwhile)
    kernel = jit.load(path)
    assert len(builds) == 2 and filled(kernel) == 2.0 and "2.0f" in kernel.text
    assert len(libraries(cache)) == 1

    def never_the_same(*args):
        builds.append(path.read_text())
        write(path, f"{len(builds)}.0f")

    monkeypatch.setattr(jit, name, never_the_same)
    write(path, "0.5f")
    with pytest.raises(
        BuildError, match=r"k\.cu was changed while it was being compiled, 3 times"
    ):
        jit.load(path)
    assert not list(cache.glob("*building*"))


# ---- names and places -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["ein Köpf's.cu", "$(touch pwned);b&.cu", "-x.cu", "x" * 200 + ".cu"]
)
def test_names_that_a_shell_would_mind(tmp_path, monkeypatch, name):
    folder = tmp_path / "größe & $(touch pwned)"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path / "büild dir"))
    (folder / "head er.h").write_text("#define VALUE 6.0f\n")
    path = folder / name
    path.write_text('#include "head er.h"\n' + FILL.format(value="VALUE"))
    assert filled(jit.load(path)) == 6.0
    assert not list(tmp_path.rglob("pwned"))


def test_nothing_is_built_outside_of_the_cache(tmp_path, cache):
    """A file's name goes into names of the cache; none of its characters may lead out of it."""
    sources = tmp_path / "sources"
    sources.mkdir()
    for name in ("...cu", "a\\..\\b c.cu"):
        if machine.present().is_gpu and "\\" in name:
            continue
        jit.load(write(sources / name))
        (sources / name).unlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "sources"]
    assert not list(sources.iterdir())
    assert all(path.parent.parent == cache for path in cache.rglob("*.so"))


def test_links_do_not_lead_out_of_the_cache(tmp_path, cache):
    kernel = jit.load(write(tmp_path / "k.cu"))
    folder, outside = kernel.library.parent, tmp_path / "outside"
    folder.rename(outside)
    before = sorted(path.name for path in outside.iterdir())
    folder.symlink_to(outside)
    rebuilt = jit.load(tmp_path / "k.cu")
    assert rebuilt.build_seconds > 0 and not folder.is_symlink() and filled(rebuilt) == 1.0
    assert sorted(path.name for path in outside.iterdir()) == before


def test_a_linked_source_is_the_file_it_leads_to(tmp_path, cache):
    write(tmp_path / "real.cu", "7.0f")
    (tmp_path / "link.cu").symlink_to(tmp_path / "real.cu")
    kernel = jit.load(tmp_path / "link.cu")
    assert kernel.name == "real" and filled(kernel) == 7.0


def test_a_damaged_library_is_built_anew(tmp_path, cache):
    path = write(tmp_path / "k.cu")
    library, _ = jit._build(path, read_sources(path), machine.present())
    content = library.read_bytes()
    for size in (0, 5, 63, 5000, len(content) - 1):
        library.write_bytes(content[:size])
        assert not jit._is_whole(library)
    kernel = jit.load(path)
    assert kernel.build_seconds > 0 and filled(kernel) == 1.0


def test_a_library_that_cannot_be_opened_is_built_anew(tmp_path, cache):
    path = write(tmp_path / "k.cu")
    library, _ = jit._build(path, read_sources(path), machine.present())
    content = bytearray(library.read_bytes())
    content[18:20] = b"\xff\xff"  # of a processor that nobody has
    library.write_bytes(content)
    kernel = jit.load(path)
    assert kernel.build_seconds > 0 and filled(kernel) == 1.0


# ---- the GPU's way, as far as a machine without one can go -------------------------------------------------------


@pytest.fixture
def nvcc(monkeypatch):
    """nvcc through PyTorch's builder, but linked with the CUDA runtime alone, and not opened."""
    from torch.utils import cpp_extension

    found = machine.find_nvcc()
    lib = found and next(
        (found.home / name for name in ("lib64", "lib") if (found.home / name).is_dir()), None
    )
    if machine.present().is_gpu or not lib or not list(lib.glob("libcudart.so*")):
        pytest.skip("needs an nvcc with its runtime, and no GPU")
    runtime = f"-l:{next(lib.glob('libcudart.so*')).name}"
    monkeypatch.setattr(
        cpp_extension, "_prepare_ldflags", lambda flags, *rest: [*flags, f"-L{lib}", runtime]
    )
    monkeypatch.setattr(cpp_extension, "_import_module_from_library", lambda *rest: None)
    return machine.Machine(
        "gpu", "a GPU", "for a test", torch.__version__, cc="9.0", nvcc=found.version
    )


def test_odd_names_with_nvcc(tmp_path, monkeypatch, nvcc):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path / "Ü $(touch pwned)"))
    path = write(tmp_path / "ein Köpf's $(touch pwned).cu")
    library, was_there = jit._build(path, read_sources(path), nvcc)
    assert not was_there and b"\x7fELF" == library.read_bytes()[:4]
    assert jit._build(path, read_sources(path), nvcc) == (library, True)
    write(path, "oops")
    with pytest.raises(
        CompileError, match=r"ein Köpf's .*cu:4: error: .*\"oops\" is undefined"
    ):
        jit._build(path, read_sources(path), nvcc)
    assert not list(tmp_path.rglob("pwned"))


NVCC_ERRORS = {
    'k.cu(4): error: identifier "oops" is undefined\n      out[i] = oops;\n               ^\n': "k.cu:4: error: identi",
    "/a b/ü/k.cu:3:10: fatal error: no.h: No such file or directory\n    3 | #include <no.h>\n": "k.cu:3: fatal error",
    "ptxas fatal   : Unresolved extern function 'f'\n": "ptxas fatal",
}


@pytest.mark.parametrize("log", NVCC_ERRORS)
def test_the_words_of_nvcc(log):
    words = jit._nvcc_words(
        f"Error building extension 'kernel': [1/2] nvcc -c ...\n{log}ninja: build stopped.\n",
        Path("k.cu"),
    )
    assert words.splitlines()[0] == "k.cu does not compile:"
    assert NVCC_ERRORS[log] in words and "/a b/" not in words


@pytest.mark.gpu
def test_pytorch_is_not_among_the_librarys_needs(tmp_path, cache):
    """So that a process without PyTorch can open it, quickly."""
    library = jit.load(write(tmp_path / "k.cu")).library
    code = (
        f"import ctypes, sys; ctypes.CDLL({str(library)!r}); maps = open('/proc/self/maps').read();"
        "sys.exit('libtorch' in maps or 'libc10' in maps)"
    )
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(Path(jit.sandbox._runtime_library()).parent),
    }
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode
        == 0
    )


# ---- the emulator's twin of a GPU's kernel ------------------------------------------------------------------------


def test_a_kernel_on_the_emulator_is_its_own_twin():
    kernel = jit.load("v1_f32")
    twin = jit.emulated(kernel)
    assert not twin.on_gpu and twin.text == kernel.text
    assert (twin is kernel) is not kernel.on_gpu
