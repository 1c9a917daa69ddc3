"""Agents that the page trains take the steps of the library's agents, one by one."""

import itertools
import json

import numpy as np
import pytest

import hsr
from tests.lab.page_code import computed

DISCOUNT = 0.95
EPISODES, HORIZON, N_SEEDS = 12, 400, 3
LAYOUTS = {
    "four rooms": hsr.load_layout("four_rooms"),
    "corridor with a bay": hsr.GridLayout.from_text("S.....1\n##.####\n##..2##"),
}
MDPS = {name: hsr.grid_mdp(layout, discount=DISCOUNT) for name, layout in LAYOUTS.items()}
OPTIONS = {
    "eigen": lambda mdp: hsr.eigenoptions(mdp, 6, signs="both"),
    "point": lambda mdp: hsr.random_options(mdp, 3, seed=1),
    "soft": lambda mdp: _softly_ending(hsr.eigenoptions(mdp, 4)),
    "none": lambda mdp: None,
}
SEEDS = (0, 7, 2**32 + 5)
LEARNERS = {
    "one-hot": {},
    "one-hot primal": {"form": "primal", "learning_rate": 0.3},
    "SR": {"features": "sr", "learning_rate": 0.1},
    "HSR": {"features": "hsr", "learning_rate": 0.1},
    "HSR from zero": {"features": "hsr", "initial_map": "zero", "map_learning_rate": 0.2},
    "HSR of passed states": {"features": "hsr", "map_update": "passed", "learning_rate": 0.05},
    "HSR inside options": {"features": "hsr", "map_update": "intra_option", "learning_rate": 0.05},
    "HSR inside options, first": {
        "features": "hsr", "map_update": "intra_option", "ties": "first", "update": "chosen",
        "initial_map": "zero", "map_learning_rate": 0.3, "epsilon": 0.5,
    },
    "fixed map": {"features": "rw_sr", "learning_rate": 0.02},
    "fixed map, primal": {"features": "rw_hsr", "form": "primal", "learning_rate": 0.02},
    "first of ties": {"ties": "first", "epsilon": 0.3, "learning_rate": 0.5},
    "primitives tried": {"explore_with": "primitives", "epsilon": 0.4},
    "interrupted": {"explore_at": "steps", "epsilon": 0.2, "features": "hsr"},
    "never exploring": {"epsilon": 0.0, "tie_tolerance": 1e-3, "learning_rate": 0.5},
    "chosen": {"update": "chosen", "learning_rate": 0.5},
    "primitives": {"update": "primitives", "features": "sr"},
    "intra-option": {"update": "intra_option", "learning_rate": 0.5},
    "intra-option on the HSR": {"update": "intra_option", "features": "hsr"},
    "running": {"update": "running", "learning_rate": 0.5},
    "running on the SR": {"update": "running", "features": "sr", "learning_rate": 0.1},
}  # fmt: skip
EXPLORERS = {
    "no bonus": {"bonus": "none"},
    "norm": {"bonus": "norm"},
    "norm of left": {"bonus": "norm", "norm_of": "left", "bonus_per": "choice"},
    "SPIE": {"bonus": "spie"},
    "SPIE from zero": {"bonus": "spie", "initial_map": "zero", "epsilon": 0.3},
    "SPIE by choice": {"bonus": "spie", "bonus_per": "choice", "bonus_weight": 0.3},
    "SPIE without squares": {"bonus": "spie_l1", "map_learning_rate": 0.3, "learning_rate": 0.2},
}
STEPS = 3000
SOURCE = """
import { Runs } from "./agents/runs";
import { Reals, Wholes } from "./numbers";
const work = { due: () => false, pause: async () => {} };
const plain = (name, one) => one instanceof Reals || one instanceof Wholes ? [...one.values] : one;
export default async (given) => {
  const runs = new Runs({
    place: ({ map, discount }) => {
      const place = given.places[map];
      return { ...place, discount, tasks: () => place.tasks };
    },
    options: ({ map, options }) => given.options[map + ", " + options.kind],
    map: ({ map, options: { kind } }, which, options) =>
      Float64Array.from(given.maps[[map, kind, which, !options].join()]),
  });
  const answered = async ({ ask, fields }) => {
    const reply = await runs[ask](fields, work);
    if (ask === "train") {
      const { run } = reply;
      const end = reply.agents[0].offsets.values.at(-1);
      reply.path = runs.path({ run, agent: 0, begin: 0, end });
      reply.values = Array.from({ length: 2 * fields.episodes }, (_, episode) =>
        runs.values({ run, agent: 0, episode }).values);
    }
    return reply;
  };
  const replies = [];
  for (const request of given.requests)
    replies.push(await answered(request).catch(({ message }) => ({ error: message })));
  return JSON.parse(JSON.stringify(replies, plain));
};
"""


def _softly_ending(options):
    """Return options that end by chance in every state."""
    termination = np.where(options.termination < 1, 0.1, 1.0)
    return hsr.OptionSet(options.policy, termination, options.initiation)


def _cases():
    """Yield names of a learner, a layout and options: each learner in both layouts."""
    kinds = itertools.cycle(["point", "soft", "none"])
    for learner in LEARNERS:
        yield learner, "four rooms", "eigen"
        yield learner, "corridor with a bay", next(kinds)


def _explorer_cases():
    for explorer, on in itertools.product(EXPLORERS, ["sr", "hsr"]):
        yield explorer, on, "four rooms", "eigen"
        yield explorer, on, "corridor with a bay", "soft" if on == "hsr" else "none"


CASES = [
    case
    for case in _cases()
    if not (case[2] == "none" and LEARNERS[case[0]].get("features") == "rw_hsr")
]
EXPLORER_CASES = list(_explorer_cases())
MADE = {(m, o): OPTIONS[o](MDPS[m]) for m, o in itertools.product(MDPS, OPTIONS)}


def _world(layout, options):
    return {"map": layout, "discount": DISCOUNT, "options": {"kind": options}}


def _place(name):
    layout, mdp = LAYOUTS[name], MDPS[name]
    optimal = layout.distances_from(layout.start)[list(layout.goals)].tolist()
    return {
        "nStates": mdp.n_states,
        "nActions": mdp.n_actions,
        "successors": mdp.successors.ravel().tolist(),
        "start": layout.start if name == "four rooms" else None,
        "tasks": {"start": layout.start, "goals": list(layout.goals), "optimal": optimal},
    }


def _fields(options):
    if options is None:
        return None
    arrays = {"termination": options.termination, "initiation": options.initiation}
    fields = {name: array.ravel().tolist() for name, array in arrays.items()}
    return {"n": len(options), "actions": options.policy.ravel().tolist(), **fields}


def _maps():
    for (layout, kind), options in MADE.items():
        for which, own in (("rw_sr", None), ("rw_sr", options), ("rw_hsr", options)):
            if not (which == "rw_hsr" and own is None):
                M = hsr.make_representation(MDPS[layout], which, own).toarray()
                key = [layout, kind, which, json.dumps(own is None)]
                yield ",".join(key), M.ravel().tolist()


def seed_of(case):
    return SEEDS[CASES.index(case) % len(SEEDS)]


@pytest.fixture(scope="module")
def replies():
    """Return what the page replies to each case, all computed by one process."""
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
                "world": _world(*case[2:]),
                "agents": [{**EXPLORERS[case[0]], "on": case[1]}],
                "seed": 2**40 + i,
                "steps": STEPS,
            },
        }
        for i, case in enumerate(EXPLORER_CASES)
    ]
    given = {
        "places": {name: _place(name) for name in LAYOUTS},
        "options": {f"{m}, {o}": _fields(options) for (m, o), options in MADE.items()},
        "maps": dict(_maps()),
        "requests": requests,
    }
    return dict(zip([*CASES, *EXPLORER_CASES], computed(SOURCE, given), strict=True))


@pytest.mark.parametrize("case", CASES, ids=", ".join)
def test_a_trained_agent_takes_the_steps_of_the_library(replies, case):
    reply, (learner, layout, kind) = replies[case], case
    seed, options = seed_of(case), MADE[layout, kind]
    assert "error" not in reply, reply
    (shown,) = reply["agents"]
    maze = LAYOUTS[layout]
    tasks = [hsr.GoalTask(maze.start, goal) for goal in maze.goals]
    agent = hsr.LinearQ(**LEARNERS[learner])
    lengths = {"horizon": HORIZON, "workers": 1}
    plain = hsr.train(
        MDPS[layout], tasks, agent, options,
        seeds=range(seed, seed + N_SEEDS), episodes=EPISODES, **lengths,
    )  # fmt: skip
    assert shown["all_steps"] == plain.steps.ravel().tolist()
    assert (shown["status"], shown["n_diverged"]) == ("ok", 0)
    repeated = [task for task in tasks for _ in range(EPISODES)]
    whole = hsr.train(
        MDPS[layout], repeated, agent, options,
        seeds=[seed], episodes=1, keep_values=True, trajectory_of=seed, **lengths,
    )  # fmt: skip
    assert shown["steps"] == plain.steps[0].ravel().tolist()
    assert np.diff(shown["offsets"]).tolist() == shown["steps"]
    path = reply["path"]
    assert path["states"] == [*whole.trajectory.state, whole.trajectory.arrival[-1]]
    assert path["choices"] == whole.trajectory.choice.tolist()
    assert shown["ends"] == whole.trajectory.arrival[np.array(shown["offsets"][1:]) - 1].tolist()
    available = np.ones((4, maze.n_states), dtype=bool)
    if options is not None:
        available = np.concatenate([available, options.initiation])
    best = np.where(available, whole.values[0], -np.inf).max(axis=1)
    # Inner products of fixed features are sums in another order than those of the library.
    rounding = 1e-9 if agent.features == "rw_sr" else 0
    np.testing.assert_allclose(reply["values"], best, rtol=rounding, atol=rounding)


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
        start=_place(layout)["start"],
        workers=1,
    )
    (shown,) = reply["agents"]
    assert shown["first_visit"] == plain.first_visit[0].tolist()
    times = np.array(reply["times"])
    assert times.tolist() == np.rint(np.linspace(1, STEPS, 200)).astype(int).tolist()
    assert shown["coverage"] == plain.coverage[0, times - 1].tolist()
