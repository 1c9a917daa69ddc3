"""The page without a server, opened from a file in a real browser."""

from importlib.resources import files

import pytest

from tests.browser.lab_page import lab, note_faults, use_map
from tests.waiting import soon

ADDRESS = files("hsr.lab").joinpath("static", "lab.html").as_uri()


@pytest.fixture(scope="module")
def context(browser):
    """Pages share one context. Any error or request to elsewhere fails the tests of the module."""
    faults = []
    opened = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    opened.set_default_timeout(30_000)
    opened.on("page", lambda page: note_faults(page, faults, ADDRESS))
    yield opened
    opened.close()
    assert faults == []


@pytest.fixture
def alone(context):
    """Open the page at a hash."""
    page = context.new_page()

    def opened(hash=""):
        page.goto("about:blank")
        page.goto(f"{ADDRESS}#{hash}")
        return page

    yield opened
    page.close()


@pytest.mark.parametrize(
    ("hash", "words"),
    [
        ("d=abc", 'discount is "abc"; expected a number from 0 to 0.9999'),
        ("m=200x200.AAAA...", "200 x 200 cells; at most 128 x 128"),
        ("m=3x3.AA", "not written as the lab writes mazes"),
        ("m=3x3.AA...", "cut off or damaged"),
        ("m=3x3._4A...", "no open cell"),
        ("m=3x3.AAA.9..", "S where no floor is"),
        ("v=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "expected one of rows, options"),
        ("o=%3Cscript%3E&d=2&t=x", "(and 2 more)"),
        ("x" * 9000, "9000 characters"),
    ],
)
def test_a_broken_or_hostile_link_gives_a_sentence(reader, hash, words):
    problem, state = reader(hash, lambda said: words in said)
    assert words in problem
    assert problem.endswith(".")
    assert state == reader("", lambda said: said == "")[1]


@pytest.fixture(scope="module")
def reader(context):
    """What one open page says about a link, once it says what is expected, and its state then."""
    page = context.new_page()
    page.goto(ADDRESS)

    def read(hash, is_expected):
        page.evaluate("(hash) => (location.hash = hash)", hash)
        soon(lambda: is_expected(page.locator("#message").inner_text()), 20)
        assert page.locator("img, script[src], iframe").count() == 0
        return page.evaluate("[document.querySelector('#message').textContent, hsrLab.state]")

    yield read
    page.close()


def test_a_browser_that_cannot_run_the_page_gets_a_sentence(browser):
    for settings, script, words in (
        ({"java_script_enabled": False}, "", "This browser cannot run the lab"),
        ({}, "delete window.Worker", "it has no Worker"),
    ):
        page = browser.new_page(**settings)
        page.add_init_script(script or "0")
        page.goto(ADDRESS)
        assert words in page.locator("#unsupported").inner_text()
        page.close()


def test_what_needs_the_server_says_so(alone):
    page = alone("t=explore&xr=1&xa=none-sr-frontier&xn=100")
    words = "finding options while exploring needs `hsr lab`"
    assert soon(lambda: words in page.locator("#message").inner_text())


def test_a_maze_that_is_too_large_leaves_no_picture_of_another(alone):
    page = alone()
    assert soon(lambda: lab(page, "rows"))
    use_map(page, "\n".join(["." * 40] * 40))
    words = "more than 31 x 31 needs `hsr lab`"
    assert soon(lambda: words in page.locator("#message").inner_text())
    assert lab(page, "rows") is None


@pytest.mark.parametrize(
    ("view", "refused", "what", "left"),
    [
        ("v=rows", "&o=successor", "rows", None),
        ("v=options", "&o=successor", "options", 0),
        ("v=matrices", "&o=successor", "matrices", ["sr"]),
        ("v=parts", "&ba=zzz", "features", []),
    ],
)
def test_a_refused_request_leaves_no_numbers_of_another_one(alone, view, refused, what, left):
    page = alone(view)
    assert soon(lambda: lab(page, what))
    page.evaluate("(hash) => (location.hash = hash)", view + refused)
    assert soon(lambda: page.locator("#message").inner_text() not in ("", "Computing…"), 20)
    assert soon(lambda: lab(page, what) == left, 5)


def test_the_page_stands_alone(alone):
    page = alone()
    assert page.locator("#unsupported").count() == 0
    assert not lab(page, "served")
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0
