"""Small worlds, options and agents for the tests of SARSA with a bonus."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import hsr

ROOMS = "#######\n#..#..#\n#.....#\n#..#..#\n#######"


BONUSES = [None, "norm", "spie", "spie_l1"]


KINDS = ["none", "eigen", "fractional"]


GOAL = 12


def world(slip=0.0, discount=0.9):
    """Return a small world of two rooms and a door, 13 states."""
    return hsr.grid_mdp(hsr.GridLayout.from_text(ROOMS), discount=discount, slip=slip)


def fractional_options(mdp):
    """Return three options: one certain, one that stops by chance, one whose policy is random too;
    not all everywhere.
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
    return mdp, {
        "none": lambda _: None,
        "eigen": lambda m: hsr.eigenoptions(m, 4, signs="both"),
        "fractional": fractional_options,
    }[kind](mdp)


def agent_of(bonus="spie", on="hsr", **how):
    """Return an agent that learns fast enough for a short run to matter."""
    return hsr.Sarsa(
        bonus, on, **{"learning_rate": 0.1, "map_learning_rate": 0.15, "epsilon": 0.2, **how}
    )


def run_one(mdp, agent, options=None, *, seed=0, **how):
    """Return the run of one seed with everything kept."""
    return hsr.explore(
        mdp,
        agent,
        options,
        seeds=[seed],
        trajectory_of=seed,
        keep_maps=True,
        keep_values=True,
        **how,
    )


def steps_of(trajectory):
    """Return the rows of a trajectory as the twin writes them."""
    columns = ("episode", "choice", "began", "state", "action", "arrival")
    return np.stack([getattr(trajectory, name).astype(int) for name in columns], axis=1)


def check_same(run, plain):
    """Assert that run and twin took the same steps; what they learned is the same sums in another
    order, a thousand times.
    """
    assert_array_equal(steps_of(run.trajectory), plain.trace)
    assert_array_equal(run.first_visit[0], plain.first_visit)
    assert_array_equal(run.visits[0], plain.visits)
    assert_array_equal(run.choice_use[0], plain.use)
    assert_allclose(run.values[0].T, plain.Q, rtol=1e-10, atol=1e-10)
    assert_allclose(run.maps[0], plain.map, rtol=1e-10, atol=1e-12)


def parts(run):
    """Return the bytes of every array of a run, in order."""
    arrays = (
        run.first_visit,
        run.visits,
        run.goal_time,
        run.goals,
        run.decisions,
        run.choice_use,
        run.diverged_at,
    )
    kept = [array for array in (run.maps, run.values) if array is not None]
    return [array.tobytes() for array in (*arrays, *kept)]
