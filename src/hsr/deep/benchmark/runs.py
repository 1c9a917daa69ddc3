"""Run the pieces of the benchmark that are not finished."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import numpy as np

from hsr.deep.benchmark.folder import Finished, Folder, Piece, pieces
from hsr.deep.benchmark.protocol import Method
from hsr.deep.benchmark.running import Condition, Program
from hsr.deep.benchmark.submitted import learned_by
from hsr.deep.networks import Network

_AHEAD = 3  # programs that are compiled while another one runs on a GPU


def run(
    folder: Folder,
    methods: Sequence[Method],
    *,
    fit: Callable[..., Any] | None = None,
    seconds: float = np.inf,
    say: Callable[[str], Any] = print,
) -> int:
    """Run pieces until all are finished or the time is over, and return how many are left.

    Parameters
    ----------
    folder : Folder
        Where finished pieces are.
    methods : sequence of Method
        The methods.
    fit : callable, optional
        The function that learns, instead of that of the methods.
    seconds : float
        No piece begins that would end later, if it takes as long as the one before it.
    say : callable
        Prints a line.
    """
    begin, last = time.monotonic(), 0.0
    todo = [one for one in pieces(folder.plan, methods) if folder.finished(one) is None]
    programs = _programs(folder, todo)
    for k, piece in enumerate(todo):
        start = time.monotonic()
        if start + last > begin + seconds:
            return len(todo) - k
        settings = folder.settings_of(piece)
        if fit is None:
            measures, trained_for, compiling = programs(piece).run(settings, piece.n_updates)
        else:
            measures, trained_for = learned_by(fit, folder, piece, settings)
            compiling = 0.0
        n_networks = np.prod(measures["dead"].shape)
        about = {
            "method": piece.method.name,
            "condition": str(piece.condition),
            "updates": piece.n_updates,
            "worlds": folder.names,
            "mazes": folder.plan.n_mazes,
            "read_out": "by_options" if piece.method.uses_options else "by_actions",
            "target": piece.method.target,
            "seconds_per_network": trained_for / n_networks,
            "networks_at_once": int(n_networks) if fit is None else 1,
            "compile_seconds": compiling,
            "device": jax.devices()[0].device_kind,
            "jax": jax.__version__,
        }
        folder.keep(piece, Finished(about, settings, measures))
        last = time.monotonic() - start
        say(f"{piece.name}: {last:.1f} s, {len(todo) - k - 1} pieces left")
    return 0


def _programs(folder: Folder, todo: Sequence[Piece]) -> Callable[[Piece], Program]:
    """Return a function that returns the program of a piece, compiled ahead next to a GPU."""
    plan = folder.plan

    def made(method: Method, condition: Condition) -> Program:
        return Program(
            method,
            folder.worlds,
            condition,
            Network(width=plan.width),
            n_settings=plan.n_settings,
            n_seeds=plan.n_seeds,
            batch_size=plan.batch_size,
        )

    groups = list(dict.fromkeys((piece.method.name, piece.condition) for piece in todo))
    methods = {piece.method.name: piece.method for piece in todo}
    ahead = 0 if jax.default_backend() == "cpu" else _AHEAD
    pool, waiting = ThreadPoolExecutor(max(1, ahead)), {}

    def program_of(piece: Piece) -> Program:
        group = piece.method.name, piece.condition
        for name, condition in groups[groups.index(group) :][: ahead + 1]:
            if (name, condition) not in waiting:
                waiting[name, condition] = pool.submit(made, methods[name], condition)
        for earlier in groups[: groups.index(group)]:
            waiting.pop(earlier, None)  # its data are no longer needed
        return waiting[group].result()

    return program_of
