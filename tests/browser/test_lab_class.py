"""The lab of a class: the tour, phones, touch, the keyboard, accessibility."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.browser.lab_page import (
    editor,
    lab,
    message,
    middle_of,
    picture,
    press,
    rows,
)
from tests.lab.node.test_teaching import exercises
from tests.waiting import soon

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
READY = {
    1: "hsrLab.rows !== null",
    2: "hsrLab.rows.state === 25",
    3: "hsrLab.options === 8",
    4: "hsrLab.rows !== null && hsrLab.state.difference",
    5: "hsrLab.features.length === 8",
    6: "hsrLab.training !== null && hsrLab.training.episode === 50",
}
SILENT = """() => [...document.querySelectorAll('figure:not(.thumb figure)')]
    .filter((figure) => figure.offsetParent && !figure.querySelector('.sees')?.textContent)
    .map((figure) => figure.innerText)"""
FAULTS = """async () => (await axe.run()).violations
    .filter((fault) => ['serious', 'critical'].includes(fault.impact))
    .flatMap((fault) => fault.nodes.map((node) => `${fault.id}: ${node.html.slice(0, 150)}`))"""

FOCUSED = "document.activeElement === document.body ? '' : document.activeElement.textContent"


def tab_to(page, target):
    """Press Tab until an element has the focus."""
    for _ in range(40):
        if target.evaluate("(element) => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_tour_is_walked_with_the_keyboard_alone(visit, width, scheme):
    axe = AXE.read_text() if AXE.exists() else None
    page = visit(width=width, color_scheme=scheme)
    page.get_by_role("button", name="Start the tour").focus()
    page.keyboard.press("Enter")
    for number, ready in READY.items():
        current = page.locator(".tour [aria-current=step]")
        assert soon(lambda at=current, n=number: at.inner_text().startswith(str(n)))
        assert soon(lambda ready=ready: page.evaluate(ready)), number
        assert page.evaluate(SILENT) == []
        question = page.locator(".question").first
        tab_to(page, question.locator("summary"))
        page.keyboard.press("Enter")
        assert len(question.locator("p").inner_text()) > 50
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert soon(lambda: message(page) == "")
        if axe:
            page.evaluate(axe)
            assert page.evaluate(FAULTS) == []
        if number < len(READY):
            tab_to(page, page.get_by_role("link", name="Next"))
            page.keyboard.press("Enter")
            assert soon(lambda n=number: lab(page, "state.tour") == n + 1)
            assert page.evaluate(FOCUSED).startswith(f"{number + 1} of 6")
    page.go_back()
    assert soon(lambda: lab(page, "state.tour") == 5)
    assert page.evaluate(FOCUSED).startswith("5 of 6")
    tab_to(page, page.get_by_role("button", name="End the tour"))
    page.keyboard.press("Enter")
    assert not page.locator(".tour").is_visible()
    assert page.evaluate(FOCUSED) == "Start the tour"
    for hash, drawn in (
        ("v=matrices", "matrices.length === 2"),
        ("t=explore&xr=1&xn=50", "exploration"),
    ):
        page.evaluate("(hash) => (location.hash = hash)", hash)
        assert soon(lambda drawn=drawn: lab(page, drawn))
        assert page.evaluate(SILENT) == []
        assert not axe or page.evaluate(FAULTS) == []
    if axe is None:
        pytest.skip("axe-core is not installed in web/node_modules; all but accessibility passed")


def test_a_phone_shows_drawing_and_picture_together_and_a_finger_draws(visit):
    page = visit(width=390, height=844, has_touch=True)
    before = rows(page)["map"]
    drawing, shown = editor(page), picture(page, "HSR")
    for place in (drawing, shown):
        box = place.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 844
    page.get_by_role("radio", name="Wall").tap(force=True)
    touch = page.context.new_cdp_session(page)
    x, y, size = middle_of(page, 8, 2)
    points = [[{"x": x + i * size, "y": y}] for i in range(3)]
    for kind, at in zip(("Start", "Move", "Move", "End"), [*points, []], strict=True):
        if kind == "End":  # a finger that is lifted while it moves starts a fling, and the browser
            page.wait_for_timeout(100)  # spends the next tap on ending that
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": at})
    painted = lab(page, "state.map")
    assert sum(a != b for a, b in zip(before, painted, strict=True)) == 3
    page.get_by_role("radio", name="Look").tap(force=True)
    assert soon(lambda: lab(page, "state.tool") == "look", 10)
    box = shown.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.25)
    assert soon(lambda: lab(page, "rows.state") not in (0, 24))

    def scrolled_to():  # pictures that are being computed make the page short for a moment
        page.evaluate("scrollTo(0, 350)")
        return drawing.bounding_box()["y"]

    assert soon(lambda: scrolled_to() < 0, 10)
    page.evaluate("scrollTo(0, 0)")
    page.get_by_role("radio", name="Wall").tap(force=True)
    # while a tool paints, the drawing stays above the pictures
    assert soon(lambda: 0 <= scrolled_to() < 60, 10)


def test_matrices_have_a_keyboard_cursor(visit):
    page = visit("v=matrices")
    assert soon(lambda: len(lab(page, "matrices")) == 2)
    picture(page, "SR: from all states").first.focus()
    page.keyboard.press("ArrowRight")
    words = page.get_by_text("From line 4, column 6 to line")
    assert soon(words.is_visible)
    page.keyboard.press("Shift+ArrowDown")
    assert soon(lambda: not words.is_visible())
    page.keyboard.press("Enter")
    assert lab(page, "selected") != 24


HIDDEN = """() => {
  const shown = (element) => element.checkVisibility();
  const figures = [...document.querySelectorAll('.stage figure')].filter(shown);
  const wanted = [...document.querySelectorAll('.says, .words > .bar, .needs .field'),
    ...figures.filter((one) => !one.closest('.thumb')).map((one) => one.querySelector('canvas')),
    ...[...document.querySelectorAll('.thumb')].filter(shown).slice(0, 1),
    ...[...document.querySelectorAll('.player')].filter(shown)];
  return wanted.map((element) => [element, element.getBoundingClientRect()])
    .filter(([_, box]) => box.height < 1 || box.top < 0 || box.bottom > innerHeight)
    .map(([element, box]) => `${element.className} ${element.tagName} ${box.top} ${box.bottom}`);
}"""


@pytest.mark.parametrize(
    ("width", "height", "large"),
    [(1920, 1080, 0), (1920, 1080, 1), (1024, 768, 0), (1024, 768, 1), (390, 844, 0)],
)
def test_what_a_step_of_the_tour_needs_is_seen_together_with_its_picture(
    visit, width, height, large
):
    page = visit(f"lg={large}", width=width, height=height)
    page.evaluate("(number) => document.querySelectorAll('.tour nav a')[number].click()", 0)
    for number, ready in READY.items():
        page.locator(".tour nav a").nth(number - 1).click()
        assert soon(lambda ready=ready: page.evaluate(ready)), number
        assert soon(lambda: page.evaluate(HIDDEN) == [], 10), (number, page.evaluate(HIDDEN))
        assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (390, 844)])
def test_agents_play_in_sight(visit, width, height):
    page = visit("t=watch&ep=2&ns=1", width=width, height=height)
    press(page, "Let them learn")
    assert soon(lambda: lab(page, "training"))
    for number in (1, 2):
        box = page.get_by_role("img", name=f"Agent {number}").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height


def test_large_letters_keep_pictures_and_pointer_together(visit):
    page = visit("lg=1", width=1920)
    rows(page)
    size = page.evaluate("getComputedStyle(document.documentElement).fontSize")
    assert float(size.removesuffix("px")) > 21
    box = editor(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] * 9.5 / 13, box["y"] + box["height"] * 3.5 / 13)
    assert soon(lambda: lab(page, "state.cell") == 3 * 13 + 9)
    press(page, "Full screen")
    assert lab(page, "state.large") is False


def test_a_first_visit_has_a_sentence_a_tour_and_two_settings(visit):
    page = visit()
    assert page.get_by_text("Draw a maze and see which places").is_visible()
    shown = page.locator("aside details[open] .field:visible label")
    assert [one.split(" ")[0] for one in shown.all_inner_texts()] == ["Options", "Discount"]
    page.get_by_label("Discount").press("ArrowLeft")
    press(page, "Start the tour")
    says = page.locator(".says")
    assert soon(
        lambda: says.inner_text().endswith("(This step has set options to none, discount to 0.9.)")
    )
    page.get_by_role("link", name="Next").click()
    assert soon(lambda: "doors" in says.inner_text())
    assert "This step has set" not in says.inner_text()
    press(page, "Reset")
    assert soon(lambda: lab(page, "state.tour") == 0)
    assert lab(page, "state") == lab(visit(), "state")


SHOWN = [
    "97 % stay in its room",
    "92 % stay in its room",
    "its longest way takes 20 steps",
    "Largest gain at the door at line 7, column 3: 0.223 to 1.01 visits",
    "SR 1.5 steps (predicted 1.52), HSR 5.98 steps",
    "Here the SR has the discount 0.9941",
    "to goal 1 and goal 2: SR + options 46 and 134, HSR + options 127 and 57.",
    "one-hot + options 50 and 42",
]


@pytest.mark.parametrize("number", range(len(SHOWN)))
def test_a_link_of_an_exercise_shows_what_its_answer_says(visit, number):
    page = visit([link for links, _ in exercises() for link in links][number])
    said = page.locator("figure:visible .sees")
    assert soon(lambda: any(SHOWN[number] in text for text in said.all_inner_texts()))
    assert message(page) == ""


def test_the_tour_keeps_letters_colours_and_open_answers(visit):
    page = visit("lg=1&r=cividis", width=1600)
    press(page, "Start the tour")
    assert soon(lambda: lab(page, "state.tour") == 1)
    assert lab(page, "state.large") is True
    assert lab(page, "state.ramp") == "cividis"
    question = page.locator(".question").first
    question.locator("summary").click()
    press(page, "Full screen")
    assert question.locator("p").is_visible()


@pytest.mark.parametrize(
    ("hash", "chosen", "says", "not_said"),
    [
        ("v=options&o=none", "Spectrum", "The leading vectors change", "options use"),
        ("v=options&o=none", "No option", "only the maze", "ring"),
        ("v=options&op=2", "Option 3", "rings; its longest way", "From every state"),
        ("v=options&op=0", "Option 1", "stops at line", "rings"),
        ("v=parts&ba=onehot", "one-hot", "This feature is 1 at line", "part"),
        ("v=parts&ba=svd", "SVD", "Half of its weight", "Two colours"),
        ("v=parts&ba=svd&p=1", "SVD", "Two colours", "Half"),
        ("v=rows", "SR:", "stay in its room", "Identical"),
        ("v=matrices", "HSR: from", "The column that gains most is line", "Identical"),
    ],
)
def test_sentences_fit_what_is_shown(visit, hash, chosen, says, not_said):
    page = visit(hash)
    figure = page.locator("figure:visible").filter(has_text=chosen)
    assert soon(lambda: figure.count() and says in figure.first.locator(".sees").inner_text())
    assert not_said not in figure.first.locator(".sees").inner_text()


def test_episodes_that_are_cut_off_are_named(visit):
    page = visit("t=watch&tr=1&ep=2&ns=2&ho=20")
    words = "An episode that is cut off counts as 20 steps, so means are lower bounds."
    assert soon(lambda: words in page.locator("figure.chart").last.inner_text())


@pytest.mark.parametrize(("width", "horizon", "tab"), [(1280, 60, "see"), (390, 3000, "watch")])
def test_an_episode_is_saved_as_an_animation(visit, width, horizon, tab):
    """One is made while another tab is looked at, the other while lines wrap on a phone."""
    page = visit(f"t=watch&tr=1&ep=3&ns=2&ho={horizon}", width=width)
    assert soon(lambda: lab(page, "training"))
    gif = page.get_by_role("button", name="GIF", include_hidden=True)
    with page.expect_download(timeout=60_000) as download:
        gif.evaluate(
            "(gif, id) => { gif.click(); document.getElementById(id).click(); }", f"tab-{tab}"
        )
    assert gif.is_enabled()
    film = Image.open(BytesIO(Path(download.value.path()).read_bytes()))
    assert film.format == "GIF"
    size = film.size
    film.seek(film.n_frames - 1)
    assert film.size == size  # a frame beyond the edge enlarges it
    assert 20 < film.n_frames <= 80
    film.seek(film.n_frames - 1)
    last = film.convert("RGB")
    assert last.getpixel((1, 1)) == (255, 255, 255)
    assert len(last.getcolors(maxcolors=1 << 16)) > 20


def test_an_animation_of_a_run_that_is_gone_is_given_up(visit):
    page = visit("t=watch&tr=1&ep=3&ns=1&ho=60")
    assert soon(lambda: lab(page, "training"))
    gif = page.get_by_role("button", name="GIF", include_hidden=True)
    gif.evaluate("(button) => { button.click(); location.hash = 't=watch&ep=3&ns=1'; }")
    assert soon(lambda: "No animation was saved" in message(page))
    assert gif.is_enabled()
    assert lab(page, "training") is None  # the link has no run


def test_a_link_to_a_run_that_is_opened_later_keeps_it_while_it_is_computed(visit):
    page = visit("t=watch&ep=2&ns=1")
    press(page, "Let them learn")
    assert soon(lambda: lab(page, "training"))
    trained = """() => new Promise((done) => {
        addEventListener('hashchange', () => done(hsrLab.state.trained));
        location.hash = 't=watch&tr=1&ep=3&ns=1&e=4';
    })"""
    assert page.evaluate(trained)
    assert soon(lambda: lab(page, "training?.episode") == 4)


def test_the_other_seeds_can_be_stopped(visit):
    page = visit("t=watch&tr=1&ep=200&ns=50")
    assert soon(lambda: lab(page, "training"))
    stop = page.get_by_role("button", name="Stop")
    stop.click()
    assert not stop.is_visible()
    assert page.get_by_text("The other seeds were stopped.").is_visible()
    assert lab(page, "training.nSeeds") == 1
    press(page, "Other seeds")
    assert not page.get_by_text("The other seeds were stopped.").is_visible()


def test_another_world_is_trained_by_one_click(visit):
    page = visit("t=watch&ep=2&ns=3")
    goals = lab(page, "state.map")
    press(page, "Swap goals")
    assert soon(lambda: lab(page, "training") and lab(page, "training.nSeeds") == 3)
    assert lab(page, "state.map") == goals.translate(str.maketrans("12", "21"))
    press(page, "Other start")
    assert soon(lambda: lab(page, "training"))
    assert lab(page, "state.map").replace("S", ".") == goals.replace("S", ".").translate(
        str.maketrans("12", "21")
    )


def test_a_view_is_kept_in_a_link(visit):
    page = visit("tu=4&c=28&h=1&di=1&d=0.95&w=wall")
    before = rows(page)
    press(page, "Open link")
    page.get_by_role("dialog").get_by_role("textbox").fill("https://example.org/x#d=0.5&t=see")
    press(page, "Show it")
    assert soon(lambda: lab(page, "state.discount") == 0.5)
    page.go_back()
    assert soon(lambda: lab(page, "state.discount") == 0.95)
    assert rows(page) == before
