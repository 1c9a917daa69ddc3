"""Models of place fields: `CELL_MODELS`, their settings, and models of the user."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit, logit

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_array, check_count, check_discount, check_number, is_list
from hsr.animals.cells.arena import Arena, geodesic_distances
from hsr.mdp.fingerprint import check_made_for
from hsr.options.model import OptionModel
from hsr.representation.expected import expected_sr
from hsr.representation.hierarchical import hierarchical_sr
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.sr import successor_representation

# Continuous settings, on scales where equal ratios of horizons, widths and odds are equal steps.
SCALES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "discount": (lambda d: -np.log1p(-d), lambda log: np.maximum(0.0, -np.expm1(-log))),
    "width": (np.log, np.exp),
    "option_share": (logit, expit),
}
_N_DISCOUNTS, _N_WIDTHS = 7, 13
_OWN = (
    "it must be one of {known}; or a map or array of shape (S, K), or a function of (mdp, policy) "
    "that returns one, given by name: {{'mine': fields}}"
)


@dataclass(frozen=True)
class CellModel:
    """A model of place fields: for each setting, a family of candidate fields.

    Attributes
    ----------
    name : str
        What the model is called in results.
    make : callable
        ``make(arena, policy, **setting)`` returns the fields, of shape (S, K).
    settings : tuple of str
        The settings that are fitted. A discount or width comes last.
    follows_behaviour : bool
        Whether the fields depend on the policy, which is then estimated on the training blocks.
    needs_places : bool
        Whether the fields depend on the positions of states.
    """

    name: str
    make: Callable[..., FloatArray]
    settings: tuple[str, ...] = ()
    follows_behaviour: bool = False
    needs_places: bool = False

    def families(
        self, arena: Arena, policy: FloatArray, values: Mapping[str, Sequence[Any]]
    ) -> Iterator[tuple[dict[str, Any], FloatArray]]:
        """Yield each setting with its candidate fields, of shape (S, K)."""
        for chosen in product(*(values[name] for name in self.settings)):
            setting = dict(zip(self.settings, chosen, strict=True))
            yield setting, self.make(arena, policy, **setting)


def _sr(arena: Arena, policy: FloatArray, discount: float) -> FloatArray:
    M = successor_representation(arena.at_discount(discount), policy)
    return M.columns(arena.centres)


def _hsr(
    arena: Arena, policy: FloatArray, discount: float, n_options: int, option_share: float
) -> FloatArray:
    model = arena.option_model(discount, n_options)
    M = hierarchical_sr(model, mixed_choices(model, policy, option_share))
    return M.columns(arena.centres)


def mixed_choices(model: OptionModel, policy: FloatArray, option_share: float) -> FloatArray:
    """Return a policy over choices in which a given share of choices are options.

    With the share e and O(s) options that can start in s, all of them equally probable,

        mu(a | s) = (1 - e) pi(a | s),    mu(o | s) = e / O(s).

    Where no option can start, mu = pi.

    Parameters
    ----------
    model : OptionModel
        The choices.
    policy : float array of shape (S, A)
        The policy of the animal.
    option_share : float in (0, 1)
        The share of choices that are options.
    """
    starts = model.available[policy.shape[1] :].T.astype(np.float64)
    n_options = starts.sum(axis=1, keepdims=True)
    share = np.where(n_options > 0.0, option_share, 0.0)
    return np.hstack([(1.0 - share) * policy, share * starts / np.maximum(n_options, 1.0)])


def _expected_sr(arena: Arena, policy: FloatArray, discount: float) -> FloatArray:
    return expected_sr(arena.at_discount(discount), arena.goals).toarray()[:, arena.centres]


def _expected_hsr(arena: Arena, policy: FloatArray, discount: float, n_options: int) -> FloatArray:
    return arena.expected_hsr(discount, n_options)[:, arena.centres]


def _nmf(arena: Arena, policy: FloatArray, n_parts: int) -> FloatArray:
    from hsr.basis import NMFBasis  # here, because scikit-learn takes a second to import

    M = arena.expected_hsr(arena.mdp.discount, min(8, arena.mdp.n_states - 1))
    return NMFBasis(n_parts, solver="extrapolated", tol=1e-4, max_iter=200).fit(M).features_


def _gaussian(arena: Arena, policy: FloatArray, width: float) -> FloatArray:
    assert arena.places is not None
    apart = arena.places[:, None] - arena.places[arena.centres]
    return np.exp(-(apart**2).sum(axis=2) / (2.0 * width**2))


def _geodesic(arena: Arena, policy: FloatArray, width: float) -> FloatArray:
    d = geodesic_distances(arena)[:, arena.centres]
    return np.exp(-(d**2) / (2.0 * width**2))


CELL_MODELS: dict[str, CellModel] = {
    model.name: model
    for model in (
        # Columns of the SR of the recorded behaviour, and of the HSR with eigenoptions.
        CellModel("sr", _sr, ("discount",), follows_behaviour=True),
        CellModel("hsr", _hsr, ("n_options", "option_share", "discount"), follows_behaviour=True),
        # The same of optimal policies, averaged over goals, and non-negative parts of the latter.
        CellModel("expected_sr", _expected_sr, ("discount",)),
        CellModel("expected_hsr", _expected_hsr, ("n_options", "discount")),
        CellModel("nmf", _nmf, ("n_parts",)),
        # Bumps in the plane, which ignore walls, and of the distance along the shortest path.
        CellModel("gaussian", _gaussian, ("width",), needs_places=True),
        CellModel("geodesic", _geodesic, ("width",)),
    )
}
"""Every built-in model of place fields, by the word that names it in `compare_cells`."""


def read_models(models: Any, arena: Arena) -> tuple[CellModel, ...]:
    """Return models by name, or raise `InputError`.

    Parameters
    ----------
    models : sequence of str, or mapping
        Words of `CELL_MODELS`, or a mapping from names to words, arrays, maps or functions.
    arena : Arena
        The arena in which they are compared.
    """
    if isinstance(models, str):
        models = (models,)
    if isinstance(models, Mapping):
        named = [(str(name), given) for name, given in models.items()]
    elif is_list(models):
        named = [(given if isinstance(given, str) else "", given) for given in models]
    else:
        named = [("", models)]
    read = tuple(_read_model(name, given, arena) for name, given in named)
    if not read or len({model.name for model in read}) < len(read):
        raise InputError(
            f"models is {short_repr(models)}; it must name at least one model, each once"
        )
    return read


def _read_model(name: str, given: Any, arena: Arena) -> CellModel:
    if isinstance(given, CellModel):
        return given
    if isinstance(given, str) and given in CELL_MODELS:
        model = CELL_MODELS[given]
        if model.needs_places and arena.places is None:
            raise InputError(
                f"the model {given!r} needs the positions of states; give a recording of "
                "hsr.from_positions, a GridLayout, or an MDP whose labels are pairs of numbers"
            )
        return replace(model, name=name)
    if isinstance(given, str) or not name:
        known = ", ".join(map(repr, CELL_MODELS))
        raise InputError(f"models has {short_repr(given)}; {_OWN.format(known=known)}")
    if callable(given):
        return CellModel(
            name,
            lambda arena, policy: _read_fields(name, given(arena.mdp, policy), arena),
            follows_behaviour=True,
        )
    fields = _read_fields(name, given, arena)
    return CellModel(name, lambda arena, policy: fields)


def _read_fields(name: str, given: Any, arena: Arena) -> FloatArray:
    """Return candidate fields of the user, of shape (S, K)."""
    if isinstance(given, PredictiveMap):
        what = f"the map of model {name!r} was made"
        check_made_for(
            arena.mdp.fingerprint,
            given.mdp_fingerprint,
            what,
            "compute it for this MDP, or give M.toarray() if the states are the same, as before "
            "and after a barrier",
        )
        fields = given.columns(arena.centres)
    else:
        fields = check_array(given, (None, None), f"the fields of model {name!r}")
    if fields.shape[0] != arena.mdp.n_states or not fields.shape[1]:
        raise InputError(
            f"the fields of model {name!r} have shape {fields.shape}; "
            f"they must have shape ({arena.mdp.n_states}, K), one row per state"
        )
    if (fields < 0.0).any():
        raise InputError(
            f"the fields of model {name!r} have negative entries; rates are not negative"
        )
    return fields


def usual_settings(arena: Arena) -> dict[str, tuple[Any, ...]]:
    """Return the default values of each setting.

    Horizons 1 / (1 - discount) range from 0.4 to 6 times that of the MDP, widths from 1 to 4
    distances between neighbouring states, and shares of options from 5 to 65 %.

    Parameters
    ----------
    arena : Arena
        The arena.
    """
    n = arena.mdp.n_states
    horizons = np.geomspace(0.4, 6.0, _N_DISCOUNTS) / (1.0 - arena.mdp.discount)
    return {
        "discount": tuple(1.0 - 1.0 / max(1.05, step) for step in horizons.tolist()),
        "n_options": tuple(k for k in (4, 8, 16) if k < n) or (1,),
        "option_share": (0.05, 0.15, 0.35, 0.65),
        "n_parts": tuple(k for k in (8, 16, 32) if k < n) or (1,),
        "width": tuple(np.geomspace(1.0, 4.0, _N_WIDTHS) * arena.spacing),
    }


def between_values(values: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
    """Return values halfway between those of each continuous setting.

    These are geometric means of neighbouring widths, of the horizons of discounts, and of the odds
    of shares.

    Parameters
    ----------
    values : mapping of str to sequences
        Values of each setting, as of `usual_settings`.

    Examples
    --------
    >>> between_values({"width": (1.0, 4.0), "discount": (0.5, 0.98), "n_options": (4, 16)})
    {'width': (2.0,), 'discount': (0.9,), 'n_options': (4, 16)}
    """
    between = {name: tuple(tried) for name, tried in values.items()}
    for name, (scale, back) in SCALES.items():
        tried = np.sort(scale(np.array(values.get(name, ()))))
        if tried.size > 1:
            between[name] = tuple(back((tried[1:] + tried[:-1]) / 2.0).round(12).tolist())
    return between


def check_share(value: Any, where: str) -> float:
    """Return a share of choices that are options, or raise `InputError`."""
    share = check_number(value, where)
    if not 0.0 < share < 1.0:
        raise InputError(f"{where} has {share:.6g}; shares of options lie between 0 and 1")
    return share


def read_settings(settings: Any, arena: Arena) -> dict[str, tuple[Any, ...]]:
    """Return the values to try for each setting, or raise `InputError`."""
    usual = usual_settings(arena)
    given = {} if settings is None else settings
    if not isinstance(given, Mapping) or not set(given) <= set(usual):
        known = ", ".join(map(repr, usual))
        raise InputError(
            f"settings is {short_repr(settings)}; it must be a dictionary with keys among {known}"
        )
    checks: dict[str, Callable[[Any, str], Any]] = {
        "discount": lambda value, _: check_discount(value),
        "n_options": check_count,
        "option_share": check_share,
        "n_parts": check_count,
        "width": check_number,
    }
    for name, values in given.items():
        if not is_list(values) or not len(values):
            raise InputError(
                f"settings[{name!r}] is {short_repr(values)}; it must be a list of values to try"
            )
        where = f"settings[{name!r}]"
        usual[name] = tuple(sorted({checks[name](value, where) for value in values}))
    if usual["width"][0] <= 0.0:
        raise InputError(f"settings['width'] has {usual['width'][0]}; widths must be positive")
    return usual
