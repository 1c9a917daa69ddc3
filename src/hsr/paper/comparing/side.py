"""One side of a comparison: a store and a setting, and the runs that it holds."""

import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hsr import InputError
from hsr.paper import catalogue
from hsr.paper.experiment import Experiment
from hsr.paper.setting import Setting
from hsr.paper.store import ResultTable, Store, canonical
from hsr.paper.tables.settings import flattened


@dataclass(frozen=True, eq=False)
class Side:
    """A store and a setting of an experiment.

    Parameters
    ----------
    store : Store
        The runs.
    experiment : Experiment
        The experiment.
    setting : Setting
        The setting, without its controls.
    command : str
        The command that makes its runs.
    label : str
        What tells it from the other side.
    """

    store: Store
    experiment: Experiment
    setting: Setting
    command: str
    label: str = ""

    @cached_property
    def keys(self) -> dict[bytes, dict[int, str]]:
        """The keys of stored runs of the experiment, by canonical setting and world."""
        found: dict[bytes, dict[int, str]] = {}
        for key, entry in self.store.index().items():
            if entry.experiment == self.experiment.name:
                found.setdefault(canonical(entry.setting), {})[entry.seed] = key
        return found

    @cached_property
    def conditions(self) -> dict[str, Any]:
        """The conditions that are run in several worlds, by name."""
        planned = {canonical(one): worlds for one, worlds in self.experiment.runs(self.setting)}
        return {
            _words_of(key): condition
            for key, condition in self.experiment.conditions(self.setting).items()
            if len(planned[canonical(condition.data())]) > 1
        }

    def runs_of(self, name: str) -> dict[int, str]:
        """Return the keys of the stored runs of a condition, by world."""
        return self.keys.get(canonical(self.conditions[name].data()), {})

    def table(self, name: str, worlds: Iterable[int]) -> ResultTable:
        """Return the runs of a condition in some worlds."""
        runs = self.runs_of(name)
        return ResultTable(self.store.get(runs[world]) for world in worlds)


def side_of(
    store: Store, experiment: str, preset: str, changes: Mapping[str, Any], reading: str = "default"
) -> Side:
    """Return the side of a preset with some fields changed.

    Raises
    ------
    InputError
        If there is no such experiment, preset or field, or a value is not allowed.
    """
    one = catalogue.find(experiment)
    setting = catalogue.setting_of(one, preset, changes, reading)
    if getattr(setting, "step_size", "given") != "given":
        raise InputError(
            f"step_size is {setting.step_size!r}, which gives every agent its own rate and few "  # type: ignore[attr-defined]
            "worlds; compare at rates that are given, such as agent.learning_rate=0.1"
        )
    words = ["hsr", "run", experiment, "--preset", preset]
    if changes:
        words += ["--set", *(f"{path}={_written(value)}" for path, value in changes.items())]
    if reading != "default":
        words += ["--reading", reading]
    return Side(store, one, setting, shlex.join([*words, "--store", str(store.folder)]))


def labelled(one: Side, other: Side) -> tuple[Side, Side]:
    """Return two sides with what tells them apart: settings, or else stores.

    Raises
    ------
    InputError
        If they are the same.
    """
    fields = [flattened(side.setting.model_dump(mode="json")) for side in (one, other)]
    paths = [path for path in fields[0] if fields[0][path] != fields[1].get(path)]
    stores = one.store.folder.resolve() != other.store.folder.resolve()
    if not paths and not stores:
        raise InputError(
            "both sides are the same setting of the same store; change a field on one of them, "
            "such as --against agent.epsilon=0.2, or name two stores"
        )
    words = [[f"{path}={of_side[path]}" for path in paths] for of_side in fields]
    if stores:
        for side, of_side in zip((one, other), words, strict=True):
            of_side.append(str(side.store.folder))
    first, second = (", ".join(of_side) for of_side in words)
    return replace(one, label=first), replace(other, label=second)


def _words_of(key: Any) -> str:
    """Return the name of a condition; a key of several parts names all but the first."""
    if isinstance(key, str):
        return key
    first, *others = key._asdict().items()
    return ", ".join([str(first[1]), *(f"{name} {value}" for name, value in others)])


def _written(value: Any) -> str:
    """Return a value as the command line reads it."""
    if isinstance(value, str):
        return value
    return json.dumps(list(value) if isinstance(value, tuple) else value)
