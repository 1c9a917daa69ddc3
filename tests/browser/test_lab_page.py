"""The page as a file: links that try to break it, limits, a map in it, and a notebook's frame."""

from pathlib import Path

import pytest

import hsr
from hsr.lab.page import page_with
from tests.browser.lab_page import box, choose, lab, message, press, rows, script, use_map
from tests.waiting import soon

OPEN = "\n".join(["." * 40] * 32)


@pytest.mark.parametrize(
    ("hash", "words"),
    [
        ("d=abc", 'discount is "abc"; expected a number from 0 to 0.9999'),
        ("m=200x200.AAAA...", "200 x 200 cells; at most 61 x 61"),
        ("m=3x3.AA", "not written as the lab writes mazes"),
        ("m=3x3.AA...", "cut off or damaged"),
        ("m=3x3._4A...", "no open cell"),
        ("m=3x3.AAA.9..", "S where no floor is"),
        ("v=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "expected one of rows, options"),
        ("o=%3Cscript%3E&d=2&t=x", "(and 2 more)"),
        ("o=successor", "expected one of eigen, covering"),
        ("oi=nowhere", "expected one of point, everywhere"),
        ("xa=spie-sr-frontier", "expected up to four agents"),
        ("v=__proto__&t=constructor&w=toString&o=valueOf", "(and 3 more)"),
        ("x" * 9000, "9000 characters"),
    ],
)
def test_a_broken_or_hostile_link_gives_a_sentence(visit, hash, words):
    page = visit(hash)
    assert soon(lambda: words in message(page), 20)
    assert message(page).endswith(".")
    state = lab(page, "state")
    assert page.locator("img, script[src], iframe").count() == 0
    assert state == lab(visit(), "state")


def test_a_browser_that_cannot_run_the_page_gets_a_sentence(browser, address):
    for settings, code, words in (
        ({"java_script_enabled": False}, "", "This browser cannot run the lab"),
        ({}, "delete window.Worker", "it has no Worker"),
    ):
        page = browser.new_page(**settings)
        page.add_init_script(code or "0")
        page.goto(address)
        assert words in page.locator("#unsupported").inner_text()
        page.close()


def test_the_page_stands_alone(visit):
    page = visit()
    assert rows(page)
    assert page.locator("#unsupported").count() == 0
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0


def test_a_large_maze_has_rows_and_options_and_a_sentence_for_the_rest(visit):
    page = visit()
    use_map(page, OPEN)
    assert len(rows(page)["hsr"]) == 1280
    choose(page, "Options")
    assert soon(lambda: lab(page, "options") == 8)
    words = "mazes of up to 31 × 31 cells; this one has 32 × 40."
    for view in ("Matrices", "Features"):
        choose(page, view)
        assert page.locator("p:visible").filter(has_text=words).count() == 1
    for tab in ("Watch", "Explore"):
        press(page, tab, "tab")
        assert page.locator("p:visible").filter(has_text=words).count() == 1
        assert not page.get_by_role("button", name="Let them").is_visible()
    use_map(page, "\n".join(["." * 62] * 2))
    assert "2 × 62 cells; the lab shows at most 61 × 61" in message(page)
    assert lab(page, "state.map") == OPEN


def test_a_map_in_the_page_is_offered_where_it_belongs(visit, tmp_path):
    layout = hsr.load_layout("four_rooms")
    M = hsr.successor_representation(hsr.grid_mdp(layout, discount=0.8)).toarray()
    path = Path(tmp_path, "lab.html")
    code = "hsr.load('learned.npz', mdp)"
    written = page_with(layout, 0.8, {"learned": M}, {"learned": code})
    path.write_text(written, encoding="utf-8")
    page = visit(at=path.as_uri())
    shown = rows(page)
    assert shown["other"] == pytest.approx(M[shown["state"]], abs=1e-15)
    assert shown["sr"] == pytest.approx(M[shown["state"]], rel=1e-9)
    assert f"other = {code}\n" in script(page)
    page.get_by_label("Discount").press("ArrowLeft")
    assert box(page, "Another map").locator("option[value=learned]").count() == 0
    assert soon(lambda: lab(page, "rows.other") is None)


def test_a_notebook_shows_the_page_and_its_tour(visit, tmp_path):
    path = Path(tmp_path, "notebook.html")
    path.write_text("<!doctype html>" + hsr.widget("loop", discount=0.7)._repr_html_())
    page = visit(at=path.as_uri())
    (frame,) = page.frames[1:]
    assert soon(lambda: frame.evaluate("window.hsrLab?.rows?.sr.length"))
    assert frame.evaluate("hsrLab.state.discount") == 0.7
    frame.get_by_role("button", name="Start the tour").click()
    frame.get_by_role("link", name="Next").click()
    assert soon(lambda: frame.evaluate("hsrLab.state.tour") == 2)
    assert frame.url == "about:srcdoc" or frame.url.startswith("about:srcdoc#")
