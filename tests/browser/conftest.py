"""A browser, the built page, and visits that fail when anything goes wrong in a page."""

import shutil
from pathlib import Path

import pytest

from hsr import load_layout
from hsr.lab.page import page_with
from tests.browser.lab_page import LabPage

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """The address of the page as `hsr lab` writes it. Without Node its tests are skipped."""
    if shutil.which("node") is None or not (ROOT / "web/node_modules").exists():
        pytest.skip("node or web/node_modules is missing; `make lab-page` builds the page")
    path = Path(tmp_path_factory.mktemp("lab"), "lab.html")
    path.write_text(page_with(load_layout("four_rooms")), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="session")
def pages():
    """Pages by their settings: tests that ask for the same settings share one."""
    opened = {}
    yield opened
    for page in opened.values():
        page.context.close()


@pytest.fixture
def visit(browser, address, pages):
    """Open the page at a hash. Any fault of a page fails the test."""

    def opened(hash="", width=1280, height=900, at=address, **settings):
        key = (width, height, *sorted(settings.items()))
        if key not in pages:
            how = {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce"}
            page = browser.new_context(**{**how, **settings}).new_page()
            page.set_default_timeout(30_000)
            pages[key] = LabPage(page, address)
        pages[key].faults.clear()
        pages[key].goto("about:blank")
        pages[key].goto(f"{at}#{hash}")
        return pages[key]

    yield opened
    assert [fault for page in pages.values() for fault in page.faults] == []
