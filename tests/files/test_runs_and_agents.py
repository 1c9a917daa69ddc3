"""Runs and agents return from files unchanged to the last bit, and damaged files are refused."""

import json
from dataclasses import fields, replace

import numpy as np
import pytest
import xarray
from numpy.testing import assert_array_equal

import hsr
from hsr.files import npz
from hsr.files.agents import agent_contents
from hsr.files.runs import run_contents
from tests.agents.training_bytes import bytes_of
from tests.cases import cases, raises

MDP = hsr.grid_mdp(hsr.GridLayout.from_text("....\n.#.."), discount=0.9, slip=0.1)
OTHER = hsr.grid_mdp(hsr.GridLayout.from_text("....\n..#."), discount=0.9, slip=0.1)
M = hsr.successor_representation(MDP)
TASKS = [hsr.GoalTask(0, 6), hsr.GoalTask(None, 2)]
ONLINE = hsr.OnlineOptions(2, warm_up=30, refresh=20, signs="both")
DETECTOR = hsr.ChangeDetector("restart", threshold=0.01, allowance=0.0, patience=1)
TINY = {"seeds": [5, 2**70], "episodes": 3, "horizon": 25, "workers": 1}

formats = pytest.mark.parametrize("suffix", [".npz", ".nc"])


def trained(agent=None, options=None, **how):
    agent = hsr.LinearQ(learning_rate=0.1) if agent is None else agent
    return hsr.train(MDP, TASKS, agent, options, **TINY | how)


def diverged():
    with pytest.warns(hsr.HSRWarning, match="diverged"):
        return trained(hsr.LinearQ(10.0 * M.toarray(), learning_rate=1.0), episodes=20, horizon=200)


def explored(**how):
    how = {"seeds": [5, 6], "steps": 80, "start": 0, "workers": 1} | how
    return hsr.explore(MDP, hsr.Sarsa("norm", on="sr"), **how)


KEPT = {"keep_maps": True, "keep_values": True, "trajectory_of": 5}
RUNS = {
    "plain": trained,
    "everything": lambda: trained(hsr.LinearQ("sr"), ONLINE, evaluate="tasks", **KEPT),
    "evaluated": lambda: trained(evaluate="episodes", options=hsr.point_options(MDP, [3])),
    "still warming up": lambda: trained(hsr.LinearQ("sr"), replace(ONLINE, warm_up=10**6)),
    "diverged": diverged,
    "with a detector": lambda: trained(hsr.LinearQ("sr", detector=DETECTOR)),
    "with a detector, nothing found": lambda: trained(
        hsr.LinearQ("sr", detector=hsr.ChangeDetector(patience=10**6))
    ),
    "exploration": explored,
    "exploration, everything": lambda: explored(options=ONLINE, task=TASKS[0], **KEPT),
}


@pytest.fixture(scope="module")
def runs():
    return {name: make() for name, make in RUNS.items()}


def same_run(back, run):
    """Assert that two runs are equal in everything, to the last bit and flag."""
    assert type(back) is type(run)
    assert bytes_of(back) == bytes_of(run)
    for one in fields(run):
        mine, theirs = getattr(back, one.name), getattr(run, one.name)
        if isinstance(theirs, np.ndarray):
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
            assert mine.flags.writeable == theirs.flags.writeable
        elif one.name not in ("trajectory", "found_options"):
            assert (type(mine), mine) == (type(theirs), theirs)
    for one in fields(run.trajectory) if run.trajectory is not None else ():
        mine, theirs = getattr(back.trajectory, one.name), getattr(run.trajectory, one.name)
        assert (mine.dtype, mine.flags.writeable) == (theirs.dtype, theirs.flags.writeable)
    assert repr(back) == repr(run)
    for mine, theirs in zip(back.found_options, run.found_options, strict=True):
        assert (mine is None) == (theirs is None)
        assert getattr(mine, "made_for", None) == getattr(theirs, "made_for", None)
        assert getattr(mine, "names", None) == getattr(theirs, "names", None)


@formats
@pytest.mark.parametrize("name", RUNS)
def test_a_run_comes_back(name, runs, suffix, tmp_path):
    run, path = runs[name], tmp_path / f"run{suffix}"
    hsr.save(run, path)
    back = hsr.load(path, mdp=MDP)
    same_run(back, run)
    assert back.made_for == MDP.fingerprint
    written = path.read_bytes()
    hsr.save(back, path, mdp=MDP)
    assert path.read_bytes() == written


def test_the_cases_have_all_that_a_run_may_have(runs):
    assert runs["everything"].found_options[0] is not None
    assert runs["still warming up"].found_options == (None, None)
    assert "diverged" in runs["diverged"].status
    assert runs["with a detector"].detected.size
    assert runs["with a detector, nothing found"].detected.shape == (0,)
    optional = {"maps", "values", "greedy_steps", "greedy_curve", "trajectory"}
    found = {n for run in runs.values() for n in optional if getattr(run, n, None) is not None}
    assert found == optional


@formats
def test_a_run_of_another_mdp_is_refused(runs, suffix, tmp_path):
    path = tmp_path / f"run{suffix}"
    hsr.save(runs["plain"], path)
    with raises("the training run was made for another MDP"):
        hsr.load(path, mdp=OTHER)
    with raises("the exploration run was made for another MDP"):
        hsr.save(runs["exploration"], path, mdp=OTHER)


def test_a_run_reads_without_hsr(runs, tmp_path):
    run = runs["everything"]
    hsr.save(run, tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        header = json.loads(file["header"].item())
        assert_array_equal(file["steps"], run.steps)
        assert file["steps"].dtype == np.int64
        assert_array_equal(file["trajectory.state"], run.trajectory.state)
        assert_array_equal(file["found_options.1.policy"], run.found_options[1].policy)
    assert header["settings"]["seeds"] == [5, 2**70]
    assert header["settings"]["tasks"][1] == {"start": None, "goal": 2, "continuing": False}
    hsr.save(run, tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="scipy") as file:
        assert file["steps"].dims == ("seed", "task", "episode")
        assert_array_equal(file["steps"], run.steps)
        assert file["maps"].dims == ("seed", "task", "state", "future_state")


def test_integers_beyond_netcdf_are_refused_in_favour_of_npz(runs, tmp_path):
    run = replace(runs["plain"], steps=runs["plain"].steps + 2**31)
    with pytest.raises(hsr.TooLargeError, match=r"steps has integers of more .* save as \.npz"):
        hsr.save(run, tmp_path / "run.nc")
    assert list(tmp_path.iterdir()) == []
    hsr.save(run, tmp_path / "run.npz")
    assert_array_equal(hsr.load(tmp_path / "run.npz").steps, run.steps)


def test_an_agent_of_ones_own_class_is_refused(tmp_path):
    class Own(hsr.LinearQ):
        pass

    with raises("a Own cannot be saved; of the agents LinearQ, GPI, Sarsa, .* can"):
        hsr.save(Own(), tmp_path / "agent.npz")


AGENTS = {
    "word": hsr.LinearQ("hsr", learning_rate=1 / 3, update="running", ties="first"),
    "computed": hsr.LinearQ("ehsr"),
    "array": hsr.LinearQ(np.random.default_rng(0).normal(size=(7, 3))),
    "short numbers": hsr.LinearQ(np.ones((7, 2), dtype=np.float32)),
    "list": hsr.LinearQ([[1, 0]] * 7),
    "square array": hsr.LinearQ(M.toarray()),
    "map": hsr.LinearQ(M, learning_rate=0.1),
    "basis": hsr.LinearQ(hsr.NMFBasis(3).fit(M), epsilon=0.3),
    "policies": hsr.GPI("sr", pretraining=TASKS, reward="regressed", epsilon=0.05),
    "policies and a basis": hsr.GPI(hsr.SVDBasis(2).fit(M), pretraining=TASKS[:1]),
    "explorer": hsr.Sarsa("spie", on="sr", bonus_weight=0.1),
    "no bonus": hsr.Sarsa(None),
    "detecting": hsr.LinearQ("sr", detector=DETECTOR),
    "exploring and detecting": hsr.Sarsa(detector=hsr.ChangeDetector("forget", rate=0.2)),
    "detector": DETECTOR,
    "online": ONLINE,
    "options": hsr.OptionSpec("covering", n_options=3, initiation="everywhere"),
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


@formats
@cases("agent", AGENTS)
def test_an_agent_comes_back(agent, suffix, tmp_path):
    path = tmp_path / f"agent{suffix}"
    hsr.save(agent, path)
    back = hsr.load(path)
    assert settings_of(back) == settings_of(agent)
    written = path.read_bytes()
    hsr.save(back, path)
    assert path.read_bytes() == written


@pytest.mark.parametrize("name", ["word", "map", "basis", "array", "policies"])
def test_a_loaded_agent_learns_the_same_bytes(name, tmp_path):
    hsr.save(AGENTS[name], tmp_path / "agent.npz")
    back = hsr.load(tmp_path / "agent.npz")
    assert bytes_of(trained(back)) == bytes_of(trained(AGENTS[name]))


@pytest.mark.parametrize("name", ["map", "basis", "policies and a basis"])
def test_an_agent_whose_features_are_of_another_mdp_is_refused(name, tmp_path):
    path = tmp_path / "agent.npz"
    hsr.save(AGENTS[name], path)
    assert hsr.load(path, mdp=MDP) is not None
    with raises("the agent was made for another MDP"):
        hsr.load(path, mdp=OTHER)
    with raises("the agent was made for another MDP"):
        hsr.save(AGENTS[name], path, mdp=OTHER)
    with raises("made for another MDP"):
        hsr.train(OTHER, TASKS, hsr.load(path), **TINY)
    small = hsr.grid_mdp(hsr.GridLayout.from_text("..."))
    with raises("the agent has 7 states; the MDP has 3"):
        hsr.save(AGENTS["array"], path, mdp=small)


def test_an_agent_without_arrays_takes_the_fingerprint_of_the_mdp(tmp_path):
    path = tmp_path / "agent.npz"
    hsr.save(AGENTS["word"], path)
    with raises("does not say for which MDP the agent was made"):
        hsr.load(path, mdp=MDP)
    hsr.save(AGENTS["word"], path, mdp=MDP)
    assert hsr.load(path, mdp=MDP).learning_rate == 1 / 3


def forged(contents, path):
    """Write contents as they are, with a checksum that is right."""
    with path.open("wb") as file:
        npz.write(file, contents)
    return path


def test_a_setting_that_is_newer_than_the_file_has_its_default(tmp_path):
    contents = agent_contents(hsr.LinearQ("sr", epsilon=0.3, ties="first"))
    del contents.settings["parameters"]["ties"]
    back = hsr.load(forged(contents, tmp_path / "older.npz"))
    assert (back.ties, back.epsilon) == ("random", 0.3)


def changed(make, change):
    """Return a function that makes contents and changes them."""

    def contents():
        made = make()
        change(made)
        return made

    return contents


def agent_with(**parameters):
    return changed(
        lambda: agent_contents(AGENTS["word"]),
        lambda c: c.settings["parameters"].update(parameters),
    )


def gpi_with(**settings):
    return changed(
        lambda: agent_contents(AGENTS["policies"]), lambda c: c.settings.update(settings)
    )


def run_with(change, name="everything"):
    return changed(lambda: run_contents(RUNS[name]()), change)


def put(name, change):
    """Return a change of one array."""

    def apply(contents):
        dims, array = contents.arrays[name]
        contents.arrays[name] = (dims, change(array))

    return apply


def setting(**values):
    return lambda contents: contents.settings.update(values)


FLIP = [{"start": 0, "goal": 9, "continuing": False}, {"start": 0, "goal": 2, "continuing": False}]
SENSELESS = {
    "newer setting": (agent_with(curiosity=1), "a setting 'curiosity', which this version of Lin"),
    "bad number": (agent_with(epsilon=2.0), "epsilon is 2.0; it must lie in [0, 1]"),
    "bad word": (agent_with(ties="last"), "ties is 'last'"),
    "bad type": (agent_with(epsilon="0.1"), "epsilon is '0.1'"),
    "other class": (
        changed(lambda: agent_contents(ONLINE), setting(**{"class": "os.system"})),
        "an agent of class 'os.system', which is none of LinearQ, GPI, Sarsa",
    ),
    "features of no kind": (
        changed(
            lambda: agent_contents(AGENTS["array"]),
            lambda c: c.settings["features"].update(kind="pickle"),
        ),
        "it has features of kind 'pickle'",
    ),
    "features that are none": (
        changed(lambda: agent_contents(AGENTS["array"]), setting(features=3)),
        "it has no 'features'",
    ),
    "no tasks": (gpi_with(pretraining=None), "it has no list of tasks"),
    "task of a word": (
        gpi_with(pretraining=[{"start": 0, "goal": "x", "continuing": False}]), "goal is 'x'",
    ),
    "bad reward": (gpi_with(reward="none"), "reward is 'none'"),
    "seeds twice": (run_with(setting(seeds=[1, 1])), "seeds[0] and seeds[1] are both 1"),
    "no seeds": (run_with(setting(seeds=None)), "seeds is None"),
    "more seeds": (run_with(setting(seeds=[1, 2, 3])), "'steps' has shape (2, 2, 3)"),
    "tasks beyond the states": (run_with(setting(tasks=FLIP)), "not among the 7 states"),
    "no found options": (run_with(setting(found_options=[True])), "seeds that have found options"),
    "lost options": (run_with(setting(**{"found_options.1": None})), "no 'found_options.1'"),
    "steps of floats": (
        run_with(put("steps", lambda a: a.astype(float))), "no array 'steps' of 3 axes",
    ),
    "fewer episodes": (
        run_with(put("decisions", lambda a: a[:, :, :2])), "'decisions' has shape (2, 2, 2)",
    ),
    "maps that are not square": (
        run_with(put("maps", lambda a: a[..., :6])), "'maps' has shape (2, 2, 7, 6)",
    ),
    "a detector that is none": (
        changed(lambda: agent_contents(AGENTS["detecting"]), setting(detector=3)),
        "its detector is 3; it must be a dictionary",
    ),
    "a detector of a newer version": (
        changed(lambda: agent_contents(AGENTS["detecting"]), setting(detector={"speed": 1})),
        "a setting 'speed', which this version of ChangeDetector does not have",
    ),
    "ragged detections": (
        changed(
            lambda: run_contents(RUNS["with a detector"]()), put("detected.step", lambda a: a[1:])
        ),
        "the columns of its detected changes have different lengths",
    ),
    "ragged trajectory": (
        run_with(put("trajectory.began", lambda a: a[1:])), "different lengths",
    ),
    "no steps": (
        run_with(lambda c: c.settings.pop("steps"), "exploration"), "cannot be loaded",
    ),
}  # fmt: skip


@cases("make, words", SENSELESS)
def test_sense_is_checked_even_where_the_sum_is_right(make, words, tmp_path):
    path = forged(make(), tmp_path / "forged.npz")
    with pytest.raises(hsr.InputError) as caught:
        hsr.load(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


@formats
@pytest.mark.parametrize("kind", ["agent", "training run", "exploration run"])
def test_a_flipped_bit_or_a_cut_is_found(kind, suffix, tmp_path):
    thing = {
        "agent": lambda: AGENTS["basis"],
        "training run": lambda: trained(seeds=[0], episodes=1),
        "exploration run": lambda: explored(seeds=[0]),
    }[kind]()
    path = tmp_path / f"thing{suffix}"
    hsr.save(thing, path)
    data, again = path.read_bytes(), tmp_path / f"again{suffix}"
    for place in range(0, len(data), len(data) // 40):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        try:
            back = hsr.load(path)
        except hsr.InputError:
            pass
        else:  # a date of the zip, or padding: nothing of the thing
            hsr.save(back, again)
            assert again.read_bytes() == data
        path.write_bytes(data[:place])
        with raises("cannot be loaded"):
            hsr.load(path)
