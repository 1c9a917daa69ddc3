"""The folder of a benchmark: its sizes, worlds and finished pieces. A kill loses no finished piece.

A piece is one method in one condition with one number of updates, in all worlds. In the main
condition, the first, all combinations of settings are tried. In the others each world has the
combination that was best in other mazes of the main condition, with all learning rates.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr.deep.benchmark.protocol import Method
from hsr.deep.benchmark.running import Condition
from hsr.deep.benchmark.worlds import make_worlds, read_worlds, save_worlds


@dataclass(frozen=True)
class Plan:
    """Sizes of the benchmark.

    Parameters
    ----------
    n_mazes, size : int
        Number of mazes, and their cells a side.
    discount : float
        Discount per step.
    n_steps : int
        Steps of a log.
    budgets : tuple of int
        Numbers of updates in the main condition. Other conditions have the largest.
    n_seeds : int
        Seeds of networks in every world.
    width, batch_size : int
        Units per hidden layer, and steps per update.
    n_settings : int
        Settings that are trained at once. It changes no result, only memory.
    most_settings : int
        If a method has more combinations of settings, as many are drawn from them.
    conditions : tuple of Condition
        What is learned from, the main condition first.
    """

    n_mazes: int = 20
    size: int = 13
    discount: float = 0.98
    n_steps: int = 40_000
    budgets: tuple[int, ...] = (300, 1000, 3000, 10_000)
    n_seeds: int = 2
    width: int = 128
    batch_size: int = 128
    n_settings: int = 4
    most_settings: int = 1000
    conditions: tuple[Condition, ...] = (
        Condition(),
        Condition(observation="xy"),
        Condition(observation="pixels"),
        Condition(behaviour="mixture"),
        Condition(little=True),
    )


SMALL = Plan(
    n_mazes=4,
    size=9,
    discount=0.95,
    n_steps=10_000,
    budgets=(300, 1000),
    n_seeds=1,
    width=64,
    batch_size=64,
    most_settings=4,
    conditions=(Condition(),),
)


class Piece(NamedTuple):
    """One method in one condition after one number of updates."""

    method: Method
    condition: Condition
    n_updates: int

    @property
    def name(self) -> str:
        """The name of its file."""
        words = f"{self.method.name} {self.condition} {self.n_updates}"
        return "-".join(words.replace(",", "").split()) + ".npz"


class Finished(NamedTuple):
    """What a finished piece found.

    Parameters
    ----------
    about : dict
        Method, condition, updates, names of worlds, seconds, and the device.
    settings : dict of str to array of shape (W, K)
        The settings that were tried in each world.
    measures : dict of str to array of shape (W, K, seeds, ...)
        All measures.
    """

    about: dict[str, Any]
    settings: dict[str, FloatArray]
    measures: dict[str, FloatArray]

    @property
    def reached(self) -> FloatArray:
        """Goals reached by the method's own read-out, the mean over seeds, (W, K)."""
        return self.measures[self.about["read_out"]].mean(axis=2)


def pieces(plan: Plan, methods: Sequence[Method]) -> Iterator[Piece]:
    """Yield all pieces, in the order in which they run."""
    main, *others = plan.conditions
    for method in methods:
        yield from (Piece(method, main, n) for n in (plan.budgets if method.trained else (0,)))
    for condition in others:
        yield from (Piece(one, condition, plan.budgets[-1]) for one in methods if one.trained)


def grid(method: Method, most: int) -> dict[str, FloatArray]:
    """Return all combinations of settings, or so many of them, as one array per setting."""
    every = np.array(list(product(*method.settings.values())))
    if len(every) > most:
        every = every[np.random.default_rng(0).permutation(len(every))[:most]]
    return dict(zip(method.settings, every.T, strict=True))


def halves(n_mazes: int, n_worlds: int) -> IntArray:
    """Return the half to which each world belongs: 0 or 1, and -1 for worlds that are no mazes."""
    return np.where(np.arange(n_worlds) < n_mazes, np.arange(n_worlds) % 2, -1)


def best_elsewhere(score: FloatArray, n_mazes: int) -> IntArray:
    """Return the setting of each world that has the best mean in the other half of the mazes.

    Parameters
    ----------
    score : array of shape (W, K)
        What is to be large.
    n_mazes : int
        The first worlds are mazes. The others take what is best in all mazes.
    """
    half = halves(n_mazes, len(score))
    of_half = {
        h: int(np.nan_to_num(score[(half >= 0) & (half != h)], nan=-1.0).mean(axis=0).argmax())
        for h in np.unique(half)
    }
    return np.array([of_half[h] for h in half])


class Folder:
    """The folder of a benchmark: its worlds and finished pieces.

    Parameters
    ----------
    path : Path
        The folder, which is made if it does not exist.
    plan : Plan
        The sizes, which must be those of the pieces that are there.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path, self.plan = path, plan
        path.mkdir(parents=True, exist_ok=True)
        known = path / "plan.json"
        free = ("n_settings", "budgets", "conditions")  # other pieces, of the same sizes
        sizes = {name: size for name, size in asdict(plan).items() if name not in free}
        text = json.dumps(sizes, indent=1)
        if not known.exists():
            known.write_text(text, encoding="utf-8")
        elif known.read_text(encoding="utf-8") != text:
            raise InputError(f"{known} is of a benchmark of other sizes; name another folder")
        worlds = path / "worlds.npz"
        if not worlds.exists():
            made = make_worlds(plan.n_mazes, plan.size, plan.discount, plan.n_steps)
            _written(worlds, lambda new: save_worlds(new, *made))
        self.names, self.worlds = read_worlds(worlds)

    def finished(self, piece: Piece) -> Finished | None:
        """Return what a piece found, None if it is not finished."""
        path = self.path / piece.name
        return read_piece(path) if path.exists() else None

    def all_finished(self, methods: Sequence[Method]) -> list[Finished]:
        """Return all finished pieces of some methods."""
        found = (self.finished(piece) for piece in pieces(self.plan, methods))
        return [one for one in found if one is not None]

    def keep(self, piece: Piece, found: Finished) -> None:
        """Write a finished piece."""
        arrays: dict[str, Any] = {
            f"setting.{name}": array for name, array in found.settings.items()
        }
        arrays |= {
            f"measure.{name}": np.asarray(array, dtype=np.float32)
            for name, array in found.measures.items()
        }
        about = json.dumps(found.about)
        _written(
            self.path / piece.name, lambda new: np.savez_compressed(new, about=about, **arrays)
        )

    def settings_of(self, piece: Piece) -> dict[str, FloatArray]:
        """Return the settings of a piece in each world, one array (W, K) for each."""
        n = len(self.names)
        main = Piece(piece.method, self.plan.conditions[0], piece.n_updates)
        if piece.condition == main.condition:
            every = grid(piece.method, self.plan.most_settings)
            return {name: np.tile(values, (n, 1)) for name, values in every.items()}
        tried = self.finished(main)
        if tried is None:
            raise InputError(f"{main.name} is not finished, from which settings are taken")
        best = best_elsewhere(tried.reached, self.plan.n_mazes)
        rates = np.array(piece.method.settings["learning_rate"])
        kept = {
            name: np.tile(values[np.arange(n), best][:, None], (1, rates.size))
            for name, values in tried.settings.items()
        }
        return kept | {"learning_rate": np.tile(rates, (n, 1))}


def read_piece(path: Path) -> Finished:
    """Return a finished piece."""
    with np.load(path, allow_pickle=False) as file:
        parts: dict[str, dict[str, FloatArray]] = {"setting": {}, "measure": {}}
        for name in file.files:
            kind, _, rest = name.partition(".")
            if rest:
                parts[kind][rest] = file[name]
        return Finished(json.loads(str(file["about"])), parts["setting"], parts["measure"])


def _written(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file so that it is either complete or not there."""
    new = path.with_name(f"new-{os.getpid()}-{path.name}")
    write(new)
    new.replace(path)
