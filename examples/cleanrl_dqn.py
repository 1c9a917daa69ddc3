"""DQN over actions and options in one file: the deep Q-network of a semi-Markov decision process,
in the manner of CleanRL.

What: the four rooms, with eigenoptions beside the four moves. `hsr.OptionEnv` makes an option one
more discrete action, which runs until it stops. Three lines tell this from an ordinary DQN, each
marked `SMDP` below:

1. what is paid on the way is discounted step by step: R = r_1 + g r_2 + ... , which is
   `info["discounted_reward"]`;
2. what comes after is discounted by how long the choice took: target = R + g^duration * max Q(next,
   .), `info["duration"]`;
3. only what can be chosen is chosen, in acting and in the maximum: `info["action_mask"]`.

Why: an agent library that takes an option for an action discounts what follows once, however long
the option ran. Few choices then look better than few steps, and the values are those of another
problem. `--no-smdp` does just that, to compare.

Expect: the length of training episodes now and then; then the greedy policy, walked from every
state, against the shortest ways, and the learned values against the optimal ones, both from
`hsr.optimal_value`. Whether it found them is printed as it came out. The picture goes to
out/examples/cleanrl_dqn.png.

    python examples/cleanrl_dqn.py                      # one run of 10,000 choices; --help lists what can be changed
    python examples/cleanrl_dqn.py --no-smdp            # the same with line 2 left out
    python examples/cleanrl_dqn.py --quick              # 1,500 choices: shows that it runs, not what it learns
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
from hsr.plots import draw_values, new_figure, save_figure

LOST = 200  # primitive steps after which a greedy walk counts as lost


@dataclass
class Args:
    """DQN over actions and options on the four rooms."""

    seed: int = 1
    total_choices: int = 10_000
    """how often the agent chooses; an option counts once, however long it runs"""
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
    """discount by duration; without it, once per choice, as a library does that takes an option for an action"""
    quick: bool = False
    """few choices: shows that it runs, not what it learns"""
    out: Path = Path("out/examples")


class Memory:
    """The last choices, as arrays: state, choice, discounted reward, discount of what follows, next
    state, its mask.
    """

    def __init__(self, size, n_choices):
        self.state, self.choice, self.next_state = (
            np.zeros(size, dtype=np.int64) for _ in range(3)
        )
        self.reward, self.discount = (np.zeros(size, dtype=np.float32) for _ in range(2))
        self.next_mask = np.zeros((size, n_choices), dtype=bool)
        self.size, self.n = size, 0

    def add(self, *choice):
        """Store one choice in place of the oldest."""
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
    """Return the four rooms with options beside the moves; `start` is a state, or "random" for any
    state.
    """
    env = gymnasium.make("hsr/FourRooms-v0", start=start, discount=args.gamma)
    options = hsr.eigenoptions(env.unwrapped.mdp, n_options=args.n_options, signs="both")
    return hsr.OptionEnv(env, options, discount=args.gamma)


def best(q, mask):
    """Return the largest value among what can be chosen, and which it is, along the last axis."""
    return q.masked_fill(~mask, -torch.inf).max(dim=-1)


def train(args, env):
    """Return the trained network, and how many primitive steps each training episode took."""
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    n_states, n_choices = int(env.observation_space.n), int(env.action_space.n)
    network = nn.Sequential(nn.Embedding(n_states, 64), nn.ReLU(), nn.Linear(64, n_choices))
    nn.init.uniform_(
        network[0].weight, -0.1, 0.1
    )  # as of a linear layer over one-hot states: values begin near 0
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
                choice = int(
                    best(network(torch.tensor(state)), torch.as_tensor(mask)).indices
                )  # SMDP 3
        next_state, _, terminated, truncated, info = env.step(choice)
        ahead = (
            0.0 if terminated else args.gamma ** (info["duration"] if args.smdp else 1)
        )  # SMDP 2
        memory.add(
            state, choice, info["discounted_reward"], ahead, next_state, info["action_mask"]
        )  # SMDP 1
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
            print(
                f"{n + 1:6,} choices, {len(episodes)} episodes; mean of the last ten: {np.mean(episodes[-10:]):.1f} steps"
            )
    return network, episodes


def greedy_steps(env, network):
    """Return the primitive steps of the greedy policy from where `env` starts to the goal, `LOST`
    if it takes so many.
    """
    state, info = env.reset(seed=0)
    steps, terminated = 0, False
    while not terminated and steps < LOST:
        with torch.no_grad():
            choice = int(
                best(
                    network(torch.tensor(state)), torch.as_tensor(info["action_mask"].astype(bool))
                ).indices
            )
        state, _, terminated, _, info = env.step(choice)
        steps += info["duration"]
    return steps if terminated else LOST


def values_of(env, network):
    """Return the largest Q among what can be chosen in each state, of shape (S,)."""
    mask = np.concatenate(
        [np.ones((env.n_primitives, env.observation_space.n), dtype=bool), env.options.initiation]
    )
    with torch.no_grad():
        return best(network(torch.arange(mask.shape[1])), torch.as_tensor(mask.T)).values.numpy()


def draw(layout, episodes, error, excess, path):
    """Draw steps of the training episodes, the error of the learned values, and the greedy policy's
    steps too many.
    """
    figure = new_figure(9, 2.9)
    curve, *maps = figure.subplots(1, 3)
    curve.semilogy(np.arange(1, len(episodes) + 1), episodes, color="black", linewidth=0.5)
    curve.set(xlabel="training episode", ylabel="primitive steps")
    limit = max(float(np.abs(error).max()), 0.1)
    titles = ("learned value less the optimal one", "greedy steps too many (20: or more)")
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
    """Train, walk greedily from everywhere, compare with the shortest ways and the optimal values,
    draw.
    """
    args = tyro.cli(Args)
    if args.quick:
        args.total_choices = 1_500
    torch.set_num_threads(1)
    env = make_env(args, start="random")
    network, episodes = train(args, env)

    world = env.unwrapped
    v = hsr.optimal_value(world.mdp, world.task)
    starts = np.flatnonzero(v)  # all but the goal, whose value is 0
    shortest, greedy = np.zeros(len(v), dtype=int), np.zeros(len(v), dtype=int)
    shortest[starts] = np.rint(1 + np.log(v[starts]) / np.log(args.gamma))  # v = g^(steps - 1)
    greedy[starts] = [greedy_steps(make_env(args, int(state)), network) for state in starts]
    error = np.where(v > 0, values_of(env, network) - v, 0.0)

    first, n_lost = world.layout.start, np.sum(greedy == LOST)
    told = f"{greedy[first]} steps" if greedy[first] < LOST else f"not within {LOST} steps"
    print(
        f"greedy policy from the start of the map to the goal: {told}; the shortest way has {shortest[first]}"
    )
    print(
        f"from {len(starts)} states: {np.sum(greedy[starts] == shortest[starts])} on a shortest way, {n_lost} lost"
    )
    arrived = (greedy > 0) & (greedy < LOST)
    if arrived.any():
        print(
            f"where it arrives: {greedy[arrived].mean():.2f} steps in the mean, shortest ways {shortest[arrived].mean():.2f}"
        )
    print(
        f"learned values are off by {np.abs(error[starts]).mean():.3f} in the mean, {np.abs(error).max():.3f} at most"
    )
    print(
        "Picture:",
        draw(world.layout, episodes, error, greedy - shortest, args.out / "cleanrl_dqn.png"),
    )


if __name__ == "__main__":
    main()
