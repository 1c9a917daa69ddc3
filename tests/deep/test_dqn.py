"""Deep Q-networks of the benchmark about moved goals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from benchmarks.deep import transfer
from benchmarks.deep.dqn import Agent, Environment, Network, environment_of, td_loss, train

import hsr
from tests.deep.mazes import corridor as row_of_cells


def exact_values(successor, goal, discount):
    """Return Q* of the task of reaching a goal, by value iteration."""
    q = np.zeros(successor.shape)
    for _ in range(100):
        value = q.max(axis=1)
        value[goal] = 0.0
        q = np.where(successor == goal, 1.0, discount * value[successor])
    return q


@pytest.fixture(scope="module")
def corridor():
    """Return a deterministic environment, and what two agents with different rates learned."""
    environment = environment_of(row_of_cells(5, discount=0.9), (0, 4), np.eye(5))
    agent = Agent(
        n_steps=4000,
        episode_steps=10,
        discount=0.9,
        network=Network(kind="linear"),
        warm_up=100,
        explore_steps=200,
        epsilon=0.5,
        target_rate=0.2,
        n_evaluations=4,
        capacity=1000,
        n_walkers=4,
    )
    both = Environment(*(np.stack([array, array]) for array in environment))
    return environment, train(both, [1e-2, 1e-8], [0, 1], agent)


def test_values_are_optimal_for_the_second_goal_although_episodes_are_broken_off(corridor):
    environment, trained = corridor
    others = np.arange(4)  # nothing is learned at the goal
    expected = exact_values(environment.successor, 4, 0.9)
    np.testing.assert_allclose(trained.q[0][others], expected[others], atol=0.01)


def test_the_greedy_policy_takes_shortest_paths_to_each_goal(corridor):
    _, trained = corridor
    assert trained.success.shape == (2, 8)
    assert trained.efficiency[0, [3, 7]].tolist() == [1.0, 1.0]
    assert trained.arrivals[0, [3, 7]].min() > 50
    assert trained.efficiency[1, 3] < 1.0


def test_the_network_chooses_the_next_action_and_its_copy_values_it():
    q, slow = jnp.array([[0.0, 0.0], [1.0, 2.0]]), jnp.array([[0.0, 0.0], [9.0, 3.0]])
    steps = jnp.array([[0, 1, 1, 0], [0, 0, 1, 1]])
    # Targets are 0.5 * 3 and 1: half the mean of their squares.
    loss, gradient = jax.jit(jax.value_and_grad(td_loss))(q, slow, steps, 0.5)
    assert loss == pytest.approx((1.5**2 + 1.0) / 4)
    np.testing.assert_allclose(gradient, [[-0.5, -0.75], [0.0, 0.0]])


def test_a_stochastic_mdp_is_refused():
    slippery = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9, slip=0.1)
    with pytest.raises(hsr.InputError, match="stochastic"):
        environment_of(slippery, (0, 4), np.eye(5))


def test_a_buffer_holds_whole_steps_of_all_walkers():
    with pytest.raises(hsr.InputError, match="multiple of the 16 walkers"):
        Agent(capacity=1000)


def test_a_quick_run_reports_every_measure(tmp_path):
    job = transfer.Job("agents", "four rooms", input="one-hot", head="linear")
    row = transfer.run_agents(job, transfer.QUICK, tmp_path)
    assert row["rate"] == transfer.RATES[int(np.argmax(row["tuning areas"]))]
    for name in ("area before", "efficiency before", "area", "efficiency", "success"):
        assert np.shape(row[name]) == (3, 2)
        assert 0.0 <= np.min(row[name]) <= np.max(row[name]) <= 1.0
    assert np.shape(row["curve"]) == (3, 80)
    assert np.shape(row["steps per arrival"]) == (3, 2)
    assert np.shape(row["places"]) == (3, 2)
    assert row["map errors"] == [None] * 3


def test_no_place_is_used_for_both_tuning_and_comparison():
    plan = transfer.FULL
    assert not set(plan.tuning_places) & set(plan.places)
    assert len({job.name for job in transfer.jobs(plan)}) == len(transfer.jobs(plan))
