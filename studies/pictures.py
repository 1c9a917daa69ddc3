"""Cut the figure of an experiment into one picture per panel group, which a phone can show.

A group is a panel with a letter and the panels after it that have none, or that show no ticks of
their own because they share an axis. A figure whose groups share a legend stays whole.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from PIL import Image, ImageOps

Box = list[float]  # left, upper, right, lower, as shares of the figure
MARGIN = 0.06  # inches around a group
EDGE = 8  # pixels that stay blank around a picture, fewer than MARGIN has
FAINTEST = 8  # of 255: what is nearer to white is background
LETTER = re.compile(r"(S?\d?[a-z])  ")


def boxes(figure: Figure) -> dict[str, Box]:
    """Return the box of every group of a figure, by its letter."""
    if figure.legends:
        return {}
    figure.canvas.draw()
    groups: dict[str, list[Bbox]] = {}
    letter = ""
    for ax in figure.axes:
        found = LETTER.match(ax.get_title(loc="left"))
        shares = any(ax.get_shared_y_axes().joined(ax, one) for one in figure.axes if one is not ax)
        alone = not shares or ax.yaxis.get_tick_params()["labelleft"]
        letter = found[1] if found and (alone or not letter) else letter
        box = ax.get_tightbbox()
        if letter and box is not None and box.width and box.height:
            groups.setdefault(letter, []).append(box)
    width, height = figure.bbox.size
    margin = MARGIN * figure.dpi
    found_boxes = {}
    for letter, some in groups.items():
        whole = Bbox.union(some).padded(margin)
        sides = (whole.x0 / width, 1 - whole.y1 / height, whole.x1 / width, 1 - whole.y0 / height)
        found_boxes[letter] = [round(min(max(float(x), 0.0), 1.0), 4) for x in sides]
    return found_boxes


def cut(picture: Path, groups: Mapping[str, Box]) -> list[Path]:
    """Write each group of a picture beside it, as NAME-LETTER.png, and return the paths.

    A group of several rows may be smaller than its box, so blank edges are cut to one width.
    """
    written = []
    with Image.open(picture) as whole:
        width, height = whole.size
        for letter, (left, upper, right, lower) in groups.items():
            path = picture.with_name(f"{picture.stem}-{letter}.png")
            sides = (left * width, upper * height, right * width, lower * height)
            _with_even_edges(whole.crop(tuple(map(round, sides)))).save(path, optimize=True)
            written.append(path)
    return written


def _with_even_edges(picture: Image.Image) -> Image.Image:
    drawn = ImageOps.invert(picture.convert("L")).point(lambda x: 255 * (x > FAINTEST)).getbbox()
    if not drawn:
        return picture
    left, upper, right, lower = drawn
    sides = (max(left - EDGE, 0), max(upper - EDGE, 0))
    return picture.crop(
        (*sides, min(right + EDGE, picture.width), min(lower + EDGE, picture.height))
    )


def write_boxes(path: Path, figures: Mapping[str, Mapping[str, Box]]) -> None:
    """Write the boxes of figures as JSON, with a line for each group."""
    names = []
    for name, groups in figures.items():
        lines = (f"  {json.dumps(letter)}: {json.dumps(box)}" for letter, box in groups.items())
        inside = ",\n".join(lines)
        names.append(f" {json.dumps(name)}: {{\n{inside}\n }}")
    path.write_text("{\n" + ",\n".join(names) + "\n}\n", encoding="utf-8")


def by_letter(caption: str, letters: list[str]) -> tuple[str, dict[str, str], str]:
    """Return a caption as what comes first, the words of each letter, and what comes last.

    Letters in one enumeration (`**e**, **f** The maps.`) share their words, and words of a letter
    without a picture go to the one before. What a letter shows becomes a sentence. A caption that
    names its letters inside of a sentence is not taken apart and comes last.

    Examples
    --------
    >>> by_letter("All worlds. **a** A maze, **b**, **c** maps.", ["a", "b", "c"])
    ('All worlds.', {'a': 'A maze.', 'b': 'Maps.', 'c': 'Maps.'}, '')
    >>> by_letter("The loop (**a** to **b**) and more.", ["a", "b"])
    ('', {}, 'The loop (**a** to **b**) and more.')
    """
    first, *pieces = re.split(r"\*\*(S?\d?[a-z])\*\*", " ".join(caption.split()))
    if not pieces or first.rstrip().endswith("("):
        return "", {}, caption
    words: dict[str, str] = {}
    waiting = []
    for letter, piece in zip(pieces[::2], pieces[1::2], strict=True):
        waiting.append(letter)
        if said := piece.strip(" ,"):
            sentence = said[0].upper() + said[1:] + ("" if said.endswith(".") else ".")
            words |= dict.fromkeys(waiting, sentence)
            waiting = []
    kept: dict[str, str] = {}
    group = ""
    for letter, some in words.items():
        group = letter if letter in letters else group
        kept[group] = some if letter == group else f"{kept[group]} **{letter}** {some}"
    return first.strip(), kept, ""
