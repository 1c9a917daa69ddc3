"""What tests do with the page of the lab: read what it shows, click cells, run its script."""

import json
import statistics
import subprocess
import sys
import time
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


def editor(page):
    return page.get_by_role("application", name="Your maze")


def click_cell(page, row, column):
    """Click a cell of the editor's map, which lies in the middle of its canvas."""
    box = editor(page).bounding_box()
    lines = lab(page, "state.map").split("\n")
    size = min(box["width"] / len(lines[0]), box["height"] / len(lines))
    size = int(size)  # whole pixels, as the page draws them
    left = box["x"] + int((box["width"] - size * len(lines[0])) / 2)
    page.mouse.click(left + (column + 0.5) * size, box["y"] + (row + 0.5) * size)


def choose(page, name):
    page.get_by_role("radio", name=name, exact=True).check(force=True)


def pixels(page, name):
    return page.get_by_role("application", name=name).evaluate("(canvas) => canvas.toDataURL()")


def run_script(page):
    """Return what the script in the dialog prints, run on its own."""
    page.get_by_role("button", name="Copy as Python").click()
    code = page.get_by_role("dialog").get_by_role("textbox").input_value()
    page.keyboard.press("Escape")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(done.stdout)


def use_map(page, text):
    """Replace the map by a text."""
    if not page.get_by_role("button", name="Edit as text").is_visible():
        page.get_by_text("Other mazes").click()
    page.get_by_role("button", name="Edit as text").click()
    page.get_by_role("dialog").get_by_role("textbox").fill(text)
    page.get_by_role("button", name="Use this maze").click()


def rate(sent, began):
    """Return the messages a second since a moment."""
    return sum(at > began for at in sent) / (time.monotonic() - began)


def say_median(capsys, times, what):
    """Print the median of times that a page has measured."""
    with capsys.disabled():
        sys.stdout.write(f"\nmedian {statistics.median(times):.1f} {what}\n")
