"""Options by the name of their kind: `make_options`, for built-in kinds and for those of plugins.

A plugin (group `hsr.options`) is a function ``(mdp, n_options, **settings) -> OptionSet``. It must
give as many options as it is asked for, and the same ones for the same arguments.
"""

from collections.abc import Callable
from typing import Any

from hsr._base.errors import InputError
from hsr._base.plugins import OPTIONS, check_call, choose, load
from hsr._base.validation import check_count
from hsr.mdp.finite import FiniteMDP
from hsr.options.eigen import eigenoptions
from hsr.options.option_set import OptionSet, check_options
from hsr.options.points import covering_options, random_options

KINDS: dict[str, Callable[..., OptionSet]] = {
    "covering": covering_options,
    "eigen": eigenoptions,
    "random": random_options,
}


def make_options(
    mdp: FiniteMDP, kind: str = "eigen", n_options: int = 8, **settings: Any
) -> OptionSet:
    """Return options of a kind that is chosen by name.

    Parameters
    ----------
    mdp : FiniteMDP
    kind : {"covering", "eigen", "random"}, or the name of a plugin
    n_options : int
    **settings
        What `covering_options`, `eigenoptions`, `random_options` or the plugin takes beside.

    Raises
    ------
    InputError
        If there is no such kind or setting, or if a plugin gives anything but `n_options` options
        for this MDP.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"))
    >>> hsr.make_options(mdp, "random", n_options=3, seed=0).names
    ('to 86', 'to 37', 'to 20')
    """
    if not isinstance(mdp, FiniteMDP):
        raise InputError(f"mdp is of type {type(mdp).__name__}; it must be a FiniteMDP")
    n_options = check_count(n_options, "n_options")
    plugin = choose(OPTIONS, kind, tuple(KINDS), "kind")
    function = KINDS[kind] if plugin is None else load(plugin)
    whose = f"kind {kind!r}" if plugin is None else str(plugin)
    check_call(function, whose, mdp, n_options, **settings)
    options = function(mdp, n_options, **settings)
    try:
        check_options(mdp, options)
    except InputError as error:
        raise InputError(f"{whose} gave what does not fit: {error}") from None
    if len(options) != n_options:
        raise InputError(f"{whose} gave {len(options)} options; {n_options} were asked for")
    return options
