"""Worlds in which agents are compared with plain twins, and the comparison of linear Q-learning."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.oracles.plain_linear_q import Rule, train_plainly

ROOMS = "#######\n#..#..#\n#.....#\n#..#..#\n#######"
UPDATES_OF_RANDOM_POLICIES = ("chosen_and_primitives", "chosen", "primitives", "running")
UPDATES = (*UPDATES_OF_RANDOM_POLICIES, "intra_option")
FOUR_ROOMS = hsr.load_layout("four_rooms")
# Rows of a map that is being learned grow long: faster values may blow up.
SETTINGS = {"learning_rate": 0.1, "epsilon": 0.2, "map_learning_rate": 0.2}
BY_EPISODE = ("steps", "decisions", "terminated", "coverage")


# Worlds. Each is (mdp, options, two tasks, horizon); horizons are short enough to cut off some
# episodes and not others.


def four_rooms():
    """Return the four rooms with eight eigenoptions, from the corner to G1 and then to G2."""
    mdp = hsr.grid_mdp(FOUR_ROOMS, discount=0.9)
    tasks = [hsr.GoalTask(FOUR_ROOMS.start, goal) for goal in FOUR_ROOMS.goals]
    return mdp, hsr.eigenoptions(mdp), tasks, 200


def two_rooms(slip=0.0, discount=0.8):
    """Return two small rooms with a door between them, 13 states."""
    return hsr.grid_mdp(hsr.GridLayout.from_text(ROOMS), discount=discount, slip=slip)


def certain():
    """Return two rooms without randomness, so that an option is a jump.

    The horizon cuts some options off.
    """
    mdp, tasks = two_rooms(), [hsr.GoalTask(0, 11), hsr.GoalTask(None, 2)]
    return mdp, hsr.eigenoptions(mdp, 4, signs="both"), tasks, 40


def slippery():
    """Return two rooms where moves slip, with eigenoptions of both signs.

    The first task starts anywhere.
    """
    mdp, tasks = two_rooms(slip=0.2), [hsr.GoalTask(None, 12), hsr.GoalTask(11, 0)]
    return mdp, hsr.eigenoptions(mdp, 4, signs="both"), tasks, 40


def fractional(random_policies=True):
    """Return two slippery rooms with options that stop at random and are not available everywhere.

    With `random_policies` some also act at random.
    """
    mdp, rng = two_rooms(slip=0.2), np.random.default_rng(4)
    policy = rng.dirichlet(np.ones(4), size=(4, mdp.n_states))
    certain = np.eye(4)[rng.integers(0, 4, (4, mdp.n_states))]
    policy[0], policy[1, ::2] = certain[0], certain[1, ::2]
    beta = rng.uniform(0.1, 0.9, size=(4, mdp.n_states))
    beta[0] = rng.random(mdp.n_states) < 0.5
    beta[2, ::3], beta[3, 1::3] = 1.0, 0.0
    initiation = rng.random((4, mdp.n_states)) < 0.6
    options = hsr.OptionSet(policy if random_policies else certain, beta, initiation)
    return mdp, options, [hsr.GoalTask(3, 12), hsr.GoalTask(None, 2)], 40


WORLDS = {
    "four rooms": four_rooms,
    "certain": certain,
    "slippery": slippery,
    "fractional": fractional,
    "fractional, certain": lambda: fractional(random_policies=False),
}


def features_of(word, n_states):
    """Return features by name: a word that `LinearQ` knows, or an array of few or many features."""
    if word not in ("few", "many"):
        return word
    rng = np.random.default_rng(7)
    Phi = rng.standard_normal((n_states, 5 if word == "few" else n_states + 3))
    return Phi / np.linalg.norm(Phi, axis=1, keepdims=True)


def forms_of(features):
    """Return the forms in which weights of these features can be kept."""
    return ("auto",) if features in ("sr", "hsr", "walk_sr") else ("primal", "dual")


def steps_of(t):
    """Return a trajectory as rows (task, episode, choice, began, state, action, arrival)."""
    return np.stack([t.task, t.episode, t.choice, t.began, t.state, t.action, t.arrival], axis=1)


def train_in(world, agent, **how):
    """Train in a world; keywords replace three seeds, the world's options and its horizon."""
    mdp, options, tasks, horizon = world
    how = {"options": options, "seeds": range(3), "horizon": horizon, **how}
    return hsr.train(mdp, tasks, agent, **how)


def check_twin(
    world, seed, features, settings, *, kind=hsr.LinearQ, forms=("auto",), judge=None, **how
):
    """Train with the plain twin and with `train`, assert that both did the same, and return both.

    Steps and counts are the same, values and maps agree within 1e-9. Both do the same sums in
    another order a few hundred times, with features of length about 1, so that errors of 1e-16 grow
    to at most about 1e-13. 1e-9 leaves a margin for other processors and none for another rule.

    Parameters
    ----------
    features : name of features, as for `features_of`
    settings : of the twin's rule and of the agents
    kind, forms : the agents to compare with the twin are kind(features, form=form, **settings)
    judge : called with the twin's result before anything is compared
    how : episodes (4 by default), until, evaluate, and what else `train_plainly` takes
    """
    mdp, options, tasks, horizon = world
    how = {"episodes": 4, **how}
    online = isinstance(options, hsr.OnlineOptions)
    rows = features_of(features, mdp.n_states)
    twin = {"online" if online else "options": options, "horizon": horizon, **how}
    result = train_plainly(mdp, tasks, seed, Rule(rows, **settings), **twin)
    if judge is not None:
        judge(result)
    how = {
        "seeds": [seed],
        "episodes": how["episodes"],
        "until": how.get("until"),
        "keep_values": True,
        "keep_maps": online or features in ("sr", "hsr", "walk_sr"),
        "workers": 1,
    }
    for form in forms:
        agent = kind(rows, form=form, **settings)
        run = train_in(world, agent, trajectory_of=seed, **how)
        _check_run(run, result, mdp)
        # Steps that nobody asks for may be taken several at once.
        check_same_bytes(run, train_in(world, agent, **how))
        if twin.get("evaluate"):
            by_task = train_in(world, agent, evaluate="tasks", **how)
            by_episode = train_in(world, agent, evaluate="episodes", **how)
            _check_evaluations(run, result, by_task, by_episode)
    return run, result


def _check_run(run, result, mdp):
    assert_array_equal(steps_of(run.trajectory), result.trajectory)
    for name in (
        "steps",
        "episodes",
        "decisions",
        "terminated",
        "choice_use",
        "goal_time",
        "first_visit",
    ):
        assert_array_equal(getattr(run, name)[0], getattr(result, name), err_msg=name)
    assert_allclose(run.coverage[0], result.coverage / mdp.n_states, rtol=1e-15)
    returns = np.where(result.terminated, mdp.discount ** (result.steps - 1.0), 0.0)
    assert_array_equal(run.returns[0], returns)
    assert_allclose(run.values[0], result.values, rtol=0, atol=1e-9)
    if run.maps is not None:
        maps = result.sr if result.hsr[0] is None else result.hsr
        assert_allclose(run.maps[0], maps, rtol=0, atol=1e-9)
    if run.options_at:
        check_history(run.options_at[0], result.options, result.n_determined)


def check_history(options_at, expected, n_determined=None):
    """Assert that the same options were made at the same steps, in the same order.

    `n_determined` is the number of options of each set that rounding cannot change, all by default.
    """
    assert list(options_at) == list(expected)
    for step, options in options_at.items():
        n = None if n_determined is None else n_determined[step]
        for name in ("policy", "termination", "initiation"):
            words = f"{name} after {step} steps"
            assert_array_equal(getattr(options, name)[:n], getattr(expected[step], name)[:n], words)
        assert options.names == expected[step].names


def _check_evaluations(run, result, by_task, by_episode):
    """Assert that evaluations are those of the twin and change nothing else."""
    check_same_bytes(run, by_task)
    check_same_bytes(run, by_episode)
    assert_array_equal(by_task.greedy_steps[0], result.greedy_steps)
    assert_array_equal(by_episode.greedy_curve[0], result.greedy_curve)


def check_same_bytes(one, other):
    """Assert that two runs agree to the last bit in counts, values and maps."""
    for name in (*BY_EPISODE, "choice_use", "first_visit", "values", "maps"):
        array, same = getattr(one, name), getattr(other, name)
        assert (array is None and same is None) or array.tobytes() == same.tobytes(), name
    for options_at, expected in zip(one.options_at, other.options_at, strict=True):
        check_history(options_at, expected)


def corridor(length, discount=0.5):
    """Return a one-way street: state i leads to i + 1, the last stays."""
    return hsr.FiniteMDP.from_successors(
        [[min(i + 1, length - 1)] for i in range(length)], discount
    )


def ride(length, to):
    """Return one option of a corridor: from 0 on until state `to`."""
    states = np.arange(length)
    return hsr.OptionSet(np.zeros((1, length), dtype=int), [states >= to], [states == 0])
