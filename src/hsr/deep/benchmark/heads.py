"""SR and HSR heads: one output per choice and place, learned by intra-option TD."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from hsr.deep.benchmark.protocol import Answers, Data, Method
from hsr.deep.successor import td_loss

_LISTS = {"learning_rate": (1e-3, 3e-3, 1e-2, 3e-2), "target_rate": (0.02, 0.1, 0.5)}


def _make(data: Data, key: jax.Array) -> Any:
    return data.layers((data.mu.shape[1], data.n_places), key)


def _log_scale(data: Data) -> jax.Array:
    """Return what is added to outputs that are logarithms: equally many visits to all places."""
    return -jnp.log((1.0 - data.discount) * data.n_places) * jnp.ones(data.n_places)


def _loss(
    log: bool, network: Any, slow: Any, items: Any, key: Any, data: Data, setting: Any
) -> jax.Array:
    n_rows, n_places = len(data.inputs), data.n_places
    arrays = {
        **{name: getattr(data, name) for name in ("inputs", "steps", "weight", "stop", "mu")},
        "goal": jnp.zeros(n_rows, dtype=bool),
        "phi": None if n_rows == n_places else jax.nn.one_hot(data.place, n_places),
        "log_scale": _log_scale(data) if log else None,
    }
    whole = n_rows <= 2 * len(items)
    return td_loss(data.discount, n_places, whole, network, slow, items, key, arrays)


def _answers(log: bool, network: Any, data: Data, setting: Any, rewards: jax.Array) -> Answers:
    psi = data.outputs(network)
    if log:
        psi = jnp.minimum(jnp.exp(psi + _log_scale(data)), 1.0 / (1.0 - data.discount))
    rows = jnp.einsum("sc,scx->sx", data.mu[: data.n_places], psi)
    values = jnp.einsum("scx,nx->nsc", psi, rewards)
    return Answers(psi, values, rows, data.dead(network))


def _heads(name: str, *, log: bool = False, **how: Any) -> Method:
    return Method(name, _LISTS, _make, partial(_loss, log), partial(_answers, log), **how)


SR = _heads("SR heads")
LOG_SR = _heads("SR heads, logarithms", log=True)
HSR = _heads("HSR heads", target="choices", uses_options=True)
