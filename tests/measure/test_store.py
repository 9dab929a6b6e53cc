"""What is recorded is read back, by exact identity; no writer loses another's row."""

import subprocess

import pytest

from helpers.measure import store
from helpers.measure.measurement import DIALS
from helpers.run import machine

# ---- measurements --------------------------------------------------------------------------


def test_measurements_are_read_back(records, measurement):
    store.append(
        [measurement(10.0), measurement(20.0, kernel="torch.add", block_size=None)], "ladder"
    )
    store.append([measurement(11.0)], "ladder")
    store.append([measurement(gpu="NVIDIA Other")], "sweep")
    rows = store.load("ladder")
    assert sorted(rows.time_us) == [11.0, 20.0]
    assert len(store.load("ladder", latest=False)) == 3
    assert rows[rows.kernel == "torch.add"].block_size.isna().all()
    assert store.load("sweep").gpu.tolist() == ["NVIDIA Other"]
    assert store.load(gpu="NVIDIA Test").experiment.unique().tolist() == ["ladder"]
    assert (rows.torch == machine.present().torch).all() and rows.date.str.len().eq(10).all()


def test_every_number_of_a_measurement_has_a_column(records, measurement):
    one = measurement(
        12.3456,
        flops=5,
        note="loud",
        parameter=0.25,
        noise_percent=0.126,
        sm_cycles=670.12,
        bytes_moved=1000,
    )
    store.append([one], "x")
    row = store.load("x").iloc[0]
    assert (row.time_us, row.low_us, row.high_us) == (12.346, 11.346, 13.346)
    assert (row.repeats, row.bytes_moved, row.flops, row.gb_per_s) == (24, 1000, 5, 0.1)
    assert (row.note, row.parameter, row.noise_percent, row.sm_cycles) == (
        "loud",
        0.25,
        0.13,
        670.1,
    )


def test_what_was_not_counted_is_empty(records, measurement):
    store.append([measurement()], "x")
    row = store.RUNS.load().iloc[0]
    assert row[["flops", "note", "parameter", "noise_percent", *DIALS]].isna().all()


def test_dials_have_columns_and_the_label_is_made_of_them(records, measurement):
    dials = {"unroll": 4, "load_bytes": 16, "large_l1": True}
    shown = store.append([measurement(kernel="read_sum", dials=dials)], "latency hiding")
    assert shown.kernel.tolist() == ["read_sum 4 x 16 B, large L1"]
    assert store.load().kernel.tolist() == shown.kernel.tolist()
    raw = store.RUNS.load()
    assert raw.kernel.tolist() == ["read_sum"]
    assert raw[list(dials)].iloc[0].tolist() == [4, 16, True]
    with pytest.raises(ValueError, match="colour"):
        store.frame([measurement(dials={"colour": 1})])


def test_dials_tell_rows_apart(records, measurement):
    store.append(
        [measurement(dials={"padding": p}, parameter=x) for p in (0, 1) for x in (1, 2)], "m"
    )
    assert len(store.load("m")) == 4


@pytest.mark.parametrize("value", [None, 3, "x", {}, object()])
def test_only_measurements_are_recorded(records, value):
    for call in (lambda: store.append([value], "test"), lambda: store.frame([value])):
        with pytest.raises(TypeError, match=r"what bench\.measure returns, not"):
            call()
    assert not list(records.iterdir())


def test_a_roof_is_the_newest_of_its_card(records):
    store.ROOFS.path.write_text(
        "date,gpu,driver,cuda,torch,commit,quantity,value,unit\n"
        "d,NVIDIA H200,,,,c,copy_GBps,1,GB/s\nd,NVIDIA H200,,,,c,copy_GBps,2,GB/s\n"
        "d,NVIDIA H200 NVL,,,,c,copy_GBps,3,GB/s\n"
    )
    assert store.roof("copy_GBps") == 2
    assert store.roof("copy_GBps", gpu="NVIDIA H200 NVL") == 3
    with pytest.raises(KeyError, match="copy_GBps"):
        store.roof("no such roof")


# ---- provenance ----------------------------------------------------------------------------


def test_provenance_names_the_machine_and_the_versions(fake_gpu, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_COMMIT", "0123456789ab")
    here = store.provenance()
    assert list(here) == list(store.PROVENANCE)
    assert here.pop("date") == store.today()
    assert list(here.values()) == ["NVIDIA H200", "580", "13.0", "2.11", "0123456789ab"]


@pytest.mark.parametrize(
    ("answers", "commit"),
    [
        ({"rev-parse": "0123456789ab", "status": ""}, "0123456789ab"),
        ({"rev-parse": "0123456789ab", "status": " M kernels/v1_f32.cu"}, "0123456789ab+"),
        ({"rev-parse": "", "status": ""}, "unknown"),
    ],
)
def test_a_commit_says_whether_the_tree_was_changed(monkeypatch, answers, commit):
    monkeypatch.delenv("ELEMENTWISE_COMMIT", raising=False)
    monkeypatch.setattr(store, "_git", lambda command, *_: answers[command])
    assert store.commit() == commit


def test_a_record_does_not_change_the_commit(monkeypatch, tmp_path):
    """Rows appended to data/ leave the commit as it is; a kernel that was changed does not."""
    monkeypatch.delenv("ELEMENTWISE_COMMIT", raising=False)
    monkeypatch.setattr(store.paths, "ROOT", tmp_path)
    for name in ("data/runs.csv", "kernels/v1_f32.cu"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("first")
    who = ("-c", "user.name=name", "-c", "user.email=name@localhost")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "first")):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    name = store.commit()
    assert len(name) == 12
    (tmp_path / "data/runs.csv").write_text("second")
    assert store.commit() == name
    (tmp_path / "kernels/v1_f32.cu").write_text("second")
    assert store.commit() == name + "+"


def test_git_answers_or_is_silent(monkeypatch, tmp_path):
    assert store._git("--version").startswith("git version")
    assert store._git("no-such-command") == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert store._git("--version") == ""


# ---- the committed files -------------------------------------------------------------------

# No command makes it anew; lesson 18 reads it.
LIBRARY_SWEEP = store.Table(
    "library_sweep.csv",
    dict.fromkeys(("date", "gpu", "driver", "cuda", "torch"), "string")
    | {"method": "string", "operation": "string", "dtype": "string", "elements": "Int64"}
    | {"idea": "string", "variant": "string"}
    | dict.fromkeys(("time_us", "low_us", "high_us"), "Float64")
    | {"repeats": "Int64", "gb_per_s": "Float64", "ratio": "Float64"},
    key=("gpu", "method", "operation", "dtype", "elements", "idea", "variant"),
    decimals={"time_us": 3, "low_us": 3, "high_us": 3, "gb_per_s": 1, "ratio": 4},
)
TABLES = [
    *(table for table in vars(store).values() if isinstance(table, store.Table)),
    LIBRARY_SWEEP,
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_of_the_store_is_there_and_names_its_card(table, check_declaration):
    rows = check_declaration(table, of_the_past=table is LIBRARY_SWEEP)
    assert len(rows) and rows.date.str.fullmatch(r"\d{4}-\d\d-\d\d").all()
    if "gpu" in table.columns:
        assert not rows.gpu.isna().any()
        assert len(table.load(gpu="H200")) == len(table.load(gpu="NVIDIA H200")) > 0


def test_the_committed_record_names_its_machine():
    rows = store.load(latest=False)
    assert not rows[[*store.PROVENANCE, "method", "bytes_moved"]].isna().any().any()
    known = rows[rows.gb_per_s > 0]
    assert len(known) and (known.time_us > 0).all() and (known.low_us <= known.high_us).all()
    computed = known.bytes_moved / known.time_us / 1e3
    assert ((computed - known.gb_per_s).abs() <= 0.051 + 5e-4 * computed).all()


def test_recorded_adds_move_three_tensors():
    rows = store.load("ladder")
    itemsize = rows.dtype.map({"float32": 4, "float16": 2, "bfloat16": 2})
    assert (rows.bytes_moved == 3 * itemsize * rows.elements).all()
    assert (rows.flops == rows.elements).all()


@pytest.mark.parametrize(
    ("experiment", "labels"),
    [
        ("latency hiding", {"read_sum 4 x 16 B, large L1", "read_sum 1 x 4 B"}),
        ("divergence", {"branch 100 by warp", "all_long 1000 mixed", "torch.sort"}),
        ("select crossover", {"branch mixed 0.015625", "select_both by warp 0.5"}),
        ("sums", {"sum_tree, 256 a block", "sum_block, loop", "sum_atomic"}),
        ("matmul", {"matmul_tile32 padded", "matmul_tile32", "matmul_plain"}),
        ("bank conflicts", {"transpose padded", "transpose", "torch transpose"}),
    ],
)
def test_recorded_labels_are_made_of_dials(experiment, labels):
    assert labels <= set(store.load(experiment).kernel)
    raw = store.RUNS.load(experiment=experiment)
    assert not raw.kernel.str.contains(r"\d x|,|mixed|padded", regex=True).any()


def test_the_articles_table_is_complete_and_consistent():
    rows = store.article()
    assert len(rows) == 24 and set(rows.elements) == {1 << 20, 1 << 24, 1 << 28}
    assert set(rows.gpu) == {"GeForce RTX 5090"} and set(rows.method) == {"wall clock"}
    itemsize = rows.dtype.map({"float32": 4, "float16": 2})
    computed = 3 * itemsize * rows.elements / rows.time_us / 1e3
    # Times were printed to 0.1 us, so the small ones are known to about one per cent only.
    assert ((computed / rows.gb_per_s - 1).abs() < 0.02).all()


README = (store.paths.DATA / "README.md").read_text(encoding="utf-8")


def test_the_readme_describes_every_file_and_every_column_of_the_runs():
    for path in store.paths.DATA.glob("*.csv"):
        assert f"| `{path.name}` | " in README, path.name
    _, described = README.split("### `runs.csv`")
    named = {
        name
        for line in described.splitlines()
        if line.startswith("| ")
        for name in line.split("|")[1].strip().split(", ")
    }
    assert named - {"column"} == set(store.RUNS.columns) - set(store.PROVENANCE)


def test_the_keys_of_the_tables():
    launch = ("gpu", "experiment", "kernel", "elements", "dtype", "block_size", "method")
    operation = ("operation", "dtype", "elements")
    assert {table.name: tuple(table.key) for table in TABLES} == {
        "runs.csv": (*launch, "parameter", *DIALS),
        "roofs.csv": ("gpu", "quantity"),
        "library_comparison.csv": (
            *("gpu", "date", "commit", *operation),
            *("method", "candidate", "run"),
        ),
        "library_sweep.csv": ("gpu", "method", *operation, "idea", "variant"),
        "ncu_counters.csv": ("gpu", "kernel", "dtype", "elements", "block_size", "quantity"),
        "runtime_occupancy.csv": ("gpu", "kernel", "block_size", "shared_bytes"),
        "build_times.csv": ("way", "kernels", "machine"),
    }


def test_the_commands_of_the_tables():
    commands = {table.name: table.command for table in TABLES}
    assert commands["runs.csv"] == commands["roofs.csv"] == "make record"
    assert commands["library_comparison.csv"] == "python tools/record.py libraries"
    for name in ("ncu counters", "runtime occupancy", "build times"):
        assert commands[f"{name.replace(' ', '_')}.csv"] == f"python tools/record.py '{name}'"


def test_the_times_of_builds_are_the_record():
    assert store.build_times().equals(store.BUILD_TIMES.load())


def test_the_recorded_card_and_the_articles_experiment():
    assert store.RECORDED_GPU == "NVIDIA H200"
    rows = store.article()
    assert set(rows.experiment) == {"article"}
    assert rows.time_us.min() == pytest.approx(4.1)
    assert rows.time_us.max() == pytest.approx(2046.2)
    with pytest.raises(KeyError, match="no experiment 'nothing' in the record; it has"):
        store.load("nothing")
    with pytest.raises(KeyError):
        store.load(gpu="no such card")
    assert store.load("ladder", "L40").empty  # a card that nobody recorded


def test_git_s_words_are_of_the_course_s_tree(monkeypatch):
    ran = []

    def run(words, **options):
        ran.append((words, options))
        return subprocess.CompletedProcess(words, 0, stdout=" abc \n")

    monkeypatch.setattr(store.subprocess, "run", run)
    assert store._git("status", "--porcelain") == "abc"
    options = {"capture_output": True, "text": True, "check": False}
    assert ran == [(["git", "-C", str(store.paths.ROOT), "status", "--porcelain"], options)]


def test_what_git_is_asked_for_the_commit(monkeypatch):
    monkeypatch.delenv("ELEMENTWISE_COMMIT", raising=False)
    asked = []
    monkeypatch.setattr(store, "_git", lambda *words: asked.append(words) or "x")
    assert store.commit() == "x+"
    assert asked == [
        ("rev-parse", "--short=12", "HEAD"),
        ("status", "--porcelain", "--untracked-files=no", "--", ":!data"),
    ]
