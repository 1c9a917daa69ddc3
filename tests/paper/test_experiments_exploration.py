"""Figures 6 and S6, end to end on small mazes, and their evidence on records whose effects are
known, controls included.
"""

from importlib import import_module
from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hsr import InputError
from hsr.paper import catalogue, exploring, exploring_run
from hsr.paper import runner as conduct
from hsr.paper.exploring import Agent, Bonus, Cell, Maze, Options
from hsr.paper.ledger import verdicts
from hsr.paper.setting import changed
from hsr.paper.stats import paired_t, two_sample_t
from hsr.paper.store import Record, ResultTable, Store
from tests.paper.captions import explained_in, letters_of
from tests.paper.transfer_runs import draw, numbers_of

SEEDS = 10
SMALL = {
    "exploration": {"maze.size": 11, "sizes": (11, 13), "steps": 400, "points": 20, "seeds": 2},
    "exploration_online": {
        "sizes": (11, 13),
        "steps": 400,
        "points": 20,
        "options.warm_up": 100,
        "options.refresh": 100,
        "seeds": 2,
    },
}
PAIRED, ZERO, NO_SQUARES = exploring.CONTROLS
SHORT = Cell(maze=Maze(size=11), steps=500, points=10)


@pytest.fixture(params=list(SMALL), scope="module")
def of(request):
    """The modules of one experiment, its smoke preset made smaller, the numbers of its runs, and
    those with its controls.
    """
    parts = {
        part: import_module(f"hsr.paper.experiments.{request.param}.{part}")
        for part in ("settings", "run", "analysis", "figure")
    }
    setting = changed(parts["settings"].PRESETS["smoke"], SMALL[request.param])
    work, records = parts["settings"].WORK, []
    for name, cell, seeds in parts["settings"].runs(setting):
        assert name == work
        records += parts["run"].run(cell, seeds)
    made = numbers_of(request.param, setting)
    return SimpleNamespace(
        name=request.param,
        setting=setting,
        table=ResultTable(records),
        made=made,
        numbers=made[""],
        **parts,
    )


def test_the_work_is_where_its_name_says(of):
    module, function = of.settings.WORK.split(":")
    assert getattr(import_module(module), function) is of.run.run
    assert of.table.experiment == of.settings.NAME == of.name


def test_records_are_those_of_the_cells(of):
    cells = [cell.model_dump(mode="json") for cell in of.settings.cells(of.setting).values()]
    assert len(of.table) == 2 * len(cells)
    assert len(of.table.settings) == len(cells)
    for record in of.table:
        a = record.arrays
        assert a["times"][-1] == 400
        assert len(a["times"]) == len(a["coverage"]) == 20
        assert (np.diff(a["coverage"]) >= 0).all()
        assert 0 < a["coverage"][0] <= a["coverage"][-1] <= 1
        has_goal = record.setting["goal"] == "random"
        assert (a["goals"] > 0) == (a["goal_time"] >= 0)
        assert has_goal or a["goal_time"] == -1


def test_numbers_have_their_shapes(of):
    numbers = of.numbers
    for name, x in numbers.final.items():
        assert x.shape == (2, 2)
        assert numbers.final_intervals[name].estimate.shape == (2,)
    if of.name == "exploration":
        assert list(numbers.coverage) == list(numbers.found) == list(of.settings.AGENTS)
        assert all(
            numbers.coverage[name].shape == numbers.found[name].shape == (2, 20)
            for name in numbers.coverage
        )
        assert all(
            numbers.area[name].shape == numbers.goal_time[name].shape == (2,)
            for name in numbers.area
        )
        assert all(x.shape == (2,) for x in numbers.slope.values())
        assert all(
            0 <= share.low <= share.estimate <= share.high <= 1
            for share in numbers.share_found.values()
        )
    else:
        assert all(x.shape == (2, 2, 20) for x in numbers.coverage.values())
        assert list(numbers.coverage) == list(of.settings.AGENTS)
        assert {name: found.interaction.df for name, found in numbers.anova.items()} == {
            "HSR-SPIE": 1,
            "HSR-SPIE online": 1,
        }


def test_evidence_is_finite_and_of_the_test_that_is_asked_for(of):
    assert list(of.made) == ["", PAIRED, ZERO, NO_SQUARES]
    for control, numbers in of.made.items():
        found = of.analysis.evidence(numbers)
        assert found
        assert all(one.predicted == 1 for one in found)
        for one in found:
            assert one.comparison.test == ("paired t" if control == PAIRED else "two-sample t")
            assert 0 <= one.comparison.p <= 1
            assert np.isfinite(one.comparison.difference)


def test_controls_run_only_agents_whom_they_change(of):
    """Pairs change no run at all, and the other controls SPIE agents only."""
    usual = of.settings.cells(of.setting)
    for control, changes in of.settings.CONTROLS.items():
        cells = of.settings.cells(changed(of.setting, changes))
        differ = {key.agent for key, cell in cells.items() if cell != usual[key]}
        assert differ == (
            set() if control == PAIRED else {name for name in of.settings.AGENTS if "SPIE" in name}
        )


def test_the_caption_names_every_panel_that_is_drawn(of):
    assert sorted(letters_of(draw(of.name, of.made))) == explained_in(of.figure.CAPTION)


def test_the_figure_is_the_same_twice(of):
    assert _png(draw(of.name, of.made)) == _png(draw(of.name, of.made))


def test_the_paper_s_analyses_of_variance_are_written_into_the_figure():
    numbers, _ = _planted("exploration_online", {"HSR-SPIE": 0.7}, {"SR-SPIE": 0.005})
    module = import_module("hsr.paper.experiments.exploration_online.figure")
    said = "\n".join(
        text.get_text() for ax in module.draw_figure(numbers, {}).axes for text in ax.texts
    )
    for name in ("HSR-SPIE", "HSR-SPIE online"):
        for term in (numbers.anova[name].interaction, numbers.anova[name].a):
            assert (
                f"{name} and SR-SPIE: F({term.df}, 90) = {term.statistic:.2f}, p = {term.p:.2g}"
                in said
            )


def test_presets_come_back_from_their_text(of):
    for preset in of.settings.PRESETS.values():
        assert type(preset).model_validate_json(preset.model_dump_json()) == preset
        for cell in of.settings.cells(preset).values():
            assert Cell.model_validate_json(cell.model_dump_json()) == cell


@pytest.mark.parametrize(
    "change",
    [{"step": 3}, {"maze.sise": 3}, {"agent.initial_map": "one"}, {"options.kind": "covering"}],
)
def test_unknown_keys_and_values_are_refused(of, change):
    with pytest.raises(InputError):
        changed(of.settings.PRESETS["paper"], change)


def test_the_paper_presets_are_the_papers():
    six = import_module("hsr.paper.experiments.exploration.settings").PRESETS["paper"]
    s6 = import_module("hsr.paper.experiments.exploration_online.settings").PRESETS["paper"]
    for one in (six, s6):
        assert (one.agent, one.maze, one.seeds, one.bonus_weight) == (Agent(), Maze(), 10, 1.0)
        assert (one.maze.discount, one.agent.learning_rate, one.options.n_options) == (
            0.99,
            0.01,
            8,
        )
    assert (six.steps, s6.steps, six.goal_bonus_weight) == (100_000, 10_000, 0.01)


def test_the_grid_of_twelve_has_eight_different_agents():
    """Without options both maps are one; without a bonus no map matters. With both, they differ."""
    none = Options(kind="none")
    for bonus in ("none", "norm", "spie"):
        _assert_same(_both_maps(SHORT.model_copy(update={"options": none}), bonus))
    _assert_same(_both_maps(SHORT, "none"))
    sr, hsr = _both_maps(SHORT, "spie")
    assert (sr["choice_use"] != hsr["choice_use"]).any()


@pytest.mark.parametrize("name", SMALL)
def test_only_spie_begins_at_zero(name):
    """From zero the norm bonus would be infinite, and without a bonus no map matters."""
    settings = import_module(f"hsr.paper.experiments.{name}.settings")
    cells = settings.cells(changed(settings.PRESETS["smoke"], {"agent.initial_map": "zero"}))
    assert {(cell.bonus.kind, cell.agent.initial_map) for cell in cells.values()} == {
        ("none", "identity"), ("norm", "identity"), ("spie", "zero"),
    }  # fmt: skip


def test_readings_reach_every_cell():
    for name in SMALL:
        settings = import_module(f"hsr.paper.experiments.{name}.settings")
        cells = settings.cells(
            changed(
                settings.PRESETS["smoke"],
                {"spie": "spie_l1", "bonus_per": "choice", "maze.mazes": "one"},
            )
        )
        assert {cell.bonus.kind for cell in cells.values()} <= {"none", "norm", "spie_l1"}
        assert {(cell.bonus.per, cell.maze.mazes) for cell in cells.values()} == {("choice", "one")}


def test_each_seed_has_its_maze_unless_there_is_one():
    per_seed, one = Maze(size=11), Maze(size=11, mazes="one", seed=5)
    assert (
        exploring_run.world_of(per_seed, 5)[0]
        == exploring_run.world_of(one, 0)[0]
        == exploring_run.world_of(one, 1)[0]
    )
    assert exploring_run.world_of(per_seed, 0)[0] != exploring_run.world_of(per_seed, 1)[0]


def test_a_seed_does_not_depend_on_those_beside_it():
    cell = SHORT.model_dump(mode="json")
    together, alone = (
        exploring_run.run(cell, [0, 1, 2], "exploration"),
        exploring_run.run(cell, [2], "exploration"),
    )
    assert list(together)[2].digest() == next(alone).digest()


def test_goals_are_far_and_differ():
    layouts = [exploring_run.world_of(Maze(), seed)[0] for seed in range(6)]
    goals = [exploring_run.goal_of(layout, seed, 0.5) for seed, layout in enumerate(layouts)]
    for layout, goal in zip(layouts, goals, strict=True):
        distances = layout.distances_from(exploring_run.START)
        assert 2 * distances[goal] >= distances.max()
    assert len({exploring_run.goal_of(layouts[0], seed, 0.5) for seed in range(6)}) > 1
    assert exploring_run.goal_of(layouts[0], 0, 0.0) != exploring_run.START


def test_coverage_counts_what_was_seen_by_then():
    times = exploring_run.times_of(10, 4)
    assert_array_equal(times, [3, 5, 8, 10])
    assert_allclose(
        exploring_run.coverage_at(times, np.array([0, 2, 4, -1, 10])), [0.4, 0.6, 0.6, 0.8]
    )
    assert_array_equal(exploring_run.times_of(3, 200), [1, 2, 3])


# records whose effects are known


def test_planted_effects_of_figure_6_are_found():
    level = {"SR-norm": 0.2, "SR-SPIE": 0.4, "HSR-norm": 0.6, "HSR-SPIE": 0.8}
    falls = {"SR-SPIE": 0.01}
    assert _words("exploration", level, falls) == {
        "explore-coverage": "reproduced", "explore-goal": "reproduced", "explore-scaling": "reproduced",
    }  # fmt: skip


def test_the_opposite_of_figure_6_is_said_to_be_opposite():
    level = {"SR-norm": 0.8, "SR-SPIE": 0.6, "HSR-norm": 0.4, "HSR-SPIE": 0.2}
    assert set(_words("exploration", level, {"HSR-SPIE": 0.01}).values()) == {"opposite"}


def test_nothing_planted_nothing_found():
    assert set(_words("exploration", {}, {}).values()) == {"not reproduced"}
    assert _words("exploration_online", {}, {}) == {"explore-online-options": "not reproduced"}


def test_one_missing_part_of_a_claim_is_not_enough():
    level = {"SR-norm": 0.2, "SR-SPIE": 0.4, "HSR-norm": 0.8, "HSR-SPIE": 0.8}
    assert _words("exploration", level, {})["explore-coverage"] == "not reproduced"


def test_the_planted_effect_of_figure_s6_is_found_at_every_size():
    assert _words("exploration_online", {"HSR-SPIE online": 0.7, "HSR-SPIE": 0.7}, {}) == {
        "explore-online-options": "reproduced"
    }
    numbers, _ = _planted(
        "exploration_online", {"HSR-SPIE online": 0.7, "HSR-SPIE": 0.7}, {"SR-SPIE": 0.005}
    )
    assert all(found.interaction.p < 1e-6 and found.a.p < 1e-6 for found in numbers.anova.values())
    assert all(
        found.interaction.df == 4 and found.residual_df == 90 for found in numbers.anova.values()
    )


def test_planted_numbers_are_what_was_planted():
    numbers, setting = _planted("exploration", {"HSR-SPIE": 0.9}, {"SR-SPIE": 0.01})
    assert numbers.area["HSR-SPIE"].mean() == pytest.approx(0.9, abs=0.02)
    assert numbers.slope["SR-SPIE"].mean() == pytest.approx(-0.1, abs=0.02)
    assert_array_equal(numbers.found["HSR-SPIE"][:, -1], 1.0)
    never = np.concatenate([t[t == setting.steps] for t in numbers.goal_time.values()])
    assert (
        never.size
        == sum(round(SEEDS * (1 - share.estimate)) for share in numbers.share_found.values())
        > 0
    )


def test_what_is_planted_under_a_control_is_judged_there_alone(tmp_path):
    """In larger mazes SR-SPIE falls behind; from zero HSR-SPIE does instead, and without squares
    neither.
    """
    falls = {"": {"SR-SPIE": 0.01}, ZERO: {"HSR-SPIE": 0.01}, NO_SQUARES: {}}
    assert _words_by_control(tmp_path, "exploration", {}, falls, "explore-scaling") == {
        "": "reproduced", PAIRED: "reproduced", ZERO: "opposite", NO_SQUARES: "not reproduced",
    }  # fmt: skip


def test_what_is_planted_under_a_control_of_figure_s6_is_judged_there_alone(tmp_path):
    level = {"": {"HSR-SPIE online": 0.7}, ZERO: {"HSR-SPIE online": 0.3}, NO_SQUARES: {}}
    assert _words_by_control(tmp_path, "exploration_online", level, {}, "explore-online-options") == {
        "": "reproduced", PAIRED: "reproduced", ZERO: "opposite", NO_SQUARES: "not reproduced",
    }  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_pairs_take_out_what_mazes_have_in_common(name):
    """Mazes differ by much more than agents do: only the test of pairs finds what was planted."""
    level = {"SR-SPIE": 0.5, "HSR-SPIE": 0.55, "HSR-SPIE online": 0.55}
    analysis = import_module(f"hsr.paper.experiments.{name}.analysis")
    claim = "explore-online-options" if name == "exploration_online" else "explore-coverage"
    found = {}
    for test in ("two_sample_t", "paired_t"):
        numbers, _ = _planted(name, level, {}, by_maze=0.15, changes={"test": test})
        found[test] = next(
            one for one in analysis.evidence(numbers) if one.claim == claim
        ).comparison
    assert found["two_sample_t"].p > 0.2
    assert found["paired_t"].p < 1e-3
    assert found["paired_t"].difference == pytest.approx(
        found["two_sample_t"].difference, rel=1e-12
    )  # rounding
    assert found["paired_t"].difference == pytest.approx(0.05, abs=0.015)  # three standard errors


def test_the_tests_are_those_of_stats():
    x, y = np.random.default_rng(0).normal(size=(2, 10))
    tests = import_module("hsr.paper.experiments.exploration.analysis").TESTS
    assert (tests["two_sample_t"](x, y), tests["paired_t"](x, y)) == (
        two_sample_t(x, y),
        paired_t(x, y),
    )


def _words_by_control(folder, name, level, falls, claim):
    """Return the verdict on a claim by control, of made-up runs whose levels and falls go by
    control too.
    """
    store, experiment, stored = Store(folder), catalogue.find(name), {}
    setting = changed(experiment.presets["paper"], {"points": 5, "sizes": (21, 41, 61)})
    for control, variant in experiment.with_controls(setting).items():
        planted = _records(name, variant, level.get(control, {}), falls.get(control, {}))
        stored |= {record.key: record for record in planted if record.key not in stored}
    for record in stored.values():
        store.put(record)
    shown = conduct.shown(experiment, setting, store)
    return {
        verdict.control: verdict.word
        for verdict in verdicts(shown.evidence)
        if verdict.claim == claim
    }


def _planted(name, level, falls, by_maze=0.0, changes=None):
    """Return the numbers of made-up runs, and their setting."""
    settings, analysis = (
        import_module(f"hsr.paper.experiments.{name}.{part}") for part in ("settings", "analysis")
    )
    setting = changed(settings.PRESETS["paper"], {"points": 5, **(changes or {})})
    return analysis.analyse(
        ResultTable(_records(name, setting, level, falls, by_maze)), setting
    ), setting


def _records(name, setting, level, falls, by_maze=0.0):
    """Return made-up runs: coverage at a level by agent (0.5), which falls by so much per cell of
    size.

    The goal is found after (1 - level) of all steps. Where something is planted, agents at 0.5 or
    less miss it in one seed. by_maze: how much mazes differ, for all agents alike.
    """
    settings = import_module(f"hsr.paper.experiments.{name}.settings")
    rng, records = np.random.default_rng(3), []
    of_maze = by_maze * np.random.default_rng(4).normal(size=SEEDS)
    times = exploring_run.times_of(setting.steps, setting.points)
    for key, cell in settings.cells(setting).items():
        mean = level.get(key.agent, 0.5)
        for seed in range(SEEDS):
            noise = rng.normal(0, 0.01)
            coverage = np.full(
                len(times),
                mean - falls.get(key.agent, 0.0) * (key.size - 21) + noise + of_maze[seed],
            )
            goal_time = (
                -1
                if mean <= 0.5 and level and seed == 0
                else round((1 - mean + noise) * setting.steps)
            )
            arrays = {"times": times, "coverage": coverage, "goal_time": np.array(goal_time)}
            records.append(Record(name, cell.model_dump(mode="json"), seed, arrays))
    return records


def _words(name, level, falls):
    numbers, _ = _planted(name, level, falls)
    found = import_module(f"hsr.paper.experiments.{name}.analysis").evidence(numbers)
    return {verdict.claim: verdict.word for verdict in verdicts(found)}


def _both_maps(cell, bonus):
    cells = [cell.model_copy(update={"bonus": Bonus(kind=bonus, on=on)}) for on in ("sr", "hsr")]
    return [
        next(exploring_run.run(one.model_dump(mode="json"), [1], "exploration")).arrays
        for one in cells
    ]


def _assert_same(two):
    one, other = two
    for name, array in one.items():
        assert_array_equal(array, other[name])


def _png(figure):
    file = BytesIO()
    figure.savefig(file, format="png", dpi=40, metadata={"Software": None})
    return file.getvalue()
