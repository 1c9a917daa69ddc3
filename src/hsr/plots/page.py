"""Make and save figures without global state, so that the same numbers give the same bytes."""

import base64
import io
import os
from html import escape
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, GridSpecFromSubplotSpec, SubplotSpec
from PIL import Image  # matplotlib needs it too

from hsr._base.durable import replacing, write_whole
from hsr._base.errors import InputError

_UNDATED = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure without a window and without pyplot.

    Parameters
    ----------
    width, height : float
        Size in inches.

    Examples
    --------
    >>> new_figure(3.0, 2.0).get_size_inches()
    array([3., 2.])
    """
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def panel(ax: Axes | SubplotSpec, letter: str, title: str) -> Axes:
    """Set the letter and title of a panel, and small tick labels.

    Parameters
    ----------
    ax : matplotlib Axes or SubplotSpec
        The panel, or its place in the grid of a figure, where it is added.
    letter : str
        Its letter. Empty if it belongs to the panel before it.
    title : str
        Its title.

    Returns
    -------
    matplotlib Axes
        The panel.

    Examples
    --------
    >>> panel(new_figure(3.0, 2.0).subplots(), "a", "coverage").get_title(loc="left")
    'a  coverage'
    """
    if isinstance(ax, SubplotSpec):
        ax = _axes_at(ax)
    ax.set_title(
        f"{letter}  {title}" if letter else title,
        fontsize=8,
        loc="left",
        fontweight="bold" if letter else "normal",
    )
    ax.tick_params(which="both", labelsize=7)
    return ax


def _axes_at(place: SubplotSpec) -> Axes:
    """Return a new panel at a place in the grid of a figure."""
    grid = place.get_gridspec()
    assert isinstance(grid, GridSpec | GridSpecFromSubplotSpec)
    assert grid.figure is not None
    return grid.figure.add_subplot(place)


def save_figure(
    figure: Figure, path: str | os.PathLike[str], *, dpi: int = 160, palette: bool = False
) -> Path:
    """Write a figure into a file without a date, and return the path.

    Text stays text in SVG and PDF files, so that a graphics program can edit it: PDFs embed
    TrueType fonts, and SVGs name their fonts. Global settings of Matplotlib are not changed.

    Parameters
    ----------
    figure : matplotlib Figure
        The figure.
    path : str or Path
        Ends in ``.png``, ``.svg`` or ``.pdf``. Missing folders are made.
    dpi : int
        Dots per inch of a PNG.
    palette : bool
        Whether a PNG has at most 256 colours, which makes it three to four times smaller.

    Raises
    ------
    InputError
        If the name of the file has another ending.

    Examples
    --------
    >>> import tempfile
    >>> save_figure(new_figure(1.0, 1.0), Path(tempfile.mkdtemp()) / "empty.svg").name
    'empty.svg'
    """
    path = Path(path)
    form = path.suffix[1:]
    if form not in _UNDATED:
        raise InputError(f"path is {str(path)!r}; it must end in .png, .svg or .pdf")
    path.parent.mkdir(parents=True, exist_ok=True)
    if palette and form == "png":
        write_whole(path, _palette_png(figure, dpi))
        return path
    editable = mpl.rc_context({"svg.hashsalt": "hsr", "svg.fonttype": "none", "pdf.fonttype": 42})
    with editable, replacing(path) as file:
        figure.savefig(file, format=form, dpi=dpi, metadata=_UNDATED[form])
    return path


def inline_image(figure: Figure | Path, words: str, *, dpi: int = 160) -> str:
    """Return a figure as an HTML image that needs no file: a PNG inside the page.

    The PNG has at most 256 colours.

    Parameters
    ----------
    figure : matplotlib Figure or Path
        The figure, or a PNG file of it.
    words : str
        Description for those who cannot see it.
    dpi : int
        Dots per inch of a figure.

    Examples
    --------
    >>> inline_image(new_figure(1.0, 1.0), "nothing", dpi=10)[:22]
    '<img alt="nothing" src'
    """
    data = base64.b64encode(_palette_png(figure, dpi)).decode("ascii")
    return f'<img alt="{escape(words)}" src="data:image/png;base64,{data}">'


def _palette_png(figure: Figure | Path, dpi: int) -> bytes:
    full, small = io.BytesIO(), io.BytesIO()
    if isinstance(figure, Path):
        full.write(figure.read_bytes())
    else:
        figure.savefig(full, format="png", dpi=dpi, metadata=_UNDATED["png"])
    with Image.open(full) as picture:
        picture.convert("RGB").quantize(
            256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
        ).save(small, format="png")
    return small.getvalue()
