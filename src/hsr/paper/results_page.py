"""The report as pages of the documentation: a summary, one page per figure, and the README's table.

The text above the first marker of a page is written by hand and kept. What follows a marker is
written again, either from the ledger, which is written into a file next to the pictures, or from
the runs.

    python -m hsr.paper.results_page STORE docs/results.md README.md
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from hsr.paper import catalogue
from hsr.paper.ledger_file import read_ledger, write_ledger
from hsr.paper.rendering import render
from hsr.paper.report import DOTS, Section, contents_of
from hsr.paper.store import Store
from hsr.paper.summary import Summary, between_markers
from hsr.plots import save_figure

MARKER = "<!-- What follows is written by hsr.paper.results_page. -->"
DRAWN_MARKER = "<!-- What follows is drawn from the runs by hsr.paper.results_page. -->"
PAGE_MARKERS = (MARKER, DRAWN_MARKER)
FIGURE_MARKERS = (DRAWN_MARKER, MARKER)  # on the page of a figure the picture comes first
README_MARKERS = (MARKER, "<!-- What follows is written by hand. -->")


def write_results_page(store: Store, preset: str, path: Path, readme: Path | None = None) -> Path:
    """Write the page, and a folder next to it with the same name: a page and a picture per figure.

    The folder also has the ledger. Pictures that were drawn from another store are removed.

    Parameters
    ----------
    store : Store
        The runs.
    preset : str
        Preset of the experiments.
    path : Path
        The page. What is written by hand at its beginning is kept, and likewise on the pages of the
        figures, below their titles.
    readme : Path, optional
        A text with `README_MARKERS`, between which the groups of claims are written.

    Returns
    -------
    Path
        The path of the page.
    """
    folder = path.with_suffix("")
    contents = contents_of(store, preset=preset)
    write_ledger(contents.rows, folder / "ledger.json")
    summary = summary_in(folder)

    def picture(figure: Figure, name: str, words: str) -> str:
        saved = save_figure(figure, folder / f"{name}.png", dpi=DOTS, palette=True)
        return f"{path.stem}/{saved.name}"

    text = render(
        "results.md",
        it=contents,
        picture=picture,
        by_hand=_by_hand(path, MARKER) or "# What reproduces",
        ledger=page_part(summary, path.stem),
        markers=PAGE_MARKERS,
    )
    path.write_text(text, encoding="utf-8")
    for one in contents.sections:
        _write_figure_page(one, summary, folder)
    if readme is not None:
        text = readme.read_text(encoding="utf-8")
        text = between_markers(text, README_MARKERS, readme_part(summary))
        readme.write_text(text, encoding="utf-8")
    return path


def summary_in(folder: Path) -> Summary:
    """Return the ledger of a folder of results."""
    return Summary(read_ledger(folder / "ledger.json"))


def page_part(summary: Summary, folder: str = "results") -> str:
    """Return what the page says from the ledger alone, with links to the pages in its folder."""
    figures = [catalogue.find(name) for name in catalogue.names()]
    return render("ledger.md", it=summary, figures=figures, folder=folder).strip()


def figure_part(summary: Summary, experiment: str) -> str:
    """Return what the page of an experiment's figure says from the ledger alone."""
    return render("claims.md", rows=summary.rows_of(experiment)).strip()


def readme_part(summary: Summary) -> str:
    """Return what the README says from the ledger alone."""
    return render("readme.md", it=summary).strip()


def _by_hand(path: Path, marker: str) -> str:
    """Return what stands above a marker of a page, empty if there is no page."""
    if not path.exists():
        return ""
    return path.read_text(encoding="utf-8").partition(marker)[0].strip()


def _write_figure_page(one: Section, summary: Summary, folder: Path) -> None:
    """Write the page and the picture of an experiment; the text below its title is kept."""
    name = one.experiment.name
    page, picture = folder / f"{name}.md", folder / f"{name}.png"
    save_figure(one.result.figure, picture, dpi=DOTS, palette=True)
    _, _, by_hand = _by_hand(page, DRAWN_MARKER).partition("\n")
    text = render(
        "figure.md",
        it=one,
        picture=picture.name,
        by_hand=by_hand.strip(),
        ledger=figure_part(summary, name),
        markers=FIGURE_MARKERS,
    )
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    of_store, page, *readme_file = map(Path, sys.argv[1:4])
    write_results_page(Store(of_store, create=False), "paper", page, *readme_file)
