"""A browser, a running lab, and visits that fail when anything goes wrong in a page."""

import shutil
import time

import pytest

from tests.browser.lab_page import lab, note_faults
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
    from tests.lab.server_process import serving

    with serving() as server:
        yield server.address


@pytest.fixture
def visit(browser, address):
    """Open the lab at a hash. Any error or warning in any page fails the test."""
    faults, pages = [], []  # and opened.sent: when each message went to the server

    def opened(hash="", width=1280, height=900, **settings):
        page = browser.new_page(viewport={"width": width, "height": height}, **settings)
        page.set_default_timeout(30_000)
        note_faults(page, faults, address)
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
