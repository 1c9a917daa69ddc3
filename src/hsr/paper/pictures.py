"""The picture files of a report: drawn in processes, and only if the figure has changed.

A figure counts as unchanged if the numbers that it shows, the code of hsr, the versions of the
drawing libraries and the files that were drawn are the same as when they were written. Their
digests are kept in a file beside the pictures.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

import matplotlib as mpl
import PIL
from matplotlib.figure import Figure

from hsr.paper.engine.spawning import inherited_by_workers
from hsr.plots import save_figure
from hsr.toolkit import usable_cores

ENDINGS = ("png", "svg")
DIGESTS = ".pictures.json"
_FIGURES_PER_PROCESS = 3  # fewer are drawn sooner than a process starts

Told = Callable[[int, int, str], None]


class Drawn(Protocol):
    """A figure, and a digest of what it is drawn from, empty if that is not known."""

    @property
    def figure(self) -> Figure:
        """The figure."""

    @property
    def drawn_from(self) -> str:
        """The digest."""


def draw_pictures(
    figures: Mapping[str, Drawn],
    folder: Path,
    *,
    dpi: int,
    on_picture: Told = lambda number, total, name: None,
) -> int:
    """Write the PNG and SVG files of figures into a folder, and return how many were drawn.

    Parameters
    ----------
    figures : mapping of str to Drawn
        The figures, by the names of their files without an ending.
    folder : Path
        Where the files are written. It must exist.
    dpi : int
        Dots per inch of the PNG files.
    on_picture : callable
        Called after each figure that was drawn, with its number, how many have to be drawn, and its
        name.
    """
    known = _digests_in(folder)
    wanted = {name: _digest_of(one, dpi) for name, one in figures.items()}
    outdated = [name for name in figures if not _is_current(known, wanted, folder, name)]
    todo = {name: figures[name].figure for name in outdated}
    n_processes = min(usable_cores(), len(outdated) // _FIGURES_PER_PROCESS)
    if n_processes > 1:
        names = _draw_in_processes(todo, folder, dpi, n_processes)
    else:
        names = (draw_files(figure, folder, name, dpi) for name, figure in todo.items())
    for number, name in enumerate(names, start=1):
        on_picture(number, len(outdated), name)
    _keep_digests(folder, known, wanted)
    return len(outdated)


def draw_files(figure: Figure, folder: Path, name: str, dpi: int) -> str:
    """Write the files of a figure, and return their name."""
    for ending in ENDINGS:
        save_figure(figure, folder / f"{name}.{ending}", dpi=dpi)
    return name


def _draw_in_processes(
    figures: Mapping[str, Figure], folder: Path, dpi: int, n_processes: int
) -> Iterable[str]:
    """Draw figures in several processes, and yield their names as they are done.

    A figure that cannot be sent to another process is drawn in this one.
    """
    with ProcessPoolExecutor(n_processes, get_context("spawn")) as pool:
        try:
            with inherited_by_workers():
                jobs: dict[Future[str], str] = {
                    pool.submit(draw_files, figure, folder, name, dpi): name
                    for name, figure in figures.items()
                }
            for job in as_completed(jobs):
                name = jobs[job]
                if job.exception() is not None:
                    draw_files(figures[name], folder, name, dpi)
                yield name
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _digest_of(drawn: Drawn, dpi: int) -> str:
    """Return a digest of all that a picture depends on, empty if that is not known."""
    if not drawn.drawn_from:
        return ""
    versions = (mpl.__version__, PIL.__version__, str(dpi))
    return _digest(text.encode() for text in (drawn.drawn_from, *versions))


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _files_digest(folder: Path, name: str) -> str:
    return _digest((folder / f"{name}.{ending}").read_bytes() for ending in ENDINGS)


def _is_current(
    known: Mapping[str, object], wanted: Mapping[str, str], folder: Path, name: str
) -> bool:
    """Return whether the files of a figure are there, unchanged, and drawn from the same."""
    with suppress(OSError):
        return bool(wanted[name]) and known.get(name) == [wanted[name], _files_digest(folder, name)]
    return False


def _digests_in(folder: Path) -> dict[str, object]:
    """Return the digests of a folder; none if the file is missing or unreadable."""
    with suppress(OSError, ValueError):
        read = json.loads((folder / DIGESTS).read_text(encoding="utf-8"))
        if isinstance(read, dict):
            return read
    return {}


def _keep_digests(folder: Path, known: Mapping[str, object], wanted: Mapping[str, str]) -> None:
    new = {name: [digest, _files_digest(folder, name)] for name, digest in wanted.items() if digest}
    text = json.dumps({**known, **new}, indent=1, sort_keys=True)
    (folder / DIGESTS).write_text(text + "\n", encoding="utf-8")
