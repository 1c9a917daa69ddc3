"""A basis is a scikit-learn estimator, but works on maps before scikit-learn is imported."""

import subprocess
import sys

import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone

from hsr.basis.unloaded import DeferredEstimator

WITHOUT = """
import sys
import hsr

mdp = hsr.grid_mdp("corridor")
basis = hsr.SVDBasis(n_components=2).fit(hsr.successor_representation(mdp))
hsr.train(mdp, [hsr.GoalTask(0, 1)], hsr.LinearQ(basis), seeds=[0], episodes=1)
assert not hasattr(basis, "nothing_")
assert "sklearn" not in sys.modules
import sklearn.base
assert isinstance(basis, sklearn.base.BaseEstimator)
"""


def test_a_map_is_fitted_and_learned_with_before_scikit_learn_is_imported():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def unloaded():
    """Return a new basis and its class, as they are before scikit-learn is imported."""

    class Basis(DeferredEstimator):
        def __init__(self, size=2):
            self.size = size

        def fit(self, M, y=None):
            return self

        def transform(self, states):
            return [[0.5] * self.size for _ in states]

        @property
        def _n_features_out(self):
            return self.size

    class Derived(Basis):
        pass

    return Derived(), Derived


USES = {
    "repr": lambda basis: repr(basis) == "Derived()",
    "parameters": lambda basis: basis.get_params() == {"size": 2},
    "setting": lambda basis: basis.set_params(size=3).size == 3,
    "tags": lambda basis: basis.__sklearn_tags__().transformer_tags is not None,
    "names": lambda basis: list(basis.get_feature_names_out()) == ["derived0", "derived1"],
    "state": lambda basis: basis.__getstate__() == {"size": 2},
    "setting its state": lambda basis: basis.__setstate__({"size": 3}) or basis.size == 3,
    "dir": lambda basis: "set_params" in dir(basis),
    "clone": lambda basis: clone(basis).size == 2,
    "frame": lambda basis: basis.set_output(transform="pandas").transform([0]).shape == (1, 2),
}


@pytest.mark.parametrize("use", USES)
def test_a_basis_becomes_an_estimator_when_used_as_one(use):
    basis, kind = unloaded()
    assert not issubclass(kind, BaseEstimator)
    assert USES[use](basis)
    assert DeferredEstimator not in kind.__mro__
    assert issubclass(kind, TransformerMixin)
    assert not hasattr(basis, "nothing")
    assert "M" not in str(basis.get_metadata_routing())


def test_what_fit_learns_is_not_looked_for_in_scikit_learn():
    basis, kind = unloaded()
    with pytest.raises(AttributeError, match="'Derived' object has no attribute 'features_'"):
        _ = basis.features_
    assert not issubclass(kind, BaseEstimator)


def test_options_of_a_class_statement_reach_scikit_learn():
    class Bare(DeferredEstimator, auto_wrap_output_keys=None):
        def transform(self, states):
            return states

        def get_feature_names_out(self):
            return []

    class Wrapped(DeferredEstimator):
        transform = Bare.transform
        get_feature_names_out = Bare.get_feature_names_out

    assert not hasattr(Bare(), "set_output")
    assert hasattr(Wrapped(), "set_output")
