"""Finite MDPs and Markov chains, goal tasks, exact solvers and spectra.

Nothing in this package knows about grids or options.
"""

from hsr.mdp.chain import MarkovChain, uniform_policy
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.solvers import greedy_policy, optimal_value
from hsr.mdp.spectrum import leading_vectors
from hsr.mdp.task import GoalTask, goal_tasks

__all__ = [
    "EstimatedMDP",
    "FiniteMDP",
    "GoalTask",
    "MarkovChain",
    "RewardTask",
    "goal_tasks",
    "greedy_policy",
    "leading_vectors",
    "optimal_value",
    "uniform_policy",
]
