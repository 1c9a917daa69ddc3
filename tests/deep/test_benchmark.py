"""The known-answer benchmark: its measures, its protocol, and what a kill leaves behind."""

import json
import subprocess
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hsr
import hsr.deep.benchmark
from hsr.deep.benchmark import folder as folders
from hsr.deep.benchmark import laplacian, measures, runs
from hsr.deep.benchmark.methods import METHODS
from hsr.deep.benchmark.protocol import TARGETS, Answers
from hsr.deep.benchmark.running import Condition, data_of, on_device
from hsr.deep.benchmark.worlds import stochastic, walked, world_of
from hsr.deep.eigenvectors import Lagrangian
from hsr.deep.networks import Network

TINY = folders.Plan(
    n_mazes=2,
    size=7,
    discount=0.9,
    n_steps=1000,
    budgets=(20,),
    n_seeds=1,
    width=16,
    batch_size=32,
    n_settings=2,
    most_settings=2,
    conditions=(Condition(),),
)


@pytest.fixture(scope="module")
def maze():
    layout = hsr.random_maze(9, seed=3)
    mdp = hsr.grid_mdp(layout, discount=0.9)
    world = world_of(mdp, layout.xy(), layout.pixels(cell_size=1), 2000, seed=0)
    return mdp, world


def of_exact(world, name, n_choices, target, error=0.0):
    named = world._asdict()
    psi = np.swapaxes(named["during"][:n_choices] + named["ending"][:n_choices] @ named[name], 0, 1)
    values = np.einsum("scx,nx->nsc", psi, world.rewards)
    answers = Answers(psi, values, (1.0 + error) * named[name])
    answers = jax.tree.map(lambda array: jnp.asarray(array, jnp.float32), answers)
    return measures.measured(on_device(world), answers, target, "walk")


@pytest.mark.parametrize(("name", "n_choices"), [("walk", 4), ("choices", 12)])
def test_goals_reached_are_those_of_the_library(maze, name, n_choices):
    mdp, world = maze
    found = of_exact(world, name, n_choices, "choices" if n_choices > 4 else "behaviour")
    options = hsr.eigenoptions(mdp, n_options=8)
    model = hsr.option_model(mdp, options)
    psi = hsr.representation.successor_of_choices(model, getattr(world, name))
    for choices, key in ((model, "by_options"), (hsr.option_model(mdp, None), "by_actions")):
        wanted = psi[:, : choices.n_choices, world.goals].astype(np.float32)
        reach = hsr.reach_goals(choices, wanted, goals=world.goals)
        assert found[key] == pytest.approx(reach.reached, abs=0.02)  # ties in single precision


def test_errors_and_calibration_of_a_map_that_is_a_tenth_too_large(maze):
    found = of_exact(maze[1], "walk", 4, "behaviour", error=0.1)
    assert found["error"] == pytest.approx(0.1, abs=1e-5)
    assert found["error_on_paths"] == pytest.approx(0.1, abs=1e-5)
    np.testing.assert_allclose(found["calibration"][:4], 1.1, rtol=1e-4)
    assert found["rank"] == 1.0


def test_returns_are_those_of_the_exact_values(maze):
    mdp, world = maze
    device = on_device(world)
    best = measures.followed(device, "best", 4, device.rewards, jnp.ones_like(device.rewards), 0.9)
    P = np.stack([mdp.transition_of(a).toarray() for a in range(4)])
    v = np.zeros((mdp.n_states, len(world.rewards)))
    for _ in range(400):
        v = (P @ (world.rewards.T + 0.9 * v)).max(axis=0)
    np.testing.assert_allclose(best, v.T, atol=1e-4)


def test_own_policies_are_compared_with_their_own_visits():
    """A policy that walks straight to a goal and stays there visits it g^d / (1 - g) times."""
    n = 12
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text(n * "."), discount=0.5)
    world = world_of(mdp, np.zeros((n, 2)), np.zeros((n, 2)), 200, seed=0)
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    scores = jnp.asarray(dense(mdp) @ -distance, jnp.float32)
    for factor in (1.0, 1.2):
        rows = jnp.asarray(factor * 0.5**distance / 0.5, jnp.float32)
        answers = Answers(scores, jnp.zeros((16, n, 4)), rows)
        found = measures.measured(on_device(world), answers, "own", "walk")
        assert found["error"] == pytest.approx(factor - 1.0, abs=1e-5)
        assert found["by_actions"] == 1.0


def dense(mdp):
    return np.stack([mdp.transition_of(a).toarray() for a in range(mdp.n_actions)], axis=1)


def test_stochastic_worlds_are_those_of_their_logs():
    for name, (layout, mdp) in stochastic(13, 0.9).items():
        world = world_of(mdp, layout.xy(), layout.pixels(cell_size=1), 100, seed=0)
        assert (world.chance > 0.0).sum(axis=2).max() > 1, name
        rng = np.random.default_rng(0)
        log = walked(world.after, world.chance, world.behaviour[0], 40_000, rng)
        counts = np.zeros((mdp.n_states, 4, mdp.n_states))
        np.add.at(counts, tuple(log.T), 1.0)
        assert np.abs(counts / counts.sum(axis=2, keepdims=True) - dense(mdp)).max() < 0.25
        M = np.linalg.inv(np.eye(mdp.n_states) - 0.9 * dense(mdp).mean(axis=1))
        np.testing.assert_allclose(world.walk, M, atol=1e-9)


def test_the_laplacian_with_exact_vectors_is_the_exact_map():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n.#..\n...."), discount=0.8)
    world = world_of(mdp, np.zeros((11, 2)), np.zeros((11, 2)), 100, seed=0)
    every = np.argwhere(np.ones((11, 4)))
    steps = np.column_stack([every, world.after[every[:, 0], every[:, 1], 0]])
    world = world._replace(log_walk=np.resize(steps, (440, 3)))
    data = data_of(world, Condition(), laplacian.METHOD, Network(kind="linear"))
    layers = data.layers((laplacian.N_VECTORS,), jax.random.key(0))
    vectors = np.linalg.eigh(world.walk)[1]
    table = np.zeros((laplacian.N_VECTORS, 11))
    table[:10] = vectors[:, ::-1][:, 1:].T  # all but the constant one
    layers = eqx.tree_at(lambda net: net.layers[0].weight, layers, jnp.asarray(table, jnp.float32))
    answers = laplacian.METHOD.answers(
        Lagrangian(layers, None), data, {}, jnp.asarray(world.rewards)
    )
    np.testing.assert_allclose(answers.rows, world.walk, atol=2e-3)  # single precision


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Return the folder of a benchmark of all methods, which was killed once and resumed."""
    kept = folders.Folder(tmp_path_factory.mktemp("known"), TINY)

    def killed(line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.run(kept, METHODS, say=killed)
    assert len(kept.all_finished(METHODS)) == 1
    lines = []
    assert runs.run(kept, METHODS, say=lines.append) == 0
    assert len(lines) == len(METHODS) - 1
    return kept


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_keeps_the_protocol(tiny, method):
    assert method.target in TARGETS
    assert "learning_rate" in method.settings
    (piece,) = tiny.all_finished([method])
    n_settings = folders.grid(method, TINY.most_settings)["learning_rate"].size
    for name in ("by_actions", "returns"):
        values = piece.measures[name]
        assert values.shape == (5, n_settings, 1)
        assert np.isfinite(values).all()
    assert (piece.measures["by_actions"] <= 1.0).all()
    assert (piece.measures["returns"] <= 1.001).all()  # 1 is the best
    if "error" in piece.measures:
        assert (piece.measures["error"] >= 0.0).all()


def test_a_second_run_gives_the_same(tiny, tmp_path):
    again = folders.Folder(tmp_path, TINY)
    method = [one for one in METHODS if one.name == "SR heads"]
    runs.run(again, method)
    for name, values in again.all_finished(method)[0].measures.items():
        np.testing.assert_allclose(values, tiny.all_finished(method)[0].measures[name], rtol=1e-4)


def test_a_folder_of_other_sizes_is_refused(tiny):
    with pytest.raises(hsr.InputError, match="other sizes"):
        folders.Folder(tiny.path, folders.SMALL)


def test_settings_come_from_other_mazes():
    score = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.1], [0.1, 0.6], [0.5, 0.5]])
    # Worlds 0 and 2 learn from 1 and 3, and the other way round; the last one is no maze.
    assert folders.best_elsewhere(score, 4).tolist() == [1, 0, 1, 0, 0]


def test_a_method_of_ones_own(tiny, tmp_path):
    exact = {}
    for world in range(len(tiny.names)):
        n = int(tiny.worlds.exists[world].sum())
        exact[world] = tiny.worlds.walk[world][:n, :n]
    turn = iter(range(len(exact)))

    def my_method(log, options, steps, *, discount, seed, learning_rate):
        assert (discount, steps, log.observe) == (pytest.approx(0.9), 20, None)
        assert options.n_states == log.n_states
        return exact[next(turn)]

    (entry,) = hsr.deep.benchmark(my_method, name="mine", folder=tiny.path, plan=TINY)
    assert max(entry["error"]) < 1e-6
    assert min(entry["by_actions"][:2]) > 0.9
    written = tmp_path / "known.json"
    assert hsr.deep.benchmark.collect([tiny.path], written) > len(METHODS)
    names = {one["method"] for one in json.loads(written.read_text(encoding="utf-8"))["entries"]}
    assert names == {one.name for one in METHODS} | {"mine"}


def test_a_map_of_a_wrong_shape_is_refused(tiny):
    def wrong(log, options, steps, **_):
        return np.zeros((3, 5, 3))

    with pytest.raises(hsr.InputError, match=r"must have shape \(S, C, S\)"):
        hsr.deep.benchmark(wrong, name="wrong", folder=tiny.path, plan=TINY)


def test_the_command_names_its_methods():
    command = [sys.executable, "-m", "hsr.deep.benchmark", "--methods", "nobody"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "HSR heads" in ended.stderr
