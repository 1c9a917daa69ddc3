"""Finite MDPs and Markov chains, tasks, exact solvers and spectra.

Nothing in this package knows about grids or options.
"""

from hsr.mdp.chain import MarkovChain
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_kinds import REWARD_KINDS, reward_tasks
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.solvers import greedy_policy, optimal_value
from hsr.mdp.spectrum import leading_vectors
from hsr.mdp.task import GoalTask, goal_tasks

__all__ = [
    "REWARD_KINDS",
    "EstimatedMDP",
    "FiniteMDP",
    "GoalTask",
    "MarkovChain",
    "RewardTask",
    "goal_tasks",
    "greedy_policy",
    "leading_vectors",
    "optimal_value",
    "reward_tasks",
]
