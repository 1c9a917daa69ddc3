"""Option sets as contents of a file, and back."""

from hsr._base.errors import InputError, short_repr
from hsr.files.contents import Contents
from hsr.options.option_set import OptionSet


def to_contents(options: OptionSet) -> Contents:
    """Return what a file of an option set holds: its arrays and names.

    Examples
    --------
    >>> contents = to_contents(OptionSet(policy=[[1, 1]], termination=[[0, 1]]))
    >>> sorted(contents.arrays), contents.settings
    (['initiation', 'policy', 'termination'], {'names': ['option 0']})
    """
    for o, name in enumerate(options.names):
        if not isinstance(name, str):
            raise InputError(f"names[{o}] is {short_repr(name)}; a file holds names that are texts")
    arrays = {name: getattr(options, name) for name in ("policy", "termination", "initiation")}
    settings = {"names": list(options.names)}
    return Contents("options", options.mdp_fingerprint, None, settings, arrays, options.n_states)


def from_contents(contents: Contents) -> OptionSet:
    """Return the option set of a file, checked like any other.

    Examples
    --------
    >>> from_contents(to_contents(OptionSet(policy=[[1, 1]], termination=[[0, 1]])))
    OptionSet(1 option, n_states=2, deterministic)
    """
    names = contents.settings["names"]
    return OptionSet(**contents.arrays, names=names, mdp_fingerprint=contents.mdp_fingerprint)
