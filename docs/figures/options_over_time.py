"""Draw docs/options-over-time.png: `python docs/figures/options_over_time.py`.

Options are found online in the four rooms, by agents that walk at random or choose their options.
"""

from pathlib import Path

import numpy as np

import hsr
from hsr.plots import (
    draw_curves,
    draw_options_over_time,
    draw_policy,
    new_figure,
    panel,
    save_figure,
)

PICTURE = Path(__file__).parents[1] / "options-over-time.png"
AGENTS = {"primitives": "actions only", "choices": "actions and options"}
STEPS = (1_000, 10_000, 100_000, 199_000)
N_COMPARED = 3  # the eigenvalues of the vectors after these are far smaller


def watch(mdp: hsr.FiniteMDP, explore_with: str) -> hsr.agents.TrainingRun:
    """Return the run of an agent that acts at random, by actions alone or by all choices."""
    agent = hsr.LinearQ(epsilon=1.0, explore_with=explore_with, map_learning_rate=0.02)
    task = hsr.RewardTask(mdp, np.zeros(mdp.n_states))  # nothing is paid, and nothing ends
    online = hsr.OnlineOptions(8)
    return hsr.train(mdp, [task], agent, online, seeds=range(10), episodes=200, horizon=1000)


def agreement(options: hsr.OptionSet, exact: hsr.OptionSet) -> float:
    """Return in how many states the first options act as the most similar exact eigenoptions.

    Each option is compared with the eigenoptions of both signs of the first vectors, because
    similar eigenvalues may change places. The share counts the states in which the exact option can
    start, and the mean is over options.
    """
    can_start = options.initiation[:N_COMPARED, None] & exact.initiation
    acts_alike = can_start & (options.policy[:N_COMPARED, None] == exact.policy)
    shares = acts_alike.sum(axis=2) / exact.initiation.sum(axis=1)
    return float(shares.max(axis=1).mean())


def draw() -> None:
    """Draw the first option over time, and the agreement of ten seeds."""
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    exact = hsr.eigenoptions(mdp, 2 * N_COMPARED, signs="both")
    figure = new_figure(10.0, 6.3)
    grid = figure.add_gridspec(
        3, 5, left=0.06, right=0.97, bottom=0.075, top=0.96, wspace=0.06, hspace=0.24
    )
    curves = {}
    for row, (explore_with, name) in enumerate(AGENTS.items()):
        history = watch(mdp, explore_with).options_at
        axes = [figure.add_subplot(grid[row, column]) for column in range(4)]
        draw_options_over_time(axes, layout, history[0], steps=STEPS)
        axes[0].set_ylabel(name, fontsize=8)
        curves[name] = np.array(
            [[agreement(options, exact) for options in of_seed.values()] for of_seed in history]
        )
    first = hsr.eigenoptions(mdp, 1)[0]
    ax = panel(grid[0, 4], "", "eigenoption of the exact map")
    draw_policy(ax, layout, first.policy, first.termination == 1.0)
    ax = panel(grid[2, :], "", "share of states in which options act as exact eigenoptions")
    draw_curves(ax, np.arange(1, 200) * 1_000, curves, band="error")
    ax.set_xlabel("primitive steps", fontsize=8)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set_xlim(0, 200_000)
    ax.set_ylim(0.4, 1.0)
    ax.legend(fontsize=8, frameon=False, title="the agent chooses among", title_fontsize=8)
    save_figure(figure, PICTURE, dpi=110, palette=True)


if __name__ == "__main__":
    draw()
