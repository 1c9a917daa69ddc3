"""Action masks for sb3-contrib: MaskablePPO with options, compared with PPO that must wait.

What: the four rooms with the far goal, 18 steps from the start, with moves and eigenoptions. An
option cannot start in every state. `MaskablePPO` asks the environment for `action_masks()` before
each choice, and never chooses an option that is not available. `PPO` of Stable-Baselines3 has no
masks. With `unavailable="wait"` such a choice does nothing and is wasted. Both agents observe
one-hot states through `hsr.FeatureObservation`, have the same network and settings, and train for
the same number of choices.

Why: to show that masks need no extra code, also through wrappers, and what they save.

Expect: the fraction of choices that were wasted, and greedy steps to the goal before and after
training. Both agents discount once per choice, as sb3_options.py explains, so that long options
look better than they are. The figure is written to out/examples/sb3_masks.png.

    python examples/sb3_masks.py            # 3 seeds, 20,000 choices each
    python examples/sb3_masks.py --quick    # 1 seed, 1,024 choices: shows that it runs
"""

import argparse
from pathlib import Path

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

import hsr
import hsr.envs  # registers the environments
from hsr.plots import new_figure, save_figure
from hsr.plots.curves import draw_curves

DISCOUNT = 0.95
HORIZON = 100  # a greedy episode of this many primitive steps counts as never arriving
EVERY = 512  # choices between two updates, and between two evaluations
AGENTS = {"masks": MaskablePPO, "waiting": PPO}


def world(masked):
    """Return the four rooms with moves and options, in which a wrong choice fails or waits."""
    layout = hsr.load_layout("four_rooms")
    env = gymnasium.make(
        "hsr/FourRooms-v0", goal=layout.cell_of(layout.goals[1]), discount=DISCOUNT
    )
    options = hsr.eigenoptions(env.unwrapped.mdp, n_options=8, signs="both")
    unavailable = "error" if masked else "wait"
    env = hsr.OptionEnv(env, options, reward="discounted", unavailable=unavailable)
    env = hsr.FeatureObservation(env, np.eye(layout.n_states))
    # A time limit in choices, since a choice that waits takes no primitive step.
    return gymnasium.wrappers.TimeLimit(env, 200)


class Notes(BaseCallback):
    """Count choices that took no step, and evaluate the greedy policy after every update."""

    def __init__(self, env):
        super().__init__()
        self.env, self.curve, self.choices, self.wasted = env, [], 0, 0

    def _on_rollout_start(self):
        self.curve.append(greedy_steps(self.model, self.env))

    def _on_training_end(self):
        self.curve.append(greedy_steps(self.model, self.env))

    def _on_step(self):
        self.choices += 1
        self.wasted += self.locals["infos"][0]["duration"] == 0
        return True


def greedy_steps(model, env):
    """Return the primitive steps of one greedy episode, or `HORIZON` if it does not arrive."""
    observation, _ = env.reset(seed=0)
    steps, over, terminated = 0, False, False
    while steps < HORIZON and not over:
        masks = {"action_masks": get_action_masks(env)} if isinstance(model, MaskablePPO) else {}
        choice, _ = model.predict(observation, deterministic=True, **masks)
        observation, _, terminated, truncated, info = env.step(int(choice))
        steps, over = steps + info["duration"], terminated or truncated
    return steps if terminated else HORIZON


def learn(name, seed, n_choices):
    """Train one agent and return its callback with the recorded curve."""
    masked = name == "masks"
    model = AGENTS[name](
        "MlpPolicy",
        world(masked),
        gamma=DISCOUNT,
        learning_rate=1e-3,
        n_steps=EVERY,
        batch_size=64,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [64]},
        seed=seed,
        device="cpu",
    )
    notes = Notes(world(masked))
    model.learn(n_choices, callback=notes)
    return notes


def report(runs, shortest):
    """Print what each agent wasted and how it walks. `runs` holds callbacks for each agent."""
    print(f"\nGreedy steps to the goal by seed. The shortest path has {shortest} steps.")
    print(f"{HORIZON} means that the goal is not reached.")
    for name, notes in runs.items():
        before, after = (" ".join(str(note.curve[k]) for note in notes) for k in (0, -1))
        wasted = np.mean([note.wasted / note.choices for note in notes])
        print(f"{name:8} before {before}, after {after}; {wasted:.1%} of the choices wasted")


def draw(runs, shortest, path):
    """Draw the mean over seeds of the greedy steps, with a band of one standard error."""
    curves = {name: np.array([note.curve for note in notes]) for name, notes in runs.items()}
    figure = new_figure(5, 3)
    ax = figure.subplots()
    draw_curves(ax, EVERY * np.arange(curves["masks"].shape[1]), curves)
    ax.axhline(shortest, color="grey", linewidth=0.8)
    ax.set(xlabel="choices of training", ylabel="greedy steps to the goal", ylim=(0, HORIZON + 4))
    ax.legend(fontsize=8)
    figure.tight_layout()
    return save_figure(figure, path)


def main():
    """Train both agents on each seed, then report and draw."""
    parser = argparse.ArgumentParser(description="MaskablePPO and PPO with options as actions.")
    parser.add_argument("--quick", action="store_true", help="one seed, few choices")
    parser.add_argument("--out", type=Path, default=Path("out/examples"))
    arguments = parser.parse_args()
    seeds, n_choices = (range(1), 1_024) if arguments.quick else (range(3), 20_000)

    torch.set_num_threads(1)
    layout = hsr.load_layout("four_rooms")
    shortest = int(layout.distances_from(layout.start)[layout.goals[1]])
    runs = {}
    for name in AGENTS:
        runs[name] = [learn(name, seed, n_choices) for seed in seeds]
        print(f"{name}: {len(seeds)} x {n_choices:,} choices finished", flush=True)
    report(runs, shortest)
    print("Figure:", draw(runs, shortest, arguments.out / "sb3_masks.png"))


if __name__ == "__main__":
    main()
