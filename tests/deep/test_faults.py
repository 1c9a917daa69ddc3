"""What `hsr.deep` refuses, and what it warns of."""

import warnings

import equinox as eqx
import jax
import numpy as np

import hsr
import hsr.deep
from tests.cases import cases, raises
from tests.deep.worlds import LAYOUT, a_world, every_outcome, some_options

MDP = a_world()
STEPS = every_outcome(MDP, 1)
XY = LAYOUT.xy()
ONE = hsr.deep.Training(n_updates=1)
SMALL = {"network": hsr.deep.Network(width=64)}
ACTIONS = np.zeros(3, dtype=int)
WITH_NAN = np.where(np.arange(XY.size).reshape(XY.shape) == 3, np.nan, XY)


@cases(
    ("arguments", "settings", "words"),
    {
        "no successors": ((STEPS[:, :2],), {}, r"\(52, 2\)"),
        "beyond": ((STEPS + 99,), {}, "must lie in 0"),
        "ragged": ((STEPS,), {"observe": [[1.0], [1.0, 2.0]]}, "observe is ragged"),
        "missing": ((STEPS,), {"observe": WITH_NAN}, r"observe\[1, 1\] is nan.*finite"),
        "few": ((STEPS,), {"observe": XY[:3]}, "3 observations; there are 13 states"),
        "discount": ((STEPS,), {"world": None}, "give a discount"),
        "policy": ((STEPS, np.ones((13, 4))), {}, r"mu\[0\] sums to 4"),
        "picture": (
            (STEPS,),
            {"observe": XY, "network": hsr.deep.Network("cnn")},
            "needs pictures",
        ),
        "one-hot picture": ((STEPS,), {"network": hsr.deep.Network("cnn")}, "one-hot.*pictures"),
        "unlisted": (
            (hsr.deep.Observed(XY[:3], ACTIONS, XY[1:4]),),
            {"discount": 0.9},
            "not listed.*learn_measure",
        ),
        "other shape": (
            (hsr.deep.Observed(XY[:3], ACTIONS, XY[:3, :1]),),
            {},
            r"shape \(3, 2\) and next_observations \(3, 1\)",
        ),
        "fewer actions": (
            (hsr.deep.Observed(XY[:3], ACTIONS[:2], XY[:3]),),
            {},
            "must be 3 integers",
        ),
    },
)
def test_bad_input_is_one_sentence(arguments, settings, words):
    with raises(words):
        hsr.deep.learn_sr(*arguments, **{"world": MDP, "training": ONE, **settings})


def test_options_of_another_world_are_refused():
    other = hsr.grid_mdp("four_rooms")
    with raises("104 states; this MDP has 13"):
        hsr.deep.learn_hsr(STEPS, hsr.eigenoptions(other, n_options=2), world=MDP)
    with raises("104 states; there are 13"):
        hsr.deep.learn_hsr(STEPS, hsr.eigenoptions(other, n_options=2), discount=0.9)
    with raises("it must be an OptionSet"):
        hsr.deep.learn_hsr(STEPS, "eigen", world=MDP)


def test_an_option_cannot_be_chosen_where_it_cannot_start():
    mu = np.full((13, 6), 1 / 6)
    with raises(r"mu\[0, 4\] is positive; option 0 cannot start in 0"):
        hsr.deep.learn_hsr(STEPS, some_options(MDP), mu, world=MDP)


def test_training_that_diverges_is_not_returned():
    training = hsr.deep.Training(
        n_updates=200, optimiser="sgd", learning_rate=1.0, target_rate=1.0, batch_size=11
    )
    network = hsr.deep.Network(last_scale=30.0)
    with raises("diverged.*use a learning rate below 1"):
        hsr.deep.learn_sr(STEPS, world=MDP, training=training, network=network)


def changed(M, change):
    """Return a learned map with other weights."""
    network = jax.tree.map(lambda a: change(a) if eqx.is_array(a) else a, M.network)
    return hsr.deep.LearnedMap(
        network, M.experience, M._mu, M._training, M.curve,
        mdp_fingerprint=None, discount=0.8, kind="learned SR",
    )  # fmt: skip


def test_dead_units_and_a_collapsed_map_are_reported():
    M = hsr.deep.learn_sr(STEPS, world=MDP, training=hsr.deep.Training(n_updates=200), **SMALL)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        dead = changed(M, lambda array: -abs(array) - 1.0)
    assert dead.dead_units == (1.0, 1.0)
    assert dead.spread == 0.0
    units, rows = (str(one.message) for one in seen)
    assert units.startswith("100%, 100% of the units of the hidden layers are dead")
    assert rows.startswith("the map has collapsed")
