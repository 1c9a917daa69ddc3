"""A goal task over choices as one decision process, in which running options are nodes."""

import numpy as np
from scipy import sparse

from hsr.mdp.goal_process import GoalProcess
from hsr.mdp.task import GoalTask
from hsr.options.model import OptionModel


def choice_process(model: OptionModel, task: GoalTask) -> GoalProcess:
    """Return the process in which a policy over choices reaches a goal.

    The first S nodes are states in which something is chosen. Node S + o S + s is option o running
    in state s. Choosing an option takes no time, and a running option has one choice: to move.

    Parameters
    ----------
    model : OptionModel
        Made with the task, so that options stop at the goal. Its discount is above zero.
    task : GoalTask
        The goal to reach.
    """
    n, n_options, goal = model.mdp.n_states, len(model.options), task.goal
    n_nodes = n * (1 + n_options)
    inside = np.ones(n)
    inside[goal] = 0.0
    mask = sparse.diags_array(inside)
    reward = np.zeros((n_nodes, model.n_choices))
    discount = np.full(reward.shape, model.mdp.discount)
    allowed = np.zeros(reward.shape, dtype=bool)
    allowed[:n] = model.available.T
    allowed[n:, 0] = True
    discount[:n, model.n_primitives :] = 1.0
    blocks = []
    for choice in range(model.n_choices):
        if choice < model.n_primitives:
            P = model.mdp.transition_of(choice)
            reward[:n, choice] = inside * P[:, [goal]].toarray()[:, 0]
            blocks.append([(0, 0, mask @ P @ mask)])
        else:
            start = sparse.diags_array(inside * model.available[choice])
            blocks.append([(0, 1 + choice - model.n_primitives, start)])
    for option in range(n_options):
        choice, row = model.n_primitives + option, 1 + option
        blocks[0].append((row, 0, model.arrival_of(choice) @ mask))
        blocks[0].append((row, row, model.running_of(choice) @ mask))
        reward[row * n : row * n + n, 0] = model.chain_of(choice)[:, [goal]].toarray()[:, 0]
    matrices = [_assembled(parts, n, n_nodes) for parts in blocks]
    return GoalProcess(matrices, reward, discount, allowed, model.mdp.discount)


def _assembled(
    parts: list[tuple[int, int, sparse.sparray]], n: int, n_nodes: int
) -> sparse.csr_array:
    """Return the matrix with blocks of n x n at some places of a grid of blocks."""
    entries = [(part.tocoo(), row * n, column * n) for row, column, part in parts]
    data = np.concatenate([coo.data for coo, _, _ in entries])
    rows = np.concatenate([coo.coords[0] + row for coo, row, _ in entries])
    columns = np.concatenate([coo.coords[1] + column for coo, _, column in entries])
    return sparse.csr_array((data, (rows, columns)), shape=(n_nodes, n_nodes))
