"""Configure every test and every notebook run: build cache, markers, Hypothesis, workers."""

import collections
import contextlib
import ctypes
import functools
import importlib
import os
import random
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent
collect_ignore_glob = ["notebooks/mine/*"]  # the learner's

# The same examples in every run. For new ones: pytest --hypothesis-profile=explore
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None, max_examples=1000)
settings.load_profile("ci")


def pytest_configure(config):
    """Set what the notebooks' kernels, processes of their own, inherit."""
    from helpers.teach.kernel_environment import kernel_environment, own_gpu

    os.environ.update(kernel_environment(ROOT))
    os.environ.setdefault("ELEMENTWISE_FIND_LINE", "0")  # 3 s for each of many wrong kernels
    os.environ.setdefault("ELEMENTWISE_STRICT", "1")  # a diagnosis that raises is a fault
    if worker := getattr(config, "workerinput", {}).get("workerid"):
        os.environ.update(own_gpu(int(worker.removeprefix("gw"))))
    if getattr(config.option, "nbval_sanitize_with", None) is None:
        config.option.nbval_sanitize_with = str(ROOT / "tests" / "nbval.cfg")
    if getattr(config.option, "nbval", False) and hasattr(os, "fork"):
        from helpers.run import nvml
        from helpers.teach import forked_kernels

        if not nvml.count():  # with a GPU, each lesson begins CUDA in a process of its own
            forked_kernels.for_nbval()


def pytest_collection(session):
    """Import all tests, from another one on in each worker: it reads what others have compiled.

    In a fresh clone each would else compile all of them, and the packages that they import.
    """
    worker = getattr(session.config, "workerinput", None)
    if not worker or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in files[first:] + files[:first]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # pytest comes to it again
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_addoption(parser):
    """Add --stress."""
    parser.addoption("--stress", action="store_true", help="also run tests marked stress")


@pytest.hookimpl(optionalhook=True)  # pytest-xdist may not be there
def pytest_xdist_auto_num_workers(config):
    """Return the meaning of `-n auto`: a worker a core and one more, at most six.

    Of two workers on two cores each waits for a third of the time (processes that start, locks
    of builds, time limits that are tested); with four, two cores took a tenth longer than with
    three. Each needs 1 to 2 GB.
    """
    allowed = getattr(os, "sched_getaffinity", None)  # macOS has none
    cores = len(allowed(0)) if allowed else os.cpu_count()
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(6, cores + 1, memory // (2 << 30)))


@functools.cache
def is_whole(file: str) -> bool:
    """Return whether one worker runs all of a file.

    A notebook, whose cells share a kernel, and tests that share a fixture, which often builds
    kernels: each worker would make its own.
    """
    if file.endswith(".ipynb"):
        return True
    return file.endswith(".py") and 'scope="module"' in (ROOT / file).read_text("utf-8")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out some files as wholes, and the other tests one by one."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::")[0]
            return file if is_whole(file) else nodeid

    return Scheduling(config, log)


@functools.cache
def give_memory_back():
    """Return glibc's function that returns freed memory to the system, else an idle one."""
    return getattr(ctypes.CDLL(None), "malloc_trim", lambda padding: None)


def pytest_runtest_setup(item):
    """Seed what tests draw from, so that a test's numbers depend on no order of tests."""
    random.seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)
    if torch := sys.modules.get("torch"):  # loaded by a test only: its seed is always the same
        torch.manual_seed(0)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """Give back what a file's tests have freed: each fork copies the page tables of it."""
    if nextitem is None or nextitem.path != item.path:
        give_memory_back()(0)


def has_gpu() -> bool:
    """Ask whether kernels run on a GPU here; this loads torch."""
    from helpers.run import machine

    return machine.present().is_gpu


def only_for_stress(items):
    """Return the tests that only --stress runs: those marked, and of a sample those between.

    A sample's step has no factor in common with the number of one of several parameters, of
    which else some values would never be tried.
    """
    place = collections.Counter()
    found = set()
    for item in items:
        if sample := item.get_closest_marker("sample"):
            test = item.nodeid.partition("[")[0]
            if place[test] % sample.args[0]:
                found.add(item)
            place[test] += 1
        if item.get_closest_marker("stress"):
            found.add(item)
    return found


def pytest_collection_modifyitems(config, items):
    """Skip what needs a GPU, leave out stress tests; workers begin with what takes long."""
    if not config.getoption("--stress"):
        stress = only_for_stress(items)
        config.hook.pytest_deselected(items=[item for item in items if item in stress])
        items[:] = [item for item in items if item not in stress]

    of_gpu = [item for item in items if item.get_closest_marker("gpu")]
    if of_gpu and not has_gpu():
        for item in of_gpu:
            item.add_marker(pytest.mark.skip(reason="needs a CUDA GPU"))

    if hasattr(config, "workerinput"):  # so that no worker ends with a long one alone
        items.sort(
            key=lambda item: (
                not is_whole(item.nodeid.split("::")[0]),
                not item.get_closest_marker("slow"),
            )
        )
