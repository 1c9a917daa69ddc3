"""Plugins: found by name, refused with a reason, and worth as much as what is built in."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hsr
from hsr._base.plugins import Plugin, installed
from hsr.agents import bonuses
from hsr.engine import Job, run
from hsr.experiments import catalogue, conduct
from hsr.experiments.worlds import Options, World, options_of
from hsr.kernels import sarsa
from hsr.results import ResultTable, Store
from tests.oracles.plain_sarsa import explore_plainly
from tests.plugin_parts import ROOT, distribution, install_example
from tests.sarsa_cases import GOAL, agent_of, case, check_same, run_one

OPTIONS, REPRESENTATIONS, BONUSES, ENGINES = "hsr.options", "hsr.representations", "hsr.bonuses", "hsr.engines"


@pytest.fixture
def plug(tmp_path, monkeypatch):
    """Return a function that puts a distribution on the path: plug({group: {name: thing}}, source)."""

    def put(entries, source="", **what):
        folder = tmp_path / f"site{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        distribution(folder, entries, source, **what)
        monkeypatch.syspath_prepend(folder)

    return put


@pytest.fixture
def mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("#####\n#...#\n#.#.#\n#...#\n#####"), discount=0.9)


def refusal(call):
    with pytest.raises(hsr.InputError) as caught:
        call()
    return str(caught.value)


# Finding.


def test_plugins_are_listed_in_one_order(plug):
    before = installed()
    plug({OPTIONS: {"b": "f", "a": "f"}, ENGINES: {"z": "f"}}, name="one", version="2.0")
    plug({OPTIONS: {"a": "f"}}, name="another", version="0.1")
    new = [plugin for plugin in hsr.plugins() if plugin not in before]
    assert new == [
        Plugin(ENGINES, "z", "one", "2.0"),
        Plugin(OPTIONS, "a", "another", "0.1"),
        Plugin(OPTIONS, "a", "one", "2.0"),
        Plugin(OPTIONS, "b", "one", "2.0"),
    ]


def test_of_a_distribution_that_is_there_twice_the_first_on_the_path_counts(plug):
    plug({OPTIONS: {"mine": "f"}}, version="1.0")
    plug({OPTIONS: {"mine": "f"}}, version="2.0")
    assert [plugin.version for plugin in installed() if plugin.distribution == "test-plugins"] == ["2.0"]


def test_importing_hsr_looks_for_no_plugin():
    code = "import hsr, sys; print('hsr._base.plugins' in sys.modules, 'importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=environment())
    assert done.stdout.split() == ["False", "False"]


def test_nothing_is_imported_before_it_is_used(plug):
    plug({OPTIONS: {"broken": "f"}}, "raise RuntimeError('imported')")
    hsr.plugins()
    assert "imported" in refusal(lambda: hsr.make_options(hsr.grid_mdp(hsr.load_layout("corridor")), "broken"))


# Names that are refused.


def by_name(group, name, mdp):
    """Use a name where its group is used."""
    if group == OPTIONS:
        return hsr.make_options(mdp, name, 2)
    if group == REPRESENTATIONS:
        return hsr.make_representation(mdp, name)
    if group == BONUSES:
        return hsr.explore(mdp, hsr.Sarsa(name), seeds=[0], steps=5)
    return run([], Store(Path(os.environ["TMP_STORE"])), engine=name, progress="none")


BUILT_IN = {OPTIONS: "eigen", REPRESENTATIONS: "sr", BONUSES: "spie", ENGINES: "local"}


@pytest.fixture(params=BUILT_IN)
def group(request, tmp_path, monkeypatch):
    monkeypatch.setenv("TMP_STORE", str(tmp_path / "store"))
    return request.param


def test_an_unknown_name_is_answered_with_those_that_there_are(group, plug, mdp):
    plug({group: {"cornerstones": "f"}}, name="my-corners", version="3.1")
    said = refusal(lambda: by_name(group, "cornerstone", mdp))
    for part in (
        "'cornerstone';",
        repr(BUILT_IN[group]),
        "'cornerstones' (from my-corners 3.1)",
        "did you mean 'cornerstones'?",
    ):
        assert part in said
    assert f"did you mean {BUILT_IN[group]!r}?" in refusal(lambda: by_name(group, BUILT_IN[group] + "x", mdp))


def test_a_plugin_that_cannot_be_imported_is_named_with_its_error(group, plug, mdp):
    plug({group: {"broken": "f"}}, "import a_module_that_is_not_there", name="my-broken", version="0.2")
    said = refusal(lambda: by_name(group, "broken", mdp))
    assert "'broken'" in said
    assert "from my-broken 0.2" in said
    assert "ModuleNotFoundError: No module named 'a_module_that_is_not_there'" in said


def test_an_entry_point_to_nothing_is_named(group, plug, mdp):
    plug({group: {"gone": "f"}}, "")
    assert "AttributeError" in refusal(lambda: by_name(group, "gone", mdp))


def test_a_name_that_two_distributions_claim_is_refused(group, plug, mdp):
    plug({group: {"mine": "f"}}, name="first", version="1.0")
    plug({group: {"mine": "f"}}, name="second", version="2.0")
    assert "first 1.0 and second 2.0 claim" in refusal(lambda: by_name(group, "mine", mdp))


def test_a_name_that_is_built_in_cannot_be_taken(group, plug, mdp):
    by_name(group, BUILT_IN[group], mdp)
    plug({group: {BUILT_IN[group]: "f"}}, name="my-shadow", version="1.0")
    said = refusal(lambda: by_name(group, BUILT_IN[group], mdp))
    assert "built in" in said
    assert "from my-shadow 1.0" in said


def test_what_is_no_function_is_refused(group, plug, mdp):
    plug({group: {"thing": "f"}}, "f = 3")
    assert "is of type int; it must be a" in refusal(lambda: by_name(group, "thing", mdp))


def test_a_function_that_takes_other_arguments_is_refused(group, plug, mdp):
    plug({group: {"odd": "f"}}, "def f(only):\n    raise RuntimeError('called')")
    said = refusal(lambda: by_name(group, "odd", mdp))
    assert "cannot be called: too many positional arguments; it takes (only)" in said


def test_a_function_that_does_not_tell_what_it_takes_is_refused(plug, mdp):
    plug({OPTIONS: {"wild": "max"}}, "from builtins import max")
    assert "it must be a Python function" in refusal(lambda: hsr.make_options(mdp, "wild"))


def test_a_list_of_entry_points_that_cannot_be_read_is_named(plug, tmp_path):
    plug({OPTIONS: {"wild": "f"}}, name="hsr-garbled")
    (listed,) = tmp_path.glob("*/hsr_garbled-1.0.dist-info/entry_points.txt")
    listed.write_text("[hsr.options]\nno equals sign here\n", encoding="utf-8")
    assert "the entry points of hsr-garbled cannot be read" in refusal(hsr.plugins)


def test_a_plugin_that_leaves_on_import_is_named(plug, mdp):
    plug({OPTIONS: {"wild": "f"}}, "import sys\nsys.exit(0)")
    assert "cannot be imported: SystemExit: 0" in refusal(lambda: hsr.make_options(mdp, "wild"))


# Options.


CORNERS = """
import hsr
def corners(mdp, n_options, first=0):
    return hsr.point_options(mdp, [first, 7, 2][:n_options])
"""


def test_options_by_name_are_those_of_the_function(plug, mdp):
    plug({OPTIONS: {"corners": "corners"}}, CORNERS)
    assert hsr.make_options(mdp, "corners", 2, first=5).names == ("to 5", "to 7")
    assert hsr.make_options(mdp, "eigen", 3, signs="both").names == hsr.eigenoptions(mdp, 3, signs="both").names
    covering = hsr.make_options(mdp, "covering", 4, initiation="everywhere")
    assert covering.initiation.tolist() == hsr.covering_options(mdp, 4, initiation="everywhere").initiation.tolist()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(mdp, n_options): return {}", "gave what does not fit: options is dict"),
        ("import hsr\ndef f(mdp, n_options): return hsr.point_options(mdp, [0])", "gave 1 options; 2 were asked for"),
        (
            "import hsr\ndef f(mdp, n_options): return hsr.OptionSet([[0] * 3] * 2, [[1] * 3] * 2)",
            "the options are for 3 states; this MDP has 8",
        ),
        ("def f(mdp, n_options, *, must): return None", "missing a required argument: 'must'"),
    ],
)
def test_what_are_no_options_of_this_world_is_refused(plug, mdp, source, said):
    plug({OPTIONS: {"wrong": "f"}}, source)
    assert said in refusal(lambda: hsr.make_options(mdp, "wrong", 2))


def test_bad_arguments_of_make_options_are_refused(mdp):
    assert "unexpected keyword argument 'colour'" in refusal(lambda: hsr.make_options(mdp, "eigen", colour=1))
    assert "mdp is of type int" in refusal(lambda: hsr.make_options(3, "eigen"))
    assert "n_options is 0" in refusal(lambda: hsr.make_options(mdp, "eigen", 0))
    assert "kind is 3" in refusal(lambda: hsr.make_options(mdp, 3))


# Options in experiments: which version a result belongs to.


def test_a_setting_names_the_version_of_its_plugin(plug):
    plug({OPTIONS: {"corners": "corners"}}, CORNERS, name="my-corners", version="1.0")
    assert Options(kind="corners").kind == "corners@my-corners==1.0"
    assert Options(kind="corners@my-corners==1.0") == Options(kind="corners")
    assert Options().model_dump()["kind"] == "eigen"
    found = options_of(World(), Options(kind="corners", n_options=3))
    assert found.names == ("to 0", "to 7", "to 2")


def test_runs_of_two_versions_are_two_runs(tmp_path, plug):
    experiment = catalogue.find("basis_transfer")

    def settings():
        jobs = conduct.jobs_of(experiment, experiment.setting("smoke", {"options.kind": "corners"}))
        return {job.setting["options"]["kind"] for job in jobs}

    plug({OPTIONS: {"corners": "corners"}}, CORNERS, name="my-corners", version="1.0")
    assert settings() == {"corners@my-corners==1.0"}
    plug({OPTIONS: {"corners": "corners"}}, CORNERS, name="my-corners", version="1.1")
    assert settings() == {"corners@my-corners==1.1"}
    with pytest.raises(ValueError, match=r"here 'corners' is my-corners 1.1; results of two versions are not mixed"):
        Options(kind="corners@my-corners==1.0")
    with pytest.raises(ValueError, match="here 'eigen' is built in"):
        Options(kind="eigen@my-corners==1.0")


def test_a_setting_without_its_plugin_is_refused_in_one_sentence(plug):
    plug({OPTIONS: {"Corners": "corners"}}, CORNERS, name="my-corners", version="1.0")
    experiment = catalogue.find("basis_transfer")
    said = refusal(lambda: experiment.setting("smoke", {"options.kind": "corners"}))
    assert said == (
        "options.kind is 'corners'; input should be 'none', 'eigen', 'covering', 'random', 'online'; or a plugin: 'Corners' "
        "(from my-corners 1.0); did you mean 'Corners'?"
    )


# Representations.


def test_representations_by_name(plug, mdp):
    options = hsr.eigenoptions(mdp, 2)
    plug({REPRESENTATIONS: {"half": "f"}}, "import numpy as np\ndef f(mdp, options): return 0.5 * np.eye(mdp.n_states)[:, :3]")
    half = hsr.make_representation(mdp, "half")
    assert half.tolist() == (0.5 * np.eye(8)[:, :3]).tolist()
    assert not half.flags.writeable
    goals = hsr.every_goal(mdp)
    assert (hsr.make_representation(mdp, "sr").toarray() == hsr.successor_representation(mdp).toarray()).all()
    assert (hsr.make_representation(mdp, "expected_sr").toarray() == hsr.expected_sr(mdp, goals).toarray()).all()
    expected = hsr.expected_hsr(mdp, options, goals).toarray()
    assert (hsr.make_representation(mdp, "expected_hsr", options).toarray() == expected).all()


def test_the_hierarchical_map_by_name_is_that_of_a_uniform_choice(mdp):
    """By its definition, M = B + G M, with every available choice as likely as any other."""
    options = hsr.eigenoptions(mdp, 2)
    model = hsr.option_model(mdp, options)
    share = model.available / model.available.sum(axis=0)
    B, G = np.zeros((8, 8)), np.zeros((8, 8))
    for choice in range(len(share)):
        B += share[choice][:, None] * model.occupancy(choice).toarray()
        G += share[choice][:, None] * model.stopping(choice).toarray()
    M = hsr.make_representation(mdp, "hsr", options).toarray()
    np.testing.assert_allclose(M, np.linalg.solve(np.eye(8) - G, B), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(M.sum(axis=1), 10.0, rtol=1e-12)


@pytest.mark.parametrize("kind", ["hsr", "expected_hsr"])
def test_a_hierarchical_map_needs_options(mdp, kind):
    assert f"kind is '{kind}' and options is None" in refusal(lambda: hsr.make_representation(mdp, kind))
    assert "options is int" in refusal(lambda: hsr.make_representation(mdp, kind, 3))
    assert "mdp is of type str" in refusal(lambda: hsr.make_representation("rooms", kind))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return np.eye(3)", r"has shape (3, 3); it must have shape (8, any)"),
        ("return np.full((8, 2), np.nan)", "every entry must be finite"),
        ("return np.zeros((8, 0))", "at least one feature"),
        ("return 'features'", "cannot be read as numbers"),
        ("return hsr.successor_representation(hsr.grid_mdp(hsr.load_layout('corridor')))", "gave a map of shape"),
        ("return hsr.successor_representation(hsr.FiniteMDP(np.eye(8)[:, None], discount=0.9))", "gave a map for another MDP"),
    ],
)
def test_what_is_no_representation_of_this_world_is_refused(plug, mdp, body, said):
    plug({REPRESENTATIONS: {"wrong": "f"}}, f"import hsr\nimport numpy as np\ndef f(mdp, options):\n    {body}")
    assert said in refusal(lambda: hsr.make_representation(mdp, "wrong"))


@pytest.mark.parametrize("with_options", [False, True])
def test_features_by_name_are_made_of_the_world_and_the_options(plug, mdp, with_options):
    source = (
        "import numpy as np\ndef f(mdp, options):\n"
        "    return np.eye(mdp.n_states) * (1.0 if options is None else 0.5 + len(options))"
    )
    plug({REPRESENTATIONS: {"scaled": "f"}}, source)
    options = hsr.eigenoptions(mdp, 2) if with_options else None
    named, given = (
        hsr.train(mdp, [hsr.GoalTask(0, 7)], agent, options, seeds=[0, 1], episodes=3, keep_values=True).values
        for agent in (hsr.LinearQ("scaled"), hsr.LinearQ(np.eye(8) * (2.5 if with_options else 1.0)))
    )
    assert named.tobytes() == given.tobytes()


def test_features_may_be_a_map_that_is_built_in(mdp):
    M = hsr.expected_sr(mdp, hsr.every_goal(mdp))
    named, given = (
        hsr.train(mdp, [hsr.GoalTask(0, 7)], hsr.LinearQ(features), seeds=[0], episodes=3, keep_values=True).values
        for features in ("expected_sr", M)
    )
    assert named.tobytes() == given.tobytes()
    pool = hsr.GPI("expected_sr", pretraining=hsr.every_goal(mdp))
    assert hsr.train(mdp, [hsr.GoalTask(0, 7)], pool, seeds=[0], episodes=3).terminated[0, 0, -1]
    assert "a hierarchical map needs options" in refusal(
        lambda: hsr.train(mdp, [hsr.GoalTask(0, 7)], hsr.LinearQ("expected_hsr"), seeds=[0])
    )


# Bonuses.


L1 = """
def l1(M, s, arrived):
    total = 0.0
    for x in range(M.shape[0]):
        total += abs(M[x, arrived])
    return M[s, arrived] - total
"""


@pytest.mark.parametrize(("on", "bonus_per"), [("sr", "step"), ("hsr", "choice"), ("hsr", "step")])
@pytest.mark.parametrize("kind", ["eigen", "fractional"])
def test_a_given_bonus_is_read_where_the_twin_reads_it(plug, kind, on, bonus_per):
    """The formula of SPIE_L1 as a plugin, against the plain twin with the bonus of that name; 13 states fill 16 columns."""
    plug({BONUSES: {"mine": "l1"}}, L1)
    (world, options), how = case(kind), {"bonus_per": bonus_per, "bonus_weight": 0.1}
    task = hsr.GoalTask(start=8, goal=GOAL)
    run = run_one(world, agent_of("mine", on, **how), options, seed=3, steps=800, task=task)
    check_same(run, explore_plainly(world, agent_of("spie_l1", on, **how), options, seed=3, steps=800, start=8, goal=GOAL))


def test_a_given_bonus_sees_the_map_and_nothing_beside_it(plug):
    """With M square and read afresh, the bonus is 1000 s + s' + 10^6 S, whatever the padding: so is the first value."""
    source = "def f(M, s, arrived): return 1000000 * M.shape[0] + 100000000 * M.shape[1] + 1000 * s + arrived"
    plug({BONUSES: {"spy": "f"}}, source)
    world, _ = case("none")
    run = run_one(world, agent_of("spy", "sr", learning_rate=1.0), seed=0, steps=1, start=4)
    walk = run.trajectory
    expected = 13_000_000 + 1_300_000_000 + 1000 * walk.state[0] + walk.arrival[0]
    assert run.values[0, walk.choice[0], 4] == expected


def test_a_given_bonus_has_a_map_to_read_whether_or_not_it_is_kept(plug):
    plug({BONUSES: {"mine": "l1"}}, L1)
    world, options = case("eigen")
    how = {"seeds": [0, 1], "steps": 100, "start": 0, "keep_values": True}
    kept, read = (hsr.explore(world, agent_of("mine"), options, keep_maps=keep, **how) for keep in (True, False))
    assert kept.values.tobytes() == read.values.tobytes()
    assert kept.values.min() < 0


def test_the_kernel_is_compiled_once_for_all_given_bonuses(plug):
    plug({BONUSES: {"one": "one", "two": "two"}}, "def one(M, s, t): return 0.5\ndef two(M, s, t): return -1")
    world, _ = case("none")
    first = run_one(world, agent_of("one"), seed=0, steps=50)
    before = len(sarsa.explore.signatures)
    second = run_one(world, agent_of("two"), seed=0, steps=50)
    assert len(sarsa.explore.signatures) == before
    assert first.values.max() > 0 > second.values.min()
    assert bonuses.given_bonus("one") == bonuses.given_bonus("one")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(M, s, t): return undefined_thing(M)", "cannot be compiled by Numba"),
        ("def f(M, s, t): return None", "cannot be compiled by Numba"),
        ("def f(M, s, t): return 'much'", "cannot be compiled by Numba"),
        ("def f(M, s, t):\n    M[s, t] = 0.0\n    return 1.0", "readonly array"),
        ("class F:\n    def __call__(self, M, s, t): return 1.0\nf = F()", "it must be a plain Python function"),
        ("def f(M, s): return 1.0", "too many positional arguments; it takes (M, s)"),
    ],
)
def test_a_bonus_that_cannot_be_compiled_is_refused_before_the_first_step(plug, mdp, source, said):
    plug({BONUSES: {"bad": "f"}}, source, name="my-bonus", version="0.3")
    agent = hsr.Sarsa("bad")
    text = refusal(lambda: hsr.explore(mdp, agent, seeds=[0], steps=5))
    assert said in text
    assert "from my-bonus 0.3" in text


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\ndef f(M, s, t): return np.nan",
        "def f(M, s, t): return 1.0 / (M[s, t] - M[s, t])",
        "def f(M, s, t):\n    if M[s, t] > -1.0:\n        raise ValueError('no')\n    return 1.0",
    ],
    ids=["not a number", "division by zero", "an error"],
)
def test_a_bonus_that_is_not_finite_ends_its_seed(plug, mdp, source):
    plug({BONUSES: {"wild": "f"}}, source)
    with pytest.warns(hsr.HSRWarning, match="2 of 2 seeds diverged"):
        run = hsr.explore(mdp, hsr.Sarsa("wild", on="sr"), seeds=[0, 1], steps=20, start=0)
    assert run.diverged_at.tolist() == [1, 1]


def test_a_bonus_that_reads_beyond_the_map_ends_its_seed(tmp_path):
    """In a process of its own, which an unchecked index would end."""
    distribution(tmp_path, {BONUSES: {"beyond": "f"}}, "def f(M, s, t): return M[100000, 0]")
    code = (
        "mdp = hsr.grid_mdp(hsr.GridLayout.from_text('...'))\nrun = hsr.explore(mdp, hsr.Sarsa('beyond'), seeds=[0], steps=9)"
    )
    said = python("-W", "ignore", "-c", f"import hsr\n{code}\nprint(*run.status)", folders=[tmp_path])
    assert said.split() == ["diverged"]


# Engines.


HERE = """
from hsr.engine import perform
def run(tasks, store, tally, stop, *, workers):
    for task in tasks:
        perform(task, store, tally, stop)
def lazy(tasks, store, tally, stop, *, workers):
    perform(tasks[0], store, tally, stop)
def stops(tasks, store, tally, stop, *, workers):
    stop.set()
    run(tasks, store, tally, stop, workers=workers)
def breaks(tasks, store, tally, stop, *, workers):
    perform(tasks[0], store, tally, stop)
    raise RuntimeError("out of \\x1b[31mfuel")
def leaves(tasks, store, tally, stop, *, workers):
    perform(tasks[0], store, tally, stop)
    raise SystemExit(0)
"""


def digest(store):
    return ResultTable(store.records()).digest()


def jobs(breaks_at=-1):
    return [Job("tests.plugin_engines:run", "engines", {"rate": rate, "breaks_at": breaks_at}, range(3)) for rate in (0.1, 0.2)]


def test_an_engine_by_name_fills_the_same_store(plug, tmp_path):
    plug({ENGINES: {"here": "run"}}, HERE)
    store = Store(tmp_path / "here")
    done = run(jobs(), store, engine="here", progress="none")
    assert (done.done, done.skipped, done.failed, done.interrupted) == (6, 0, [], False)
    local = Store(tmp_path / "local")
    run(jobs(), local, engine="local", workers=1, progress="none")
    assert digest(store) == digest(local)
    again = run(jobs(), store, engine="here", progress="none")
    assert (again.done, again.skipped) == (0, 6)


def test_work_that_breaks_on_an_engine_of_a_plugin_is_told(plug, tmp_path):
    plug({ENGINES: {"here": "run"}}, HERE)
    store = Store(tmp_path / "store")
    done = run(jobs(breaks_at=1), store, engine="here", progress="none")
    assert [(failure.seeds, "seed 1 breaks" in failure.error) for failure in done.failed] == [((1, 2), True)] * 2
    assert (done.done, len(list(store.keys()))) == (2, 2)


def test_seeds_that_an_engine_forgets_count_as_failed(plug, tmp_path):
    plug({ENGINES: {"lazy": "lazy"}}, HERE)
    done = run(jobs(), Store(tmp_path / "store"), engine="lazy", progress="none")
    assert done.done == 3
    assert [(failure.seeds, failure.error) for failure in done.failed] == [((0, 1, 2), "the engine 'lazy' ended without them")]


@pytest.mark.parametrize(("name", "said"), [("breaks", "RuntimeError: out of"), ("leaves", "SystemExit: 0")])
def test_an_engine_that_breaks_leaves_the_rest_as_failed_and_says_why(plug, tmp_path, name, said):
    plug({ENGINES: {name: name}}, HERE)
    done = run(jobs(), Store(tmp_path / "store"), engine=name, progress="none")
    assert done.done == 3
    assert [(failure.seeds, said in failure.error) for failure in done.failed] == [((0, 1, 2), True)]


def test_an_engine_that_is_stopped_leaves_the_rest_for_later(plug, tmp_path):
    plug({ENGINES: {"stops": "stops"}}, HERE)
    done = run(jobs(), Store(tmp_path / "store"), engine="stops", progress="none")
    assert (done.done, done.failed, done.interrupted) == (2, [], True)


def test_what_is_for_a_cluster_is_refused_elsewhere(plug, tmp_path):
    plug({ENGINES: {"here": "run"}}, HERE)
    store = Store(tmp_path / "store")
    assert "the here engine has none" in refusal(lambda: run([], store, engine="here", scheduler="tcp://127.0.0.1:1"))
    assert "patience is for engine='dask'" in refusal(lambda: run([], store, engine="here", patience=1.0))


# The example package, installed.


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    return install_example(tmp_path_factory.mktemp("example"))


def environment(*folders, **changes):
    """Return the environment of a process that finds packages in these folders, and hsr where this process does."""
    path = os.pathsep.join(map(str, [*folders, Path(hsr.__file__).parents[1]]))
    return {**os.environ, "PYTHONPATH": path, **changes}


def python(*words, folders=(), cwd=None, **changes):
    done = subprocess.run(
        [sys.executable, *map(str, words)], cwd=cwd, env=environment(*folders, **changes), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tests_of_the_example_pass(example):
    copy, site = example
    said = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "tests", folders=[site], cwd=copy)
    assert "9 passed" in said


def test_an_experiment_runs_with_the_example_on_either_engine(example, tmp_path, monkeypatch):
    _, site = example
    small = {"episodes": 2, "horizon": 50, "seeds": 1, "tuning_seeds": 1, "rates": [0.1]}
    changes = {"options.kind": "doorways", "options.n_options": 4, **small}
    words = ["run", "offline_rows", "--engine", "here", "--store", tmp_path / "here", "--set"]
    command = ["-c", "import sys, hsr.cli; sys.exit(hsr.cli.main())", *words, *(f"{k}={v}" for k, v in changes.items())]
    assert "12 runs done, 0 were there, 0 jobs failed" in python(*command, folders=[site])
    monkeypatch.syspath_prepend(site)
    experiment = catalogue.find("offline_rows")
    jobs = conduct.jobs_of(experiment, experiment.setting("smoke", changes))
    local, here = Store(tmp_path / "local"), Store(tmp_path / "here", create=False)
    assert run(jobs, local, engine="local", workers=1, progress="none").done == 12
    assert digest(here) == digest(local)
    assert {entry.setting["options"]["kind"] for entry in here.index().values()} == {"doorways@hsr-plugin-example==0.1.0"}


def bonus_runs():
    """Return what two short runs with the bonus of the example leave."""
    mdp, options = case("eigen")
    runs = [run_one(mdp, agent_of("familiar", on), options, seed=1, steps=300) for on in ("sr", "hsr")]
    return [array for run in runs for array in (run.maps, run.values, run.visits)]


def test_the_bonus_of_the_example_is_the_same_compiled_and_plain(example, tmp_path, monkeypatch):
    _, site = example
    code = (
        "import sys, numpy as np\nfrom hsr.kernels import sarsa\nfrom tests.test_plugins import bonus_runs\n"
        "assert not hasattr(sarsa.explore, 'py_func')\nnp.savez(sys.argv[1], *bonus_runs())\n"
    )
    python("-c", code, tmp_path / "plain.npz", folders=[site, ROOT], NUMBA_DISABLE_JIT="1")
    monkeypatch.syspath_prepend(site)
    compiled = bonus_runs()
    with np.load(tmp_path / "plain.npz") as plain:
        assert len(plain.files) == len(compiled) == 6
        for i, array in enumerate(compiled):
            assert array.tobytes() == plain[f"arr_{i}"].tobytes()
    assert compiled[1].min() < 0
