"""The experiments on two goals in sequence: they run, their numbers are right on planted curves,
their figures are stable.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import ValidationError

from hsr._base.errors import InputError
from hsr.paper.ledger import verdicts
from hsr.paper.setting import changed
from hsr.paper.store import Record, ResultTable
from hsr.paper.transfer import Cell, optimal_of
from hsr.plots import save_figure
from tests.paper.transfer_runs import all_learning, draw, letters_in, letters_of, numbers_of, part

NAMES = ("online_options", "mazes", "option_classes", "offline_rows")
CLAIMS = {
    "online_options": {"online-options-efficiency": 1},
    "mazes": {"mazes": 4},
    "option_classes": {"option-classes": 2, "option-budget": 3},
    "offline_rows": {"offline-rows": 1},
}
TINY = {"seeds": 2, "episodes": 4, "horizon": 150, "options.warm_up": 60, "options.refresh": 200}
MAZES = ("four_rooms_barriers", "loop", "corridor", "paired_bottlenecks")


PARTS = ("settings", "analysis", "figure")
EXPERIMENTS = {
    name: SimpleNamespace(**{which: part(name, which) for which in PARTS}) for name in NAMES
}
TUNED = "tuned step sizes"


@pytest.fixture(scope="module")
def tiny():
    """Return (setting, numbers by control) of every experiment, run in this process on two seeds."""
    settings = {
        name: changed(parts.settings.PRESETS["smoke"], TINY) for name, parts in EXPERIMENTS.items()
    }
    return {name: (setting, numbers_of(name, setting)) for name, setting in settings.items()}


def planted(name, setting, n_of):
    """Return numbers of made-up runs in which each cell and seed meets the criterion in just the
    episodes that `n_of` gives.
    """
    parts = EXPERIMENTS[name]
    records = []
    for _, dumped, seeds in parts.settings.runs(setting):
        cell = Cell.model_validate(dumped)
        optimal = np.array(optimal_of(cell), dtype=float)
        for seed in seeds:
            n = np.asarray(n_of(cell, seed))
            before = np.arange(1, setting.episodes + 1) < n[:, None]
            steps = np.where(before, 1.5, 1.0) * optimal[:, None]
            records.append(Record(parts.settings.NAME, dumped, seed, {"steps": steps}))
    return parts.analysis.analyse(ResultTable(records), setting)


def words(name, numbers):
    """Return the verdict of each claim."""
    return {
        verdict.claim: verdict.word
        for verdict in verdicts(EXPERIMENTS[name].analysis.evidence(numbers))
    }


def paper(name, **changes):
    return changed(EXPERIMENTS[name].settings.PRESETS["paper"], changes)


# Settings


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("preset", ["smoke", "paper"])
@pytest.mark.parametrize("mode", ["python", "json"])
def test_a_preset_comes_back_from_its_own_dump(name, preset, mode):
    setting = EXPERIMENTS[name].settings.PRESETS[preset]
    assert type(setting).model_validate(setting.model_dump(mode=mode)) == setting


@pytest.mark.parametrize("name", NAMES)
def test_unknown_keys_are_refused(name):
    setting = EXPERIMENTS[name].settings.PRESETS["smoke"]
    with pytest.raises(ValidationError, match="extra"):
        type(setting).model_validate(setting.model_dump() | {"seed": 3})
    with pytest.raises(InputError, match="seeds"):
        changed(setting, {"seed": 3})
    with pytest.raises(InputError, match="refresh"):
        changed(setting, {"options.refesh": 3})


@pytest.mark.parametrize(
    ("name", "seeds", "episodes", "horizon", "kind"),
    [
        ("online_options", 20, 50, 5000, "online"),
        ("mazes", 10, 50, 5000, "eigen"),
        ("option_classes", 10, 50, 5000, "eigen"),
        ("offline_rows", 20, 200, 1000, "eigen"),
    ],
)
def test_the_paper_preset_has_the_papers_numbers(name, seeds, episodes, horizon, kind):
    setting = paper(name)
    assert (setting.seeds, setting.episodes, setting.horizon) == (seeds, episodes, horizon)
    assert (setting.options.kind, setting.options.n_options, setting.agent.learning_rate) == (
        kind,
        8,
        0.01,
    )


@pytest.mark.parametrize(
    ("name", "step_size", "n_runs"),
    [
        ("online_options", "given", 3 * 20),
        ("mazes", "given", 4 * 3 * 10),
        ("option_classes", "given", (2 * 4 + 2) * 10),
        ("offline_rows", "given", 4 * 20),
        # six rates, scored by all seeds and tuned by five; random options are a cell for each seed,
        # and each is tuned
        ("online_options", "tuned", 6 * 3 * (20 + 5)),
        ("mazes", "tuned", 6 * 4 * 3 * (10 + 5)),
        ("option_classes", "tuned", 6 * ((2 * 4 + 1) * (10 + 5) + 10 * (1 + 5))),
        ("offline_rows", "tuned", 6 * 4 * (20 + 5)),
    ],
)
def test_no_run_is_asked_for_twice(name, step_size, n_runs):
    setting = paper(name, step_size=step_size)
    asked = [
        (Cell.model_validate(cell), seed)
        for _, cell, seeds in EXPERIMENTS[name].settings.runs(setting)
        for seed in seeds
    ]
    assert len(asked) == len(set(asked)) == n_runs


def test_random_targets_differ_by_seed_unless_drawn_once():
    settings = EXPERIMENTS["option_classes"].settings
    anew = settings.class_cells(paper("option_classes", seeds=3))["random"]
    once = settings.class_cells(paper("option_classes", seeds=3, random_targets="once"))["random"]
    assert [cell.options.seed for cell in anew] == [0, 1, 2]
    assert [cell.options.seed for cell in once] == [0]
    runs = settings.runs(paper("option_classes", seeds=3, first_seed=5))
    drawn = [
        (cell["options"]["seed"], seeds)
        for _, cell, seeds in runs
        if cell["options"]["kind"] == "random"
    ]
    assert drawn == [(5, (5,)), (6, (6,)), (7, (7,))]


# Small real runs


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("control", ["", TUNED])
def test_small_runs_give_finite_numbers_of_the_documented_shapes(name, control, tiny):
    setting, numbers = tiny[name][0], tiny[name][1][control]
    for learned in all_learning(numbers):
        assert set(learned.rates.values()) <= (set(setting.rates) if control else {0.01})
        for agent, steps in learned.steps.items():
            assert steps.shape == (2, 2, 4)
            assert learned.episodes[agent].shape == (2, 2)
            assert (
                1
                <= learned.episodes[agent].min()
                <= learned.episodes[agent].max()
                <= setting.episodes
            )
        assert set(learned.intervals) == {
            f"{agent}\nG{k}" for agent in learned.steps for k in (1, 2)
        }
        assert np.isfinite(list(learned.intervals.values())).all()
    for values in getattr(numbers, "efficiency", {}).values():
        assert values.shape == (2,)
        assert np.isfinite(values).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("control", ["", TUNED])
def test_small_runs_give_evidence_for_every_claim(name, control, tiny):
    found = EXPERIMENTS[name].analysis.evidence(tiny[name][1][control])
    claims = [one.claim for one in found]
    assert {claim: claims.count(claim) for claim in claims} == CLAIMS[name]
    for one in found:
        assert one.predicted in (0, 1)
        assert one.comparison.n == (2, 2)
        low, high = one.comparison.difference_interval
        assert np.isfinite([one.comparison.difference, one.comparison.p, low, high]).all()
        varies = (
            low < high
        )  # where no seed differs from another a difference counts as infinitely many deviations
        assert (
            np.isfinite([one.comparison.effect, *one.comparison.effect_interval]).all()
            or not varies
        )


@pytest.mark.parametrize("name", NAMES)
def test_the_figure_drawn_twice_is_the_same_bytes(name, tiny, tmp_path):
    figures = (draw(name, tiny[name][1]) for _ in range(2))
    first, second = (
        save_figure(figure, tmp_path / f"{k}.png", dpi=40).read_bytes()
        for k, figure in enumerate(figures)
    )
    assert first == second
    assert first.startswith(b"\x89PNG")


@pytest.mark.parametrize("name", NAMES)
def test_the_caption_explains_each_letter_that_is_drawn(name, tiny):
    letters = letters_of(draw(name, tiny[name][1]))
    assert len(set(letters)) == len(letters)
    assert sorted(letters) == letters_in(EXPERIMENTS[name].figure.CAPTION)


def test_modes_of_a_maze_are_eigenvectors_and_their_options(tiny):
    numbers = tiny["mazes"][1][""]
    for maze, modes in numbers.modes.items():
        layout = numbers.learned[maze].layout
        assert modes.vectors.shape == (layout.n_states, 4)
        assert (np.diff(modes.eigenvalues) < 0.0).all()
        assert (modes.eigenvalues < 10.0).all()
        for k, number in enumerate(modes.numbers):
            top = modes.vectors[:, k].argmax()
            assert modes.options[number - 1].termination[top] == 1.0


# Planted curves


def episodes_of(n, seeds=20):
    """Return planted episodes, (seed, 2): n of the first and second goal, and 0, 1 or 2 more by
    seed.
    """
    return np.add(n, (np.arange(seeds) % 3)[:, None])


@pytest.mark.parametrize(
    ("name", "flat", "deep"),
    [("online_options", "SR rows", "HSR rows"), ("offline_rows", "eSR rows", "eHSR rows")],
)
@pytest.mark.parametrize(
    ("second", "word"), [(10, "reproduced"), (20, "not reproduced"), (30, "opposite")]
)
def test_a_planted_efficiency_is_found_with_its_sign(name, flat, deep, second, word):
    n_by_agent = {"one-hot": (30, 40), "RW-SR rows": (25, 25), flat: (20, 20), deep: (20, second)}
    agent_of = {features: agent for agent, features in EXPERIMENTS[name].settings.AGENTS.items()}
    numbers = planted(
        name, paper(name), lambda cell, seed: np.add(n_by_agent[agent_of[cell.features]], seed % 3)
    )
    for agent, n in numbers.learned.episodes.items():
        np.testing.assert_array_equal(n, episodes_of(n_by_agent[agent]))
    n, raw = episodes_of((20, second)), episodes_of((30, 40)).mean(axis=0)
    np.testing.assert_allclose(
        numbers.efficiency[deep], n[:, 1] / n[:, 0] * raw[0] / raw[1], rtol=1e-12
    )
    (comparison,) = (one.comparison for one in EXPERIMENTS[name].analysis.evidence(numbers))
    assert comparison.df == 38
    assert np.sign(comparison.effect) == np.sign(20 - second)
    assert words(name, numbers) == {next(iter(CLAIMS[name])): word}


@pytest.mark.parametrize(
    ("spared", "word"),
    [((), "reproduced"), (("loop",), "not reproduced"), (MAZES, "opposite")],
    ids=["all", "all but one", "none"],
)
def test_mazes_hold_only_if_every_maze_does(spared, word):
    worse = {"loop": 30} if len(spared) == 1 else {}

    def n_of(cell, seed):
        if cell.features.kind != "hsr":
            return np.add((40, 30), seed % 3)
        maze = cell.world.layout
        return np.add((40, worse.get(maze, 40) if maze in spared else 12), seed % 3)

    numbers = planted("mazes", paper("mazes"), n_of)
    effects = {
        one.what.split(":")[0]: one.comparison.effect
        for one in EXPERIMENTS["mazes"].analysis.evidence(numbers)
    }
    assert list(effects) == list(MAZES)
    for maze, effect in effects.items():
        expected = 1 if maze not in spared else 0 if maze in worse else -1
        assert np.sign(effect) == expected
    assert words("mazes", numbers) == {"mazes": word}


def test_mazes_are_pooled_by_the_middle_half_of_all_runs():
    """Planted: HSR rows need 10 episodes in all mazes but one; one-hot every number from 10 to 49
    once, ten in each maze.
    """

    def n_of(cell, seed):
        maze = MAZES.index(cell.world.layout)
        return (
            40,
            (50 if maze == 1 else 10) if cell.features.kind == "hsr" else 10 + 10 * maze + seed,
        )

    numbers = planted("mazes", paper("mazes"), n_of)
    assert numbers.pooled["HSR rows"] == (
        10.0,
        10.0,
        10.0,
    )  # the slow quarter is cut off, in each resample too
    middle, low, high = numbers.pooled["one-hot"]
    assert middle == 29.5  # of 20 to 39
    assert (
        27.0 < low < middle < high < 32.0
    )  # two strata of ten are left, their mean has a standard error of 0.64


RAW_BY_BUDGET = {4: 12, 8: 12, 16: 16, 32: 30}


def n_by_options(cell, seed, *, second_of_four, weaker):
    """Return planted episodes: one-hot gets worse with many options; the efficiency of HSR rows is
    that of n2 / n1.
    """
    if cell.features.kind == "onehot":
        n = RAW_BY_BUDGET[cell.options.n_options]
        return np.add((n, n), seed % 3)
    if cell.options.kind != "eigen":
        return np.add((20, 10 + weaker[cell.options.kind]), seed % 3)
    return np.add((20, second_of_four if cell.options.n_options == 4 else 10), seed % 3)


@pytest.mark.parametrize(
    ("second_of_four", "weaker", "expected"),
    [
        (
            20,
            {"random": 4, "covering": 25},
            {"option-classes": "reproduced", "option-budget": "reproduced"},
        ),
        (
            10,
            {"random": 0, "covering": 25},
            {"option-classes": "not reproduced", "option-budget": "not reproduced"},
        ),
        (
            10,
            {"random": -4, "covering": -6},
            {"option-classes": "opposite", "option-budget": "not reproduced"},
        ),
    ],
    ids=["planted", "no effect", "reversed"],
)
def test_planted_options_are_judged_by_their_sign(second_of_four, weaker, expected):
    numbers = planted(
        "option_classes",
        paper("option_classes", seeds=20),
        lambda cell, seed: n_by_options(cell, seed, second_of_four=second_of_four, weaker=weaker),
    )
    by_class = numbers.classes.episodes
    for kind, more in (weaker | {"eigen": 0}).items():
        np.testing.assert_array_equal(by_class[kind], episodes_of((20, 10 + more)))
    assert numbers.budgets == (4, 8, 16, 32)
    for budget in numbers.budgets:
        n = episodes_of((20, second_of_four if budget == 4 else 10))
        np.testing.assert_allclose(
            numbers.efficiency[f"{budget} options"], n[:, 1] / n[:, 0], rtol=1e-12
        )
    assert words("option_classes", numbers) == expected


def test_ten_seeds_cannot_show_that_two_budgets_do_not_differ():
    numbers = planted(
        "option_classes",
        paper("option_classes"),
        lambda cell, seed: n_by_options(
            cell, seed, second_of_four=20, weaker={"random": 4, "covering": 25}
        ),
    )
    none = next(
        one
        for one in EXPERIMENTS["option_classes"].analysis.evidence(numbers)
        if one.predicted == 0
    )
    assert abs(none.comparison.effect) < 1e-12
    assert none.comparison.effect_interval[1] > 0.8
    assert words("option_classes", numbers)["option-budget"] == "not reproduced"
