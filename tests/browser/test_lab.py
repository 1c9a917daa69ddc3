"""The page of the lab in a real browser: draw, see, export."""

from pathlib import Path

import pytest

import hsr
from tests.waiting import soon

CONTROLS = """() => [...document.querySelectorAll(
    'button, input, select, summary, canvas[tabindex]')].filter(
    (control) => control.checkVisibility() && !control.disabled && !control.closest('[inert]')
       && control.tabIndex >= 0 && !(control.type === 'radio' && !control.checked))"""


def test_a_drag_paints_walls_that_change_the_row_and_undo_restores_it(visit):
    page = visit()
    before, picture = page.rows(), page.pixels("HSR")
    page.choose("Wall")
    x, y, size = page.place(8, 2)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 2 * size, y, steps=3)
    page.mouse.up()
    page.until("rows.hsr.length === 101")
    after = page.rows()
    assert sum(a != b for a, b in zip(before["map"], after["map"], strict=True)) == 3
    assert set(after["hsr"]).isdisjoint(before["hsr"])
    assert soon(lambda: page.pixels("HSR") != picture)
    page.press("Undo")
    assert soon(lambda: page.get("rows") == before)
    assert soon(lambda: page.pixels("HSR") == picture)
    page.keyboard.press("Control+Shift+Z")
    assert soon(lambda: page.get("rows") == after)
    page.keyboard.press("Control+z")
    assert page.get("state.map") == before["map"]


def test_what_is_cut_off_is_said(visit):
    page = visit()
    page.choose("Wall")
    page.click_cell(3, 6)
    page.click_cell(6, 2)
    problems = page.get_by_role("list", name="Problems of the maze")
    page.says("oal 2 cannot be reached", problems)
    page.click_cell(1, 1)  # the start is painted over
    page.says("no start", problems)


def test_a_link_restores_everything(visit):
    page = visit()
    page.rows()
    page.choose("Floor")
    page.click_cell(4, 6)
    page.get_by_text("More settings").click()
    page.get_by_label("Task", exact=True).select_option("every")
    page.box("Options").select_option("covering")
    page.slider("Discount").press("ArrowLeft")
    page.get_by_label("Difference").check()
    page.get_by_label("Same scale").uncheck()
    page.choose("Features")
    page.get_by_label("Basis").select_option("svd")
    page.until("features.length === 12")
    page.press("Vector 3")
    page.press("Watch", "tab")
    page.enter("Episodes per goal", "6")
    page.learn()
    page.press("Goal switch")
    page.press("Copy link")
    state, training = page.get("state"), page.get("training")
    assert state["episode"] >= 6
    hash = page.evaluate("location.hash").removeprefix("#")
    assert len(hash) < 300
    twin = visit(hash, width=1300)
    assert twin.get("state") == state
    twin.until("training")
    assert twin.get("training.steps") == training["steps"]
    assert twin.get("training.episode") == training["episode"]
    assert twin.get("state") == state
    page.press("See", "tab")
    twin.press("See", "tab")
    twin.until("features.length === 12")
    assert twin.get("features") == page.get("features")


def test_every_registered_name_that_the_page_can_compute_is_offered(visit):
    page = visit()

    def offered(label):
        options = page.box(label).first.locator("option")
        return options.evaluate_all("(all) => all.map((option) => option.value)")

    page.rows()
    kinds = [kind for kind in hsr.OPTION_KINDS if kind != "successor"]  # clusters by scikit-learn
    assert offered("Options") == [*kinds, "none"]
    assert offered("Another map") == ["", *hsr.REPRESENTATIONS]
    page.box("Another map").select_option("rw_hsr")
    page.until("rows.other && String(rows.other) === String(rows.hsr)")
    page.choose("Features")
    assert offered("Map") == ["sr", "hsr", *hsr.REPRESENTATIONS]
    assert offered("Basis") == list(hsr.BASES)
    page.press("Watch", "tab")
    assert set(offered("Features")) >= {"onehot", "sr", "hsr", *hsr.REPRESENTATIONS}
    page.press("Explore", "tab")
    assert set(offered("Bonus")) == {*hsr.BONUSES, "none"}


def test_a_setting_that_a_kind_of_options_reads_is_offered_and_kept_in_the_link(visit):
    page = visit("o=covering")
    page.rows()
    page.get_by_text("More settings").click()
    page.get_by_label("Initiation").select_option("everywhere")
    page.until("location.hash.includes('oi=everywhere')")
    assert not page.get_by_label("Signs").is_visible()
    page.box("Options").select_option("random")
    page.enter("Seed", "7")
    page.until("location.hash.includes('os=7')")


def test_a_number_is_typed_with_all_its_digits_beside_its_slider(visit):
    page = visit()
    field, slider = page.get_by_role("spinbutton", name="Discount"), page.slider("Discount")
    for text in ("0.9941", "0.999", "0.975"):
        page.enter("Discount", text)
        page.until(f"rows && Math.abs(rows.sr.reduce((a, b) => a + b) * (1 - {text}) - 1) < 1e-9")
        assert field.input_value() == str(page.get("state.discount")) == text
    assert slider.input_value() == "0.975"
    slider.press("ArrowRight")
    assert field.input_value() == "0.98"
    page.enter("Discount", "7")
    assert field.input_value() == "0.9999"
    page.enter("Discount", "")
    assert page.get("state.discount") == 0.9999


def test_the_menu_is_closed_by_escape_and_by_a_click_elsewhere(visit):
    page = visit()
    menu, link = page.locator("summary").first, page.get_by_role("button", name="Copy link")
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.mouse.click(5, 700)):
        menu.click()
        link.focus()
        close()
        assert not link.is_visible()
    menu.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Save and share"


@pytest.mark.parametrize("name", ["PNG", "SVG", "Maze file"])
def test_pictures_and_the_map_can_be_saved(visit, name):
    page = visit("v=options")
    page.until("options === 8")
    with page.expect_download() as download:
        page.press(name)
    content = Path(download.value.path()).read_bytes()
    if name == "Maze file":
        assert content.decode() == page.get("state.map") + "\n"
    else:
        assert content.startswith(b"\x89PNG" if name == "PNG" else b"<svg")
        assert len(content) > 5000


def test_a_pasted_map_and_a_maze_replace_the_map(visit):
    page = visit()
    page.use_maze("S..\n.#1\n2..")
    assert page.get("state.map") == "S..\n.#1\n2.."
    assert len(page.rows()["sr"]) == 8
    page.use_maze("hello")
    page.says('line 1, column 1: "h" is not allowed')
    page.get_by_label("Preset").select_option("loop")
    page.until("state.map.includes('######')")
    page.press("Make maze")
    page.until("state.map.split('\\n').length === 21")
    assert {"S", "1", "2"} <= set(page.get("state.map"))
    page.enter("Rows", "9")
    page.until("state.map.split('\\n').length === 9")


def test_an_error_is_a_calm_line(visit):
    page = visit("g=1")
    page.rows()
    page.choose("Floor")
    page.click_cell(3, 9)  # goal 1 is painted over, and the task is still goal 1
    page.says("goal 1")
    page.keyboard.press("Control+z")
    assert soon(lambda: page.locator("#message").inner_text() == "")


@pytest.mark.parametrize("tab", ["see", "watch", "explore"])
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (2560, "light")])
def test_nothing_scrolls_sideways(visit, tab, width, scheme):
    page = visit(f"t={tab}&di=1", width=width, height=740, color_scheme=scheme)
    for view in ("Rows", "Options", "Distance", "Matrices", "Features") if tab == "see" else ("",):
        if view:
            page.choose(view)
            page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    page.press("Light / dark")
    assert page.evaluate("document.documentElement.dataset.theme") != scheme


@pytest.mark.parametrize("tab", ["see", "watch", "explore"])
def test_tab_reaches_every_control(visit, tab):
    page = visit(f"t={tab}")
    page.get_by_text("Other mazes").click()
    if tab == "see":
        page.rows()
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
    missed = "window.wanted.filter((c) => !window.reached.has(c)).map((c) => c.outerHTML)"
    assert page.evaluate(missed) == []


def test_arrows_move_the_cursor_and_enter_holds_it(visit):
    page = visit()
    before = page.rows()["state"]
    page.picture("HSR").focus()
    page.keyboard.press("ArrowDown")
    page.until(f"rows.state !== {before}")
    held = page.rows()
    page.says("From line 5, column 6 to itself", "#described")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    sr, hierarchical = (held[which][held["state"] - 1] for which in ("sr", "hsr"))
    page.says(
        f"to line 5, column 5 (1 step): SR {sr:.3g}, HSR {hierarchical:.3g} visits", "#described"
    )
    assert page.get("rows.state") == held["state"]
    page.keyboard.press("Enter")
    page.picture("Your maze").focus()
    page.keyboard.press("ArrowUp")
    page.until(f"rows.state === {before}")
    page.choose("Wall")
    page.picture("Your maze").focus()
    page.keyboard.press("Space")
    assert page.get("state.map").split("\n")[3][5] == "#"


def test_a_held_state_is_read_at_the_pointer_and_released_by_a_click(visit):
    page = visit()
    state = page.rows()["state"]

    def at(line, column):
        return page.place(line - 1, column - 1, "HSR", bar=38)[:2]

    page.mouse.click(*at(4, 6))
    assert page.get("state.held")
    page.mouse.move(*at(11, 11))
    page.says("to goal 2, line 11, column 11 (12 steps): SR", "#described")
    assert page.get("rows.state") == state
    page.mouse.click(*at(4, 6))
    assert not page.get("state.held")


def test_tabs_follow_arrows_and_a_link_skips_to_the_pictures(visit):
    page = visit()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "stage"
    page.get_by_role("tab", name="See").focus()
    for tab in ("watch", "explore", "see"):
        page.keyboard.press("ArrowRight")
        assert page.get("state.tab") == tab
        assert page.evaluate("document.activeElement.id") == f"tab-{tab}"


def test_visits_are_drawn_against_distance_and_horizons_are_matched(visit):
    page = visit("v=distance")
    page.until("distance")
    words = page.locator("figure:visible .sees")
    page.says(f"SR {page.get('distance.sr.length'):.3g} steps (predicted ", words)
    page.get_by_label("Match the horizon").check()
    page.until("distance.srDiscount > 0.95")
    lengths = page.get("[distance.sr.length, distance.hsr.length]")
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-3)
    page.says("at which its horizon is that of the HSR", words)
    assert f"discount={page.get('distance.srDiscount')}" in page.script()
    page.box("Options").select_option("none")
    assert not page.get_by_label("Match the horizon").is_visible()
