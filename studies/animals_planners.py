"""Agents with beliefs about a world that changes, in plain Python for `hsr.train`.

They know what they have seen: where each action led last, and the goal once it was found.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np


class Believer:
    """An epsilon-greedy agent that remembers where each action led last; -1 if it is untried."""

    epsilon: float

    def begin(self, context: Any, seed: int) -> None:
        """Forget everything."""
        self.n_states, self.discount = context.n_states, context.discount
        self.led = np.full((context.n_states, context.n_actions), -1)
        self.goal, self.rng = -1, np.random.default_rng(seed)

    def act(self, state: int, choices: np.ndarray) -> int:
        """Return a random choice, or one of the best."""
        q = np.zeros(len(choices))
        if self.rng.random() >= self.epsilon:
            q = self.values_of(state)[choices]
        return int(self.rng.choice(choices[q >= q.max() - 1e-12]))

    def learn(self, step: Any) -> None:
        """Remember where a choice has led, and the goal."""
        self.led[step.state, step.choice] = step.next_state
        self.goal = step.next_state if step.ended else self.goal

    def values_of(self, state: int) -> np.ndarray:
        """Return how good each action is."""
        raise NotImplementedError


@dataclass
class Dyna(Believer):
    """Q-learning that after each step also updates some remembered transitions.

    Parameters
    ----------
    learning_rate, epsilon : float
        Step size of the values, and probability of a random action.
    updates : int
        Number of remembered transitions that are updated, all different.
    """

    learning_rate: float
    epsilon: float
    updates: int

    def begin(self, context: Any, seed: int) -> None:
        """Forget everything."""
        super().begin(context, seed)
        self.q = np.zeros(self.led.shape)

    def values_of(self, state: int) -> np.ndarray:
        """Return the values of actions."""
        return self.q[state]

    def learn(self, step: Any) -> None:
        """Update the value of what was done, and then some that are remembered."""
        super().learn(step)
        self._update(np.array([step.state]), np.array([step.choice]))
        known = np.flatnonzero(self.led.ravel() >= 0)
        again = self.rng.permutation(known)[: self.updates]
        self._update(*np.divmod(again, self.q.shape[1]))

    def _update(self, s: np.ndarray, a: np.ndarray) -> None:
        arrived = self.led[s, a]
        target = np.where(arrived == self.goal, 1.0, self.discount * self.q[arrived].max(axis=1))
        self.q[s, a] += self.learning_rate * (target - self.q[s, a])


@dataclass
class PredictiveMapAgent(Believer):
    """Goes where an SR learned online predicts most visits to the goal.

    The value of an action is M[s', g], the entry of the goal in the row of the state to which the
    action led last. An untried action is tried.

    Parameters
    ----------
    map_learning_rate, epsilon : float
        Step size of the SR, and probability of a random action.
    """

    map_learning_rate: float
    epsilon: float

    def begin(self, context: Any, seed: int) -> None:
        """Forget everything."""
        super().begin(context, seed)
        self.M = np.eye(self.n_states)

    def values_of(self, state: int) -> np.ndarray:
        """Return the expected discounted visits to the goal after each action."""
        led = self.led[state]
        return np.where(led < 0, np.inf, self.M[led, self.goal] if self.goal >= 0 else 0.0)

    def learn(self, step: Any) -> None:
        """Update the row of the state that was left."""
        super().learn(step)
        target = self.discount * self.M[step.next_state]
        target[step.state] += 1.0
        self.M[step.state] += self.map_learning_rate * (target - self.M[step.state])


@dataclass
class Planner(Believer):
    """Takes a shortest path in what it has seen, and takes untried actions to lead to the goal.

    Parameters
    ----------
    memory : float
        An action that led elsewhere than usual, which is where it led first, is believed to be
        blocked for so many steps.
    """

    memory: float

    def __post_init__(self) -> None:
        self.epsilon = 0.0

    def begin(self, context: Any, seed: int) -> None:
        """Forget everything."""
        super().begin(context, seed)
        self.usual, self.when, self.time = self.led.copy(), np.zeros(self.led.shape), 0

    def learn(self, step: Any) -> None:
        """Remember where an action has led, and when."""
        super().learn(step)
        place = step.state, step.choice
        self.time += 1
        self.when[place] = self.time
        if self.usual[place] < 0:
            self.usual[place] = step.next_state

    def values_of(self, state: int) -> np.ndarray:
        """Return minus the believed number of steps to the goal by each action."""
        blocked = (self.led != self.usual) & (self.time - self.when < self.memory)
        far = float(self.led.size)
        steps = np.full(self.n_states, far)
        if self.goal >= 0:
            steps[self.goal] = 0.0
        while True:
            q = 1.0 + np.where(blocked, far, steps[self.usual])
            q[self.led < 0] = 1.0
            shorter = np.minimum(q.min(axis=1), steps)
            if (shorter == steps).all():
                return -q[state]
            steps = shorter
