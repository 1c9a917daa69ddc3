"""Networks that map observations to arrays: linear, fully connected and convolutional."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import equinox as eqx
import jax
import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_count, check_not_negative
from hsr.deep.experience import Experience

_CHANNELS = (16, 32, 32)


@dataclass(frozen=True)
class Network:
    """Kind and size of a network of rectified linear units.

    Parameters
    ----------
    kind : {"mlp", "cnn", "linear"}
        "mlp" has fully connected layers. "cnn" puts three convolutions before them, for images of
        shape (height, width, channels). "linear" is a single matrix without a bias that starts at
        zero; with one-hot observations it is a table.
    width : int
        Units per hidden layer.
    depth : int
        Number of hidden layers.
    last_scale : float, not negative
        Factor of the initial random weights of the last layer. If the initial outputs are large
        compared with the targets, all units can die.

    Examples
    --------
    >>> import hsr.deep
    >>> hsr.deep.Network(width=64)
    Network(kind='mlp', width=64, depth=2, last_scale=0.1)
    """

    kind: str = "mlp"
    width: int = 256
    depth: int = 2
    last_scale: float = 0.1

    def __post_init__(self) -> None:
        check_choice(self.kind, ("mlp", "cnn", "linear"), "kind")
        check_count(self.width, "width")
        check_count(self.depth, "depth")
        check_not_negative(self.last_scale, "last_scale")


class Layers(eqx.Module):  # type: ignore[misc]
    """A network from a batch of observations to a batch of arrays.

    Parameters
    ----------
    network : Network
        Kind and size.
    shape : tuple of int
        Shape of one observation, channels first. Of one-hot observations, their number.
    out : tuple of int
        Shape of one output.
    one_hot : bool
        Whether observations are one-hot. They are then given by their indices.
    key : jax.Array
        Random key of the weights.
    """

    convolutions: list[eqx.nn.Conv2d]
    layers: list[eqx.nn.Linear]
    out: tuple[int, ...] = eqx.field(static=True)
    one_hot: bool = eqx.field(static=True)

    def __init__(
        self,
        network: Network,
        shape: tuple[int, ...],
        out: tuple[int, ...],
        one_hot: bool,
        key: jax.Array,
    ) -> None:
        keys = iter(jax.random.split(key, network.depth + len(_CHANNELS) + 1))
        self.out, self.one_hot = out, one_hot
        self.convolutions = []
        if network.kind == "cnn":
            self.convolutions, shape = _convolutions(shape, one_hot, keys)
        linear = network.kind == "linear"
        hidden = [] if linear else [network.width] * network.depth
        sizes = [int(np.prod(shape)), *hidden, int(np.prod(out))]
        self.layers = [
            eqx.nn.Linear(n_in, n_out, use_bias=not linear, key=next(keys))
            for n_in, n_out in pairwise(sizes)
        ]
        scale = 0.0 if linear else network.last_scale
        self.layers[-1] = eqx.tree_at(
            lambda last: last.weight, self.layers[-1], replace_fn=lambda W: scale * W
        )

    def __call__(self, observations: jax.Array) -> jax.Array:
        """Return the outputs for a batch of observations."""
        return self.with_units(observations)[0]

    def with_units(self, observations: jax.Array) -> tuple[jax.Array, list[jax.Array]]:
        """Return the outputs, and the activities of each hidden layer."""
        x, units = observations, []
        for convolution in self.convolutions:
            x = jax.nn.relu(jax.vmap(convolution)(x))
            units.append(x)
        for k, layer in enumerate(self.layers):
            if k == 0 and self.one_hot:
                # A one-hot vector times a matrix is a row of the matrix.
                x = layer.weight.T[x] + (0.0 if layer.bias is None else layer.bias)
            else:
                x = jax.vmap(layer)(x.reshape(x.shape[0], -1))
            if k + 1 < len(self.layers):
                x = jax.nn.relu(x)
                units.append(x)
        return x.reshape(x.shape[0], *self.out), units


def layers_of(
    network: Network, experience: Experience, out: tuple[int, ...], dtype: Any, key: jax.Array
) -> Layers:
    """Return an untrained network for the observations of a log.

    Parameters
    ----------
    network : Network
        Kind and size.
    experience : Experience
        The observations.
    out : tuple of int
        Shape of one output.
    dtype : type
        Type of the weights.
    key : jax.Array
        Random key of the weights.
    """
    layers = Layers(network, experience.shape, out, experience.table is None, key)
    return jax.tree.map(lambda array: array.astype(dtype), layers)


def _convolutions(
    shape: tuple[int, ...], one_hot: bool, keys: Iterator[jax.Array]
) -> tuple[list[eqx.nn.Conv2d], tuple[int, ...]]:
    """Return the convolutions for images, and the shape of their output for one image."""
    if one_hot or len(shape) != 3:
        what = "one-hot" if one_hot else f"arrays of shape {shape}"
        raise InputError(
            f"observations are {what}; a network of the kind 'cnn' needs images of shape "
            "(height, width, channels)"
        )
    channels, *sides = shape
    convolutions = []
    for n_out in _CHANNELS:
        convolutions.append(eqx.nn.Conv2d(channels, n_out, 3, stride=2, padding=1, key=next(keys)))
        channels, sides = n_out, [-(-side // 2) for side in sides]
    return convolutions, (channels, *sides)


@eqx.filter_jit  # type: ignore[untyped-decorator]
def outputs(network: Layers, observations: jax.Array) -> jax.Array:
    """Return the outputs of a network for a batch of observations, compiled."""
    return network(observations)


@eqx.filter_jit  # type: ignore[untyped-decorator]
def outputs_and_dead_units(
    network: Layers, observations: jax.Array
) -> tuple[jax.Array, list[jax.Array]]:
    """Return the outputs of a network, and the fraction of dead units in each hidden layer."""
    values, units = network.with_units(observations)
    return values, [(layer.max(axis=0) <= 0.0).mean() for layer in units]


def outputs_at(network: Layers, inputs: jax.Array, rows: jax.Array, whole: bool) -> jax.Array:
    """Return the outputs at some rows; `whole` evaluates all rows once, for small tables."""
    return network(inputs)[rows] if whole else network(inputs[rows])
