"""Simulate learners of a JupyterHub: log in, get a folder, run lessons, through public APIs."""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

AsyncHTTPClient.configure(None, max_clients=200)
PATIENT = {"connect_timeout": 600, "request_timeout": 600}  # of a machine that is busy


@dataclass
class Learner:
    """One learner, with what happened: seconds by step, and errors.

    token: at first that of the test's service, which makes the user; then the learner's own.
    """

    name: str
    address: str
    token: str
    seconds: dict[str, float] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    async def ask(self, path: str, method: str = "GET", body: object = None):
        """Make a request of the hub or of the learner's server, and return its answer."""
        request = HTTPRequest(
            f"{self.address}{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
            body=json.dumps(body or {}) if method == "POST" else None,
            **PATIENT,
        )
        answer = await AsyncHTTPClient().fetch(request)
        return json.loads(answer.body) if answer.body else None

    async def start(self) -> None:
        """Make the user, start the server, and wait until it answers."""
        began = time.monotonic()
        await self.ask(f"/hub/api/users/{self.name}", "POST")
        own = await self.ask(f"/hub/api/users/{self.name}/tokens", "POST")
        self.token = own["token"]
        await self.start_server()
        self.seconds["start"] = time.monotonic() - began

    async def start_server(self) -> None:
        """Start the server, and wait until it answers."""
        await self.ask(f"/hub/api/users/{self.name}/server", "POST")
        while (
            not (await self.ask(f"/hub/api/users/{self.name}"))["servers"]
            .get("", {})
            .get("ready")
        ):
            await asyncio.sleep(0.5)

    async def lesson(self, file: str, answers: dict[str, str]) -> None:
        """Run a lesson of the learner's folder from the top; answers: {regex: replacement}."""
        began = time.monotonic()
        path = f"course/notebooks/{file}"
        found = await self.ask(f"/user/{self.name}/api/contents/{quote(path)}")
        session = {
            "path": path,
            "name": file,
            "type": "notebook",
            "kernel": {"name": "python3"},
        }
        opened = await self.ask(f"/user/{self.name}/api/sessions", "POST", session)
        kernel = opened["kernel"]["id"]
        url = f"{self.address}/user/{self.name}/api/kernels/{kernel}/channels".replace(
            "http", "ws", 1
        )
        key = {"Authorization": f"token {self.token}"}
        request = HTTPRequest(url, headers=key, **PATIENT)
        socket = await websocket_connect(request, max_message_size=1 << 28)
        for cell in found["content"]["cells"]:
            if cell["cell_type"] == "code":
                code = cell["source"]
                for old, new in answers.items():
                    code = re.sub(old, new, code)
                await self._run(socket, code, file)
        socket.close()
        await self.ask(f"/user/{self.name}/api/sessions/{opened['id']}", "DELETE")
        self.seconds[file] = time.monotonic() - began

    async def _run(self, socket, code: str, file: str) -> None:
        number = uuid.uuid4().hex
        header = {"msg_id": number, "username": self.name, "session": number, "version": "5.3"}
        header["msg_type"] = "execute_request"
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        await socket.write_message(json.dumps({**message, "channel": "shell"}))
        while True:
            text = await asyncio.wait_for(socket.read_message(), 600)
            if text is None:
                raise ConnectionError(f"{file}: the kernel's connection was closed")
            if isinstance(text, bytes):
                continue
            got = json.loads(text)
            of_this = got["parent_header"].get("msg_id") == number
            if of_this and got["msg_type"] == "error":
                last = f"{got['content']['ename']}: {got['content']['evalue'][:300]}"
                self.errors.append(f"{file}: {last}")
            if of_this and got["msg_type"] == "execute_reply":
                return


def memory_of(root: int) -> int:
    """Return the bytes that a process and all below it occupy, shared pages split (PSS)."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except OSError:
            continue
        parent = int(stat.rsplit(")", 1)[1].split()[1])
        children.setdefault(parent, []).append(int(folder.name))
    found, todo = 0, [root]
    while todo:
        process = todo.pop()
        todo += children.get(process, [])
        try:
            text = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        found += 1024 * int(re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)[1])
    return found
