"""Agents that the page trains take the steps of the library's agents, one by one."""

import itertools

import numpy as np
import pytest

import hsr
from tests.lab.node.page_code import computed, world

LEARNERS = {
    "one-hot": {},
    "SR": {"features": "sr", "learning_rate": 0.1},
    "HSR": {"features": "hsr", "learning_rate": 0.1},
    "HSR that changes fast": {"features": "hsr", "map_learning_rate": 0.2, "epsilon": 0.5},
    "fixed SR": {"features": "rw_sr", "learning_rate": 0.02},
    "fixed HSR": {"features": "rw_hsr", "learning_rate": 0.02},
    "expected SR": {"features": "esr", "learning_rate": 0.05},
    "expected HSR": {"features": "ehsr", "learning_rate": 0.05},
    "without options": {"features": "hsr", "learning_rate": 0.1, "options": False},
    "never exploring": {"epsilon": 0.0, "tie_tolerance": 1e-3, "learning_rate": 0.5},
}
EXPLORERS = {
    "no bonus": {"bonus": "none"},
    "norm": {"bonus": "norm"},
    "SPIE": {"bonus": "spie"},
    "SPIE that explores": {"bonus": "spie", "bonus_weight": 0.3, "epsilon": 0.3},
    "SPIE without squares": {"bonus": "spie_l1", "map_learning_rate": 0.3, "learning_rate": 0.2},
}
PLACES = {
    "four rooms": (hsr.load_layout("four_rooms").to_text(), {"n": 6, "signs": "both"}),
    "a bay": ("S.....1\n##.####\n##..2##", {"kind": "random", "n": 3, "seed": 1}),
}
DISCOUNT, EPISODES, HORIZON, N_SEEDS, STEPS = 0.95, 8, 250, 3, 2000
SEEDS = (0, 7, 2**32 + 5)
CASES = list(itertools.product(LEARNERS, PLACES))
EXPLORER_CASES = list(itertools.product(EXPLORERS, ["sr", "hsr"], PLACES))
SOURCE = """
import { answer } from "./answers";
import { makeRows, PlainRows } from "./agents/rows";
import { vectorCode } from "./agents/vectors";
const work = { due: () => true, pause: async () => {} };
const answered = async ({ do: name, ...fields }) => {
  const reply = await answer(name, fields, work);
  if (name !== "train") return reply;
  return { ...reply, seeds: (await answer("seeds", fields, work)).agents };
};
const inTurn = async (requests) => {
  const replies = [];
  for (const request of requests) replies.push(await answered(request));
  return replies;
};
export default async (requests) => {
  const replies = await inTurn(requests);
  const vectors = !(makeRows(8) instanceof PlainRows);
  vectorCode(() => { throw new Error("this browser has no WebAssembly"); });
  for (let k = 0; k < 9; k++) makeRows(8); // uses up the memory that is kept
  return { replies, vectors, again: makeRows(8) instanceof PlainRows && await inTurn(requests) };
};
"""


class Library:
    """The MDP, the options and the tasks of a place."""

    def __init__(self, place):
        text, options = PLACES[place]
        self.layout = hsr.GridLayout.from_text(text)
        self.mdp = hsr.grid_mdp(self.layout, discount=DISCOUNT)
        given = {"kind": "eigen", **options}
        kind, n = given.pop("kind"), given.pop("n")
        self.options = hsr.make_options(self.mdp, kind, n_options=n, **given)
        self.tasks = [hsr.GoalTask(self.layout.start, goal) for goal in self.layout.goals]


def described(place, has_start=True):
    text, options = PLACES[place]
    reading = {"ties": "options", "stopping_state": "counted_twice"}
    return world(text.replace("S", "S" if has_start else "."), "2", DISCOUNT, reading, **options)


@pytest.fixture(scope="module")
def page():
    """Return the reply to each case, and all replies again without WebAssembly."""
    lengths = {"episodes": EPISODES, "horizon": HORIZON, "n_seeds": N_SEEDS}
    asked = {
        case: {"do": "train", "world": described(case[1]), "agents": [LEARNERS[case[0]]],
               "seed": SEEDS[i % 3], **lengths}
        for i, case in enumerate(CASES)
    }  # fmt: skip
    for i, case in enumerate(EXPLORER_CASES):
        name, on, place = case
        asked[case] = {
            "do": "explore", "world": described(place, place == "four rooms"),
            "agents": [{**EXPLORERS[name], "on": on}], "seed": 2**40 + i, "n_seeds": 1,
            "steps": STEPS,
        }  # fmt: skip
    asked["diverging"] = {
        "do": "train", "world": world("S1\n.2", discount=0.99, kind="none"),
        "agents": [{"features": "sr", "learning_rate": 1.0}],
        "episodes": 200, "horizon": 5000, "seed": 0, "n_seeds": 2,
    }  # fmt: skip
    shown = computed(SOURCE, list(asked.values()))
    return {**shown, "replies": dict(zip(asked, shown["replies"], strict=True))}


def test_without_webassembly_the_page_computes_the_same(page):
    assert page["vectors"], "this Node has no vector instructions, so nothing was tested"
    assert list(page["replies"].values()) == page["again"]


@pytest.mark.parametrize("case", CASES, ids=", ".join)
def test_a_trained_agent_takes_the_steps_of_the_library(page, case):
    reply, library = page["replies"][case], Library(case[1])
    fields = {**LEARNERS[case[0]]}
    options = library.options if fields.pop("options", True) else None
    agent, seed = hsr.LinearQ(**fields), SEEDS[CASES.index(case) % 3]
    (shown,), (others,) = reply["agents"], reply["seeds"]
    lengths = {"horizon": HORIZON, "workers": 1}
    plain = hsr.train(
        library.mdp, library.tasks, agent, options,
        seeds=range(seed, seed + N_SEEDS), episodes=EPISODES, **lengths,
    )  # fmt: skip
    steps = [one["steps"] for one in [shown, *others]]
    assert steps == plain.steps.reshape(N_SEEDS, -1).tolist()
    assert not any(one["diverged"] for one in [shown, *others])
    repeated = [task for task in library.tasks for _ in range(EPISODES)]
    whole = hsr.train(
        library.mdp, repeated, agent, options,
        seeds=[seed], episodes=1, keep_values=True, trajectory_of=seed, **lengths,
    )  # fmt: skip
    assert np.diff(shown["offsets"]).tolist() == shown["steps"]
    assert shown["states"] == [*whole.trajectory.state, whole.trajectory.arrival[-1]]
    assert shown["choices"] == whole.trajectory.choice.tolist()
    assert shown["ends"] == whole.trajectory.arrival[np.array(shown["offsets"][1:]) - 1].tolist()
    available = np.ones((4, library.mdp.n_states), dtype=bool)
    if options is not None:
        available = np.concatenate([available, options.initiation])
    best = np.where(available, whole.values[0], -np.inf).max(axis=1)
    # Fixed maps and their inner products are sums in another order than those of the library.
    rounding = 0 if agent.features in ("onehot", "sr", "hsr") else 1e-9
    np.testing.assert_allclose(shown["values"], best, rtol=rounding, atol=rounding)


@pytest.mark.parametrize("case", EXPLORER_CASES, ids=", ".join)
def test_an_explorer_sees_states_when_that_of_the_library_does(page, case):
    reply, (name, on, place) = page["replies"][case], case
    library = Library(place)
    plain = hsr.explore(
        library.mdp, hsr.Sarsa(on=on, **EXPLORERS[name]), library.options,
        seeds=[2**40 + EXPLORER_CASES.index(case)], steps=STEPS, workers=1,
        start=library.layout.start if place == "four rooms" else None,
    )  # fmt: skip
    (shown,) = reply["agents"]
    assert shown["firstVisit"] == plain.first_visit[0].tolist()
    times = np.array(reply["times"])
    assert times.tolist() == np.rint(np.linspace(1, STEPS, 200)).astype(int).tolist()
    assert shown["coverage"] == plain.coverage[0, times - 1].tolist()


@pytest.mark.filterwarnings("ignore::hsr.HSRWarning")
def test_a_run_that_diverges_ends_where_that_of_the_library_does(page):
    reply = page["replies"]["diverging"]
    (shown,), (others,) = reply["agents"], reply["seeds"]
    layout = hsr.GridLayout.from_text("S1\n.2")
    tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
    plain = hsr.train(
        hsr.grid_mdp(layout, discount=0.99), tasks, hsr.LinearQ("sr", learning_rate=1.0),
        seeds=[0, 1], episodes=200, horizon=5000, workers=1, trajectory_of=0,
    )  # fmt: skip
    assert shown["diverged"]
    assert others[0]["diverged"]
    assert [shown["steps"], others[0]["steps"]] == plain.steps.reshape(2, -1).tolist()
    assert shown["states"][:-1] == plain.trajectory.state.tolist()
    left_out = np.diff(shown["offsets"]) == 0
    assert left_out.any()
    assert (np.array(shown["ends"])[left_out] == -1).all()
