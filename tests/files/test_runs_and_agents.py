"""Runs and agents return from files unchanged to the last bit, and damaged files are refused."""

import json
import re
from dataclasses import fields, replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr.files import container
from hsr.files.objects import encode
from tests.agents.training_bytes import bytes_of
from tests.cases import cases, raises
from tests.oracles.agent_worlds import check_history

TASKS = [hsr.GoalTask(0, 6), hsr.GoalTask(None, 2)]
ONLINE = hsr.OnlineOptions(2, warm_up=30, refresh=20, signs="both")
FRONTIER = hsr.OnlineOptions(2, method="frontier", warm_up=20, refresh=20)
TINY = {"seeds": [5, 2**70], "episodes": 3, "horizon": 25, "workers": 1}


@cache
def mdp_of(text="....\n.#.."):
    return hsr.grid_mdp(hsr.GridLayout.from_text(text), discount=0.9, slip=0.1)


def other_mdp():
    return mdp_of("....\n..#.")


def the_map():
    return hsr.successor_representation(mdp_of())


def trained(agent=None, options=None, **how):
    agent = hsr.LinearQ(learning_rate=0.1) if agent is None else agent
    return hsr.train(mdp_of(), TASKS, agent, options, **TINY | how)


def diverged():
    with pytest.warns(hsr.HSRWarning, match="diverged"):
        return trained(
            hsr.LinearQ(10.0 * the_map().toarray(), learning_rate=1.0), episodes=20, horizon=200
        )


def rewarded():
    tasks = hsr.reward_tasks(mdp_of(), 2, kind="several", seed=0)
    return hsr.train(mdp_of(), [*tasks, TASKS[0]], hsr.LinearQ("sr"), **TINY)


def explored(**how):
    how = {"seeds": [5, 6], "steps": 80, "start": 0, "workers": 1} | how
    return hsr.explore(mdp_of(), hsr.Sarsa("norm", on="sr"), **how)


KEPT = {"keep_maps": True, "keep_values": True, "trajectory_of": 5}
RUNS = {
    "plain": trained,
    "everything": lambda: trained(hsr.LinearQ("sr"), ONLINE, evaluate="tasks", **KEPT),
    "evaluated": lambda: trained(evaluate="episodes", options=hsr.point_options(mdp_of(), [3])),
    "still warming up": lambda: trained(hsr.LinearQ("sr"), replace(ONLINE, warm_up=10**6)),
    "diverged": diverged,
    "rewards": rewarded,
    "exploration": explored,
    "frontier, until nothing is unknown": lambda: explored(options=FRONTIER, steps=900),
    "exploration, everything": lambda: explored(options=ONLINE, task=TASKS[0], **KEPT),
}


@pytest.fixture(scope="module")
def runs():
    return {name: make() for name, make in RUNS.items()}


def shown(value):
    """Return a value with its reward tasks, which differ from each other, as they are written."""
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    if isinstance(value, hsr.RewardTask):
        arrays = {}
        return encode(value, "", arrays), {name: array.tolist() for name, array in arrays.items()}
    return value


def same_run(back, run):
    """Assert that two runs are equal in everything, to the last bit and flag."""
    assert type(back) is type(run)
    assert bytes_of(back) == bytes_of(run)
    assert repr(back) == repr(run)
    for ours, expected in ((back, run), (back.trajectory, run.trajectory)):
        for name in (field.name for field in fields(expected)) if expected is not None else ():
            mine, theirs = getattr(ours, name), getattr(expected, name)
            if isinstance(theirs, np.ndarray):
                assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
                assert mine.flags.writeable == theirs.flags.writeable
            elif name not in ("trajectory", "options_at"):
                assert (type(mine), shown(mine)) == (type(theirs), shown(theirs))
    for mine, theirs in zip(back.options_at, run.options_at, strict=True):
        check_history(mine, theirs)
        pairs = [list(history.values()) for history in (mine, theirs)]
        for ours, expected in zip(*pairs, strict=True):
            assert ours.mdp_fingerprint == expected.mdp_fingerprint
        kept_once, expected = ([a is b for a, b in pairwise(sets)] for sets in pairs)
        assert kept_once == expected


@pytest.mark.parametrize("name", RUNS)
def test_a_run_comes_back(name, runs, tmp_path):
    run, path = runs[name], tmp_path / "run.npz"
    hsr.save(run, path)
    back = hsr.load(path, mdp=mdp_of())
    same_run(back, run)
    assert back.mdp_fingerprint == mdp_of().fingerprint
    written = path.read_bytes()
    hsr.save(back, path, mdp=mdp_of())
    assert path.read_bytes() == written


def test_the_cases_have_all_that_a_run_may_have(runs):
    assert len(runs["everything"].options_at[0]) > 1
    assert runs["still warming up"].options_at == ({}, {})
    sets = list(runs["frontier, until nothing is unknown"].options_at[0].values())
    assert len(sets[0]) == 2
    assert len(sets[-1]) == 0
    assert sets[-1] is sets[-2]
    assert "diverged" in runs["diverged"].status
    optional = {"maps", "values", "greedy_steps", "greedy_curve", "trajectory"}
    optional |= {"greedy_returns", "greedy_return_curve"}
    found = {n for run in runs.values() for n in optional if getattr(run, n, None) is not None}
    assert found == optional


def test_a_run_of_another_mdp_is_refused(runs, tmp_path):
    path = tmp_path / "run.npz"
    hsr.save(runs["plain"], path)
    with raises("the TrainingRun was made for another MDP"):
        hsr.load(path, mdp=other_mdp())
    with raises("the ExplorationRun was made for another MDP"):
        hsr.save(runs["exploration"], path, mdp=other_mdp())


SENSELESS = {
    "steps that are no numbers": ({"steps": np.full((2, 2, 3), "1")}, "steps is"),
    "steps that are no integers": ({"steps": np.full((2, 2, 3), np.nan)}, "steps is"),
    "no steps": ({"steps": np.zeros((2, 2, 3), np.int64)}, "no episode that was run"),
    "no array": ({"steps": None}, "steps is None"),
    "two axes": ({"coverage": np.ones((2, 2))}, "coverage has shape (2, 2), which does not fit"),
    "other seeds": ({"seeds": (5, 6, 7)}, "which does not fit the other arrays"),
    "other states": ({"maps": np.ones((2, 2, 7, 6))}, "maps has shape (2, 2, 7, 6), which"),
    "tasks of another kind": ({"tasks": (1, 2)}, "tasks is (1, 2)"),
    "discount that is no number": ({"discount": np.nan}, "discount is nan"),
    "yes for a number": ({"slowdown": True}, "slowdown is True"),
    "options that are none": ({"options_at": ({3: None}, {})}, "options_at is"),
    "another MDP": ({"mdp_fingerprint": "0" * 32}, "it holds a TrainingRun of the MDP 0000"),
}


@cases("changes, words", SENSELESS)
def test_a_run_whose_parts_do_not_fit_together_is_refused(runs, changes, words, tmp_path):
    """The checksum of the file is right."""
    arrays, run = {}, replace(runs["everything"], **changes)
    written = encode(run, "", arrays) if "options" not in words else None
    if written is None:  # encode refuses these, so that they are changed in the JSON
        written = encode(runs["everything"], "", arrays)
        written["fields"]["options_at"] = [{"dict": [[3, None]]}, {"dict": []}]
    with open(tmp_path / "run.npz", "wb") as file:
        container.write(file, written, arrays, mdp_of().fingerprint)
    with raises(re.escape(words)) as caught:
        hsr.load(tmp_path / "run.npz")
    assert "\n" not in str(caught.value)


def test_a_trajectory_whose_parts_do_not_fit_together_is_refused(runs, tmp_path):
    """Its arrays have one length."""
    run = runs["everything"]
    short = replace(run.trajectory, state=run.trajectory.state[:-1])
    hsr.save(replace(run, trajectory=short), tmp_path / "run.npz")
    with raises("which does not fit the other arrays"):
        hsr.load(tmp_path / "run.npz")


def test_a_run_reads_without_hsr(runs, tmp_path):
    run = runs["everything"]
    hsr.save(run, tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        header = json.loads(file["header"].item())
        assert_array_equal(file["steps"], run.steps)
        assert file["steps"].dtype == np.int64
        assert_array_equal(file["trajectory.state"], run.trajectory.state)
        step, options = next(iter(run.options_at[1].items()))
        assert_array_equal(file[f"options_at.1.{step}.policy"], options.policy)
    given = header["object"]["fields"]
    assert given["seeds"] == [5, 2**70]
    assert given["tasks"][1]["fields"] == {"start": None, "goal": 2, "continuing": False}


AGENTS = {
    "word": lambda: hsr.LinearQ("hsr", learning_rate=1 / 3, update="running", ties="first"),
    "computed": lambda: hsr.LinearQ("ehsr"),
    "array": lambda: hsr.LinearQ(np.random.default_rng(0).normal(size=(7, 3))),
    "short numbers": lambda: hsr.LinearQ(np.ones((7, 2), dtype=np.float32)),
    "list": lambda: hsr.LinearQ([[1, 0]] * 7),
    "square array": lambda: hsr.LinearQ(the_map().toarray()),
    "map": lambda: hsr.LinearQ(the_map(), learning_rate=0.1),
    "basis": lambda: hsr.LinearQ(hsr.NMFBasis(3).fit(the_map()), epsilon=0.3),
    "policies": lambda: hsr.GPI("sr", pretraining=TASKS, reward="regressed", epsilon=0.05),
    "policies and a basis": lambda: hsr.GPI(hsr.SVDBasis(2).fit(the_map()), pretraining=TASKS[:1]),
    "explorer": lambda: hsr.Sarsa("spie", on="sr", bonus_weight=0.1),
    "no bonus": lambda: hsr.Sarsa(None),
    "online": lambda: ONLINE,
    "options": lambda: hsr.agents.OptionSpec("covering", n_options=3, initiation="everywhere"),
}


def settings_of(agent):
    """Return what an agent is set to, with features as an array."""
    spec = agent.learner if isinstance(agent, hsr.GPI) else agent
    values = {one.name: getattr(spec, one.name) for one in fields(spec)}
    features = values.get("features")
    if not isinstance(features, str | None):
        entries = getattr(features, "features_", features)
        entries = entries.toarray() if hasattr(entries, "toarray") else np.array(entries)
        values["features"] = entries.astype(float).tolist()
    more = (agent.pretraining, agent.reward) if isinstance(agent, hsr.GPI) else ()
    return type(agent), values, more


@cases("make", AGENTS)
def test_an_agent_comes_back(make, tmp_path):
    agent, path = make(), tmp_path / "agent.npz"
    hsr.save(agent, path)
    back = hsr.load(path)
    assert settings_of(back) == settings_of(agent)
    written = path.read_bytes()
    hsr.save(back, path)
    assert path.read_bytes() == written


@pytest.mark.parametrize("name", ["word", "map", "basis", "array", "policies"])
def test_a_loaded_agent_learns_the_same_bytes(name, tmp_path):
    hsr.save(AGENTS[name](), tmp_path / "agent.npz")
    back = hsr.load(tmp_path / "agent.npz")
    assert bytes_of(trained(back)) == bytes_of(trained(AGENTS[name]()))


@pytest.mark.parametrize("name", ["map", "basis", "policies and a basis"])
def test_an_agent_whose_features_are_of_another_mdp_is_refused(name, tmp_path):
    path = tmp_path / "agent.npz"
    hsr.save(AGENTS[name](), path)
    assert hsr.load(path, mdp=mdp_of()) is not None
    for use in (
        lambda: hsr.load(path, mdp=other_mdp()),
        lambda: hsr.save(AGENTS[name](), path, mdp=other_mdp()),
        lambda: hsr.train(other_mdp(), TASKS, hsr.load(path), **TINY),
    ):
        with raises("made for another MDP"):
            use()
    with raises("the LinearQ has 7 states; the MDP has 3"):
        hsr.save(AGENTS["array"](), path, mdp=mdp_of("..."))


def test_an_agent_without_arrays_takes_the_fingerprint_of_the_mdp(tmp_path):
    path = tmp_path / "agent.npz"
    hsr.save(AGENTS["word"](), path)
    with raises("does not say for which MDP the LinearQ was made"):
        hsr.load(path, mdp=mdp_of())
    hsr.save(AGENTS["word"](), path, mdp=mdp_of())
    assert hsr.load(path, mdp=mdp_of()).learning_rate == 1 / 3
