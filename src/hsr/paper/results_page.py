"""The report as a page of the documentation, with one picture per figure.

The text above a marker is written by hand and kept. What follows the marker is written again:

    python -m hsr.paper.results_page STORE docs/results.md
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from hsr.paper import catalogue
from hsr.paper.report import contents_of, rendered
from hsr.paper.store import Store
from hsr.plots import save_figure

MARKER = "<!-- What follows is written by hsr.paper.results_page. -->"


def write_results_page(store: Store, preset: str, path: Path) -> Path:
    """Write the page, and its pictures into a folder next to it that has the same name.

    Returns
    -------
    Path
        The path of the page.
    """
    by_hand = "# What reproduces"
    if path.exists():
        by_hand = path.read_text(encoding="utf-8").partition(MARKER)[0].rstrip()

    def picture(figure: Figure, name: str, words: str) -> str:
        dots = 80 if name in catalogue.names() else 90
        saved = save_figure(figure, path.with_suffix("") / f"{name}.png", dpi=dots)
        return f"{path.stem}/{saved.name}"

    text = rendered(
        "results.md", contents_of(store, preset), picture, by_hand=by_hand, marker=MARKER
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    folder, page = map(Path, sys.argv[1:3])
    write_results_page(Store(folder, create=False), "paper", page)
