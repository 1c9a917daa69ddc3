"""What was checked when it was made cannot be changed afterwards."""

import copy
import pickle

import numpy as np
import pytest

import hsr


def make_mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)


OBJECTS = {
    "FiniteMDP.discount": (make_mdp, "discount"),
    "MarkovChain.matrix": (lambda: hsr.MarkovChain(np.full((2, 2), 0.5)), "matrix"),
    "OptionSet.termination": (lambda: hsr.point_options(make_mdp(), [2]), "termination"),
}


@pytest.mark.parametrize(("make", "name"), OBJECTS.values(), ids=OBJECTS)
def test_attributes_can_neither_be_set_nor_deleted(make, name):
    thing = make()
    before = getattr(thing, name)
    with pytest.raises(AttributeError, match=rf"{name} cannot be set: the object is read-only"):
        setattr(thing, name, 2)
    with pytest.raises(AttributeError, match=rf"{name} cannot be deleted: the object is read-only"):
        delattr(thing, name)
    assert getattr(thing, name) is before


@pytest.mark.parametrize("again", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_options_come_back_equal_and_read_only(again):
    options = hsr.point_options(make_mdp(), [2, 0])
    back = again(options)
    for name in ("policy", "termination", "initiation"):
        np.testing.assert_array_equal(getattr(back, name), getattr(options, name))
        assert not getattr(back, name).flags.writeable
    assert back.names == options.names


def test_what_is_worked_out_once_is_kept():
    mdp = make_mdp()
    assert mdp.predecessors is mdp.predecessors
