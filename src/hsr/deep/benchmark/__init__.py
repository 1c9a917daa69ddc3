"""Known answers: a benchmark in which deep predictive maps are compared with the exact ones.

    python -m hsr.deep.benchmark --small        # less than ten minutes on two idle cores
    make evidence-gpu                           # all of it, about half an hour on one GPU

The module is also a function, for methods of one's own: ``hsr.deep.benchmark(fit=my_method)``.

**Worlds.** Twenty mazes of five families, and four stochastic worlds (slip, teleporters,
doors, and a point that moves continuously), all with exact maps.
**Measures.** Error of the map, goals reached, rewards collected: see `measured`.
**Settings.** Every method has, in every maze, the settings that reached most goals in the mazes of
the other half.

**Predictions**, written before the first run.

1. Error predicts reach within a method over updates, but not between methods: scores need only be
   in the right order. Over methods and mazes at the largest budget, the rank correlation of error
   and goals reached by actions is weaker than -0.5.
2. Noise. Entries of the exact SR far away are about exp(-d / l) of the diagonal, with l = 5 at a
   discount of 0.98. With noise of 1e-8 of the sum of a row both exact maps reach everything. The
   HSR by options reaches more than the SR by actions from 1e-6 on, and most more at 1e-4.
3. Few updates. With 300 and 1,000 updates HSR heads reach more goals than SR heads by actions. With
   10,000 they do not. The SR combined with the exact model of the same options is not worse.
4. FB has the lowest rank and the largest error for its size, because its target moves. One-step FB
   is more precise, and reaches as much. InfoNCE knows near states best: its errors grow with the
   distance, and most with little data.
5. Rewards need less precision than goals: all maps with an error below 0.1 have returns within 0.1
   of each other.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from hsr.deep.benchmark.collected import collect as collect
from hsr.deep.benchmark.collected import entries
from hsr.deep.benchmark.folder import SMALL, Folder, Plan
from hsr.deep.benchmark.methods import METHODS
from hsr.deep.benchmark.protocol import Method
from hsr.deep.benchmark.runs import run
from hsr.deep.benchmark.submitted import Log as Log
from hsr.deep.benchmark.submitted import Map as Map


def benchmark(
    fit: Callable[..., Any] | None = None,
    *,
    name: str = "own",
    settings: Mapping[str, Sequence[float]] | None = None,
    target: str = "behaviour",
    folder: str | Path = "out/known-answers",
    plan: Plan = SMALL,
    seconds: float = float("inf"),
    say: Callable[[str], Any] = print,
) -> list[dict[str, Any]]:
    """Return errors, goals reached and returns of a method, in worlds whose maps are known.

    Finished pieces are kept in a folder, so that the same call resumes.

    Parameters
    ----------
    fit : callable, optional
        ``fit(log, options, steps, *, discount, seed, **setting)`` learns with so many updates and
        returns a map of shape (S, S), predictions of actions (S, A, S), a `PredictiveMap` such as
        `hsr.deep.LearnedMap`, or a `Map`. `log` is a `Log`, and `options` an `hsr.OptionSet`. By
        default the methods of the benchmark run.
    name : str
        The method's name.
    settings : dict of str to sequence of float, optional
        Lists from which each setting is chosen in other mazes.
    target : {"behaviour", "uniform", "choices", "own"}
        Whose map is learned, see `Method`.
    folder : str or Path
        Where finished pieces are kept.
    plan : Plan
        Sizes. `SMALL` by default, ``Plan()`` is the whole benchmark.
    seconds : float
        No piece begins that would end later.
    say : callable
        Prints a line.

    Returns
    -------
    list of dict
        One entry per condition and number of updates, as in ``known_answers.json``.

    Raises
    ------
    InputError
        If the folder has pieces of other sizes, or what `fit` returns has a wrong shape.

    Examples
    --------
    >>> import hsr.deep
    >>> def nothing(log, options, steps, *, discount, seed, learning_rate):
    ...     return np.eye(log.n_states)
    """
    kept = Folder(Path(folder), plan)
    methods: Sequence[Method] = METHODS
    if fit is not None:
        lists = {key: tuple(values) for key, values in (settings or {}).items()}
        methods = [Method(name, {"learning_rate": (1.0,)} | lists, target=target)]
    run(kept, methods, fit=fit, seconds=seconds, say=say)
    return [entry for piece in kept.all_finished(methods) for entry in entries(piece)]


class _Callable(ModuleType):
    """A module that is called as the function of the same name."""

    def __call__(self, *arguments: Any, **named: Any) -> list[dict[str, Any]]:
        return benchmark(*arguments, **named)


sys.modules[__name__].__class__ = _Callable
