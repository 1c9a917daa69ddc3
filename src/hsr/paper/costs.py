"""What one run of each experiment and preset costs, as it was measured: known before anything is
run.

The numbers stand in costs.toml. To measure them again, run the presets and write the file from
their stores:

    hsr reproduce --preset smoke --store warm      # what is compiled now is not measured below
    hsr reproduce --preset smoke --store smoke
    hsr reproduce --preset paper --store paper
    python -m hsr.paper.costs smoke paper

A few seeds are enough: each setting of a preset counts with its mean, as often as it has seeds. A
preset with a setting of which no run is stored keeps the numbers that it had.
"""

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from hsr.paper import catalogue
from hsr.paper.catalogue import Experiment
from hsr.paper.setting import Setting
from hsr.paper.store import Entry, Store, canonical, provenance
from hsr.toolkit import write_whole

_FILE = Path(__file__).with_name("costs.toml")
_HEAD = """\
# What one run costs: seconds of one core, and bytes in the store; means over the runs of a preset.
# Written by `python -m hsr.paper.costs STORE ...`, last with hsr {hsr} on {cpu}.
"""


@dataclass(frozen=True)
class Cost:
    """What one run costs: seconds of one core, and bytes in the store."""

    seconds: float
    bytes: int


def cost_of(experiment: str, preset: str, *, file: Path = _FILE) -> Cost | None:
    """Return what a run of a preset costs on average, or None if it was never measured."""
    row = _rows(file).get(experiment, {}).get(preset)
    return None if row is None else Cost(**row)


def of_runs(n_runs: int, cost: Cost | None) -> dict[str, Any]:
    """Return seconds and bytes of some runs, both None where the cost of one is not known.

    >>> of_runs(10, Cost(seconds=0.25, bytes=100))
    {'seconds': 2.5, 'bytes': 1000}
    """
    if cost is None:
        return {"seconds": None, "bytes": None}
    return {"seconds": round(n_runs * cost.seconds, 1), "bytes": n_runs * cost.bytes}


def seeds_of(experiment: Experiment, setting: Setting) -> dict[bytes, set[int]]:
    """Return the seeds of every run that a setting and its controls stand for, by the run's own
    setting in canonical form.
    """
    found: dict[bytes, set[int]] = {}
    for variant in experiment.with_controls(setting).values():
        for _, of_run, seeds in experiment.runs(variant):
            found.setdefault(canonical(of_run), set()).update(seeds)
    return found


def write_costs(stores: Sequence[Store], file: Path = _FILE) -> list[str]:
    """Measure each preset whose settings all have runs in the stores, write the file, and return
    the presets left out.
    """
    stored: dict[tuple[str, bytes], list[Entry]] = {}
    for entry in [entry for store in stores for entry in store.index().values()]:
        stored.setdefault((entry.experiment, canonical(entry.setting)), []).append(entry)
    known = _rows(file)
    lines, kept = [], []
    for experiment in map(catalogue.find, catalogue.names()):
        for preset, setting in experiment.presets.items():
            row = known.get(experiment.name, {}).get(preset)
            groups = {
                (experiment.name, of_run): len(seeds)
                for of_run, seeds in seeds_of(experiment, setting).items()
            }
            if groups.keys() <= stored.keys():
                row = asdict(
                    _mean([stored[group] for group in groups], weights=list(groups.values()))
                )
            else:
                kept.append(f"{experiment.name}.{preset}")
            if row is not None:
                lines += [
                    "",
                    f"[{experiment.name}.{preset}]",
                    *(f"{name} = {value}" for name, value in row.items()),
                ]
    about = provenance()
    head = _HEAD.format(hsr=about["versions"]["hsr"], cpu=about["cpu"])
    write_whole(file, (head + "\n".join(lines) + "\n").encode("utf-8"))
    return kept


def _mean(groups: Sequence[Sequence[Entry]], weights: Sequence[int]) -> Cost:
    """Return the mean over groups of runs; seconds to three digits, as no more of them come again."""
    seconds = fmean([fmean(entry.seconds for entry in group) for group in groups], weights)
    size = fmean([fmean(entry.size for entry in group) for group in groups], weights)
    return Cost(float(f"{seconds:.3g}"), round(size))


def _rows(file: Path) -> dict[str, dict[str, dict[str, Any]]]:
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


if __name__ == "__main__":
    for name in write_costs([Store(folder, create=False) for folder in sys.argv[1:]]):
        sys.stdout.write(
            f"not measured, as some of its settings have no run in the stores: {name}\n"
        )
