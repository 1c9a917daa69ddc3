"""Figures without global state, saved so that the same numbers give the same bytes."""

import base64
import io
from html import escape
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_UNDATED = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of the given size in inches, with no window and no pyplot behind it."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def panel(ax: Axes, letter: str, title: str) -> Axes:
    """Give a panel its letter and title, and small ticks; without a letter it goes with the panel
    before it.
    """
    ax.set_title(
        f"{letter}  {title}" if letter else title,
        fontsize=8,
        loc="left",
        fontweight="bold" if letter else "normal",
    )
    ax.tick_params(which="both", labelsize=7)
    return ax


def save_figure(figure: Figure, path: Path, *, dpi: int = 160) -> Path:
    """Write a figure in the format of its ending (.png, .svg or .pdf) and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "hsr"}):
        figure.savefig(path, dpi=dpi, metadata=_UNDATED[path.suffix[1:]])
    return path


def inline_image(figure: Figure, words: str, *, dpi: int) -> str:
    """Return a figure as an HTML image that needs no file: a PNG in the page itself, with words for
    those who cannot see it.
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, metadata=_UNDATED["png"])
    return f'<img alt="{escape(words)}" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode("ascii")}">'
