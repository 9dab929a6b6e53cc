"""Parsing what nvdisasm and ptxas print."""

from helpers.measure.sass import disassembly


def test_kernels_in_the_order_of_the_source(example):
    first, second = example.kernels
    assert (first.name, second.name) == ("first", "second")
    assert (first.registers, first.stack, first.shared) == (40, 24, 2048)
    assert (first.spill_stores, first.spill_loads) == (16, 8)
    assert (second.registers, second.stack, second.shared) == (4, 0, 0)
    assert [i.text for i in second.instructions] == ["EXIT"]


def test_instructions(example):
    first = example.kernels[0].instructions
    assert [i.offset for i in first] == [0, 0x10, 0x20, 0x30, 0x40]
    assert [i.opcode for i in first] == ["LDC", "BRA", "LDG.E.U16", "HADD2", "EXIT"]
    assert first[1].text == "@!P0 BRA .L_x_3"
    assert [i.label for i in first] == [None, None, None, None, ".L_x_3"]  # where a jump goes


def test_source_lines(example):
    first = example.kernels[0].instructions
    assert [i.line for i in first] == [2, 2, 3, 3, 3]  # inlined code: the kernel's own line
    assert first[0].source == "__global__ void first(half* p) {"
    assert first[3].source == "p[0] = __hadd(p[0], p[1]);  // sum"
    assert {i.file for i in first} == {None}


def test_lines_of_an_included_file(example_file, disassembled, ptxas_log):
    header = example_file.with_name("b.cuh")
    text = disassembled.replace('.cu", line 3', '.cuh", line 2').replace("example.cuh", "b.cuh")
    sources = {example_file: "\n\n\n\n", header: "one\n  two  \n"}
    first = disassembly.parse_kernels(text, disassembly.resources(ptxas_log), sources)[0]
    assert [(i.file, i.line, i.source) for i in first.instructions] == [
        (None, 2, ""),
        (None, 2, ""),
        *[("b.cuh", 2, "two")] * 3,
    ]


def test_lines_that_the_file_does_not_have_are_left_out(example_file, disassembled, ptxas_log):
    resources = disassembly.resources(ptxas_log)
    first = disassembly.parse_kernels(disassembled, resources, {example_file: "a\nb\n"})[0]
    assert [i.line for i in first.instructions] == [2] * 5  # line 3 of two
    nothing = disassembly.parse_kernels(disassembled, resources, {example_file: ""})[0]
    assert [(i.line, i.source) for i in nothing.instructions] == [(None, "")] * 5
    zero = disassembled.replace("line 2", "line 0")
    first = disassembly.parse_kernels(zero, resources, {example_file: "a\nb\nc\n"})[0]
    assert [i.line for i in first.instructions] == [None, None, 3, 3, 3]


def test_the_first_and_the_last_line_of_a_file(example_file, disassembled, ptxas_log):
    text = disassembled.replace("line 2", "line 1")
    resources = disassembly.resources(ptxas_log)
    first = disassembly.parse_kernels(text, resources, {example_file: "a\nb\nc\n"})[0]
    assert [(i.line, i.source) for i in first.instructions] == [
        *[(1, "a")] * 2,
        *[(3, "c")] * 3,
    ]


def test_functions_that_are_no_kernels_are_left_out(example_file, disassembled):
    only = {"_Z6secondv": dict(registers=1, stack=2, spill_stores=3, spill_loads=4, shared=5)}
    (kernel,) = disassembly.parse_kernels(disassembled, only, {example_file: ""})
    assert (kernel.symbol, kernel.spill_loads) == ("_Z6secondv", 4)


def test_resources(ptxas_log):
    assert disassembly.resources(ptxas_log) == {
        "_Z6secondv": dict(registers=4, stack=0, spill_stores=0, spill_loads=0, shared=0),
        "_Z5firstP6__half": dict(
            registers=40, stack=24, spill_stores=16, spill_loads=8, shared=2048
        ),
    }


def test_resources_of_a_device_function_are_left_out(ptxas_log):
    log = ptxas_log + "ptxas info : Function properties for helper\n 8 bytes stack frame, "
    assert set(disassembly.resources(log + "0 bytes spill stores, 0 bytes spill loads\n")) == {
        "_Z6secondv",
        "_Z5firstP6__half",
    }


def test_warnings(ptxas_log):
    (warning,) = disassembly.warnings(ptxas_log)
    assert warning.startswith("Value of threads per SM for entry first is out of range.")
    assert warning.endswith(".minnctapersm will be ignored")


def test_a_jump_back_at_the_end_is_no_padding(example_file, ptxas_log, disassembled):
    text = disassembled.replace("BRA `(.L_x_4)", "BRA `(.L_x_1)")
    first = disassembly.parse_kernels(
        text, disassembly.resources(ptxas_log), {example_file: ""}
    )[0]
    assert first.instructions[-1].text == "BRA .L_x_1"
    assert first.instructions[1].label == ".L_x_1"
