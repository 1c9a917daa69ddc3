"""The report as a page of the documentation, with one picture per figure, and the README's table.

The text above the first marker is written by hand and kept. What follows it is written again: up to
the second marker from the ledger and the closest reading, which are written into files next to the
pictures, and then from the runs.

    python -m hsr.paper.results_page STORE docs/results.md README.md
"""

import json
import sys
from pathlib import Path

from matplotlib.figure import Figure

from hsr.paper.ledger_file import read_ledger, write_ledger
from hsr.paper.multiverse.joint_section import JointSection, closest_as_data
from hsr.paper.rendering import render
from hsr.paper.report import DOTS, contents_of
from hsr.paper.store import Store
from hsr.paper.summary import CLOSEST, Summary, between_markers, read_summary
from hsr.plots import save_figure

MARKER = "<!-- What follows is written by hsr.paper.results_page. -->"
PAGE_MARKERS = (MARKER, "<!-- What follows is drawn from the runs by hsr.paper.results_page. -->")
README_MARKERS = (MARKER, "<!-- What follows is written by hand. -->")


def write_results_page(store: Store, preset: str, path: Path, readme: Path | None = None) -> Path:
    """Write the page, and its pictures and data into a folder next to it with the same name.

    The data are the ledger and, if the store has a joint search, the closest reading. A closest
    reading that was written from another store is removed.

    Parameters
    ----------
    store : Store
        The runs.
    preset : str
        Preset of the experiments.
    path : Path
        The page. What is written by hand at its beginning is kept.
    readme : Path, optional
        A text with `README_MARKERS`, between which the groups of claims are written.

    Returns
    -------
    Path
        The path of the page.
    """
    folder = path.with_suffix("")
    by_hand = "# What reproduces"
    if path.exists():
        by_hand = path.read_text(encoding="utf-8").partition(MARKER)[0].rstrip()
    contents = contents_of(store, preset)
    write_ledger(contents.rows, folder / "ledger.json")
    _write_closest(contents.joint, folder / CLOSEST)
    summary = summary_in(folder)

    def picture(figure: Figure, name: str, words: str) -> str:
        saved = save_figure(figure, folder / f"{name}.png", dpi=DOTS, palette=True)
        return f"{path.stem}/{saved.name}"

    text = render(
        "results.md",
        it=contents,
        picture=picture,
        by_hand=by_hand,
        ledger=page_part(summary),
        markers=PAGE_MARKERS,
    )
    path.write_text(text, encoding="utf-8")
    if readme is not None:
        text = readme.read_text(encoding="utf-8")
        text = between_markers(text, README_MARKERS, readme_part(summary))
        readme.write_text(text, encoding="utf-8")
    return path


def summary_in(folder: Path) -> Summary:
    """Return the ledger of a folder of results, with the files that stand next to it."""
    return read_summary(read_ledger(folder / "ledger.json"), folder)


def page_part(summary: Summary) -> str:
    """Return what the page says from the ledger alone."""
    return render("ledger.md", it=summary).strip()


def readme_part(summary: Summary) -> str:
    """Return what the README says from the ledger alone."""
    return render("readme.md", it=summary).strip()


def _write_closest(joint: JointSection | None, path: Path) -> None:
    if joint is None:
        path.unlink(missing_ok=True)
    else:
        text = json.dumps(closest_as_data(joint.found), indent=1, allow_nan=False)
        path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    of_store, page, *readme_file = map(Path, sys.argv[1:4])
    write_results_page(Store(of_store, create=False), "paper", page, *readme_file)
