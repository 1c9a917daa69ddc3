"""Two agents compared over a sample of worlds, and what one world alone would have said.

A world is the unit of analysis. The seeds of one world share its start, goals and options, so they
are no independent evidence for what holds in other worlds. Each world gives one number, the
difference of the means over its seeds, and the test is that of these numbers.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special, stats

from hsr import InputError
from hsr._base.arrays import FloatArray
from hsr._base.validation import check_array, check_choice
from hsr.experiments.stats.comparison import Comparison, paired_t
from hsr.experiments.stats.samples import rounding_of

ALPHA = 0.05
_EXACT_PAIRS = 200
SINGLE_WORLD_TESTS = {
    "two_sample_t": "Student's t of independent seeds",
    "paired_t": "Student's t of paired seeds",
    "wilcoxon": "signed-rank test of paired seeds",
    "sign": "the sign of the difference, where nothing in a world is random",
}
"""The tests that the paper uses in its one world, by name."""


@dataclass(frozen=True)
class OverWorlds:
    """How far worlds agree about a difference between two agents.

    `agree` and `between` belong to the measure that judges, the other shares to that of the paper.

    Parameters
    ----------
    worlds, seeds : int
        Number of worlds, and of seeds in each.
    agree : float
        Share of worlds whose difference has the predicted sign. Where no difference is predicted,
        the share of worlds in which the paper's test finds none.
    between : float
        Share of the variance of the difference that lies between worlds and not between the seeds
        of one world. It is NaN with one seed per world.
    censored : float
        Share of runs that a measure cut off, over both agents.
    as_claimed, other_way, undecided : float
        Shares of single worlds in which the paper's own test (its measure, p < 0.05 without
        correction) comes out as claimed, the other way, or not at all. The first is the probability
        that a lab that repeats the experiment in one world confirms the claim.
    test : str
        The paper's own test, of `SINGLE_WORLD_TESTS`.
    """

    worlds: int
    seeds: int
    agree: float
    between: float
    censored: float
    as_claimed: float
    other_way: float
    undecided: float
    test: str


def compare_over_worlds(first: Any, second: Any) -> Comparison:
    """Compare two agents by Student's t of their differences, one number per world.

    The p-value is at least 2^(1 - n), the smallest that any test of n worlds can give if each
    world's difference could as well have had the other sign. Four worlds therefore decide nothing.

    Parameters
    ----------
    first, second : arrays of shape (world, seed)
        One number per run.

    Returns
    -------
    Comparison

    Examples
    --------
    Four worlds cannot give p < 0.05, however alike they are.

    >>> found = compare_over_worlds([[5.0], [5.1], [5.2], [5.1]], [[1.0], [1.1], [1.2], [1.0]])
    >>> found.n, found.p, found.means
    ((4,), 0.125, (5.1, 1.075))
    """
    x, y = _read_runs(first, second)
    found = paired_t(x.mean(axis=1), y.mean(axis=1))
    least = 2.0 ** (1 - len(x))
    means = float(x.mean()), float(y.mean())
    test = "paired t over worlds"
    return replace(found, test=test, p=max(found.p, least), smallest_p=least, means=means)


def agreement(
    first: Any, second: Any, predicted: int, *, test: str = "two_sample_t", censored: Any = None
) -> OverWorlds:
    """Return how far worlds agree with a predicted difference.

    Parameters
    ----------
    first, second : arrays of shape (world, seed)
        One number per run.
    predicted : {-1, 0, +1}
        The predicted sign of first minus second.
    test : str
        The paper's own test, of `SINGLE_WORLD_TESTS`.
    censored : array of shape (2, world, seed), optional
        Which runs of each agent the measure cut off.

    Examples
    --------
    >>> agreement([[2.0], [3.0], [1.0], [2.0]], [[1.0], [1.0], [2.0], [1.0]], +1, test="sign").agree
    0.75
    """
    x, y = _read_runs(first, second)
    sign = single_world_signs(x, y, test)
    d = x.mean(axis=1) - y.mean(axis=1)
    d[np.abs(d) <= rounding_of(x, y)] = 0.0
    as_claimed = float(np.mean(sign == predicted))
    other_way = float(np.mean(sign == -predicted if predicted else sign != 0))
    undecided = float(np.mean(sign == 0)) if predicted else 0.0
    return OverWorlds(
        worlds=x.shape[0],
        seeds=x.shape[1],
        agree=float(np.mean(np.sign(d) == predicted)) if predicted else as_claimed,
        between=variance_between(x - y),
        censored=0.0 if censored is None else float(np.mean(censored)),
        as_claimed=as_claimed,
        other_way=other_way,
        undecided=undecided,
        test=test,
    )


def single_world_signs(first: FloatArray, second: FloatArray, test: str) -> FloatArray:
    """Return what a test over the seeds of each world says alone, without correction.

    Parameters
    ----------
    first, second : arrays of shape (world, seed)
        One number per run.
    test : str
        A name of `SINGLE_WORLD_TESTS`.

    Returns
    -------
    ndarray of shape (world,)
        +1 or -1 where the first or the second agent is larger with p < 0.05, else 0. With test
        "sign" the sign of the difference. One seed alone decides nothing by any other test.
    """
    check_choice(test, SINGLE_WORLD_TESTS, "test")
    x, y = _read_runs(first, second)
    rounding = rounding_of(x, y)
    d = x.mean(axis=1) - y.mean(axis=1)
    sign = np.sign(np.where(np.abs(d) > rounding, d, 0.0))
    if test == "sign":
        return sign
    if x.shape[1] < 2:
        return np.zeros(len(x))
    if test == "wilcoxon":
        p = np.array([signed_rank_p(one) for one in x - y])
    else:
        p = _student_p(x, y, d, paired=test == "paired_t", rounding=rounding)
    return np.where(p < ALPHA, sign, 0.0)


def variance_between(d: FloatArray) -> float:
    """Return the share of the variance of d (world, seed) that lies between worlds.

    This is the intraclass correlation of a random-effects analysis of variance, with a negative
    estimate of the variance between worlds counted as zero.

    Examples
    --------
    >>> variance_between(np.array([[0.0, 2.0], [10.0, 12.0]]))
    0.96...
    """
    n_worlds, n_seeds = d.shape
    if n_seeds < 2 or n_worlds < 2:
        return float("nan")
    within = float(d.var(axis=1, ddof=1).mean())
    between = max(float(d.mean(axis=1).var(ddof=1)) - within / n_seeds, 0.0)
    total = between + within
    return between / total if total > 0.0 else float("nan")


def signed_rank_p(d: FloatArray) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test of differences d (n,).

    Differences of zero are left out before ranking, and ties get their mean rank. The p-value is
    the fraction of the 2^n patterns of signs whose rank sum is at least as far from its mean. It is
    counted exactly for up to 200 pairs, also with ties, where SciPy's exact test assumes that there
    are none. For more pairs it is SciPy's normal approximation. If all differences are zero, p = 1.

    Examples
    --------
    >>> signed_rank_p(np.array([1.0, 2, 3, 4, 5, 6]))
    0.03125
    """
    moved = d[d != 0.0]
    if moved.size > _EXACT_PAIRS:
        return float(stats.wilcoxon(moved, correction=False, method="asymptotic").pvalue)
    ranks = np.rint(2.0 * stats.rankdata(np.abs(moved))).astype(np.int64)  # doubled: integers
    probabilities = np.zeros(int(ranks.sum()) + 1)  # of each rank sum under random signs
    probabilities[0] = 1.0
    for rank in ranks:
        probabilities[rank:] += probabilities[:-rank].copy()
        probabilities *= 0.5
    plus = int(ranks[moved > 0.0].sum())
    smaller = min(plus, int(ranks.sum()) - plus)
    return min(1.0, 2.0 * float(probabilities[: smaller + 1].sum()))


def _student_p(
    x: FloatArray, y: FloatArray, d: FloatArray, *, paired: bool, rounding: float
) -> FloatArray:
    """Return the two-sided p-value of each world; without spread the difference alone decides.

    SciPy's tests warn about worlds without spread, which are frequent here.
    """
    n = x.shape[1]
    if paired:
        df, spread = n - 1, np.ptp(x - y, axis=1)
        error = (x - y).std(axis=1, ddof=1) / np.sqrt(n)
    else:
        df, spread = 2 * n - 2, np.maximum(np.ptp(x, axis=1), np.ptp(y, axis=1))
        error = np.sqrt((x.var(axis=1, ddof=1) + y.var(axis=1, ddof=1)) / n)
    constant = np.where(np.abs(d) > rounding, np.inf, 0.0)
    varies = (spread > rounding) & (error > 0.0)
    t = np.where(varies, np.abs(d) / np.where(varies, error, 1.0), constant)
    p: FloatArray = 2.0 * special.stdtr(df, -t)
    return p


def _read_runs(first: Any, second: Any) -> tuple[FloatArray, FloatArray]:
    x = check_array(first, (None, None), "first")
    if min(x.shape) < 1:
        raise InputError(f"first has shape {x.shape}; there must be a world and a seed at least")
    return x, check_array(second, x.shape, "second")
