"""Option sets as contents of a file, and back."""

from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr.files.contents import Contents
from hsr.options.option_set import OptionSet


def option_contents(options: OptionSet) -> Contents:
    """Return what a file of an option set holds: its arrays and names.

    Raises
    ------
    InputError
        If a name is not a text.

    Examples
    --------
    >>> contents = option_contents(OptionSet(policy=[[1, 1]], termination=[[0, 1]]))
    >>> sorted(contents.arrays), contents.settings
    (['initiation', 'policy', 'termination'], {'names': ['option 0']})
    """
    for o, name in enumerate(options.names):
        if not isinstance(name, str):
            raise InputError(f"names[{o}] is {shown(name)}; a file holds names that are texts")
    dims = ("option", "state")
    arrays = {
        "policy": (("option", "state", "action")[: options.policy.ndim], options.policy),
        "termination": (dims, options.termination),
        "initiation": (dims, options.initiation),
    }
    return Contents("options", options.made_for, None, {"names": list(options.names)}, arrays)


def options_from(contents: Contents) -> OptionSet:
    """Return the option set of a file, checked like any other.

    Parameters
    ----------
    contents : Contents
        What a file of an option set holds.

    Examples
    --------
    >>> options_from(option_contents(OptionSet(policy=[[1, 1]], termination=[[0, 1]])))
    OptionSet(1 option, n_states=2, deterministic)
    """
    dims, _ = contents.arrays.get("policy", ((), None))
    policy = contents.array("policy", 3) if len(dims) == 3 else contents.array("policy", 2, "int32")
    names = contents.settings.get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("it has no list of names")
    termination, initiation = (
        contents.array("termination", 2),
        contents.array("initiation", 2, "bool"),
    )
    return OptionSet(policy, termination, initiation, names, contents.made_for)
