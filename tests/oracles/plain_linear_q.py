"""Linear Q-learning over actions and options, with maps learned online, as plain NumPy.

The slow twin of `hsr.train`: Algorithms S2 and S3 of the paper and its Equations 2 and 8, written
down one idea per function. q(c, s) = W[c] . X[s], and an update with error d is W[c] += lr d X[s];
X is one-hot (kept as a table), fixed features, or the live map. Random numbers come from one
`numpy.random.Generator` per seed, in the order of events, so that a run can be compared step by
step.

Nothing here imports the code under test; an `hsr.FiniteMDP`, `hsr.GoalTask`, `hsr.OptionSet` or
`hsr.OnlineOptions` is only read, or asked for the options of a map.
"""

import copy
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from tests.oracles.dense_options import action_probabilities

LARGEST = 1e6


@dataclass(frozen=True)
class Rule:
    """How the agent acts and learns; the words are those of `hsr.LinearQ`."""

    features: Any = "onehot"
    learning_rate: float = 0.01
    epsilon: float = 0.1
    explore_with: str = "choices"
    map_learning_rate: float = 0.01
    map_discount: float | None = None
    initial_map: str = "identity"
    update: str = "chosen_and_primitives"
    map_update: str = "chosen"
    tie_tolerance: float = 1e-12
    ties: str = "random"
    explore_at: str = "choices"


@dataclass
class Result:
    """What one seed did and knows: (task, episode) tables, one row per primitive step, values and
    maps after each task.
    """

    steps: np.ndarray
    decisions: np.ndarray
    terminated: np.ndarray
    coverage: np.ndarray
    choice_use: np.ndarray
    goal_time: np.ndarray
    first_visit: np.ndarray
    episodes: np.ndarray
    greedy_steps: np.ndarray
    greedy_curve: np.ndarray
    status: str = "ok"
    diverged_in: tuple[int, int] = (-1, -1)
    values: list = field(default_factory=list)  # per task (C, S)
    sr: list = field(default_factory=list)  # per task (S, S), if one is learned
    hsr: list = field(default_factory=list)
    options: dict = field(default_factory=dict)  # every set of options found, by its step
    n_determined: dict = field(default_factory=dict)  # and how many of them have their own vector
    trajectory: np.ndarray | None = (
        None  # (n, 7): task, episode, choice, began, state, action, arrival
    )


class Diverged(Exception):
    """An error beyond all measure: the values have blown up."""


# Randomness: one uniform number per event, and none where there is only one outcome.


def pick(rng, sums):
    """Return the first index whose cumulative sum exceeds a uniform fraction of the total."""
    return int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))


def pick_evenly(rng, things):
    """Return one of several things, all alike."""
    return things[int(rng.random() * len(things))]


def epsilon_greedy(rng, q, available, epsilon, margin, at_random=None, ties="random"):
    """Return an available choice: with probability epsilon any (or any of `at_random`).

    Otherwise it is one whose value is within `margin` of the best, or the "first" of those.
    """
    if rng.random() < epsilon:
        return pick_evenly(rng, available if at_random is None else at_random)
    values = q[available]
    best = available[values >= values.max() - margin]
    return best[0] if len(best) == 1 or ties == "first" else pick_evenly(rng, best)


# The world and what can be chosen in it, as lists that are quick to look up.


def outcomes_of(mdp):
    """Return [s][a] -> (arrivals, cumulative probabilities); a certain outcome has none."""
    table = [[None] * mdp.n_actions for _ in range(mdp.n_states)]
    for a in range(mdp.n_actions):
        P = mdp.transition_of(a).toarray()
        for s in range(mdp.n_states):
            arrivals = np.flatnonzero(P[s])
            table[s][a] = (
                arrivals.tolist(),
                None if arrivals.size == 1 else np.cumsum(P[s, arrivals]),
            )
    return table


def starts_of(mdp, task):
    """Return the states in which an episode may begin: the task's own, or all from which its goal
    can be reached.
    """
    if task.start is not None:
        return [task.start]
    leads_to = sum(mdp.transition_of(a).toarray() for a in range(mdp.n_actions)) > 0.0
    reaches = np.eye(mdp.n_states, dtype=bool)[task.goal]
    while (wider := reaches | leads_to @ reaches).sum() > reaches.sum():
        reaches = wider
    return [s for s in range(mdp.n_states) if reaches[s] and s != task.goal]


class Choices:
    """The primitive actions, then the options; `n_slots` counts options that may come later too."""

    def __init__(self, mdp, options, n_slots):
        S, A = mdp.n_states, mdp.n_actions
        n_options = 0 if options is None else len(options)
        able = np.zeros((A + n_slots, S), dtype=bool)
        able[:A] = True
        self.beta = np.ones((n_slots, S))
        pi = np.zeros((n_slots, S, A))
        if n_options:
            able[A : A + n_options] = options.initiation
            self.beta[:n_options] = options.termination
            pi[:n_options] = action_probabilities(mdp, options)
        self.available = [np.flatnonzero(able[:, s]) for s in range(S)]
        self.certain = np.where(pi.max(axis=2, initial=0.0) == 1.0, pi.argmax(axis=2), -1)
        self.sums = np.cumsum(pi, axis=2)
        self.may_run = (able[A:] | (self.beta < 1.0)) & (np.arange(n_slots) < n_options)[:, None]

    def action(self, rng, o, s):
        """Return what option o does in s."""
        return self.certain[o, s] if self.certain[o, s] >= 0 else pick(rng, self.sums[o, s])

    def stops(self, rng, o, s):
        """Return whether option o ends on arrival in s."""
        beta = self.beta[o, s]
        return beta == 1.0 or (beta > 0.0 and rng.random() < beta)


def gpi_table(mdp, pool, reward):
    """Return q(s, a) = max_g sum_t P(t | s, a) (M_g r)(t), of shape (S, A)."""
    v = np.stack([M @ reward for M in pool], axis=1)
    return np.stack([(mdp.transition_of(a) @ v).max(axis=1) for a in range(mdp.n_actions)], axis=1)


def changed_options(old, new):
    """Return which options differ from those that had their places: what they do where they can
    run, ends, availability.
    """
    if old is None:
        return np.ones(len(new), dtype=bool)
    runs = new.initiation | (new.termination < 1.0)
    ends = (old.termination != new.termination) | (old.initiation != new.initiation)
    return (((old.policy != new.policy) & runs) | ends).any(axis=1)


def n_determined(sr):
    """Return how many eigenvectors after the first belong to simple eigenvalues, before the first
    that does not: states that were never left have one eigenvalue, so any mixture is a vector.
    """
    values = np.linalg.eigvalsh((sr + sr.T) / 2.0)[::-1]
    n_simple = int(np.argmin([*(-np.diff(values) > 1e-9), False]))
    return max(n_simple - 1, 0)


class Learner:
    """One agent with one seed: what it knows (W, X, maps) and how each step changes it."""

    def __init__(self, mdp, seed, rule, *, options=None, online=None, pool=None, reward="found"):
        self.mdp, self.rule, self.online, self.pool, self.reward = mdp, rule, online, pool, reward
        self.rng = np.random.default_rng(seed)
        self.outcomes = outcomes_of(mdp)
        self.n_slots = online.n_options if online is not None else len(options or ())
        self.options = options
        self.choices = Choices(mdp, options, self.n_slots)
        self.refresh_at = np.inf if online is None else online.warm_up
        S = mdp.n_states
        self.unit = np.eye(S)
        word = rule.features if isinstance(rule.features, str) else "given"
        self.walks, self.walker = word == "walk_sr", None
        self.sr = self.first_map() if word in ("sr", "walk_sr") or online is not None else None
        self.hsr = self.first_map() if word == "hsr" else None
        self.X = {
            "onehot": None,
            "sr": self.sr,
            "walk_sr": self.sr,
            "hsr": self.hsr,
            "given": rule.features,
        }[word]
        self.W = np.zeros((mdp.n_actions + self.n_slots, S if self.X is None else self.X.shape[1]))
        one_per_choice = self.hsr is not None and rule.map_update == "intra_option"
        self.Psi = np.stack([self.hsr] * len(self.W)) if one_per_choice else None
        self.w = None  # weights of the reward's estimate, in one task
        self.guide = None  # values to act by instead of W, once the reward is known
        self.map_discount = mdp.discount if rule.map_discount is None else rule.map_discount
        self.total_steps = 0
        self.interrupted = False  # whether exploration has ended an option
        self.after_goal = None  # the state to which the goal leads, if the task continues

    def first_map(self):
        """Return a map before learning."""
        return self.unit * (self.rule.initial_map == "identity")

    # Values

    def q(self, s):
        """Return the values of all choices in s, of shape (C,)."""
        return self.W[:, s] if self.X is None else self.W @ self.X[s]

    def best(self, s):
        """Return the value of the best available choice in s."""
        return self.q(s)[self.choices.available[s]].max()

    def move_value(self, c, s, target):
        """Move q(c, s) towards a target, and return how far away it was."""
        if self.X is None:
            error = target - self.W[c, s]
            self.W[c, s] += self.rule.learning_rate * error
        else:
            error = target - self.W[c] @ self.X[s]
            self.W[c] += self.rule.learning_rate * error * self.X[s]
        return abs(error)

    def learn_values(self, c, a, path, arrived, total, ended, terminated):
        """Update values after one step, all from one look at the state that it led to; return the
        errors.
        """
        rule, g, s, A = self.rule, self.mdp.discount, path[-1], self.mdp.n_actions
        reward = 1.0 if arrived == self.goal else 0.0
        errors = []
        if rule.update == "chosen" and not ended:
            return errors
        ahead = self.after_goal if terminated else arrived
        best = 0.0 if ahead is None else self.best(ahead)
        if rule.update == "intra_option":
            errors += self.learn_consistent(s, a, arrived, reward, best, terminated)
        if rule.update == "running" and c >= A:
            errors.append(
                self.move_value(c, s, reward + g * (best if ended else self.q(arrived)[c]))
            )
        if rule.update != "chosen":
            errors.append(self.move_value(a, s, reward + g * best))
        if rule.update == "chosen" or (ended and rule.update == "chosen_and_primitives" and c >= A):
            errors.append(self.move_value(c, path[0], total + g ** len(path) * best))
        return errors

    def learn_consistent(self, s, a, arrived, reward, best, terminated):
        """Update every option that would have done the same in s, as if it had been running; return
        the errors.
        """
        A, beta, g = self.mdp.n_actions, self.choices.beta, self.mdp.discount
        q_arrived = self.q(arrived).copy()
        errors = []
        for o in np.flatnonzero((self.choices.certain[:, s] == a) & self.choices.may_run[:, s]):
            stop = beta[o, arrived]
            ahead = best if terminated else (1.0 - stop) * q_arrived[A + o] + stop * best
            errors.append(self.move_value(A + o, s, reward + g * ahead))
        return errors

    # Maps

    def learn_sr(self, s, arrived, terminated):
        """M(s) += b (1_s + g M(s') - M(s)), and at the goal its own row."""
        M, b, g = self.sr, self.rule.map_learning_rate, self.map_discount
        M[s] += b * (self.unit[s] + g * M[arrived] - M[s])
        if terminated:
            self.learn_goal_row(M, arrived)

    def learn_walk(self):
        """Take one step of the random walk, and learn its row."""
        w, M = self.walker, self.sr
        arrived = self.arrival_of(w, int(self.rng.random() * self.mdp.n_actions))
        M[w] += self.rule.map_learning_rate * (self.unit[w] + self.map_discount * M[arrived] - M[w])
        self.walker = arrived

    def learn_goal_row(self, M, goal):
        """M(goal) += b (1_goal - M(goal)), one visit and nothing after it.

        If the task continues, it is M(goal) += b (1_goal + g M(start) - M(goal)).
        """
        after = 0.0 if self.after_goal is None else self.map_discount * M[self.after_goal]
        M[goal] += self.rule.map_learning_rate * (self.unit[goal] + after - M[goal])

    def learn_hsr(self, path, arrived, terminated):
        """M(s_0) += b (sum_k g^k 1_{s_k} + g^T M(s_T) - M(s_0)); if "passed" for all s_k, from the
        last to the first.
        """
        M, b, g = self.hsr, self.rule.map_learning_rate, self.map_discount
        for k in range(len(path) - 1, -1, -1) if self.rule.map_update == "passed" else [0]:
            visits = np.bincount(path[k:], g ** np.arange(len(path) - k), minlength=len(M))
            M[path[k]] += b * (visits + g ** (len(path) - k) * M[arrived] - M[path[k]])
        if terminated:
            self.learn_goal_row(M, arrived)

    def probabilities(self, s):
        """Return how probable each choice is in s at this moment, of shape (C,)."""
        rule, primitives = self.rule, np.arange(self.mdp.n_actions)
        able, q, margin = self.looks(s)
        at_random = primitives if rule.explore_with == "primitives" else able
        best = [c for c in able if q[c] >= q[able].max() - margin]
        best = best[:1] if rule.ties == "first" else best
        mu = np.zeros(len(self.W))
        mu[at_random] += rule.epsilon / len(at_random)
        mu[best] += (1.0 - rule.epsilon) / len(best)
        return mu

    def learn_every_choice(self, s, a, arrived, terminated):
        """M(s) += b (mean of Psi_c(s) - M(s)); then Psi_c(s) += b (1_s + g ((1 - beta) Psi_c(s') +
        beta M(s')) - Psi_c(s)) for all c that would have taken a, and M(s) by its share of it.
        """
        M, Psi, b, g = self.hsr, self.Psi, self.rule.map_learning_rate, self.map_discount
        A, mu = self.mdp.n_actions, self.probabilities(s)
        M[s] += b * (mu @ Psi[:, s] - M[s])
        options = np.flatnonzero((self.choices.certain[:, s] == a) & self.choices.may_run[:, s])
        for c in [a, *(A + options)]:
            beta = 1.0 if c < A or terminated else self.choices.beta[c - A, arrived]
            ahead = (1.0 - beta) * Psi[c, arrived] + beta * M[arrived]
            change = b * (self.unit[s] + g * ahead - Psi[c, s])
            Psi[c, s] += change
            M[s] += mu[c] * change
        if terminated:
            self.learn_goal_row(M, arrived)

    # The reward, for generalised policy improvement

    def learn_reward(self, arrived, reward):
        """w += lr (r - w . X(s')) X(s'); return the error."""
        x = self.unit[arrived] if self.X is None else self.X[arrived]
        error = reward - self.w @ x
        self.w += self.rule.learning_rate * error * x
        return abs(error)

    def known_reward(self, goal):
        """Return the reward of every state as the agent knows it."""
        if self.reward == "found":
            return self.unit[goal]
        return self.w if self.X is None else self.X @ self.w

    # Acting

    def change_world(self, mdp, options):
        """Act in another MDP with other options, and keep all that was learned."""
        changed = changed_options(self.options, options) if options is not None else []
        if self.Psi is not None:
            self.Psi[self.mdp.n_actions :][changed] = self.hsr
        self.mdp, self.outcomes, self.options = mdp, outcomes_of(mdp), options
        self.choices = Choices(mdp, options, self.n_slots)

    def refresh_options(self):
        """Make options again if it is time.

        Option k takes the place, and with "keep" the values, of the former option k.
        """
        if self.total_steps < self.refresh_at:
            return False
        new = self.online.discover(self.mdp, self.sr)
        changed = changed_options(self.options, new)
        if self.online.values == "reset":
            self.W[self.mdp.n_actions :][changed] = 0.0
        if self.Psi is not None:
            self.Psi[self.mdp.n_actions :][changed] = self.hsr
        self.options, self.choices = new, Choices(self.mdp, new, self.n_slots)
        self.refresh_at = self.online.next_refresh(self.total_steps)
        return True

    def looks(self, s):
        """Return what can be chosen in s, the values of all choices, and which of them tie: by the
        guide if there is one, over actions or over choices, else by the agent's own values.
        """
        A, tolerance = self.mdp.n_actions, self.rule.tie_tolerance
        if self.guide is None:
            return self.choices.available[s], self.q(s), tolerance
        able = np.arange(A) if self.guide.shape[1] == A else self.choices.available[s]
        return able, self.guide[s], tolerance * np.abs(self.guide[s][able]).max()

    def decide(self, s):
        """Return a choice for s."""
        rule, primitives = self.rule, np.arange(self.mdp.n_actions)
        available, q, margin = self.looks(s)
        at_random = primitives if rule.explore_with == "primitives" else available
        if self.interrupted:
            self.interrupted = False
            return pick_evenly(self.rng, at_random)
        return epsilon_greedy(self.rng, q, available, rule.epsilon, margin, at_random, rule.ties)

    def arrival_of(self, s, a):
        """Return where action a leads from s."""
        arrivals, sums = self.outcomes[s][a]
        return arrivals[0] if sums is None else arrivals[pick(self.rng, sums)]

    def is_absorbing(self, s):
        """Return whether nothing leaves s, so that the episode is over there."""
        return all(arrivals == [s] for arrivals, _ in self.outcomes[s])

    def learn(self, c, a, path, arrived, total, ended, terminated):
        """Learn from one primitive step: maps first, then values by the new maps."""
        if self.walks:
            self.learn_walk()
        elif self.sr is not None:
            self.learn_sr(path[-1], arrived, terminated)
        if self.Psi is not None:
            self.learn_every_choice(path[-1], a, arrived, terminated)
        elif self.hsr is not None and ended:
            self.learn_hsr(path, arrived, terminated)
        errors = self.learn_values(c, a, path, arrived, total, ended, terminated)
        if self.w is not None:
            errors.append(self.learn_reward(arrived, 1.0 if arrived == self.goal else 0.0))
        if not max(errors, default=0.0) < LARGEST or np.isnan(errors).any():
            raise Diverged

    def run_choice(self, c, s, goal, time, horizon, write):
        """Follow a choice from s until it ends; return (state, time, terminated)."""
        path, total, o = [], 0.0, c - self.mdp.n_actions
        while True:
            a = c if o < 0 else self.choices.action(self.rng, o, s)
            arrived = self.arrival_of(s, a)
            path.append(s)
            time += 1
            self.total_steps += 1
            write(c, len(path) == 1, s, a, arrived)
            terminated = arrived == goal or self.is_absorbing(arrived)
            if arrived == goal:
                total = self.mdp.discount ** (len(path) - 1)
            ended = (
                terminated or time >= horizon or o < 0 or self.choices.stops(self.rng, o, arrived)
            )
            if self.rule.explore_at == "steps" and not ended:
                self.interrupted = ended = self.rng.random() < self.rule.epsilon
            self.learn(c, a, path, arrived, total, ended, terminated)
            s = arrived
            if ended:
                return s, time, terminated


def greedy_episode(learner, task, horizon, entropy):
    """Return the steps of an episode without exploration or learning, with its own numbers."""
    twin = copy.copy(learner)
    twin.rng, twin.rule = np.random.default_rng(entropy), replace(learner.rule, epsilon=0.0)
    twin.learn = lambda *_: None
    starts = starts_of(twin.mdp, task)
    s = starts[0] if len(starts) == 1 else pick_evenly(twin.rng, starts)
    time, terminated = 0, False
    while not terminated and time < horizon:
        c = twin.decide(s)
        s, time, terminated = twin.run_choice(c, s, task.goal, time, horizon, lambda *_: None)
    return time


def fewest_steps(mdp, task):
    """Return the smallest number of steps from the task's start to its goal."""
    leads_to = sum(mdp.transition_of(a).toarray() for a in range(mdp.n_actions)) > 0.0
    reached, n = np.eye(mdp.n_states, dtype=bool)[task.start], 0
    while not reached[task.goal]:
        reached, n = reached | (reached @ leads_to), n + 1
    return n


def train_plainly(
    mdp,
    tasks,
    seed,
    rule,
    *,
    episodes,
    horizon,
    until=None,
    evaluate=False,
    changes=MappingProxyType({}),
    **how,
):
    """Return the `Result` of one seed: tasks one after another, without a new beginning; `how` as
    for `Learner`.

    A task ends when the average of its steps is below `until` times the fewest. With `evaluate` an
    episode without exploration or learning follows each episode and each task. `changes` are MDPs
    and options by the number of episodes, of all tasks, after which they replace the former.
    """
    learner = Learner(mdp, seed, rule, **how)
    n_episodes = 0
    shape = (len(tasks), episodes)
    result = Result(
        steps=np.full(shape, horizon),
        decisions=np.zeros(shape, dtype=int),
        terminated=np.zeros(shape, dtype=bool),
        coverage=np.zeros(shape, dtype=int),
        choice_use=np.zeros((len(tasks), len(learner.W)), dtype=int),
        goal_time=np.full(len(tasks), -1),
        first_visit=np.full(mdp.n_states, -1),
        episodes=np.zeros(len(tasks), dtype=int),
        greedy_steps=np.full(len(tasks), horizon),
        greedy_curve=np.full(shape, horizon),
    )
    trace = []
    try:
        for t in range(len(tasks)):
            average = None
            for episode in run_task(learner, t, tasks[t], episodes, horizon, result, trace):
                if evaluate:
                    steps = greedy_episode(learner, tasks[t], horizon, [seed, t, episode + 1])
                    result.greedy_curve[t, episode] = steps
                steps = result.steps[t, episode]
                average = steps if average is None else 0.9 * average + 0.1 * steps
                n_episodes += 1
                if n_episodes in changes:
                    learner.change_world(*changes[n_episodes])
                if until is not None and average < until * fewest_steps(mdp, tasks[t]):
                    break
            n = result.episodes[t]
            result.steps[t, n:] = result.greedy_curve[t, n:] = 0
            result.coverage[t, n:] = result.coverage[t, n - 1]
            if evaluate:
                result.greedy_steps[t] = greedy_episode(learner, tasks[t], horizon, [seed, t])
            remember(learner, result)
    except Diverged:
        result.status, result.diverged_in = "diverged", (trace[-1][0], trace[-1][1])
    result.trajectory = np.array(trace)
    return result


def run_task(learner, t, task, episodes, horizon, result, trace):
    """Run the episodes of one task, yield the number of each when it is over, and write them into
    the result; at its start the agent knows nothing of its reward.
    """
    starts = starts_of(learner.mdp, task)
    learner.guide, learner.goal = None, task.goal
    if learner.walker is None:
        learner.walker = starts[0]
    learner.after_goal = task.start if task.continuing else None
    regressed = learner.pool is not None and learner.reward == "regressed"
    learner.w = np.zeros(learner.W.shape[1]) if regressed else None

    def visit(s):
        if result.first_visit[s] < 0:
            result.first_visit[s] = learner.total_steps

    for episode in range(episodes):

        def write(c, began, s, a, arrived, episode=episode):
            trace.append((t, episode, c, began, s, a, arrived))
            visit(arrived)

        s = starts[0] if len(starts) == 1 else pick_evenly(learner.rng, starts)
        visit(s)
        time, terminated = 0, False
        while not terminated and time < horizon:
            if learner.refresh_options():
                result.options[learner.total_steps] = learner.options
                result.n_determined[learner.total_steps] = n_determined(learner.sr)
            c = learner.decide(s)
            result.decisions[t, episode] += 1
            result.choice_use[t, c] += 1
            s, time, terminated = learner.run_choice(c, s, task.goal, time, horizon, write)
        result.steps[t, episode] = time
        result.terminated[t, episode] = s == task.goal
        result.coverage[t, episode] = (result.first_visit >= 0).sum()
        if s == task.goal and result.goal_time[t] < 0:
            result.goal_time[t] = result.steps[t, : episode + 1].sum()
        if learner.pool is not None and result.goal_time[t] >= 0:
            known = learner.known_reward(task.goal)
            if callable(learner.pool):
                learner.guide = learner.pool(known, task.goal)
            else:
                learner.guide = gpi_table(learner.mdp, learner.pool, known)
        result.episodes[t] = episode + 1
        yield episode


def remember(learner, result):
    """Write what is known at the end of a task into the result."""
    result.values.append(learner.W.copy() if learner.X is None else learner.W @ learner.X.T)
    result.sr.append(None if learner.sr is None else learner.sr.copy())
    result.hsr.append(None if learner.hsr is None else learner.hsr.copy())
