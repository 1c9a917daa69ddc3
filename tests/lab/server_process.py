"""`hsr lab` in its own process, and a client that talks to it as the page does."""

import base64
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from websockets.sync.client import connect

import hsr
from hsr.lab.messages import read_request

LAYOUT = hsr.load_layout("four_rooms")
FOUR_ROOMS = LAYOUT.to_text()
MDP = hsr.grid_mdp(LAYOUT, discount=0.9)
TASKS = [hsr.GoalTask(LAYOUT.start, goal) for goal in LAYOUT.goals]


def unpacked(packed):
    """Return the array that a reply holds."""
    name = "f32" if "f32" in packed else "i32"
    numbers = np.frombuffer(base64.b64decode(packed[name]), dtype=f"<{name[0]}4")
    return numbers.reshape(packed["shape"])


def assert_shown(packed, expected, rtol=1e-6, atol=1e-12):
    """Assert that a reply holds an array, up to the rounding of 32-bit numbers."""
    np.testing.assert_allclose(unpacked(packed), expected, rtol=rtol, atol=atol)


def answered(answers, do, **fields):
    """Return what the reply to a request would hold, without a server."""
    return answers.answer(read_request(json.dumps({"id": 0, "do": do, **fields})))


class Server:
    """A running `hsr lab`."""

    def __init__(self, process, address):
        self.process = process
        self.address = address
        self.host, self.token = re.fullmatch(r"http://([\d.:]+)/\?token=([\w-]+)", address).groups()

    @property
    def port(self):
        return int(self.host.rpartition(":")[2])

    @contextmanager
    def talk(self, *, origin="own", token="own", name=None):
        """Open a socket as the page does, or with another origin, token or host name."""
        host = self.host if name is None else f"{name}:{self.port}"
        origin = f"http://{host}" if origin == "own" else origin
        token = self.token if token == "own" else token
        query = "" if token is None else f"?token={token}"
        raw = socket.create_connection((self.host.rpartition(":")[0], self.port), timeout=30)
        with connect(
            f"ws://{host}/ws{query}", sock=raw, origin=origin, max_size=None
        ) as open_socket:
            yield Talk(open_socket)

    def get(self, path, method="GET", body=None, **headers):
        """Return status, headers and body of one HTTP request. A header of None is not sent."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": self.host, **headers}.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            said = {name.lower(): value for name, value in response.getheaders()}
            return response.status, said, response.read()

    def number_of(self, what):
        """Return threads, open sockets, or kilobytes of memory, now or at most, of the process."""
        folder = Path("/proc") / str(self.process.pid)
        if what == "sockets":
            links = [os.readlink(link) for link in (folder / "fd").iterdir() if link.is_symlink()]
            return sum(link.startswith("socket:") for link in links)
        field = {"threads": "Threads", "memory": "VmRSS", "peak": "VmHWM"}[what]
        return int(re.search(rf"^{field}:\s+(\d+)", (folder / "status").read_text(), re.M)[1])


class Talk:
    """One socket: `ask` waits for the reply to what it asked, `send` and `hear` do not."""

    def __init__(self, socket):
        self.socket = socket
        self.number = 0

    def send(self, do, **fields):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "do": do, **fields}))
        return self.number

    def hear(self, timeout=120.0):
        return json.loads(self.socket.recv(timeout=timeout))

    def ask(self, do, **fields):
        number = self.send(do, **fields)
        reply = self.hear()
        assert reply["id"] == number
        return reply


@contextmanager
def serving(*arguments, **environment) -> Iterator[Server]:
    """Start `hsr lab` on a free port, and end it with Ctrl-C."""
    process = start(*arguments, **environment)
    try:
        yield Server(process, re.search(r"http://\S+", process.stdout.readline())[0])
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert errors == ""


def start(*arguments, **environment):
    command = [Path(sysconfig.get_path("scripts")) / "hsr", "lab", "--no-browser", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env={**os.environ, **environment}, **pipes)
