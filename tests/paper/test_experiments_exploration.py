"""Figures 6 and S6: their runs, their numbers, and planted effects."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr._base.declaration import changed
from hsr.experiments import catalogue
from hsr.experiments.contrast import evidence_of
from hsr.experiments.ledger import judge
from hsr.experiments.stats import two_way_anova
from hsr.paper.experiments import exploration_online
from hsr.paper.exploring import (
    OPTIONS,
    SPIE_READINGS,
    ExploringCondition,
    Key,
    MazeSetting,
)
from hsr.paper.exploring.run import (
    START,
    coverage_at,
    goal_of,
    goals_of,
    maze_of,
    options_of,
    run,
    start_of,
    times_of,
)
from hsr.paper.exploring.tuning import candidates
from tests.studies.planting import planted

MAZES, SEEDS = 12, 3
SHORT = ExploringCondition(maze=MazeSetting(size=11), steps=500, points=10, seeds=2)
NAMES = ("exploration", "exploration_online")
each = pytest.mark.parametrize("name", NAMES)


def preset(name, **changes):
    return changed(catalogue.find(name).presets["paper"], {"first_world": 0} | changes)


def conditions(name, setting):
    return catalogue.find(name).conditions(setting)


def agents_of(name):
    return {key.agent for key in conditions(name, preset(name))}


@each
def test_readings_run_only_agents_whom_they_change(name):
    usual = conditions(name, preset(name))
    norm, spie = ({one for one in agents_of(name) if word in one} for word in ("norm", "SPIE"))
    of_all = {"as in the authors' SPIE code": norm | spie}
    for reading, changes in {**SPIE_READINGS, "left": {"agent.norm_of": "left"}}.items():
        found = conditions(name, preset(name, **changes))
        expected = norm if reading == "left" else of_all.get(reading, spie)
        assert {key.agent for key, one in found.items() if one != usual[key]} == expected


def test_another_method_runs_only_agents_that_find_their_options_online():
    name, method = "exploration_online", {"options.method": "frontier", "options.refresh": 100}
    usual, found = (conditions(name, one) for one in (preset(name), preset(name, **method)))
    again = {key.agent: one.options for key, one in found.items() if one != usual[key]}
    assert set(again) == {"HSR-SPIE online", "online options alone"}
    for one in again.values():
        assert (one.method, one.refresh) == ("frontier", 100)


def test_without_options_both_maps_are_one_and_without_a_bonus_no_map_matters():
    none = replace(OPTIONS, kind="none")
    for bonus in ("none", "norm", "spie"):
        _assert_same(_both_maps(replace(SHORT, options=none), bonus))
    _assert_same(_both_maps(SHORT, "none"))
    of_sr, of_hsr = _both_maps(replace(SHORT, steps=3000), "spie")
    assert (of_sr["choice_use"] != of_hsr["choice_use"]).any()


def test_the_number_of_a_maze_draws_walls_and_signs():
    """Nine mazes have nine layouts, and options with the signs of their own numbers."""
    setting, options = MazeSetting(size=11), replace(OPTIONS, n_options=4)
    layouts = [maze_of(setting, number)[0] for number in range(9)]
    assert all(layout == hsr.random_maze(11, seed=k) for k, layout in enumerate(layouts))
    assert all(a != b for a, b in combinations(layouts, 2))
    patterns = set()
    for number in range(9):
        _, mdp = maze_of(setting, number)
        pattern = hsr.options.sign_pattern(mdp, 4, "random", seed=number)
        expected = hsr.eigenoptions(mdp, 4, signs=pattern)
        assert_array_equal(options_of(setting, options, number).policy, expected.policy)
        patterns.add(pattern)
    assert len(patterns) > 4
    assert options_of(setting, replace(OPTIONS, kind="online"), 7).seed == 7


def test_mazes_of_several_families_come_in_turn():
    several = MazeSetting(size=11, family="several")
    names = [maze_of(several, number)[0].name.rsplit("_", 2)[0] for number in range(10)]
    assert names[:5] == names[5:]
    assert set(names) == {"four_rooms", "rooms", "fields", "loops", "trees"}


def test_all_seeds_of_a_maze_are_those_of_its_number():
    """A record is one call of `explore`, in the maze of the number, with seeds of its own."""
    arrays = run(SHORT, 3)
    mdp = hsr.grid_mdp(hsr.random_maze(11, seed=3), discount=0.99)
    options = hsr.agents.OptionSpec(signs="random", seed=3).build(mdp)
    found = hsr.explore(mdp, hsr.Sarsa(), options, seeds=[3000, 3001], steps=500, start=START)
    for k in range(2):
        expected = coverage_at(arrays["times"], found.first_visit[k])
        assert_array_equal(arrays["coverage"][k], expected)
    assert_array_equal(arrays["choice_use"], found.choice_use)


GOALS = replace(SHORT, maze=MazeSetting(size=11, start="drawn", goals=5))


def test_random_goals_are_far_from_a_start_that_the_world_draws():
    starts = set()
    for number in range(6):
        layout, _ = maze_of(GOALS.maze, number)
        start, goals = start_of(layout, "drawn", number), goals_of(GOALS, number)
        distances = layout.distances_from(start)
        drawn = [*goals, goal_of(layout, number, 0.5, start)]
        assert (2 * distances[drawn] >= distances.max()).all()
        assert_array_equal(goals, goals_of(GOALS, number))
        starts.add(start)
    assert len(starts) > 3
    assert len({tuple(goals_of(GOALS, number)) for number in range(6)}) == 6


@pytest.mark.parametrize(
    "options",
    [OPTIONS, replace(OPTIONS, kind="online", warm_up=50, refresh=50, method="frontier")],
)
def test_a_goal_is_found_when_an_agent_that_it_pays_enters_it_first(options):
    """What an agent learns does not depend on a goal that it has not entered."""
    condition = replace(GOALS, options=options, steps=2000)
    arrays = run(condition, 3)
    layout, mdp = maze_of(condition.maze, 3)
    start, entries = start_of(layout, "drawn", 3), arrays["goal_entries"]
    assert entries.shape == (2, 5)
    assert (entries > 0).any()
    for k, goal in enumerate(goals_of(condition, 3)):
        paid = hsr.explore(
            mdp, hsr.Sarsa(), options_of(condition.maze, options, 3), seeds=[3000, 3001],
            steps=2000, task=hsr.GoalTask(start, goal),
        )  # fmt: skip
        assert_array_equal(entries[:, k], paid.goal_time)


def test_coverage_counts_what_was_seen_by_then():
    times = times_of(10, 4)
    assert_array_equal(times, [3, 5, 8, 10])
    assert_allclose(coverage_at(times, np.array([0, 2, 4, -1, 10])), [0.4, 0.6, 0.6, 0.8])
    assert_array_equal(times_of(3, 200), [1, 2, 3])


# records whose effects are known


def levels(*of_agents):
    return dict(zip(("SR-norm", "SR-SPIE", "HSR-norm", "HSR-SPIE"), of_agents, strict=True))


@pytest.mark.parametrize(
    ("level", "falls", "word"),
    [
        (levels(0.2, 0.45, 0.6, 0.8), {"SR-SPIE": 0.01}, "holds"),
        (levels(0.8, 0.6, 0.4, 0.2), {"SR-SPIE": -0.005, "HSR-SPIE": 0.004}, "the other way"),
    ],
)
def test_planted_effects_of_figure_6_are_found_with_their_sign(level, falls, word):
    found = _words("exploration", _planted("exploration", level, falls))
    assert len(found) == 13
    assert set(found.values()) == {word}


def test_planted_effects_of_figure_s6_are_found():
    """Given options are ahead of online ones, except in the smallest mazes, and both of the SR."""
    level = {"HSR-SPIE": 0.8, "HSR-SPIE online": 0.8}
    found = _planted("exploration_online", level, {"HSR-SPIE online": 0.005, "SR-SPIE": 0.01})
    words = _words("exploration_online", found)
    assert len(words) == 14
    assert set(words.values()) == {"holds"}
    worse = _planted("exploration_online", level | {"HSR-SPIE online": 0.7}, {})
    assert (
        _words("exploration_online", worse)[
            "HSR-SPIE covered as much with online as with given options in the smallest mazes."
        ]
        == "does not hold"
    )


def test_an_interaction_has_no_direction():
    """It holds whoever loses more in larger mazes, and not if both lose the same."""
    for falls, word in (
        ({"SR-SPIE": 0.005}, {"holds"}),
        ({"HSR-SPIE": 0.005, "HSR-SPIE online": 0.005}, {"holds"}),
        ({}, {"no difference"}),
    ):
        words = _words("exploration_online", _planted("exploration_online", {}, falls))
        assert {word for says, word in words.items() if "depends on the size" in says} == word


def test_what_belongs_to_the_options_decides_nothing():
    """Every agent with options is ahead by as much, whatever its map and its bonus."""
    level = {name: 0.8 for name in agents_of("exploration") if "HSR" in name or "options" in name}
    found = evidence_of(catalogue.find("exploration").contrasts(_planted("exploration", level, {})))
    beside = {one.statement: one.comparison for one in found if not one.decides}
    assert len(beside) == 6
    for says, one in beside.items():
        assert (one.difference > 0.2) == says.startswith("Options alone")


def test_the_analyses_of_variance_of_figure_s6_are_over_mazes():
    """Many seeds of a maze do not make its value count more than once."""
    level = {"HSR-SPIE online": 0.7, "HSR-SPIE": 0.7}
    found = _planted("exploration_online", level, {"SR-SPIE": 0.005})
    for name in ("HSR-SPIE", "HSR-SPIE online"):
        anova = exploration_online.anova(found, name)
        assert (anova.interaction.df, anova.residual_df) == (4, 110)
        cells = [
            [found.coverage(Key(agent, size))[..., -1].mean(axis=1) for size in found.setting.sizes]
            for agent in (name, "SR-SPIE")
        ]
        expected = two_way_anova(np.array(cells)).interaction.statistic
        assert anova.interaction.statistic == pytest.approx(expected, rel=1e-9)  # rounding
        assert f"F(4, 110) = {expected:.1f}, " in exploration_online.tables(found)


def test_coverage_at_its_ceiling_is_judged_by_the_area():
    """Both agents end with every state visited, and the one with online options gets there first.

    In the smallest mazes nobody is at the ceiling, and the final coverage judges.
    """

    def at_the_ceiling(key, arrays):
        since = {"SR-SPIE": 3, "HSR-SPIE": 1, "HSR-SPIE online": 1}.get(key.agent)
        if since is not None and key.size > 21:
            arrays["coverage"][:, since:] = 1.0

    level = {"HSR-SPIE online": 0.7, "HSR-SPIE": 0.7}
    numbers = _planted("exploration_online", level, {}, and_then=at_the_ceiling)
    found = evidence_of(catalogue.find("exploration_online").contrasts(numbers))
    smallest, *others = (one for one in found if "covered more than SR-SPIE at" in one.statement)
    assert smallest.judged_by == "coverage after 10,000 steps"
    for one in others[:4]:
        assert one.comparison.difference == 0.0
        assert one.judged_by == "area under the coverage curve"
        assert one.judged.difference > 0.1


@pytest.mark.parametrize("best", [0.001, 0.1])
def test_tuned_agents_are_scored_at_their_best_in_other_mazes(best):
    """Coverage is planted to be largest at one rate; that of 0.001 is the end of the list."""
    changes = {"tuned": True, "sizes": (21, 31), "worlds": MAZES, "seeds": SEEDS, "points": 5}
    scored = range(MAZES)
    rates = {"sr": best, "hsr": 0.1}

    def arrays_of(key, condition, world):
        agent = condition.agent
        is_best = agent.learning_rate == rates[agent.on]
        if world in scored:
            assert is_best == (agent.bonus is not None)
        noise = np.random.default_rng(world).normal(0, 0.01, (SEEDS, 1))
        level = np.repeat((0.5 if is_best else 0.3) + noise, 5, axis=1)
        return {"times": np.arange(5), "coverage": level}

    numbers = _numbers("exploration_online", arrays_of, **changes)
    assert numbers.rows[Key("SR-SPIE", 21)].seeds == tuple(range(MAZES))
    measure = numbers.covered(Key("SR-SPIE", 21))
    assert measure.chosen == f"learning rate {best:g}, map learning rate 0.001"
    assert ("learning rate" in measure.at_end) == (best == 0.001)
    assert numbers.covered(Key("options alone", 21)).chosen == ""


def test_the_weight_of_the_bonus_is_tuned_where_there_is_a_goal():
    setting = preset("exploration", tuned=True)
    found = {
        key: candidates(setting, one) for key, one in conditions("exploration", setting).items()
    }
    sizes = {(key.agent, key.goal): len(some) for key, some in found.items()}
    assert sizes["SR-SPIE", False] == 16
    assert sizes["SR-SPIE", True] == 80
    assert sizes["options alone", True] == 4
    assert sizes["options alone", False] == 1


def _words(name, numbers):
    """Return the verdict on each statement."""
    judged = judge(evidence_of(catalogue.find(name).contrasts(numbers)))
    return {one.evidence.statement: one.word for one in judged if one.evidence.decides}


def _planted(name, level, falls, and_then=None):
    """Return the numbers of made-up runs: coverage at a level by agent (0.5), falling with size.

    The goal is found after (1 - level) of all steps.
    """
    rng = np.random.default_rng(3)

    def arrays_of(key, condition, world):
        mean, times = level.get(key.agent, 0.5), times_of(condition.steps, condition.points)
        noise = rng.normal(0, 0.01, (condition.seeds, 1))
        flat = mean - falls.get(key.agent, 0.0) * (key.size - 21) + noise
        arrays = {
            "times": times,
            "coverage": np.repeat(flat, len(times), axis=1),
            "goal_entries": np.round((1 - mean + noise) * condition.steps).astype(int),
        }
        if and_then is not None:
            and_then(key, arrays)
        return arrays

    return _numbers(name, arrays_of, points=5, worlds=MAZES, seeds=SEEDS)


def _numbers(name, arrays_of, **changes):
    """Return the numbers of runs with the arrays ``arrays_of(key, condition, world)``."""
    return planted(catalogue.find(name), arrays_of, "paper", first_world=0, **changes)


def _both_maps(condition, bonus):
    both = [
        replace(condition, agent=replace(condition.agent, bonus=bonus, on=on))
        for on in ("sr", "hsr")
    ]
    return [run(one, 1) for one in both]


def _assert_same(two):
    one, other = two
    for name, array in one.items():
        assert_array_equal(array, other[name])
