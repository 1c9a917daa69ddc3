"""Small worlds, options and agents for the tests of SARSA with a bonus."""

from functools import partial

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.oracles.agent_worlds import two_rooms
from tests.oracles.plain_sarsa import explore_plainly

BONUSES = [None, "norm", "spie", "spie_l1"]
KINDS = ["none", "eigen", "fractional"]
GOAL = 12
world = partial(two_rooms, discount=0.9)


def fractional_options(mdp):
    """Return three options that are not available everywhere.

    One is certain, one stops at random, and one acts at random too.
    """
    rng = np.random.default_rng(4)
    policy = rng.dirichlet(np.ones(mdp.n_actions), size=(3, mdp.n_states))
    policy[0] = np.eye(mdp.n_actions)[1]
    beta = rng.uniform(0.1, 0.9, size=(3, mdp.n_states))
    beta[0] = rng.random(mdp.n_states) < 0.5
    beta[1, ::3] = 0.0
    return hsr.OptionSet(policy, beta, rng.random((3, mdp.n_states)) < 0.7)


def case(kind):
    """Return (mdp, options) of one setting."""
    mdp = world(slip=0.2 if kind == "fractional" else 0.0)
    if kind == "fractional":
        return mdp, fractional_options(mdp)
    return mdp, hsr.eigenoptions(mdp, 4, signs="both") if kind == "eigen" else None


def agent_of(bonus="spie", on="hsr", **how):
    """Return an agent that learns fast enough for a short run to matter."""
    return hsr.Sarsa(
        bonus, on, **{"learning_rate": 0.1, "map_learning_rate": 0.15, "epsilon": 0.2, **how}
    )


def run_one(mdp, agent, options=None, *, seed=0, **how):
    """Return the run of one seed with everything kept."""
    keep = {"trajectory_of": seed, "keep_maps": True, "keep_values": True}
    return hsr.explore(mdp, agent, options, seeds=[seed], **keep, **how)


def steps_of(trajectory):
    """Return the rows of a trajectory as the twin writes them."""
    columns = ("episode", "choice", "began", "state", "action", "arrival")
    return np.stack([getattr(trajectory, name).astype(int) for name in columns], axis=1)


def check_twin(mdp, agent, options=None, *, twin=None, starts=None, **how):
    """Assert that `explore` and its plain twin take the same steps, and return both results.

    What they learned is the same sums in another order, a thousand times. `twin` is the agent of
    the twin, if it is another one; `starts` are the states that it draws a start from.
    """
    run = run_one(mdp, agent, options, **how)
    if how.get("task") is not None:
        how = {"start": how["task"].start, **how}
    plain = explore_plainly(mdp, twin or agent, options, starts=starts, **how)
    assert_array_equal(steps_of(run.trajectory), plain.trace)
    assert_array_equal(run.first_visit[0], plain.first_visit)
    assert_array_equal(run.visits[0], plain.visits)
    assert_array_equal(run.choice_use[0], plain.use)
    assert_allclose(run.values[0].T, plain.Q, rtol=1e-10, atol=1e-10)
    assert_allclose(run.maps[0], plain.map, rtol=1e-10, atol=1e-12)
    return run, plain


def parts(run):
    """Return the bytes of every array of a run, in order."""
    names = "first_visit visits goal_time goals decisions choice_use diverged_at maps values"
    arrays = [getattr(run, name) for name in names.split()]
    return [array.tobytes() for array in arrays if array is not None]
