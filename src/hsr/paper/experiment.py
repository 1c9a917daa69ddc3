"""An experiment as one object: what it asks, what is run for it, and under which settings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hsr import InputError
from hsr.paper.axes import Axes
from hsr.paper.setting import Setting, changed, nearest, value_at
from hsr.paper.store import Record, ResultTable

if TYPE_CHECKING:
    from hsr.paper.contrast import Measure

PACKAGE = "hsr.paper.experiments"


def scored_worlds(setting: Setting) -> tuple[int, ...]:
    """Return the worlds of the runs that count.

    They are consecutive: `setting.worlds` of them, from `setting.first_world`. A control, where
    `setting.as_control` says so, has `setting.control_worlds` at most. A setting without these
    fields leaves nothing to the world, and world 0 stands for all.

    Examples
    --------
    >>> from hsr.paper.transfer import TransferSetting
    >>> scored_worlds(TransferSetting(worlds=3, first_world=10))
    (10, 11, 12)
    """
    first: int = getattr(setting, "first_world", 0)
    n: int = getattr(setting, "worlds", 1)
    if getattr(setting, "as_control", False):
        n = min(n, getattr(setting, "control_worlds", n))
    return tuple(range(first, first + n))


def on_scored_worlds(
    setting: Setting, conditions: Mapping[Any, Setting]
) -> Iterator[tuple[Setting, Sequence[int]]]:
    """Yield every condition with all worlds of the setting."""
    for condition in conditions.values():
        yield condition, scored_worlds(setting)


def has_own_maze(setting: Setting) -> bool:
    """Return whether the maze of a setting is given as text, and not by its name."""
    specs = (getattr(setting, name, None) for name in ("world", "maze"))
    return any("\n" in getattr(spec, "layout", "") for spec in specs)


@dataclass(frozen=True)
class Work:
    """A kind of run, which several experiments may share.

    Parameters
    ----------
    run : callable
        ``run(setting, worlds, experiment)`` yields one `Record` per world of one condition. The
        number of the world is what the store calls the seed of a run.
    plan : callable
        ``plan(setting, conditions)`` yields which conditions are run in which worlds.
    axes : Axes
        What the axes of the arrays of a record are called, for tables.
    measures : callable, optional
        ``measures(table, setting, condition)`` returns by what two settings of one condition are
        compared. By default the means of the arrays.
    """

    run: Callable[[dict[str, Any], Sequence[int], str], Iterator[Record]]
    plan: Callable[[Any, Any], Iterable[tuple[Setting, Sequence[int]]]] = on_scored_worlds
    axes: Axes = Axes({})
    measures: "Callable[[ResultTable, Any, Any], list[Measure]] | None" = None


@dataclass(frozen=True)
class Experiment:
    """One experiment of the paper.

    Its package in `hsr.paper.experiments` has three modules. ``__init__`` holds this object, under
    the name EXPERIMENT. ``analysis`` has two functions: ``analyse(table, setting)`` turns runs into
    numbers, and ``contrasts(numbers)`` says which of them the claims compare. ``figure`` has the
    CAPTION and ``draw_figure(numbers, controls)``.

    Parameters
    ----------
    name : str
        The name on the command line, which is also the name of the package.
    figure : str
        The figure of the paper.
    title : str
        What the experiment is about, in a few words.
    work : Work
        The kind of run. `hsr.paper.transfer.TRANSFER` and `hsr.paper.exploring.EXPLORING` serve
        most experiments.
    conditions : callable
        ``conditions(setting)`` returns what is run, by the name under which it is drawn. A
        condition is everything that defines a run except its world.
    presets : mapping of str to Setting
        Complete settings by name.
    controls : mapping of str to mapping
        By the name of the control, the fields that it changes. A control asks the same question
        under another setting. It is shown in the same figure.
    sensitive_to : tuple of str
        Not used.
    swept : mapping of str to str
        By the path of a field that the experiment sets itself, the field that lists its values. To
        change the former restricts the latter to one value.
    extras : tuple of str
        Extras of hsr without which it cannot be run. Everything else works without them.
    """

    name: str
    figure: str
    title: str
    work: Work
    conditions: Callable[[Any], Mapping[Any, Any]]
    presets: Mapping[str, Setting]
    controls: Mapping[str, Mapping[str, Any]]
    sensitive_to: tuple[str, ...]
    swept: Mapping[str, str] = field(default_factory=dict)
    extras: tuple[str, ...] = ()

    def __call__(self, setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
        """Run one condition, given as plain data, and yield one record per world.

        This is what a worker calls: it finds the experiment by `path`.
        """
        return self.work.run(setting, seeds, self.name)

    @property
    def path(self) -> str:
        """Where a worker finds the experiment, as "package.module:name"."""
        return f"{PACKAGE}.{self.name}:EXPERIMENT"

    def module(self, name: str) -> Any:
        """Return a module of the experiment: "analysis" or "figure"."""
        return import_module(f"{PACKAGE}.{self.name}.{name}")

    def setting(self, preset: str, changes: Mapping[str, Any]) -> Setting:
        """Return a preset with some of its fields changed.

        Raises
        ------
        InputError
            If there is no such preset or field, a value does not fit, or a field that the
            experiment sets itself cannot be restricted to one value.
        """
        if preset not in self.presets:
            raise nearest(preset, list(self.presets), "preset")
        setting = changed(self.presets[preset], changes)
        for path, values in self.swept.items():
            if path in changes:
                setting = self._restricted(setting, path, values, given=values in changes)
        return setting

    def _restricted(self, setting: Setting, path: str, values: str, *, given: bool) -> Setting:
        """Return the setting with the list `values` restricted to the value of a field."""
        itself = f"{self.name} sets {path} itself, to each of {values}"
        if given:
            raise InputError(f"{path} and {values} are both changed; {itself}")
        try:
            return changed(setting, {values: (value_at(setting, path),)})
        except InputError as error:
            raise InputError(f"{itself}; change {values} instead ({error})") from None

    def with_controls(self, setting: Setting) -> dict[str, Setting]:
        """Return the setting under the name "", and those of its controls under theirs.

        In a maze of one's own, a control that cannot be run is left out; `left_out` says why.
        """
        controls = self._tried(setting)
        return {"": setting} | {
            name: one for name, one in controls.items() if isinstance(one, Setting)
        }

    def left_out(self, setting: Setting) -> dict[str, str]:
        """Return the controls that cannot be run in a setting, each with the reason.

        An example is a maze with fewer worlds than the control needs.
        """
        controls = self._tried(setting)
        return {name: str(one) for name, one in controls.items() if isinstance(one, InputError)}

    def _tried(self, setting: Setting) -> dict[str, Setting | InputError]:
        """Return the setting of each control, or why it cannot be run."""
        found: dict[str, Setting | InputError] = {}
        for name, change in self.controls.items():
            try:
                control = changed(setting, change)
                dict(self.work.plan(control, self.conditions(control)))
                found[name] = control
            except InputError as error:
                if not has_own_maze(setting):
                    raise
                found[name] = error
        return found

    def runs(self, setting: Setting) -> list[tuple[dict[str, Any], tuple[int, ...]]]:
        """Return every condition of a setting once, as plain data, with its worlds."""
        planned = dict(self.work.plan(setting, self.conditions(setting)))
        return [(condition.data(), tuple(seeds)) for condition, seeds in planned.items()]

    def rows(self, table: ResultTable, setting: Setting) -> dict[Any, ResultTable]:
        """Return the runs of each condition, by the name under which it is drawn."""
        return {
            name: table.of(condition.data()) for name, condition in self.conditions(setting).items()
        }
