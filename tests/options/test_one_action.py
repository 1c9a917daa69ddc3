"""Options of a world with one action."""

from itertools import pairwise

import pytest

import hsr
from tests.cases import cases

CHAIN = hsr.from_transitions(list(pairwise("abcdabdcab")), discount=0.9)


@cases(
    "make",
    {
        "eigenoptions": lambda: hsr.eigenoptions(CHAIN, 2),
        "covering_options": lambda: hsr.covering_options(CHAIN, 2),
        "point_options": lambda: hsr.point_options(CHAIN, [0]),
        "random_options": lambda: hsr.random_options(CHAIN, 2, seed=0),
        "successor_options": lambda: hsr.successor_options(CHAIN, 2),
        "betweenness_options": lambda: hsr.betweenness_options(CHAIN, 2),
        "diffusion_options": lambda: hsr.diffusion_options(CHAIN, 2),
    },
)
def test_options_of_a_chain_are_warned_of_where_they_are_made(make):
    with pytest.warns(hsr.HSRWarning, match="the world has one action") as caught:
        make()
    assert [warning.filename for warning in caught] == [__file__]
