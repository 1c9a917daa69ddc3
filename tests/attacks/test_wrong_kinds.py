"""Attacks with wrong kinds of objects: every argument of every public function in turn."""

import inspect
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import hsr
from tests.cases import cases

LAYOUT = hsr.GridLayout.from_text("S..#1\n..#..\n....2")
MDP = hsr.grid_mdp(LAYOUT, discount=0.9)
OPTIONS = hsr.eigenoptions(MDP, 2)
TASK = hsr.GoalTask(0, 3)
MODEL = hsr.option_model(MDP, OPTIONS)
MU = hsr.uniform_choice(MODEL)
M = hsr.successor_representation(MDP)
BASIS = hsr.SVDBasis(2).fit(M)
N = MDP.n_states
XY = np.array([[0.5, 0.5], [1.5, 0.5], [2.5, 0.5], [2.5, 1.5], [2.5, 0.5], [1.5, 0.5]])
GOOD = {
    "FiniteMDP": {"transition": MDP.toarray(), "discount": 0.9},
    "GoalTask": {"start": 0, "goal": 3, "continuing": False},
    "MarkovChain": {"matrix": np.eye(3)},
    "goal_tasks": {"mdp": MDP},
    "greedy_policy": {"mdp": MDP, "task": TASK, "ties": "uniform", "seed": 0},
    "leading_vectors": {"chain": hsr.MarkovChain.from_policy(MDP), "n_vectors": 2},
    "optimal_value": {"mdp": MDP, "task": TASK},
    "uniform_policy": {"mdp": MDP},
    "GridLayout": {"walls": LAYOUT.walls, "start": 0, "goals": (1,), "name": "mine"},
    "WorldSpec": {"layout": "four_rooms", "discount": 0.9, "slip": 0.0, "start": None, "goals": ()},
    "grid_mdp": {"layout": LAYOUT, "discount": 0.9, "slip": 0.0},
    "load_layout": {"name": "loop"},
    "parse_layout": {"text": "S.1"},
    "random_maze": {"size": 5, "seed": 0},
    "room_grid": {"rooms": 2, "room_size": 2},
    "from_gymnasium": {"env": object(), "discount": 0.9},
    "OptionSet": {
        "policy": OPTIONS.policy,
        "termination": OPTIONS.termination,
        "initiation": OPTIONS.initiation,
        "names": ("a", "b"),
        "made_for": None,
    },
    "covering_options": {"mdp": MDP, "n_options": 2, "initiation": "point"},
    "eigenoptions": {
        "mdp": MDP,
        "n_options": 2,
        "signs": "positive",
        "first": "skipped",
        "seed": 0,
        "vectors": np.asarray(M.toarray()),
        "discount": 0.9,
        "return_vectors": False,
    },
    "make_options": {"mdp": MDP, "kind": "eigen", "n_options": 2},
    "map_vectors": {"M": M, "n_vectors": 2, "signs": "positive", "first": "skipped"},
    "option_model": {"mdp": MDP, "options": OPTIONS, "primitives": True, "task": TASK},
    "plan_over_options": {"model": MODEL, "task": TASK, "ties": "uniform", "seed": 0},
    "point_options": {"mdp": MDP, "targets": [0]},
    "random_options": {"mdp": MDP, "n_options": 2, "seed": 0},
    "sign_pattern": {"mdp": MDP, "n_options": 2, "signs": "random", "seed": 0},
    "uniform_choice": {"model": MODEL},
    "MapSpec": {"kind": "ehsr", "ties": "uniform", "goal": "ends", "map_scale": "none"},
    "expected_hsr": {
        "mdp": MDP,
        "options": OPTIONS,
        "tasks": [TASK],
        "primitives": True,
        "ties": "uniform",
        "stopping_state": "counted_once",
        "goal": "ends",
        "seed": 0,
        "policies": None,
        "progress": False,
    },
    "expected_sr": {
        "mdp": MDP,
        "tasks": None,
        "goals": 2,
        "ties": "uniform",
        "goal": "ends",
        "seed": 0,
        "progress": False,
    },
    "hierarchical_sr": {"model": MODEL, "mu": MU, "stopping_state": "counted_once"},
    "hsr_bellman": {"model": MODEL, "mu": MU, "M": np.eye(N), "stopping_state": "counted_once"},
    "learn_hsr": {
        "mdp": MDP,
        "options": OPTIONS,
        "mu": MU,
        "steps": 5,
        "learning_rate": 0.1,
        "decay": 0.0,
        "initial_map": "identity",
        "task": None,
        "seed": 0,
    },
    "learn_hsr_intra_option": {
        "mdp": MDP,
        "options": OPTIONS,
        "mu": MU,
        "log": None,
        "steps": 5,
        "learning_rate": 0.1,
        "decay": 0.0,
        "initial_map": "identity",
        "task": None,
        "passes": 1,
        "seed": 0,
    },
    "learn_sr": {
        "mdp": MDP,
        "policy": None,
        "steps": 5,
        "learning_rate": 0.1,
        "decay": 0.0,
        "initial_map": "identity",
        "task": None,
        "seed": 0,
    },
    "learn_sr_along": {
        "mdp": MDP,
        "paths": [[0, 1, 0]],
        "learning_rate": 0.1,
        "decay": 0.0,
        "initial_map": "identity",
        "passes": 1,
    },
    "make_representation": {"mdp": MDP, "kind": "ehsr", "options": OPTIONS},
    "successor_representation": {"mdp": MDP, "policy": None, "task": TASK},
    "BasisSpec": {"kind": "nmf", "n_components": 2, "scale": "none", "seed": 0},
    "bottleneck_ratio": {"features": np.ones((N, 2)), "bottlenecks": [0]},
    "hoyer_sparsity": {"features": np.ones((N, 2)), "axis": "components"},
    "reconstruction_error": {"M": M, "basis": BASIS},
    "value_fit_r2": {"features": np.eye(N), "values": np.arange(N) + 0.5, "intercept": False},
    "value_fit_scorer": {"basis": BASIS, "rows": np.eye(N), "values": np.arange(N) + 0.5},
    "GPI": {"features": "onehot", "pretraining": [TASK], "reward": "found"},
    "ChangeDetector": {"response": "keep", "threshold": 1.0, "patience": 5, "duration": 5},
    "LinearQ": {
        "features": "onehot",
        "learning_rate": 0.1,
        "epsilon": 0.1,
        "ties": "random",
        "detector": None,
    },
    "OnlineOptions": {"n_options": 2, "warm_up": 10, "refresh": 10, "signs": "positive", "seed": 0},
    "OptionSpec": {"kind": "eigen", "n_options": 2, "signs": "positive", "seed": 0},
    "Sarsa": {"bonus": "spie", "on": "sr", "learning_rate": 0.1, "bonus_weight": 1.0},
    "count_worlds": {"layout": LAYOUT, "distances": (3, 5), "discount": 0.9, "avoid": ()},
    "explore": {
        "mdp": MDP,
        "agent": hsr.Sarsa(),
        "options": OPTIONS,
        "seeds": [0],
        "steps": 5,
        "task": None,
        "start": 0,
        "workers": 1,
        "keep_maps": False,
        "keep_values": False,
        "trajectory_of": None,
        "progress": False,
    },
    "learn_options": {"mdp": MDP, "n_options": 2, "steps": 50, "learning_rate": 0.1, "workers": 1},
    "learn_plans": {
        "mdp": MDP,
        "options": OPTIONS,
        "tasks": [TASK],
        "episodes": 2,
        "horizon": 5,
        "learning_rate": 0.1,
        "epsilon": 0.1,
        "seed": 0,
        "workers": 1,
    },
    "sample_worlds": {"layout": LAYOUT, "n": 1, "distances": (3, 5), "discount": 0.9, "seed": 0},
    "train": {
        "mdp": MDP,
        "tasks": [TASK],
        "agent": hsr.LinearQ("onehot"),
        "options": OPTIONS,
        "seeds": [0],
        "episodes": 1,
        "horizon": 5,
        "workers": 1,
        "keep_maps": False,
        "keep_values": False,
        "evaluate": False,
        "until": None,
        "trajectory_of": None,
        "progress": False,
        "on_episode": None,
    },
    "GridWorld": {
        "layout": LAYOUT,
        "goal": 3,
        "start": 0,
        "slip": 0.0,
        "discount": 0.9,
        "observation": "pixels",
        "cell_size": 2,
    },
    "GridWorldVector": {
        "num_envs": 2,
        "layout": LAYOUT,
        "goal": 3,
        "start": 0,
        "slip": 0.0,
        "observation": "pixels",
        "cell_size": 2,
    },
    "OptionEnv": {"env": hsr.GridWorld(LAYOUT, goal=3), "options": OPTIONS, "discount": 0.9},
    "FeatureObservation": {"env": hsr.GridWorld(LAYOUT, goal=3), "basis": np.eye(N)},
    "load": {"path": "nowhere.npz", "mdp": None},
    "save": {"thing": M, "path": "/nowhere/at/all.npz", "mdp": None},
}


BY_SCIKIT_LEARN = {("value_fit_scorer", "rows")}  # raises what its own estimators raise


class Odd:
    """An object that nothing expects."""

    def __repr__(self):
        return "Odd()"


ODD = (
    None,
    Odd(),
    Odd,
    len,
    b"bytes",
    "",
    "no such word",
    "\x00",
    -1,
    0,
    10**400,
    2.5,
    float("nan"),
    float("inf"),
    1j,
    Fraction(1, 3),
    True,
    (),
    [],
    {},
    {"a": 1},
    set(),
    [None],
    [[1.0], [1.0, 2.0]],
    np.array([]),
    np.array(0.5),
    np.array(["a"]),
    np.array([1j]),
    np.array([None, Odd()], dtype=object),
    np.ma.masked_array([0.5, 0.5], [True, False]),
    np.array(["2020"], dtype="datetime64"),
    np.full((2, 2, 2, 2), np.nan),
    sparse.csr_array((3, 3)),
    range(3),
    iter([1, 2]),
    slice(3),
    MDP,
    OPTIONS,
    MODEL,
    TASK,
    M,
    LAYOUT,
    BASIS,
)


def leaves(function, arguments):
    """Return the exception that leaves a call if it is not one of the library's, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**arguments)
    except (hsr.HSRError, hsr.HSRWarning):
        return None
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("name", GOOD)
def test_only_errors_of_the_library_leave_a_public_function(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = getattr(hsr, name)
    foreign = []
    for argument in inspect.signature(function).parameters:
        if argument not in GOOD[name] or (name, argument) in BY_SCIKIT_LEARN:
            continue
        # What a function of the caller raises is the caller's.
        for odd in (odd for odd in ODD if argument != "on_episode" or not callable(odd)):
            error = leaves(function, GOOD[name] | {argument: odd})
            if error is not None:
                foreign.append(f"{argument}={odd!r:.40}: {type(error).__name__}: {error!s:.60}")
    assert foreign == []


TRACKED = hsr.from_positions(XY, bin_size=1.0, extent=(0, 3, 0, 2))
METHODS = {
    "GridLayout.to_minigrid, goal": (LAYOUT.to_minigrid, "goal"),
    "GridLayout.to_minigrid, start": (LAYOUT.to_minigrid, "start"),
    "GridLayout.xy": (LAYOUT.xy, "states"),
    "GridLayout.pixels": (LAYOUT.pixels, "states"),
    "GridLayout.pixels, size": (LAYOUT.pixels, "cell_size"),
    "GridLayout.pixels, goal": (LAYOUT.pixels, "goal"),
    "TrackedMDP.to_grid": (TRACKED.to_grid, "values"),
    "TrackedMDP.behaviour": (TRACKED.behaviour, "pseudo_counts"),
    "TrackedMDP.transition_of": (TRACKED.transition_of, "action"),
    "TrackedMDP.standard_error_of": (TRACKED.standard_error_of, "action"),
}


@cases("method, argument", METHODS)
def test_only_errors_of_the_library_leave_a_method(method, argument):
    foreign = {repr(odd)[:40]: leaves(method, {argument: odd}) for odd in ODD}
    assert {odd: error for odd, error in foreign.items() if error is not None} == {}
