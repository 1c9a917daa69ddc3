"""Options with one certain end in a deterministic world: where they lead, how long they take."""

from dataclasses import dataclass

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, read_only
from hsr.kernels.jumps import jump_tables
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask
from hsr.options.option_set import OptionSet


@dataclass(frozen=True)
class JumpTables:
    """Where each choice leads in a deterministic world, found for all states in O(S).

    Attributes
    ----------
    move : int32 array of shape (C, S)
        Next state after the first step of each choice, primitives first.
    end : int32 array of shape (C, S)
        State in which the choice ends.
    duration : int32 array of shape (C, S)
        Number of steps until the choice ends.
    gain : array of shape (C, S)
        Discount over the duration, g^duration.
    order : int32 array of shape (O, S)
        The states of each option sorted such that the next state comes before the state.
    loops : bool array of shape (O,)
        Whether the option never stops from some state.
    """

    move: Int32Array
    end: Int32Array
    duration: Int32Array
    gain: FloatArray
    order: Int32Array
    loops: BoolArray


def find_jumps(
    mdp: FiniteMDP, options: OptionSet, n_primitives: int, task: GoalTask | None
) -> JumpTables | None:
    """Return the ends and durations of all choices, or None if something is not deterministic.

    Parameters
    ----------
    mdp : FiniteMDP
        The world. Unless it is deterministic, the answer is None.
    options : OptionSet
        Options of this MDP. Unless policies and terminations are deterministic, the answer is None.
    n_primitives : int
        Number of primitive actions that come first.
    task : GoalTask or None
        Options also stop on entering its goal.
    """
    if mdp.successors is None or options.actions is None or options.stops is None:
        return None
    stops = options.stops
    if task is not None:
        stops = stops.copy()
        stops[:, task.goal] = True
        read_only(stops)  # as without a task: one kind of array, one compilation
    return JumpTables(
        *jump_tables(mdp.successors, options.actions, stops, mdp.discount, n_primitives)
    )
