"""`ExplorationRun`: what `explore` returns."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray, read_only
from hsr._base.extras import needs
from hsr._base.memory import check_fits
from hsr.agents.runner import CommonArguments, frozen
from hsr.agents.trajectory import Trajectory, count
from hsr.options.option_set import OptionSet

if TYPE_CHECKING:
    import xarray


EXPLORATION_AXES = {
    "first_visit": ("seed", "state"),
    "visits": ("seed", "state"),
    "goal_time": ("seed",),
    "goals": ("seed",),
    "decisions": ("seed",),
    "choice_use": ("seed", "choice"),
    "diverged_at": ("seed",),
    "maps": ("seed", "state", "future_state"),
    "values": ("seed", "choice", "state"),
}


@dataclass(frozen=True, eq=False, repr=False)
class ExplorationRun:
    """Results of `explore`, as arrays over seeds.

    Arrays are read-only. S is the number of states and C the number of choices: the primitive
    actions, followed by the options.

    Attributes
    ----------
    seeds : tuple of int
        The seeds, in the order of the first axis.
    steps : int
        Primitive steps of each seed.
    first_visit : int array (seed, S)
        Number of steps when a state was first seen: 0 for the start, -1 if it never was.
    visits : int array (seed, S)
        Number of arrivals in each state.
    goal_time : int array (seed,)
        Number of steps when the goal was first entered, -1 if it never was or there is none.
    goals : int array (seed,)
        How often the goal was entered.
    decisions : int array (seed,)
        Number of choices made.
    choice_use : int array (seed, C)
        How often each choice was made.
    status : array of str (seed,)
        "ok", or "diverged" if a value is no longer finite. A diverged seed ends there, and what it
        has seen until then is kept.
    diverged_at : int array (seed,)
        Number of steps after which the seed diverged, -1 if it did not.
    maps : array (seed, S, S) or None
        The learned map, with ``keep_maps=True``.
    values : array (seed, C, S) or None
        The learned values, with ``keep_values=True``; zero where a choice was never made.
    options_at : tuple of dict, one per seed
        The options found with `OnlineOptions`: each `OptionSet` by the number of primitive steps
        since the run began at which it was made, in order; only the last with
        ``keep_options=False``. A set that came out the same as the one before is the same object.
        The dict is empty for a seed that ended during its warm-up, and the tuple without
        `OnlineOptions`.
    trajectory : Trajectory or None
        Every step of the seed `trajectory_of`. An episode ends in the goal, or where a task of
        rewards ends, and in absorbing states.
    mdp_fingerprint : str or None
        Fingerprint of the MDP.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    >>> run = hsr.explore(mdp, hsr.Sarsa("norm", on="sr"), seeds=range(3), steps=100, start=0)
    >>> run
    ExplorationRun(3 seeds x 100 steps; mean coverage 0.867; all finished)
    >>> run.first_visit.shape
    (3, 5)
    """

    seeds: tuple[int, ...]
    steps: int
    first_visit: IntArray
    visits: IntArray
    goal_time: IntArray
    goals: IntArray
    decisions: IntArray
    choice_use: IntArray
    status: np.ndarray
    diverged_at: IntArray
    maps: FloatArray | None
    values: FloatArray | None
    options_at: tuple[dict[int, OptionSet], ...]
    trajectory: Trajectory | None
    mdp_fingerprint: str | None = None

    def __repr__(self) -> str:
        size = f"{count(len(self.seeds), 'seed')} x {count(self.steps, 'step')}"
        coverage = f"mean coverage {(self.first_visit >= 0).mean():.3f}"
        goals = f"; {count(int(self.goals.sum()), 'goal')} entered" if self.goals.any() else ""
        n_diverged = int((self.status == "diverged").sum())
        ending = f"{count(n_diverged, 'seed')} diverged" if n_diverged else "all finished"
        return f"ExplorationRun({size}; {coverage}{goals}; {ending})"

    @property
    def coverage(self) -> FloatArray:
        """Fraction of all states seen after 1, 2, ... steps (seed, time); computed on access."""
        n_seeds, n_states = self.first_visit.shape
        check_fits(
            8 * (n_seeds + 3) * self.steps,
            "the coverage after every step",
            "count `first_visit` at the times you need",
        )
        coverage = np.empty((n_seeds, self.steps))
        for i, times in enumerate(self.first_visit):
            newly_seen = np.bincount(times[times >= 0], minlength=self.steps + 1)
            coverage[i] = newly_seen.cumsum()[1:] / n_states
        return read_only(coverage)

    def to_xarray(self) -> "xarray.Dataset":
        """Return the arrays as one `xarray.Dataset` with named axes; time counts steps from 1."""
        needs("xarray", "ExplorationRun.to_xarray")
        import xarray

        axes: dict[str, tuple[str, ...]] = {
            **EXPLORATION_AXES,
            "coverage": ("seed", "time"),
            "status": ("seed",),
        }
        arrays = {name: (dims, getattr(self, name)) for name, dims in axes.items()}
        return xarray.Dataset(
            {name: (dims, array) for name, (dims, array) in arrays.items() if array is not None},
            coords={"seed": list(self.seeds), "time": np.arange(1, self.steps + 1)},
        )


def new_arrays(
    arguments: CommonArguments, *, keep_maps: bool = False, keep_values: bool = False
) -> dict[str, Any]:
    """Return the arrays that the seeds fill, each seed its own rows."""
    n_seeds, n, n_choices = len(arguments.seeds), arguments.mdp.n_states, arguments.n_choices
    return {
        "first_visit": np.full((n_seeds, n), -1),
        "visits": np.zeros((n_seeds, n), dtype=np.int64),
        "choice_use": np.zeros((n_seeds, n_choices), dtype=np.int64),
        "diverged_at": np.full(n_seeds, -1),
        "maps": np.zeros((n_seeds, n, n)) if keep_maps else None,
        "values": np.zeros((n_seeds, n_choices, n)) if keep_values else None,
        "options_at": [{} for _ in arguments.seeds],
        "traces": [],
    }


def finished_run(
    arguments: CommonArguments, arrays: dict[str, Any], steps: int, goal: int
) -> ExplorationRun:
    """Return the results, read-only; a goal of -1 is none."""
    arrays["decisions"] = arrays["choice_use"].sum(axis=1)
    arrays["goal_time"] = np.full(len(arguments.seeds), -1)
    arrays["goals"] = np.zeros(len(arguments.seeds), dtype=np.int64)
    if goal >= 0:
        arrays["goal_time"] = arrays["first_visit"][:, goal].copy()
        arrays["goals"] = arrays["visits"][:, goal].copy()
    return ExplorationRun(
        seeds=arguments.seeds,
        steps=steps,
        status=read_only(np.where(arrays["diverged_at"] >= 0, "diverged", "ok")),
        options_at=() if arguments.online is None else tuple(arrays["options_at"]),
        trajectory=Trajectory.of(arrays["traces"]) if arrays["traces"] else None,
        mdp_fingerprint=arguments.mdp.fingerprint,
        **frozen(arrays, EXPLORATION_AXES),
    )
