"""The lab of a class: the tour, phones, touch, the keyboard, accessibility."""

from pathlib import Path

import pytest

from tests.waiting import soon

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
READY = {
    1: "rows !== null",
    2: "rows.state === 25",
    3: "options === 8",
    4: "rows !== null && state.difference",
    5: "features.length === 8",
    6: "training !== null && training.episode === 50",
}
SILENT = """() => [...document.querySelectorAll('figure:not(.thumb figure)')]
    .filter((figure) => figure.offsetParent && !figure.querySelector('.sees')?.textContent)
    .map((figure) => figure.innerText)"""
FAULTS = """async () => (await axe.run()).violations
    .filter((fault) => ['serious', 'critical'].includes(fault.impact))
    .flatMap((fault) => fault.nodes.map((node) => `${fault.id}: ${node.html.slice(0, 150)}`))"""
FOCUSED = "document.activeElement === document.body ? '' : document.activeElement.textContent"


def tab_to(page, target):
    """Press Tab until an element has the focus, then Enter."""
    for _ in range(40):
        if target.evaluate("(element) => element === document.activeElement"):
            return page.keyboard.press("Enter")
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_tour_is_walked_with_the_keyboard_alone(visit, width, scheme):
    page = visit(width=width, color_scheme=scheme)

    def check():
        """Every picture has a sentence, and nobody is kept out."""
        assert page.evaluate(SILENT) == []
        if AXE.exists():
            page.evaluate(AXE.read_text())
            assert page.evaluate(FAULTS) == []

    page.get_by_role("button", name="Start the tour").focus()
    page.keyboard.press("Enter")
    for number, ready in READY.items():
        page.until(f"document.querySelector('.tour [aria-current=step]')?.innerText[0] == {number}")
        page.until(ready)
        question = page.locator(".question").first
        tab_to(page, question.locator("summary"))
        assert len(question.locator("p").inner_text()) > 50
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert soon(lambda: page.locator("#message").inner_text() == "")
        check()
        if number < len(READY):
            tab_to(page, page.get_by_role("link", name="Next"))
            page.until(f"state.tour === {number + 1}")
            assert page.evaluate(FOCUSED).startswith(f"{number + 1} of 6")
    page.go_back()
    page.until("state.tour === 5")
    assert page.evaluate(FOCUSED).startswith("5 of 6")
    tab_to(page, page.get_by_role("button", name="End the tour"))
    assert not page.locator(".tour").is_visible()
    assert page.evaluate(FOCUSED) == "Start the tour"
    drawn = {"v=matrices": "matrices.length === 2", "t=explore&xr=1&xn=50": "exploration"}
    for hash, ready in drawn.items():
        page.evaluate("(hash) => (location.hash = hash)", hash)
        page.until(ready)
        check()
    if not AXE.exists():
        pytest.skip("axe-core is not installed in web/node_modules; all but accessibility passed")


def test_a_phone_shows_one_picture_across_its_width_and_a_finger_draws(visit):
    page = visit(width=390, height=844, has_touch=True)
    before = page.rows()["map"]
    drawing, shown = page.picture("Your maze"), page.picture("SR: over primitive actions")
    for place in (shown, page.box("Options"), page.slider("Discount")):
        box = place.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 844
    assert shown.bounding_box()["width"] > 330
    page.get_by_role("radio", name="Wall").tap(force=True)
    touch = page.context.new_cdp_session(page.page)
    x, y, size = page.place(8, 2)
    points = [[{"x": x + i * size, "y": y}] for i in range(3)]
    for kind, at in zip(("Start", "Move", "Move", "End"), [*points, []], strict=True):
        if kind == "End":  # a finger that is lifted while it moves starts a fling, and the browser
            page.wait_for_timeout(100)  # spends the next tap on ending that
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": at})
    assert sum(a != b for a, b in zip(before, page.get("state.map"), strict=True)) == 3
    page.get_by_role("radio", name="Look").tap(force=True)
    page.until("state.tool === 'look'", 10)
    box = shown.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.25)
    page.until("rows.state !== 0 && rows.state !== 24")

    assert not drawing.is_visible()
    page.get_by_role("radio", name="Wall").tap(force=True)

    def scrolled():  # pictures that are being computed make the page short for a moment
        page.evaluate("scrollTo(0, 450)")
        places = [drawing.bounding_box(), shown.bounding_box()]
        return [at for box in places for at in (box["y"], box["y"] + box["height"])]

    # while a tool paints, the drawing stays above the pictures, and both are seen whole
    assert soon(lambda: min(scrolled()) >= 0 and max(scrolled()) <= 844, 10), scrolled()


def test_matrices_have_a_keyboard_cursor(visit):
    page = visit("v=matrices")
    page.until("matrices.length === 2")
    page.picture("SR: from all states").first.focus()
    page.keyboard.press("ArrowRight")
    words = page.get_by_text("From line 4, column 6 to line")
    assert soon(words.is_visible)
    page.keyboard.press("Shift+ArrowDown")
    assert soon(lambda: not words.is_visible())
    page.keyboard.press("Enter")
    assert page.get("selected") != 24


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
    page.evaluate("document.querySelectorAll('.tour nav a')[0].click()")
    for number, ready in READY.items():
        page.locator(".tour nav a").nth(number - 1).click()
        page.until(ready)
        assert soon(lambda: page.evaluate(HIDDEN) == [], 10), (number, page.evaluate(HIDDEN))
        assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (390, 844)])
def test_agents_play_in_sight(visit, width, height):
    page = visit("t=watch&ep=2&ns=1", width=width, height=height)
    page.learn()
    for number in (1, 2):
        box = page.get_by_role("img", name=f"Agent {number}").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height


def test_large_letters_keep_pictures_and_pointer_together(visit):
    page = visit("lg=1", width=1920)
    page.rows()
    size = page.evaluate("getComputedStyle(document.documentElement).fontSize")
    assert float(size.removesuffix("px")) > 21
    box = page.picture("Your maze").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 9.5 / 13, box["y"] + box["height"] * 3.5 / 13)
    page.until("state.cell === 3 * 13 + 9")
    kept = (page.box("Options"), page.slider("Discount"), page.get_by_text("Save and share"))
    assert all(place.is_visible() for place in kept)
    page.press("Full screen")
    assert page.get("state.large") is False


def test_a_first_visit_has_a_sentence_a_tour_and_two_settings(visit):
    page = visit()
    first = page.get("state")
    assert page.get_by_text("Draw a maze and see which places").is_visible()
    shown = page.locator("aside > .fields .field label")
    assert [one.split(" ")[0] for one in shown.all_inner_texts()] == ["Options", "Discount"]
    page.slider("Discount").press("ArrowLeft")
    page.press("Start the tour")
    page.says("(This step has set options to none, discount to 0.9.)", ".says")
    page.get_by_role("link", name="Next").click()
    page.says("doors", ".says")
    assert "This step has set" not in page.locator(".says").inner_text()
    page.press("Reset")
    page.until("state.tour === 0")
    assert page.get("state") == first


def test_the_tour_keeps_letters_colours_and_open_answers(visit):
    page = visit("lg=1&r=cividis", width=1600)
    page.press("Start the tour")
    page.until("state.tour === 1 && state.large && state.ramp === 'cividis'")
    question = page.locator(".question").first
    question.locator("summary").click()
    page.press("Full screen")
    assert question.locator("p").is_visible()


@pytest.mark.parametrize(
    ("hash", "chosen", "says", "not_said"),
    [
        ("v=options&o=none", "Spectrum", "The leading vectors change", "options use"),
        ("v=options&o=none", "No option", "only the maze", "ring"),
        ("v=options&op=2", "Option 3", "rings; its longest path", "From every state"),
        ("v=options&op=0", "Option 1", "stops at line", "rings"),
        ("v=parts&ba=onehot", "one-hot", "This feature is 1 at line", "part"),
        ("v=parts&ba=svd", "SVD", "Half of its weight", "Two colours"),
        ("v=parts&ba=svd&p=1", "SVD", "Two colours", "Half"),
        ("v=rows", "SR:", "stay in its room", "Identical"),
        ("v=matrices", "HSR: from", "The state that gains most is at line", "Identical"),
    ],
)
def test_sentences_fit_what_is_shown(visit, hash, chosen, says, not_said):
    page = visit(hash)
    words = page.locator("figure:visible").filter(has_text=chosen).first.locator(".sees")
    page.says(says, words)
    assert not_said not in words.inner_text()


def test_a_view_is_kept_in_a_link(visit):
    page = visit("tu=4&c=28&h=1&di=1&d=0.95&w=wall")
    before = page.rows()
    page.press("Open link")
    page.get_by_role("dialog").get_by_role("textbox").fill("https://example.org/x#d=0.5&t=see")
    page.press("Show it")
    page.until("state.discount === 0.5")
    page.go_back()
    page.until("state.discount === 0.95")
    assert soon(lambda: page.get("rows") == before)
