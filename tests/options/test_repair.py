"""Options repaired for a world that has changed."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from tests.cases import raises

LAYOUT = hsr.load_layout("four_rooms")
DOORS = LAYOUT.bottlenecks.tolist()
TARGETS = [0, 50, 103]
MAKERS = {
    "eigen": lambda mdp: hsr.eigenoptions(mdp, 8, signs="both"),
    "point": lambda mdp: hsr.point_options(mdp, targets=TARGETS),
    "covering": lambda mdp: hsr.covering_options(mdp, 4, initiation="everywhere"),
}


@cache
def options_of(kind):
    return MAKERS[kind](hsr.grid_mdp(LAYOUT))


def walk(mdp, option, s):
    """Return the states that an option passes from s on, its end last, by the plain definition."""
    path = [s]
    while len(path) <= mdp.n_states and (len(path) == 1 or not option.termination[path[-1]]):
        path.append(int(mdp.successors[path[-1], option.policy[path[-1]]]))
    return path


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("door", DOORS)
def test_a_closed_door_is_never_walked_through(kind, door):
    options = options_of(kind)
    closed = hsr.grid_mdp(LAYOUT, closed=[door])
    repaired = hsr.options.repair_options(options, closed)
    n_broken = 0
    for former, option in zip(options, repaired, strict=True):
        ends = set(np.flatnonzero(former.termination).tolist())
        for s in np.flatnonzero(option.initiation).tolist():
            path = walk(closed, option, s)
            n_broken += walk(closed, former, s)[-1] not in ends
            assert path[-1] in ends
            assert door not in path[1:]
            assert all(here != there for here, there in pairwise(path))
        # With one door closed all other cells are still connected.
        lost = np.flatnonzero(former.initiation & ~option.initiation)
        assert not lost.size or ends == {door}
    assert n_broken > 0  # otherwise there was nothing to repair


@pytest.mark.parametrize("kind", MAKERS)
def test_options_that_still_lead_to_their_ends_come_out_as_they_were(kind):
    same = hsr.options.repair_options(options_of(kind), hsr.grid_mdp(LAYOUT))
    for part in ("policy", "termination", "initiation", "names", "mdp_fingerprint"):
        assert_array_equal(getattr(same, part), getattr(options_of(kind), part))


def test_repaired_states_take_shortest_paths():
    layout = hsr.GridLayout.from_text(".....\n.###.\n.....")
    options = hsr.point_options(hsr.grid_mdp(layout), targets=[layout.state_at(2, 0)])
    closed = hsr.grid_mdp(layout, closed=[layout.state_at(1, 0)])
    repaired = hsr.options.repair_options(options, closed)
    # The way around from the top left: four right, two down, four left.
    assert len(walk(closed, repaired[0], 0)) - 1 == 10


def test_initiation_is_withdrawn_where_no_end_can_be_reached():
    layout = hsr.GridLayout.from_text(".....")
    closed = hsr.grid_mdp(layout, closed=[2])
    repaired = hsr.options.repair_options(
        hsr.point_options(hsr.grid_mdp(layout), targets=[4]), closed
    )
    assert repaired.initiation.tolist() == [[False, False, True, True, False]]
    assert repaired.termination.tolist() == [[1, 1, 0, 0, 1]]


def test_slipping_around_an_obstacle_does_not_count():
    slippery = hsr.grid_mdp(LAYOUT, slip=0.2, closed=[DOORS[0]])
    firm = hsr.grid_mdp(LAYOUT, closed=[DOORS[0]])
    repaired = hsr.options.repair_options(options_of("point"), slippery)
    for option, target in zip(repaired, TARGETS, strict=True):
        ends = {walk(firm, option, s)[-1] for s in np.flatnonzero(option.initiation).tolist()}
        assert ends == {target}


def test_random_policies_are_repaired_where_some_action_leads_astray():
    mdp = hsr.FiniteMDP.from_successors([[0, 1], [0, 2], [2, 2]], discount=0.9)
    policy = np.full((1, 3, 2), 0.5)
    options = hsr.OptionSet(policy, [[0, 0, 1]])
    assert_array_equal(hsr.options.repair_options(options, mdp).policy, policy)
    trap = hsr.FiniteMDP.from_successors([[0, 0], [0, 2], [2, 2]], discount=0.9)
    repaired = hsr.options.repair_options(options, trap)
    assert repaired.initiation.tolist() == [[False, True, True]]
    assert repaired.policy[0, 1].tolist() == [0.0, 1.0]


def test_options_of_another_size_are_refused():
    with raises("the options are for 104 states; this MDP has 144"):
        hsr.options.repair_options(options_of("point"), hsr.grid_mdp("loop"))
    with raises("mdp is of type GridLayout"):
        hsr.options.repair_options(options_of("point"), LAYOUT)
