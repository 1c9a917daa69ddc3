"""What a store holds: settings of experiments, by their numbers, and what their runs say.

A store may come from somebody else. Nothing here runs a file that a store names: an experiment that
hsr does not define is known by the data in the store alone, unless the caller gives its code.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hsr import HSRError, InputError
from hsr._base.declaration import Spec
from hsr.experiments import catalogue
from hsr.experiments.changes import preset_in_words, write_value
from hsr.experiments.experiment import Experiment
from hsr.experiments.ledger_file import Row, checked, rows_of
from hsr.experiments.runner import analysed, variants_of
from hsr.experiments.store import SettingRow, Store

_LONGEST_VALUE = 40


@dataclass(frozen=True, eq=False)
class StoredSetting:
    """A setting whose runs were registered in a store.

    Parameters
    ----------
    row : SettingRow
        The setting as the store has it.
    n_runs, n_stored : int
        How many runs there are, and how many of them are stored.
    experiment : Experiment, optional
        The experiment, if its code is at hand and takes the setting.
    variants : dict of str to Spec
        The setting under the name "", and the variants that were asked for.
    """

    row: SettingRow
    n_runs: int
    n_stored: int
    experiment: Experiment | None = None
    variants: dict[str, Spec] = field(default_factory=dict)

    @property
    def can_be_judged(self) -> bool:
        """Whether all runs are stored, with the code that analyses them or what it said."""
        known = self.experiment is not None or self.row.ledger is not None
        return known and self.n_stored == self.n_runs

    def __str__(self) -> str:
        """Say what the setting is, in one line."""
        row = self.row
        changes = [f"{path}={_short(value)}" for path, value in row.changes.items()]
        without = [] if row.controls else ["without variants"]
        words = ", ".join([*preset_in_words(row.preset, row.file), *changes, *without])
        left = "" if self.n_stored == self.n_runs else f", {self.n_stored:,} of them stored"
        setting = f" ({words})" if words else ""
        return f"{row.number}: {row.experiment}{setting}, {self.n_runs:,} runs{left}"


def _short(value: object) -> str:
    text = write_value(value)
    return text if len(text) <= _LONGEST_VALUE and "\n" not in text else "..."


def settings_in(store: Store, own: Sequence[Experiment] = ()) -> list[StoredSetting]:
    """Return every setting of a store, the latest last.

    Parameters
    ----------
    store : Store
        The runs.
    own : sequence of Experiment
        Experiments that hsr does not define. Without them, their settings are known as data only.
    """
    counts, code = store.counts(), {one.name: one for one in own}
    found = []
    for row in store.settings():
        both = _opened(row, code.get(row.experiment) if row.file else catalogue.built_in(row[1]))
        found.append(StoredSetting(row, *counts.get(row.number, (0, 0)), *both))
    return found


def _opened(
    row: SettingRow, experiment: Experiment | None
) -> tuple[Experiment | None, dict[str, Spec]]:
    """Return an experiment with the variants of a setting, or None if it does not take these."""
    if experiment is None:
        return None, {}
    try:
        setting = type(experiment.presets[row.preset]).from_data(row.setting)
        return experiment, variants_of(experiment, setting, controls=row.controls)
    except (HSRError, KeyError):  # of another version
        return None, {}


def chosen_in(
    store: Store,
    numbers: Sequence[int] = (),
    own: Sequence[Experiment] = (),
) -> tuple[list[StoredSetting], list[StoredSetting]]:
    """Return what a store has to report: of each experiment the latest setting that is complete.

    Parameters
    ----------
    store, own
        As in `settings_in`.
    numbers : sequence of int
        Numbers of settings to report instead.

    Returns
    -------
    list, list of StoredSetting
        Settings to report, in the order of the figures, and the others of the store.

    Raises
    ------
    InputError
        If there is none. The message says what the store holds.
    """
    found = settings_in(store, own)
    complete = [one for one in found if one.can_be_judged]
    if numbers:
        shown = [one for one in complete if one.row.number in numbers]
    else:
        latest = {one.row.experiment: one for one in complete}
        order = [*catalogue.names(), *latest]
        shown = sorted(latest.values(), key=lambda one: order.index(one.row.experiment))
    missing = sorted(set(numbers) - {one.row.number for one in shown})
    if missing or not shown:
        what = f"no complete setting {missing[0]}" if missing else "no complete setting"
        raise InputError(
            f"{str(store.folder)!r} has {what}: {'; '.join(map(str, found)) or 'it is empty'}. Run "
            "the experiment again to complete it"
        )
    return shown, [one for one in found if one not in shown]


def ledger_of(
    store: Store,
    shown: Sequence[StoredSetting],
    on_setting: Callable[[int, int, str], None] = lambda number, total, name: None,
) -> tuple[list[Row], Counter[str]]:
    """Return the ledger of settings as data, and how many of their runs each code made.

    Settings whose code is at hand are analysed. For the others, the ledger that ``hsr run`` stored
    is returned. Before each setting, `on_setting` is called with its number, the number of settings
    and the name of the experiment.
    """
    rows: list[Row] = []
    made_by = Counter[str]()
    for i, one in enumerate(shown, start=1):
        on_setting(i, len(shown), one.row.experiment)
        if one.experiment is None:
            where = f"setting {one.row.number} of {str(store.folder)!r}"
            rows += checked(one.row.ledger or [], where)
        else:
            found = analysed(one.experiment, one.variants, store)
            if found is None:
                raise other_version(one)
            rows += rows_of(one.experiment, found[1])
        made_by.update(store.sources_in(one.row.number))
    return rows, made_by


def other_version(one: StoredSetting) -> InputError:
    """Return the error for a setting that has other runs in this version of the code."""
    return InputError(
        f"setting {one} was run by another version of its experiment, which had other runs; run it "
        "again"
    )
