"""Representations by the name of their kind: `make_representation`, for built-in kinds and for
those of plugins.

    "sr"              the successor representation of the uniform random walk
    "hsr"             its hierarchical form: a uniform choice among whatever is available, options too
    "expected_sr"     averaged over every goal, under the best policy over primitive actions
    "expected_hsr"    averaged over every goal, under the best policy over actions and options

All are exact. (The same words mean maps that are learned on the way where `LinearQ` has "sr" and
"hsr" for features.)

A plugin (group `hsr.representations`) is a function ``(mdp, options)`` that returns a
`PredictiveMap` or an array of shape (S, K). `options` is an `OptionSet`, or None where there are
none, or none yet.
"""

from collections.abc import Callable

from hsr._base.arrays import FloatArray, read_only
from hsr._base.errors import InputError
from hsr._base.plugins import REPRESENTATIONS, Plugin, check_call, choose, load
from hsr._base.validation import check_array
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.provenance import check_made_for
from hsr.mdp.task import goal_tasks
from hsr.options.model import option_model
from hsr.options.option_set import OptionSet, check_options
from hsr.options.planning import uniform_choice
from hsr.representation.expected import expected_hsr, expected_sr
from hsr.representation.hierarchical import hierarchical_sr
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.sr import successor_representation


def make_representation(
    mdp: FiniteMDP, kind: str, options: OptionSet | None = None
) -> PredictiveMap | FloatArray:
    """Return a representation of all states, of a kind that is chosen by name.

    Parameters
    ----------
    mdp : FiniteMDP
    kind : {"sr", "hsr", "expected_sr", "expected_hsr"}, or the name of a plugin
    options : OptionSet, optional
        "hsr" and "expected_hsr" need them.

    Returns
    -------
    PredictiveMap, or an array of shape (S, K), as a plugin gives it; the array is read-only

    Raises
    ------
    InputError
        If there is no such kind, options are missing, or a plugin gives anything else.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> hsr.make_representation(mdp, "hsr", hsr.make_options(mdp, "eigen")).shape
    (104, 104)
    """
    if not isinstance(mdp, FiniteMDP):
        raise InputError(f"mdp is of type {type(mdp).__name__}; it must be a FiniteMDP")
    if options is not None:
        check_options(mdp, options)
    plugin = choose(REPRESENTATIONS, kind, tuple(KINDS), "kind")
    if plugin is None:
        return KINDS[kind](mdp, options)
    function = load(plugin)
    check_call(function, str(plugin), mdp, options)
    return _checked(mdp, function(mdp, options), plugin)


def _walk_over_choices(mdp: FiniteMDP, options: OptionSet | None) -> PredictiveMap:
    model = option_model(mdp, _needed(options, "hsr"))
    return hierarchical_sr(model, uniform_choice(model))


def _needed(options: OptionSet | None, kind: str) -> OptionSet:
    if options is None:
        raise InputError(f"kind is {kind!r} and options is None; a hierarchical map needs options")
    return options


def _checked(mdp: FiniteMDP, found: object, plugin: Plugin) -> PredictiveMap | FloatArray:
    """Return what a plugin gave if it is a map of this MDP, or features of all its states."""
    n = mdp.n_states
    if not isinstance(found, PredictiveMap):
        features = check_array(found, (n, None), f"the result of {plugin}")
        if not features.shape[1]:
            raise InputError(
                f"the result of {plugin} has shape {features.shape}; there must be at least one feature"
            )
        return read_only(features.copy())
    if found.shape != (n, n):
        raise InputError(f"{plugin} gave a map of shape {found.shape}; this MDP has {n} states")
    check_made_for(
        mdp.fingerprint,
        found.made_for,
        f"{plugin} gave a map",
        "it must make one for the MDP that it is given",
    )
    return found


KINDS: dict[str, Callable[[FiniteMDP, OptionSet | None], PredictiveMap]] = {
    "sr": lambda mdp, options: successor_representation(mdp),
    "hsr": _walk_over_choices,
    "expected_sr": lambda mdp, options: expected_sr(mdp, goal_tasks(mdp)),
    "expected_hsr": lambda mdp, options: expected_hsr(
        mdp, _needed(options, "expected_hsr"), goal_tasks(mdp)
    ),
}
