"""The page: one HTML file, built with Node from the sources in `web/` of a clone.

`python -m hsr.lab.page` builds it, and `make lab-page` also checks its types.
"""

import json
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import hsr
from hsr import GridLayout, InputError
from hsr._base.declaration import declarations, defaults

# The sides of the largest mazes, in cells: for rows and options, and for everything else.
SIDE, SMALL_SIDE = 61, 31
_SPECIFICATIONS = (hsr.LinearQ, hsr.Sarsa)

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
    task: Any = None,
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
    task : RewardTask, optional
        A task of this maze with a reward per state, which the page draws.

    Raises
    ------
    InputError
        If the maze is too large, a map has another shape, the task does not pay per state or
        belongs to another maze, or the page cannot be built.
    """
    side = SMALL_SIDE if maps else SIDE
    if max(layout.n_rows, layout.n_cols) > side:
        raise InputError(
            f"the maze has {layout.n_rows} x {layout.n_cols} cells; "
            f"the lab shows {'maps of mazes' if maps else 'mazes'} of at most {side} x {side}"
        )
    text = re.sub("[3-9]", ".", layout.to_text())  # the page draws two goals
    data = {
        "maze": text,
        "discount": discount,
        "docs": docs,
        "reward": None if task is None else _rewards(task, layout),
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


def _rewards(task: Any, layout: GridLayout) -> list[float]:
    if not isinstance(task, hsr.RewardTask) or task.per != "state":
        raise InputError(f"task is {task!r:.80}; the lab draws a RewardTask with rewards per state")
    task.check_fits(hsr.grid_mdp(layout))
    rewards: list[float] = task.reward.tolist()
    return rewards


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
    sys.stderr.write("building the page of the lab with Node, once\n")
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


def declared() -> dict[str, Any]:
    """Return the declarations of the library that the page reads."""
    kinds = hsr.OPTION_KINDS
    settings = dict.fromkeys(name for kind in kinds.built_in for name in kinds[kind].settings)
    return {
        "mazes": {name: hsr.load_layout(name).to_text() for name in hsr.layout_names()},
        "side": SIDE,
        "small_side": SMALL_SIDE,
        "option_kinds": _entries(kinds),
        "option_settings": {name: _setting(hsr.agents.OptionSpec, name) for name in settings},
        "representations": _entries(hsr.REPRESENTATIONS),
        "bases": {name: hsr.BASES[name].summary for name in hsr.BASES.built_in},
        "features": _setting(hsr.LinearQ, "features"),
        "bonus": _setting(hsr.Sarsa, "bonus"),
        "bonus_map": _setting(hsr.Sarsa, "on"),
        "ties": _setting(hsr.representation.MapSpec, "ties"),
        "stopping_state": _setting(hsr.representation.MapSpec, "stopping_state"),
        "specifications": {spec.__name__: defaults(spec) for spec in _SPECIFICATIONS},
    }


def _entries(registry: Any) -> dict[str, Any]:
    """Return one line about each entry of a registry, and the settings that it reads."""
    entries = {name: registry[name] for name in registry.built_in}
    return {
        name: {"summary": entry.summary, "settings": list(entry.settings)}
        for name, entry in entries.items()
    }


def _setting(spec: type, name: str) -> dict[str, Any]:
    """Return what the page needs to offer a field: its words or bounds, and its default."""
    field = declarations(spec)[name]
    return {
        "description": field.description,
        "default": defaults(spec)[name],
        "words": dict(field.allowed) if field.kind == "word" else None,
        "low": field.bounds.get("ge", field.bounds.get("gt")),
        "high": field.bounds.get("le", field.bounds.get("lt")),
    }


if __name__ == "__main__":
    build()
