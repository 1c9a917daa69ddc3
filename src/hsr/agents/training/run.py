"""What a training run leaves: labelled arrays, enough to draw learning curves, maps, and every step
of one seed.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from hsr._base.extras import needs
from hsr.mdp.task import GoalTask
from hsr.options.option_set import OptionSet

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Every primitive step of one seed, in order; all arrays of shape (n,).

    Attributes
    ----------
    task, episode : which of the tasks, and which of its episodes
    choice : the choice that was running, primitives first
    began : whether it was made in this step
    state, action, arrival : the step itself
    """

    task: Int32Array
    episode: Int32Array
    choice: Int32Array
    began: BoolArray
    state: Int32Array
    action: Int32Array
    arrival: Int32Array

    def __len__(self) -> int:
        return int(self.state.size)

    @classmethod
    def of(cls, traces: list[Int32Array]) -> "Trajectory":
        """Return the trajectory of one trace (n, 6) per task, as the kernels write them."""
        task = np.repeat(np.arange(len(traces), dtype=np.int32), [len(trace) for trace in traces])
        episode, choice, began, state, action, arrival = np.concatenate(traces).T.copy()
        return cls(task, episode, choice, began.astype(bool), state, action, arrival)


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """What `train` returns. Axes are seed, task, episode, choice C, state S.

    Attributes
    ----------
    seeds : the seeds, in the order of the first axis
    tasks : the tasks
    discount : float
    steps : int array (seed, task, episode)
        Primitive steps of the episode; the horizon if the goal was not reached.
    terminated : bool array (seed, task, episode)
        Whether the episode ended in the goal.
    decisions : int array (seed, task, episode)
        Choices made.
    coverage : array (seed, task, episode)
        Share of all states seen since the first task began.
    choice_use : int array (seed, task, C)
        How often each choice was made, primitives first.
    first_visit : int array (seed, S)
        Steps since the first task began when a state was first seen; -1 never.
    status : array of str (seed,)
        "ok", or "diverged": values grew without bound. The episodes after that were not run; their
        steps are the horizon.
    diverged_in : int array (seed, 2)
        Task and episode of the divergence, -1 if there was none.
    maps : array (seed, task, S, S) or None
        The learned map at the end of each task, with ``keep_maps=True``.
    values : array (seed, task, C, S) or None
        Values q(c, s) at the end of each task, with ``keep_values=True``.
    greedy_steps : int array (seed, task) or None
        Steps of one episode without exploration or learning after each task, with
        ``evaluate=True``; the horizon for a task in which or before which the seed diverged.
    trajectory : Trajectory or None
    found_options : one OptionSet per seed
        The last options found, with `OnlineOptions`; a seed that ended during its warm-up has none,
        None.
    """

    seeds: tuple[int, ...]
    tasks: tuple[GoalTask, ...]
    discount: float
    steps: IntArray
    terminated: BoolArray
    decisions: IntArray
    coverage: FloatArray
    choice_use: IntArray
    first_visit: IntArray
    status: np.ndarray
    diverged_in: IntArray
    maps: FloatArray | None
    values: FloatArray | None
    greedy_steps: IntArray | None
    trajectory: Trajectory | None
    found_options: tuple[OptionSet | None, ...]

    @property
    def returns(self) -> FloatArray:
        """Discounted return of each episode, (seed, task, episode): g^(steps - 1) if the goal was
        reached, else 0.
        """
        return np.where(self.terminated, self.discount ** (self.steps - 1.0), 0.0)

    @property
    def goal_time(self) -> IntArray:
        """Steps of each task until its goal was first entered, (seed, task); -1 where it never was."""
        first = self.terminated.argmax(axis=2)[:, :, None]
        time = np.take_along_axis(self.steps.cumsum(axis=2), first, axis=2)[:, :, 0]
        return np.where(self.terminated.any(axis=2), time, -1)

    def to_xarray(self) -> "xarray.Dataset":
        """Return the arrays as one `xarray.Dataset` with named axes."""
        needs("xarray", "TrainingRun.to_xarray")
        import xarray

        by_episode = ("seed", "task", "episode")
        arrays = {
            "steps": (by_episode, self.steps),
            "terminated": (by_episode, self.terminated),
            "decisions": (by_episode, self.decisions),
            "returns": (by_episode, self.returns),
            "coverage": (by_episode, self.coverage),
            "choice_use": (("seed", "task", "choice"), self.choice_use),
            "goal_time": (("seed", "task"), self.goal_time),
            "first_visit": (("seed", "state"), self.first_visit),
            "status": (("seed",), self.status),
        }
        kept = {
            "maps": (("seed", "task", "state", "future_state"), self.maps),
            "values": (("seed", "task", "choice", "state"), self.values),
            "greedy_steps": (("seed", "task"), self.greedy_steps),
        }
        arrays |= {name: (dims, array) for name, (dims, array) in kept.items() if array is not None}
        coords = {"seed": list(self.seeds), "goal": ("task", [task.goal for task in self.tasks])}
        return xarray.Dataset(arrays, coords=coords, attrs={"discount": self.discount})
