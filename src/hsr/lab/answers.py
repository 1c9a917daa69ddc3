"""`Answers`: the reply to each request, computed by functions of `hsr`."""

import time
from dataclasses import asdict
from typing import Any

import numpy as np

import hsr
from hsr import InputError
from hsr.lab import limits, replies, requests
from hsr.lab.declared import setting_of
from hsr.lab.packing import floats, integers
from hsr.lab.runs import Runs, times_of
from hsr.lab.script import script_of
from hsr.lab.worlds import Map, Scene, Worlds


class Answers:
    """Answers every request except `cancel`. One object serves all sockets, on many threads."""

    def __init__(self) -> None:
        self.worlds = Worlds()
        self.runs = Runs(self.worlds)

    def answer(self, request: requests.AnyRequest) -> dict[str, Any]:
        """Return the fields of the reply to a request, or raise an `HSRError` with one sentence."""
        answer = getattr(self, f"_{request.do}", None)
        if answer is None:
            raise InputError(f"do is {request.do!r}; there is nothing to {request.do} here")
        return asdict(answer(request))

    def _presets(self, request: requests.Presets) -> replies.PresetsReply:
        kinds = {**hsr.OPTION_KINDS.summaries(), requests.NO_OPTIONS: "primitive actions only"}
        return replies.PresetsReply(
            maps={name: hsr.load_layout(name).to_text() for name in hsr.layout_names()},
            option_kinds=[
                replies.OptionKind(name, summary, requests.settings_of(name))
                for name, summary in kinds.items()
            ],
            option_settings={
                name: setting_of(hsr.OptionSpec, name) for name in requests.OPTION_SETTINGS
            },
            representations=hsr.REPRESENTATIONS.summaries(),
            bases=hsr.BASES.summaries(),
            features=setting_of(hsr.LinearQ, "features"),
            bonus=setting_of(hsr.Sarsa, "bonus"),
            bonus_map=setting_of(hsr.Sarsa, "on"),
            discovery=setting_of(hsr.OnlineOptions, "method"),
            ties=setting_of(hsr.MapSpec, "ties"),
            stopping_state=setting_of(hsr.MapSpec, "stopping_state"),
        )

    def _maze(self, request: requests.Maze) -> replies.MazeReply:
        return replies.MazeReply(hsr.random_maze(request.size, seed=request.seed).to_text())

    def _check(self, request: requests.Check) -> replies.CheckReply:
        return describe(self.worlds.scene(request.map))

    def _world(self, request: requests.WorldRequest) -> replies.WorldReply:
        began = time.perf_counter()
        choices = self.worlds.choices(request.world)
        options = [
            replies.OptionReply(
                name=option.name,
                policy=integers(np.where(option.initiation, option.policy, -1)),
                ends=np.flatnonzero(option.termination).tolist(),
                vector=None if choices.vectors is None else floats(choices.vectors[:, o]),
            )
            for o, option in enumerate(choices.options)
        ]
        spectrum = floats(self.worlds.spectrum(request.world))
        return replies.WorldReply(options, spectrum, seconds=time.perf_counter() - began)

    def _rows(self, request: requests.Rows) -> replies.RowsReply:
        n_states = self.worlds.scene(request.world.map).layout.n_states
        if request.state >= n_states:
            raise InputError(f"state is {request.state}; this maze has states 0..{n_states - 1}")

        def row(which: str) -> replies.Floats:
            M = self.worlds.map(request.world, which)
            return floats(M[request.state] if isinstance(M, np.ndarray) else M.rows(request.state))

        other = None if request.which is None else row(request.which)
        return replies.RowsReply(row("sr"), row("hsr"), other)

    def _matrix(self, request: requests.Matrix) -> replies.MatrixReply:
        self._check_states(request.world, limits.MATRIX_STATES, "a whole map")
        return replies.MatrixReply(floats(self._written_out(request.world, request.which)))

    def _basis(self, request: requests.Basis) -> replies.BasisReply:
        self._check_states(request.world, limits.BASIS_STATES, "a basis")
        M: Map = self.worlds.map(request.world, request.which)
        if request.world.task == "every":
            # A product with this map costs one with the map of every task, and a basis takes many.
            M = self._written_out(request.world, request.which)
        spec = requests.basis_spec(request, request.kind)
        estimator = spec.estimator(M.shape[0])
        if hasattr(estimator, "max_iter"):
            estimator.max_iter = limits.NMF_ITERATIONS
        basis = estimator.fit(M)
        # as 32-bit numbers, so that rounding does not decide between equal strengths
        strength = np.float32(
            np.linalg.norm(basis.features_, axis=0) * np.linalg.norm(basis.components_, axis=1)
        )
        strongest = np.argsort(-strength, kind="stable")[: request.n]
        return replies.BasisReply(floats(basis.features_.T[strongest]))

    def _train(self, request: requests.Train) -> replies.TrainReply:
        run = self.runs.train(request.world, request)
        of_seeds = self.runs.train_seeds(request.world, request)
        agents = [
            replies.LearnerReply(
                steps=integers(agent.steps),
                offsets=integers(agent.offsets),
                ends=integers(agent.ends),
                status=agent.status,
                all_steps=integers(seeds.steps),
                n_diverged=seeds.n_diverged,
            )
            for agent, seeds in zip(run.agents, of_seeds, strict=True)
        ]
        return replies.TrainReply(run.handle, list(run.optimal), agents)

    def _path(self, request: requests.Path) -> replies.PathReply:
        agent = self.runs.agent_of(request.run, request.agent)
        begin, end = request.begin, request.end
        n_steps = agent.states.size
        if not begin < end <= n_steps or end - begin > limits.PATH_STEPS:
            raise InputError(
                f"begin is {begin} and end is {end}; expected begin < end <= {n_steps}, "
                f"at most {limits.PATH_STEPS} steps apart"
            )
        states = np.append(agent.states[begin:end], agent.arrivals[end - 1])
        return replies.PathReply(integers(states), integers(agent.choices[begin:end]))

    def _values(self, request: requests.Values) -> replies.ValuesReply:
        agent = self.runs.agent_of(request.run, request.agent)
        if request.episode >= len(agent.values):
            raise InputError(
                f"episode is {request.episode}; this run has episodes 0..{len(agent.values) - 1}"
            )
        return replies.ValuesReply(floats(agent.values[request.episode]))

    def _explore(self, request: requests.Explore) -> replies.ExploreReply:
        explored, times = self.runs.explore(request.world, request), times_of(request.steps)
        agents = [
            replies.ExplorerReply(
                floats(one.run.coverage[0, times - 1]),
                integers(one.run.first_visit[0]),
                [replies.Discovery(*found) for found in one.found],
            )
            for one in explored
        ]
        return replies.ExploreReply(integers(times), agents)

    def _python(self, request: requests.Python) -> replies.PythonReply:
        world = request.world
        asked = world.options
        n_options = len(self.worlds.choices(world).options) if asked.at_most else asked.n
        return replies.PythonReply(
            script_of(self.worlds.scene(world.map), world, request.show, n_options)
        )

    def _written_out(self, world: requests.World, which: str) -> np.ndarray:
        M = self.worlds.map(world, which)
        return M if isinstance(M, np.ndarray) else M.toarray()

    def _check_states(self, world: requests.World, most: int, what: str) -> None:
        n_states = self.worlds.scene(world.map).layout.n_states
        if n_states > most:
            raise InputError(
                f"the maze has {n_states} states; {what} is made here for at most {most}"
            )


def describe(scene: Scene) -> replies.CheckReply:
    """Return what a maze is, and what is wrong with it in words."""
    layout = scene.layout
    lost = (
        []
        if layout.start is None
        else np.flatnonzero(layout.distances_from(layout.start) < 0).tolist()
    )
    return replies.CheckReply(
        n_states=layout.n_states,
        rows=layout.n_rows,
        columns=layout.n_cols,
        cells=integers(layout.cells),
        room_of=integers(layout.room_of),
        bottlenecks=layout.bottlenecks.tolist(),
        start=layout.start,
        goals=list(scene.goals.values()),
        parts=len(layout.parts),
        lost=lost,
        problems=problems_of(scene, set(lost)),
    )


def problems_of(scene: Scene, lost: set[int]) -> list[str]:
    """Return what keeps agents from learning in this maze, one sentence each."""
    problems = [] if scene.layout.start is not None else ["there is no start: mark one cell with S"]
    for number in (1, 2):
        if number not in scene.goals:
            problems.append(f"there is no goal {number}: mark one cell with {number}")
        elif scene.goals[number] in lost:
            problems.append(f"goal {number} cannot be reached from the start")
    if lost:
        cells = "1 cell cannot" if len(lost) == 1 else f"{len(lost)} cells cannot"
        problems.append(
            f"the maze has {len(scene.layout.parts)} parts: {cells} be reached from the start"
        )
    return problems
