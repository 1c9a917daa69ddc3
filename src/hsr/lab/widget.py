"""`widget`: the SR and the HSR of a maze in a notebook, answered by the notebook's own kernel."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

from hsr.toolkit import needs

needs("widget", "hsr.widget")

from pydantic import ValidationError

from hsr import GridLayout, InputError, layout_names, load_layout
from hsr.lab.answers import Answers, describe
from hsr.lab.conversation import reply_text
from hsr.lab.messages import RefusedRequest, in_words, read_request
from hsr.lab.requests import Options, Reading, World


def widget(
    layout: GridLayout | str = "four_rooms",
    *,
    discount: float = 0.9,
    options: str | Mapping[str, Any] = "eigen",
    reading: Mapping[str, Any] | None = None,
    task: str = "walk",
) -> Any:
    r"""Show the SR and the HSR of a maze in a notebook.

    The view shows one row of both maps for the state under the pointer. It is built from the same
    sources as the page of `hsr lab` and sends the same requests, which the notebook's kernel
    answers. Nothing listens on a port. It needs the extra ``widget``:
    ``pip install '.[widget]'`` in a clone.

    Parameters
    ----------
    layout : GridLayout or str
        A layout, the name of a built-in maze, or a maze as text.
    discount : float in [0, 1)
        The discount of the maps.
    options : str or mapping
        A kind of options (see `hsr.OPTION_KINDS`) or "none"; or a mapping with the settings that
        the kind reads, such as ``{"kind": "eigen", "n": 8, "signs": "both"}``.
    reading : mapping, optional
        ``ties`` as in `plan_over_options` and ``stopping_state`` as in `hierarchical_sr`.
    task : {"walk", "1", "2", "every"}
        The behaviour that the maps predict: a random walk, the optimal policy for goal 1 or 2, or
        the mean over all goals.

    Returns
    -------
    anywidget.AnyWidget

    Raises
    ------
    InputError
        If an argument does not fit, or anywidget is not installed.

    Examples
    --------
    >>> view = widget("corridor", options={"kind": "eigen", "n": 4}, task="1")  # doctest: +SKIP
    """
    try:
        world = World(
            map=_text_of(layout),
            discount=discount,
            options=Options(**({"kind": options} if isinstance(options, str) else options)),
            reading=Reading(**(reading or {})),
            task=task,  # type: ignore[arg-type]  # checked by the model
        )
    except ValidationError as error:
        raise InputError(in_words(error)) from None
    answers = Answers()
    check = asdict(describe(answers.worlds.scene(world.map)))
    view = _view_class()(check=check, world=world.model_dump())
    view.on_msg(lambda view, content, buffers: view.send(reply_to(answers, content)))
    return view


def reply_to(answers: Answers, content: Any) -> dict[str, Any]:
    """Return the reply to one message of a view. If anything fails, it holds one sentence."""
    try:
        request = read_request(json.dumps(content))
    except RefusedRequest as error:
        return {"id": error.id, "ok": False, "error": str(error)}
    if request.do == "cancel":
        # A kernel answers one request after another, so there is nothing left to cancel.
        return {"id": request.id, "ok": True}
    reply: dict[str, Any] = json.loads(reply_text(answers, request))
    return reply


def _text_of(layout: Any) -> str:
    if isinstance(layout, GridLayout):
        return layout.to_text()
    if not isinstance(layout, str):
        raise InputError(
            f"layout is of type {type(layout).__name__}; "
            "expected a GridLayout, a name or a maze as text"
        )
    if layout in layout_names() or not set(layout) <= set("# .S123456789\r\n"):
        return load_layout(layout).to_text()
    return layout


@cache
def _view_class() -> Any:
    import anywidget
    import traitlets

    script = files("hsr.lab").joinpath("static", "widget.js")
    if not script.is_file():
        raise InputError(
            "the view of hsr.widget, src/hsr/lab/static/widget.js, is missing; "
            "`make lab-page` builds it"
        )

    class MapView(anywidget.AnyWidget):
        """The SR and the HSR of a maze."""

        _esm = script.read_text(encoding="utf-8")
        check = traitlets.Dict().tag(sync=True)
        world = traitlets.Dict().tag(sync=True)

    return MapView
