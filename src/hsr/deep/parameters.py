"""Descriptions of the parameters that several learners share, written once."""

import re
from collections.abc import Callable
from inspect import cleandoc, signature
from typing import Any, TypeVar

_HEADING = "Parameters\n----------\n"
_ENTRY = re.compile(r"^((\w+) : .*\n(?: .*\n)+)", re.M)

Learner = TypeVar("Learner", bound=Callable[..., Any])


class SharedParameters:
    """Parameters that several learners have in common.

    Parameters
    ----------
    steps : array of shape (n, 3), or Observed
        Steps (state, action, next state), as state numbers or as labels of the MDP. `random_steps`
        returns this form, and `hsr.from_transitions` accepts it. If states cannot be listed, give
        the transitions between observations, in order of time.
    mu : array of shape (S, C), or callable, optional
        The policy over choices, or a function that returns it for an array of observations. Choices
        are the primitive actions followed by the options, or the options alone. By default all
        available choices have the same probability.
    observe : array of shape (S, ...), or callable, optional
        The observation of each state. A callable takes state numbers, or the observations of the
        log. By default observations are one-hot.
    features : array of shape (S, D), or callable, optional
        The features that are predicted, or a function that returns them for an array of
        observations. By default visits to each state, which requires listed states.
    discount : float in [0, 0.99999], optional
        Discount per step. By default that of `mdp`.
    mdp : FiniteMDP, optional
        The MDP of the steps, if it is known. The learning curve then includes the distance from the
        exact answer. The MDP is not used for training.
    task : GoalTask or RewardTask, optional
        Options then also stop on entering its goal or terminal states, and the map ends there.
    network : Network
        Kind and size of the network.
    training : Training
        How the network is trained.
    scale : {"linear", "log"}
        Whether the outputs of the network are visits or their logarithms. Squared errors of
        logarithms are relative, so rarely visited states are resolved too. Features must then not
        be negative. If transitions are random, a map on the scale "log" is too small, because the
        mean of a logarithm lies below the logarithm of the mean.
    seed : int or sequence of int
        Seed of the initial weights and the batches.
    progress : bool
        Print the learning curve during training.
    """


def _entries(section: str) -> dict[str, str]:
    """Return the description of each parameter in a section of a docstring."""
    return {name: text for text, name in _ENTRY.findall(section)}


_SHARED = _entries(cleandoc(SharedParameters.__doc__ or "") + "\n")


def shares_parameters(learner: Learner) -> Learner:
    """Complete the docstring of a learner with the parameters described by `SharedParameters`.

    A parameter that the learner describes itself keeps that description.

    Parameters
    ----------
    learner : callable
        A function whose docstring has the sections Parameters and Returns.
    """
    doc = cleandoc(learner.__doc__ or "") + "\n"
    begin, end = doc.index(_HEADING) + len(_HEADING), doc.index("\nReturns\n")
    described = _SHARED | _entries(doc[begin:end])
    entries = [described[name] for name in signature(learner).parameters]
    learner.__doc__ = doc[:begin] + "".join(entries) + doc[end:]
    return learner
