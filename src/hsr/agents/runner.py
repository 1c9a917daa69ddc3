"""What `train` and `explore` share: common arguments, and seeds that act in an MDP that may change.

Both check their arguments, prepare the inputs shared by all seeds (`plan`), run the seeds in
threads (`seed`) and return the results (`run`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.memory import check_fits
from hsr._base.threads import check_workers
from hsr._base.validation import check_flag, check_seed, is_list
from hsr.agents.online import OnlineOptions, OptionFinder, changed
from hsr.agents.schedule import Schedule, later_stages
from hsr.agents.tables import tables_of
from hsr.kernels.records import Tables
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.options.option_set import OptionSet, check_options

NEVER = 2**62
TRACE_COLUMNS = 6
_BYTES_OF_OPTION = 30  # for each state, while the tables of what can be chosen are made


@dataclass(frozen=True, eq=False)
class CommonArguments:
    """The arguments that `train` and `explore` have in common, checked; never written.

    A *stage* is a stretch of time in which the MDP does not change. Without a `Schedule` there is
    one.

    Attributes
    ----------
    begins : tuple of int
        The episode or step at which each stage begins, the first of them 0.
    mdps : tuple of FiniteMDP
        The MDP of each stage.
    option_sets : tuple of OptionSet or None
        The options of each stage; None if there are none or if they are found online.
    tables : tuple of Tables
        The same as tables that the kernels read, without the options that will be found online.
    online : OnlineOptions or None
        How options are found online, if they are.
    n_options : int
        Number of options, or of places for those that will be found.
    seeds : tuple of int
        The seeds, all different.
    workers : int
        Number of threads.
    keep_maps, keep_values : bool
        Whether learned maps and values are returned.
    keep_options : bool
        Whether every set of options found online is returned, and not only the last.
    trajectory_of : int or None
        The seed whose steps are returned.
    """

    begins: tuple[int, ...]
    mdps: tuple[FiniteMDP, ...]
    option_sets: tuple[OptionSet | None, ...]
    tables: tuple[Tables, ...]
    online: OnlineOptions | None
    n_options: int
    seeds: tuple[int, ...]
    workers: int
    keep_maps: bool
    keep_values: bool
    keep_options: bool
    trajectory_of: int | None

    @property
    def mdp(self) -> FiniteMDP:
        """The MDP at the beginning."""
        return self.mdps[0]

    @property
    def n_choices(self) -> int:
        """Number of primitive actions and options together."""
        return self.mdp.n_actions + self.n_options

    @property
    def keeps_history(self) -> bool:
        """Whether every set of options found online is returned."""
        return self.online is not None and self.keep_options

    def bytes_of_options(self, steps: int) -> int:
        """Return the most bytes of the options found online that are returned, for all seeds."""
        if self.online is None:
            return 0
        of_seed = self.online.bytes_of_history(self.mdp, steps, keep_all=self.keep_options)
        return len(self.seeds) * of_seed


def check_common(
    mdp: FiniteMDP,
    options: OptionSet | OnlineOptions | None,
    seeds: Any,
    workers: int | None,
    keep_maps: bool,
    keep_values: bool,
    keep_options: bool,
    trajectory_of: int | None,
    schedule: Schedule | None = None,
) -> CommonArguments:
    """Return the common arguments of `train` and `explore`, or raise `InputError`.

    Parameters are those of `train`. All checks are cheap and come before any table is built.
    """
    check_mdp(mdp)
    given, online, n_options = None, None, 0
    if isinstance(options, OnlineOptions):
        options.check_size(mdp.n_states)
        online, n_options = options, options.n_options
    elif options is not None:
        given = check_options(mdp, options)
        n_options = len(given)
    seeds, workers = check_seeds(seeds), check_workers(workers)
    is_integer = isinstance(trajectory_of, (int, np.integer))
    if trajectory_of is not None and not (is_integer and trajectory_of in seeds):
        raise InputError(
            f"trajectory_of is {short_repr(trajectory_of)}; it must be one of the seeds"
        )
    check_fits(
        _BYTES_OF_OPTION * n_options * mdp.n_states,
        f"what can be chosen with {n_options} options in {mdp.n_states} states",
        "use fewer options",
    )
    keep_maps = check_flag(keep_maps, "keep_maps")
    keep_values = check_flag(keep_values, "keep_values")
    keep_options = check_flag(keep_options, "keep_options")
    stages = [(0, mdp, given, tables_of(mdp, given, n_options))]
    if schedule is not None:
        stages += later_stages(stages[0], schedule, n_options, finds_options=online is not None)
    begins, mdps, option_sets, tables = zip(*stages, strict=True)
    return CommonArguments(
        begins,
        mdps,
        option_sets,
        tables,
        online=online,
        n_options=n_options,
        seeds=seeds,
        workers=workers,
        keep_maps=keep_maps,
        keep_values=keep_values,
        keep_options=keep_options,
        trajectory_of=trajectory_of,
    )


def check_seeds(seeds: Any) -> tuple[int, ...]:
    """Return the seeds as integers, all different.

    A single integer is refused: it is unclear whether it means one seed or a number of seeds.

    >>> check_seeds(range(3))
    (0, 1, 2)
    """
    if not is_list(seeds):
        raise InputError(
            f"seeds is {short_repr(seeds)}; it must be a list of integers, such as range(20)"
        )
    numbers = tuple(check_seed(seed, f"seeds[{i}]") for i, seed in enumerate(seeds))
    if not numbers:
        raise InputError("seeds is empty; there must be at least one")
    # A repeated seed would count as evidence although it is the same run again.
    first: dict[int, int] = {}
    for i, seed in enumerate(numbers):
        if first.setdefault(seed, i) != i:
            raise InputError(
                f"seeds[{first[seed]}] and seeds[{i}] are both {seed}; "
                "a repeated seed is the same run again"
            )
    return numbers


class Seed:
    """One seed of a run: its random numbers, where it acts now, and what it has learned.

    Parameters
    ----------
    arguments : CommonArguments
        The stages of the MDP, and the options.
    number : int
        The seed.
    rng : numpy Generator
        The generator of this seed, which nothing else draws from.

    Attributes
    ----------
    stage : int
        Index of the stage, from 0.
    finder : OptionFinder or None
        Finds options, if they are found online.
    find_at : int
        Number of steps at which options are found next.
    options_at : dict of OptionSet
        The options that were found, by the number of steps.
    state : LinearQState or SarsaState
        What its kernel reads and writes; nothing for an agent in plain Python.
    met : int array (nnz,) or None
        How often each outcome was seen in this task, if the agent needs to know.
    """

    def __init__(self, arguments: CommonArguments, number: int, rng: np.random.Generator) -> None:
        self._arguments, self.number, self.rng = arguments, number, rng
        self.stage = 0
        self.finder: OptionFinder | None = None
        self.find_at = NEVER
        self.options_at: dict[int, OptionSet] = {}
        self.state: Any = None
        self.met: IntArray | None = None
        if arguments.online is not None:
            self.finder = OptionFinder(arguments.online, arguments.mdp, arguments.tables[0])
            self.find_at = arguments.online.warm_up

    @property
    def mdp(self) -> FiniteMDP:
        """The MDP in which the seed acts now."""
        return self._arguments.mdps[self.stage]

    @property
    def tables(self) -> Tables:
        """The same as tables, with what can be chosen now."""
        return self._arguments.tables[self.stage] if self.finder is None else self.finder.tables

    @property
    def next_change(self) -> int:
        """The episode or step at which the MDP changes next."""
        begins = self._arguments.begins
        return begins[self.stage + 1] if self.stage + 1 < len(begins) else NEVER

    def change_mdp(self, time: int) -> BoolArray | None:
        """Go on to the stage of a time.

        Returns which of the given options have changed (O,), None if the MDP has not.
        """
        different: BoolArray | None = None
        option_sets = self._arguments.option_sets
        while self.next_change <= time:
            self.stage += 1
            if self.finder is not None:
                self.finder.change_mdp(self.mdp, self._arguments.tables[self.stage])
            # One stage after the other, even if a long choice has missed one: what was seen of an
            # action is forgotten by every change that concerns it.
            now = np.zeros(0, dtype=bool)
            options = option_sets[self.stage]
            if options is not None:
                now = changed(option_sets[self.stage - 1], options)
            different = now if different is None else different | now
        return different

    def find_options(self, sr: FloatArray, time: int, *, compare: bool = True) -> BoolArray:
        """Find options in the SR learned so far (Algorithm S2), and return which have changed (O,).

        Without `compare`, changes are looked for only if the values need them.
        """
        assert self.finder is not None
        online = self.finder.online
        different = self.finder.find(sr, compare=compare or online.values == "reset")
        if not self._arguments.keep_options:
            self.options_at.clear()
        assert self.finder.options is not None
        self.options_at[time] = self.finder.options
        self.find_at = online.next_refresh(time)
        return different


def frozen(arrays: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return some arrays, read-only; None stays None."""
    return {name: None if arrays[name] is None else read_only(arrays[name]) for name in names}
