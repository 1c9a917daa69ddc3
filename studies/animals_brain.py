"""Brain: is entorhinal fMRI adaptation predicted by distance, SR, HSR or communicability?

**Question.** People saw a random walk on a graph of 12 objects [garvert2017]. In the scanner, the
response to an object was weaker the more closely it was related to the object before. Which measure
of relation predicts the responses of people who were not used to choose it?

**Data.** Parameter estimates of 42 ordered pairs of 7 objects, the mean of three runs, in 23
people. The region, ROI 3, was defined in other data. Runs differ by constants only, which are
removed with the mean. The nuisance terms "objects" remove in addition one term for each object now
and one for each object before.

| model | similarity of two objects | settings |
|---|---|---|
| distance | minus the fewest links | none |
| communicability | exp(c A) of the adjacency matrix A | c, read-out |
| SR | successor representation of the random walk | discount, read-out |
| HSR | the same over moves and k eigenoptions, share w of options | discount, w, k, read-out |

Read-outs are linear or logarithmic. A similarity is the mean of both directions, as in the authors'
analysis. They took c = 1, and for the SR the resolvent of A in place of the random walk.

**Score.** The correlation of minus the similarity with a person's responses over pairs, after both
are freed of nuisance terms. The settings of a model are those with the largest mean correlation in
the other 22 people, so that models with more settings gain nothing by them. The person is the unit.
Differences have 95 % intervals by Student's t. Verdicts need p < 0.05 after Holm's correction over
the six pairs, which was added after the first run. For comparison, *others* is the correlation of a
person with the mean response of the others, which a model common to all people can reach.

**Power first.** Each model in turn, with settings drawn at random from its list, makes responses of
23 people whose expected correlation with it is 0.1, 0.2 or 0.4, plus white noise. All models are
then compared. We report how often each model scores best, and how often an interval shows that the
true model is better or worse than another. It can be worse, because a choice among many settings
costs a model something. `Adaptation.smallest` is the difference that is found with power 0.8. A
pair that is not told apart is "cannot tell", not a null.

**Predictions**, written before the first run: (1) held-out correlations of distance, SR and
communicability are positive; (2) no two of these can be told apart; (3) nor can the HSR from the
SR, the primary comparison; (4) at a correlation of 0.2, power for HSR against SR is below 0.8.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from scipy.linalg import expm
from scipy.sparse.csgraph import shortest_path
from scipy.stats import t as student_t

import hsr
from hsr.experiments.stats import Comparison, holm, mean_interval, paired_t
from hsr.plots import draw_groups

SEEN = 7  # objects in the scanner
PAIRS = ~np.eye(SEEN, dtype=bool)
DISCOUNTS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
SCALES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SHARES, N_OPTIONS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9), (1, 2, 4, 8)
READOUTS = {"linear": np.asarray, "log": lambda M: np.log(np.maximum(M, 1e-12))}
EFFECTS = (0.1, 0.2, 0.4)


class Model(NamedTuple):
    """The settings of a model, and what it predicts of each pair with each of them (K, 42)."""

    settings: list[dict[str, Any]]
    predicted: np.ndarray


def moves_of(graph: hsr.FiniteMDP) -> np.ndarray:
    """Return the policy of the random walk over neighbours; spare actions stay and are left out."""
    moves = graph.successors != np.arange(graph.n_states)[:, None]
    return moves / moves.sum(axis=1, keepdims=True)


def sr(graph: hsr.FiniteMDP, discount: float) -> np.ndarray:
    """Return the SR of the random walk (S, S)."""
    return hsr.successor_representation(graph.with_discount(discount), moves_of(graph)).toarray()


def hsr_map(graph: hsr.FiniteMDP, discount: float, share: float, n_options: int) -> np.ndarray:
    """Return the HSR of a walk that takes an option with probability `share` (S, S)."""
    mdp = graph.with_discount(discount)
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options))
    there = model.available[mdp.n_actions :].T.astype(float)
    some = there.any(axis=1, keepdims=True)
    options = share * there / np.maximum(there.sum(axis=1, keepdims=True), 1.0)
    mu = np.concatenate([np.where(some, 1.0 - share, 1.0) * moves_of(graph), options], axis=1)
    return hsr.hierarchical_sr(model, mu).toarray()


def models_of(graph: hsr.FiniteMDP) -> dict[str, Model]:
    """Return the four models of a graph whose first seven states were seen in the scanner."""
    A = sum(graph.transition_of(a).toarray() for a in range(graph.n_actions)) > 0
    A = np.where(np.eye(len(A), dtype=bool), 0.0, A)
    maps = {
        "distance": [({}, -shortest_path(A, unweighted=True))],
        "communicability": [({"scale": c}, expm(c * A)) for c in SCALES],
        "SR": [({"discount": g}, sr(graph, g)) for g in DISCOUNTS],
        "HSR": [
            ({"discount": g, "share": w, "n_options": k}, hsr_map(graph, g, w, k))
            for g, w, k in product(DISCOUNTS, SHARES, N_OPTIONS)
        ],
    }
    found = {}
    for name, of_model in maps.items():
        readouts = ("linear",) if name == "distance" else READOUTS
        settings, predicted = [], []
        for (values, M), readout in product(of_model, readouts):
            similarity = READOUTS[readout](M)
            settings.append({**values, "readout": readout})
            predicted.append(-(similarity + similarity.T)[:SEEN, :SEEN][PAIRS] / 2.0)
        found[name] = Model(settings, np.array(predicted))
    return found


def residuals(values: np.ndarray, nuisance: str) -> np.ndarray:
    """Return rows of values over pairs without their nuisance terms, of length 1."""
    before, now = np.nonzero(PAIRS)
    terms = [np.ones(before.size)]
    if nuisance == "objects":
        terms += [place == k for place in (before, now) for k in range(SEEN)]
    U, s, _ = np.linalg.svd(np.array(terms, dtype=float).T, full_matrices=False)
    U = U[:, s > 1e-9]
    free = values - (values @ U) @ U.T
    return free / np.linalg.norm(free, axis=-1, keepdims=True)


def held_out(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the score of each person and the setting chosen in the others.

    Parameters
    ----------
    r : array (..., person, setting)
        The correlations of each setting.
    """
    chosen = (r.sum(axis=-2, keepdims=True) - r).argmax(axis=-1)
    return np.take_along_axis(r, chosen[..., None], axis=-1)[..., 0], chosen


@dataclass(frozen=True)
class Adaptation:
    """What `compare_adaptation` returns. P is the number of people.

    Attributes
    ----------
    scores : dict of arrays (P,)
        The held-out correlation of each model with each person.
    chosen : dict of lists of dict
        The settings by which each person is scored.
    at_end : dict of tuples of str
        The settings of each model that are most often chosen at an end of their list.
    others : array (P,)
        The correlation of each person with the mean of the others.
    best : dict of arrays (model, model)
        By effect, how often responses of a model (row) are predicted best by each model (column).
    told, misled : dict of arrays (model, model)
        By effect, how often the interval shows that the true model (row) is better than another
        (column), and how often that it is worse.
    """

    scores: dict[str, np.ndarray]
    chosen: dict[str, list[dict[str, Any]]]
    at_end: dict[str, tuple[str, ...]]
    others: np.ndarray
    best: dict[float, np.ndarray]
    told: dict[float, np.ndarray]
    misled: dict[float, np.ndarray]

    def difference(self, first: str, second: str) -> Comparison:
        """Return the score of one model minus that of another, over people."""
        return paired_t(self.scores[first], self.scores[second])

    def smallest(self, first: str, second: str) -> float:
        """Return the mean difference that this number of people shows with power 0.8."""
        d = self.scores[first] - self.scores[second]
        quantiles = student_t.ppf([0.975, 0.8], d.size - 1).sum()
        return float(quantiles * d.std(ddof=1) / np.sqrt(d.size))


def compare_adaptation(
    data: Any, roi: str = "roi3", nuisance: str = "mean", n_simulations: int = 500, seed: int = 0
) -> Adaptation:
    """Compare the four models in a region.

    Parameters
    ----------
    data : Dataset
        `hsr.datasets.garvert2017`.
    roi : str
        The name of the region among the arrays of the data.
    nuisance : {"mean", "objects"}
        What is removed from responses and predictions.
    n_simulations : int
        Simulated data sets for each model and effect; 0 for none.
    seed : int
        Seed of the simulations.
    """
    models = models_of(data.worlds["graph"])
    X = {name: residuals(model.predicted, nuisance) for name, model in models.items()}
    Y = residuals(data.arrays[roi].mean(axis=1)[:, PAIRS], nuisance)
    found = {name: held_out(Y @ x.T) for name, x in X.items()}
    others = residuals(Y.sum(axis=0) - Y, nuisance)
    rng = np.random.default_rng(seed)
    power = [_power(X, len(Y), effect, nuisance, n_simulations, rng) for effect in EFFECTS]
    return Adaptation(
        {name: scores for name, (scores, _) in found.items()},
        {name: [models[name].settings[k] for k in ks] for name, (_, ks) in found.items()},
        {name: _at_end(models[name].settings, ks) for name, (_, ks) in found.items()},
        (Y * others).sum(axis=1),
        *(dict(zip(EFFECTS, rates, strict=True)) for rates in zip(*power, strict=True)),
    )


def _at_end(settings: list[dict[str, Any]], chosen: np.ndarray) -> tuple[str, ...]:
    """Return the settings with numbers whose usual choice is the first or last of its list."""
    usual = settings[int(np.bincount(chosen).argmax())]
    numbers = [name for name, value in usual.items() if not isinstance(value, str)]
    lists = {name: [values[name] for values in settings] for name in numbers}
    return tuple(x for x in numbers if usual[x] in (min(lists[x]), max(lists[x])))


def simulated(
    x: np.ndarray, people: int, effect: float, nuisance: str, rng: np.random.Generator
) -> np.ndarray:
    """Return residual responses of people whose correlation with x is about `effect`."""
    noise = residuals(rng.standard_normal((people, x.size)), nuisance)
    return residuals(effect * x + np.sqrt(1.0 - effect**2) * noise, nuisance)


def _power(
    X: Mapping[str, np.ndarray], people: int, effect: float, nuisance: str, n: int, rng: Any
) -> np.ndarray:
    """Return how often models score best, are told from the true one, and mislead (3, M, M)."""
    best, told, misled = rates = np.zeros((3, len(X), len(X)))
    for i, true in enumerate(X.values()):
        for _ in range(n):
            Y = simulated(true[rng.integers(len(true))], people, effect, nuisance, rng)
            scores = np.array([held_out(Y @ x.T)[0] for x in X.values()])
            best[i, scores.mean(axis=1).argmax()] += 1.0 / n
            _, low, high = mean_interval((scores[i] - scores).T)
            told[i] += (low > 0.0) / n
            misled[i] += (high < 0.0) / n
    return rates


def table(found: Adaptation) -> str:
    """Return scores and differences as tables."""
    text = "| model | held-out correlation [95 %] | usual settings |\n|---|---|---|"
    for name, scores in (*found.scores.items(), ("others", found.others)):
        usual = ""
        if name in found.chosen:
            told = [", ".join(f"{k} {v}" for k, v in one.items()) for one in found.chosen[name]]
            usual = max(told, key=told.count) + f" ({told.count(max(told, key=told.count))})"
        text += "\n| {} | {:.3f} [{:.3f}, {:.3f}] | {} |".format(
            name, *mean_interval(scores), usual
        )
    text += "\n\n| difference | correlation [95 %] | verdict | p by Holm | shown with power 0.8 |\n"
    text += "|---|---|---|---|---|"
    pairs = list(combinations(found.scores, 2))
    differences = [found.difference(second, first) for first, second in pairs]
    corrected = holm([one.p for one in differences])
    for (first, second), one, p in zip(pairs, differences, corrected, strict=True):
        low, high = one.difference_interval
        verdict = "cannot tell" if p >= 0.05 else "better" if one.difference > 0.0 else "worse"
        text += (
            f"\n| {second} minus {first} | {one.difference:+.3f} [{low:.3f}, {high:.3f}] "
            f"| {verdict} | {p:.2g} | {found.smallest(second, first):.3f} |"
        )
    return text


def draw_scores(ax: Axes, found: Adaptation) -> list[Any]:
    """Draw the held-out correlation of each person with each model, and with the mean of others."""
    groups = {**found.scores, "others": found.others}
    intervals = [mean_interval(scores)[1:] for scores in groups.values()]
    drawn = draw_groups(ax, groups, intervals=intervals)
    ax.axhline(0.0, color="0.6", linewidth=0.8)
    ax.set_ylabel("held-out correlation", fontsize=7)
    return drawn


def draw_confusion(ax: Axes, found: Adaptation, effect: float = 0.2) -> AxesImage:
    """Draw how often responses made by a model are predicted best by each model."""
    best, names = found.best[effect], list(found.scores)
    image = ax.imshow(best, vmin=0.0, vmax=1.0, cmap="Greys")
    for i, j in np.ndindex(best.shape):
        colour = "w" if best[i, j] > 0.5 else "k"
        ax.text(j, i, f"{best[i, j]:.2f}", ha="center", va="center", fontsize=7, color=colour)
    ax.set_xticks(range(len(names)), names, fontsize=7, rotation=30, ha="right")
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set(xlabel="predicts best", ylabel="made by")
    return image
