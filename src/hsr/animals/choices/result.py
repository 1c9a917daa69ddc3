"""Results of `compare_choices`, for one animal and for several."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr.animals.choices.logit import Fit, Logit
from hsr.animals.intervals import LEVEL, Difference, animals_of, over_animals


@dataclass(frozen=True, eq=False)
class ChoiceComparison:
    """How well models predict the choices of one animal, as `compare_choices` returns it.

    Print it for a table.

    Attributes
    ----------
    models : tuple of str
        Names of the models.
    bits : float array of shape (models,)
        Bits per held-out choice that a model gains over the uniform choice among neighbours.
    intervals : float array of shape (models, 2)
        95 % intervals, by resampling paths.
    path_bits : float array of shape (models, paths)
        The same gain, summed over the choices of each path.
    path_choices : int array of shape (paths,)
        Number of compared choices in each path.
    path_blocks : int array of shape (paths,)
        The block of each path. It is predicted with parameters of the other blocks.
    uniform_bits : float
        Entropy of the uniform choice in bits: the mean of log2 of the number of neighbours.
    path_of : int array of shape (paths,)
        Which of the paths that were given each path is, or is a piece of.
    fitted : dict
        For each model, the parameters and settings that were chosen without each block.
    ends : dict
        For each model and block, the settings that lie at an end of the list that was tried. A
        longer list may predict better.
    logit, fits : Logit and dict
        What `recovery` needs, if destinations were known.
    resampled : float array of shape (samples, paths)
        How often each path occurs in each bootstrap sample.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...."), discount=0.9)
    >>> paths = [[0, 1, 2, 3, 2, 1, 0, 1, 2, 1, 0]] * 6
    >>> compared = hsr.animals.compare_choices(mdp, paths, models=["uniform", "markov1"], blocks=3)
    >>> compared.models
    ('uniform', 'markov1')
    >>> float(compared.bits[0])
    0.0
    """

    models: tuple[Hashable, ...]
    bits: FloatArray
    intervals: FloatArray
    path_bits: FloatArray
    path_choices: IntArray
    path_blocks: IntArray
    path_of: IntArray
    uniform_bits: float
    fitted: dict[Hashable, list[dict[str, Any]]]
    ends: dict[Hashable, list[list[str]]]
    resampled: FloatArray
    logit: Logit | None = field(default=None, repr=False)
    fits: dict[Hashable, list[Fit]] = field(default_factory=dict, repr=False)

    @property
    def n_choices(self) -> int:
        """Number of compared choices."""
        return int(self.path_choices.sum())

    def difference(self, first: Hashable, second: Hashable) -> Difference:
        """Return the gain of one model over another, with an interval over the same paths.

        Parameters
        ----------
        first, second : str
            Names of models.

        Raises
        ------
        InputError
            If a model was not compared.
        """
        a, b = (_row(self.models, name) for name in (first, second))
        gain = self.path_bits[a] - self.path_bits[b]
        low, high = interval_of(gain, self.path_choices, self.resampled)
        return Difference(first, second, float(gain.sum() / self.n_choices), low, high, "path")

    def __str__(self) -> str:
        best = self.models[int(np.argmax(self.bits))]
        lines = [
            f"{self.n_choices:,} choices in {self.path_choices.size} paths, predicted by "
            f"parameters of other blocks ({int(self.path_blocks.max()) + 1} blocks)",
            f"bits per choice above uniform, which needs {self.uniform_bits:.3f}; "
            f"95 % intervals over paths",
        ]
        width = max(len(str(name)) for name in self.models)
        for k, name in enumerate(self.models):
            low, high = self.intervals[k]
            line = f"{name!s:{width}}  {self.bits[k]:7.3f}  ({low:.3f} to {high:.3f})"
            if name != best:
                verdict = self.difference(name, best).verdict
                line += f"  {verdict}" + (f" than {best}" if verdict == "worse" else "")
            lines.append(line)
        lines += _of_ends([self.ends])
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class JoinedChoices:
    """How well models predict the choices of several animals, as `join_choices` returns it.

    Print it for a table.

    Attributes
    ----------
    models, animals : tuples
        Names of the models and of the animals.
    bits : float array of shape (models, animals)
        Bits per choice of each model and animal.
    each : dict
        The comparison of each animal, or of each of its sessions.
    """

    models: tuple[Hashable, ...]
    animals: tuple[Hashable, ...]
    bits: FloatArray
    each: Mapping[Hashable, ChoiceComparison] = field(repr=False)

    def difference(self, first: Hashable, second: Hashable) -> Difference:
        """Return the mean gain of one model over another, with Student's interval over animals.

        Parameters
        ----------
        first, second : str
            Names of models.
        """
        a, b = (_row(self.models, name) for name in (first, second))
        mean, low, high = over_animals(self.bits[a] - self.bits[b], self.animals)
        return Difference(first, second, mean, low, high, "animal")

    def __str__(self) -> str:
        lines = [f"mean bits per choice of {len(self.animals)} animals; 95 % intervals over them"]
        width = max(len(str(name)) for name in self.models)
        for name, bits in zip(self.models, self.bits, strict=True):
            mean, low, high = over_animals(bits, self.animals)
            each = ", ".join(f"{of_animal:.3f}" for of_animal in bits)
            lines.append(f"{name!s:{width}}  {mean:7.3f}  ({low:.3f} to {high:.3f}): {each}")
        lines += _of_ends([one.ends for one in self.each.values()])
        return "\n".join(lines)


def join_choices(results: Mapping[Hashable, ChoiceComparison]) -> JoinedChoices:
    """Join the comparisons of several animals, with each animal as a unit.

    Paths of one animal are not independent of each other. Only several animals support conclusions
    about animals in general, and with few animals the intervals are wide. `compare_choices` joins
    the subjects of `Paths` itself.

    Parameters
    ----------
    results : mapping from animals to ChoiceComparison
        With the same models in the same order. Keys (animal, session) nest sessions in animals:
        the choices of all sessions of an animal are counted together.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...."), discount=0.9)
    >>> paths = [[0, 1, 2, 3, 2, 1, 0, 1, 2, 1, 0]] * 6
    >>> result = hsr.animals.compare_choices(mdp, paths, models=["uniform", "markov1"], blocks=3)
    >>> joined = hsr.animals.join_choices({"A": result, "B": result})
    >>> joined.difference("markov1", "uniform").verdict
    'better'
    """
    models = {result.models for result in results.values()}
    animal_of = animals_of(results)
    animals = tuple(dict.fromkeys(animal_of))
    if len(animals) < 2 or len(models) > 1:
        raise InputError(
            f"results has {len(animals)} animals with {len(models)} lists of models; there must be "
            "at least two animals with the same models"
        )
    n = np.array([result.n_choices for result in results.values()])
    gains = np.stack([result.bits for result in results.values()], axis=1) * n
    mine = np.array([[one == animal for one in animal_of] for animal in animals], dtype=np.float64)
    return JoinedChoices(models.pop(), animals, gains @ mine.T / (mine @ n), dict(results))


def _of_ends(ends: list[dict[Hashable, list[list[str]]]]) -> list[str]:
    """Return a line for each model whose settings lie at the end of a list in a third of blocks."""
    lines = []
    for name in ends[0]:
        of_blocks = [block for one in ends for block in one[name]]
        for setting in dict.fromkeys(setting for block in of_blocks for setting in block):
            n = sum(setting in block for block in of_blocks)
            if 3 * n >= len(of_blocks):
                lines.append(
                    f"{name}: the best {setting} is at an end of its list in {n} of "
                    f"{len(of_blocks)} blocks; a longer list may predict better"
                )
    return lines


def _row(models: tuple[Hashable, ...], name: Hashable) -> int:
    if name not in models:
        raise InputError(
            f"{short_repr(name)} was not compared; it must be one of "
            f"{', '.join(map(short_repr, models))}"
        )
    return models.index(name)


def resampled(n_paths: int, n_samples: int, rng: np.random.Generator) -> FloatArray:
    """Return how often each path is drawn in each bootstrap sample, of shape (samples, paths)."""
    counts = rng.multinomial(n_paths, np.full(n_paths, 1.0 / n_paths), size=n_samples)
    return counts.astype(np.float64)


def interval_of(gain: FloatArray, n: IntArray, weights: FloatArray) -> tuple[float, float]:
    """Return the percentile interval of the gain per choice over bootstrap samples of paths.

    Parameters
    ----------
    gain : float array of shape (paths,)
        Bits of each path.
    n : int array of shape (paths,)
        Choices of each path.
    weights : float array of shape (samples, paths)
        How often each path is drawn.
    """
    # A ratio of sums: in every sample, paths with more choices have more weight.
    total = weights @ n
    ratio = (weights @ gain)[total > 0] / total[total > 0]
    low, high = np.quantile(ratio, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
    return float(low), float(high)
