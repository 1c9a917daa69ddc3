"""Options for Stable-Baselines3: DQN with moves and eigenoptions, compared with moves only.

What: the four rooms with the far goal, 18 steps from the start. `hsr.OptionEnv` makes each option
one more discrete action. For Stable-Baselines3 it is an ordinary environment. Both agents observe
one-hot states, have the same network and step size, and train for the same number of primitive
steps. An option counts with all its steps, so the agent with options makes fewer choices and
proportionally fewer updates.

Why: to show two facts about options in an agent library.

- DQN has no action masks. `unavailable="wait"` lets an unavailable option do nothing, instead of
  raising an error.
- DQN discounts once per choice, whatever its duration. `reward="discounted"` discounts the rewards
  during a choice. The next value is still discounted by g instead of g^duration, so few choices
  look better than few steps. The script also solves that problem exactly, to separate this fault
  from errors of learning. cleanrl_dqn.py has an agent without it.

Expect: greedy steps before and after training, the fraction of training spent within options, and
the difference between the two agents. The conclusions are computed from the numbers. The figure is
written to out/examples/sb3_options.png.

    python examples/sb3_options.py            # 5 seeds, 15,000 primitive steps each
    python examples/sb3_options.py --quick    # 2 seeds, 1,000 steps: shows that it runs
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
EVERY = 500  # primitive steps between two evaluations of the greedy policy
AGENTS = {"moves": 0, "moves and options": 8}  # number of eigenoptions


def world(n_options):
    """Return the four rooms with the far goal, with options if `n_options` is positive."""
    layout = hsr.load_layout("four_rooms")
    env = gymnasium.make(
        "hsr/FourRooms-v0", goal=layout.cell_of(layout.goals[1]), discount=DISCOUNT
    )
    if n_options == 0:
        return env
    options = hsr.eigenoptions(env.unwrapped.mdp, n_options=n_options, signs="both")
    return hsr.OptionEnv(env, options, reward="discounted", unavailable="wait", discount=DISCOUNT)


class PrimitiveSteps(BaseCallback):
    """Count primitive steps, evaluate every `EVERY` of them, and stop after `budget`."""

    def __init__(self, env, budget):
        super().__init__()
        self.env, self.budget = env, budget
        self.curve, self.steps, self.steps_in_options, self.choices = [], 0, 0, 0

    def _on_training_start(self):
        self.curve.append(greedy_steps(self.model, self.env))

    def _on_step(self):
        duration = self.locals["infos"][0].get("duration", 1)
        self.choices += 1
        self.steps += duration
        self.steps_in_options += duration if self.locals["actions"][0] >= 4 else 0
        while len(self.curve) <= self.steps // EVERY and len(self.curve) <= self.budget // EVERY:
            self.curve.append(greedy_steps(self.model, self.env))
        return self.steps < self.budget


def greedy_steps(model, env):
    """Return the primitive steps of one greedy episode, or `HORIZON` if it does not arrive."""
    observation, _ = env.reset(seed=0)
    steps, terminated = 0, False
    while steps < HORIZON and not terminated:
        choice, _ = model.predict(observation, deterministic=True)
        observation, _, terminated, _, info = env.step(int(choice))
        # An unavailable option takes no step. Count it as one, so that repeating it ends the loop.
        steps += max(info.get("duration", 1), 1)
    return min(steps, HORIZON)


def learn(n_options, seed, budget):
    """Train one DQN and return its callback with the recorded curve."""
    model = DQN(
        "MlpPolicy",
        world(n_options),
        gamma=DISCOUNT,
        learning_rate=1e-3,
        learning_starts=200,
        train_freq=2,
        target_update_interval=200,
        policy_kwargs={"net_arch": [64]},
        seed=seed,
        device="cpu",
    )
    notes = PrimitiveSteps(world(n_options), budget)
    # Stable-Baselines3 reduces exploration with the number of choices. Here it decreases with
    # primitive steps, for both agents.
    model.exploration_schedule = lambda _: max(0.05, 1.0 - 1.9 * notes.steps / budget)
    model.learn(budget, callback=notes)
    return notes


def best_when_discounted_once(env):
    """Return the range of path lengths of the optimal policies with one discount per choice.

    The range holds the fewest and the most steps from start to goal. It is exact: a DQN as above
    that learned its values without error would take such a path.
    """
    mdp, task = env.unwrapped.mdp, env.unwrapped.task
    model = hsr.option_model(mdp, env.options, task=task)
    kernels = [model.stopping(choice).toarray() for choice in range(model.n_choices)]
    stopping = np.stack(kernels, axis=1)  # (S, C, S): g^steps at the end of a choice
    end, available = stopping.argmax(axis=2), model.available.T
    gain = np.where(available, stopping.max(axis=2), 1.0)
    steps = np.rint(np.log(gain) / np.log(DISCOUNT)).astype(int)
    v = np.zeros(mdp.n_states)
    for _ in range(1_000):
        q = np.where(end == task.goal, DISCOUNT ** (steps - 1.0), DISCOUNT * v[end])
        q = np.where(available, q, 0.0)
        q[task.goal] = 0.0
        v = q.max(axis=1)
    best = available & (q >= v[:, None] - 1e-9)
    fewest, most = np.zeros(mdp.n_states, dtype=int), np.zeros(mdp.n_states, dtype=int)
    for _ in range(mdp.n_states):  # more rounds than any of these paths has choices
        fewest = np.where(best, steps + fewest[end], HORIZON).min(axis=1)
        most = np.where(best, steps + most[end], 0).max(axis=1)
        fewest[task.goal] = most[task.goal] = 0
    return fewest[task.start], most[task.start]


def report(runs, shortest):
    """Print the results. `runs` holds a list of callbacks for each agent."""
    print(f"\nGreedy steps to the goal by seed. The shortest path has {shortest} steps.")
    print(f"{HORIZON} means that the goal is not reached.")
    for name, notes in runs.items():
        before, after = (" ".join(str(note.curve[k]) for note in notes) for k in (0, -1))
        first = ", ".join(first_reached(note.curve) for note in notes)
        print(f"{name:17}  before {before}, after {after}; first at the goal at step {first}")
        fraction = np.mean([note.steps_in_options / note.steps for note in notes])
        n_choices = np.mean([note.choices for note in notes])
        print(f"{'':17}  {n_choices:,.0f} choices, {fraction:.0%} of the steps within options")
    plain, with_options = (
        np.array([np.mean(note.curve) for note in notes]) for notes in runs.values()
    )
    pace = mean_interval(with_options - plain)
    means = f"moves {plain.mean():.1f}, moves and options {with_options.mean():.1f}"
    print(f"\nMean over all evaluations: {means}.")
    interval = f"{pace.estimate:+.1f} ({pace.low:+.1f} to {pace.high:+.1f}, 95 %)"
    print(f"Difference by seed {interval}: {in_words(pace)}.")
    for name, notes in runs.items():
        last = np.array([note.curve[-1] for note in notes])
        longer, lost = np.sum((last > shortest) & (last < HORIZON)), np.sum(last == HORIZON)
        counts = f"{np.sum(last == shortest)} seeds on a shortest path, {longer} on a longer one"
        print(f"At the end, {name}: {counts}, {lost} never arrive.")


def first_reached(curve):
    """Return the training step at which the greedy policy first reached the goal, as text."""
    found = np.flatnonzero(np.array(curve) < HORIZON)
    return f"{found[0] * EVERY:,}" if found.size else "never"


def in_words(difference):
    """Return the conclusion from the interval of a difference in steps."""
    if difference.low > 0.0:
        return "with options learning was slower"
    faster = difference.high < 0.0
    return "with options learning was faster" if faster else "no difference is established"


def draw(runs, shortest, path):
    """Draw the mean over seeds of the greedy steps, with a band of one standard error."""
    curves = {name: np.array([note.curve for note in notes]) for name, notes in runs.items()}
    figure = new_figure(5, 3)
    ax = figure.subplots()
    draw_curves(ax, EVERY * np.arange(curves["moves"].shape[1]), curves)
    ax.axhline(shortest, color="grey", linewidth=0.8)
    ax.text(0, shortest - 1, "shortest path", fontsize=7, color="grey", va="top")
    ax.set(
        xlabel="primitive steps of training",
        ylabel="greedy steps to the goal",
        ylim=(0, HORIZON + 4),
    )
    ax.legend(fontsize=8)
    figure.tight_layout()
    return save_figure(figure, path)


def main():
    """Train both agents on each seed, then report and draw."""
    parser = argparse.ArgumentParser(
        description="Stable-Baselines3 DQN with options as extra actions."
    )
    parser.add_argument("--quick", action="store_true", help="two seeds, few steps")
    parser.add_argument("--out", type=Path, default=Path("out/examples"))
    arguments = parser.parse_args()
    seeds, budget = (range(2), 1_000) if arguments.quick else (range(5), 15_000)

    torch.set_num_threads(1)
    layout = hsr.load_layout("four_rooms")
    shortest = int(layout.distances_from(layout.start)[layout.goals[1]])
    runs = {}
    for name, n_options in AGENTS.items():
        runs[name] = [learn(n_options, seed, budget) for seed in seeds]
        print(f"{name}: {len(seeds)} x {budget:,} primitive steps finished", flush=True)
    report(runs, shortest)
    fewest, most = best_when_discounted_once(world(AGENTS["moves and options"]))
    print(f"Exact solution with one discount per choice: paths of {fewest} to {most} steps.")
    print("Figure:", draw(runs, shortest, arguments.out / "sb3_options.png"))


if __name__ == "__main__":
    main()
