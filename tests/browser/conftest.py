"""A browser, the built page, and visits that fail when anything goes wrong in a page."""

import shutil
from pathlib import Path

import pytest

from hsr import load_layout
from hsr.lab.page import page_with
from tests.browser.lab_page import note_faults

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


@pytest.fixture(scope="module")
def visit(browser, address):
    """Open the page at a hash, in one context per setting. Faults of any page fail the module."""
    faults, pages = [], {}

    def opened(hash="", width=1280, height=900, at=None, **settings):
        key = (width, height, at, *sorted(settings.items()))
        settings = {"reduced_motion": "reduce", **settings}
        if key not in pages:
            size = {"width": width, "height": height}
            pages[key] = browser.new_context(viewport=size, **settings).new_page()
            pages[key].set_default_timeout(30_000)
            note_faults(pages[key], faults, address)
        page = pages[key]
        page.goto("about:blank")
        page.goto(f"{at or address}#{hash}")
        return page

    yield opened
    for page in pages.values():
        page.context.close()
    assert faults == []
