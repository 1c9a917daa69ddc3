"""Write the figure of docs/rewards.md: `python docs/figures/revaluation.py`.

It takes about 20 seconds and needs the extra `plots`.
"""

from pathlib import Path

import numpy as np

import hsr
from hsr.plots import draw_policy, draw_task, new_figure, panel, save_figure

DOCS = Path(__file__).parents[1]
KINDS = {"goals": "#000000", "several": "#0072b2", "mixed": "#d55e00", "smooth": "#009e73"}
N_TASKS, SEED, IMPROVEMENTS = 20, 0, 4
SHOWN = 3  # the seed of the task in the first two panels


def gains(M, mdp, kind: str) -> np.ndarray:
    """Return the share of the best gain over the random walk that each stage achieves.

    Of shape (tasks, stages). Returns are means over all starts.
    """
    rows = []
    for task in hsr.reward_tasks(mdp, N_TASKS, kind=kind, seed=SEED):
        stages = hsr.revalue(M, task, mdp, improvements=IMPROVEMENTS)
        achieved = stages.achieved[:, task.starts].mean(axis=1)
        walk = hsr.representation.policy_value(mdp, None, task)[task.starts].mean()
        rows.append((achieved - walk) / (achieved[-1] - walk))
    return np.array(rows)


def draw() -> None:
    """Draw choices for one task, and what the stages achieve for every kind of reward."""
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.95)
    maps = {
        "map of the random walk": hsr.successor_representation(mdp),
        "map of the way to an old goal": hsr.successor_representation(
            mdp, hsr.greedy_policy(mdp, hsr.GoalTask(None, mdp.n_states - 1))
        ),
    }
    figure = new_figure(10.0, 2.6)
    axes = figure.subplots(
        1, 4, gridspec_kw={"left": 0.01, "right": 0.985, "bottom": 0.19, "top": 0.9, "wspace": 0.2}
    )
    (task,) = hsr.reward_tasks(mdp, 1, kind="several", seed=SHOWN, start=0)
    stages = hsr.revalue(next(iter(maps.values())), task, mdp)
    over = np.isin(np.arange(mdp.n_states), task.terminal)
    for ax, letter, stage, title in zip(
        axes[:2], "ab", (0, -1), ("read from the map", "replanned"), strict=True
    ):
        panel(ax, letter, f"{title}: {stages.achieved[stage, 0]:.2f}")
        draw_task(ax, layout, task, colorbar=False)
        draw_policy(ax, layout, stages.choices[stage].argmax(axis=1), over)
    for ax, letter, (title, M) in zip(axes[2:], "cd", maps.items(), strict=True):
        panel(ax, letter, title)
        for kind, colour in KINDS.items():
            shares = gains(M, mdp, kind)
            mean, error = shares.mean(axis=0), shares.std(axis=0, ddof=1) / np.sqrt(N_TASKS)
            ax.errorbar(
                range(IMPROVEMENTS + 2), mean, error, color=colour, label=kind, linewidth=1.2
            )
        ax.set_ylim(0.0, 1.04)
        labels = ["map", *map(str, range(1, IMPROVEMENTS + 1)), "replan"]
        ax.set_xticks(range(IMPROVEMENTS + 2), labels, fontsize=7)
        ax.set_xlabel("steps of improvement", fontsize=8)
    axes[2].set_ylabel("share of the best gain", fontsize=8)
    axes[3].legend(fontsize=7, frameon=False, loc="lower right")
    save_figure(figure, DOCS / "revaluation.png", dpi=130, palette=True)


if __name__ == "__main__":
    draw()
