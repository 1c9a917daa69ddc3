"""The page: one HTML file, built with Node from the sources in `web/` of a clone.

`python -m hsr.lab.page` builds it, and `make lab-page` also checks its types.
"""

import json
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from hsr import GridLayout, InputError
from hsr.lab.declared import SIDE, SMALL_SIDE, declared

_PLACE = '<script type="application/json" id="embedded">{}</script>'
_FILE = files("hsr.lab").joinpath("static", "lab.html")
_WEB = Path(__file__).parents[3] / "web"
_MISSING = (
    "the page of the lab has not been built here, which takes Node (https://nodejs.org). "
    "Install Node and try again"
)


def page_with(
    layout: GridLayout,
    discount: float | None = None,
    maps: Mapping[str, Any] | None = None,
    code: Mapping[str, str] | None = None,
    docs: str = "",
) -> str:
    """Return the page with a maze in it.

    Parameters
    ----------
    layout : GridLayout
        The maze that the page begins with, of at most 61 x 61 cells.
    discount : float, optional
        The discount that the page begins with.
    maps : mapping of str to PredictiveMap or array of shape (S, S), optional
        Maps of this maze with this discount, by their names in the menu. The maze may then have at
        most 31 x 31 cells.
    code : mapping of str to str, optional
        The Python expression that makes each map, for "Copy as Python".
    docs : str, optional
        The address of the documentation, where the page will stand beside it.

    Raises
    ------
    InputError
        If the maze is too large, a map has another shape, or the page cannot be built.
    """
    side = SMALL_SIDE if maps else SIDE
    if max(layout.n_rows, layout.n_cols) > side:
        raise InputError(
            f"the maze has {layout.n_rows} x {layout.n_cols} cells; "
            f"the lab shows {'maps of mazes' if maps else 'mazes'} of at most {side} x {side}"
        )
    text = layout.to_text()
    data = {
        "maze": text,
        "discount": discount,
        "docs": docs,
        "maps": [
            {
                "name": name,
                "maze": text,
                "discount": discount,
                "f64": _packed(M, name, layout.n_states),
                "code": (code or {}).get(name, name),
            }
            for name, M in (maps or {}).items()
        ],
    }
    # A text that ends the element would end the data, so "<" is written as its code.
    written = json.dumps(data).replace("<", "\\u003c")
    return _built().replace(_PLACE, _PLACE.replace("{}", written), 1)


def _packed(M: Any, name: str, n_states: int) -> str:
    entries = np.asarray(M, dtype="<f8")
    if entries.shape != (n_states, n_states):
        raise InputError(
            f"the map {name!r} has shape {entries.shape}; this maze has {n_states} states"
        )
    return b64encode(np.ascontiguousarray(entries).tobytes()).decode("ascii")


def _built() -> str:
    """Return the page, and build it first in a clone where it is missing or older than `web/`."""
    page = Path(str(_FILE))
    if _WEB.is_dir():
        sources = [*_WEB.glob("src/**/*.*"), _WEB / "build.mjs"]
        newest = max(path.stat().st_mtime for path in sources if path.name != "declared.json")
        if (not page.exists() or page.stat().st_mtime < newest) and shutil.which("node"):
            build()
    if not page.exists():
        raise InputError(_MISSING)
    return page.read_text(encoding="utf-8")


def build() -> None:
    """Build the page in a clone, or say in one sentence why that is not possible."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not _WEB.is_dir() or node is None:
        raise InputError(_MISSING)
    if not (_WEB / "node_modules").is_dir():
        if npm is None:
            raise InputError("the page of the lab is built with packages that npm installs; "
                             "there is node but no npm")  # fmt: skip
        _run(npm, "ci", "--no-audit", "--no-fund")
    (_WEB / "src" / "declared.json").write_text(json.dumps(declared()), encoding="utf-8")
    _run(node, "build.mjs")


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=_WEB, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-600:]
        raise InputError(f"the page of the lab could not be built:\n{said}")


if __name__ == "__main__":
    build()
