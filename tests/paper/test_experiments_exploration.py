"""Figures 6 and S6: their runs, their numbers, and planted effects, also under the controls."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hsr import InputError
from hsr.paper.exploring import (
    EXPLORING_CONTROLS,
    ExploringCondition,
    ExploringOptions,
    MazeSetting,
)
from hsr.paper.exploring.run import START, coverage_at, goal_of, maze_of, run, times_of
from hsr.paper.exploring.setting import BonusSetting, ExploringAgent
from hsr.paper.setting import changed
from hsr.paper.stats import paired_t, two_sample_t
from hsr.paper.store import Record, ResultTable
from tests.paper.experiment_runs import (
    conditions,
    draw,
    evidence,
    module,
    numbers,
    preset,
    table,
    tiny,
    words,
    words_by_control,
)

SEEDS = 10
PAIRED, ZERO, NO_SQUARES = EXPLORING_CONTROLS
SHORT = ExploringCondition(maze=MazeSetting(size=11), steps=500, points=10)
NAMES = ("exploration", "exploration_online")
FIGURE_6 = ("explore-coverage", "explore-goal", "explore-scaling")
FIGURE_S6 = "explore-online-options"
each = pytest.mark.parametrize("name", NAMES)


def agents_of(name):
    return import_module(f"hsr.paper.experiments.{name}").AGENTS


@each
def test_records_are_those_of_the_conditions(name):
    found, runs = conditions(name, tiny(name)), table(name, tiny(name))
    assert runs.experiment == name
    assert len(runs) == 2 * len(found)
    assert len(runs.settings) == len(found)
    for record in runs:
        a = record.arrays
        assert a["times"][-1] == 400
        assert len(a["times"]) == len(a["coverage"]) == 20
        assert (np.diff(a["coverage"]) >= 0).all()
        assert 0 < a["coverage"][0] <= a["coverage"][-1] <= 1
        has_goal = record.setting["goal"] == "random"
        assert (a["goals"] > 0) == (a["goal_time"] >= 0)
        assert has_goal or a["goal_time"] == -1


@each
def test_numbers_have_their_shapes(name):
    own = numbers(name)[""]
    for agent, x in own.final.items():
        assert x.shape == (2, 2)
        assert own.final_intervals[agent].estimate.shape == (2,)
    assert list(own.coverage) == list(agents_of(name))
    if name == "exploration":
        for agent in agents_of(name):
            assert own.coverage[agent].shape == own.found[agent].shape == (2, 20)
            assert own.area[agent].shape == own.goal_time[agent].shape == (2,)
        assert all(x.shape == (2,) for x in own.slope.values())
        for share in own.share_found.values():
            assert 0 <= share.low <= share.estimate <= share.high <= 1
    else:
        assert all(x.shape == (2, 2, 20) for x in own.coverage.values())
        df = {agent: found.interaction.df for agent, found in own.anova.items()}
        assert df == {"HSR-SPIE": 1, "HSR-SPIE online": 1}


@each
def test_evidence_is_of_the_test_that_is_asked_for(name):
    for control, of_control in numbers(name).items():
        found = evidence(name, of_control)
        assert {one.predicted for one in found} == {1}
        test = "paired t" if control == PAIRED else "two-sample t"
        assert {one.comparison.test for one in found} == {test}


@each
def test_controls_run_only_agents_whom_they_change(name):
    """Pairs change no run at all, and the other controls SPIE agents only."""
    usual = conditions(name, tiny(name))
    spie = {agent for agent in agents_of(name) if "SPIE" in agent}
    for control, changes in EXPLORING_CONTROLS.items():
        found = conditions(name, changed(tiny(name), changes))
        differ = {key.agent for key, condition in found.items() if condition != usual[key]}
        assert differ == (set() if control == PAIRED else spie)


def test_the_paper_s_analyses_of_variance_are_written_into_the_figure():
    found, _ = _planted("exploration_online", {"HSR-SPIE": 0.7}, {"SR-SPIE": 0.005})
    figure = draw("exploration_online", {"": found})
    said = "\n".join(text.get_text() for ax in figure.axes for text in ax.texts)
    for name in ("HSR-SPIE", "HSR-SPIE online"):
        for term in (found.anova[name].interaction, found.anova[name].a):
            test = f"F({term.df}, 90) = {term.statistic:.2f}, p = {term.p:.2g}"
            assert f"{name} and SR-SPIE: {test}" in said


@each
@pytest.mark.parametrize(
    "change",
    [{"step": 3}, {"maze.sise": 3}, {"agent.initial_map": "one"}, {"options.kind": "magic"}],
)
def test_unknown_keys_and_values_are_refused(name, change):
    with pytest.raises(InputError):
        changed(preset(name), change)


def test_the_paper_presets_are_the_papers():
    six, s6 = (preset(name) for name in NAMES)
    for one in (six, s6):
        assert (one.agent, one.maze) == (ExploringAgent(), MazeSetting())
        assert (one.seeds, one.bonus_weight) == (10, 1.0)
        numbers_of_both = (one.maze.discount, one.agent.learning_rate, one.options.n_options)
        assert numbers_of_both == (0.99, 0.01, 8)
    assert (six.steps, s6.steps, six.goal_bonus_weight) == (100_000, 10_000, 0.01)


def test_the_grid_of_twelve_has_eight_different_agents():
    """Without options both maps are one; without a bonus no map matters. With both, they differ."""
    none = ExploringOptions(kind="none")
    for bonus in ("none", "norm", "spie"):
        _assert_same(_both_maps(SHORT.model_copy(update={"options": none}), bonus))
    _assert_same(_both_maps(SHORT, "none"))
    sr, hsr = _both_maps(SHORT, "spie")
    assert (sr["choice_use"] != hsr["choice_use"]).any()


@each
def test_only_spie_begins_at_zero(name):
    """From zero the norm bonus would be infinite, and without a bonus no map matters."""
    found = conditions(name, preset(name, "smoke", **{"agent.initial_map": "zero"}))
    assert {(one.bonus.kind, one.agent.initial_map) for one in found.values()} == {
        ("none", "identity"), ("norm", "identity"), ("spie", "zero"),
    }  # fmt: skip


@each
def test_readings_reach_every_condition(name):
    changes = {"spie": "spie_l1", "bonus_per": "choice", "maze.mazes": "one"}
    found = conditions(name, preset(name, "smoke", **changes)).values()
    assert {one.bonus.kind for one in found} <= {"none", "norm", "spie_l1"}
    assert {(one.bonus.per, one.maze.mazes) for one in found} == {("choice", "one")}


def test_each_seed_has_its_maze_unless_there_is_one():
    per_seed, one = MazeSetting(size=11), MazeSetting(size=11, mazes="one", seed=5)
    assert maze_of(per_seed, 5)[0] == maze_of(one, 0)[0] == maze_of(one, 1)[0]
    assert maze_of(per_seed, 0)[0] != maze_of(per_seed, 1)[0]


def test_a_seed_does_not_depend_on_the_others():
    together, alone = (run(SHORT.data(), seeds, "exploration") for seeds in ([0, 1, 2], [2]))
    assert list(together)[2].digest() == next(alone).digest()


def test_goals_are_far_and_differ():
    layouts = [maze_of(MazeSetting(), seed)[0] for seed in range(6)]
    goals = [goal_of(layout, seed, 0.5) for seed, layout in enumerate(layouts)]
    for layout, goal in zip(layouts, goals, strict=True):
        distances = layout.distances_from(START)
        assert 2 * distances[goal] >= distances.max()
    assert len({goal_of(layouts[0], seed, 0.5) for seed in range(6)}) > 1
    assert goal_of(layouts[0], 0, 0.0) != START


def test_coverage_counts_what_was_seen_by_then():
    times = times_of(10, 4)
    assert_array_equal(times, [3, 5, 8, 10])
    assert_allclose(coverage_at(times, np.array([0, 2, 4, -1, 10])), [0.4, 0.6, 0.6, 0.8])
    assert_array_equal(times_of(3, 200), [1, 2, 3])


# records whose effects are known


def levels(*of_agents):
    return dict(zip(("SR-norm", "SR-SPIE", "HSR-norm", "HSR-SPIE"), of_agents, strict=True))


BOTH_HSR = {"HSR-SPIE online": 0.7, "HSR-SPIE": 0.7}


@pytest.mark.parametrize(
    ("level", "falls", "word"),
    [
        (levels(0.2, 0.4, 0.6, 0.8), {"SR-SPIE": 0.01}, "reproduced"),
        (levels(0.8, 0.6, 0.4, 0.2), {"HSR-SPIE": 0.01}, "opposite"),
        ({}, {}, "not reproduced"),
    ],
)
def test_planted_effects_of_figure_6_are_found_with_their_sign(level, falls, word):
    found, _ = _planted("exploration", level, falls)
    assert words("exploration", found) == dict.fromkeys(FIGURE_6, word)


@pytest.mark.parametrize(("level", "word"), [(BOTH_HSR, "reproduced"), ({}, "not reproduced")])
def test_the_planted_effect_of_figure_s6_is_found(level, word):
    found, _ = _planted("exploration_online", level, {})
    assert words("exploration_online", found) == {FIGURE_S6: word}


def test_one_missing_part_of_a_claim_is_not_enough():
    found, _ = _planted("exploration", levels(0.2, 0.4, 0.8, 0.8), {})
    assert words("exploration", found)["explore-coverage"] == "not reproduced"


def test_the_analyses_of_variance_of_figure_s6_find_what_is_planted():
    found, _ = _planted("exploration_online", BOTH_HSR, {"SR-SPIE": 0.005})
    for anova in found.anova.values():
        assert anova.interaction.p < 1e-6
        assert anova.a.p < 1e-6
        assert (anova.interaction.df, anova.residual_df) == (4, 90)


def test_planted_numbers_are_what_was_planted():
    own, setting = _planted("exploration", {"HSR-SPIE": 0.9}, {"SR-SPIE": 0.01})
    assert own.area["HSR-SPIE"].mean() == pytest.approx(0.9, abs=0.02)
    assert own.slope["SR-SPIE"].mean() == pytest.approx(-0.1, abs=0.02)
    assert_array_equal(own.found["HSR-SPIE"][:, -1], 1.0)
    never = np.concatenate([t[t == setting.steps] for t in own.goal_time.values()])
    missed = [round(SEEDS * (1 - share.estimate)) for share in own.share_found.values()]
    assert never.size == sum(missed) > 0


@pytest.mark.parametrize(
    ("name", "claim", "level", "falls"),
    [
        ("exploration", "explore-scaling", {}, {"": {"SR-SPIE": 0.01}, ZERO: {"HSR-SPIE": 0.01}}),
        (
            "exploration_online",
            FIGURE_S6,
            {"": {"HSR-SPIE online": 0.7}, ZERO: {"HSR-SPIE online": 0.3}},
            {},
        ),
    ],
)
def test_what_is_planted_under_a_control_is_judged_there_alone(tmp_path, name, claim, level, falls):
    """In the ledger SR-SPIE is behind, from zero HSR-SPIE, and without squares neither."""

    def records_of(control, variant):
        return _records(name, variant, level.get(control, {}), falls.get(control, {}))

    setting = preset(name, points=5, sizes=(21, 41, 61))
    found = words_by_control(tmp_path, name, setting, records_of)
    expected = {
        "": "reproduced", PAIRED: "reproduced", ZERO: "opposite", NO_SQUARES: "not reproduced",
    }  # fmt: skip
    assert {control: word for (control, of), word in found.items() if of == claim} == expected


@each
def test_pairs_take_out_what_mazes_have_in_common(name):
    """Mazes differ by much more than agents do: only the test of pairs finds what was planted."""
    level = {"SR-SPIE": 0.5, "HSR-SPIE": 0.55, "HSR-SPIE online": 0.55}
    claim = FIGURE_S6 if name == "exploration_online" else FIGURE_6[0]
    found = {}
    for test in ("two_sample_t", "paired_t"):
        planted, _ = _planted(name, level, {}, by_maze=0.15, test=test)
        found[test] = next(one for one in evidence(name, planted) if one.claim == claim).comparison
    two, pairs = found.values()
    assert two.p > 0.2
    assert pairs.p < 1e-3
    assert pairs.difference == pytest.approx(two.difference, rel=1e-12)  # rounding
    assert pairs.difference == pytest.approx(0.05, abs=0.015)  # three standard errors


def test_the_tests_are_those_of_stats():
    x, y = np.random.default_rng(0).normal(size=(2, 10))
    tests = module("exploration", "analysis").TESTS
    assert tests["two_sample_t"](x, y) == two_sample_t(x, y)
    assert tests["paired_t"](x, y) == paired_t(x, y)


def _planted(name, level, falls, by_maze=0.0, **changes):
    """Return the numbers of made-up runs, and their setting."""
    setting = preset(name, points=5, **changes)
    made_up = ResultTable(_records(name, setting, level, falls, by_maze))
    return module(name, "analysis").analyse(made_up, setting), setting


def _records(name, setting, level, falls, by_maze=0.0):
    """Return made-up runs: coverage at a level by agent (0.5) that falls with the size.

    The goal is found after (1 - level) of all steps. Where something is planted, agents at 0.5 or
    less miss it in one seed. by_maze: how much mazes differ, for all agents alike.
    """
    rng, records = np.random.default_rng(3), []
    of_maze = by_maze * np.random.default_rng(4).normal(size=SEEDS)
    times = times_of(setting.steps, setting.points)
    for key, condition in conditions(name, setting).items():
        mean = level.get(key.agent, 0.5)
        for seed in range(SEEDS):
            noise = rng.normal(0, 0.01)
            fall = falls.get(key.agent, 0.0) * (key.size - 21)
            missed = mean <= 0.5 and level and seed == 0
            arrays = {
                "times": times,
                "coverage": np.full(len(times), mean - fall + noise + of_maze[seed]),
                "goal_time": np.array(-1 if missed else round((1 - mean + noise) * setting.steps)),
            }
            records.append(Record(name, condition.data(), seed, arrays))
    return records


def _both_maps(condition, bonus):
    both = [
        condition.model_copy(update={"bonus": BonusSetting(kind=bonus, on=on)})
        for on in ("sr", "hsr")
    ]
    return [next(run(one.data(), [1], "exploration")).arrays for one in both]


def _assert_same(two):
    one, other = two
    for name, array in one.items():
        assert_array_equal(array, other[name])
