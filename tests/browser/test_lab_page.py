"""The page as a file: a hostile link, limits, a map in it, and a notebook's frame."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

import hsr
from hsr.lab.page import page_with
from tests.waiting import soon

OPEN = "\n".join(["." * 40] * 32)


def test_the_page_stands_alone_and_a_hostile_link_gives_a_sentence(visit):
    page = visit()
    assert page.rows()
    assert page.locator("#unsupported").count() == 0
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0
    usual = page.get("state")
    page = visit("v=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&t=__proto__&o=toString")
    page.says('the tab is "__proto__"; expected one of see, watch, explore (and 2 more).')
    assert page.locator("img, script[src], iframe").count() == 0
    assert page.get("state") == usual


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


def test_a_large_maze_has_rows_and_options_and_a_sentence_for_the_rest(visit):
    page = visit()
    page.use_maze(OPEN)
    assert len(page.rows()["hsr"]) == 1280
    page.choose("Options")
    page.until("options === 8")
    words = "mazes of up to 31 × 31 cells; this one has 32 × 40."
    for view in ("Matrices", "Features"):
        page.choose(view)
        assert page.locator("p:visible").filter(has_text=words).count() == 1
    for tab in ("Watch", "Explore"):
        page.press(tab, "tab")
        assert page.locator("p:visible").filter(has_text=words).count() == 1
        assert not page.get_by_role("button", name="Let them").is_visible()
    page.use_maze("\n".join(["." * 62] * 2))
    page.says("2 × 62 cells; the lab shows at most 61 × 61")
    assert page.get("state.map") == OPEN


def test_a_map_in_the_page_is_offered_where_it_belongs(visit, tmp_path):
    layout = hsr.load_layout("four_rooms")
    M = hsr.successor_representation(hsr.grid_mdp(layout, discount=0.8)).toarray()
    path = Path(tmp_path, "lab.html")
    code = "hsr.load('learned.npz', mdp)"
    written = page_with(layout, 0.8, {"learned": M}, {"learned": code})
    path.write_text(written, encoding="utf-8")
    page = visit(at=path.as_uri())
    shown = page.rows()
    assert shown["other"] == pytest.approx(M[shown["state"]], abs=1e-15)
    assert shown["sr"] == pytest.approx(M[shown["state"]], rel=1e-9)
    assert f"other = {code}\n" in page.script()
    page.slider("Discount").press("ArrowLeft")
    assert page.box("Another map").locator("option[value=learned]").count() == 0
    page.until("rows.other === null")


OVERLAPS = """() => {
    const boxes = [...document.querySelectorAll("aside .fields :is(label, input, select)")]
        .map((one) => [one, one.getBoundingClientRect()]).filter(([_, box]) => box.width > 0);
    const before = (a, b) => a.right <= b.left + 1 || a.bottom <= b.top + 1;
    const apart = (a, b) => before(a, b) || before(b, a);
    return boxes.flatMap(([one, a], i) => boxes.slice(i + 1)
        .filter(([other, b]) => !one.contains(other) && !apart(a, b))
        .map(([other]) => [one.outerHTML.slice(0, 80), other.outerHTML.slice(0, 80)]));
}"""


@pytest.mark.parametrize("width", [1366, 1920, 390])
def test_no_control_covers_another(visit, width):
    page = visit(width=width)
    for name in ("More settings", "Other mazes"):
        page.get_by_text(name).click()
    for kind in ("eigen", "diffusion"):
        page.box("Options").select_option(kind)
        assert page.evaluate(OVERLAPS) == []


def test_the_rewards_of_a_task_are_drawn_with_the_value_of_the_state(visit, tmp_path):
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.8)
    (task,) = hsr.reward_tasks(mdp, 1, kind="mixed", seed=0)
    path = Path(tmp_path, "lab.html")
    path.write_text(page_with(layout, 0.8, task=task), encoding="utf-8")
    page = visit(at=path.as_uri())
    state = page.rows()["state"]
    worth = (hsr.successor_representation(mdp) @ task.reward)[state]
    figure = page.locator("figure:visible").filter(has_text="Rewards of the task")
    page.says(f"The framed state has the value {worth:.3g} by the SR", figure)
    values = hsr.successor_representation(mdp) @ task.reward
    row, column = layout.cell_of(int(values.argmax()))
    most = f"Largest at line {row + 1}, column {column + 1}: {values.max():.3g}."
    page.says(most, page.locator("figure:visible").filter(has_text="Value of each state: SR"))
    assert "'hsr_value': hierarchical @ reward" in page.script()
    page.use_maze("...\n...")
    assert soon(lambda: not figure.count())


@pytest.mark.parametrize("allowed", [True, False])
@pytest.mark.parametrize("served", [True, False])
def test_a_script_is_copied_from_a_disk_and_from_a_server_without_https(
    browser, address, served, allowed
):
    page = browser.new_page()
    page.set_content("<textarea>copied before</textarea>")
    page.locator("textarea").select_text()
    page.keyboard.press("Control+c")
    at = "http://lab.test/lab.html" if served else address
    text = Path(urlsplit(address).path).read_text(encoding="utf-8")
    page.route(
        "http://lab.test/**", lambda route: route.fulfill(body=text, content_type="text/html")
    )
    if not allowed:
        page.add_init_script(
            "delete Navigator.prototype.clipboard; document.execCommand = () => false;"
        )
    page.goto(at)
    assert page.evaluate("isSecureContext") is not served
    page.get_by_text("Save and share").click()
    page.get_by_role("button", name="Copy as Python").click()
    dialog = page.get_by_role("dialog")
    words = "Copied." if allowed else "The text is selected: press Ctrl+C."
    dialog.get_by_text(words).wait_for()
    code = dialog.get_by_role("textbox").input_value()
    if not allowed:
        page.keyboard.press("Control+c")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Save and share"
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Open link").click()
    page.keyboard.press("Control+v")
    assert dialog.get_by_role("textbox").input_value() == code
    page.close()


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
