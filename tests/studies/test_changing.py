"""The study about changing worlds: its worlds, what is measured, and planted effects."""

from itertools import product
from types import SimpleNamespace

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from studies.changing import (
    AGENTS,
    CELLS,
    EPSILON,
    EXPERIMENT,
    PHASES,
    RESPONSES,
    ClosingWorld,
    _detected,
    agent_name,
    at_rates,
    distance_to_exact,
)

import hsr
from hsr.agents.detection import DETECTED
from tests.cases import cases
from tests.studies.planting import arrays_in, planted, words

LEVEL = {"none": 90, "kept": 60, "repaired": 30, "remade": 30, "online": 10}
LOST = {  # options help everybody, and the HSR more than other features
    agent_name(features, options): LEVEL[options] + (0 if features == "HSR" else 8)
    for features, options in CELLS
}
ERROR = {"HSR, options kept, map kept": 0.9, "HSR, options repaired, map kept": 0.8}
AFTER = dict(zip(RESPONSES.values(), (0.5, 0.4, 0.3, 0.2), strict=True))
BEST_RATES = {"SR": (0.1, 0.03), "HSR": (1.0, 0.03)}


def some_numbers(lost=None, error=None, best=None):
    """Return numbers in which agents lose so many steps and have maps of this error.

    At other rates than the best, agents lose 40 steps more. Most detections come in the first block
    with a closed door, and false alarms where there is an SR.
    """
    rng, lost, error = np.random.default_rng(0), LOST | (lost or {}), ERROR | (error or {})
    best = BEST_RATES | (best or {})

    def arrays_of(name, condition, world):
        shape = (condition.seeds, PHASES, condition.blocks)
        level = AFTER.get(name.rpartition(", ")[2], 0.1)
        agent, _, rates = name.partition(" at ")
        steps = lost.get(agent, 100 * level)
        if rates:
            features = agent.partition(",")[0]
            chosen = best.get(features, (0.1, 0.003))
            steps += 40 * (at_rates("", (condition.learning_rate, condition.map_learning_rate))
                           != at_rates("", chosen))  # fmt: skip
        noise = rng.normal(size=(*shape[:2], shape[2] * condition.episodes))
        detections = (rng.random(shape) < 0.1).astype(float)
        if condition.door == "closes":
            detections[:, 1, 0] = 2.0
        return {
            "lost": steps + noise,
            "error": error.get(name, level) + rng.normal(scale=0.01, size=shape),
            "detections": detections,
            "steps": np.full(shape[:2], 500.0),
            "delay": np.full(shape[0], 30.0),
            "false_alarm": np.full(condition.seeds, float(condition.features == "sr")),
        }

    return planted(EXPERIMENT, arrays_of, worlds=12)


@cases(
    "lost, error, opposite",
    {
        "all better": ({}, {}, None),
        "remade loses more": ({"HSR, options remade": 70}, {}, "changing-remade"),
        "restarted loses more": ({"SR, map restarted": 70}, {}, "changing-restart"),
        "restarted errs more": ({}, {"SR, map restarted": 0.7}, "changing-restart-map"),
        "part errs more": ({}, {"SR, map restarted in part": 0.7}, "changing-part-map"),
        "forgotten errs more": ({}, {"SR, map forgotten": 0.7}, "changing-forget-map"),
        "online HSR loses more": ({"HSR, options online": 40}, {}, "changing-online-features"),
    },
)
def test_planted_effects_are_found(lost, error, opposite):
    """The claim about the one effect that is planted the other way round is the opposite."""
    expected = dict.fromkeys((one.id for one in EXPERIMENT.claims), "reproduced")
    found = words(EXPERIMENT, some_numbers(lost, error))
    assert found == expected | ({opposite: "opposite"} if opposite else {})


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
        "inside": ({}, "reproduced"),
        "smallest rate": ({"one-hot": (0.01, 0.003)}, "not reproduced"),
        "largest rate of the map": ({"SR": (0.1, 0.3)}, "not reproduced"),
        "there is no rate above 1": ({"one-hot": (1.0, 0.003)}, "reproduced"),
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
    watched = arrays_in(EXPERIMENT, "SR, map restarted", episodes=2, horizon=60)
    assert watched["detections"].shape == watched["error"].shape == (2, 3, 2)
    assert (watched["steps"] > watched["lost"].sum(axis=-1)).all()


def test_detections_are_counted_by_phase_and_block_and_delays_from_the_closing():
    """With 3 episodes per block and 2 blocks per phase, the door is closed in episodes 6 to 11."""
    condition = SimpleNamespace(seeds=3, episodes=3, blocks=2, door="closes")
    steps = np.empty((3, 3, 6), dtype=np.int64)
    steps[:] = np.array([[10, 5, 1], [2, 100, 7], [4, 4, 4]])[:, :, None]
    state, right = 8, 1
    rows = [
        (0, 5, 57, state, right),  # the last episode before the door closes after 60 steps
        (0, 6, 63, state, right),
        (0, 11, 88, state, right),  # not the first while the door is closed
        (0, 12, 91, state, right),
        (1, 0, 1, state, right),
        (1, 16, 642, state, right),
        (1, 17, 650, state, right),
        (2, 9, 37, state, right),  # the door has closed after 24 steps
    ]
    result = SimpleNamespace(detected=np.array(rows, dtype=DETECTED))
    arrays = _detected(condition, result, steps)
    assert_array_equal(
        arrays["detections"],
        [[[0, 1], [1, 1], [1, 0]], [[1, 0], [0, 0], [0, 2]], [[0, 0], [0, 1], [0, 0]]],
    )
    assert_array_equal(arrays["delay"], [3, -1, 13])
    assert_array_equal(arrays["false_alarm"], [1, 1, 0])
    condition.door = "stays open"
    assert_array_equal(_detected(condition, result, steps)["false_alarm"], [1, 1, 1])
    assert_array_equal(arrays["steps"], [[60, 30, 6], [12, 600, 42], [24, 24, 24]])


def condition_of(name):
    return EXPERIMENT.conditions(EXPERIMENT.presets["smoke"])[name]


def test_the_door_lies_on_a_shortest_path_and_its_closing_cuts_nobody_off():
    layout = hsr.load_layout("four_rooms")
    for number in range(5):
        world = ClosingWorld(condition_of("HSR, options repaired, map kept"), number)
        first, closed, last = world.fewest()
        assert first == last == layout.distances_from(world.task.start)[world.task.goal]
        assert closed >= first
        hsr.option_model(world.closed, world.phase("kept", 1)[1])


def test_an_exact_map_has_no_error():
    world = ClosingWorld(condition_of("SR, map kept"), 0)
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
