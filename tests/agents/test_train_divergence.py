"""Values that grow without bound end a seed, and only that seed, and it is said."""

import warnings
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr.agents.training.plan import LARGEST
from hsr.kernels import values
from tests.agents.training_bytes import bytes_of
from tests.oracles.agent_worlds import UPDATES, four_rooms, train_in
from tests.oracles.plain_linear_q import Rule, train_plainly

# Divergence. A step size of 1 times the squared length of the features, up to about 10 here, cannot
# be stable.


@cache
def without_options():
    """Return the four rooms without options, and with a shorter horizon."""
    mdp, _, tasks, _ = four_rooms()
    return mdp, None, tasks, 100


@cache
def exact_rows():
    return hsr.successor_representation(without_options()[0]).toarray()


def wild():
    """Return an agent whose values grow without bound."""
    return hsr.LinearQ(exact_rows(), learning_rate=1.0)


def diverging(seeds, **how):
    """Return a run with rows of the walk's map and learning rate 1; a seed that never finds the
    goal is fine.
    """
    how = {"horizon": 100, "keep_values": True, "evaluate": True, **how}
    return train_in(without_options(), wild(), seeds=seeds, episodes=4, **how)


@pytest.fixture(scope="module")
def mixed():
    """A run in which some of twelve seeds diverge and others do not."""
    with pytest.warns(hsr.HSRWarning, match="diverged"):
        run = diverging(range(12))
    assert 0 < (run.status == "diverged").sum() < 12
    return run


def test_a_seed_that_diverges_ends_there_and_says_so(mixed):
    """The plain twin says where it does."""
    rule = Rule(exact_rows(), learning_rate=1.0)
    for i, seed in enumerate(mixed.seeds):
        result = train_plainly(
            without_options()[0], without_options()[2], seed, rule, episodes=4, horizon=100
        )
        assert mixed.status[i] == result.status
        assert tuple(mixed.diverged_in[i]) == result.diverged_in
        if result.status == "diverged":
            task, episode = result.diverged_in
            after = np.arange(8) >= 4 * task + episode
            for name, missing in (("steps", 100), ("terminated", False)):
                ours, plain = getattr(mixed, name)[i].ravel(), getattr(result, name).ravel()
                assert_array_equal(ours, np.where(after, missing, plain))


def test_nothing_in_the_results_of_a_diverged_seed_is_not_a_number(mixed):
    for name in ("returns", "coverage", "values"):
        assert np.isfinite(getattr(mixed, name)).all()
    assert (np.diff(mixed.coverage.reshape(12, -1), axis=1) >= 0.0).all()
    assert mixed.coverage.min() > 0.0
    assert (mixed.goal_time[mixed.status == "diverged"] <= 400).all()


def test_a_warning_names_a_diverged_seed(mixed):
    first = mixed.seeds[int(np.flatnonzero(mixed.status == "diverged")[0])]
    with pytest.warns(hsr.HSRWarning, match=rf"seed {first}\b.*learning_rate"):
        diverging([first])


def test_fine_seeds_are_untouched_by_those_that_diverge(mixed):
    fine = [seed for seed, status in zip(mixed.seeds, mixed.status, strict=True) if status == "ok"]
    assert len(fine) > 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apart = diverging(fine, workers=1)
    assert bytes_of(apart) | {"status": b""} == bytes_of(mixed, seeds=fine) | {"status": b""}
    assert apart.status.tolist() == ["ok"] * len(fine)


@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("size", [1e30, 1e49, 1e150])
def test_values_beyond_all_numbers_are_seen_or_refused(form, update, size):
    """Features so long that an update gives infinite values, and the next error is not a number:
    never "ok" with NaN inside.
    """
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            features = np.eye(without_options()[0].n_states) * size
            agent = hsr.LinearQ(features, form=form, update=update, epsilon=1.0)
            run = train_in(four_rooms(), agent, episodes=4, horizon=2000, keep_values=True)
        except hsr.InputError:
            return
    assert {warning.category for warning in seen} == {hsr.HSRWarning}
    assert run.status.tolist() == ["diverged"] * 3
    assert np.isfinite(run.values).all()


def test_an_error_that_is_not_a_number_is_the_largest_of_all():
    """Whichever of two updates gave it."""
    plain = getattr(values.larger, "py_func", values.larger)
    assert plain(1.0, 2.0) == plain(2.0, 1.0) == 2.0
    for error, size in ((0.5, np.nan), (np.nan, 0.5), (np.nan, np.nan)):
        assert not plain(error, size) < LARGEST


def test_a_reward_whose_estimate_diverges_ends_the_seed_too():
    """Values and the reward's weights share the step size; the first to blow up counts."""
    how = {"reward": "regressed", "learning_rate": 1.0}
    agent = hsr.GPI(
        exact_rows() * 30.0, pretraining=hsr.goal_tasks(without_options()[0])[::10], **how
    )
    with pytest.warns(hsr.HSRWarning, match="diverged"):
        run = train_in(
            without_options(), agent, seeds=range(4), episodes=6, horizon=1000, keep_values=True
        )
    assert (run.status == "diverged").all()
    assert np.isfinite(run.values).all()
