"""Finished pieces as one JSON file: every method at the setting that is best in other mazes."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr.deep.benchmark.folder import Finished, best_elsewhere, halves, read_piece


def entries(found: Finished) -> list[dict[str, Any]]:
    """Return one entry of the JSON file, or one per setting of an oracle.

    Numbers of worlds are means over seeds. ``at_end`` names settings whose best value was the
    smallest or the largest that was tried, for either half of the mazes.
    """
    n, k = found.reached.shape
    if found.about["updates"] == 0:
        return [_entry(found, np.full(n, j), []) for j in range(k)]
    n_mazes = found.about["mazes"]
    best = best_elsewhere(found.reached, n_mazes)
    ends = [
        name
        for name, tried in found.settings.items()
        if len(set(tried[0])) > 2
        and any(tried[w, best[w]] in (tried[w].min(), tried[w].max()) for w in range(n_mazes))
    ]
    return [_entry(found, best, ends)]


def _entry(found: Finished, best: Any, ends: list[str]) -> dict[str, Any]:
    n, half = len(best), halves(found.about["mazes"], len(best))
    settings = {
        name: sorted({float(f"{values[w, best[w]]:.6g}") for w in range(n) if half[w] >= 0})
        for name, values in found.settings.items()
    }
    seeds = found.measures[found.about["read_out"]][np.arange(n), best]  # (W, seeds)
    return {
        **{name: value for name, value in found.about.items() if name not in ("worlds", "mazes")},
        "settings": settings,
        "at_end": ends,
        "combinations": int(found.reached.shape[1]),
        "seeds": int(seeds.shape[1]),
        "sd_over_seeds": _rounded(seeds.std(axis=1).mean()),
        **{
            name: _rounded(values[np.arange(n), best].mean(axis=1))
            for name, values in found.measures.items()
        },
    }


def _rounded(values: Any) -> Any:
    """Return numbers with four digits, and None for those that are not finite."""
    if np.ndim(values):
        return [_rounded(one) for one in values]
    return float(f"{values:.4g}") if np.isfinite(values) else None


def table(found: Iterable[Finished]) -> str:
    """Return finished pieces as a Markdown table, with means over mazes."""
    columns = ("error", "by_actions", "by_options", "returns", "seconds_per_network")
    lines = [
        "| method | condition | updates | error | by actions | by options | return | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for piece in found:
        for entry in entries(piece):
            noise = entry["settings"].get("noise")
            what = entry["method"] + (f", noise {noise[0]:g}" if noise else "")
            lines.append(
                f"| {what} | {entry['condition']} | {entry['updates']:,} | "
                + " | ".join(_mean(entry.get(name), piece.about["mazes"]) for name in columns)
                + " |"
            )
    return "\n".join(lines)


def _mean(values: Any, n_mazes: int) -> str:
    known = [one for one in np.atleast_1d(values)[:n_mazes] if one is not None]
    return f"{np.mean(known):.3g}" if known else "-"


def collect(folders: Iterable[Path], path: Path) -> int:
    """Add the finished pieces of folders to a JSON file, and return how many entries it has.

    An entry of the same method, condition, updates and settings is replaced.

    Parameters
    ----------
    folders : sequence of Path
        Folders of finished pieces.
    path : Path
        The file, which may not exist yet.
    """
    known: dict[str, Any] = {"entries": []}
    if path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
    kept = {_key(entry): entry for entry in known["entries"]}
    for folder in folders:
        plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
        if known.setdefault("plan", plan) != plan:
            raise InputError(f"{folder} is of a benchmark of other sizes than {path}")
        for file in sorted(folder.glob("*.npz")):
            if file.name != "worlds.npz" and not file.name.startswith("new-"):
                found = read_piece(file)
                known |= {name: found.about[name] for name in ("worlds", "mazes")}
                kept |= {_key(entry): entry for entry in entries(found)}
    lines = ",\n  ".join(json.dumps(kept[key]) for key in sorted(kept))
    head = json.dumps({name: known[name] for name in known if name != "entries"}, indent=1)
    path.write_text(
        f'{head.removesuffix("}").rstrip()},\n "entries": [\n  {lines}\n ]\n}}\n', encoding="utf-8"
    )
    return len(kept)


def _key(entry: dict[str, Any]) -> tuple[Any, ...]:
    noise = entry["settings"].get("noise", [0.0])[0]
    return entry["condition"], entry["method"], entry["updates"], noise
