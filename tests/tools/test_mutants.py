"""The mutants of a file, the sample of them, and the score's interval."""

import ast

import pytest

from helpers import paths
from tools import mutate
from tools.mutants import mutants


def replacements(source: str) -> set[str]:
    return {one.apply(source) for one in mutants(source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x < y", "(x <= y)"),
        ("x is None", "(x is not None)"),
        ("a < b == c", "(a < b != c)"),
        ("2 * (x + y)", "2 * ((x - y))"),
        ("x // y", "(x / y)"),
        ("x += y", "x -= y"),
        ("x += y", "pass"),
        ("a and b", "(a or b)"),
        ("not x", "(x)"),
        ("-x", "(x)"),
        ("x = True", "x = (False)"),
        ("x = 7", "x = (8)"),
        ("x = 'µs'", "x = ('Xµs')"),
        ("x = 'µs', 7", "x = 'µs', (8)"),
        ("min(a, b)", "(max(a, b))"),
        ("torch.any(a)", "(torch.all(a))"),
        ("if x: y = z", "if (not x): y = z"),
        ("x if y else z", "x if (not y) else z"),
        ("for x in y:\n    break", "for x in y:\n    continue"),
        ("def f():\n    return x", "def f():\n    return None"),
        ("f(x)", "pass"),
    ],
)
def test_changes(source, expected):
    assert expected in replacements(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring with 1 number."""',
        "import a",
        "x: int",
        "def f(a: 'A' = b) -> 'B': ...",
        "@cache(1)\nclass A: ...",
        "raise ValueError('a', 1)",
        "x = f'{1}'",
        "x = 'four words are enough'",
        "__all__ = ['a']",
        "if TYPE_CHECKING:\n    import a",
        "if __name__ == '__main__':\n    main()",
    ],
)
def test_what_is_left_alone(source):
    assert mutants(source) == []


def test_every_mutant_of_a_real_file_is_a_program_and_differs():
    source = (paths.ROOT / "helpers" / "specs.py").read_text(encoding="utf-8")
    found = mutants(source)
    changed = {one.apply(source) for one in found}
    assert len(found) == len(changed) > 20 and source not in changed
    assert all(ast.parse(text) for text in changed)
    diff = found[0].diff(source, "specs.py")
    assert diff.startswith("--- specs.py\n+++ specs.py\n@@")


def test_the_sample_takes_some_of_every_module():
    everything = {mutate.Module(name): mutants("x = 1\n" * n) for name, n in SIZES.items()}
    sample = mutate.draw(everything, 24, seed=1)
    counts = {name: sum(module.name == name for module, _ in sample) for name in SIZES}
    assert counts["tiny"] == 1 and counts["small"] == 2 and counts["large"] > counts["middle"]
    assert sample == mutate.draw(everything, 24, seed=1) != mutate.draw(everything, 24, seed=2)
    assert len(set(sample)) == 24
    assert len(mutate.draw(everything, 999, seed=1)) == sum(SIZES.values())


SIZES = {"large": 60, "middle": 15, "small": 3, "tiny": 1}


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("model/warps", "tests/model/test_warps.py"),
        ("measure/sass/code", "tests/measure/sass/test_code.py"),
        ("measure/sass/__main__", "tests/measure/sass/test_main.py"),
        ("measure/libraries/__init__", "tests/measure/libraries/test_libraries.py"),
    ],
)
def test_the_test_file_of_a_module(module, test):
    assert mutate.Module(module).test.as_posix() == test


def test_wilsons_interval():
    low, high = mutate.wilson(380, 400)  # by hand: 0.94572 -+ 0.02168
    assert (round(low, 4), round(high, 4)) == (0.9240, 0.9674)
    assert mutate.wilson(10, 10)[1] == pytest.approx(1)


# ---- reasons of survivors


def survivor(module, before, after):
    diff = (
        f"--- a.py\n+++ a.py\n@@ -3,3 +3,3 @@\n def f():\n-    {before}\n+    {after}\n     x"
    )
    return {
        "module": module,
        "line": 4,
        "operator": "constant",
        "outcome": "survived",
        "diff": diff,
    }


SEED = survivor("testing/values", "g.manual_seed(7)", "g.manual_seed((8))")


def test_a_reason_belongs_to_a_module_and_a_mutated_line():
    exact = mutate.Reason("testing/values", "…", "g.manual_seed((8))", "other numbers")
    kind = mutate.Reason("testing/…", "…", "…manual_seed((…", "a seed")
    assert mutate.reason_of(SEED, [exact, kind]) == "other numbers"
    assert mutate.reason_of(SEED, [kind]) == "a seed"
    assert mutate.reason_of({**SEED, "module": "model/warps"}, [exact, kind]) == ""
    other = survivor("testing/values", "g.manual_seed(7)", "pass")
    assert mutate.reason_of(other, [exact, kind]) == ""
    dots = mutate.Reason("testing/values", "…", "g.manual.seed((8))", "no pattern but …")
    assert mutate.reason_of(SEED, [dots]) == ""
    false = mutate.Reason("run/…", "return False", "return None", "both are false")
    asked, lost = (survivor("run/gpu", f"return {x}", "return None") for x in ("False", "x"))
    assert [mutate.reason_of(one, [false]) for one in (asked, lost)] == ["both are false", ""]


def test_the_report_gives_each_survivor_its_reason_and_counts_it_as_alive(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(mutate, "OUTPUT", tmp_path)
    monkeypatch.setattr(
        mutate,
        "read_reasons",
        lambda: [mutate.Reason("testing/values", "…", "g.manual_seed((8))", "a seed, no more")],
    )
    killed = [{**SEED, "line": k, "outcome": o} for k, o in enumerate(["killed", "hung"])]
    other = survivor("model/warps", "return 32", "return None")
    head = mutate.write_report([SEED, *killed, other], "the command")
    assert head.startswith("2 of 4 mutants killed: 50.0% (95% interval ")
    assert head.endswith("; 1 of the 2 survivors have a reason")
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "helpers/testing/values.py:4 (constant), survived: a seed, no more\n" in text
    assert "helpers/model/warps.py:4 (constant), survived: NO REASON YET\n" in text
    assert "| model/warps | 0 | 1 |\n| testing/values | 2 | 3 |" in text
    assert "+    return None" in text
    assert "reason" not in mutate.write_report(killed, "the command")


def test_every_reason_is_of_a_module_that_exists():
    names = [module.name for module in mutate.find_modules(list(mutate.SIDES))]
    reasons = mutate.read_reasons()
    assert len({(r.module, r.line, r.changed) for r in reasons}) == len(reasons)
    for one in reasons:
        assert one.reason and one.changed
        assert any(
            mutate.Reason(one.module, "…", "…", "").explains(name, "", "") for name in names
        )
