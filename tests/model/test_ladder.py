"""The table of the versions agrees with the kernels' files and the notebooks."""

import json
import re
from dataclasses import replace

import pytest

from helpers import paths
from helpers.errors import UnknownNameError
from helpers.model import ladder
from helpers.model.ladder import NAMES, SHAPES, TORCH_ADD, VERSIONS, Version
from helpers.model.launch_shape import LaunchShape

FIRST_SIX = ("v1_f32", "v2_f32x4", "v3_f16", "v4_f16x2", "v5_f16x8", "v6_f16x8_pack")
DECLARED = {"float32": "float", "float16": "half", "bfloat16": "__nv_bfloat16"}


def source(version: Version) -> str:
    return (paths.KERNELS / f"{version.name}.cu").read_text(encoding="utf-8")


def launchers(version: Version) -> dict[str, str]:
    """Return the text of each launcher's parameters, by its name."""
    return dict(re.findall(r'extern "C" void (\w+)\((.*?)\)\s*{', source(version), re.DOTALL))


@pytest.mark.parametrize("version", VERSIONS, ids=NAMES)
def test_each_version_has_one_launcher_for_each_dtype(version):
    found = launchers(version)
    assert list(found) == ["add", "add_bf16"][: len(version.dtypes)]
    for dtype, parameters in zip(version.dtypes, found.values(), strict=True):
        tensors = re.findall(r"(\w+)\* (\w+),\s*// (.*)", parameters)
        assert [name for _, name, _ in tensors] == ["a", "b", "out"]
        for declared, _, comment in tensors:
            assert declared == DECLARED[dtype]
            aligned = re.search(r"(\d+)-byte aligned", comment)
            # an element's own alignment goes without saying
            assert (
                int(aligned[1] if aligned else version.element_bytes) == version.bytes_per_load
            )


@pytest.mark.parametrize("version", VERSIONS, ids=NAMES)
def test_the_default_block_size_is_the_files(version):
    for parameters in launchers(version).values():
        assert re.search(r"int block_size = (\d+)", parameters)[1] == str(version.block_size)


@pytest.mark.parametrize("version", VERSIONS, ids=NAMES)
def test_the_share_and_the_loads_are_those_of_the_files_header(version):
    count = {"one": 1, "two": 2, "four": 4, "eight": 8, "sixteen": 16}
    header = source(version).partition("#include")[0]
    assert all(
        words in header for words in ("a thread's share", "global loads", "block size")
    ), f"kernels/{version.name}.cu opens with the three lines that v1_f32.cu opens with"
    share = re.search(r"a thread's share +(\d+) element", header)[1]
    loads, width, of_b = re.search(
        r"global loads +(\w+) (\d+)-byte loads? from a, (\w+) from b", source(version)
    ).groups()
    block, elements = re.search(
        r"block size +(\d+) threads \((\d+) elements\)", source(version)
    ).groups()
    assert int(share) == version.elements_per_thread
    assert count[loads] == count[of_b]
    assert count[loads] * version.bytes_per_load == version.bytes_per_thread
    assert int(width) == version.bytes_per_load
    threads = version.block_size
    assert (int(block), int(elements)) == (threads, threads * version.elements_per_thread)


@pytest.mark.parametrize("version", VERSIONS, ids=NAMES)
def test_the_kernels_width_is_the_share_of_a_thread(version):
    width = re.search(r"constexpr int kWidth = (\d+);", source(version))
    assert int(width[1] if width else 1) == version.elements_per_thread


def test_the_labels_count_the_versions_and_each_has_a_lesson_in_order():
    lessons = []
    for number, version in enumerate(VERSIONS, 1):
        found = list((paths.ROOT / "notebooks").glob(f"[0-9][0-9]_{version.name}.ipynb"))
        assert len(found) == 1, (
            f"{version.name} has {len(found)} lessons; python -m tools.new_lesson NN "
            f'{version.name} "V{number}: ..." makes one'
        )
        path = found[0]
        lessons.append(path.name[:2])
        text = "".join(
            "".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]
        )
        cell = f"%%writefile ../kernels/{version.name}.cu"
        assert cell in text, f"a cell of {path.name} must write the kernel: {cell}"
        assert version.label == f"V{number}" and version.label in text
    assert lessons == sorted(lessons)
    assert lessons[:6] == ["01", "02", "03", "04", "05", "06"]


def test_what_follows_from_the_table():
    assert NAMES[:6] == FIRST_SIX and list(SHAPES) == list(NAMES)
    v5, v6 = ladder.version("V5"), ladder.version("v6_f16x8_pack")
    assert (v5.element_bytes, v5.bytes_per_thread, v5.bytes_per_load) == (2, 16, 4)
    assert (v6.element_bytes, v6.bytes_per_thread, v6.bytes_per_load) == (2, 16, 16)
    assert v5.shape == LaunchShape(8, 2, 32, load_bytes=4, lane_stride=16)
    assert ladder.version("v1_f32").shape == LaunchShape(1, 4, 256, load_bytes=4, lane_stride=4)
    assert {SHAPES[name].elements_per_block for name in FIRST_SIX} == {256}  # the article's


def test_versions_can_be_told_apart():
    looks = {version.name: (version.colour, version.marker) for version in VERSIONS}
    for kind in zip(*looks.values(), strict=True):
        assert len(set(kind)) == len(VERSIONS), f"two in ladder.py look alike: {looks}"
    assert all(re.fullmatch("#[0-9A-F]{6}", version.colour) for version in VERSIONS)
    assert {version.marker for version in VERSIONS} <= set("os^vDPX<>ph*H8d")  # matplotlib's


def test_torch_add_takes_1024_elements_a_block():
    assert {shape.elements_per_block for shape in TORCH_ADD.values()} == {1024}
    assert {shape.block_size for shape in TORCH_ADD.values()} == {128}
    assert {name: shape.bytes_per_element for name, shape in TORCH_ADD.items()} == {
        "float32": 12,
        "float16": 6,
        "bfloat16": 6,
    }


def test_dtypes_of_a_version_and_of_torch_add():
    assert ladder.dtypes("v2_f32x4") == ("float32",)
    assert ladder.dtypes("v3_f16") == ("float16", "bfloat16")
    assert ladder.dtypes("torch.add") == ("float32", "float16", "bfloat16")
    with pytest.raises(ValueError, match="v0"):
        ladder.dtypes("v0")


def test_launch_shape_by_the_records_names():
    assert ladder.launch_shape("v6_f16x8_pack") == SHAPES["v6_f16x8_pack"]
    assert ladder.launch_shape("v1_f32", block_size=64) == replace(
        SHAPES["v1_f32"], block_size=64
    )
    assert ladder.launch_shape("torch.add", "float16", 64) is TORCH_ADD["float16"]
    assert ladder.launch_shape("torch.add") is TORCH_ADD["float32"]


@pytest.mark.parametrize("name", ["v0_f64", "v1", "f32", ""])
def test_other_names_are_refused_with_the_known_ones(name):
    with pytest.raises(UnknownNameError, match=r"not a version.*V1.*v6_f16x8_pack"):
        ladder.version(name)
    with pytest.raises(KeyError, match=r"known are.*v1_f32.*torch\.add"):
        ladder.launch_shape(name)


def test_torch_add_of_another_dtype_is_refused():
    with pytest.raises(KeyError, match=r"float64; known are.*bfloat16"):
        ladder.launch_shape("torch.add", "float64")
