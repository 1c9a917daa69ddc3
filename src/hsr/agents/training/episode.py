"""`EpisodeRecord`: what `train` tells about an episode as soon as it has ended."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One episode that has ended, as `train` gives it to its callback `on_episode`.

    Attributes
    ----------
    agent : str
        Name of the agent, empty if `train` was given one agent without a name.
    seed : int
        The seed.
    task : int
        Index of the task.
    episode : int
        Index of the episode within the task.
    steps : int
        Primitive steps of the episode.
    decisions : int
        Number of choices made.
    terminated : bool
        Whether the episode ended in the goal, and not by the horizon.
    coverage : float
        Fraction of all states seen since the first task began.
    greedy_steps : int or None
        Steps of the evaluation after this episode, with ``evaluate="episodes"``.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)
    >>> records = []
    >>> tasks, agent = [hsr.GoalTask(0, 2)], hsr.LinearQ()
    >>> run = hsr.train(mdp, tasks, agent, seeds=[7, 8], episodes=5, on_episode=records.append)
    >>> len(records), sum(record.steps for record in records) == int(run.steps.sum())
    (10, True)
    """

    agent: str
    seed: int
    task: int
    episode: int
    steps: int
    decisions: int
    terminated: bool
    coverage: float
    greedy_steps: int | None


OnEpisode: TypeAlias = Callable[[EpisodeRecord], object]


@dataclass(frozen=True)
class Reporter:
    """Tells the callback of `train` about the episodes of one agent.

    Attributes
    ----------
    agent : str
        Name of the agent.
    ask : callable
        Calls the callback and returns its answer.
    """

    agent: str
    ask: OnEpisode

    def should_continue(self, **facts: Any) -> bool:
        """Report an episode, all but its agent, and return whether its task is to go on."""
        answer = self.ask(EpisodeRecord(agent=self.agent, **facts))
        return not (isinstance(answer, bool | np.bool_) and not answer)
