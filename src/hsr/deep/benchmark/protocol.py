"""What a method of the benchmark is: data in, a trained network, and answers out.

A method is a `Method` of three pure functions of arrays. The benchmark calls them under `jax.vmap`,
for all worlds, settings and seeds at once, so shapes may depend on the shapes of `Data` only, and
Python conditions on static fields only. This is the SR with one output per action, as an example:

    def make(data, key):
        return data.layers((data.n_actions, data.n_places), key)

    def loss(network, slow, items, key, data, setting):
        s, a, t = data.steps[items].T
        rows, at_s = jnp.arange(items.size), jax.nn.one_hot(data.place[s], data.n_places)
        later = data.outputs(slow, t)                          # (b, A, S)
        M = jnp.einsum("ba,bax->bx", data.mu[t][:, : data.n_actions], later)
        error = data.outputs(network, s)[rows, a] - jax.lax.stop_gradient(at_s + data.discount * M)
        return 0.5 * jnp.mean(jnp.sum(error**2, axis=1))

    def answers(network, data, setting, rewards):
        psi = data.outputs(network)                            # (S, A, S), at all places
        rows = jnp.einsum("sa,sax->sx", data.mu[: data.n_places], psi)
        return Answers(psi, jnp.einsum("sax,nx->nsa", psi, rewards), rows, data.dead(network))

    METHOD = Method("SR", {"learning_rate": (1e-3, 3e-3), "target_rate": (0.05, 0.2)},
                    make, loss, answers)
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from hsr.deep.networks import Layers, Network

TARGETS = ("behaviour", "uniform", "choices", "own")


class Data(eqx.Module):  # type: ignore[misc]
    """A log of one world as arrays.

    The table of observations has R rows. Its first S rows are the places at which answers are
    asked for. Where states are listed, these are all rows. Worlds of a batch are padded to the same
    sizes: places that do not exist are never visited.

    Parameters
    ----------
    inputs : int array of shape (R,), or float array of shape (R, D)
        What the network reads at each row: its number if observations are one-hot.
    steps : int array of shape (n, 3)
        Row, action and next row of each step, in order of time.
    last : int array of shape (n,)
        The last step of the trajectory to which each step belongs.
    place : int array of shape (R,)
        The place of each row. The columns of a map are places.
    rho : array of shape (S,)
        How often a step starts in each place; sums to 1.
    exists : bool array of shape (S,)
        Whether a place exists.
    weight : array of shape (n, C)
        Importance of each step for each choice, a primitive action or an option.
    stop : array of shape (R, C)
        Probability that each choice stops on arrival in each row.
    mu : array of shape (R, C)
        The policy whose map is learned: without options that of the behaviour.
    discount : scalar
        Discount per step.
    prepared : dict of arrays
        What `Method.prepare` returned.
    n_actions : int
        The number A of primitive actions, the first of the choices.
    network : Network
        Kind and size of networks.
    """

    inputs: jax.Array
    steps: jax.Array
    last: jax.Array
    place: jax.Array
    rho: jax.Array
    exists: jax.Array
    weight: jax.Array
    stop: jax.Array
    mu: jax.Array
    discount: jax.Array
    prepared: dict[str, jax.Array]
    n_actions: int = eqx.field(static=True)
    network: Network = eqx.field(static=True)

    @property
    def n_places(self) -> int:
        """The number S of places, those of the padding included."""
        return self.exists.size

    @property
    def one_hot(self) -> bool:
        """Whether inputs are row numbers."""
        return self.inputs.ndim == 1

    def layers(self, out: tuple[int, ...], key: jax.Array) -> Layers:
        """Return an untrained network from an observation to an array of the shape `out`."""
        shape = self.inputs.shape if self.one_hot else self.inputs.shape[1:]
        return Layers(self.network, shape, out, self.one_hot, key)

    def outputs(self, layers: Layers, rows: Any = None) -> jax.Array:
        """Return the outputs of a network at some rows, at all places by default."""
        if rows is None:
            return layers(self.inputs[: self.n_places])
        if len(self.inputs) <= len(rows):  # cheaper at all rows
            return layers(self.inputs)[rows]
        return layers(self.inputs[rows])

    def dead(self, layers: Layers) -> jax.Array:
        """Return the fraction of hidden units that are zero at all places, NaN without any."""
        units = layers.with_units(self.inputs[: self.n_places])[1] or [
            jnp.zeros((self.n_places, 0))
        ]
        at = self.exists[:, None]
        return jnp.mean(jnp.concatenate([jnp.max(h * at, axis=0) <= 0.0 for h in units]))

    def later(self, items: jax.Array, key: jax.Array) -> jax.Array:
        """Return the steps k after `items`, with k = 0, 1, ... of probability (1 - g) g^k.

        A step beyond the end of the trajectory is its last one. The place of discounted visits is
        where such a step starts: ``data.steps[later, 0]``.
        """
        u = jax.random.uniform(key, items.shape, minval=1e-7)
        later = items + jnp.floor(jnp.log(u) / jnp.log(self.discount)).astype(jnp.int32)
        return jnp.minimum(later, self.last[items])


class Answers(NamedTuple):
    """What a trained map says.

    Parameters
    ----------
    goals : array of shape (S, C, S)
        The score of each choice in each place for each goal. Greedy steps take the largest. C is
        the number of actions, or of all choices.
    values : array of shape (n, S, C)
        The score of each choice in each place for each of n reward functions.
    rows : array of shape (S, S), or None
        Discounted visits to each place from each place, for the policy that `Method.target` names.
        None if there is no map.
    dead : scalar
        The fraction of dead units.
    """

    goals: jax.Array
    values: jax.Array
    rows: jax.Array | None = None
    dead: Any = jnp.nan


def _none(*_: Any) -> Any:
    """Stand for what a function of one's own does by itself."""


class Method(NamedTuple):
    """A method that learns a map, or scores of actions, from a log.

    Parameters
    ----------
    name : str
        Its name in tables and figures.
    settings : dict of str to tuple of float
        The values among which each setting is chosen in other mazes. ``learning_rate`` is always
        one of them, and ``target_rate`` is 1 if it is missing.
    make : callable
        ``make(data, key)`` returns the initial network, an `equinox.Module`.
    loss : callable
        ``loss(network, slow, items, key, data, setting)`` returns the loss of the steps `items`,
        (b,). `slow` is a slowly moving copy of the network. `setting` has one number per setting.
    answers : callable
        ``answers(network, data, setting, rewards)`` returns `Answers`. `rewards` has shape (n, S):
        what is paid per visit of each place.
    target : {"behaviour", "uniform", "choices", "own"}
        Whose map `Answers.rows` approaches: that of the policy that made the log, of uniform
        actions, of `Data.mu` over choices, or, in column x, that of the own greedy policy for the
        goal x.
    uses_options : bool
        Whether `Data` has options. Otherwise choices are the primitive actions.
    trained : bool
        Whether it is trained. Otherwise it is an oracle, and all of its settings are reported.
    prepare : callable, optional
        ``prepare(data, world, seed)`` returns further arrays, `Data.prepared`, in NumPy, with the
        same shapes in all worlds. `world` holds exact answers, which only oracles may read.
    """

    name: str
    settings: Mapping[str, tuple[float, ...]]
    make: Callable[..., Any] = _none
    loss: Callable[..., jax.Array] = _none
    answers: Callable[..., Answers] = _none
    target: str = "behaviour"
    uses_options: bool = False
    trained: bool = True
    prepare: Callable[..., dict[str, Any]] | None = None
