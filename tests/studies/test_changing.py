"""The study about changing worlds: its worlds, what is measured, and planted effects."""

from itertools import product

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from studies.changing import (
    AGENTS,
    CELLS,
    EPSILON,
    EXPERIMENT,
    PHASES,
    ClosingWorld,
    agent_name,
    at_rates,
    distance_to_exact,
)

import hsr
from tests.cases import cases
from tests.studies.planting import arrays_in, planted, words

LEVEL = {"none": 90, "kept": 60, "repaired": 30, "remade": 30, "online": 10}
LOST = {  # options help everybody, and the HSR more than other features
    agent_name(features, options): LEVEL[options] + (0 if features == "HSR" else 8)
    for features, options in CELLS
}
ERROR = {"HSR, options kept, map measured": 0.9, "HSR, options repaired, map measured": 0.8}
BEST_RATES = {"SR": (0.1, 0.03), "HSR": (1.0, 0.03)}


def some_numbers(lost=None, error=None, best=None):
    """Return numbers in which agents lose so many steps and have maps of this error.

    At other rates than the best, agents lose 40 steps more.
    """
    rng, lost, error = np.random.default_rng(0), LOST | (lost or {}), ERROR | (error or {})
    best = BEST_RATES | (best or {})

    def arrays_of(name, condition, world):
        shape = (condition.seeds, PHASES, condition.blocks)
        agent, _, rates = name.partition(" at ")
        steps = lost.get(agent, 0)
        if rates:
            features = agent.partition(",")[0]
            chosen = best.get(features, (0.1, 0.003))
            steps += 40 * (at_rates("", (condition.learning_rate, condition.map_learning_rate))
                           != at_rates("", chosen))  # fmt: skip
        noise = rng.normal(size=(*shape[:2], shape[2] * condition.episodes))
        return {
            "lost": steps + noise,
            "error": error.get(name, 0.0) + rng.normal(scale=0.01, size=shape),
        }

    return planted(EXPERIMENT, arrays_of, worlds=12)


@cases(
    "lost, error, opposite",
    {
        "all better": ({}, {}, None),
        "remade loses more": ({"HSR, options remade": 70}, {}, "changing-remade"),
        "repaired errs more": ({}, {"HSR, options repaired, map measured": 1.0}, "changing-map"),
        "online HSR loses more": ({"HSR, options online": 40}, {}, "changing-online-features"),
    },
)
def test_planted_effects_are_found(lost, error, opposite):
    """The claim about the one effect that is planted the other way round is the opposite."""
    expected = dict.fromkeys((one.id for one in EXPERIMENT.claims), "holds")
    found = words(EXPERIMENT, some_numbers(lost, error))
    assert found == expected | ({opposite: "the other way"} if opposite else {})


def test_each_half_of_the_worlds_is_scored_at_the_rates_that_the_other_half_chose():
    numbers = some_numbers()
    values = numbers.by_rates["SR"]
    assert values.shape[:3] == (3, 3, 12)
    values[0, 0, 1::2] = 0.0  # the best in odd worlds is not the best in even ones
    assert numbers.chosen("SR") == [(0, 0), (1, 1)]
    scored = numbers.lost("SR")
    assert_array_equal(scored[::2], values[0, 0, ::2])
    assert_array_equal(scored[1::2], values[1, 1, 1::2])
    assert numbers.by_rates["one-hot"].shape[:2] == (3, 1)  # no map, and one rate for it


@cases(
    "best, word",
    {
        "inside": ({}, "holds"),
        "smallest rate": ({"one-hot": (0.01, 0.003)}, "does not hold, holds"),
        "largest rate of the map": ({"SR": (0.1, 0.3)}, "holds, does not hold"),
        "there is no rate above 1": ({"one-hot": (1.0, 0.003)}, "holds"),
    },
)
def test_a_best_rate_at_the_end_of_its_list_is_found(best, word):
    assert words(EXPERIMENT, some_numbers(best=best))["changing-rates"] == word


def test_every_kind_of_features_meets_the_same_options():
    """The HSR without options is the SR; every other cell of the factorial is there."""
    cells = {cell for cell in CELLS if cell[1] in ("none", "kept")}
    of_all = set(product(("one-hot", "RW-SR", "SR", "HSR"), ("none", "kept")))
    assert of_all - cells == {("HSR", "none")}
    assert not any(" at " in name for name in AGENTS)


def test_agents_are_alike_until_the_door_closes():
    names = [at_rates(f"HSR, options {one}", (0.1, 0.03)) for one in ("kept", "repaired", "remade")]
    runs = [arrays_in(EXPERIMENT, name, episodes=2, horizon=60) for name in names]
    for arrays in runs:
        assert arrays["lost"].shape == (2, 3, 4)
        assert (arrays["lost"] >= 0).all()
    for other in runs[1:]:
        assert_array_equal(runs[0]["lost"][:, 0], other["lost"][:, 0])
        assert (other["lost"][:, 1] != runs[0]["lost"][:, 1]).any()
    measured = arrays_in(EXPERIMENT, "HSR, options kept, map measured", episodes=2, horizon=60)
    assert measured["error"].shape == (2, 3, 2)


def condition_of(name):
    return EXPERIMENT.conditions(EXPERIMENT.presets["smoke"])[name]


def test_the_door_lies_on_a_shortest_path_and_its_closing_cuts_nobody_off():
    layout = hsr.load_layout("four_rooms")
    for number in range(5):
        world = ClosingWorld(condition_of("HSR, options repaired, map measured"), number)
        first, closed, last = world.fewest()
        assert first == last == layout.distances_from(world.task.start)[world.task.goal]
        assert closed >= first
        hsr.option_model(world.closed, world.phase("kept", 1)[1])


def test_an_exact_map_has_no_error():
    world = ClosingWorld(condition_of("HSR, options kept, map measured"), 0)
    mdp, task = world.closed, world.task
    values = np.random.default_rng(0).random((mdp.n_actions, mdp.n_states))
    policy = np.full((mdp.n_states, mdp.n_actions), EPSILON / mdp.n_actions)
    policy[np.arange(mdp.n_states), values.argmax(axis=0)] += 1.0 - EPSILON
    P = np.einsum("sa,sat->st", policy, mdp.toarray())
    P[task.goal] = 0.0  # nothing follows the goal
    M = np.linalg.inv(np.eye(mdp.n_states) - mdp.discount * P)
    model = hsr.option_model(mdp, None, task=task)
    assert distance_to_exact(M, values, model) < 1e-12
    assert_allclose(distance_to_exact(2 * M, values, model), 1.0)
