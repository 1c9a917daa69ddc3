"""An experiment as one object: what it asks, what is run for it, and what its claims compare.

The paper's experiments are modules of `hsr.paper.experiments`. An experiment of your own is a
Python file that defines EXPERIMENT in the same way; ``hsr run FILE.py`` runs it.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from hsr import InputError
from hsr._base.declaration import Spec, changed, declarations, nested, value_at
from hsr._base.fields import like
from hsr.experiments.axes import Axes
from hsr.experiments.contrast import Claim, Contrast, Measure
from hsr.experiments.ledger import PAPER, READINGS, Evidence
from hsr.experiments.setting import first_number, nearest, seed_count, world_count
from hsr.experiments.store import Record, ResultTable, canonical

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PACKAGE = "hsr.paper.experiments"
SEEDS_OF_A_WORLD = 1000
_NO_AXES = Axes({})
_KNOWN: WeakValueDictionary[tuple[type, str], Spec] = WeakValueDictionary()  # by their texts
# ``look(condition, worlds)`` returns the finished runs of a condition, or None if one is missing.
Look = Callable[[Any, Sequence[int]], ResultTable | None]
Planned = Iterable[tuple[Spec, Sequence[int]]]


def scored_worlds(setting: Spec) -> tuple[int, ...]:
    """Return the worlds of the runs that count.

    They are consecutive: `setting.worlds` of them, from `setting.first_world`. A control, where
    `setting.as_control` says so, has `setting.control_worlds` at most. A setting without these
    fields leaves nothing to the world, and world 0 stands for all.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> scored_worlds(SimpleNamespace(worlds=3, first_world=10))
    (10, 11, 12)
    """
    first: int = getattr(setting, "first_world", 0)
    n: int = getattr(setting, "worlds", 1)
    if getattr(setting, "as_control", False):
        n = min(n, getattr(setting, "control_worlds", n))
    return tuple(range(first, first + n))


def seeds_in(condition: Any, world: int) -> range:
    """Return the seeds of a condition in a world: 1000 w, 1000 w + 1, and so on.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> seeds_in(SimpleNamespace(seeds=2), 3)
    range(3000, 3002)
    """
    first = SEEDS_OF_A_WORLD * world
    return range(first, first + condition.seeds)


def on_scored_worlds(
    setting: Spec, conditions: Mapping[Any, Spec]
) -> Iterator[tuple[Spec, Sequence[int]]]:
    """Yield every condition with all worlds of the setting."""
    for condition in conditions.values():
        yield condition, scored_worlds(setting)


def _as_it_is(setting: Any, conditions: Mapping[Any, Any]) -> Any:
    """Return the setting."""
    return setting


def _accept(setting: Spec, conditions: Mapping[Any, Spec]) -> None:
    """Refuse nothing."""


@lru_cache(maxsize=2**14)
def text_of(condition: Spec) -> str:
    """Return a condition as canonical text, which is written once; keys of runs are made of it."""
    text = canonical(condition.data())
    _KNOWN[type(condition), text] = condition
    return text


@lru_cache(maxsize=1024)
def _decoded(kind: Any, text: str) -> Any:
    """Return a condition from its canonical text; conditions share the parts that are equal."""
    if (kind, text) in _KNOWN:
        return _KNOWN[kind, text]
    data = json.loads(text)
    for name, declared in declarations(kind).items():
        if declared.spec is not None and name in data:
            data[name] = _part(kind, name, canonical(data[name]))
    return kind.from_data(data)


@lru_cache(maxsize=1024)
def _part(kind: type, name: str, text: str) -> Any:
    return declarations(kind)[name].check(json.loads(text), name)


def rows_of(
    table: ResultTable, setting: Spec, conditions: Mapping[Any, Spec]
) -> dict[Any, ResultTable]:
    """Return the runs of each condition, by the name under which it is drawn."""
    return {name: table.of_text(text_of(condition)) for name, condition in conditions.items()}


def has_own_maze(setting: Spec) -> bool:
    """Return whether the maze of a setting is given as text, and not by its name."""
    specs = (getattr(setting, name, None) for name in ("world", "maze"))
    return any("\n" in getattr(spec, "layout", "") for spec in specs)


@dataclass(frozen=True)
class Experiment:
    """One experiment: what it asks, what is run for it, and what its claims compare.

    `from_function` makes it. Functions below get the setting and its conditions, by the name under
    which each is drawn.

    Parameters
    ----------
    name : str
        The name on the command line, which is also the name of the module.
    title : str
        What the experiment is about, in a few words.
    run : callable
        ``run(condition, world)`` returns the arrays of one run, by name.
    conditions : callable
        ``conditions(setting)`` returns what is run. A condition is everything that defines a run
        except its world.
    presets : mapping of str to Spec
        Complete settings by name: "paper", and the small "smoke".
    condition : type, optional
        The class of conditions. By default that of the first condition.
    plan : callable
        ``plan(setting, conditions)`` yields which conditions are run in which worlds.
    later : callable, optional
        ``later(setting, conditions, look)`` yields what else is run once results are known, such as
        each agent at the settings that suited it best. ``look(condition, worlds)`` returns finished
        runs, or None if one is missing. It is called again until it yields nothing new.
    analysis : callable
        ``analysis(table, setting, conditions)`` turns runs into the numbers that claims and figures
        use. By default the runs of each condition.
    check : callable
        ``check(setting, conditions)`` raises `InputError` if something cannot be run, before any
        run starts.
    fit : callable
        ``fit(setting, conditions)`` returns a setting that was changed with no more worlds than
        there are. By default they are not limited.
    measures : callable, optional
        ``measures(table, setting, condition)`` returns by what two settings of one condition are
        compared. By default the means of the arrays.
    axes : Axes
        What the axes of the arrays are called, for tables.
    claims : sequence of Claim
        What is claimed.
    draw : callable, optional
        ``draw(numbers, variants)`` returns the figure. Variants are numbers by their names. By
        default what the claims compare, one point per world.
    caption : str
        What the figure shows, with the letters of its panels in bold.
    tables : callable, optional
        ``tables(numbers)`` returns what a page about the experiment shows below the verdicts on its
        claims, as Markdown.
    figure : str
        The figure of the paper.
    variants : mapping of str to mapping of str to mapping
        By column of the ledger (`READINGS`, `MAZES`, `TUNED`) and by the name of the variant, the
        fields that it changes. A variant asks the same question under another setting.
    readings : mapping of str to mapping
        Further readings of the paper by their names, and the fields that they change. They are run
        on request only (`hsr run --reading`), as those of `variants` can be.
    swept : mapping of str to str
        By the path of a field that the experiment sets itself, the field that lists its values. To
        change the former restricts the latter to one value.
    extras : tuple of str
        Extras of hsr without which it cannot be run. Everything else works without them.
    source : str
        The Python file of an experiment of your own, which `hsr.experiments.catalogue.find` sets.
    """

    name: str
    title: str
    run: Callable[[Any, int], Mapping[str, Any]]
    conditions: Callable[[Any], Mapping[Any, Any]]
    presets: Mapping[str, Spec]
    condition: type[Spec] | None = None
    plan: Callable[[Any, Any], Planned] = on_scored_worlds
    later: Callable[[Any, Any, Look], Planned] | None = None
    analysis: Callable[[ResultTable, Any, Any], Any] = rows_of
    check: Callable[[Any, Any], None] = _accept
    fit: Callable[[Any, Any], Any] = _as_it_is
    measures: Callable[[ResultTable, Any, Any], list[Measure]] | None = None
    axes: Axes = _NO_AXES
    claims: Sequence[Claim] = ()
    draw: "Callable[[Any, Mapping[str, Any]], Figure] | None" = None
    caption: str = ""
    tables: Callable[[Any], str] | None = None
    figure: str = "ours"
    variants: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    readings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    swept: Mapping[str, str] = field(default_factory=dict)
    extras: tuple[str, ...] = ()
    source: str = ""
    _expanded: dict[Spec, Mapping[Any, Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _found: dict[Spec, dict[str, Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # what `_tried` returned

    @classmethod
    def from_function(
        cls,
        name: str,
        title: str,
        run: Callable[[Any, int], Mapping[str, Any]],
        *,
        conditions: Mapping[str, Mapping[str, Any]] | Callable[[Any], Mapping[Any, Any]],
        setting: Spec | Mapping[str, Any],
        smoke: Mapping[str, Any] | None = None,
        analyse: Callable[[ResultTable, Any, Any], Any] = rows_of,
        **more: Any,
    ) -> "Experiment":
        """Return an experiment whose runs are a function.

        Parameters
        ----------
        name, title
            As in `Experiment`.
        run : callable
            ``run(condition, world)`` returns the arrays of one run by name, with the seed as the
            first axis. The condition has the fields of the setting and its own as attributes, and
            `seeds_in` gives its seeds in a world.
        conditions : mapping of str to mapping, or callable
            By the name of the agent, the fields in which it differs. Where they depend on the
            setting, ``conditions(setting)`` returns them. It may also return whole conditions.
        setting : mapping or Spec
            The fields of the setting with their values, which give their types. All have
            ``worlds``, ``first_world`` and ``seeds``, by default 20, 0 and 5. A specification of
            your own takes the place of the mapping where values need checks.
        smoke : mapping, optional
            Fields that differ in the preset "smoke", a small setting to try whether everything
            works. By default 2 worlds and 2 seeds.
        analyse : callable
            As `analysis` in `Experiment`.
        **more
            As in `Experiment`: plan, later, axes, claims, draw, caption, variants and so on.

        Examples
        --------
        >>> import numpy as np
        >>> from hsr.experiments import Claim, Pair
        >>> def run(condition, world):
        ...     rng = np.random.default_rng(world)
        ...     return {"steps": condition.factor * rng.uniform(1, 2, condition.seeds)}
        >>> experiment = Experiment.from_function(
        ...     "factors",
        ...     "twice as many steps",
        ...     run,
        ...     setting={"worlds": 8, "slip": 0.1},
        ...     conditions={"slow": {"factor": 2.0}, "fast": {"factor": 1.0}},
        ...     claims=[Claim("faster", "Fast is faster.", [Pair("slow", "fast", +1, "steps")])],
        ... )
        >>> setting = experiment.setting("smoke", {"slip": 0.2})
        >>> experiment.conditions(setting)["slow"].data()
        {'seeds': 2, 'slip': 0.2, 'factor': 2.0}
        """
        if isinstance(setting, Spec):
            whole: Spec = setting
            if not callable(conditions):
                raise InputError("setting is a Spec, so conditions must be a function of it")
        else:
            whole, conditions, more["condition"] = _plain(name, setting, conditions)
        small = {"worlds": 2, "seeds": 2} if smoke is None else smoke
        presets = {"smoke": changed(whole, small), "paper": whole}
        return cls(name, title, run, conditions, presets, analysis=analyse, **more)

    @property
    def controls(self) -> dict[str, Mapping[str, Any]]:
        """The fields that each variant changes, by its name."""
        return {name: one for column in self.variants.values() for name, one in column.items()}

    @property
    def columns(self) -> dict[str, str]:
        """The column of each variant, by its name; the setting itself has the name ""."""
        named = {name: column for column, some in self.variants.items() for name in some}
        return {"": PAPER, **named}

    def __call__(self, setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
        """Run one condition, given as plain data, and yield one record per world.

        This is what a worker calls: it finds the experiment by `path`. The number of the world is
        what the store calls the seed of a run.
        """
        kind: Any = self.kind
        condition = _decoded(kind, canonical(setting))
        for world in seeds:
            begin = time.perf_counter()
            arrays = dict(self.run(condition, world))
            yield Record(self.name, setting, world, arrays, time.perf_counter() - begin)

    def reading(self, name: str) -> Mapping[str, Any]:
        """Return the fields that a named reading of the paper changes."""
        known = {**self.readings, **self.variants.get(READINGS, {})}
        if name not in known:
            raise nearest(name, list(known), "reading")
        return known[name]

    @cached_property
    def kind(self) -> type[Spec]:
        """The class of conditions."""
        if self.condition is not None:
            return self.condition
        return type(next(iter(self.conditions(self.presets["smoke"]).values())))

    @property
    def usual_preset(self) -> str:
        """The preset that is run unless another is named: of your own file the whole setting."""
        return "paper" if self.source else "smoke"

    @property
    def path(self) -> str:
        """Where a worker finds the experiment: "package.module:name" or "FILE.py:name"."""
        return f"{self.source or f'{PACKAGE}.{self.name}'}:EXPERIMENT"

    def analyse(self, table: ResultTable, setting: Spec) -> Any:
        """Return the numbers of a setting that claims and the figure use."""
        return self.analysis(table, setting, self.expanded(setting))

    def expanded(self, setting: Spec) -> Mapping[Any, Any]:
        """Return the conditions of a setting, made and checked once.

        Raises
        ------
        InputError
            If something cannot be run, such as more worlds than a maze has.
        """
        if setting not in self._expanded:
            conditions = self.conditions(setting)
            self.check(setting, conditions)
            self._expanded[setting] = conditions
        return self._expanded[setting]

    def contrasts(self, numbers: Any) -> list[Contrast | Evidence]:
        """Return what the claims compare in the numbers of a setting."""
        return [one for claim in self.claims for one in claim.contrasts(numbers)]

    def drawn(self, numbers: Any, controls: Mapping[str, Any]) -> "Figure":
        """Return the figure of a setting and its controls."""
        if self.draw is not None:
            return self.draw(numbers, controls)
        from hsr.experiments.panels import draw_all_claims

        return draw_all_claims(self, numbers)

    def setting(self, preset: str, changes: Mapping[str, Any]) -> Spec:
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

    def _restricted(self, setting: Spec, path: str, values: str, *, given: bool) -> Spec:
        """Return the setting with the list `values` restricted to the value of a field."""
        itself = f"{self.name} sets {path} itself, to each of {values}"
        if given:
            raise InputError(f"{path} and {values} are both changed; {itself}")
        try:
            return changed(setting, {values: (value_at(setting, path),)})
        except InputError as error:
            raise InputError(f"{itself}; change {values} instead ({error})") from None

    def with_controls(self, setting: Spec, *, check: bool = True) -> dict[str, Spec]:
        """Return the setting under the name "", and those of its controls under theirs.

        If the layout is user-supplied, a control that cannot be run is left out; `left_out` says
        why. Without `check`, no control is left out.
        """
        if not check:
            asked = {name: changed(setting, change) for name, change in self.controls.items()}
            return {"": setting, **asked}
        controls = self._tried(setting)
        return {"": setting} | {
            name: one for name, one in controls.items() if isinstance(one, Spec)
        }

    def left_out(self, setting: Spec) -> dict[str, str]:
        """Return the controls that cannot be run in a setting, each with the reason.

        An example is a user-supplied maze with fewer worlds than the control needs.
        """
        controls = self._tried(setting) if has_own_maze(setting) else {}
        return {name: str(one) for name, one in controls.items() if isinstance(one, InputError)}

    def _tried(self, setting: Spec) -> dict[str, Spec | InputError]:
        """Return the setting of each variant, made once, or why it cannot be run."""
        if setting in self._found:
            return self._found[setting]
        found: dict[str, Spec | InputError] = {}
        for name, change in self.controls.items():
            try:
                control = changed(setting, change)
                self.expanded(control)
                found[name] = control
            except InputError as error:
                if not has_own_maze(setting):
                    raise
                found[name] = error
        self._found[setting] = found
        return found

    def planned(
        self, setting: Spec, conditions: Mapping[Any, Any], look: Look | None = None
    ) -> Iterator[tuple[Spec, Sequence[int]]]:
        """Yield which conditions are run in which worlds, with what follows from finished runs."""
        yield from self.plan(setting, conditions)
        if self.later is not None and look is not None:
            yield from self.later(setting, conditions, look)

    def runs(
        self, setting: Spec, look: Look | None = None
    ) -> list[tuple[dict[str, Any], tuple[int, ...]]]:
        """Return every condition of a setting once, as plain data, with its worlds.

        Runs that depend on the results of others are there if `look` finds those results.
        """
        worlds_of = self.worlds_of(setting, look)
        return [(json.loads(text), worlds) for text, worlds in worlds_of.items()]

    def worlds_of(
        self, setting: Spec, look: Look | None = None, *, check: bool = True
    ) -> dict[str, tuple[int, ...]]:
        """Return the worlds of every condition of a setting, by the text of the condition.

        Parameters
        ----------
        setting, look
            As in `runs`.
        check : bool
            Whether it is tested first that everything can be run.
        """
        conditions = self.expanded(setting) if check else self.conditions(setting)
        worlds_of: dict[str, dict[int, None]] = {}
        for condition, worlds in self.planned(setting, conditions, look):
            worlds_of.setdefault(text_of(condition), {}).update(dict.fromkeys(worlds))
        return {text: tuple(worlds) for text, worlds in worlds_of.items()}

    def rows(self, table: ResultTable, setting: Spec) -> dict[Any, ResultTable]:
        """Return the runs of each condition, by the name under which it is drawn."""
        return rows_of(table, setting, self.expanded(setting))


def _like(example: Any) -> Any:
    return nested(example) if isinstance(example, Spec) else like(example)


def _plain(
    name: str,
    setting: Mapping[str, Any],
    conditions: Mapping[str, Mapping[str, Any]] | Callable[[Any], Mapping[Any, Any]],
) -> tuple[Spec, Callable[[Any], Mapping[Any, Any]], type[Spec]]:
    """Return the setting, the function of its conditions and their class, from plain values."""
    sample = {"worlds": 20, "first_world": 0, "seeds": 5, **setting}
    whole = _spec(f"{name}_setting", sample)()
    shared = {one: sample[one] for one in sample if one not in ("worlds", "first_world")}
    differ = conditions(whole) if callable(conditions) else conditions
    own = {one: None for fields in differ.values() for one in fields if one not in shared}
    condition = _spec(f"{name}_condition", {**shared, **own})

    def of_setting(chosen: Any) -> dict[str, Spec]:
        same = {one: getattr(chosen, one) for one in shared}
        agents = conditions(chosen) if callable(conditions) else conditions
        return {agent: condition(**{**same, **fields}) for agent, fields in agents.items()}

    return whole, of_setting, condition


def _spec(name: str, values: Mapping[str, Any]) -> type[Spec]:
    """Return a specification whose fields take values like those that are given."""
    limits = {"worlds": world_count, "first_world": first_number, "seeds": seed_count}
    fields = [
        (one, Any, limits[one](example) if one in limits else _like(example))
        for one, example in values.items()
    ]
    return make_dataclass(name, fields, bases=(Spec,), frozen=True)
