"""Settings of agents that `tune` tries, and the best of them."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from hsr._base.declaration import declarations
from hsr._base.errors import InputError, short_repr
from hsr.agents.custom import Agent, is_custom
from hsr.agents.gpi import GPI
from hsr.agents.linear_q import LinearQ
from hsr.agents.online import OnlineOptions
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import Task
from hsr.options.option_set import OptionSet

Values = Mapping[str, Any]
"""Settings by name."""
Place = tuple[FiniteMDP, tuple[Task, ...], OptionSet | OnlineOptions | None]
"""MDP, tasks and options that agents are tuned in."""


def best_setting(
    tried: Sequence[Values],
    loss: Sequence[float],
    *,
    limits: Mapping[str, Any] | None = None,
    margin: float = 0.0,
) -> tuple[int, tuple[str, ...]]:
    """Return which settings have the smallest loss, and which of them lie at an end of their list.

    Parameters
    ----------
    tried : list of mappings from str to values
        The settings, all with the same names. Those that are no numbers have no ends.
    loss : list of float
        The loss of each; not-a-number counts as infinite.
    limits : mapping from str to sets of numbers, optional
        Values beyond which there is nothing. They are no ends.
    margin : float
        An end does not count if a value inside the list has a loss that is larger by no more than
        this.

    Returns
    -------
    best : int
        Index of the first of the best settings.
    at_end : tuple of str
        The names of settings whose best value is the smallest or the largest that was tried.

    Examples
    --------
    >>> tried = [{"rate": 0.01}, {"rate": 0.1}, {"rate": 1.0}]
    >>> best_setting(tried, [30.0, 20.0, 15.0])
    (2, ('rate',))
    >>> best_setting(tried, [30.0, 20.0, 15.0], limits={"rate": {1.0}})
    (2, ())
    """
    losses = np.where(np.isnan(loss), np.inf, loss)
    best = int(np.argmin(losses))
    at_end = []
    for name, value in tried[best].items():
        column = [values[name] for values in tried]
        if not all(_is_number(entry) for entry in column) or min(column) == max(column):
            continue
        ends = {min(column), max(column)} - set((limits or {}).get(name, ()))
        inside = losses[[entry not in ends for entry in column]].min(initial=np.inf)
        if value in ends and inside > losses[best] + margin:
            at_end.append(name)
    return best, tuple(at_end)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def allowed_limits() -> dict[str, set[float]]:
    """Return the smallest and largest values that settings of `LinearQ` may have."""
    return {
        name: {bound for word, bound in declared.bounds.items() if word in ("ge", "le")}
        for name, declared in declarations(LinearQ).items()
        if declared.bounds
    }


def combinations(
    agent: Any, lists: Mapping[str, tuple[Any, ...]], places: Sequence[Place]
) -> list[dict[str, Any]]:
    """Return every combination of settings of an agent."""
    learner = agent.learner if isinstance(agent, GPI) else agent
    finds_options = any(isinstance(options, OnlineOptions) for _, _, options in places)
    if isinstance(learner, LinearQ) and not (learner.learns_features or finds_options):
        of_maps = ("map_learning_rate", "map_discount", "initial_map", "map_update")
        lists = {setting: values for setting, values in lists.items() if setting not in of_maps}
    return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]


def wanted(agent: Any) -> tuple[str, ...]:
    """Return what a function that makes agents wants to be told of a place."""
    if isinstance(agent, LinearQ | GPI) or not callable(agent):
        return ()
    try:
        parameters = inspect.signature(agent).parameters
    except ValueError:  # a builtin without a signature
        return ()
    return tuple(name for name in ("mdp", "options") if name in parameters)


def agent_at(agent: Any, values: Values, name: str, place: Place) -> LinearQ | GPI | Agent:
    """Return an agent with other settings."""
    if isinstance(agent, LinearQ | GPI):
        for setting in values:
            if setting not in declarations(LinearQ):
                raise InputError(f"rates has {setting!r}, which is no setting of LinearQ")
        if isinstance(agent, GPI):
            return agent.with_learner(replace(agent.learner, **values))
        return replace(agent, **values)
    if not callable(agent) or (isinstance(agent, Agent) and not isinstance(agent, type)):
        raise InputError(
            f"agents[{name!r}] is {short_repr(agent)}; it must be a LinearQ, a GPI, or a function "
            "or class that is called with the settings and returns an agent"
        )
    mdp, _, options = place
    told = {"mdp": mdp, "options": options}
    made = agent(**values, **{word: told[word] for word in wanted(agent)})
    if isinstance(made, LinearQ | GPI) or is_custom(made):
        return made
    raise InputError(
        f"agents[{name!r}] returned {short_repr(made)}; it must return a LinearQ, a GPI, or an "
        "agent with begin, act and learn"
    )
