"""A browser, a running lab, and visits that fail when anything goes wrong in a page."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.browser.lab_page import is_foreign, lab
from tests.waiting import soon


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium without a window. If it is not installed, its tests are skipped."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    api = pytest.importorskip("playwright.sync_api")
    flags = "no-sandbox disable-gpu disable-quic no-first-run disable-sync"
    flags += " disable-background-networking"
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium, args=[f"--{flag}" for flag in flags.split()]
        )
        yield running
        running.close()


@pytest.fixture(scope="module")
def address():
    """The address of a running lab."""
    pytest.importorskip("uvicorn")
    pytest.importorskip("starlette")
    command = Path(sys.executable).with_name("hsr")
    with subprocess.Popen(
        [command, "lab", "--no-browser"], stdout=subprocess.PIPE, text=True
    ) as server:
        line = server.stdout.readline()
        yield line.split()[-1]
        server.terminate()
        server.communicate(timeout=30)


@pytest.fixture
def visit(browser, address):
    """Open the lab at a hash. Any error or warning in any page fails the test."""
    faults, pages = [], []  # and opened.sent: when each message went to the server

    def opened(hash="", width=1280, height=900, **settings):
        page = browser.new_page(viewport={"width": width, "height": height}, **settings)
        page.set_default_timeout(30_000)
        page.on(
            "console",
            lambda message: (
                faults.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "request",
            lambda request: (
                faults.append(request.url) if is_foreign(request.url, address) else None
            ),
        )
        page.on(
            "websocket",
            lambda socket: faults.append(socket.url) if is_foreign(socket.url, address) else None,
        )
        page.on(
            "websocket",
            lambda socket: socket.on(
                "framesent", lambda frame: opened.sent.append(time.monotonic())
            ),
        )
        page.goto(f"{address}#{hash}")
        assert soon(lambda: lab(page, "connected"))
        pages.append(page)
        return page

    opened.sent = []
    yield opened
    for page in pages:
        page.close()
    assert faults == []
