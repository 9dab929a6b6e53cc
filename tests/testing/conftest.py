"""Stand-ins for kernels: a Python function behind a declaration, so that nothing is built."""

import contextlib

import pytest
import torch

from helpers.emulator import FORWARD, GARBAGE, LaunchSize
from helpers.emulator.memory import CANARY
from helpers.run.signature import declarations
from helpers.testing import experiment


class FakeEmulator:
    """Records how launches are asked to run."""

    def __init__(self):
        self.mode, self.last_stream, self.front = FORWARD, None, False
        self.modes, self.seconds, self.counts, self.bytes = [], [], [], []
        self.behind, self.shared_bytes = [], []
        self.largest_launch, self.overtaking, self.as_asked = LaunchSize(), "", False
        self.turned = False

    def take_largest_launch(self):
        return self.largest_launch

    def take_overtaking(self):
        return self.overtaking

    @contextlib.contextmanager
    def streams_as_asked(self):
        self.as_asked = True
        yield
        self.as_asked = False

    @contextlib.contextmanager
    def schedule(self, mode):
        self.modes.append(mode)
        self.mode = mode
        yield
        self.mode = FORWARD

    @contextlib.contextmanager
    def shared_front(self, front):
        self.front = front
        yield
        self.front = False

    @contextlib.contextmanager
    def garbage(self, byte=GARBAGE, behind=CANARY):
        self.bytes.append(byte)
        self.behind.append(behind)
        yield

    @contextlib.contextmanager
    def shared_garbage(self, byte):
        self.shared_bytes.append(byte)
        yield
        self.shared_bytes.append(None)

    @contextlib.contextmanager
    def grid_turned(self):
        self.turned = True
        yield
        self.turned = False

    @contextlib.contextmanager
    def timeout(self, seconds, at_most=False):
        self.seconds.append(seconds)
        yield

    @contextlib.contextmanager
    def workers(self, count):
        self.counts.append(count)
        yield

    @contextlib.contextmanager
    def device_memory(self, pages):
        self.pages = list(pages)
        yield

    @contextlib.contextmanager
    def sparse(self, regions):
        self.regions = list(regions)
        yield


class FakeLauncher:
    """Calls `function(launcher, *tensors, **arguments)` in the place of a kernel."""

    on_gpu, path = False, None

    def __init__(self, declaration, function):
        self.declaration, self.function = declaration, function
        self.emulator, self.calls = FakeEmulator(), []
        self.kept = {}  # what a static variable would hold
        self.names_its_stream = True
        self.streams = []  # that calls were to run on

    def __call__(self, *tensors, **arguments):
        self.calls.append(arguments)
        if self.function:
            self.function(self, *tensors, **arguments)

    def fresh(self):
        """Stand for the same library, loaded anew."""
        return FakeLauncher(self.declaration, self.function)

    def on_stream(self, stream, *tensors, **arguments):
        """Call; the launch names the stream, or the default one."""
        self.streams.append(stream)
        self.emulator.last_stream = stream if self.names_its_stream else None
        self(*tensors, **arguments)

    def checked(self, arguments):
        """Return what `launch` takes; nothing is checked."""
        return list(arguments), None

    def launch(self, values, device=None, stream=None):
        """Call with the values of all arguments in order."""
        pairs = [*zip(self.declaration.arguments, values, strict=True)]
        tensors = [value for parameter, value in pairs if parameter.is_tensor]
        scalars = {
            parameter.name: value for parameter, value in pairs if not parameter.is_tensor
        }
        if stream is None:
            self(*tensors, **scalars)
        else:
            self.on_stream(stream, *tensors, **scalars)


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """Run PyTorch's work in one thread: tensors are small, and workers share the cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def fake_launcher(monkeypatch):
    """Make a launcher of tensors [n]: `fake_launcher("float a, float b", "float out")`.

    alignment: bytes, by the names of tensors.
    """
    monkeypatch.setattr(experiment, "fresh", FakeLauncher.fresh)

    def make(
        inputs, outputs, function=None, *, scalars="int block_size = 256, ", alignment=None
    ):
        tensors = [f"const {one.replace(' ', '* ')}" for one in inputs.split(", ") if one]
        tensors += [one.replace(" ", "* ") for one in outputs.split(", ")]
        lines = []
        for tensor in tensors:
            bytes_ = (alignment or {}).get(tensor.split()[-1])
            lines.append(f"{tensor},  // [n]" + (f" {bytes_}-byte aligned" if bytes_ else ""))
        text = "\n".join([*lines, f"int64_t n, {scalars}cudaStream_t stream = 0) {{}}"])
        source = f'extern "C" void fake({text}'
        return FakeLauncher(declarations(source, "fake.cu")["fake"], function)

    return make
