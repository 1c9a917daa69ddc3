"""The letters of a figure's panels, and those that its caption explains one by one."""

import re


def letters_of(figure):
    """Return the letters of a figure's panels, which stand alone at the left or before the title."""
    titles = (ax.get_title(loc="left") for ax in figure.axes)
    return [title[0] for title in titles if re.match("[a-z](  |$)", title)]


def explained_in(caption):
    """Return the letters that a caption explains each by itself; a range, such as p to s, explains
    none.
    """
    without_ranges = re.sub(r"\*\*[a-z]\*\*\s+to\s+\*\*[a-z]\*\*", "", caption)
    return re.findall(r"\*\*([a-z])\*\*", without_ranges)
