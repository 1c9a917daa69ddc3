"""Flat and hierarchical maps of networks after equal numbers of updates: 20 mazes, best settings.

    python -m benchmarks.deep.when FILE.json            # about 5 minutes on one H200
    python -m benchmarks.deep.when FILE.json --table    # what was found, as Markdown

**Question.** That of `studies/when_hierarchy_pays.py`, for maps that a network learns: does the HSR
with 16 eigenoptions lead to more goals than the SR, if both have had the same number of updates and
the discount and learning rate of each, and the discount of the options, were chosen in other mazes?

**Runs.** 20 mazes that are trees of 15 x 15 cells, all with 97 states. For every discount and rate,
a network with two hidden layers of 128 units learns from a random walk of 50,000 steps, by the loss
of `hsr.deep.learn_sr` and `hsr.deep.learn_hsr`. Agents compare the entries of neighbours, for every
goal and start. Ten mazes choose for the other ten.

**Prediction**, written before any run. Errors of a network are like noise that does not fall with
the distance, and an update moves targets by a fifth of a sweep (the target rate). The mazes are 40
to 70 steps wide. So 300 updates are about 0.02 L^2 sweeps, at which the HSR should lead to more
goals, and 10,000 updates are more than 0.4 L^2, at which the SR should.

**Changed after a first run**: networks had 64 units, which cannot hold an HSR of 97 states. After
300 to 10,000 updates the HSR led to 12 to 14 % of the goals and the SR to 13, 28, 51 and 79 %, at
the largest discount of its list, which ended at 0.999.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import hsr

MAZES = range(20)
SIZE, WIDTH, N_STEPS, TARGET_RATE = 15, 128, 50_000, 0.2
UPDATES = (300, 1000, 3000, 10_000)
OPTION_DISCOUNTS = (0.9, 0.9999)
DISCOUNTS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 0.9999, 0.99999)
RATES = (1e-3, 3e-3, 1e-2, 3e-2)


def main() -> None:
    """Train and write what was reached, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--table", action="store_true", help="print what the file holds")
    parser.add_argument("--mazes", type=int, default=len(MAZES))
    parser.add_argument("--updates", type=int, nargs="+", default=UPDATES)
    asked = parser.parse_args()
    if asked.table:
        print(table(json.loads(asked.file.read_text(encoding="utf-8"))))
        return
    begin, found = time.time(), {}
    for name, discounts in (("SR", (None,)), ("HSR", OPTION_DISCOUNTS)):
        goals = [
            [reached(maps) for maps in learned(one, MAZES[: asked.mazes], asked.updates)]
            for one in discounts
        ]
        found[name] = np.moveaxis(goals, 0, 2).round(4).tolist()
        print(f"{name}: {time.time() - begin:.0f} s", flush=True)
    found |= {"updates": list(asked.updates), "discounts": DISCOUNTS, "rates": RATES}
    found["options"] = OPTION_DISCOUNTS
    asked.file.write_text(json.dumps(found) + "\n", encoding="utf-8")
    print(table(found))


def learned(option_discount: float | None, mazes: Any, updates: Any) -> Any:
    """Yield the maps after each number of updates, (maze, discount, rate, S, S).

    They are HSRs with eigenoptions of a discount, or SRs if there is none.
    """
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import optax

    from hsr import deep
    from hsr.deep.choices import read_problem
    from hsr.deep.networks import layers_of, outputs
    from hsr.deep.successor import td_loss
    from hsr.deep.training import begun
    from hsr.deep.training import updates as more

    of_mazes, policies = [], []
    for maze in mazes:
        mdp = _maze_mdp(maze)
        options = None
        if option_discount is not None:
            options = hsr.eigenoptions(mdp, n_options=16, discount=option_discount)
        steps = deep.random_steps(mdp, N_STEPS, seed=maze)
        problem = read_problem(steps, options, None, None, None, mdp, None)
        of_mazes.append({**problem.data(jnp.float32), "phi": None, "log_scale": None})
        policies.append(problem.choices.mu)
    stacked = jax.tree.map(lambda *arrays: jnp.stack(arrays), *of_mazes)
    mu = np.array(policies)
    n, n_choices = mu.shape[1:]
    training = deep.Training(target_rate=TARGET_RATE)
    network = deep.Network(width=WIDTH)

    def make(key: Any) -> Any:
        return layers_of(network, problem.experience, (n_choices, n), jnp.float32, key)

    static = eqx.partition(make(jax.random.key(0)), eqx.is_array)[1]

    def train(key: Any, data: Any, gamma: Any, rate: Any, n_updates: Any) -> Any:
        first, draws = jax.random.split(key)
        parameters = eqx.partition(make(first), eqx.is_array)[0]
        steps = optax.adam(lambda k: rate * 0.5 * (1.0 + jnp.cos(jnp.pi * k / n_updates)))

        def loss(*arguments: Any) -> Any:
            return td_loss(gamma, n, True, *arguments)

        carry = begun(steps, parameters, draws)
        carry = more(loss, static, steps, training, N_STEPS, carry, n_updates, data)
        return outputs(eqx.combine(carry.parameters, static), data["inputs"])

    of_rates = jax.vmap(train, in_axes=(None, None, None, 0, None))
    of_discounts = jax.vmap(of_rates, in_axes=(None, None, 0, None, None))
    every = jax.jit(jax.vmap(of_discounts, in_axes=(0, 0, None, None, None)))
    keys = jax.random.split(jax.random.key(1), len(mu))
    for k in updates:
        psi = every(keys, stacked, jnp.array(DISCOUNTS), jnp.array(RATES), k)
        yield np.einsum("msc,mdrscx->mdrsx", mu, np.asarray(psi, dtype=float), optimize=True)


def _maze_mdp(maze: int) -> hsr.FiniteMDP:
    return hsr.grid_mdp(hsr.random_maze(SIZE, seed=maze), discount=0.9)


def reached(maps: np.ndarray) -> np.ndarray:
    """Return the share of goals that maps (maze, discount, rate, S, S) lead to."""
    found = np.zeros(maps.shape[:3])
    for maze, of_maze in enumerate(maps):
        mdp = _maze_mdp(maze)
        flat = hsr.option_model(mdp, None)
        for place in np.ndindex(of_maze.shape[:2]):
            entries = np.nan_to_num(of_maze[place], nan=0.0)  # training that has diverged
            found[maze, *place] = hsr.reach_goals(flat, entries[mdp.successors]).reached
    return found


def table(found: dict[str, Any]) -> str:
    """Return goals reached at settings that were best in the other half of the mazes.

    A star marks a best discount or rate at an end of its list.
    """
    lines = [
        "| updates | SR | HSR | HSR minus SR [95 %] | best of the SR | best of the HSR |",
        "|---|---|---|---|---|---|",
    ]
    for j, updates in enumerate(found["updates"]):
        goals, settings = {}, {}
        for name in ("SR", "HSR"):
            values = np.array(found[name][j])  # (maze, options, discount, rate)
            n = len(values)
            goals[name], chosen = np.empty(n), []
            for half in (0, 1):
                by = values[np.arange(n) % 2 != half].mean(axis=0)
                o, i, k = np.unravel_index(by.argmax(), by.shape)
                goals[name][half::2] = values[half::2, o, i, k]
                end = k in (0, by.shape[2] - 1) or i in (0, by.shape[1] - 1)
                options = f"options {found['options'][o]:g}, " if by.shape[0] > 1 else ""
                chosen.append(
                    f"{options}{found['discounts'][i]:g}, rate {found['rates'][k]:g}"
                    f"{'*' if end else ''}"
                )
            settings[name] = "; ".join(dict.fromkeys(chosen))
        gap = goals["HSR"] - goals["SR"]
        mean, half_width = 100 * gap.mean(), 196 * gap.std(ddof=1) / np.sqrt(len(gap))
        lines.append(
            f"| {updates:,} | {goals['SR'].mean():.1%} | {goals['HSR'].mean():.1%} | "
            f"{mean:+.1f} [{mean - half_width:.1f}, {mean + half_width:.1f}] | "
            f"{settings['SR']} | {settings['HSR']} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
