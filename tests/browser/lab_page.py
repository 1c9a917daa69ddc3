"""What tests do with the page of the lab: read what it shows, click cells, run its script."""

from urllib.parse import urlsplit

from tests.waiting import soon


def is_foreign(url, address):
    return (
        urlsplit(url).scheme not in ("data", "blob")
        and urlsplit(url).netloc != urlsplit(address).netloc
    )


def lab(page, what):
    """Return a property of what the page shows."""
    return page.evaluate(f"window.hsrLab.{what}")


def rows(page):
    """Return the rows shown, once they belong to the maze as it is drawn."""
    assert soon(
        lambda: page.evaluate("hsrLab.rows !== null && hsrLab.rows.map === hsrLab.state.map")
    )
    return lab(page, "rows")


def note_faults(page, faults, address):
    """Add to a list every error and warning of a page, and all that it asks of other servers."""

    def check_url(request):
        if is_foreign(request.url, address):
            faults.append(request.url)

    def check_type(message):
        if message.type in ("error", "warning"):
            faults.append(message.text)

    page.on("console", check_type)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", check_url)


def press(page, name, role="button", **how):
    """Press a button, which may be in the menu of the header."""
    target = page.get_by_role(role, name=name, **how)
    if not target.is_visible():
        page.get_by_text("Save and share").click()
    target.click()


def more_settings(page):
    """Unfold the settings of the world that few need."""
    page.get_by_text("More settings").click()


def enter(field, text):
    field.fill(text)
    field.press("Tab")


def box(page, label):
    return page.get_by_role("combobox", name=label, exact=True)


def episode(page):
    return page.get_by_role("slider", name="Episode")


def message(page):
    return page.locator("#message").inner_text()


def learn(page):
    """Train the agents, and wait until they have learned."""
    press(page, "Let them learn")
    assert soon(lambda: lab(page, "training"), 120)


def picture(page, name):
    return page.get_by_role("application", name=name)


def editor(page):
    return picture(page, "Your maze")


def middle_of(page, row, column):
    """Return x, y and width of a cell of the editor's map, which is centred on its canvas."""
    box = editor(page).bounding_box()
    lines = lab(page, "state.map").split("\n")
    size = min(box["width"] / len(lines[0]), box["height"] / len(lines))
    size = int(size)  # whole pixels, as the page draws them
    left = box["x"] + int((box["width"] - size * len(lines[0])) / 2)
    return left + (column + 0.5) * size, box["y"] + (row + 0.5) * size, size


def click_cell(page, row, column):
    x, y, _ = middle_of(page, row, column)
    page.mouse.click(x, y)


def choose(page, name):
    page.get_by_role("radio", name=name, exact=True).check(force=True)


def pixels(page, name):
    return picture(page, name).evaluate("(canvas) => canvas.toDataURL()")


def script(page):
    """Return the script that the page offers."""
    press(page, "Copy as Python")
    code = page.get_by_role("dialog").get_by_role("textbox").input_value()
    page.keyboard.press("Escape")
    return code


def use_map(page, text):
    """Replace the map by a text."""
    if not page.get_by_role("button", name="Edit as text").is_visible():
        page.get_by_text("Other mazes").click()
    press(page, "Edit as text")
    page.get_by_role("dialog").get_by_role("textbox").fill(text)
    press(page, "Use this maze")
