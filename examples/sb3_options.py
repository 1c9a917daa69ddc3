"""Options for Stable-Baselines3: DQN that may choose eigenoptions beside moves, against DQN with
moves alone.

What: the four rooms with the far goal, 18 steps from the start. `hsr.OptionEnv` makes each option
one more discrete action; to Stable-Baselines3 it is an environment like any other. Both agents see
the state one-hot, have the same network and step size, and train for the same number of primitive
steps. An option counts with all the steps that it took, so the agent with options makes fewer
choices, and as many fewer updates.

Why: to show the two things to know when an agent library is given options.

- DQN knows no masks. `unavailable="wait"` lets an option that cannot start do nothing, instead of
  being an error.
- DQN discounts once per choice, however long it took. `reward="discounted"` discounts what is paid
  on the way; what comes after is still discounted by g instead of g^duration, so that few choices,
  not few steps, look best. The script also solves that problem exactly, to tell this fault from
  those of learning. An agent without it is in cleanrl_dqn.py.

Expect: greedy steps before and after training, the share of training spent within options, and how
the two agents differ. The words follow from the numbers. The picture goes to
out/examples/sb3_options.png.

    python examples/sb3_options.py            # 5 seeds, 15,000 primitive steps each
    python examples/sb3_options.py --quick    # 2 seeds, 1,000 steps: shows that it runs, not what it learns
"""

import argparse
from pathlib import Path

import gymnasium
import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback

import hsr
from hsr.paper.stats import mean_interval
from hsr.plots import new_figure, save_figure
from hsr.plots.curves import draw_curves

DISCOUNT = 0.95
HORIZON = 100  # steps after which a greedy walk counts as lost
EVERY = 500  # primitive steps between two looks at the greedy policy
AGENTS = {"moves": 0, "moves and options": 8}  # how many eigenoptions each has


def world(n_options):
    """Return the four rooms with the far goal and, if asked for, options beside the moves."""
    layout = hsr.load_layout("four_rooms")
    env = gymnasium.make(
        "hsr/FourRooms-v0", goal=layout.cell_of(layout.goals[1]), discount=DISCOUNT
    )
    if n_options == 0:
        return env
    options = hsr.eigenoptions(env.unwrapped.mdp, n_options=n_options, signs="both")
    return hsr.OptionEnv(env, options, reward="discounted", unavailable="wait", discount=DISCOUNT)


class PrimitiveSteps(BaseCallback):
    """Counts primitive steps, looks at the greedy policy after every `EVERY` of them, and ends
    training after `budget`.
    """

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
    """Return how many primitive steps the greedy policy takes to the goal, at most `HORIZON`, which
    means that it is lost.
    """
    observation, _ = env.reset(seed=0)
    steps, terminated = 0, False
    while steps < HORIZON and not terminated:
        choice, _ = model.predict(observation, deterministic=True)
        observation, _, terminated, _, info = env.step(int(choice))
        steps += max(
            info.get("duration", 1), 1
        )  # an option that cannot start takes no step; to be stuck on it is to be lost
    return min(steps, HORIZON)


def learn(n_options, seed, budget):
    """Train one DQN and return what its callback noted."""
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
    # Stable-Baselines3 lets exploration fall with the number of choices; here it falls with
    # primitive steps, for both agents.
    model.exploration_schedule = lambda _: max(0.05, 1.0 - 1.9 * notes.steps / budget)
    model.learn(budget, callback=notes)
    return notes


def best_when_discounted_once(env):
    """Return the fewest and the most steps from start to goal of the policies that are best if
    every choice is discounted once.

    Exact, without learning: what a DQN as above would end on, had it learned its values without
    error.
    """
    mdp, task = env.unwrapped.mdp, env.unwrapped.task
    model = hsr.option_model(mdp, env.options, task=task)
    stopping = np.stack(
        [model.stopping(choice).toarray() for choice in range(model.n_choices)], axis=1
    )  # g^steps where it ends
    end, available = stopping.argmax(axis=2), model.available.T
    steps = np.rint(
        np.log(np.where(available, stopping.max(axis=2), 1.0)) / np.log(DISCOUNT)
    ).astype(int)
    v = np.zeros(mdp.n_states)
    for _ in range(1_000):
        q = np.where(end == task.goal, DISCOUNT ** (steps - 1.0), DISCOUNT * v[end])
        q = np.where(available, q, 0.0)
        q[task.goal] = 0.0
        v = q.max(axis=1)
    best = available & (q >= v[:, None] - 1e-9)
    fewest, most = np.zeros(mdp.n_states, dtype=int), np.zeros(mdp.n_states, dtype=int)
    for _ in range(mdp.n_states):  # more rounds than any of these ways has choices
        fewest = np.where(best, steps + fewest[end], HORIZON).min(axis=1)
        most = np.where(best, steps + most[end], 0).max(axis=1)
        fewest[task.goal] = most[task.goal] = 0
    return fewest[task.start], most[task.start]


def report(runs, shortest):
    """Print what came out, and nothing that did not; runs are lists of callbacks by agent."""
    print(
        f"\nGreedy steps to the goal by seed. The shortest way has {shortest}; {HORIZON} means that the goal is not reached."
    )
    for name, notes in runs.items():
        before, after = (" ".join(str(note.curve[look]) for note in notes) for look in (0, -1))
        first = ", ".join(first_reached(note.curve) for note in notes)
        print(f"{name:17}  before {before}, after {after}; first at the goal at step {first}")
        share = np.mean([note.steps_in_options / note.steps for note in notes])
        print(
            f"{'':17}  {np.mean([note.choices for note in notes]):,.0f} choices, {share:.0%} of the steps within options"
        )
    plain, with_options = (
        np.array([np.mean(note.curve) for note in notes]) for notes in runs.values()
    )
    pace = mean_interval(with_options - plain)
    print(
        f"\nMean over all looks: moves {plain.mean():.1f}, moves and options {with_options.mean():.1f}."
    )
    print(
        f"Difference by seed {pace.estimate:+.1f} ({pace.low:+.1f} to {pace.high:+.1f}, 95 %): {in_words(pace)}."
    )
    for name, notes in runs.items():
        last = np.array([note.curve[-1] for note in notes])
        longer, lost = np.sum((last > shortest) & (last < HORIZON)), np.sum(last == HORIZON)
        print(
            f"At the end, {name}: {np.sum(last == shortest)} seeds go the shortest way, {longer} a longer one, {lost} none."
        )


def first_reached(curve):
    """Return, in words, after how many primitive steps of training the greedy policy first reached
    the goal.
    """
    found = np.flatnonzero(np.array(curve) < HORIZON)
    return f"{found[0] * EVERY:,}" if found.size else "never"


def in_words(difference):
    """Return what an interval of a difference of steps says."""
    if difference.low > 0.0:
        return "with options learning was slower"
    return (
        "with options learning was faster" if difference.high < 0.0 else "no difference can be told"
    )


def draw(runs, shortest, path):
    """Draw the mean over seeds of the greedy steps, with a band of one standard error."""
    curves = {name: np.array([note.curve for note in notes]) for name, notes in runs.items()}
    figure = new_figure(5, 3)
    ax = figure.subplots()
    draw_curves(ax, EVERY * np.arange(curves["moves"].shape[1]), curves)
    ax.axhline(shortest, color="grey", linewidth=0.8)
    ax.text(0, shortest - 1, "shortest way", fontsize=7, color="grey", va="top")
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
        print(f"{name}: {len(seeds)} x {budget:,} primitive steps done", flush=True)
    report(runs, shortest)
    fewest, most = best_when_discounted_once(world(AGENTS["moves and options"]))
    print(
        f"Solved exactly, with one discount per choice the best ways have {fewest} to {most} steps."
    )
    print("Picture:", draw(runs, shortest, arguments.out / "sb3_options.png"))


if __name__ == "__main__":
    main()
