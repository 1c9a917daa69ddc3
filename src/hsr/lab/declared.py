"""What the page must know of the library: its mazes, and every word that can be chosen.

The page is built with these declarations as JSON (`web/src/declared.json`), so that no word,
default or description is written twice.
"""

from typing import Any

import hsr
from hsr._base.declaration import declarations, defaults

# The sides of the largest mazes, in cells: for rows and options, and for everything else.
SIDE, SMALL_SIDE = 61, 31
_SPECIFICATIONS = (hsr.LinearQ, hsr.Sarsa)


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
