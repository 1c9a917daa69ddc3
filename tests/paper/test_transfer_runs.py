"""Runs of transfer experiments: which worlds they are in, and that `hsr.train` gives the same."""

from dataclasses import replace

import numpy as np
import pytest

import hsr
from hsr._base.declaration import changed
from hsr.experiments import TUNED, catalogue
from hsr.experiments.engine import Job
from hsr.experiments.runner import WORLDS_OF_A_JOB, jobs_of
from hsr.experiments.stats import relative_change
from hsr.experiments.store import canonical
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import TransferCondition
from hsr.paper.transfer.run import SIZES, run
from hsr.paper.worlds import options_of
from tests.cases import cases, raises
from tests.paper.experiment_runs import conditions, preset, tiny

RANDOM = hsr.agents.OptionSpec(signs="random")
READING = {"update": "primitives", "explore_with": "primitives"}
SHORT = {"episodes": 3, "horizon": 60, "seeds": 2}
NAMES = (
    "online_transfer",
    "online_options",
    "basis_transfer",
    "offline_rows",
    "mazes",
    "option_classes",
    "gpi",
)
each = pytest.mark.parametrize("name", NAMES)


def short(kind="onehot", **changes):
    """Return a condition with little work in it."""
    features = FeatureSetting(kind=kind)
    return changed(TransferCondition(features=features, **SHORT), changes)


def linear_q(features, **changes):
    """Return an agent of the reference reading."""
    return hsr.LinearQ(features, **{**READING, **changes})


def arrays_in(condition, *worlds):
    """Return the arrays of each run."""
    return [run(condition, world) for world in worlds]


def trained(condition, number, agent, *, slip=0.0, **how):
    """Return what `hsr.train` gives in a world of the sample, by the public functions alone."""
    world = hsr.sample_worlds("four_rooms", number + 1, options=RANDOM)[number]
    mdp = hsr.grid_mdp("four_rooms", discount=0.9, slip=slip)
    return trained_in(mdp, world, number, agent, episodes=condition.episodes, **how)


def trained_in(mdp, world, number, agent, **how):
    tasks = [hsr.GoalTask(world.start, goal) for goal in world.goals]
    options = hsr.eigenoptions(mdp, 8, signs=world.signs)
    seeds = range(1000 * number, 1000 * number + 2)
    return hsr.train(mdp, tasks, agent, options, **{**SHORT, **how, "seeds": seeds})


# Runs


@cases(
    ("condition", "agent", "how"),
    {
        "one-hot": (short(), linear_q("onehot"), {}),
        "SR": (short("sr"), linear_q("sr"), {}),
        "HSR": (short("hsr"), linear_q("hsr"), {}),
        "RW-SR": (short("walk_sr"), linear_q("walk_sr"), {}),
        "rate": (
            short("sr", **{"agent.learning_rate": 0.3}),
            linear_q("sr", learning_rate=0.3),
            {},
        ),
        "slip": (short("sr", **{"world.slip": 0.2}), linear_q("sr"), {"slip": 0.2}),
        "until": (short("sr", until=3.3), linear_q("sr"), {"until": 3.3}),
    },
)
def test_a_run_is_what_training_gives_in_the_world_of_its_number(condition, agent, how):
    for number, arrays in zip((0, 2), arrays_in(condition, 0, 2), strict=True):
        expected = trained(condition, number, agent, **how)
        assert set(arrays) == {"steps", "diverged_in"}
        assert arrays["steps"].shape == (2, 2, 3)
        np.testing.assert_array_equal(arrays["steps"], expected.steps)
        np.testing.assert_array_equal(arrays["diverged_in"], expected.diverged_in)


def test_greedy_curves_are_those_of_the_evaluation():
    condition = short(curve="greedy", episodes=4)
    expected = trained(condition, 1, linear_q("onehot"), evaluate="episodes")
    (arrays,) = arrays_in(condition, 1)
    np.testing.assert_array_equal(arrays["steps"], expected.greedy_curve)
    assert (expected.greedy_curve != expected.steps).any()


@pytest.mark.parametrize("pool", [8, None])
def test_policy_improvement_has_the_policies_of_as_many_goals_as_asked_for(pool):
    tasks = hsr.goal_tasks(hsr.grid_mdp("four_rooms", discount=0.9))
    drawn = np.random.default_rng(1).permutation(104)[:pool]
    agent = hsr.GPI(
        "onehot", pretraining=[tasks[k] for k in np.sort(drawn)], reward="known", **READING
    )
    condition = short(gpi="known", pool=pool)
    (arrays,) = arrays_in(condition, 1)
    np.testing.assert_array_equal(arrays["steps"], trained(condition, 1, agent).steps)


def test_a_run_is_the_same_alone_and_among_others_and_in_any_order():
    condition = short("hsr", measure_maps=True)
    together = dict(zip((3, 0, 2), arrays_in(condition, 3, 0, 2), strict=True))
    for world, arrays in together.items():
        (alone,) = arrays_in(condition, world)
        assert set(alone) == set(arrays)
        for name, array in alone.items():
            np.testing.assert_array_equal(array, arrays[name])
    assert (together[3]["steps"] != together[2]["steps"]).any()


def test_more_seeds_continue_those_of_the_same_world():
    few, more = (arrays_in(short(seeds=n), 2)[0]["steps"] for n in (2, 3))
    np.testing.assert_array_equal(more[:2], few)
    assert len(more) == 3


def test_measured_maps_are_those_of_the_training_run():
    condition = short("sr", measure_maps=True)
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    for number, arrays in zip((0, 1), arrays_in(condition, 0, 1), strict=True):
        maps = trained(condition, number, linear_q("sr"), keep_maps=True).maps
        expected = [relative_change(first, last) for first, last in maps]
        np.testing.assert_allclose(arrays["change"], expected, rtol=1e-12)
        goals = hsr.sample_worlds("four_rooms", 2, options=RANDOM)[number].goals
        v = [hsr.optimal_value(mdp, hsr.GoalTask(None, goal)) for goal in goals]
        assert arrays["fits"].shape == (2, 2, len(SIZES))
        for seed, (first, _) in enumerate(maps):
            for k, size in enumerate(SIZES):
                U = np.column_stack([np.linalg.svd(first)[0][:, :size], np.ones(104)])
                for task in range(2):
                    left = v[task] - U @ np.linalg.lstsq(U, v[task], rcond=None)[0]
                    around = v[task] - v[task].mean()
                    r2 = 1.0 - left @ left / (around @ around)
                    assert arrays["fits"][seed, task, k] == pytest.approx(r2, abs=1e-6)
        assert ("maps" in arrays) == (number == 0)  # one picture is enough
    np.testing.assert_array_equal(
        arrays_in(condition, 0)[0]["maps"],
        trained(condition, 0, linear_q("sr"), keep_maps=True).maps[0],
    )


def test_episodes_after_a_divergence_take_the_whole_horizon():
    changes = {"features.of": "rw_sr", "agent.learning_rate": 1.0, "episodes": 8}
    found = arrays_in(short("rows", **changes), *range(3))
    ended = np.stack([arrays["diverged_in"] for arrays in found])
    steps = np.stack([arrays["steps"] for arrays in found])
    assert ended.shape == (3, 2, 2)
    assert (ended >= 0).any()
    for (task, episode), of_run in zip(ended.reshape(6, 2), steps.reshape(6, 2, 8), strict=True):
        if task >= 0:
            assert (of_run.ravel()[8 * task + episode :] == 60).all()


# Worlds


@cases(
    ("changes", "how"),
    {
        "default": ({}, {}),
        "sample": ({"sample": 3}, {"seed": 3}),
        "distances": ({"distances": (6, 12)}, {"distances": (6, 12)}),
        "discount": ({"world.discount": 0.8}, {"discount": 0.8}),
        "no options": ({"drawn_for.kind": "none"}, {"options": hsr.agents.OptionSpec("none")}),
        "policies": ({"drawn_for.policies": "learned"}, {}),
        "both signs": (
            {"drawn_for.signs": "both"},
            {"options": hsr.agents.OptionSpec(signs="both")},
        ),
    },
)
def test_worlds_are_those_of_the_sample_by_their_number(changes, how):
    condition = changed(TransferCondition(), changes)
    expected = hsr.sample_worlds("four_rooms", 280, **{"options": RANDOM, **how})
    for number in (0, 1, 7, 255, 256, 279):
        assert condition.world_number(number) == expected[number]


def test_marked_places_are_those_of_the_layout_in_every_world_and_signs_are_drawn():
    layout, mdp = hsr.load_layout("four_rooms"), hsr.grid_mdp("four_rooms", discount=0.9)
    condition = TransferCondition(places="marked")
    for number in range(6):
        world = condition.world_number(number)
        assert (world.start, world.goals) == (layout.start, tuple(layout.goals))
        assert world.signs == hsr.options.sign_pattern(mdp, 8, "random", seed=number)
        assert condition.options_in(number).signs == world.signs
    fixed = changed(condition, {"drawn_for.signs": "positive", "options.signs": "positive"})
    assert {fixed.world_number(k).signs for k in range(6)} == {"++++++++"}


@pytest.mark.parametrize("n", [2, 4, 8])
@pytest.mark.parametrize("first", ["skipped", "counted"])
def test_fewer_options_have_the_first_signs_of_the_world(n, first):
    changes = {"options.n_options": n, "options.first": first, "drawn_for.first": first}
    condition = changed(TransferCondition(), changes)
    for number in range(5):
        signs = condition.world_number(number).signs
        assert len(signs) == 8 - (first == "counted")
        assert condition.options_in(number).signs == signs[: n - (first == "counted")]


@cases(
    "options",
    {
        "random targets": hsr.agents.OptionSpec("random"),
        "online": hsr.agents.OptionSpec("online"),
        "both": hsr.agents.OptionSpec(n_options=2, signs="both"),
        "pattern": hsr.agents.OptionSpec(n_options=3, signs="+-+"),
    },
)
def test_other_options_stay_and_random_targets_follow_the_world(options):
    found = TransferCondition(options=options, drawn_for=options).options_in(3)
    assert found == replace(options, seed=3 if options.kind == "random" else 0)


@each
def test_agents_of_one_comparison_share_their_worlds(name):
    setting = preset(name)
    by_maze = {}
    for one in conditions(name, setting).values():
        worlds = tuple(one.world_number(k) for k in range(5))
        by_maze.setdefault(one.world.layout, set()).add(worlds)
        if one.options.kind != "eigen":
            continue
        for k, world in enumerate(worlds):
            ends = options_of(one.world, one.options_in(k)).termination > 0.0
            assert not ends[:, list(world.goals)].any()
    assert {len(worlds) for worlds in by_maze.values()} == {1}


def test_random_targets_are_drawn_again_in_every_world():
    condition = conditions("option_classes", preset("option_classes"))["random"]
    specs = [condition.options_in(world) for world in range(3)]
    assert [spec.seed for spec in specs] == [0, 1, 2]
    _, mdp = condition.world.build()
    ends = [tuple(np.flatnonzero(spec.build(mdp).termination.any(axis=0))) for spec in specs]
    assert len(set(ends)) == 3


def test_mazes_differ_in_their_layout_only():
    setting = preset("mazes", **{"world.slip": 0.1})
    found = catalogue.find("mazes").conditions(setting)
    for name, condition in found.items():
        assert name.startswith(f"{condition.world.layout}: ")
        assert condition.world.slip == 0.1
    assert {one.world.layout for one in found.values()} == set(setting.layouts)


# Plans


@each
def test_jobs_of_the_same_worlds_come_one_after_another(name):
    setting = changed(tiny(name), {"worlds": 2 * WORLDS_OF_A_JOB + 1, "first_world": 5})
    experiment = catalogue.find(name)
    jobs = jobs_of(experiment, setting)
    assert all(isinstance(job, Job) and len(job.seeds) <= WORLDS_OF_A_JOB for job in jobs)
    first = [job.seeds[0] for job in jobs]
    assert first == sorted(first)
    # Step sizes are tuned in the world after the last one.
    tuned = {5 + setting.worlds} if TUNED in experiment.variants else set()
    assert set(first) == {5, 5 + WORLDS_OF_A_JOB, 5 + 2 * WORLDS_OF_A_JOB} | tuned
    asked = {
        (canonical(of_run), world)
        for variant in experiment.with_controls(setting).values()
        for of_run, worlds in experiment.runs(variant)
        for world in worlds
    }
    found = [(canonical(job.setting), world) for job in jobs for world in job.seeds]
    assert len(found) == len(set(found))
    assert set(found) == asked


@cases(
    ("name", "changes", "words"),
    {
        "too many": ("online_options", {"worlds": 434}, "434 worlds are asked for; 433 qualify in"),
        "tuning": ("online_options", {"first_world": 433}, "worlds are asked for; 433 qualify in"),
        "too far away": ("online_transfer", {"distances": [50, 60]}, "the largest distance in"),
        "no start": ("online_options", {"distances": [20] * 3}, "no start has different goals at"),
        "no such goal": ("gpi", {"goal": 3}, "goal 3 is to be learned; .* the goals 1 to 2"),
        "layout": ("mazes", {"layouts": ["loop", "line"]}, "layout is 'line'; expected one of"),
    },
)
def test_worlds_that_do_not_exist_are_refused_before_any_run(name, changes, words):
    experiment = catalogue.find(name)
    with raises(words):
        jobs_of(experiment, experiment.setting("smoke", changes))


# Mazes of families


def test_each_world_has_a_maze_of_its_own_with_goals_at_the_papers_distances():
    condition = changed(TransferCondition(), {"mazes": "families"})
    layouts = set()
    for number in range(10):
        layout, mdp = condition.maze(number).build()
        world = condition.world_number(number)
        distance = layout.distances_from(world.start)
        assert [distance[goal] for goal in world.goals] == [10, 18]
        ends = hsr.eigenoptions(mdp, 8, signs=condition.options_in(number).signs).termination > 0.0
        assert not ends[:, list(world.goals)].any()
        layouts.add(layout)
    assert len(layouts) == 10


def test_a_run_in_a_maze_of_a_family_is_what_training_gives_there():
    condition = short("hsr", mazes="families")
    _, mdp = condition.maze(3).build()
    expected = trained_in(mdp, condition.world_number(3), 3, linear_q("hsr"))
    (arrays,) = arrays_in(condition, 3)
    np.testing.assert_array_equal(arrays["steps"], expected.steps)


def test_the_way_of_a_map_begins_at_its_start_and_exact_maps_are_those_of_optimal_plans():
    (arrays,) = arrays_in(short("sr", measure_maps=True), 1)
    maps = trained(short("sr"), 1, linear_q("sr"), keep_maps=True).maps
    for k, (first, last) in enumerate(maps):
        way = np.square(first - np.eye(104)).sum()
        expected = np.square(first - last).sum() / way
        assert arrays["change_over_way"][k] == pytest.approx(expected, rel=1e-9)
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    world = hsr.sample_worlds("four_rooms", 2, options=RANDOM)[1]
    tasks = [hsr.GoalTask(world.start, goal) for goal in world.goals]
    flat = [hsr.expected_sr(mdp, [task]).toarray() for task in tasks]
    assert arrays["exact_change"] == pytest.approx([relative_change(*flat)], rel=1e-9)
    options = hsr.eigenoptions(mdp, 8, signs=world.signs)
    deep = [hsr.expected_hsr(mdp, options, [task]).toarray() for task in tasks]
    (arrays,) = arrays_in(short("hsr", measure_maps=True), 1)
    assert arrays["exact_change"] == pytest.approx([relative_change(*deep)], rel=1e-9)
