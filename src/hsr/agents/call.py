"""The arguments that `train` and `explore` have in common, checked before the first step."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.errors import InputError, short_repr
from hsr._base.machine import usable_cores
from hsr._base.memory import check_fits
from hsr._base.validation import check_count, check_flag, check_seed, is_list
from hsr.agents.online import OnlineOptions, n_options_of, online_of
from hsr.agents.schedule import Schedule, Stage, stages_of
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.options.option_set import OptionSet, check_options

BYTES_OF_OPTION = 30  # for each state, while the tables of what can be chosen are made


@dataclass(frozen=True, eq=False)
class Call:
    """What all agents and seeds of one call share; read, and never written.

    Attributes
    ----------
    mdp : FiniteMDP
        The MDP.
    stages : tuple of Stage
        The stretches of time between changes of the world, the first of them in `mdp`.
    options : OptionSet or None
        The options that are given, None if there are none or if they are found online.
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
    trajectory_of : int or None
        The seed whose steps are returned.
    """

    mdp: FiniteMDP
    stages: tuple[Stage, ...]
    options: OptionSet | None
    online: OnlineOptions | None
    n_options: int
    seeds: tuple[int, ...]
    workers: int
    keep_maps: bool
    keep_values: bool
    trajectory_of: int | None

    @property
    def n_choices(self) -> int:
        """Number of primitive actions and options together."""
        return self.mdp.n_actions + self.n_options


def check_call(
    mdp: FiniteMDP,
    options: OptionSet | OnlineOptions | None,
    seeds: Any,
    workers: int | None,
    keep_maps: bool,
    keep_values: bool,
    trajectory_of: int | None,
    schedule: Schedule | None = None,
) -> Call:
    """Return the common arguments of `train` and `explore`, or raise `InputError`.

    Parameters are those of `train`. All checks are cheap and come before any table is built.
    """
    check_mdp(mdp)
    if isinstance(options, OnlineOptions):
        options.check_size(mdp.n_states)
    elif options is not None:
        check_options(mdp, options)
    seeds, workers = check_seeds(seeds), check_workers(workers)
    is_integer = isinstance(trajectory_of, (int, np.integer))
    if trajectory_of is not None and not (is_integer and trajectory_of in seeds):
        raise InputError(
            f"trajectory_of is {short_repr(trajectory_of)}; it must be one of the seeds"
        )
    given, online = options if isinstance(options, OptionSet) else None, online_of(options)
    n_options = n_options_of(options)
    check_fits(
        BYTES_OF_OPTION * n_options * mdp.n_states,
        f"what can be chosen with {n_options} options in {mdp.n_states} states",
        "use fewer options",
    )
    return Call(
        mdp,
        stages_of(mdp, given, n_options, schedule, finds_options=online is not None),
        given,
        online,
        n_options,
        seeds,
        workers,
        check_flag(keep_maps, "keep_maps"),
        check_flag(keep_values, "keep_values"),
        trajectory_of,
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


def check_workers(workers: int | None) -> int:
    """Return the number of threads: by default one for each core that this process may use."""
    return usable_cores() if workers is None else check_count(workers, "workers")
