"""Features of a predictive map for Stable-Baselines3: HSR features, SR features and one-hot states.

What: the four rooms with one start and one goal. A DQN of Stable-Baselines3 observes the state in
one of three ways through `hsr.FeatureObservation`: as a one-hot vector of length 104, or as 32
features, the NMF of the expected SR or of the expected HSR. Network, step size, exploration and
number of steps are the same for all three.

Why: to show how features of `hsr` are used in an agent library, and whether they help here. They
are computed from the MDP before learning, for all goals alike. One-hot states contain no such
information, so this is not a fair comparison and is not meant as one.

Expect: steps to the goal of the greedy policy before and after training, the training step at which
each seed first took the shortest path, and the differences between features. The conclusions are
computed from the numbers. The figure is written to out/examples/sb3_features.png.

    python examples/sb3_features.py            # 5 seeds, 12,000 steps each
    python examples/sb3_features.py --quick    # 2 seeds, 1,000 steps: shows that it runs
"""

import argparse
from pathlib import Path

import gymnasium
import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback

import hsr
import hsr.envs  # registers the environments
from hsr.experiments.stats import mean_interval
from hsr.plots import new_figure, save_figure
from hsr.plots.curves import draw_curves

DISCOUNT = 0.95
HORIZON = 100  # a greedy episode of this many steps counts as never arriving
EVERY = 500  # training steps between two evaluations of the greedy policy


def rooms():
    """Return the four rooms as an environment."""
    return gymnasium.make("hsr/FourRooms-v0", discount=DISCOUNT)


def bases():
    """Return the three bases of the four rooms by name."""
    mdp = rooms().unwrapped.mdp
    goals, options = hsr.goal_tasks(mdp), hsr.eigenoptions(mdp, n_options=8)
    sr, hierarchical = hsr.expected_sr(mdp, goals), hsr.expected_hsr(mdp, options, goals)
    return {
        "one-hot": hsr.OneHotBasis().fit(sr),
        "SR, NMF": hsr.NMFBasis(n_components=32, scale="max").fit(sr),
        "HSR, NMF": hsr.NMFBasis(n_components=32, scale="max").fit(hierarchical),
    }


class GreedySteps(BaseCallback):
    """Record the greedy policy's steps before training and after every `EVERY` steps."""

    def __init__(self, env):
        super().__init__()
        self.env, self.steps = env, []

    def _on_training_start(self):
        self.steps.append(greedy_steps(self.model, self.env))

    def _on_step(self):
        if self.num_timesteps % EVERY == 0:
            self.steps.append(greedy_steps(self.model, self.env))
        return True


def greedy_steps(model, env):
    """Return the steps of one greedy episode, or `HORIZON` if it does not arrive."""
    observation, _ = env.reset(seed=0)
    for step in range(1, HORIZON):
        action, _ = model.predict(observation, deterministic=True)
        observation, _, terminated, _, _ = env.step(int(action))
        if terminated:
            return step
    return HORIZON


def learn(basis, seed, steps):
    """Train one DQN and return its greedy steps, of shape (1 + steps / EVERY,)."""
    model = DQN(
        "MlpPolicy",
        hsr.FeatureObservation(rooms(), basis),
        gamma=DISCOUNT,
        learning_rate=1e-3,
        learning_starts=500,
        train_freq=4,
        target_update_interval=500,
        exploration_fraction=0.5,
        policy_kwargs={"net_arch": [64]},
        seed=seed,
        device="cpu",
    )
    record = GreedySteps(hsr.FeatureObservation(rooms(), basis))
    model.learn(steps, callback=record)
    return np.array(record.steps)


def first_shortest(curve, shortest):
    """Return the training step at which the greedy policy first took a shortest path, as text."""
    found = np.flatnonzero(curve == shortest)
    return f"{found[0] * EVERY:,}" if found.size else "never"


def report(curves, shortest):
    """Print the results."""
    print(f"\nGreedy steps to the goal by seed. The shortest path has {shortest} steps.")
    print(f"{HORIZON} means that the goal is not reached.")
    for name, runs in curves.items():
        before, after = (" ".join(f"{n}" for n in runs[:, k]) for k in (0, -1))
        first = ", ".join(first_shortest(run, shortest) for run in runs)
        print(f"{name:8}  before {before}, after {after}; first shortest path at step {first}")
    print("\nMean over all evaluations (smaller is faster), and HSR, NMF minus this mean by seed,")
    print("with its 95 % interval:")
    pace = {name: runs.mean(axis=1) for name, runs in curves.items()}
    for name, means in pace.items():
        difference = "" if name == "HSR, NMF" else in_words(mean_interval(pace["HSR, NMF"] - means))
        print(f"{name:8}  {means.mean():5.1f}  {difference}")


def in_words(difference):
    """Return the conclusion from the interval of a difference in steps."""
    numbers = f"{difference.estimate:+.1f} ({difference.low:+.1f} to {difference.high:+.1f})"
    if difference.low > 0.0:
        return f"{numbers}: HSR features were slower"
    if difference.high < 0.0:
        return f"{numbers}: HSR features were faster"
    return f"{numbers}: no difference is established"


def draw(curves, shortest, path):
    """Draw the mean over seeds of the greedy steps, with a band of one standard error."""
    figure = new_figure(5, 3)
    ax = figure.subplots()
    n_evaluations = next(iter(curves.values())).shape[1]
    draw_curves(ax, EVERY * np.arange(n_evaluations), curves)
    ax.axhline(shortest, color="grey", linewidth=0.8)
    ax.text(0, shortest + 1, "shortest path", fontsize=7, color="grey", va="bottom")
    ax.set(xlabel="training steps", ylabel="greedy steps to the goal", ylim=(0, HORIZON + 4))
    ax.legend(fontsize=8)
    figure.tight_layout()
    return save_figure(figure, path)


def main():
    """Train each agent on each seed, then report and draw."""
    parser = argparse.ArgumentParser(
        description="Stable-Baselines3 DQN on features of predictive maps."
    )
    parser.add_argument("--quick", action="store_true", help="two seeds, few steps")
    parser.add_argument("--out", type=Path, default=Path("out/examples"))
    arguments = parser.parse_args()
    seeds, steps = (range(2), 1_000) if arguments.quick else (range(5), 12_000)

    torch.set_num_threads(1)
    layout = hsr.load_layout("four_rooms")
    shortest = int(layout.distances_from(layout.start)[layout.goals[0]])
    curves = {}
    for name, basis in bases().items():
        curves[name] = np.array([learn(basis, seed, steps) for seed in seeds])
        print(f"{name}: {len(seeds)} x {steps:,} steps finished", flush=True)
    report(curves, shortest)
    print("Figure:", draw(curves, shortest, arguments.out / "sb3_features.png"))


if __name__ == "__main__":
    main()
