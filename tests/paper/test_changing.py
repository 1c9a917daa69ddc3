"""Our own experiment about changing worlds: what it runs, its numbers, and planted effects."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.agents.detection import DETECTED
from hsr.paper import catalogue
from hsr.paper.contrast import evidence_of
from hsr.paper.experiments.changing.run import (
    AGENTS,
    EPSILON,
    PHASES,
    WATCHED,
    ClosingWorld,
    _detected,
    distance_to_exact,
)
from hsr.paper.ledger import own_claims, verdicts
from hsr.paper.store import Record, ResultTable
from tests.cases import cases
from tests.paper.experiment_runs import conditions, letters_in, letters_of, module, preset

NAME = "changing"


def planted(lost, error, n_worlds=12):
    """Return numbers in which each agent loses so many steps and has a map of this error."""
    setting = preset(NAME, "smoke", worlds=n_worlds)
    rng = np.random.default_rng(0)
    records = []
    for agent, condition in conditions(NAME, setting).items():
        for world in range(n_worlds):
            shape = (condition.seeds, PHASES, condition.blocks)
            arrays = {
                "lost": lost[agent] + rng.normal(size=(*shape[:2], shape[2] * condition.episodes))
            }
            if agent not in ("one-hot", "HSR online"):
                arrays["error"] = error[agent] + rng.normal(scale=0.01, size=shape)
            if condition.detector is not None:
                arrays |= planted_detections(condition, rng)
            records.append(Record(NAME, condition.data(), world, arrays))
    return module(NAME, "analysis").analyse(ResultTable(records), setting)


def planted_detections(condition, rng):
    """Return detections of which most come in the first block with a closed door."""
    shape = (condition.seeds, PHASES, condition.blocks)
    found = (rng.random(shape) < 0.1).astype(float)
    if condition.door == "closes":
        found[:, 1, 0] = 2.0
    return {
        "detections": found,
        "steps": np.full(shape[:2], 500),
        "delay": np.where(found[:, 1].any(axis=1), 20.0, -1.0),
    }


WORDS = {"map kept": 0.5, "map restarted": 0.4, "map restarted in part": 0.3, "map forgotten": 0.2}
LOST = {
    "one-hot": 90,
    "SR": 80,
    "HSR fixed": 50,
    "HSR repaired": 20,
    "HSR remade": 30,
    "HSR online": 10,
    **{f"{agent}, no change": 0 for agent in WATCHED},
    **{f"{agent}, {word}": 100 * error for agent in WATCHED for word, error in WORDS.items()},
}
ERROR = {
    "SR": 0.5,
    "HSR fixed": 0.9,
    "HSR repaired": 0.8,
    "HSR remade": 0.8,
    **{f"{agent}, no change": 0.1 for agent in WATCHED},
    **{f"{agent}, {word}": error for agent in WATCHED for word, error in WORDS.items()},
}
DETECTING = ("SR, map restarted", "SR, no change")
NEW = (
    "changing-online",
    "changing-restart",
    "changing-restart-map",
    "changing-part-map",
    "changing-forget-map",
    "changing-detected",
    "changing-detected-hsr",
)


@cases(
    "lost, error, opposite",
    {
        "all better": ({}, {}, None),
        "repaired loses more": ({"HSR repaired": 70}, {}, "changing-repaired"),
        "restarted loses more": ({"SR, map restarted": 70}, {}, "changing-restart"),
        "restarted errs more": ({}, {"SR, map restarted": 0.7}, "changing-restart-map"),
        "part errs more": ({}, {"SR, map restarted in part": 0.7}, "changing-part-map"),
        "forgotten errs more": ({}, {"SR, map forgotten": 0.7}, "changing-forget-map"),
    },
)
def test_planted_effects_are_found(lost, error, opposite):
    """The claim about the one effect that is planted the other way round is the opposite."""
    numbers = planted(LOST | lost, ERROR | error)
    compared = module(NAME, "analysis").contrasts(numbers)
    found = {one.claim: one.word for one in verdicts(evidence_of(compared))}
    former = ("changing-repaired", "changing-remade", "changing-sr", "changing-map")
    expected = dict.fromkeys((*former, *NEW), "reproduced")
    assert found == expected | ({opposite: "opposite"} if opposite else {})
    assert set(found) == {one.id for one in own_claims() if one.experiment == NAME}


def test_the_caption_explains_each_letter_that_is_drawn():
    figure = module(NAME, "figure")
    explained, alone = letters_in(figure.CAPTION)
    assert sorted(letters_of(figure.draw_figure(planted(LOST, ERROR), {}))) == explained == alone


@pytest.fixture(scope="module")
def runs():
    """The arrays of some agents in world 0 of a tiny setting."""
    setting = preset(NAME, "smoke", episodes=2, horizon=60)
    experiment = catalogue.find(NAME)
    return {
        agent: next(iter(experiment(condition.data(), [0]))).arrays
        for agent, condition in conditions(NAME, setting).items()
        if agent in (*AGENTS, *DETECTING)
    }


def test_agents_are_alike_until_the_door_closes(runs):
    for arrays in runs.values():
        assert arrays["lost"].shape == (2, 3, 4)
        assert (arrays["lost"] >= 0).all()
    for other in ("HSR repaired", "HSR remade"):
        for name in ("lost", "error"):
            before = [runs[agent][name][:, 0] for agent in ("HSR fixed", other)]
            assert_allclose(*before, rtol=0)
        assert (runs[other]["lost"][:, 1] != runs["HSR fixed"]["lost"][:, 1]).any()


def test_agents_with_a_detector_store_their_detections(runs):
    for agent in DETECTING:
        arrays = runs[agent]
        assert arrays["detections"].shape == (2, 3, 2)
        assert arrays["delay"].shape == (2,)
        assert (arrays["steps"] > arrays["lost"].sum(axis=-1)).all()
    assert not set(DETECTING) & set(AGENTS)


def test_detections_are_counted_by_phase_and_block_and_delays_from_the_closing():
    """With 3 episodes per block and 2 blocks per phase, the door is closed in episodes 6 to 11."""
    condition = SimpleNamespace(seeds=3, episodes=3, blocks=2)
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
    assert_array_equal(arrays["steps"], [[60, 30, 6], [12, 600, 42], [24, 24, 24]])


def test_settings_of_agents_that_detect_nothing_are_those_of_stored_runs():
    """Fields that came later are not written, so that the keys of these runs stay the same."""
    of_agents = conditions(NAME, preset(NAME, "paper"))
    stored = [
        "agent",
        "discount",
        "episodes",
        "blocks",
        "horizon",
        "learning_rate",
        "map_learning_rate",
        "seeds",
    ]
    for agent in AGENTS[:5]:
        assert list(of_agents[agent].data()) == stored
    assert [*of_agents["HSR online"].data()] == [*stored, "refresh"]
    watched = of_agents["SR, no change"].data()
    assert [*watched] == [*stored, "detector", "door"]
    assert type(of_agents["SR"]).model_validate(watched) == of_agents["SR, no change"]


def test_the_door_lies_on_a_shortest_path_and_its_closing_cuts_nobody_off():
    condition = conditions(NAME, preset(NAME, "smoke"))["HSR repaired"]
    layout = hsr.load_layout("four_rooms")
    for number in range(5):
        world = ClosingWorld(condition, number)
        first, closed, last = world.fewest()
        assert first == last == layout.distances_from(world.task.start)[world.task.goal]
        assert closed >= first
        hsr.option_model(world.closed, world.phase("HSR fixed", 1)[1])


def test_an_exact_map_has_no_error():
    condition = conditions(NAME, preset(NAME, "smoke"))["SR"]
    world = ClosingWorld(condition, 0)
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
