"""What the benchmark measures of a trained map: errors, rank, calibration, goals and rewards."""

from typing import Any

import jax
import jax.numpy as jnp

from hsr.deep.benchmark.protocol import Answers
from hsr.deep.benchmark.worlds import World

N_STEPS = 256  # a goal that is not reached within so many steps counts as not reached
BINS = (0, 1, 2, 4, 8, 16, 32)  # calibration is by distance: 0, 1, 2 to 3, 4 to 7, ...
_RANK = 0.01  # singular values below this share of the largest do not count


def measured(world: World, answers: Answers, target: str, behaviour: str) -> dict[str, jax.Array]:
    """Return all measures of the answers of one network.

    ``error``: Frobenius distance from the exact map, relative to its size. ``error_on_paths``: the
    same for the rows of places on the way to a goal, averaged over goals. ``rank``: number of
    singular values above 1 % of the largest, relative to that of the exact map. ``calibration``:
    predicted over exact visits, in classes of distance. ``by_actions``, ``by_options``: fraction of
    goals reached by greedy steps, among actions, and among actions and options. ``returns``: return
    of greedy steps for reward functions, 0 for uniform actions and 1 for the best. ``dead``:
    fraction of dead units.

    Parameters
    ----------
    world : World
        The world, and its exact answers.
    answers : Answers
        What the network says.
    target : str
        Whose map the rows approach, see `Method`.
    behaviour : str
        The behaviour that made the log.
    """
    n_actions, n_choices = world.after.shape[1], answers.goals.shape[1]
    found = {"dead": jnp.asarray(answers.dead, jnp.float32)} | _reached(world, answers)
    own, gamma = _greedy(world, answers.values.transpose(0, 2, 1)), world.discount
    everywhere = jnp.ones_like(world.rewards)
    got, best, base = (
        followed(world, how, n, world.rewards, everywhere, gamma)
        for how, n in ((own, n_choices), ("best", n_actions), ("mean", n_actions))
    )
    got, best, base = (_mean(value, world.exists) for value in (got, best, base))
    found["returns"] = jnp.mean((got - base) / jnp.where(best > base, best - base, 1.0))
    if answers.rows is None:
        return found
    return found | compared(world, *_exact(world, answers, target, behaviour))


def compared(world: World, exact: Any, rows: Any, columns: Any) -> dict[str, jax.Array]:
    """Return errors, rank and calibration of a map, or of columns of it.

    Parameters
    ----------
    world : World
        The world.
    exact, rows : arrays of shape (S, n)
        Exact and predicted visits.
    columns : int array of shape (n,)
        The places that are visited.
    """
    distance = world.distance[:, columns]
    there = world.exists[:, None] & world.exists[columns]
    wrong, size = there * (rows - exact) ** 2, there * exact**2
    on_path = jnp.sqrt((world.on_path @ wrong).sum(axis=1) / (world.on_path @ size).sum(axis=1))
    bins = jnp.sum(distance[:, :, None] >= jnp.array(BINS[1:]), axis=2)[None] == jnp.arange(
        len(BINS)
    ).reshape(-1, 1, 1)
    predicted, known = (jnp.sum(bins * there * M, axis=(1, 2)) for M in (rows, exact))
    return {
        "error": jnp.sqrt(wrong.sum() / size.sum()),
        "error_on_paths": on_path.mean(),
        "rank": _rank(there * rows) / _rank(there * exact),
        "calibration": predicted / jnp.where(known > 0.0, known, jnp.nan),
    }


def _rank(M: jax.Array) -> jax.Array:
    squares = jnp.linalg.eigvalsh(M.T @ M)
    return jnp.sum(squares > _RANK**2 * squares[-1])


def _exact(world: World, answers: Answers, target: str, behaviour: str) -> tuple[Any, Any, Any]:
    """Return the exact and the predicted map, and their columns: goals, for own policies."""
    if target != "own":
        name = {"uniform": "walk", "choices": "choices"}.get(target, behaviour)
        return getattr(world, name), answers.rows, jnp.arange(world.exists.size)
    goals = jnp.arange(world.exists.size) == world.goals[:, None]
    own = _greedy(world, answers.goals[:, :, world.goals].transpose(2, 1, 0))
    after = followed(
        world, own, answers.goals.shape[1], goals, jnp.ones_like(goals), world.discount
    )
    exact = goals + world.discount * after
    return exact.T, jnp.asarray(answers.rows)[:, world.goals], world.goals


def _reached(world: World, answers: Answers) -> dict[str, jax.Array]:
    """Return the fraction of goals reached by actions, and by actions and options.

    A map without options is combined with the exact model of the options: N_c + F_c M.
    """
    n_actions, n_choices = world.after.shape[1], answers.goals.shape[1]
    found = {"by_actions": _arrivals(world, answers.goals[:, :n_actions, world.goals])}
    if n_choices > n_actions:
        found["by_options"] = _arrivals(world, answers.goals[:, :, world.goals])
    elif answers.rows is not None:
        columns = answers.rows[:, world.goals]
        of_choices = world.during[:, :, world.goals] + world.ending @ columns
        found["by_options"] = _arrivals(world, of_choices.transpose(1, 0, 2))
    return found


def _arrivals(world: World, scores: jax.Array) -> jax.Array:
    """Return the fraction of goals reached by greedy steps, from scores (S, C, G)."""
    at_goal = jnp.arange(world.exists.size) == world.goals[:, None]  # (G, S)
    chosen = _greedy(world, scores.transpose(2, 1, 0))
    arrives = followed(world, chosen, scores.shape[1], at_goal, ~at_goal, 1.0)
    wanted = world.exists & ~at_goal
    return jnp.sum(jnp.where(wanted, arrives, 0.0)) / jnp.sum(wanted)


def _greedy(world: World, scores: jax.Array) -> jax.Array:
    """Return the available choice with the largest score, (n, S), from scores (n, C, S)."""
    available = world.available[: scores.shape[1]]
    return jnp.argmax(jnp.where(available, jnp.nan_to_num(scores, nan=-jnp.inf), -jnp.inf), axis=1)


def _mean(value: jax.Array, exists: jax.Array) -> jax.Array:
    return jnp.sum(value * exists, axis=1) / jnp.sum(exists)


def followed(
    world: World, chosen: Any, n_choices: int, pay: Any, goes_on: Any, gamma: Any
) -> jax.Array:
    """Return the expected discounted payments on arrival within `N_STEPS` steps, (n, S).

    A choice runs until it stops or the path ends.

    Parameters
    ----------
    world : World
        The world.
    chosen : int array of shape (n, S), "best" or "mean"
        The choice in each place. "best" always makes the best one, "mean" all equally often.
    n_choices : int
        How many of the choices there are: actions, then options.
    pay, goes_on : arrays of shape (n, S)
        What arriving in each place pays, and whether the path goes on from there.
    gamma : float
        The discount.
    """
    C = n_choices
    places = jnp.arange(world.exists.size)
    acts, stop = world.acts[:C].T, world.stop[:C].T  # (S, C)
    after, chance = (array[places[:, None], acts] for array in (world.after, world.chance))

    def value_of(u: jax.Array) -> jax.Array:
        if isinstance(chosen, str):
            return u.max(axis=2) if chosen == "best" else u.mean(axis=2)
        return jnp.take_along_axis(u, chosen[:, :, None], axis=2)[:, :, 0]

    def one_more(_: int, u: jax.Array) -> jax.Array:
        then = value_of(u)[:, :, None]
        if world.after.shape[1] < C:  # options may still run
            then = stop * then + (1.0 - stop) * u
        arriving = pay[:, :, None] + gamma * goes_on[:, :, None] * then
        which = jnp.arange(arriving.shape[2])[:, None]  # a single column serves all actions
        return jnp.sum(arriving[:, after, which] * chance, axis=3)

    start = jnp.zeros((pay.shape[0], places.size, C))
    return value_of(jax.lax.fori_loop(0, N_STEPS, one_more, start))
