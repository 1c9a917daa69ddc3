"""Exact maps with noise: what would be reached if networks were so precise."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hsr.deep.benchmark.protocol import Answers, Data, Method

_NOISE = (0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)


def _prepare(name: str, data: Data, world: Any, seed: int) -> dict[str, Any]:
    """Return the exact map, and the exact predictions N_c + F_c M of all of its choices."""
    C, M = data.mu.shape[1], getattr(world, name)
    psi = np.swapaxes(world.during[:C] + world.ending[:C] @ M, 0, 1)
    return {"map": M.astype(np.float32), "psi": psi.astype(np.float32)}


def _make(data: Data, key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the noise of every prediction and of the map."""
    of_psi, of_map = jax.random.split(key)
    noise = jax.random.normal(of_psi, data.prepared["psi"].shape)
    return noise, jax.random.normal(of_map, data.prepared["map"].shape)


def _loss(*_: Any) -> jax.Array:
    return jnp.zeros(())


def _answers(noise: Any, data: Data, setting: Any, rewards: jax.Array) -> Answers:
    """Return exact answers with noise in units of the sum of a row, 1 / (1 - g)."""
    spread = setting["noise"] / (1.0 - data.discount)
    psi, M = (data.prepared[k] + spread * n for k, n in zip(("psi", "map"), noise, strict=True))
    return Answers(psi, jnp.einsum("sax,nx->nsa", psi, rewards), M)


def _oracle(name: str, source: str, **how: Any) -> Method:
    settings = {"noise": _NOISE, "learning_rate": (1.0,)}
    prepare = partial(_prepare, source)
    return Method(name, settings, _make, _loss, _answers, prepare=prepare, trained=False, **how)


SR = _oracle("exact SR", "walk")
HSR = _oracle("exact HSR", "choices", target="choices", uses_options=True)
