"""An option set as contents of a file, and back: ``policy``, ``termination`` and ``initiation`` as
the set has them.
"""

from hsr._base.errors import InputError
from hsr.files.contents import Contents
from hsr.options.option_set import OptionSet


def option_contents(options: OptionSet) -> Contents:
    """Return what a file of an option set holds."""
    for o, name in enumerate(options.names):
        if not isinstance(name, str):
            raise InputError(f"names[{o}] is {name!r:.80}; a file holds names that are texts")
    dims = ("option", "state")
    arrays = {
        "policy": (("option", "state", "action")[: options.policy.ndim], options.policy),
        "termination": (dims, options.termination),
        "initiation": (dims, options.initiation),
    }
    return Contents("options", options.made_for, None, {"names": list(options.names)}, arrays)


def options_from(contents: Contents) -> OptionSet:
    """Return the option set of a file, after checking it as any other."""
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
