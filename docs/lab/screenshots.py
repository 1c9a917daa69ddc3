"""Take the screenshots of the lab in this folder: `python docs/lab/screenshots.py`.

This needs Chromium and the extra `lab`. A link restores everything that a page shows, including a
run and its position. Each screenshot is therefore a link and a condition to wait for. It is taken
twice: NAME.png is for light pages and NAME-dark.png for dark ones.
"""

import itertools
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

WORLD = "d=0.95"
ENDINGS = {"light": "", "dark": "-dark"}
SCREENSHOTS = {
    "see": ("b=1&di=1&c=80", 890, "hsrLab.rows !== null"),
    "options": (
        "v=options&op=2",
        890,
        "document.body.innerText.includes('Spectrum of the random walk')",
    ),
    "watch": (
        "t=watch&tr=1&e=50&x=20",
        890,
        "hsrLab.training !== null && hsrLab.training.episode === 50",
    ),
    "explore": (
        "t=explore&xr=1&xt=1200",
        1050,
        "hsrLab.exploration !== null && hsrLab.exploration.time === 1200",
    ),
}


def main() -> None:
    """Start a lab, take each screenshot, and stop the lab."""
    folder, command = Path(__file__).parent, Path(sys.executable).with_name("hsr")
    with subprocess.Popen(
        [command, "lab", "--no-browser"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox"]
                )
                for name, scheme in itertools.product(SCREENSHOTS, ENDINGS):
                    shows, height, ready = SCREENSHOTS[name]
                    page = browser.new_page(
                        viewport={"width": 1280, "height": height},
                        color_scheme=scheme,
                        reduced_motion="reduce",
                    )
                    page.goto(f"{address}#{WORLD}&{shows}")
                    while not page.evaluate(ready):  # the page's CSP forbids wait_for_function
                        page.wait_for_timeout(100)
                    page.wait_for_timeout(500)  # until everything is drawn
                    page.screenshot(path=folder / f"{name}{ENDINGS[scheme]}.png")
                    page.close()
                browser.close()
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
