"""Options from learned eigenvectors: their ends and actions against those worked out by hand."""

import jax
import numpy as np
import pytest

import hsr
import hsr.deep
from hsr.deep import Network, Observed, Training, against_exact
from hsr.deep.choices import read_problem
from hsr.deep.eigenoptions import read_vectors
from hsr.deep.experience import read_experience
from hsr.deep.option_values import q_loss, tolerance_of
from tests.cases import raises
from tests.deep.mazes import corridor

TRAINING = Training(n_updates=2500, batch_size=32, learning_rate=5e-3)
SMALL = Network(width=32)


@pytest.fixture(scope="module")
def steps():
    return hsr.deep.random_steps(corridor(), 600)


@pytest.fixture(scope="module")
def learned(steps):
    return hsr.deep.learn_eigenoptions(
        steps, 4, signs="both", mdp=corridor(), network=SMALL, training=TRAINING
    )


def ends_of(options):
    return [np.flatnonzero(option.termination).tolist() for option in options]


def test_options_end_at_the_hills_of_the_cosines(learned):
    # The first vector falls from one end to the other. The second is high at both ends and low in
    # the two middle cells, which are equally low. Which sign is the first is arbitrary.
    ends = ends_of(learned.options)
    assert sorted(ends[:2]) == [[0], [5]]
    assert sorted(ends[2:]) == [[0, 5], [2, 3]]
    assert learned.options.names == ("+v1", "-v1", "+v2", "-v2")


def test_options_go_to_the_nearest_hill(learned):
    right, left = 1, 3
    policy = {
        str(ends): option.policy
        for ends, option in zip(ends_of(learned.options), learned.options, strict=True)
    }
    assert (policy["[0]"][1:] == left).all()
    assert (policy["[5]"][:5] == right).all()
    assert policy["[0, 5]"][1:5].tolist() == [left, left, right, right]


def test_the_tolerance_lies_between_the_error_and_what_a_step_is_worth(learned):
    # One step of the first vector is worth at least cos(pi / 12) - cos(3 pi / 12), in its scale.
    least = 1.0 - np.cos(3 * np.pi / 12) / np.cos(np.pi / 12)
    assert (learned.tolerance > 0.0).all()
    assert learned.tolerance[0] < least / 5
    assert learned.curve[-1].error < 0.03


def test_options_are_a_function_of_observations_that_a_map_takes(steps, learned):
    some = learned([5, 0, 3])
    assert some.termination.tolist() == learned.options.termination[:, [5, 0, 3]].tolist()
    assert read_problem(steps, learned, None, None, None, corridor(), None).options.n_states == 6


def test_exact_values_have_no_td_error():
    # A row of three cells, two actions, and two heights. The second falls, so it is never climbed.
    heights = np.array([[0.0, 2.0], [1.0, 1.0], [3.0, 0.0]])
    log = np.array([[0, 1, 1], [1, 1, 2], [1, 0, 0], [2, 1, 2], [2, 0, 1], [0, 0, 0]])
    q = np.zeros((3, 2, 2))
    q[:, 0] = [[0.5 * 2.0, 1 + 0.5 * 2.0], [-1 + 0.5 * 2.0, 2.0], [-2 + 0.5 * 2.0, 0.0]]
    q[:, 1] = [[0.0, -1 + 0.5 * 1.0], [1.0, -1 + 0.5 * 1.5], [1 + 0.5 * 1.0, 0.5 * 1.5]]
    q[0, 0, 0], q[1, 0, 0] = 0.5 * 2.0, -1 + 0.5 * 2.0
    data = {
        "inputs": np.arange(3), "steps": log, "weight": np.ones(6), "heights": heights,
        "tried": np.ones((3, 2), dtype=bool),
    }  # fmt: skip

    def loss(values):
        network = lambda rows: values[rows]  # noqa: E731
        return [
            q_loss(0.5, whole, network, network, np.arange(6), jax.random.key(0), data)
            for whole in (True, False)
        ]

    with jax.enable_x64(True):
        values = jax.numpy.asarray(q)
        np.testing.assert_allclose(loss(values), 0.0, atol=1e-15)
        assert min(loss(values + 0.1)) > 1e-4


def test_actions_that_were_never_tried_are_known(steps):
    seen = steps[(steps[:, 0] != 3) | (steps[:, 1] != 3)]
    tried = read_experience(seen, None, corridor()).tried
    assert np.argwhere(~tried).tolist() == [[3, 3]]


def test_the_tolerance_of_two_states_by_hand():
    # Action 0 stays, action 1 changes the state. Copies differ by 0.4 in state 0 and 0 in state 1.
    steps = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    heights = np.zeros((2, 2, 1))
    q = np.zeros((2, 2, 1, 2))
    q[0, 0, 0, 1], q[1, 0, 0, 1] = -1.0, -1.0
    q[0, 0, 0, 0], q[1, 0, 0, 0] = 0.2, -0.2
    spread = np.sqrt(2 * np.log(2)) * np.sqrt((0.08 + 0.0) / 2 / 2)
    # What value iteration would change, as the mean of both copies, with a discount of 1/2.
    changes = [np.mean([0.1 - 0.2, 0.0 + 0.2]), 1.0, 0.0, np.mean([0.1, 0.0])]
    bias = np.sqrt(np.mean(np.square(changes))) / 0.5
    tolerance = tolerance_of(q, heights, read_experience(steps, None, None), 0.5)
    np.testing.assert_allclose(tolerance, [spread + bias])


def test_a_single_set_of_vectors_serves_two_copies(learned, steps):
    experience = read_experience(steps, None, corridor())
    single = learned.vectors[0]
    for given in (single, [single]):
        assert read_vectors(given, 2, experience) == [single, single]


def test_vectors_of_another_log_are_refused(steps, learned):
    log = Observed(np.zeros((2, 1)), [0, 0], np.ones((2, 1)))
    with raises("vectors of 6 observations; 1 vectors of 4 are needed"):
        hsr.deep.learn_eigenoptions(log, 1, vectors=learned.vectors, discount=0.8)


def test_ends_of_other_options_are_not_compared():
    row = corridor()
    with raises("learned has 1 options over 6 states and exact 2 over 6"):
        against_exact.option_ends(hsr.point_options(row, [0]), hsr.point_options(row, [0, 1]))
