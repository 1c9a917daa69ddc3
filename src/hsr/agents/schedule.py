"""`Schedule`: when the MDP changes during a run, and what happens to the options then."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from hsr._base.errors import InputError, short_repr
from hsr._base.frozen import Frozen
from hsr._base.validation import check_choice, check_count
from hsr.agents.tables import tables_of
from hsr.kernels.records import Tables
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet, check_options
from hsr.options.repair import repair_options

OPTIONS_AFTER = {
    "fixed": "kept as they are, even where they no longer lead to their ends",
    "repaired": "planned again where they no longer lead to their ends",
}

Remake: TypeAlias = Callable[[FiniteMDP], OptionSet]


class Schedule(Frozen):
    """Changes of the MDP while an agent learns.

    All MDPs have the same states and actions, and the same discount. A change exchanges the
    transitions and nothing else: values, maps and the random generator of an agent carry over, and
    the agent is not told. An MDP equal to the one before it is no change.

    Given options are kept ("fixed"), repaired by `repair_options`, or made again by a function.
    Repaired options are always repaired from those given at the beginning, so that they return to
    what they were if a door opens again. Options that are found online (`OnlineOptions`) adapt
    by themselves, at their next refresh.

    **Which options?** A fixed option that walks into a closed door does not end before the episode
    does. It shows what a hierarchy costs when it is wrong. Repaired options are what an agent with
    a model of the new MDP would have.

    Parameters
    ----------
    changes : mapping from int to FiniteMDP
        The new MDP by the time of the change. `train` counts episodes, from the first of the first
        task to the last of the last. `explore` counts steps, and the MDP changes before the first
        choice at or after that step. A time is at least 1, because the run begins in the MDP that
        `train` or `explore` is given.
    options : {"fixed", "repaired"}, or a function of an MDP that returns an OptionSet
        What happens to given options. The function may not return more options than there were.

    Attributes
    ----------
    times : tuple of int
        The times of the changes, in order.
    mdps : tuple of FiniteMDP
        The new MDP at each of them.
    options : str or callable
        What happens to given options.

    Raises
    ------
    InputError
        If a time is not a positive integer, or MDPs differ in states, actions or discount.

    Examples
    --------
    A door of the four rooms closes after 20 episodes and opens again after 40:

    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> mdp = hsr.grid_mdp(layout, discount=0.9)
    >>> closed = hsr.grid_mdp(layout, discount=0.9, closed=[layout.bottlenecks[0]])
    >>> schedule = hsr.Schedule({20: closed, 40: mdp}, options="repaired")
    >>> schedule
    Schedule(changes at 20, 40; options repaired)
    >>> task, options = hsr.GoalTask(layout.start, layout.goals[0]), hsr.eigenoptions(mdp)
    >>> run = hsr.train(
    ...     mdp, [task], hsr.LinearQ("hsr"), options, seeds=[0], episodes=60, schedule=schedule
    ... )
    >>> run.steps.shape
    (1, 1, 60)
    """

    times: tuple[int, ...]
    mdps: tuple[FiniteMDP, ...]
    options: str | Remake

    def __init__(self, changes: Mapping[int, FiniteMDP], options: str | Remake = "fixed") -> None:
        if not isinstance(changes, Mapping):
            raise InputError(
                f"changes is {short_repr(changes)}; it must be a mapping from times to MDPs, "
                "such as {25: closed}"
            )
        times = sorted(check_count(time, "a time of changes") for time in changes)
        if not callable(options):
            check_choice(options, OPTIONS_AFTER, "options")
        mdps = tuple(changes[time] for time in times)
        for time, mdp in zip(times, mdps, strict=True):
            _check_same_kind(mdps[0], mdp, f"changes[{time}]", f"changes[{times[0]}]")
        self._set(times=tuple(times), mdps=mdps, options=options)

    def __repr__(self) -> str:
        times = ", ".join(map(str, self.times)) or "no time"
        kept = "made again" if callable(self.options) else self.options
        return f"Schedule(changes at {times}; options {kept})"

    def __reduce__(self) -> tuple[object, ...]:
        return Schedule, (dict(zip(self.times, self.mdps, strict=True)), self.options)


Stage: TypeAlias = tuple[int, FiniteMDP, OptionSet | None, Tables]
"""A stretch of time in which the MDP does not change: when it begins, and what there is in it."""


def later_stages(
    first: Stage, schedule: Schedule, n_options: int, *, finds_options: bool
) -> list[Stage]:
    """Return the stages of a run after the first one, or raise `InputError`.

    Parameters
    ----------
    first : Stage
        The first stage.
    schedule : Schedule
        The changes.
    n_options : int
        Number of places for options.
    finds_options : bool
        Whether options are found online.
    """
    if not isinstance(schedule, Schedule):
        raise InputError(
            f"schedule is {short_repr(schedule)}; it must be a Schedule, such as "
            "hsr.Schedule({25: closed})"
        )
    _, mdp, options, tables = first
    if schedule.options != "fixed" and options is None:
        why = (
            "they are found online and adapt by themselves"
            if finds_options
            else "there are no options"
        )
        raise InputError(f"schedule.options is {short_repr(schedule.options)}, but {why}")
    stages = []
    for time, later in zip(schedule.times, schedule.mdps, strict=True):
        _check_same_kind(mdp, later, f"schedule.changes[{time}]", "mdp")
        former, tables = tables, tables_of(later, None, n_options)
        if not _equal(former, tables):
            kept = _options_after(options, later, schedule.options, n_options, time)
            if kept is not None:
                tables = tables_of(later, kept, n_options)
            stages.append((time, later, kept, tables))
    return stages


def check_before_end(schedule: Schedule | None, end: int, what: str) -> None:
    """Raise `InputError` if a change comes after the last episode or step."""
    if schedule is not None and schedule.times and schedule.times[-1] >= end:
        raise InputError(
            f"schedule changes the MDP at {schedule.times[-1]}; there are only {end} {what}, "
            f"counted from 0"
        )


def _options_after(
    options: OptionSet | None, mdp: FiniteMDP, how: str | Remake, n_options: int, time: int
) -> OptionSet | None:
    """Return the given options after a change to another MDP."""
    if options is None or how == "fixed":
        return options
    if not callable(how):
        return repair_options(options, mdp)
    remade = check_options(mdp, how(mdp))
    if len(remade) > n_options:
        raise InputError(
            f"schedule.options returned {len(remade)} options for the change at {time}; "
            f"at the beginning there were {n_options}, and there is no place for more"
        )
    return remade


def _equal(first: Tables, second: Tables) -> bool:
    """Return whether all outcomes have equal probabilities."""
    return all(np.array_equal(a, b) for a, b in zip(first[:3], second[:3], strict=True))


def _check_same_kind(first: FiniteMDP, later: object, name: str, of: str) -> None:
    """Raise `InputError` unless two MDPs have the same states, actions and discount."""
    if not isinstance(later, FiniteMDP):
        raise InputError(f"{name} is {short_repr(later)}; it must be a FiniteMDP")
    for word in ("n_states", "n_actions", "discount", "labels"):
        here, there = getattr(later, word), getattr(first, word)
        if here != there:
            raise InputError(
                f"{name} has {word} {short_repr(here)} and {of} has {short_repr(there)}; "
                "a schedule keeps the states, actions and discount "
                "(grid_mdp(layout, closed=...) closes cells and keeps their states)"
            )
