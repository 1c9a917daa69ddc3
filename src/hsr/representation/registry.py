"""Representations by name: the registry `REPRESENTATIONS`, `make_representation` and `MapSpec`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hsr._base.arrays import FloatArray, read_only
from hsr._base.declaration import Spec, named, word
from hsr._base.errors import InputError
from hsr._base.registry import Entry, Registry
from hsr._base.validation import check_array
from hsr.mdp.fingerprint import check_made_for
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.task import Task
from hsr.options.model import option_model
from hsr.options.option_set import OptionSet, check_options
from hsr.options.planning import TIES, uniform_policy
from hsr.representation.expected import GOALS, expected_hsr, expected_sr
from hsr.representation.hierarchical import STOPPING_STATES, hierarchical_sr
from hsr.representation.predictive_map import MAP_SCALES, PredictiveMap, scaled_entries
from hsr.representation.sr import successor_representation


def _rw_sr(mdp: FiniteMDP, options: OptionSet | None) -> PredictiveMap:
    return successor_representation(mdp)


def _rw_hsr(
    mdp: FiniteMDP, options: OptionSet | None, *, stopping_state: str = "counted_once"
) -> PredictiveMap:
    assert options is not None
    model = option_model(mdp, options)
    return hierarchical_sr(model, uniform_policy(model), stopping_state=stopping_state)


def _esr(mdp: FiniteMDP, options: OptionSet | None, **settings: Any) -> PredictiveMap:
    return expected_sr(mdp, **settings)


def _ehsr(mdp: FiniteMDP, options: OptionSet | None, **settings: Any) -> PredictiveMap:
    assert options is not None
    return expected_hsr(mdp, options, **settings)


REPRESENTATIONS = Registry(
    "kind",
    (
        Entry("rw_sr", "SR of the uniform random walk over actions", _rw_sr),
        Entry(
            "rw_hsr",
            "HSR of the uniform random walk over actions and options",
            _rw_hsr,
            ("stopping_state",),
            needs_options=True,
        ),
        Entry(
            "esr",
            "SR of the optimal policies over actions, averaged over goals",
            _esr,
            ("tasks", "policies", "goal"),
        ),
        Entry(
            "ehsr",
            "HSR of the optimal policies over actions and options, averaged over goals",
            _ehsr,
            ("tasks", "policies", "ties", "stopping_state", "goal"),
            needs_options=True,
        ),
    ),
)
"""Every exact representation of all states of an MDP.

An entry is a function ``(mdp, options, **settings)`` that returns a `PredictiveMap` or an array of
shape (S, K). `options` is an `OptionSet`, or None if there are no options. Add your own with
``REPRESENTATIONS.add(name, function)``.
"""


def make_representation(
    mdp: FiniteMDP, kind: str, options: OptionSet | None = None, **settings: Any
) -> PredictiveMap | FloatArray:
    """Return an exact representation of all states, of a kind that is chosen by name.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP whose states are represented.
    kind : {"rw_sr", "rw_hsr", "esr", "ehsr"}, or your own
        The first two belong to the uniform random walk, the last two are averages over goals.
        `hsr.REPRESENTATIONS` lists what is there.
    options : OptionSet, optional
        The options of a hierarchical map. "rw_hsr" and "ehsr" need them.
    **settings
        `stopping_state` for hierarchical maps; `tasks`, `policies`, `goal` and, for "ehsr", `ties`
        for expected maps, as in `expected_sr` and `expected_hsr`. By default every state is a goal
        once.

    Returns
    -------
    PredictiveMap, or a read-only array of shape (S, K) if your function returns one

    Raises
    ------
    InputError
        If there is no such kind, options are missing, or your function returns anything
        else.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> hsr.make_representation(mdp, "rw_hsr", hsr.make_options(mdp, "eigen")).shape
    (104, 104)
    """
    check_mdp(mdp)
    if options is not None:
        check_options(mdp, options)
    entry = REPRESENTATIONS[kind]
    if entry.needs_options and options is None:
        raise InputError(f"kind is {kind!r} and options is None; a hierarchical map needs options")
    M: PredictiveMap | FloatArray = entry.make(mdp, options, **settings)
    return M if kind in REPRESENTATIONS.built_in else _checked(mdp, M, f"kind {kind!r}")


@dataclass(frozen=True, kw_only=True)
class MapDetails(Spec):
    """The settings of predictive maps besides their kind; `MapSpec` explains them."""

    ties: str = word(TIES, "how plans over options split choices that are equally good")
    stopping_state: str = word(
        STOPPING_STATES, "how often the HSR counts the state in which an option stops"
    )
    goal: str = word(GOALS, "whether the maps of single tasks end at the goal")
    map_scale: str = word(MAP_SCALES, "how the map is scaled before anything is made of it")


@dataclass(frozen=True)
class MapSpec(MapDetails):
    """Which predictive map, as data: a kind and the settings that it reads.

    Parameters
    ----------
    kind : {"ehsr", "esr", "rw_hsr", "rw_sr"}, or your own
        The representation, as in `make_representation`.
    ties : {"uniform", "options", "primitives", "random"}
        How plans over options split choices that are equally good. Read by "ehsr".
    stopping_state : {"counted_once", "counted_twice"}
        How often a hierarchical map counts the state in which an option stops.
    goal : {"ends", "continues"}
        Whether the map of each task ends at its goal. Read by "esr" and "ehsr".
    map_scale : {"none", "discount", "largest"}
        Leave the map as it is, multiply it by 1 - discount, or divide it by its largest entry, as
        in `PredictiveMap.scaled`.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"))
    >>> hsr.representation.MapSpec("rw_sr").build(mdp).shape
    (104, 104)
    """

    kind: str = named(REPRESENTATIONS, "ehsr", "the predictive map")

    def build(
        self,
        mdp: FiniteMDP,
        options: OptionSet | None = None,
        *,
        tasks: Sequence[Task] | None = None,
        policies: Any = None,
    ) -> PredictiveMap | FloatArray:
        """Return the map of an MDP; `tasks` and `policies` are read by expected maps alone."""
        entry = REPRESENTATIONS[self.kind]
        given = {"tasks": tasks, "policies": policies, **self.data()}
        settings = {name: given[name] for name in entry.settings}
        M = make_representation(mdp, entry.name, options, **settings)
        if isinstance(M, PredictiveMap):
            return M.scaled(self.map_scale)
        return read_only(scaled_entries(M, self.map_scale, mdp.discount))


def _checked(mdp: FiniteMDP, M: object, source: str) -> PredictiveMap | FloatArray:
    """Return what a user's function made if it is a map of this MDP, or features of all states."""
    n = mdp.n_states
    if not isinstance(M, PredictiveMap):
        features = check_array(M, (n, None), f"the result of {source}")
        if not features.shape[1]:
            raise InputError(
                f"the result of {source} has shape {features.shape}; "
                "there must be at least one feature"
            )
        return read_only(features.copy())
    if M.shape != (n, n):
        raise InputError(f"{source} returned a map of shape {M.shape}; this MDP has {n} states")
    check_made_for(
        mdp.fingerprint,
        M.mdp_fingerprint,
        f"{source} returned a map",
        "it must make one for the MDP that it is given",
    )
    return M
