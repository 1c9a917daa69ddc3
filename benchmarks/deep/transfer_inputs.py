"""Worlds with two goals, and what agents observe there: states, pixels, maps and parts of maps."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import hsr

N_OPTIONS = 8
N_PARTS = 32
N_STEPS = 200_000
DISCOUNT = {"four rooms": 0.95, "mazes": 0.98}
MAP_UPDATES = {"four rooms": 1500, "mazes": 6000}
LEARNED = ("learned SR", "learned HSR", "learned HSR parts")
EXACT = ("SR", "SR SVD", "SR parts", "HSR", "HSR parts")
INPUTS = ("one-hot", "pixels", *LEARNED, *EXACT)


@dataclass(frozen=True)
class Place:
    """One unit of evidence: a world and two goals.

    The number draws the goals and, of a maze, the maze. The goals are at least a third of the
    diameter apart. Everything that is learned about the place is also drawn by this number.
    """

    kind: str
    number: int

    @cached_property
    def layout(self) -> hsr.GridLayout:
        """Four rooms, or a perfect maze of 21 x 21 cells."""
        if self.kind == "mazes":
            return hsr.random_maze(21, seed=self.number)
        return hsr.load_layout("four_rooms")

    @cached_property
    def mdp(self) -> hsr.FiniteMDP:
        """The world without a goal."""
        return hsr.grid_mdp(self.layout, DISCOUNT[self.kind])

    @cached_property
    def goals(self) -> tuple[int, int]:
        """The first and the second goal."""
        from benchmarks.deep.dqn import distances, successors

        far = distances(successors(self.mdp))
        rng = np.random.default_rng([2, self.number])
        pairs = np.argwhere(far >= far.max() / 3)
        first, second = pairs[rng.integers(len(pairs))]
        return int(first), int(second)

    def file(self, folder: Path) -> Path:
        """Return where the maps of this place are kept."""
        return folder / "inputs" / f"{self.kind.replace(' ', '-')}-{self.number}.npz"

    def observations(self, name: str, folder: Path) -> np.ndarray:
        """Return what an agent observes in each state, as an array of shape (S, ...)."""
        if name == "one-hot":
            return np.eye(self.mdp.n_states)
        if name == "pixels":
            return self.layout.pixels(cell_size=1)
        with np.load(self.file(folder)) as file:
            return file[name]

    def errors(self, name: str, folder: Path) -> float | None:
        """Return the distance of a learned input from what it approximates, None for others."""
        if name not in LEARNED:
            return None
        with np.load(self.file(folder)) as file:
            return float(file[f"error of {name}"])


def make_inputs(place: Place, folder: Path, map_updates: int | None = None) -> dict[str, float]:
    """Compute all maps of a place and their parts, store them, and return their errors.

    The learned maps read pixels, one per cell. They learn from a random walk of 200,000 steps. The
    error of learned parts is that of the map which they make up, relative to the learned map.

    Parameters
    ----------
    place : Place
        The world.
    folder : Path
        Where to store them.
    map_updates : int, optional
        Updates of the networks, if not as many as usual.
    """
    found = _exact(place) | _learned(place, map_updates or MAP_UPDATES[place.kind])
    path = place.file(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished.npz")
    np.savez(unfinished, **found)
    unfinished.replace(path)
    return {name: float(found[f"error of {name}"]) for name in LEARNED}


def _exact(place: Place) -> dict[str, Any]:
    mdp = place.mdp
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=N_OPTIONS))
    M = hsr.successor_representation(mdp).toarray()
    H = hsr.hierarchical_sr(model, hsr.uniform_policy(model)).toarray()
    return {
        "SR": M,
        "SR SVD": hsr.SVDBasis(N_PARTS).fit(M).features_,
        "SR parts": hsr.NMFBasis(N_PARTS, random_state=place.number).fit(M).features_,
        "HSR": H,
        "HSR parts": hsr.NMFBasis(N_PARTS, random_state=place.number).fit(H).features_,
    }


def _learned(place: Place, n_updates: int) -> dict[str, Any]:
    from hsr import deep

    mdp = place.mdp
    how: dict[str, Any] = {
        "observe": place.layout.pixels(cell_size=1),
        "mdp": mdp,
        "training": deep.Training(n_updates=n_updates, target_rate=0.2, n_reports=1),
        "seed": place.number,
    }
    steps = deep.random_steps(mdp, N_STEPS, seed=place.number)
    sr = deep.learn_sr(steps, **how)
    H = deep.learn_hsr(steps, hsr.eigenoptions(mdp, n_options=N_OPTIONS), **how)
    training = deep.Training(n_updates=min(n_updates, 1500), batch_size=256, n_reports=1)
    parts = deep.DeepParts(N_PARTS, training=training, random_state=place.number).fit(H)
    found = {"learned SR": sr.toarray(), "learned HSR": H.toarray()}
    errors = {"learned SR": sr.curve[-1].error, "learned HSR": H.curve[-1].error}
    errors["learned HSR parts"] = parts.curve_[-1].error
    found["learned HSR parts"] = parts.features_
    return found | {f"error of {name}": np.array(error) for name, error in errors.items()}
