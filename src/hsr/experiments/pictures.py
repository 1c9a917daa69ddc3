"""The picture files of a report. Several figures are drawn in several processes."""

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from matplotlib.figure import Figure

from hsr._base.threads import usable_cores
from hsr.plots import save_figure

ENDINGS = ("png", "svg")
_FIGURES_PER_PROCESS = 3  # fewer are drawn sooner than a process starts


def draw_pictures(figures: Mapping[str, Figure], folder: Path, *, dpi: int) -> None:
    """Write the PNG and SVG files of figures into a folder.

    Parameters
    ----------
    figures : mapping of str to Figure
        The figures, by the names of their files without an ending.
    folder : Path
        Where the files are written.
    dpi : int
        Dots per inch of the PNG files.
    """
    n_processes = min(usable_cores(), len(figures) // _FIGURES_PER_PROCESS)
    if n_processes <= 1:
        for name, figure in figures.items():
            draw_files(figure, folder / name, dpi)
        return
    with ProcessPoolExecutor(n_processes, get_context("spawn")) as pool:
        jobs = [
            pool.submit(draw_files, figure, folder / name, dpi) for name, figure in figures.items()
        ]
        for job in jobs:
            job.result()


def draw_files(figure: Figure, path: Path, dpi: int) -> None:
    """Write the files of a figure; the path has no ending."""
    for ending in ENDINGS:
        save_figure(figure, path.with_name(f"{path.name}.{ending}"), dpi=dpi)
