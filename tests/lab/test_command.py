"""`hsr lab` as a command: where it binds, what it prints, and how it ends."""

import re
import signal
import socket
from pathlib import Path

import pytest

from hsr import cli
from hsr.lab.page import read_static
from hsr.lab.server import bind
from tests.lab.server_process import serving, start
from tests.waiting import soon


def test_it_binds_this_machine_alone_prints_an_address_and_ends_with_ctrl_c():
    with start() as process:
        try:
            line = process.stdout.readline()
            table = Path("/proc/net/tcp").read_text(encoding="ascii")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    address = r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]{43}"
    port = int(re.fullmatch(rf"the lab is open until Ctrl-C at {address}\n", line)[1])
    # The kernel writes addresses in hexadecimal, last byte first; state 0A is listening.
    listening = re.findall(rf": (\w+):{port:04X} \S+ 0A ", table)
    assert listening == ["0100007F"]
    assert (process.returncode, out, err) == (0, "the lab is closed\n", "")


def test_it_ends_with_sockets_open_and_work_that_cannot_be_stopped():
    with serving() as server:
        with server.talk() as talk:
            world = {"map": "\n".join(["S" + "." * 43, *["." * 44] * 42, "2" + "." * 42 + "1"])}
            agents = [{"features": "hsr"}, {"features": "sr"}]
            lengths = {"episodes": 200, "horizon": 5000, "n_seeds": 50}  # many minutes
            talk.send("train", world=world, agents=agents, **lengths)
            assert talk.ask("presets")["ok"]
            server.process.send_signal(signal.SIGINT)
            assert soon(lambda: server.process.poll() is not None, seconds=60.0)
        assert server.process.returncode == 0
        assert server.process.stderr.read() == ""


def test_each_start_has_another_token():
    with serving() as one, serving() as other:
        assert one.token != other.token
        status, _, _ = one.get(f"/?token={other.token}")
        assert status == 403


def test_a_port_that_is_taken_is_one_line(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["lab", "--no-browser", "--port", str(port)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(
        rf"hsr: error: port {port} of 127\.0\.0\.1 cannot be used \(.*in use\); "
        r"name another with --port\n",
        said.err,
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "192.0.2.7"], "--i-know"),
        (["--host", "0.0.0.0"], "one address"),
        (["--host", "0.0.0.0", "--i-know"], "one address"),
        (["--host", "::", "--i-know"], "one address"),
        (["--port", "65536"], "0..65535"),
        (["--port", "-1"], "0..65535"),
    ],
)
def test_other_machines_are_not_let_in_by_accident(arguments, words):
    with start(*arguments) as process:
        try:
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_another_address_is_served_when_it_is_meant():
    """127.0.0.2 is this machine too; it stands for an address that other machines reach."""
    with serving("--host", "127.0.0.2", "--i-know") as server:
        assert server.host.startswith("127.0.0.2:")
        with server.talk() as talk:
            assert talk.ask("presets")["ok"]


def test_an_address_of_another_machine_is_one_line(capsys):
    assert cli.main(["lab", "--no-browser", "--host", "192.0.2.7", "--i-know"]) == 2
    assert capsys.readouterr().err.startswith("hsr: error: port 0 of 192.0.2.7 cannot be used (")


def test_a_listening_socket_is_closed_when_it_cannot_be_bound():
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(ValueError, match="cannot be used"),
    ):
        bind(
            "127.0.0.1", taken.getsockname()[1]
        )  # an open socket would be a ResourceWarning, which is an error here


def test_the_page_that_needs_no_server_is_written(tmp_path, capsys):
    path = tmp_path / "lab.html"
    assert cli.main(["lab", "--static", str(path)]) == 0
    assert path.read_bytes() == read_static()
    assert str(path) in capsys.readouterr().out
    assert cli.main(["lab", "--static", str(tmp_path / "no" / "lab.html")]) == 2
    assert "it cannot be written" in capsys.readouterr().err
