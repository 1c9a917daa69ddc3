"""DQN over actions and options: a deep Q-network for a semi-Markov decision process in one file.

What: the four rooms with eigenoptions in addition to the four moves. `hsr.OptionEnv` makes each
option one more discrete action, which runs until it stops. Three changes distinguish this script
from an ordinary DQN. Each is marked `SMDP` below:

1. Rewards during a choice are discounted step by step: R = r_1 + g r_2 + ..., which is
   `info["discounted_reward"]`.
2. The value of the next state is discounted by the duration of the choice,
   target = R + g^duration * max Q(next, .), with `info["duration"]`.
3. Acting and the maximum consider available choices only: `info["action_mask"]`.

Why: an agent library that treats an option as an ordinary action discounts the next value once,
however long the option ran. Few choices then look better than few steps, and the values solve
another problem. `--no-smdp` does the same, for comparison.

Expect: the length of training episodes at intervals. Then the greedy policy from every state is
compared with shortest paths, and the learned values with the optimal ones, both from
`hsr.optimal_value`. The figure is written to out/examples/cleanrl_dqn.png. The style follows
CleanRL.

    python examples/cleanrl_dqn.py              # one run of 10,000 choices; --help lists settings
    python examples/cleanrl_dqn.py --no-smdp    # the same without change 2
    python examples/cleanrl_dqn.py --quick      # 1,500 choices: shows that it runs, learns little
"""

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import gymnasium
import numpy as np
import torch
import tyro
from torch import nn

import hsr
import hsr.envs  # registers the environments
from hsr.plots import draw_values, new_figure, save_figure

LOST = 200  # a greedy episode of this many primitive steps counts as never arriving


@dataclass
class Args:
    """DQN over actions and options on the four rooms."""

    seed: int = 1
    total_choices: int = 10_000
    """number of choices; an option counts once, however long it runs"""
    n_options: int = 8
    gamma: float = 0.95
    learning_rate: float = 1e-3
    buffer_size: int = 10_000
    batch_size: int = 64
    learning_starts: int = 200
    train_every: int = 2
    target_every: int = 200
    start_epsilon: float = 1.0
    end_epsilon: float = 0.05
    exploration_fraction: float = 0.5
    smdp: bool = True
    """discount by duration; otherwise once per choice, as libraries without options do"""
    quick: bool = False
    """few choices: shows that it runs, learns little"""
    out: Path = Path("out/examples")


class Memory:
    """Replay memory of choices, one array per field.

    The fields are the state, the choice, its discounted reward, the discount of the next value, the
    next state and its action mask.
    """

    def __init__(self, size, n_choices):
        self.state, self.choice, self.next_state = (
            np.zeros(size, dtype=np.int64) for _ in range(3)
        )
        self.reward, self.discount = (np.zeros(size, dtype=np.float32) for _ in range(2))
        self.next_mask = np.zeros((size, n_choices), dtype=bool)
        self.size, self.n = size, 0

    def add(self, *choice):
        """Store one choice, replacing the oldest if the memory is full."""
        k = self.n % self.size
        for array, value in zip(self.arrays(), choice, strict=True):
            array[k] = value
        self.n += 1

    def sample(self, rng, n):
        """Return n stored choices drawn with replacement, as tensors."""
        k = rng.integers(min(self.n, self.size), size=n)
        return [torch.as_tensor(array[k]) for array in self.arrays()]

    def arrays(self):
        """Return the arrays in the order of the arguments of `add`."""
        return self.state, self.choice, self.reward, self.discount, self.next_state, self.next_mask


def make_env(args, start):
    """Return the four rooms with moves and options. `start` is a state or "random"."""
    env = gymnasium.make("hsr/FourRooms-v0", start=start, discount=args.gamma)
    options = hsr.eigenoptions(env.unwrapped.mdp, n_options=args.n_options, signs="both")
    return hsr.OptionEnv(env, options, discount=args.gamma)


def best(q, mask):
    """Return the largest value among available choices and its index, along the last axis."""
    return q.masked_fill(~mask, -torch.inf).max(dim=-1)


def train(args, env):
    """Return the trained network and the primitive steps of each training episode."""
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    n_states, n_choices = int(env.observation_space.n), int(env.action_space.n)
    network = nn.Sequential(nn.Embedding(n_states, 64), nn.ReLU(), nn.Linear(64, n_choices))
    # Small weights, as in a linear layer over one-hot states, so that values begin near 0.
    nn.init.uniform_(network[0].weight, -0.1, 0.1)
    target = deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate)
    memory = Memory(args.buffer_size, n_choices)
    episodes, steps = [], 0
    state, info = env.reset(seed=args.seed)
    for n in range(args.total_choices):
        mask = info["action_mask"].astype(bool)
        progress = min(n / (args.exploration_fraction * args.total_choices), 1.0)
        if rng.random() < args.start_epsilon + progress * (args.end_epsilon - args.start_epsilon):
            choice = int(rng.choice(np.flatnonzero(mask)))  # SMDP 3
        else:
            with torch.no_grad():
                q = network(torch.tensor(state))
                choice = int(best(q, torch.as_tensor(mask)).indices)  # SMDP 3
        next_state, _, terminated, truncated, info = env.step(choice)
        duration = info["duration"] if args.smdp else 1  # SMDP 2
        discount = 0.0 if terminated else args.gamma**duration
        reward = info["discounted_reward"]  # SMDP 1
        memory.add(state, choice, reward, discount, next_state, info["action_mask"])
        state, steps = next_state, steps + info["duration"]
        if terminated or truncated:
            episodes.append(steps)
            state, info = env.reset()
            steps = 0
        if n >= args.learning_starts and n % args.train_every == 0:
            s, c, r, g, t, available = memory.sample(rng, args.batch_size)
            with torch.no_grad():
                y = r + g * best(target(t), available).values  # SMDP 2, 3
            q = network(s).gather(1, c[:, None])[:, 0]
            loss = nn.functional.smooth_l1_loss(q, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if n % args.target_every == 0:
            target.load_state_dict(network.state_dict())
        if (n + 1) % (args.total_choices // 5) == 0:
            recent = np.mean(episodes[-10:])
            print(f"{n + 1:6,} choices, {len(episodes)} episodes; last ten: {recent:.1f} steps")
    return network, episodes


def greedy_steps(env, network):
    """Return the primitive steps of one greedy episode, or `LOST` if it does not arrive."""
    state, info = env.reset(seed=0)
    steps, terminated = 0, False
    while not terminated and steps < LOST:
        with torch.no_grad():
            mask = torch.as_tensor(info["action_mask"].astype(bool))
            choice = int(best(network(torch.tensor(state)), mask).indices)
        state, _, terminated, _, info = env.step(choice)
        steps += info["duration"]
    return steps if terminated else LOST


def values_of(env, network):
    """Return the largest value among available choices in each state, of shape (S,)."""
    primitives = np.ones((env.n_primitives, env.observation_space.n), dtype=bool)
    mask = np.concatenate([primitives, env.options.initiation])
    with torch.no_grad():
        return best(network(torch.arange(mask.shape[1])), torch.as_tensor(mask.T)).values.numpy()


def draw(layout, episodes, error, excess, path):
    """Draw training episodes, errors of learned values, and excess steps of the greedy policy."""
    figure = new_figure(9, 2.9)
    curve, *maps = figure.subplots(1, 3)
    curve.semilogy(np.arange(1, len(episodes) + 1), episodes, color="black", linewidth=0.5)
    curve.set(xlabel="training episode", ylabel="primitive steps")
    limit = max(float(np.abs(error).max()), 0.1)
    titles = ("learned minus optimal value", "excess greedy steps (20 or more: 20)")
    looks = (
        {"cmap": "RdBu", "limits": (-limit, limit)},
        {"cmap": "viridis", "limits": (0.0, 20.0)},
    )
    for ax, title, numbers, look in zip(
        maps, titles, (error, np.minimum(excess, 20)), looks, strict=True
    ):
        ax.set_title(title, fontsize=9)
        figure.colorbar(draw_values(ax, layout, numbers, **look), ax=ax, shrink=0.8)
    figure.tight_layout()
    return save_figure(figure, path)


def main():
    """Train, compare the greedy policy and the values with the optimum, and draw."""
    args = tyro.cli(Args)
    if args.quick:
        args.total_choices = 1_500
    torch.set_num_threads(1)
    env = make_env(args, start="random")
    network, episodes = train(args, env)

    world = env.unwrapped
    v = hsr.optimal_value(world.mdp, world.task)
    starts = np.flatnonzero(v)  # all states except the goal, which has value 0
    shortest, greedy = np.zeros(len(v), dtype=int), np.zeros(len(v), dtype=int)
    shortest[starts] = np.rint(1 + np.log(v[starts]) / np.log(args.gamma))  # v = g^(steps - 1)
    greedy[starts] = [greedy_steps(make_env(args, int(state)), network) for state in starts]
    error = np.where(v > 0, values_of(env, network) - v, 0.0)

    first, n_lost = world.layout.start, np.sum(greedy == LOST)
    length = f"{greedy[first]} steps" if greedy[first] < LOST else f"more than {LOST} steps"
    print(f"greedy path from the start to the goal: {length}; shortest path: {shortest[first]}")
    n_shortest = np.sum(greedy[starts] == shortest[starts])
    print(f"from {len(starts)} states: {n_shortest} on a shortest path, {n_lost} never arrive")
    arrived = (greedy > 0) & (greedy < LOST)
    if arrived.any():
        means = greedy[arrived].mean(), shortest[arrived].mean()
        print(f"where it arrives: {means[0]:.2f} steps on average, shortest paths {means[1]:.2f}")
    errors = np.abs(error[starts]).mean(), np.abs(error).max()
    print(f"absolute error of learned values: mean {errors[0]:.3f}, largest {errors[1]:.3f}")
    path = args.out / "cleanrl_dqn.png"
    print("Figure:", draw(world.layout, episodes, error, greedy - shortest, path))


if __name__ == "__main__":
    main()
