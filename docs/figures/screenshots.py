"""Take the screenshots in docs/lab/: `python docs/figures/screenshots.py [NAME ...]`.

This needs Chromium and Node. A link restores everything that a page shows, including a
run and its position. Each screenshot is therefore a link and a condition to wait for. It is taken
twice: NAME.png is for light pages and NAME-dark.png for dark ones.
"""

import itertools
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from hsr import load_layout
from hsr.lab.page import page_with

ENDINGS = {"light": "", "dark": "-dark"}
ROWS, OPTIONS, FEATURES, TRAINING, EXPLORATION = (
    f"hsrLab.{name}"
    for name in (
        "rows",
        "options",
        "features.length",
        "training?.nSeeds > 1",
        "exploration?.mean.length",
    )
)
WIDE, PHONE = 1280, 390
SCREENSHOTS = {
    "see": ("d=0.95&b=1&di=1&c=80", WIDE, 790, ROWS),
    "options": ("d=0.95&v=options&op=2", WIDE, 800, OPTIONS),
    "distance": ("d=0.95&v=distance", WIDE, 800, "hsrLab.distance"),
    "watch": ("d=0.95&t=watch&tr=1&e=50&x=20", WIDE, 1060, TRAINING),
    "explore": ("d=0.95&t=explore&xr=1&xt=1200", WIDE, 1200, EXPLORATION),
    "phone": ("d=0.95&c=80", PHONE, 844, ROWS),
    "tour1": ("tour", WIDE, 800, ROWS),
    "tour2": ("tour", WIDE, 800, ROWS),
    "tour3": ("tour", WIDE, 800, OPTIONS),
    "tour4": ("tour", WIDE, 720, ROWS),
    "tour5": ("tour", WIDE, 800, FEATURES),
    "tour6": ("tour", WIDE, 900, TRAINING),
}


def main() -> None:
    """Open the page at each link and take its screenshot."""
    folder = Path(__file__).parents[1] / "lab"
    file = Path(tempfile.mkdtemp(), "lab.html")
    file.write_text(page_with(load_layout("four_rooms")), encoding="utf-8")
    page_address = file.as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, scheme in itertools.product(sys.argv[1:] or SCREENSHOTS, ENDINGS):
            shows, width, height, ready = SCREENSHOTS[name]
            page = browser.new_page(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            page.goto(page_address)
            if shows == "tour":  # the page knows the link of each step
                step = page.locator(".tour nav a").nth(int(name[-1]) - 1)
                shows = step.get_attribute("href").removeprefix("#")
            page.goto(f"{page_address}#{shows}")
            page.reload()
            while not page.evaluate(ready):  # the page's CSP forbids wait_for_function
                page.wait_for_timeout(100)
            page.wait_for_timeout(1000)  # until everything is drawn
            picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
            few = picture.quantize(256, method=Image.Quantize.MAXCOVERAGE)  # rare colours too
            few.save(folder / f"{name}{ENDINGS[scheme]}.png", optimize=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
