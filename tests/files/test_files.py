"""Saved objects return unchanged to the last bit and files read without hsr."""

import hashlib
import json
import pickle
import re
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA

import hsr
from tests.cases import cases, raises

MAZE, MIRRORED_MAZE = "...#.\n.....", ".#...\n....."
ODD_NUMBERS = {"random_state": np.int64(3), "tol": np.float32(0.25)}
BASES = [
    hsr.SVDBasis(),
    hsr.SVDBasis(2, scale="max"),
    hsr.NMFBasis(3, scale="unit_columns"),
    hsr.NMFBasis(12, solver="extrapolated", init="random", **ODD_NUMBERS),
    hsr.RowBasis(),
    hsr.RowBasis("unit_rows"),
    hsr.OneHotBasis(),
]


@cache
def mdp_of(text=MAZE, discount=0.9, slip=0.0):
    return hsr.grid_mdp(hsr.GridLayout.from_text(text), discount=discount, slip=slip)


def slipping():
    return mdp_of(discount=0.95, slip=0.1)


@cache
def slipping_map():
    return hsr.successor_representation(slipping())


def points():
    return hsr.point_options(mdp_of(), [0, 8])


@cache
def things():
    """Return an object of each kind that belongs to one MDP."""
    M = hsr.successor_representation(mdp_of())
    (task,) = hsr.reward_tasks(mdp_of(), 1, kind="mixed", seed=0, start=0)
    basis = hsr.NMFBasis(2).fit(M)
    return {"options": points(), "map": M, "basis": basis, "mdp": mdp_of(), "task": task}


KINDS = ("options", "map", "basis", "mdp", "task")


def same(first, second):
    """Assert that two arrays have the same bytes, type, shape and permission to be written."""
    assert first.dtype == second.dtype
    assert first.shape == second.shape
    assert first.tobytes() == second.tobytes()
    assert first.flags.writeable == second.flags.writeable
    assert first.dtype.isnative


def through(thing, folder, **given):
    path = folder / "thing.npz"
    assert hsr.save(thing, path, **given) is None
    return hsr.load(path)


OPTIONS = {
    "certain": points,
    "random": lambda: hsr.OptionSet(
        np.random.default_rng(0).dirichlet(np.ones(4), (2, 9)),
        np.full((2, 9), 1 / 3),
        names=["ä", "\ud800"],
    ),
    "none": lambda: hsr.OptionSet(np.zeros((0, 9), dtype=int), np.zeros((0, 9))),
    "none, random": lambda: hsr.OptionSet(np.zeros((0, 9, 4)), np.zeros((0, 9))),
}


@cases("make", OPTIONS)
def test_options_come_back(make, tmp_path):
    options = make()
    back = through(options, tmp_path)
    for name in ("policy", "termination", "initiation"):
        same(getattr(back, name), getattr(options, name))
    assert (back.names, back.mdp_fingerprint) == (options.names, options.mdp_fingerprint)


def test_a_map_comes_back_with_fingerprint_and_discount(tmp_path):
    back, M = through(slipping_map(), tmp_path), slipping_map().toarray()
    assert isinstance(back, hsr.PredictiveMap)
    assert (back.mdp_fingerprint, back.discount) == (slipping().fingerprint, 0.95)
    assert_array_equal(back.rows([3, 0]), M[[3, 0]])
    assert_array_equal(back.columns([3, 0]), M[:, [3, 0]])
    reward = np.random.default_rng(0).random(9)
    assert_allclose(back @ reward, M @ reward, rtol=1e-14)
    assert_allclose(reward @ back, reward @ M, rtol=1e-14)
    back.toarray()[:] = 0.0
    same(back.toarray(), M)  # what is given out is a copy


def test_an_array_is_a_map_and_takes_the_fingerprint_of_the_mdp(tmp_path):
    learned = hsr.learn_sr(mdp_of(), steps=100)
    for given, told in (({}, (None, None)), ({"mdp": mdp_of()}, (mdp_of().fingerprint, 0.9))):
        back = through(learned, tmp_path, **given)
        same(back.toarray(), learned)
        assert (back.mdp_fingerprint, back.discount) == told


@pytest.mark.parametrize("basis", BASES, ids=str)
@pytest.mark.parametrize("form", ["a lazy map", "an array", "a table"])
def test_a_basis_comes_back_and_gives_the_same_bytes(basis, form, tmp_path):
    M = slipping_map() if form == "a lazy map" else slipping_map().toarray()[:, :7]
    if form == "a table":
        M = pytest.importorskip("pandas").DataFrame(M, columns=[f"to {s}" for s in range(7)])
    fitted = clone(basis).fit(M)
    back = through(fitted, tmp_path)
    assert type(back) is type(fitted)
    assert back.get_params() == fitted.get_params()
    learned = [name for name in vars(fitted) if name.endswith("_")]
    for name in {*learned, "features_", "components_", "mdp_fingerprint_", "n_states_"}:
        mine, theirs = getattr(back, name), getattr(fitted, name)
        if name in ("features_", "components_"):
            same(mine, theirs)
        else:  # a map that was not computed comes back as an array
            assert type(mine) is type(theirs) or isinstance(theirs, hsr.PredictiveMap)
            assert_array_equal(mine, np.asarray(theirs))
    same(back.transform([3, 0, 3]), fitted.features_[[3, 0, 3]])
    if not isinstance(basis, hsr.OneHotBasis):
        rows = M if form == "a table" else np.ones((4, fitted.n_features_in_))
        same(back.transform(rows), fitted.transform(rows))
    assert list(back.get_feature_names_out()) == list(fitted.get_feature_names_out())


MDPS = {
    "certain": mdp_of,
    "slipping": slipping,
    "one state": lambda: hsr.FiniteMDP.from_successors([[0]], 0.0),
    "labelled": lambda: hsr.FiniteMDP.from_successors(
        [[1], [2], [3], [4], [5], [6], [0]], 0.5,
        labels=["ä\n", 2, 2.5, None, (1, ("a", np.inf)), (), np.int32(7)],
    ),
    "labelled, random": lambda: hsr.FiniteMDP(np.full((2, 1, 2), 0.5), 0.5, labels=[True, "x"]),
    "counted in a log": lambda: hsr.from_transitions(
        [("nest", "go", "food"), ("nest", "go", "nest"), ("food", "go", "nest"),
         ("food", "stay", "food"), ("nest", "stay", "nest")],
    ),
    "Gymnasium": lambda: hsr.from_gymnasium(
        pytest.importorskip("gymnasium").make("FrozenLake-v1")
    ),
}  # fmt: skip


@cases("make", MDPS)
def test_an_mdp_comes_back(make, tmp_path):
    mdp = make()
    back = through(mdp, tmp_path)
    assert type(back) is type(mdp)
    for name in ("fingerprint", "discount", "labels", "is_deterministic", "action_labels"):
        assert getattr(back, name, None) == getattr(mdp, name, None)
    for name in ("counts", "estimated", "start"):
        if hasattr(mdp, name):
            same(getattr(back, name), getattr(mdp, name))
    for mine, theirs in (
        *((m.transition_of(a) for m in (back, mdp)) for a in range(mdp.n_actions)),
        *zip(getattr(back, "rewards", ()), getattr(mdp, "rewards", ()), strict=True),
    ):
        for part in ("data", "indices", "indptr"):
            same(getattr(mine, part), getattr(theirs, part))


def gymnasium_task():
    return hsr.RewardTask(MDPS["Gymnasium"]())


def per_transition():
    rewards = np.zeros((9, 4, 9))
    rewards[3, 1, 4], rewards[:, :, 8] = -0.5, 1 / 3
    return hsr.RewardTask(slipping(), rewards, terminal=[8])


def uneven_starts():
    lake = MDPS["Gymnasium"]()
    start = np.eye(16)[0] * 0.25 + np.eye(16)[1] * 0.75
    matrices = [lake.transition_of(a) for a in range(4)]
    return hsr.RewardTask(type(lake)(matrices, 0.9, lake.rewards, start))


TASKS = {
    "goal": lambda: hsr.GoalTask(0, 8),
    **{
        kind: lambda kind=kind: hsr.reward_tasks(mdp_of(), 1, kind=kind, seed=3)[0]
        for kind in ("goals", "several", "mixed", "smooth")
    },
    "per action": lambda: hsr.RewardTask(slipping(), np.arange(36.0).reshape(9, 4), terminal=[2]),
    "per transition": per_transition,
    "Gymnasium": gymnasium_task,
    "uneven starts": uneven_starts,
}


@cases("make", TASKS)
def test_a_task_comes_back(make, tmp_path):
    task = make()
    back = through(task, tmp_path)
    assert (type(back), repr(back)) == (type(task), repr(task))
    assert vars(back).keys() == vars(task).keys()
    for name, theirs in vars(task).items():
        mine = getattr(back, name)
        if isinstance(theirs, np.ndarray):
            same(mine, theirs)
        elif isinstance(theirs, tuple):
            for ours, matrix in zip(mine, theirs, strict=True):
                assert_array_equal(ours.toarray(), matrix.toarray())
        else:
            assert mine == theirs


def test_rewards_per_transition_are_stored_sparsely(tmp_path):
    n = 900
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("\n".join(["." * 30] * 30)))
    paid = np.zeros((n, 4, n), dtype=np.float32)
    paid[:, :, 5] = 1.0
    hsr.save(hsr.RewardTask(mdp, paid), tmp_path / "task.npz")
    assert (tmp_path / "task.npz").stat().st_size < 100 * n


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_thing_is_always_the_same_bytes(kind, tmp_path):
    for name in ("a.npz", "b.npz"):
        hsr.save(things()[kind], tmp_path / name)
    first, second = sorted(tmp_path.iterdir())
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_another_mdp_is_refused_on_loading_and_on_saving(kind, tmp_path):
    thing, mirrored = things()[kind], mdp_of(MIRRORED_MAZE)
    path = tmp_path / "thing.npz"
    hsr.save(thing, path, mdp=mdp_of())
    there, here = mdp_of().fingerprint[:8], mirrored.fingerprint[:8]
    both = rf"another MDP \(fingerprint {there}\.\.\., this one is {here}\.\.\.\)"
    with raises(f"{re.escape(str(path))}.*{both}"):
        hsr.load(path, mdp=mirrored)
    with raises(both):
        hsr.save(thing, path, mdp=mirrored)
    assert hsr.load(path, mdp=mdp_of(discount=0.5)) is not None


def test_what_was_loaded_is_checked_where_it_is_used(tmp_path):
    mirrored = mdp_of(MIRRORED_MAZE)
    task = {"tasks": [hsr.GoalTask(0, 8)], "episodes": 1, "horizon": 9, "seeds": [0], "workers": 1}
    options, themap, basis, _, rewards = (through(thing, tmp_path) for thing in things().values())
    with raises("this RewardTask was made for another MDP"):
        hsr.optimal_value(mirrored, rewards)
    with raises("the options were made for another MDP"):
        hsr.option_model(mirrored, options)
    for features in (themap, basis):
        agent = hsr.LinearQ(features, learning_rate=0.01)
        with raises("made for another MDP"):
            hsr.train(mirrored, agent=agent, **task)
        assert hsr.train(mdp_of(), agent=agent, **task).steps.size == 1


def test_a_fingerprint_can_be_added_and_its_absence_is_reported(tmp_path):
    path = tmp_path / "thing.npz"
    by_hand = hsr.OptionSet(points().policy, points().termination, points().initiation)
    hsr.save(by_hand, path)
    assert hsr.load(path).mdp_fingerprint is None
    with raises("does not say for which MDP the OptionSet was made"):
        hsr.load(path, mdp=mdp_of())
    hsr.save(by_hand, path, mdp=mdp_of())
    assert hsr.load(path, mdp=mdp_of()).mdp_fingerprint == mdp_of().fingerprint
    with raises("the OptionSet has 9 states; the MDP has 6"):
        hsr.save(by_hand, path, mdp=hsr.grid_mdp(hsr.GridLayout.from_text("...\n..."), 0.9))


def test_an_npz_reads_with_numpy_alone(tmp_path):
    hsr.save(points(), tmp_path / "options.npz")
    with np.load(tmp_path / "options.npz", allow_pickle=False) as file:
        header = json.loads(file["header"].item())
        arrays = {name: file[name] for name in file if name != "header"}
    assert set(arrays) == {"policy", "termination", "initiation"}
    assert_array_equal(arrays["policy"], points().policy)
    expected = {"format": "hsr", "format_version": 4, "hsr_version": hsr.__version__}
    assert (expected | {"mdp_fingerprint": mdp_of().fingerprint}).items() <= header.items()
    assert header["object"]["class"] == "OptionSet"
    assert header["object"]["fields"]["names"] == ["to 0", "to 8"]
    # the checksum, from its description
    claimed = header.pop("sha256")
    digest = hashlib.sha256(json.dumps(header, sort_keys=True, separators=(",", ":")).encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(arrays[name].tobytes())
    assert claimed == digest.hexdigest()


def test_bad_input_is_refused_before_a_file_is_touched(tmp_path):
    class OwnBasis(hsr.SVDBasis):
        pass

    class OwnAgent(hsr.LinearQ):
        pass

    good = tmp_path / "good.npz"
    huge = hsr.PredictiveMap((10**6, 10**6), np.copy, np.copy)
    fitted = hsr.NMFBasis(2, random_state=np.random.default_rng(0)).fit(slipping_map())
    for thing, words in (
        (
            {},
            "a dict cannot be saved; maps, option sets, fitted bases, MDPs, tasks, agents and runs",
        ),
        (PCA().fit(np.eye(2)), "a PCA cannot be saved; .* numpy.save writes the features_"),
        (OwnBasis().fit(np.eye(2)), "a OwnBasis cannot be saved"),
        (OwnAgent(), "a OwnAgent cannot be saved; .* agents and runs"),
        (np.ones((2, 3)), r"the map has shape \(2, 3\); it must have as many rows as columns"),
        (np.ones((0, 0)), r"the map has shape \(0, 0\)"),
        (np.array([[np.nan]]), r"the map\[0, 0\] is nan"),
        (np.ma.masked_all((2, 2)), "the map cannot be read as numbers"),
        (huge, "needs 8,000,000,000,000 bytes"),
        (hsr.SVDBasis(), "the SVDBasis has not been fitted"),
        (fitted, r"random_state is Generator\(PCG64\)"),
        (hsr.FiniteMDP.from_successors([[0]], 0.9, labels=[b"x"]), "labels.0 is b'x'"),
    ):
        with raises(words):
            hsr.save(thing, good)
    for call, words in (
        (lambda: hsr.save(points(), tmp_path / "x.nc"), r"x.nc'; it must end in \.npz"),
        (lambda: hsr.save(points(), tmp_path / "no" / "x.npz"), "cannot be written: No such file"),
        (lambda: hsr.load(tmp_path / "none.npz"), "there is no file"),
        (lambda: hsr.load(None), "path is None; it must be a path that ends in .npz"),
        (lambda: hsr.save(points(), 3), "path is 3; it must be a path that ends in .npz"),
        (lambda: hsr.save(points(), good, mdp="mdp"), "mdp is of type str; it must be a Finite"),
    ):
        with raises(words):
            call()
    assert list(tmp_path.iterdir()) == []


def test_a_loaded_basis_can_be_cloned_pickled_and_fitted_again(tmp_path):
    back = through(things()["basis"], tmp_path)
    assert not hasattr(clone(back), "features_")
    same(pickle.loads(pickle.dumps(back)).features_, things()["basis"].features_)
    same(back.fit(slipping_map()).features_, hsr.NMFBasis(2).fit(slipping_map()).features_)
    assert back.mdp_fingerprint_ == slipping().fingerprint


def test_lists_and_numbers_are_refused_before_a_file_is_written(tmp_path):
    path = tmp_path / "list.npz"
    for thing in ([hsr.GoalTask(0, 3)], [things()["task"]], 3, "text", None):
        with raises("cannot be saved; .* can, one in each file"):
            hsr.save(thing, path)
        assert not path.exists()
