"""Option kinds by name: the registry `OPTION_KINDS` and `make_options`."""

from typing import Any

from hsr._base.errors import InputError
from hsr._base.registry import Entry, Registry
from hsr._base.validation import check_count
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.options.eigen import eigenoptions
from hsr.options.landmarks import betweenness_options, diffusion_options, successor_options
from hsr.options.option_set import OptionSet, check_options
from hsr.options.points import covering_options, random_options

OPTION_KINDS = Registry(
    "kind",
    (
        Entry(
            "eigen",
            "climb the slow eigenvectors of the random walk",
            eigenoptions,
            ("signs", "first", "seed"),
        ),
        Entry(
            "covering",
            "connect the two states that are farthest apart for the random walk",
            covering_options,
            ("initiation",),
        ),
        Entry("random", "go to states drawn at random", random_options, ("seed",)),
        Entry(
            "successor",
            "go to landmarks, the middle of states with similar rows of the SR",
            successor_options,
            ("seed",),
        ),
        Entry(
            "betweenness",
            "go to doors and junctions, which most shortest paths pass",
            betweenness_options,
        ),
        Entry(
            "diffusion",
            "go to corners and dead ends, from which diffusion is slowest",
            diffusion_options,
            ("diffusion_time",),
        ),
    ),
)
"""Every way to make options of an MDP alone.

An entry is a function ``(mdp, n_options, **settings) -> OptionSet``. It must return as many options
as it is asked for, and the same ones for the same arguments. Add your own with
``OPTION_KINDS.add(name, function)``.
"""


def make_options(
    mdp: FiniteMDP, kind: str = "eigen", n_options: int = 8, **settings: Any
) -> OptionSet:
    """Return options of a kind that is chosen by name.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which the options act.
    kind : {"eigen", "covering", "random", "successor", "betweenness", "diffusion"}, or your own
        How the options are found. `hsr.OPTION_KINDS` lists what is there.
    n_options : int
        Number of options.
    **settings
        Keyword arguments of the function behind the kind, such as those of `eigenoptions`.

    Returns
    -------
    OptionSet
        Exactly `n_options` options for this MDP.

    Raises
    ------
    InputError
        If there is no such kind, or if a function of your own returns anything but `n_options`
        options for this MDP.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"))
    >>> hsr.make_options(mdp, "random", n_options=3, seed=0).names
    ('to 86', 'to 37', 'to 20')
    """
    check_mdp(mdp)
    n_options = check_count(n_options, "n_options")
    entry = OPTION_KINDS[kind]
    options: OptionSet = entry.make(mdp, n_options, **settings)
    if kind in OPTION_KINDS.built_in:
        return options
    try:
        check_options(mdp, options)
    except InputError as error:
        raise InputError(f"kind {kind!r} returned options that do not fit: {error}") from None
    if len(options) != n_options:
        raise InputError(
            f"kind {kind!r} returned {len(options)} options; {n_options} were requested"
        )
    return options
