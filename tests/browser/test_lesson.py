"""The lesson of docs/teaching.md on three screens: the page shows each number of the answers.

That these numbers are the library's is tested in `tests.lab.node.test_teaching`.
"""

import pytest

from tests.lab.node.test_teaching import NUMBER, exercises
from tests.waiting import soon

SENTENCES = "#described, .described:visible, .answer:visible, figure:visible .sees"


def point_at_goal(page):
    """Point at goal 1 in the row, by a finger where there is one."""
    page.picture("SR: over primitive actions").scroll_into_view_if_needed()
    x, y, _ = page.place(3, 9, "SR: over primitive actions", bar=38)
    if page.evaluate("'ontouchstart' in window"):
        page.touchscreen.tap(x, y)
    else:
        page.mouse.move(x, y)


def read_a_row(page, n):
    yield f"SR {n[0]} visits. The row sums to {n[1]}."
    yield f"{n[2]} % stay in its room."
    page.enter("Discount", "0.99")
    yield f"The row sums to {n[3]}."
    yield f"{n[4]} % stay in its room."


def close_a_door(page, n):
    yield f"{n[4]} % stay in its room."
    point_at_goal(page)
    yield f"to goal 1, line 4, column 10 ({n[0]} steps): SR {n[2]} visits."
    page.click_cell(3, 6)
    yield f"{n[5]} % stay in its room."
    point_at_goal(page)
    yield f"to goal 1, line 4, column 10 ({n[1]} steps): SR {n[3]} visits."


def what_an_option_does(page, n):
    yield f"It can start in {n[1]} of {n[2]} states and stops in 1."
    yield f"stops at line {n[3]}, column {n[4]}; its longest path takes {n[5]} steps."
    for option, steps in enumerate(n[6:], start=1):
        page.press(f"Option {option}")
        page.says(f"Option {option} (v{option})", "figcaption")
        yield f"its longest path takes {steps} steps."


def what_options_add(page, n):
    place = f"the door at line {n[0]}, column {n[1]}"
    yield f"Largest gain at {place}: {n[2]} to {n[3]} visits."
    yield f"The HSR moves {n[4]} % of all visits"
    yield f"Each row sums to {n[5]}."


def how_far_a_map_looks(page, n):
    def horizons():
        return [page.get(f"distance.{which}.length") for which in ("sr", "hsr")]

    page.says(f"SR {n[0]} steps", SENTENCES)
    near = horizons()
    yield f"HSR {n[3]} steps"
    page.enter("Discount", "0.975")
    yield f"SR {n[1]} steps"
    yield f"HSR {n[4]} steps"
    factors = [f"{far / before:.1f}" for far, before in zip(horizons(), near, strict=True)]
    assert [float(factor) for factor in factors] == [float(n[2]), float(n[5])]


def match_the_horizon(page, n):
    yield f"Here the SR has the discount {n[8]}, at which its horizon is that of the HSR."


def is_it_better(page, n):
    agents = f"SR + options {n[4]} and {n[1]}, HSR + options {n[5]} and {n[2]}."
    yield f"Mean steps per episode to goal 1 and goal 2: {agents}"
    for mean, all_episodes in zip(page.get("training.mean"), n[6:8], strict=True):
        assert f"{sum(mean) / len(mean):.0f}" == all_episodes


def without_a_map(page, n):
    yield f"one-hot + options {n[8]} and {n[9]}"


# The steps of each exercise, one for each of its links.
LESSON = [
    [read_a_row],
    [close_a_door],
    [what_an_option_does],
    [what_options_add],
    [how_far_a_map_looks, match_the_horizon],
    [is_it_better, without_a_map],
]


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1920, 1080), (390, 844)])
@pytest.mark.parametrize("number", range(len(LESSON)))
def test_an_exercise_shows_each_number_of_its_answer(visit, number, width, height):
    links, answer = exercises()[number]
    for link, walk in zip(links, LESSON[number], strict=True):
        page = visit(link, width=width, height=height, has_touch=width < 500)
        for words in walk(page, NUMBER.findall(answer)):
            page.says(words, SENTENCES)
            place = page.locator(SENTENCES).filter(has_text=words).first
            if width > 900:  # on a phone pictures stand below each other and are scrolled

                def seen(place=place):
                    box = place.bounding_box()
                    return box["y"] >= 0 and box["y"] + box["height"] <= height

                assert soon(seen, 10), words
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#message").inner_text() == ""
