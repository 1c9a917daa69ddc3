"""Agents that the page trains take the steps of the library's agents, one by one."""

import itertools

import numpy as np
import pytest

import hsr
from tests.lab.node.agent_cases import EXPLORERS, LEARNERS
from tests.lab.node.page_code import computed, world

DISCOUNT = 0.95
EPISODES, HORIZON, N_SEEDS = 8, 250, 3
LAYOUTS = {
    "four rooms": hsr.load_layout("four_rooms"),
    "corridor with a bay": hsr.GridLayout.from_text("S.....1\n##.####\n##..2##"),
}
MDPS = {name: hsr.grid_mdp(layout, discount=DISCOUNT) for name, layout in LAYOUTS.items()}
OPTIONS = {
    "eigen": {"n": 6, "signs": "both"},
    "random": {"n": 3, "seed": 1},
    "covering": {"n": 3},
    "none": {},
}
SEEDS = (0, 7, 2**32 + 5)
STEPS = 2000
SOURCE = """
import { answer } from "./answers";
import { makeRows, PlainRows } from "./agents/rows";
import { vectorCode } from "./agents/vectors";
const work = { due: () => true, pause: async () => {} };
const answered = async ({ ask, fields }) => {
  const reply = await answer(ask, fields, work);
  if (ask !== "train") return reply;
  return { ...reply, seeds: (await answer("seeds", fields, work)).agents };
};
const inTurn = async (requests) => {
  const replies = [];
  for (const request of requests)
    replies.push(await answered(request).catch(({ message }) => ({ error: message })));
  return replies;
};
export default async ({ requests, again }) => {
  const replies = await inTurn(requests);
  const vectors = !(makeRows(8) instanceof PlainRows);
  vectorCode(() => { throw new Error("this browser has no WebAssembly"); });
  for (let k = 0; k < 9; k++) makeRows(8); // uses up the memory that is kept
  return { replies, vectors, again: makeRows(8) instanceof PlainRows && await inTurn(again) };
};
"""


def _made(mdp, kind, n=0, **settings):
    return None if kind == "none" else hsr.make_options(mdp, kind, n_options=n, **settings)


def _cases():
    """Yield names of a learner, a layout and options: each learner in both layouts."""
    kinds = itertools.cycle(["random", "covering", "none"])
    for learner in LEARNERS:
        yield learner, "four rooms", "eigen"
        yield learner, "corridor with a bay", next(kinds)


def _explorer_cases():
    for explorer, on in itertools.product(EXPLORERS, ["sr", "hsr"]):
        yield explorer, on, "four rooms", "eigen"
        yield explorer, on, "corridor with a bay", "random" if on == "hsr" else "none"


CASES = [
    case
    for case in _cases()
    if not (case[2] == "none" and LEARNERS[case[0]].get("features") in ("rw_hsr", "ehsr"))
]
EXPLORER_CASES = list(_explorer_cases())
MADE = {
    (layout, kind): _made(mdp, kind, **OPTIONS[kind])
    for (layout, mdp), kind in itertools.product(MDPS.items(), OPTIONS)
}


def _world(layout, kind, has_start=True):
    text = LAYOUTS[layout].to_text().replace("S", "S" if has_start else ".")
    reading = {"ties": "options", "stopping_state": "counted_twice"}
    return world(text, "2", DISCOUNT, reading, kind=kind, **OPTIONS[kind])


DIVERGING = {
    "world": world("S1\n.2", discount=0.99, kind="none"),
    "agents": [{"features": "sr", "learning_rate": 1.0}],
    "episodes": 200,
    "horizon": 5000,
    "seed": 0,
    "n_seeds": 2,
}


def seed_of(case):
    return SEEDS[CASES.index(case) % len(SEEDS)]


@pytest.fixture(scope="module")
def computed_cases():
    """Return what the page replies to each case, and again without WebAssembly, by one process."""
    lengths = {"episodes": EPISODES, "horizon": HORIZON, "n_seeds": N_SEEDS}
    requests = [
        {
            "ask": "train",
            "fields": {
                "world": _world(*case[1:]),
                "agents": [LEARNERS[case[0]]],
                "seed": seed_of(case),
                **lengths,
            },
        }
        for case in CASES
    ]
    requests += [
        {
            "ask": "explore",
            "fields": {
                "world": _world(*case[2:], has_start=case[2] == "four rooms"),
                "agents": [{**EXPLORERS[case[0]], "on": case[1]}],
                "seed": 2**40 + i,
                "steps": STEPS,
            },
        }
        for i, case in enumerate(EXPLORER_CASES)
    ]
    requests.append({"ask": "train", "fields": DIVERGING})
    again = [request for request in requests[: len(CASES)] if _learns_map(request)]
    again += requests[len(CASES) :: 3]
    shown = computed(SOURCE, {"requests": requests, "again": again})
    names = [*CASES, *EXPLORER_CASES, "diverging"]
    return {**shown, "names": names, "indices": [requests.index(request) for request in again]}


def _learns_map(request):
    return request["fields"]["agents"][0].get("features") in ("hsr", "rw_sr")


@pytest.fixture(scope="module")
def replies(computed_cases):
    """Return what the page replies to each case."""
    return dict(zip(computed_cases["names"], computed_cases["replies"], strict=True))


def test_without_webassembly_the_page_computes_the_same(computed_cases):
    assert computed_cases["vectors"], "this Node has no vector instructions, so nothing was tested"
    first = [computed_cases["replies"][i] for i in computed_cases["indices"]]
    assert len(first) > 10
    for reply, other in zip(first, computed_cases["again"], strict=True):
        assert reply == other


@pytest.mark.parametrize("case", CASES, ids=", ".join)
def test_a_trained_agent_takes_the_steps_of_the_library(replies, case):
    reply, (learner, layout, kind) = replies[case], case
    fields = {**LEARNERS[learner]}
    seed, options = seed_of(case), MADE[layout, kind] if fields.pop("options", True) else None
    assert "error" not in reply, reply
    (shown,) = reply["agents"]
    maze = LAYOUTS[layout]
    tasks = [hsr.GoalTask(maze.start, goal) for goal in maze.goals]
    agent = hsr.LinearQ(**fields)
    lengths = {"horizon": HORIZON, "workers": 1}
    plain = hsr.train(
        MDPS[layout], tasks, agent, options,
        seeds=range(seed, seed + N_SEEDS), episodes=EPISODES, **lengths,
    )  # fmt: skip
    (others,) = reply["seeds"]
    assert [one["steps"] for one in others] == plain.steps[1:].reshape(N_SEEDS - 1, -1).tolist()
    assert not any(one["diverged"] for one in [shown, *others])
    repeated = [task for task in tasks for _ in range(EPISODES)]
    whole = hsr.train(
        MDPS[layout], repeated, agent, options,
        seeds=[seed], episodes=1, keep_values=True, trajectory_of=seed, **lengths,
    )  # fmt: skip
    assert shown["steps"] == plain.steps[0].ravel().tolist()
    assert np.diff(shown["offsets"]).tolist() == shown["steps"]
    assert shown["states"] == [*whole.trajectory.state, whole.trajectory.arrival[-1]]
    assert shown["choices"] == whole.trajectory.choice.tolist()
    assert shown["ends"] == whole.trajectory.arrival[np.array(shown["offsets"][1:]) - 1].tolist()
    available = np.ones((4, maze.n_states), dtype=bool)
    if options is not None:
        available = np.concatenate([available, options.initiation])
    best = np.where(available, whole.values[0], -np.inf).max(axis=1)
    # Fixed maps and their inner products are sums in another order than those of the library.
    rounding = 0 if agent.features in ("onehot", "sr", "hsr") else 1e-9
    np.testing.assert_allclose(shown["values"], best, rtol=rounding, atol=rounding)


@pytest.mark.parametrize("case", EXPLORER_CASES, ids=", ".join)
def test_an_explorer_sees_states_when_that_of_the_library_does(replies, case):
    reply, (explorer, on, layout, kind) = replies[case], case
    assert "error" not in reply, reply
    plain = hsr.explore(
        MDPS[layout],
        hsr.Sarsa(on=on, **EXPLORERS[explorer]),
        MADE[layout, kind],
        seeds=[2**40 + EXPLORER_CASES.index(case)],
        steps=STEPS,
        start=LAYOUTS[layout].start if layout == "four rooms" else None,
        workers=1,
    )
    (shown,) = reply["agents"]
    assert shown["firstVisit"] == plain.first_visit[0].tolist()
    times = np.array(reply["times"])
    assert times.tolist() == np.rint(np.linspace(1, STEPS, 200)).astype(int).tolist()
    assert shown["coverage"] == plain.coverage[0, times - 1].tolist()


@pytest.mark.filterwarnings("ignore::hsr.HSRWarning")
def test_a_run_that_diverges_ends_where_that_of_the_library_does(replies):
    reply = replies["diverging"]
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
