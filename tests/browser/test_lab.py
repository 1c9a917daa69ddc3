"""The page of the lab in a real browser: draw, see, export."""

from pathlib import Path

import pytest

import hsr
from tests.browser.lab_page import (
    box,
    choose,
    click_cell,
    editor,
    enter,
    lab,
    learn,
    message,
    middle_of,
    more_settings,
    picture,
    pixels,
    press,
    rows,
    script,
    use_map,
)
from tests.waiting import soon

CONTROLS = """() => [...document.querySelectorAll(
    'button, input, select, summary, canvas[tabindex]')].filter(
    (control) => control.checkVisibility() && !control.disabled && !control.closest('[inert]')
       && control.tabIndex >= 0 && !(control.type === 'radio' && !control.checked))"""


def test_a_painted_wall_changes_the_row_and_undo_restores_it(visit):
    page = visit()
    before, picture = rows(page), pixels(page, "HSR")
    choose(page, "Wall")
    click_cell(page, 3, 6)
    assert soon(lambda: lab(page, "rows.map") != before["map"])
    after = rows(page)
    assert len(after["hsr"]) == len(before["hsr"]) - 1
    assert sorted(after["hsr"]) != sorted(before["hsr"])[1:]
    assert soon(lambda: pixels(page, "HSR") != picture)
    page.keyboard.press("Control+z")
    assert soon(lambda: lab(page, "rows.map") == before["map"])
    assert rows(page) == before
    assert soon(lambda: pixels(page, "HSR") == picture)
    page.keyboard.press("Control+Shift+Z")
    assert soon(lambda: lab(page, "rows") == after)


def test_one_drag_is_one_stroke(visit):
    page = visit()
    before = rows(page)["map"]
    choose(page, "Wall")
    x, y, size = middle_of(page, 8, 2)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 2 * size, y, steps=3)
    page.mouse.up()
    painted = lab(page, "state.map")
    assert sum(a != b for a, b in zip(before, painted, strict=True)) == 3
    press(page, "Undo")
    assert lab(page, "state.map") == before


def test_what_is_cut_off_is_said(visit):
    page = visit()
    choose(page, "Wall")
    click_cell(page, 3, 6)
    click_cell(page, 6, 2)
    problems = page.get_by_role("list", name="Problems of the maze")
    assert soon(lambda: "goal 2 cannot be reached" in problems.inner_text().lower())
    click_cell(page, 1, 1)  # the start is painted over
    assert soon(lambda: "no start" in problems.inner_text())


def test_a_link_restores_everything(visit):
    page = visit()
    rows(page)
    choose(page, "Floor")
    click_cell(page, 4, 6)
    more_settings(page)
    page.get_by_label("Task").select_option("every")
    box(page, "Options").select_option("covering")
    page.get_by_label("Discount").press("ArrowLeft")
    page.get_by_label("Difference").check()
    page.get_by_label("Same scale").uncheck()
    choose(page, "Features")
    page.get_by_label("Basis").select_option("svd")
    assert soon(lambda: len(lab(page, "features")) == 12)
    press(page, "Vector 3")
    press(page, "Watch", "tab")
    enter(page.get_by_label("Episodes per goal"), "6")
    learn(page)
    press(page, "Goal switch")
    press(page, "Copy link")
    state, training = lab(page, "state"), lab(page, "training")
    assert state["episode"] >= 6

    hash = page.evaluate("location.hash").removeprefix("#")
    assert len(hash) < 300
    twin = visit(hash, width=1300)
    assert lab(twin, "state") == state
    assert soon(lambda: lab(twin, "training"), 120)
    assert lab(twin, "training.steps") == training["steps"]
    assert lab(twin, "training.episode") == training["episode"]
    assert lab(twin, "state") == state
    press(page, "See", "tab")
    press(twin, "See", "tab")
    assert soon(lambda: len(lab(twin, "features")) == 12)
    assert lab(twin, "features") == lab(page, "features")


def test_every_registered_name_that_the_page_can_compute_is_offered(visit):
    def offered(page, label):
        options = box(page, label).first.locator("option")
        return options.evaluate_all("(all) => all.map((option) => option.value)")

    page = visit()
    rows(page)
    kinds = [kind for kind in hsr.OPTION_KINDS if kind != "successor"]  # clusters by scikit-learn
    assert offered(page, "Options") == [*kinds, "none"]
    assert offered(page, "Another map") == ["", *hsr.REPRESENTATIONS]
    box(page, "Another map").select_option("rw_hsr")
    assert soon(lambda: lab(page, "rows.other") == lab(page, "rows.hsr"))
    choose(page, "Features")
    assert offered(page, "Map") == ["sr", "hsr", *hsr.REPRESENTATIONS]
    assert offered(page, "Basis") == list(hsr.BASES)
    press(page, "Watch", "tab")
    assert set(offered(page, "Features")) >= {"onehot", "sr", "hsr", *hsr.REPRESENTATIONS}
    press(page, "Explore", "tab")
    assert set(offered(page, "Bonus")) == {*hsr.BONUSES, "none"}


def test_a_setting_that_a_kind_of_options_reads_is_offered_and_kept_in_the_link(visit):
    page = visit("o=covering")
    rows(page)
    more_settings(page)
    page.get_by_label("Initiation").select_option("everywhere")
    assert soon(lambda: "oi=everywhere" in page.evaluate("location.hash"))
    assert not page.get_by_label("Signs").is_visible()
    box(page, "Options").select_option("random")
    enter(page.get_by_label("Seed").first, "7")
    assert soon(lambda: "os=7" in page.evaluate("location.hash"))


@pytest.mark.parametrize("name", ["PNG", "SVG", "Maze file"])
def test_pictures_and_the_map_can_be_saved(visit, name):
    page = visit("v=options")
    assert soon(lambda: lab(page, "options") == 8)
    with page.expect_download() as download:
        press(page, name)
    content = Path(download.value.path()).read_bytes()
    if name == "Maze file":
        assert content.decode() == lab(page, "state.map") + "\n"
    else:
        assert content.startswith(b"\x89PNG" if name == "PNG" else b"<svg")
        assert len(content) > 5000


def test_a_pasted_map_and_a_maze_replace_the_map(visit):
    page = visit()
    use_map(page, "S..\n.#1\n2..")
    assert lab(page, "state.map") == "S..\n.#1\n2.."
    assert len(rows(page)["sr"]) == 8
    use_map(page, "hello")
    assert 'line 1, column 1: "h" is not allowed' in message(page)
    page.get_by_label("Preset").select_option("loop")
    assert soon(lambda: "######" in lab(page, "state.map"))
    press(page, "Make maze")
    assert soon(lambda: len(lab(page, "state.map").split("\n")) == 21)
    assert {"S", "1", "2"} <= set(lab(page, "state.map"))
    enter(page.get_by_role("spinbutton", name="Rows"), "9")
    assert len(lab(page, "state.map").split("\n")) == 9


def test_an_error_is_a_calm_line(visit):
    page = visit("g=1")
    rows(page)
    choose(page, "Floor")
    click_cell(page, 3, 9)  # goal 1 is painted over, and the task is still goal 1
    assert soon(lambda: "goal 1" in message(page))
    page.keyboard.press("Control+z")
    assert soon(lambda: message(page) == "")


@pytest.mark.parametrize("tab", ["see", "watch", "explore"])
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (2560, "light")])
def test_nothing_scrolls_sideways(visit, tab, width, scheme):
    page = visit(f"t={tab}&di=1", width=width, height=740, color_scheme=scheme)
    for view in ("Rows", "Options", "Distance", "Matrices", "Features") if tab == "see" else ("",):
        if view:
            choose(page, view)
            page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    press(page, "Light / dark")
    assert page.evaluate("document.documentElement.dataset.theme") != scheme


@pytest.mark.parametrize("tab", ["see", "watch", "explore"])
def test_tab_reaches_every_control(visit, tab):
    page = visit(f"t={tab}")
    page.get_by_text("Other mazes").click()
    if tab == "see":
        rows(page)
    wanted = page.evaluate(
        f"() => {{ window.wanted = ({CONTROLS})(); return window.wanted.length }}"
    )
    unnamed = """() => window.wanted.filter((c) => !(c.getAttribute('aria-label') || c.textContent
        || c.labels?.length || c.closest('[aria-label]'))).length"""
    assert page.evaluate(unnamed) == 0
    page.evaluate("document.activeElement.blur(); window.reached = new Set()")
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        page.evaluate("window.reached.add(document.activeElement)")
    missed = page.evaluate(
        "window.wanted.filter((c) => !window.reached.has(c)).map((c) => c.outerHTML.slice(0, 120))"
    )
    assert missed == []


def test_arrows_move_the_cursor_and_enter_holds_it(visit):
    page = visit()
    before = rows(page)["state"]
    picture(page, "HSR").focus()
    page.keyboard.press("ArrowDown")
    assert soon(lambda: lab(page, "rows.state") != before)
    held, words = rows(page), page.locator("#described")
    assert soon(lambda: words.inner_text().startswith("From line 5, column 6 to itself"))
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    to = held["state"] - 1
    assert f"to line 5, column 5: SR {held['sr'][to]:.3g}, HSR {held['hsr'][to]:.3g} visits" in (
        words.inner_text()
    )
    assert lab(page, "rows.state") == held["state"]
    page.keyboard.press("Enter")
    editor(page).focus()
    page.keyboard.press("ArrowUp")
    assert soon(lambda: lab(page, "rows.state") == before)
    choose(page, "Wall")
    editor(page).focus()
    page.keyboard.press("Space")
    assert lab(page, "state.map").split("\n")[3][5] == "#"


def test_a_held_state_is_read_at_the_pointer_and_released_by_a_click(visit):
    page = visit()
    state = rows(page)["state"]
    box = picture(page, "HSR").bounding_box()
    size = box["width"] / 13
    at = lambda line, column: (box["x"] + (column - 0.5) * size, box["y"] + (line - 0.5) * size)  # noqa: E731
    words = page.locator("#described")
    page.mouse.click(*at(4, 6))
    assert lab(page, "state.held")
    page.mouse.move(*at(11, 11))
    assert soon(lambda: "to line 11, column 11: SR" in words.inner_text())
    assert lab(page, "rows.state") == state
    page.mouse.click(*at(4, 6))
    assert not lab(page, "state.held")


def test_tabs_follow_arrows_and_a_link_skips_to_the_pictures(visit):
    page = visit()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "stage"
    page.get_by_role("tab", name="See").focus()
    for tab in ("watch", "explore", "see"):
        page.keyboard.press("ArrowRight")
        assert lab(page, "state.tab") == tab
        assert page.evaluate("document.activeElement.id") == f"tab-{tab}"


def test_visits_are_drawn_against_distance_and_horizons_are_matched(visit):
    page = visit("v=distance")
    assert soon(lambda: lab(page, "distance"))
    flat, words = lab(page, "distance.sr.length"), page.locator("figure:visible .sees").last
    assert f"SR {flat:.3g} steps (predicted " in words.inner_text()
    page.get_by_label("Match the horizon").check()
    assert soon(lambda: lab(page, "distance.srDiscount") > 0.95)
    assert lab(page, "distance.sr.length") == pytest.approx(
        lab(page, "distance.hsr.length"), rel=1e-3
    )
    assert "at which its horizon is that of the HSR" in words.inner_text()
    assert f"discount={lab(page, 'distance.srDiscount')}" in script(page)
    box(page, "Options").select_option("none")
    assert not page.get_by_label("Match the horizon").is_visible()
