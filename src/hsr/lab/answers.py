"""`Answers`: from a request to its reply, by the functions of `hsr`.

A reply is a dictionary that JSON can hold. What cannot be answered raises an `HSRError` with one
sentence.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hsr
from hsr import InputError
from hsr.lab import limits, requests
from hsr.lab.packing import floats, integers
from hsr.lab.runs import Runs, times_of
from hsr.lab.script import script_of
from hsr.lab.worlds import Maps, Scene, Worlds

Reply = dict[str, Any]


class Answers:
    """Answers every request but `cancel`; one for all sockets, used by many threads."""

    def __init__(self) -> None:
        self.worlds = Worlds()
        self.runs = Runs(self.worlds)
        self._answer: dict[str, Callable[[Any], Reply]] = {
            "presets": self._presets,
            "maze": self._maze,
            "check": self._check,
            "world": self._world,
            "rows": self._rows,
            "matrix": self._matrix,
            "basis": self._basis,
            "train": self._train,
            "path": self._path,
            "values": self._values,
            "explore": self._explore,
            "python": self._python,
        }

    def answer(self, request: requests.AnyRequest) -> Reply:
        """Return what the reply to a request holds beside its number."""
        if request.do not in self._answer:
            raise InputError(f"do is {request.do!r}; there is nothing to {request.do} here")
        return self._answer[request.do](request)

    def _presets(self, request: requests.Presets) -> Reply:
        return {"maps": {name: hsr.load_layout(name).to_text() for name in hsr.layout_names()}}

    def _maze(self, request: requests.Maze) -> Reply:
        return {"map": hsr.random_maze(request.size, seed=request.seed).to_text()}

    def _check(self, request: requests.Check) -> Reply:
        return describe(self.worlds.scene(request.map))

    def _world(self, request: requests.WorldRequest) -> Reply:
        began = time.perf_counter()
        choices = self.worlds.choices(request.world)
        options = [
            {
                "name": option.name,
                "policy": integers(np.where(option.initiation, option.policy, -1)),
                "ends": np.flatnonzero(option.termination).tolist(),
                "vector": None if choices.vectors is None else floats(choices.vectors[:, o]),
            }
            for o, option in enumerate(choices.options)
        ]
        spectrum = floats(self.worlds.spectrum(request.world))
        return {"options": options, "spectrum": spectrum, "seconds": time.perf_counter() - began}

    def _rows(self, request: requests.Rows) -> Reply:
        maps = self._maps(request.world)
        n_states = maps.sr.shape[0]
        if request.state >= n_states:
            raise InputError(f"state is {request.state}; this map has states 0..{n_states - 1}")
        return {
            name: floats(_row(M, request.state)) for name, M in (("sr", maps.sr), ("hsr", maps.hsr))
        }

    def _matrix(self, request: requests.Matrix) -> Reply:
        self._check_states(request.world, limits.MATRIX_STATES, "a whole map")
        M = self._maps(request.world)
        return {"matrix": floats(np.asarray(M.sr if request.which == "sr" else M.hsr))}

    def _basis(self, request: requests.Basis) -> Reply:
        self._check_states(request.world, limits.BASIS_STATES, "a basis")
        maps = self._maps(request.world)
        M = maps.sr if request.which == "sr" else maps.hsr
        if request.world.task == "every":
            # A product with this map costs one with the map of every task, and a basis takes many.
            M = np.asarray(M)
        if request.kind == "svd":
            return {"features": floats(hsr.SVDBasis(request.n).fit(M).features_.T)}
        basis = hsr.NMFBasis(request.n, max_iter=limits.NMF_ITERATIONS).fit(M)
        strength = np.linalg.norm(basis.features_, axis=0) * np.linalg.norm(
            basis.components_, axis=1
        )
        return {"features": floats(basis.features_.T[np.argsort(-strength, kind="stable")])}

    def _train(self, request: requests.Train) -> Reply:
        run = self.runs.train(request.world, request)
        agents = [
            {
                "steps": integers(a.steps),
                "offsets": integers(a.offsets),
                "ends": integers(a.ends),
                "status": a.status,
            }
            for a in run.agents
        ]
        return {"run": run.handle, "optimal": list(run.optimal), "agents": agents}

    def _path(self, request: requests.Path) -> Reply:
        agent, begin, end = (
            self.runs.agent_of(request.run, request.agent),
            request.begin,
            request.end,
        )
        n_steps = agent.states.size
        if not begin < end <= n_steps or end - begin > limits.PATH_STEPS:
            raise InputError(
                f"begin is {begin} and end is {end}; expected begin < end <= {n_steps}, at most {limits.PATH_STEPS} steps apart"
            )
        states = np.append(agent.states[begin:end], agent.arrivals[end - 1])
        return {"states": integers(states), "choices": integers(agent.choices[begin:end])}

    def _values(self, request: requests.Values) -> Reply:
        agent = self.runs.agent_of(request.run, request.agent)
        if request.episode >= len(agent.values):
            raise InputError(
                f"episode is {request.episode}; this run has episodes 0..{len(agent.values) - 1}"
            )
        return {"values": floats(agent.values[request.episode])}

    def _explore(self, request: requests.Explore) -> Reply:
        runs, times = self.runs.explore(request.world, request), times_of(request.steps)
        agents = [
            {
                "coverage": floats(run.coverage[0, times - 1]),
                "first_visit": integers(run.first_visit[0]),
            }
            for run in runs
        ]
        return {"times": integers(times), "agents": agents}

    def _python(self, request: requests.Python) -> Reply:
        return {
            "code": script_of(self.worlds.scene(request.world.map), request.world, request.show)
        }

    def _maps(self, world: requests.World) -> Maps:
        return self.worlds.maps(world)

    def _check_states(self, world: requests.World, most: int, what: str) -> None:
        n_states = self.worlds.scene(world.map).layout.n_states
        if n_states > most:
            raise InputError(
                f"the map has {n_states} states; {what} is made here for at most {most}"
            )


def describe(scene: Scene) -> Reply:
    """Return what a map is and what is wrong with it, in plain words."""
    layout = scene.layout
    lost = (
        []
        if layout.start is None
        else np.flatnonzero(layout.distances_from(layout.start) < 0).tolist()
    )
    return {
        "n_states": layout.n_states,
        "rows": layout.n_rows,
        "columns": layout.n_cols,
        "cells": integers(layout.cells),
        "room_of": integers(layout.room_of),
        "bottlenecks": layout.bottlenecks.tolist(),
        "start": layout.start,
        "goals": list(scene.goals.values()),
        "parts": len(layout.parts),
        "lost": lost,
        "problems": problems_of(scene, set(lost)),
    }


def problems_of(scene: Scene, lost: set[int]) -> list[str]:
    """Return what keeps agents from learning in this map, a sentence each."""
    problems = [] if scene.layout.start is not None else ["there is no start: mark one cell with S"]
    for number in (1, 2):
        if number not in scene.goals:
            problems.append(f"there is no goal {number}: mark one cell with {number}")
        elif scene.goals[number] in lost:
            problems.append(f"goal {number} cannot be reached from the start")
    if lost:
        cells = "1 cell cannot" if len(lost) == 1 else f"{len(lost)} cells cannot"
        problems.append(
            f"the map is in {len(scene.layout.parts)} parts: {cells} be reached from the start"
        )
    return problems


def _row(M: Any, state: int) -> np.ndarray:
    row: np.ndarray = M[state] if isinstance(M, np.ndarray) else M.rows(state)
    return row
