"""What a store holds: settings of experiments, by their numbers, and what their runs say."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hsr import HSRError, InputError
from hsr._base.declaration import Spec, paths_of, value_at
from hsr.experiments import catalogue
from hsr.experiments.changes import write_value
from hsr.experiments.experiment import Experiment
from hsr.experiments.ledger_file import Row, rows_of
from hsr.experiments.runner import analysed, look_in, variants_of
from hsr.experiments.store import Store
from hsr.experiments.store.record import keys_of

_LONGEST_VALUE = 40


@dataclass(frozen=True, eq=False)
class Holding:
    """A setting of an experiment that runs were asked for.

    Parameters
    ----------
    number : int
        Its number in the store; later settings have larger ones.
    experiment : Experiment
        The experiment.
    preset : str
        The preset that was changed.
    setting : Spec
        The setting.
    variants : dict of str to Spec
        The setting under the name "", and the controls that were asked for.
    n_runs, n_stored : int
        How many runs there are, and how many of them are stored.
    """

    number: int
    experiment: Experiment
    preset: str
    setting: Spec
    variants: dict[str, Spec]
    n_runs: int
    n_stored: int

    @property
    def is_own_file(self) -> bool:
        """Whether the experiment is defined by a file, and not by hsr."""
        return ".py:" in self.experiment.path

    @property
    def changes(self) -> dict[str, Any]:
        """The fields that differ from the preset, by their dotted paths."""
        usual = self.experiment.presets[self.preset]
        values = {path: value_at(self.setting, path) for path in paths_of(self.setting)}
        return {path: one for path, one in values.items() if one != value_at(usual, path)}

    def __str__(self) -> str:
        """Say what the setting is, in one line."""
        alone = self.experiment.controls and len(self.variants) == 1
        without = ["without controls"] if alone else []
        words = ", ".join([self.preset, *map(_change, self.changes.items()), *without])
        left = "" if self.n_stored == self.n_runs else f", {self.n_stored:,} of them stored"
        return f"{self.number}: {self.experiment.name} ({words}), {self.n_runs:,} runs{left}"


def _change(change: tuple[str, Any]) -> str:
    text = write_value(change[1])
    short = len(text) <= _LONGEST_VALUE and "\n" not in text
    return f"{change[0]}={text if short else '...'}"


def holdings_of(store: Store) -> list[Holding]:
    """Return every setting of a store whose experiment is known, the latest last."""
    found = []
    for asked in store.asked():
        try:
            experiment = catalogue.find(asked.file or asked.experiment)
            setting = type(experiment.presets[asked.preset]).from_data(asked.setting)
            variants = variants_of(experiment, setting, controls=asked.controls)
        except (HSRError, KeyError):
            continue  # it belongs to a file that is gone, or to another version
        look = look_in(store, experiment)
        keys = {
            key
            for variant in variants.values()
            for text, worlds in experiment.worlds_of(variant, look).items()
            for key in keys_of(experiment.name, text, worlds)
        }
        n_stored = len(store.sources_of(keys))
        found.append(
            Holding(asked.number, experiment, asked.preset, setting, variants, len(keys), n_stored)
        )
    return found


class Chosen(NamedTuple):
    """Settings to report, in the order of the figures, and the others of the store."""

    shown: list[Holding]
    others: list[Holding]


def chosen_in(store: Store, numbers: Sequence[int] = (), preset: str | None = None) -> Chosen:
    """Return what a store has to report: of each experiment the latest setting that is complete.

    Parameters
    ----------
    store : Store
        The runs.
    numbers : sequence of int
        Numbers of settings to report instead.
    preset : str, optional
        Report settings of this preset only.

    Raises
    ------
    InputError
        If there is none. The message says what the store holds.
    """
    found = holdings_of(store)
    complete = [one for one in found if one.n_stored == one.n_runs]
    if numbers:
        shown = [one for one in complete if one.number in numbers]
    else:
        latest = {one.experiment.name: one for one in complete if preset in (None, one.preset)}
        order = [*catalogue.names(), *latest]
        shown = sorted(latest.values(), key=lambda one: order.index(one.experiment.name))
    missing = sorted(set(numbers) - {one.number for one in shown})
    if missing or not shown:
        what = f"no complete setting {missing[0]}" if missing else "no complete setting"
        lost = sorted({one.file or one.experiment for one in store.asked()})
        holds = "; ".join(map(str, found)) or (
            f"it holds runs of {', '.join(lost)}, which cannot be analysed"
            if lost
            else "it is empty"
        )
        raise InputError(
            f"{str(store.folder)!r} has {what}: {holds}. Run the experiment again to complete it"
        )
    return Chosen(shown, [one for one in found if one not in shown])


class StoredLedger(NamedTuple):
    """The ledger of a store as data, how many of its runs each code made, and what was chosen."""

    rows: list[Row]
    source_version: Counter[str]
    chosen: Chosen


def ledger_of(store: Store, numbers: Sequence[int] = (), preset: str | None = None) -> StoredLedger:
    """Return the ledger of a store as data: a row for each claim that there is evidence for.

    Parameters
    ----------
    store, numbers, preset
        As in `chosen_in`.
    """
    chosen = chosen_in(store, numbers, preset)
    rows: list[Row] = []
    source_version = Counter[str]()
    for one in chosen.shown:
        found = analysed(one.experiment, one.variants, store)
        assert found is not None, "complete settings were chosen"
        rows += rows_of(one.experiment, found[1])
        source_version.update(record.source_version for record in found[2])
    return StoredLedger(rows, source_version, chosen)
