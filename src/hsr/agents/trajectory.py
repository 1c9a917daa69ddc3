"""`Trajectory`: every step of one seed, as `train` and `explore` keep it."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import BoolArray, Int32Array


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """Every primitive step of one seed, in order.

    `train` and `explore` keep the trajectory of the seed given as `trajectory_of`.

    Attributes
    ----------
    task : int array (n,)
        Index of the task.
    episode : int array (n,)
        Index of the episode within the task.
    choice : int array (n,)
        The choice that was running: a primitive action a as a, option o as n_actions + o.
    began : bool array (n,)
        Whether the choice was made in this step.
    state : int array (n,)
        The state in which the step began.
    action : int array (n,)
        The primitive action.
    arrival : int array (n,)
        The state in which the step ended.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    >>> run = hsr.train(mdp, [hsr.GoalTask(0, 4)], hsr.LinearQ(), seeds=[0], episodes=3,
    ...                 trajectory_of=0)
    >>> run.trajectory
    Trajectory(77 steps of 1 task, 3 episodes)
    >>> int(run.trajectory.arrival[-1])
    4
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

    def __repr__(self) -> str:
        n_tasks = np.unique(self.task).size
        n_episodes = np.unique(np.stack([self.task, self.episode]), axis=1).shape[1]
        steps, tasks = count(len(self), "step"), count(n_tasks, "task")
        return f"Trajectory({steps} of {tasks}, {count(n_episodes, 'episode')})"

    @classmethod
    def of(cls, traces: list[Int32Array]) -> "Trajectory":
        """Return the trajectory of one trace (n, 6) per task, as the kernels write them.

        The columns of a trace are the fields of this class after `task`, in the same order.
        """
        task = np.repeat(np.arange(len(traces), dtype=np.int32), [len(trace) for trace in traces])
        episode, choice, began, state, action, arrival = np.concatenate(traces).T.copy()
        return cls(task, episode, choice, began.astype(bool), state, action, arrival)


def count(n: int, noun: str) -> str:
    """Return a number with its noun: "1 seed", "20 seeds"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
