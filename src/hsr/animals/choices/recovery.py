"""`recover_choices`: whether recorded choices could tell models apart, by simulation."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.extras import needs
from hsr._base.seeds import Seed, generator_from
from hsr._base.threads import one_thread
from hsr._base.validation import check_count, check_positive
from hsr.animals.choices.logit import Fit, Logit
from hsr.animals.choices.result import ChoiceComparison, JoinedChoices, join_choices
from hsr.animals.intervals import LEVEL

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

_RELIABLE = 0.8
_LEVELS = 2000  # differences for which power is computed when the smallest one is sought


@dataclass(frozen=True)
class ChoiceRecovery:
    """How often each model is recognised in choices simulated from it.

    `recover_choices` returns it. Print it for a table.

    Attributes
    ----------
    models : tuple
        The models.
    confusion : float array of shape (M, M)
        Row m has the fractions of simulated data sets of model m in which each model predicted
        best.
    detected : float array of shape (M, M)
        Row m has the fractions of data sets of model m in which it is "better" than each other
        model.
    gains : float array of shape (M, M)
        Row m has the mean bits per choice by which model m predicts its own choices better than
        each other model does.
    errors : float array of shape (M, M)
        The standard errors of these differences, averaged over data sets.
    contained : bool array of shape (M, M)
        Whether model m (row) is a part of each other model, such as "sr" of "sr+geodesic".
    n_units, unit : int and str
        How many animals, or paths of one animal, a data set has.
    repeats : int
        Number of data sets of each model.
    """

    models: tuple[Hashable, ...]
    confusion: FloatArray
    detected: FloatArray
    gains: FloatArray
    errors: FloatArray
    contained: BoolArray
    n_units: int
    unit: str
    repeats: int

    @property
    def recognised(self) -> FloatArray:
        """The fraction of the data sets of each model that were recognised, of shape (M,)."""
        return np.diagonal(self.confusion).copy()

    def power(self, bits: float = 0.02) -> FloatArray:
        """Return the probability to find a difference "better" if it is so large, of shape (M, M).

        Parameters
        ----------
        bits : float
            The true mean difference in bits per choice.
        """
        effect = check_positive(bits, "bits")
        with np.errstate(divide="ignore", invalid="ignore"):
            shift = effect / self.errors
        found: FloatArray = stats.nct.sf(self._critical, self.n_units - 1, shift)
        return np.where(self.errors > 0.0, found, np.nan)

    def smallest(self, power: float = _RELIABLE) -> FloatArray:
        """Return the smallest difference that is found with a given probability, (M, M).

        Parameters
        ----------
        power : float
            The probability.
        """
        shifts = np.linspace(0.0, 12.0, _LEVELS)
        reached = stats.nct.sf(self._critical, self.n_units - 1, shifts)
        result: FloatArray = self.errors * shifts[int(np.argmax(reached >= power))]
        return result

    @property
    def _critical(self) -> float:
        return float(stats.t.ppf((1.0 + LEVEL) / 2.0, self.n_units - 1))

    def can_tell(self, first: Hashable, second: Hashable) -> bool:
        """Return whether each of two models is found better in 80 % of its own data sets.

        If one is a part of the other, only the other can be found better. A pair for which this is
        False and that the real choices do not tell apart is no null: it cannot be told.

        Parameters
        ----------
        first, second : str
            Names of models.
        """
        a, b = (self._row(name) for name in (first, second))
        found = [
            self.detected[one, other]
            for one, other in ((a, b), (b, a))
            if not self.contained[one, other]
        ]
        return bool(min(found) >= _RELIABLE)

    def _row(self, name: Hashable) -> int:
        if name not in self.models:
            raise InputError(
                f"{short_repr(name)} was not simulated; it must be one of "
                f"{', '.join(map(short_repr, self.models))}"
            )
        return self.models.index(name)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the confusion matrix as a data frame: true models by recognised models."""
        needs("pandas", "ChoiceRecovery.to_pandas")
        import pandas

        return pandas.DataFrame(
            self.confusion,
            index=pandas.Index(self.models, name="true model"),
            columns=pandas.Index(self.models, name="recognised as"),
        )

    def __str__(self) -> str:
        wide = max(len(str(name)) for name in self.models) + 2
        lines = [
            f"{self.repeats} simulated data sets of {self.n_units} {self.unit}s for each model; "
            "true model (rows), best prediction (columns)",
            " " * wide + "".join(f"{name!s:>{wide}}" for name in self.models),
        ]
        for name, row in zip(self.models, self.confusion, strict=True):
            lines.append(f"{name!s:<{wide}}" + "".join(f"{part:>{wide}.2f}" for part in row))
        lost = [
            f"{a} and {b}"
            for i, a in enumerate(self.models)
            for b in self.models[:i]
            if not self.can_tell(a, b)
        ]
        lines.append(
            f"cannot be told apart: {', '.join(lost)}" if lost else "all can be told apart"
        )
        return "\n".join(lines)


def recover_choices(
    result: ChoiceComparison | JoinedChoices,
    models: Sequence[Hashable] | None = None,
    *,
    repeats: int = 5,
    seed: Seed = 0,
) -> ChoiceRecovery:
    r"""Return how often each model is recognised in choices simulated from it.

    Look at it before the result: if a model is not recognised in its own choices, real choices
    cannot identify it. Each model makes all recorded choices anew, with the parameters that were
    fitted to each animal, at the places where the animal was and knowing what it had done before.
    All models are then fitted to these choices and predict them in held-out blocks, as
    `compare_choices` does, with the settings that it chose for the real ones.

    Parameters
    ----------
    result : ChoiceComparison or JoinedChoices
        A comparison with known destinations.
    models : sequence of names, optional
        The models to simulate and to compare. By default all but "uniform".
    repeats : int
        Number of simulated data sets of each model. Each has all animals with all their choices.
    seed : int or numpy.random.Generator
        Seed of the simulated choices.

    Returns
    -------
    ChoiceRecovery
        The confusion matrix, and the power to find small differences. Print it.

    Raises
    ------
    InputError
        If destinations were not known, or a model was not compared.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n....\n...."), discount=0.9)
    >>> paths = [[0, 1, 2, 3, 7, 11], [8, 9, 5, 6, 2, 3, 7, 11]] * 10
    >>> heading = hsr.animals.headings(paths, [11])
    >>> result = hsr.animals.compare_choices(
    ...     mdp, paths, models=["forward", "geodesic"], heading=heading
    ... )
    >>> hsr.animals.recover_choices(result).models
    ('forward', 'geodesic')
    """
    each = result.each if isinstance(result, JoinedChoices) else {"": result}
    if any(one.logit is None for one in each.values()):
        raise InputError(
            "result was compared with hidden destinations; recover_choices needs known ones: give "
            "heading to compare_choices"
        )
    usual = [name for name in result.models if all(one.fits.get(name) for one in each.values())]
    names = tuple(usual if models is None else models)
    unknown = [name for name in names if name not in usual]
    if unknown or len(names) < 2:
        raise InputError(
            f"models has {short_repr(unknown[0] if unknown else names)}; it must have at least two "
            f"of {', '.join(map(short_repr, usual))}"
        )
    n, rng = check_count(repeats, "repeats"), generator_from(seed)
    confusion, detected, gains, errors = (np.zeros((len(names), len(names))) for _ in range(4))
    for row, name in enumerate(names):
        for _ in range(n):
            simulated = {key: _simulated(one, name, names, rng) for key, one in each.items()}
            again: ChoiceComparison | JoinedChoices = next(iter(simulated.values()))
            if isinstance(result, JoinedChoices):
                again = join_choices(simulated)
            bits = again.bits if again.bits.ndim == 1 else again.bits.mean(axis=1)
            confusion[row, int(bits.argmax())] += 1.0 / n
            for column, other in enumerate(names):
                if other != name:
                    difference = again.difference(name, other)
                    detected[row, column] += (difference.verdict == "better") / n
                    gains[row, column] += difference.bits / n
                    errors[row, column] += 0.5 * (difference.high - difference.low) / n
    units = len(result.animals) if isinstance(result, JoinedChoices) else result.path_choices.size
    half = float(stats.t.ppf((1.0 + LEVEL) / 2.0, units - 1))
    unit = "animal" if isinstance(result, JoinedChoices) else "path"
    contained = np.array([[_is_part(one, other) for other in names] for one in names])
    return ChoiceRecovery(
        names, confusion, detected, gains, errors / half, contained, units, unit, n
    )


def _is_part(one: Hashable, other: Hashable) -> bool:
    """Return whether a model that is named by words is a part of another."""
    if one == other or not (isinstance(one, str) and isinstance(other, str)):
        return False
    return one == "forward" or set(one.split("+")) < set(other.split("+"))


@one_thread()
def _simulated(
    result: ChoiceComparison, name: Hashable, names: Sequence[Hashable], rng: np.random.Generator
) -> ChoiceComparison:
    """Return the comparison of models in choices that one of them made."""
    logit = result.logit
    assert logit is not None
    chosen = _drawn(logit, result.fits[name], rng)
    again = logit.with_chosen(chosen)
    uniform = np.bincount(
        logit.choices.path[logit.rows],
        -np.log(logit.allowed.sum(axis=1)),
        logit.choices.n_paths,
    )
    path_bits = []
    for other in names:
        fits = [
            again.fit(fit.parts, test, fit.weights) for test, fit in enumerate(result.fits[other])
        ]
        path_bits.append((again.per_path(fits) - uniform) / np.log(2.0))
    gains = np.stack(path_bits)
    return replace(
        result,
        models=tuple(names),
        path_bits=gains,
        bits=gains.sum(axis=1) / result.n_choices,
        intervals=np.zeros((len(names), 2)),
    )


def _drawn(logit: Logit, fits: Sequence[Fit], rng: np.random.Generator) -> IntArray:
    """Return choices that a model makes, each by the fit without its block."""
    chosen = logit.chosen.copy()
    for test, fit in enumerate(fits):
        p = np.exp(logit.log_probabilities(fit.parts, fit.weights, test)).cumsum(axis=1)
        below = rng.random((p.shape[0], 1)) * p[:, -1:] >= p
        chosen[logit.block_of == test] = below.sum(axis=1)
    return chosen
