"""Agents of the page take the steps of a plain twin whose random draws they are given."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy import stats

import hsr
from tests.lab.node.library import LibraryWorld, maze
from tests.lab.node.page_code import assert_same, computed, world
from tests.oracles.plain_linear_q import Rule, train_plainly
from tests.oracles.plain_sarsa import explore_plainly

LEARNERS = {
    "one-hot": {},
    "SR": {"features": "sr", "learning_rate": 0.1},
    "HSR": {"features": "hsr", "learning_rate": 0.1},
    "HSR that changes fast": {"features": "hsr", "map_learning_rate": 0.2, "epsilon": 0.5},
    "fixed SR": {"features": "rw_sr", "learning_rate": 0.02},
    "expected HSR": {"features": "ehsr", "learning_rate": 0.05},
    "without options": {"features": "hsr", "learning_rate": 0.1, "options": False},
    "never exploring": {"epsilon": 0.0, "tie_tolerance": 1e-3, "learning_rate": 0.5},
}
EXPLORERS = {
    "no bonus": {"bonus": "none"},
    "norm": {"bonus": "norm"},
    "SPIE that explores": {"bonus": "spie", "bonus_weight": 0.3, "epsilon": 0.3},
    "SPIE without squares": {"bonus": "spie_l1", "map_learning_rate": 0.3, "learning_rate": 0.2},
}
PLACES = ("four rooms", "a bay")
CASES = list(itertools.product(LEARNERS, PLACES))
EXPLORER_CASES = list(itertools.product(EXPLORERS, ["sr", "hsr"], PLACES))
LENGTHS = {"episodes": 6, "horizon": 250}
STEPS = 1500
SOURCE = """
import { explored, trained, traineesOf } from "./agents/runs";
import { drawsOf, sample } from "./random";
const work = { due: () => false };
const replayed = async ({ draws, ...asked }) => {
  let used = 0;
  const draw = () => draws[used++];
  const run = async () => {
    if ("steps" in asked) return explored(asked.agents[0], asked, draw, work);
    return trained((await traineesOf(asked, work))[0], asked, draw, work);
  };
  return { ...(await run()), used };
};
export default async (runs) => {
  const agents = [];
  for (const asked of runs) agents.push(await replayed(asked));
  const streams = [0, 1, 2, 2 ** 32].map(drawsOf);
  return {
    agents,
    draws: streams.map((draw) => Array.from({ length: 20_000 }, draw)),
    sample: sample(drawsOf(5), 40, 30),
  };
};
"""


class RecordedDraws(np.random.Generator):
    """A generator that remembers the uniform numbers that were drawn from it."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.drawn = []

    def random(self):
        self.drawn.append(super().random())
        return self.drawn[-1]


def described(place):
    """Return a world; its task and reading are of no concern to agents."""
    reading = {"ties": "options", "stopping_state": "counted_twice"}
    if place == "four rooms":
        return world(maze("four_rooms"), "2", 0.95, reading, n=6, signs="both")
    options = {"kind": "covering", "n": 3, "initiation": "everywhere"}
    return world("S.....1\n##.####\n##..2##", "2", 0.95, reading, **options)


@cache
def library_of(place):
    usual = {"ties": "uniform", "stopping_state": "counted_once"}
    return LibraryWorld({**described(place), "reading": usual})


def train(library, fields, draws, **lengths):
    """Return the result of a plain learner of both goals."""
    fields = {"features": "onehot", **fields}
    options = library.options if fields.pop("options", True) and len(library.options) else None
    if fields["features"] not in ("onehot", "sr", "hsr"):
        fields["features"] = np.asarray(library.map(fields["features"]))
    tasks = [hsr.GoalTask(library.layout.start, library.goal(number)) for number in "12"]
    return train_plainly(library.mdp, tasks, draws, Rule(**fields), options=options, **lengths)


def explore(library, fields, draws, start):
    """Return the result of a plain explorer; without a start, its first state is drawn."""
    where = {"start": library.layout.start} if start else {"starts": range(library.mdp.n_states)}
    how = {"seed": draws, "steps": STEPS, **where}
    return explore_plainly(library.mdp, hsr.Sarsa(**fields), library.options, **how)


def runs():
    """Return what the page is asked, and the result of the twin, by the name of the case."""
    asked, twins = {}, {}
    for seed, case in enumerate([*CASES, *EXPLORER_CASES, "diverging"]):
        draws = RecordedDraws(seed)
        if case == "diverging":
            fields, lengths = {"features": "sr", "learning_rate": 1.0}, {"episodes": 200}
            lengths["horizon"], where = 5000, world("S1\n.2", discount=0.99, kind="none")
            twins[case] = train(LibraryWorld(where), fields, draws, **lengths)
        elif case in CASES:
            fields, lengths, where = LEARNERS[case[0]], LENGTHS, described(case[1])
            twins[case] = train(library_of(case[1]), fields, draws, **lengths)
        else:
            name, on, place = case
            fields, lengths = {**EXPLORERS[name], "on": on}, {"steps": STEPS}
            where, start = described(place), place == "four rooms"
            where["map"] = where["map"].replace("S", "S" if start else ".")
            twins[case] = explore(library_of(place), fields, draws, start)
        asked[case] = {"world": where, "agents": [fields], "draws": draws.drawn, **lengths}
    return asked, twins


@pytest.fixture(scope="module")
def page():
    """Return the run of the page and that of the twin in each case, and random numbers."""
    asked, twins = runs()
    shown = computed(SOURCE, list(asked.values()))
    for request, agent in zip(asked.values(), shown["agents"], strict=True):
        assert agent["used"] == len(request["draws"])
    return {**shown, "agents": dict(zip(asked, shown["agents"], strict=True)), "twins": twins}


@pytest.mark.parametrize("case", CASES, ids=", ".join)
def test_a_learner_takes_the_steps_of_its_twin_and_learns_its_values(page, case):
    shown, twin, options = page["agents"][case], page["twins"][case], library_of(case[1]).options
    task, episode, choice, _, state, _, arrival = twin.trajectory.T
    assert not shown["diverged"]
    assert shown["steps"] == twin.steps.ravel().tolist()
    assert np.diff(shown["offsets"]).tolist() == shown["steps"]
    assert shown["states"] == [*state, arrival[-1]]
    assert shown["choices"] == choice.tolist()
    last_steps = np.flatnonzero(np.diff(task * LENGTHS["episodes"] + episode, append=-1))
    assert shown["ends"] == arrival[last_steps].tolist()
    available = np.ones_like(twin.values[0], dtype=bool)
    if len(available) > 4:
        available[4:] = options.initiation
    for t, values in enumerate(twin.values):
        best = np.where(available, values, -np.inf).max(axis=0)
        assert_same(shown["values"][(t + 1) * LENGTHS["episodes"] - 1], best)


@pytest.mark.parametrize("case", EXPLORER_CASES, ids=", ".join)
def test_an_explorer_takes_the_steps_of_its_twin_and_learns_its_values(page, case):
    shown, twin = page["agents"][case], page["twins"][case]
    assert shown["firstVisit"] == twin.first_visit.tolist()
    assert_same(shown["Q"], twin.Q)


def test_a_run_that_diverges_ends_where_that_of_its_twin_does(page):
    shown, twin = page["agents"]["diverging"], page["twins"]["diverging"]
    assert shown["diverged"]
    assert twin.status == "diverged"
    assert shown["states"][:-1] == twin.trajectory[:, 4].tolist()
    left_out = np.diff(shown["offsets"]) == 0
    assert left_out.any()
    assert (np.array(shown["ends"])[left_out] == -1).all()
    assert (np.array(shown["steps"])[left_out] == 5000).all()


def test_draws_are_uniform_and_differ_between_seeds(page):
    draws = np.array(page["draws"])
    for stream in draws:
        assert stats.kstest(stream, "uniform").pvalue > 1e-3
    together = np.corrcoef(np.vstack([draws, np.roll(draws, 1, axis=1)]))
    assert np.abs(together[~np.eye(8, dtype=bool)]).max() < 5 / np.sqrt(draws.shape[1])
    assert len(set(page["sample"])) == 30
    assert set(page["sample"]) <= set(range(40))
