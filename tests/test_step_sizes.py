"""The control of step sizes: what is tuned on, and what is shown."""

import numpy as np

from hsr.experiments.step_sizes import analysis, figure, run, settings
from hsr.plots import save_figure
from hsr.results import Record, ResultTable


def test_step_sizes_are_chosen_on_the_goals_that_do_not_count():
    """Planted: at 0.1 every kind of features is fast on the goals to tune by, and slow on the paper's."""
    setting, records = settings.PRESETS["smoke"], []
    for _, of_run, seeds in settings.runs(setting):
        fast = (of_run["agent"]["learning_rate"] == 0.1) == bool(of_run["goal_cells"])
        steps = np.full((2, setting.episodes), 20 if fast else 400)
        records += [Record("step_sizes", of_run, seed, {"steps": steps + seed % 3}) for seed in seeds]
    numbers = analysis.analyse(ResultTable(records), setting)
    assert set(numbers.chosen.values()) == {0.1}
    assert all(x.min() >= 400 for x in numbers.mean_steps["tuned"].values())
    assert all(x.max() < 30 for x in numbers.mean_steps["paper"].values())
    assert analysis.evidence(numbers) == []


def test_step_sizes_run_and_draw(tmp_path):
    setting = settings.StepSizes(seeds=2, tuning_seeds=2, episodes=3, horizon=60, rates=(0.01, 1.0))
    table = ResultTable(record for _, of_run, seeds in settings.runs(setting) for record in run.run(of_run, seeds))
    drawn = figure.draw_figure(analysis.analyse(table, setting))
    one, other = (save_figure(drawn, tmp_path / f"{k}.png").read_bytes() for k in "ab")
    assert one == other
