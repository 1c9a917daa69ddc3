"""A layout instead of an MDP, or a cell instead of a state, is refused with the way to get one."""

import re

import numpy as np
import pytest

import hsr
from tests.cases import cases, raises

TASK = hsr.GoalTask(0, 5)
TAKE_AN_MDP = {
    "optimal_value": lambda mdp: hsr.optimal_value(mdp, TASK),
    "greedy_policy": lambda mdp: hsr.greedy_policy(mdp, TASK),
    "goal_tasks": hsr.goal_tasks,
    "uniform_policy": hsr.uniform_policy,
    "MarkovChain.from_policy": hsr.MarkovChain.from_policy,
    "eigenoptions": hsr.eigenoptions,
    "covering_options": hsr.covering_options,
    "point_options": lambda mdp: hsr.point_options(mdp, [3]),
    "random_options": lambda mdp: hsr.random_options(mdp, 2, seed=0),
    "diffusion_options": hsr.diffusion_options,
    "option_model": lambda mdp: hsr.option_model(mdp, None),
    "learn_plans": lambda mdp: hsr.learn_plans(mdp, None, [TASK]),
    "successor_representation": hsr.successor_representation,
    "expected_sr": lambda mdp: hsr.expected_sr(mdp, [TASK]),
    "expected_hsr": lambda mdp: hsr.expected_hsr(mdp, None, [TASK]),
    "bellman_sweeps": lambda mdp: hsr.bellman_sweeps(mdp, sweeps=3),
    "horizon": lambda mdp: hsr.horizon(np.eye(6), mdp),
    "predicted_horizon": hsr.predicted_horizon,
    "matched_discount": lambda mdp: hsr.representation.matched_discount(mdp, 2.0),
    "learn_sr": lambda mdp: hsr.learn_sr(mdp, seed=0),
    "learn_hsr": lambda mdp: hsr.learn_hsr(mdp, None, None, seed=0),
    "train": lambda mdp: hsr.train(mdp, [TASK], hsr.LinearQ(), seeds=[0]),
    "explore": lambda mdp: hsr.explore(mdp, hsr.Sarsa(), seeds=[0]),
}


@cases("call", TAKE_AN_MDP)
def test_an_mdp_is_asked_for(call):
    for wrong, advice in (
        (hsr.load_layout("four_rooms"), "make one with hsr.grid_mdp(layout)"),
        ("loop", "hsr.grid_mdp(name) makes one of a named"),
    ):
        with raises(f"mdp is of type {type(wrong).__name__}; .*{re.escape(advice)}"):
            call(wrong)


@pytest.mark.parametrize("cell", [(1, 1), np.array([1, 1])])
@pytest.mark.parametrize("name", ["start", "goal"])
def test_a_task_is_given_states_and_not_cells(name, cell):
    with raises(rf"{name} is the cell .*use layout.state_at\(1, 1\)"):
        hsr.GoalTask(**{"start": 0, "goal": 5, name: cell})
