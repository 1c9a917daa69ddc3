"""What holds for every study, and the door by which they and experiments of your own are run."""

from pathlib import Path

import numpy as np
import pytest

from hsr.experiments import Claim, Experiment, Pair, catalogue
from tests.cases import raises
from tests.paper.experiment_runs import letters_in, letters_of
from tests.studies import (
    test_aliased,
    test_changing,
    test_discovery,
    test_reach,
    test_reward_transfer,
    test_when_hierarchy_pays,
)
from tests.studies.planting import planted, words

FOLDER = Path(__file__).parents[2] / "studies"
MODULES = {
    "aliased": test_aliased,
    "changing": test_changing,
    "discovery": test_discovery,
    "reach": test_reach,
    "reward_transfer": test_reward_transfer,
    "when_hierarchy_pays": test_when_hierarchy_pays,
}
NAMES, TESTS = tuple(MODULES), tuple(MODULES.values())
each = pytest.mark.parametrize("name", NAMES)

OWN = '''
"""Does a longer corridor take more steps?"""

import hsr
from hsr.experiments import Claim, Experiment, Pair, seeds_in


def run(condition, world):
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * condition.length), discount=0.9)
    task = hsr.GoalTask(0, condition.length - 1)
    found = hsr.train(mdp, [task], hsr.LinearQ(), seeds=seeds_in(condition, world), episodes=2,
                      horizon=condition.horizon, workers=1)
    return {"steps": found.steps}


EXPERIMENT = Experiment.from_function(
    "corridors",
    "steps in corridors of two lengths",
    run,
    setting={"worlds": 8, "seeds": 3, "horizon": 50},
    conditions={"short": {"length": 3}, "long": {"length": 9}},
    claims=[Claim("longer", "Longer corridors take more steps.",
                  [Pair("long", "short", +1, "steps")])],
)
'''


@each
def test_a_study_is_found_by_its_file_and_has_claims_of_its_own(name):
    experiment = catalogue.find(str(FOLDER / f"{name}.py"))
    assert experiment.name == name
    assert experiment.path == f"{FOLDER / name}.py:EXPERIMENT"
    assert {(one.figure, one.paper) for one in experiment.claims} == {("ours", "ours")}
    assert not {one.id for one in experiment.claims} & {one.id for one in catalogue.claims()}
    for setting in experiment.presets.values():
        for condition, _ in experiment.runs(setting):
            read = experiment.kind.from_data(condition)
            assert read.data() == condition


@pytest.mark.parametrize("module", TESTS, ids=NAMES)
def test_the_caption_explains_each_letter_that_is_drawn(module):
    experiment, numbers = module.EXPERIMENT, module.some_numbers()
    explained, alone = letters_in(experiment.caption)
    assert sorted(letters_of(experiment.drawn(numbers, {}))) == explained == alone


@pytest.mark.parametrize("module", TESTS, ids=NAMES)
def test_tables_of_a_study_are_whole(module):
    if module.EXPERIMENT.tables is None:
        pytest.skip("it has none")
    lines = module.EXPERIMENT.tables(module.some_numbers()).splitlines()
    widths = [line.count("|") for line in lines if line.startswith("|")]
    heads = [i for i, line in enumerate(lines) if line.startswith("|---")]
    assert heads
    assert all(lines[i - 1].count("|") == lines[i].count("|") for i in heads)
    assert set(widths) == {lines[i].count("|") for i in heads}


def test_an_experiment_of_your_own_is_25_lines_and_needs_no_figure(tmp_path):
    path = tmp_path / "corridors.py"
    path.write_text(OWN, encoding="utf-8")
    assert len([line for line in OWN.splitlines() if line.strip()]) <= 25
    experiment = catalogue.find(str(path))
    setting = experiment.setting("paper", {"horizon": 60})
    records = [one for run, worlds in experiment.runs(setting) for one in experiment(run, worlds)]
    assert {one.setting["horizon"] for one in records} == {60}
    assert {one.arrays["steps"].shape for one in records} == {(3, 1, 2)}
    numbers = planted(experiment, lambda name, *_: {"steps": _steps(name)}, "paper")
    assert words(experiment, numbers) == {"longer": "holds"}
    labels = [label.get_text() for label in experiment.drawn(numbers, {}).axes[0].get_yticklabels()]
    assert labels == ["long\n- short\nsteps"]


def _steps(name):
    return np.random.default_rng(len(name)).integers(8, 20, (3, 1, 2)) + 10 * (name == "long")


def test_a_file_without_an_experiment_is_refused(tmp_path):
    path = tmp_path / "empty.py"
    with raises("there is no file"):
        catalogue.find(str(path))
    path.write_text("EXPERIMENT = 3\n", encoding="utf-8")
    with raises("defines EXPERIMENT as 3; it must be an hsr.experiments.Experiment"):
        catalogue.find(str(path))


def test_values_of_a_setting_have_the_types_of_its_defaults():
    experiment = Experiment.from_function(
        "some", "", lambda condition, world: {}, setting={"sizes": (3, 5)}, conditions={"a": {}}
    )
    assert experiment.setting("paper", {"sizes": [7]}).sizes == (7,)
    with raises(r"sizes\[0\] is 'x'; it must be an integer"):
        experiment.setting("paper", {"sizes": ["x"]})
    with raises("worlds is 1; it must be an integer of at least 2"):
        experiment.setting("paper", {"worlds": 1})


def test_a_measure_by_name_is_the_mean_of_an_array_over_all_but_world_and_seed():
    claim = Claim("some", "", [Pair("a", "b", +1, "x")])
    values = np.arange(24.0).reshape(2, 3, 4)

    class Rows:
        def array(self, name):
            return values

    (contrast,) = claim.contrasts({"a": Rows(), "b": Rows()})
    np.testing.assert_array_equal(contrast.first.values, values.mean(axis=2))
