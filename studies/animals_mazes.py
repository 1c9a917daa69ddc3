"""The Tartarus maze as a course for our agents, and the trials of rats and people on it.

All mazes are closed states of one open field of 10 x 10 cells, so that they can follow each other
in an `hsr.Schedule`.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import hsr
from hsr.toolkit import one_thread

SIDE, TRIALS, DISCOUNT, PRETRAINING, N_OPTIONS = 10, 10, 0.95, 200, 8


class Mazes(NamedTuple):
    """Mazes on the open field, whose states are 10 * row + column."""

    barriers: tuple[np.ndarray, ...]  # the closed states of each maze
    starts: np.ndarray  # (maze, trial)
    goal: int


class Trials(NamedTuple):
    """Whether the goal was found within the limit, and steps lost; NaN if not known."""

    found: np.ndarray
    lost: np.ndarray


def tartarus_mazes(data: hsr.datasets.Dataset) -> Mazes:
    """Return the mazes of `hsr.datasets.tartarus` as closed states of one open field."""
    barriers = tuple(np.flatnonzero(layout.walls) for layout in data.layouts.values())
    starts = map(_on_field, data.layouts.values(), data.arrays["starts"])
    first = data.layouts[0]
    return Mazes(barriers, np.array(list(starts)), int(_on_field(first, first.goals[0])))


def _on_field(layout: hsr.GridLayout, states: Any) -> np.ndarray:
    return layout.cells[states] @ [SIDE, 1]


def drawn_mazes(n: int, goal: int, seed: int) -> Mazes:
    """Return mazes of one or two bent walls, 8 to 19 barriers, around which every cell is free."""
    rng, barriers, starts = np.random.default_rng(seed), [], []
    while len(barriers) < n:
        walls = np.zeros((SIDE, SIDE), dtype=bool)
        for _ in range(rng.integers(1, 3)):
            cell = rng.integers(1, SIDE - 1, 2)
            for _ in range(3):
                step = ((0, 1), (1, 0), (0, -1), (-1, 0))[rng.integers(4)]
                for _ in range(rng.integers(2, 6)):
                    walls[tuple(cell)] = True
                    cell = np.clip(cell + step, 1, SIDE - 2)
        layout = hsr.GridLayout(walls)
        if 8 <= walls.sum() < 20 and len(layout.parts) == 1 and not walls.ravel()[goal]:
            distance = layout.distances_from(int(layout.state_grid.ravel()[goal]))
            barriers.append(np.flatnonzero(walls))
            far = _on_field(layout, distance >= 7)
            starts.append(rng.choice(far, TRIALS, replace=False))
    return Mazes(tuple(barriers), np.array(starts), goal)


def _seen(walled: hsr.FiniteMDP, field: hsr.FiniteMDP) -> hsr.FiniteMDP:
    """Return a maze in which a move into a barrier is replaced by a random free one."""
    here = np.arange(SIDE**2)[:, None]
    moves = walled.successors != here
    blocked = ~moves & (field.successors != here) & moves.any(axis=1, keepdims=True)
    P = np.stack([walled.transition_of(a).toarray() for a in range(4)], axis=1)
    free = (P * moves[:, :, None]).sum(axis=1) / np.maximum(moves.sum(axis=1, keepdims=True), 1)
    return hsr.FiniteMDP(np.where(blocked[:, :, None], free[:, None], P), DISCOUNT)


@dataclass(frozen=True, eq=False)
class Course:
    """The open field and then a list of mazes, as arguments of `hsr.train`."""

    mazes: Mazes
    bumps: bool = False  # whether a move into a barrier stays; otherwise it goes elsewhere

    @cached_property
    def worlds(self) -> list[hsr.FiniteMDP]:
        """The MDP of the open field, and those of the mazes."""
        walled = self._walled()
        return walled if self.bumps else [walled[0], *(_seen(w, walled[0]) for w in walled[1:])]

    def _walled(self) -> list[hsr.FiniteMDP]:
        layout = hsr.GridLayout(np.zeros((SIDE, SIDE), dtype=bool))
        return [hsr.grid_mdp(layout, DISCOUNT, closed=b) for b in ((), *self.mazes.barriers)]

    @cached_property
    def fewest(self) -> np.ndarray:
        """The fewest steps to the goal in each maze (maze, state)."""
        task = hsr.GoalTask(None, self.mazes.goal)
        v = np.array([hsr.optimal_value(world, task) for world in self._walled()[1:]])
        v[:, self.mazes.goal] = 1.0 / DISCOUNT
        with np.errstate(divide="ignore"):  # a barrier among barriers cannot be left
            return np.round(1.0 + np.log(v) / np.log(DISCOUNT))

    @cached_property
    def open_options(self) -> hsr.OptionSet:
        """Eigenoptions of the open field."""
        return hsr.eigenoptions(self.worlds[0], N_OPTIONS, signs="both")

    def options(self, kind: str) -> tuple[Any, Any]:
        """Return the options at the beginning, and what becomes of them in mazes."""
        if kind in ("none", "online"):
            made = hsr.OnlineOptions(N_OPTIONS, method="frontier", warm_up=200, refresh=200)
            return made if kind == "online" else None, "fixed"
        after = {"kept": "fixed", "repaired": "repaired", "remade": _remade}
        return self.open_options, after[kind]

    def run(
        self, agents: Mapping[str, Any], options: str, limit: int, n_seeds: int
    ) -> dict[str, Trials]:
        """Return the trials of agents, averaged over seeds, (maze, trial).

        Parameters
        ----------
        agents : mapping of agents
            What `hsr.train` takes, by name.
        options : {"none", "kept", "repaired", "remade", "online"}
            What becomes of options.
        limit : int
            Steps after which a trial ends.
        n_seeds : int
            Number of seeds.
        """
        goal, starts = self.mazes.goal, self.mazes.starts
        tasks = [hsr.GoalTask(None, goal)] * PRETRAINING
        tasks += [hsr.GoalTask(int(start), goal) for start in starts.ravel()]
        changes = {PRETRAINING + TRIALS * m: world for m, world in enumerate(self.worlds[1:])}
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", hsr.HSRWarning)
            given, after = self.options(options)
            runs = hsr.train(
                self.worlds[0], tasks, dict(agents), given, seeds=range(n_seeds), episodes=1,
                horizon=limit, workers=1, keep_options=False,
                schedule=hsr.Schedule(changes, options=after),
            )  # fmt: skip
        fewest, trials = np.take_along_axis(self.fewest, starts, axis=1), {}
        for name, run in runs.items():
            in_time = run.terminated[:, PRETRAINING:, 0].reshape(-1, *starts.shape)
            steps = np.where(in_time, run.steps[:, PRETRAINING:, 0].reshape(in_time.shape), limit)
            trials[name] = Trials(in_time.mean(axis=0), (steps - fewest).mean(axis=0))
        return trials


def _remade(mdp: hsr.FiniteMDP) -> hsr.OptionSet:
    return hsr.eigenoptions(mdp, N_OPTIONS, signs="both")


def step_limits(data: hsr.datasets.Dataset) -> tuple[int, int]:
    """Return the median of steps in people's failed trials, and the 0.95 quantile in rats'."""
    table = data.table
    steps = np.array([len(path) - 1 for path in data.paths.states])
    failed = (table.success == 0) & (steps > 0)
    people, rats = (steps[failed & (table.species == one)] for one in ("human", "rat"))
    return int(np.median(people)), int(np.ceil(np.quantile(rats, 0.95)))


def trials_of(data: hsr.datasets.Dataset, course: Course, species: str, limit: int) -> Trials:
    """Return the trials of rats or people, (subject, maze, trial)."""
    table, starts = data.table, course.mazes.starts
    subjects = list(table.subject[table.species == species].unique())
    found, lost = np.full((2, len(subjects), *starts.shape), np.nan)
    for row, path in zip(table.itertuples(), data.paths.states, strict=True):
        if row.species == species:
            place = subjects.index(row.subject), row.world, row.trial
            walked = len(path) - 1 if len(path) else 0
            found[place] = row.success == 1 and walked <= limit
            start = _on_field(data.layouts[row.world], path[0]) if len(path) else starts[place[1:]]
            steps = walked if found[place] else limit
            known = len(path) or not found[place]
            lost[place] = steps - course.fewest[row.world, start] if known else np.nan
    return Trials(found, lost)
