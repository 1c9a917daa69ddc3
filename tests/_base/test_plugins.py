"""Plugins: found by name, refused with a reason; options and representations worth as much as those
that are built in.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import hsr
from hsr._base.plugins import Plugin, installed
from hsr.paper import catalogue
from hsr.paper.engine import run
from hsr.paper.runner import jobs_of
from hsr.paper.setting import changed
from hsr.paper.store import Store
from hsr.paper.transfer import TransferCondition
from tests.plugin_parts import (
    BONUSES,
    ENGINES,
    OPTIONS,
    REPRESENTATIONS,
    python,
    refusal,
)


@pytest.fixture
def mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("#####\n#...#\n#.#.#\n#...#\n#####"), discount=0.9)


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
    assert [plugin.version for plugin in installed() if plugin.distribution == "test-plugins"] == [
        "2.0"
    ]


def test_importing_hsr_looks_for_no_plugin():
    code = (
        "import hsr, sys; print('hsr._base.plugins' in sys.modules, 'importlib.metadata' in "
        "sys.modules)"
    )
    assert python("-S", "-c", code).split() == ["False", "False"]


def test_nothing_is_imported_before_it_is_used(plug):
    plug({OPTIONS: {"broken": "f"}}, "raise RuntimeError('imported')")
    hsr.plugins()
    assert "imported" in refusal(
        lambda: hsr.make_options(hsr.grid_mdp(hsr.load_layout("corridor")), "broken")
    )


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


BUILT_IN = {OPTIONS: "eigen", REPRESENTATIONS: "rw_sr", BONUSES: "spie", ENGINES: "local"}


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
    assert f"did you mean {BUILT_IN[group]!r}?" in refusal(
        lambda: by_name(group, BUILT_IN[group] + "x", mdp)
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (
            "import a_module_that_is_not_there",
            "ModuleNotFoundError: No module named 'a_module_that_is_not_there'",
        ),
        ("", "AttributeError"),
        ("import sys\nsys.exit(0)", "cannot be imported: SystemExit: 0"),
        ("f = 3", "is of type int; it must be a"),
        (
            "def f(only):\n    raise RuntimeError('called')",
            "cannot be called: too many positional arguments; it takes (only)",
        ),
    ],
)
def test_a_plugin_that_does_not_work_is_named_with_the_reason(group, plug, mdp, source, reason):
    plug({group: {"broken": "f"}}, source, name="my-broken", version="0.2")
    said = refusal(lambda: by_name(group, "broken", mdp))
    for part in ("'broken'", "from my-broken 0.2", reason):
        assert part in said


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


def test_a_function_that_does_not_tell_what_it_takes_is_refused(plug, mdp):
    plug({OPTIONS: {"wild": "max"}}, "from builtins import max")
    assert "it must be a Python function" in refusal(lambda: hsr.make_options(mdp, "wild"))


def test_a_list_of_entry_points_that_cannot_be_read_is_named(plug, tmp_path):
    plug({OPTIONS: {"wild": "f"}}, name="hsr-garbled")
    (listed,) = tmp_path.glob("*/hsr_garbled-1.0.dist-info/entry_points.txt")
    listed.write_text("[hsr.options]\nno equals sign here\n", encoding="utf-8")
    assert "the entry points of hsr-garbled cannot be read" in refusal(hsr.plugins)


# Options.


CORNERS = """
import hsr
def corners(mdp, n_options, first=0):
    return hsr.point_options(mdp, [first, 7, 2][:n_options])
"""


def test_options_by_name_are_those_of_the_function(plug, mdp):
    plug({OPTIONS: {"corners": "corners"}}, CORNERS)
    assert hsr.make_options(mdp, "corners", 2, first=5).names == ("to 5", "to 7")
    assert (
        hsr.make_options(mdp, "eigen", 3, signs="both").names
        == hsr.eigenoptions(mdp, 3, signs="both").names
    )
    covering = hsr.make_options(mdp, "covering", 4, initiation="everywhere")
    assert (
        covering.initiation.tolist()
        == hsr.covering_options(mdp, 4, initiation="everywhere").initiation.tolist()
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(mdp, n_options): return {}", "returned options that do not fit: options is dict"),
        (
            "import hsr\ndef f(mdp, n_options): return hsr.point_options(mdp, [0])",
            "returned 1 options; 2 were requested",
        ),
        (
            "import hsr\ndef f(mdp, n_options): return hsr.OptionSet([[0] * 3] * 2, [[1] * 3] * 2)",
            "the options are for 3 states; this MDP has 8",
        ),
        ("def f(mdp, n_options, *, must): return None", "argument: 'must'"),
    ],
)
def test_what_are_no_options_of_this_world_is_refused(plug, mdp, source, said):
    plug({OPTIONS: {"wrong": "f"}}, source)
    assert said in refusal(lambda: hsr.make_options(mdp, "wrong", 2))


def test_bad_arguments_of_make_options_are_refused(mdp):
    assert "unexpected keyword argument 'colour'" in refusal(
        lambda: hsr.make_options(mdp, "eigen", colour=1)
    )
    assert "mdp is of type int" in refusal(lambda: hsr.make_options(3, "eigen"))
    assert "n_options is 0" in refusal(lambda: hsr.make_options(mdp, "eigen", 0))
    assert "kind is 3" in refusal(lambda: hsr.make_options(mdp, 3))


# Options in experiments: which version a result belongs to.


def test_a_setting_names_the_version_of_its_plugin(plug):
    plug({OPTIONS: {"corners": "corners"}}, CORNERS, name="my-corners", version="1.0")
    pinned = "corners@my-corners==1.0"
    for kind in ("corners", pinned):
        read = changed(TransferCondition(), {"options.kind": kind, "options.n_options": 3})
        assert read.options.kind == pinned
        built = TransferCondition(options=hsr.OptionSpec(kind, 3, signs="random"))
        assert built.data() == read.data()
    assert TransferCondition().data()["options"]["kind"] == "eigen"
    _, mdp = read.world.build()
    assert read.options.build(mdp).names == ("to 0", "to 7", "to 2")


def test_runs_of_two_versions_are_two_runs(tmp_path, plug):
    experiment = catalogue.find("basis_transfer")

    def settings():
        corners = {"options.kind": "corners", "options.n_options": 3}
        jobs = jobs_of(experiment, experiment.setting("smoke", corners))
        return {job.setting["options"]["kind"] for job in jobs}

    plug({OPTIONS: {"corners": "corners"}}, CORNERS, name="my-corners", version="1.0")
    assert settings() == {"corners@my-corners==1.0"}
    plug({OPTIONS: {"corners": "corners"}}, CORNERS, name="my-corners", version="1.1")
    assert settings() == {"corners@my-corners==1.1"}
    with pytest.raises(
        ValueError, match=r"here 'corners' is my-corners 1.1; results of two versions are not mixed"
    ):
        changed(TransferCondition(), {"options.kind": "corners@my-corners==1.0"})
    with pytest.raises(ValueError, match="here 'eigen' is built in"):
        changed(TransferCondition(), {"options.kind": "eigen@my-corners==1.0"})


def test_a_setting_without_its_plugin_is_refused_in_one_sentence(plug):
    plug({OPTIONS: {"Corners": "corners"}}, CORNERS, name="my-corners", version="1.0")
    experiment = catalogue.find("basis_transfer")
    said = refusal(lambda: experiment.setting("smoke", {"options.kind": "corners"}))
    assert said == (
        "options.kind is 'corners'; input should be 'eigen', 'covering', 'random', "
        "'successor', 'betweenness', 'diffusion', 'none', "
        "'online'; or a plugin: 'Corners' "
        "(from my-corners 1.0); did you mean 'Corners'?"
    )


# Representations.


def test_representations_by_name(plug, mdp):
    options = hsr.eigenoptions(mdp, 2)
    plug(
        {REPRESENTATIONS: {"half": "f"}},
        "import numpy as np\ndef f(mdp, options): return 0.5 * np.eye(mdp.n_states)[:, :3]",
    )
    half = hsr.make_representation(mdp, "half")
    assert half.tolist() == (0.5 * np.eye(8)[:, :3]).tolist()
    assert not half.flags.writeable
    goals = hsr.goal_tasks(mdp)
    assert (
        hsr.make_representation(mdp, "rw_sr").toarray()
        == hsr.successor_representation(mdp).toarray()
    ).all()
    assert (
        hsr.make_representation(mdp, "esr").toarray() == hsr.expected_sr(mdp, goals).toarray()
    ).all()
    expected = hsr.expected_hsr(mdp, options, goals).toarray()
    assert (hsr.make_representation(mdp, "ehsr", options).toarray() == expected).all()


def test_the_hierarchical_map_by_name_is_that_of_a_uniform_choice(mdp):
    """By its definition, M = B + G M, with every available choice as likely as any other."""
    options = hsr.eigenoptions(mdp, 2)
    model = hsr.option_model(mdp, options)
    share = model.available / model.available.sum(axis=0)
    B, G = np.zeros((8, 8)), np.zeros((8, 8))
    for choice in range(len(share)):
        B += share[choice][:, None] * model.occupancy(choice).toarray()
        G += share[choice][:, None] * model.stopping(choice).toarray()
    M = hsr.make_representation(mdp, "rw_hsr", options).toarray()
    np.testing.assert_allclose(M, np.linalg.solve(np.eye(8) - G, B), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(M.sum(axis=1), 10.0, rtol=1e-12)


@pytest.mark.parametrize("kind", ["rw_hsr", "ehsr"])
def test_a_hierarchical_map_needs_options(mdp, kind):
    assert f"kind is '{kind}' and options is None" in refusal(
        lambda: hsr.make_representation(mdp, kind)
    )
    assert "options is int" in refusal(lambda: hsr.make_representation(mdp, kind, 3))
    assert "mdp is of type str" in refusal(lambda: hsr.make_representation("rooms", kind))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return np.eye(3)", r"has shape (3, 3); it must have shape (8, any)"),
        ("return np.full((8, 2), np.nan)", "every entry must be finite"),
        ("return np.zeros((8, 0))", "at least one feature"),
        ("return 'features'", "cannot be read as numbers"),
        (
            "return hsr.successor_representation(hsr.grid_mdp(hsr.load_layout('corridor')))",
            "returned a map of shape",
        ),
        (
            "return hsr.successor_representation(hsr.FiniteMDP(np.eye(8)[:, None], discount=0.9))",
            "returned a map for another MDP",
        ),
    ],
)
def test_what_is_no_representation_of_this_world_is_refused(plug, mdp, body, said):
    plug(
        {REPRESENTATIONS: {"wrong": "f"}},
        f"import hsr\nimport numpy as np\ndef f(mdp, options):\n    {body}",
    )
    assert said in refusal(lambda: hsr.make_representation(mdp, "wrong"))


def learned(mdp, features, options=None):
    """Return the bytes of the values that an agent learns with features."""
    agent, tasks = hsr.LinearQ(features), [hsr.GoalTask(0, 7)]
    run = hsr.train(mdp, tasks, agent, options, seeds=[0, 1], episodes=3, keep_values=True)
    return run.values.tobytes()


@pytest.mark.parametrize("with_options", [False, True])
def test_features_by_name_are_made_of_the_world_and_the_options(plug, mdp, with_options):
    source = (
        "import numpy as np\ndef f(mdp, options):\n"
        "    return np.eye(mdp.n_states) * (1.0 if options is None else 0.5 + len(options))"
    )
    plug({REPRESENTATIONS: {"scaled": "f"}}, source)
    options = hsr.eigenoptions(mdp, 2) if with_options else None
    given = np.eye(8) * (2.5 if with_options else 1.0)
    assert learned(mdp, "scaled", options) == learned(mdp, given, options)


def test_features_may_be_a_map_that_is_built_in(mdp):
    M = hsr.expected_sr(mdp, hsr.goal_tasks(mdp))
    assert learned(mdp, "esr") == learned(mdp, M)
    pool = hsr.GPI("esr", pretraining=hsr.goal_tasks(mdp))
    assert hsr.train(mdp, [hsr.GoalTask(0, 7)], pool, seeds=[0], episodes=3).terminated[0, 0, -1]
    assert "a hierarchical map needs options" in refusal(
        lambda: hsr.train(mdp, [hsr.GoalTask(0, 7)], hsr.LinearQ("ehsr"), seeds=[0])
    )
