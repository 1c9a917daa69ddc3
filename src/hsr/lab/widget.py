"""`widget`: the page of the lab in a notebook."""

from collections.abc import Mapping
from html import escape
from typing import Any

from hsr import GridLayout, InputError, layout_names, load_layout
from hsr._base.validation import check_discount
from hsr.lab.page import page_with


class LabView:
    """The page of the lab, which a notebook shows in a frame."""

    def __init__(self, page: str, height: int) -> None:
        self._page, self._height = page, height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self._page)}" title="hsr lab" allow="fullscreen" '
            f'style="width: 100%; height: {self._height}px; border: 1px solid #8884"></iframe>'
        )


def widget(
    layout: GridLayout | str = "four_rooms",
    *,
    discount: float = 0.9,
    maps: Mapping[str, Any] | None = None,
    task: Any = None,
    height: int = 760,
) -> LabView:
    """Show the page of the lab in a notebook.

    It is the page of `hsr lab`. It computes in the browser, so it also works in a notebook that is
    read without a kernel.

    Parameters
    ----------
    layout : GridLayout or str
        A layout, the name of a built-in maze, or a maze as text, of at most 61 x 61 cells.
    discount : float in [0, 0.99999]
        The discount of the maps.
    maps : mapping of str to PredictiveMap or array of shape (S, S), optional
        Maps of this maze, such as learned ones, by their names in the menu "Another map". The maze
        may then have at most 31 x 31 cells.
    task : RewardTask, optional
        A task of this maze with a reward per state. The page draws the rewards next to the rows of
        the maps, and what each map expects to collect from every state.
    height : int
        The height of the frame in pixels.

    Returns
    -------
    LabView
        What a notebook shows as the page.

    Raises
    ------
    InputError
        If an argument does not fit, or the page cannot be built.

    Examples
    --------
    >>> view = widget("corridor", discount=0.95)  # doctest: +SKIP
    """
    page = page_with(_layout_of(layout), check_discount(discount), maps, task=task)
    return LabView(page, int(height))


def _layout_of(layout: Any) -> GridLayout:
    if isinstance(layout, GridLayout):
        return layout
    if not isinstance(layout, str):
        raise InputError(
            f"layout is of type {type(layout).__name__}; "
            "expected a GridLayout, a name or a maze as text"
        )
    is_text = layout not in layout_names() and set(layout) <= set("# .S123456789\r\n")
    return GridLayout.from_text(layout) if is_text else load_layout(layout)
