"""Optional packages, the extras that install them, and the error if one is missing."""

from importlib.util import find_spec

from hsr._base.errors import InputError

EXTRAS = {
    "envs": ("gymnasium",),
    "plots": ("matplotlib",),
    "pandas": ("pandas",),
    "xarray": ("xarray",),
    "paper": ("distributed", "pandas", "xarray", "matplotlib", "jinja2"),
    "data": ("pooch", "pandas"),
    "deep": ("jax", "optax", "equinox"),
    "minigrid": ("gymnasium", "minigrid"),
}


class MissingExtraError(InputError, ImportError):
    """A package of an extra is not installed. The message says how to install it."""


def needs(extra: str, what: str) -> None:
    """Raise `MissingExtraError` if a package of an extra is not installed.

    Parameters
    ----------
    extra : str
        A key of `EXTRAS`.
    what : str
        The command, package or function that needs it, for the message.

    Examples
    --------
    >>> needs("envs", "hsr.envs")
    """
    missing = missing_packages(extra)
    if missing:
        raise MissingExtraError(
            f"{what} needs {missing[0]}; install it with: pip install {' '.join(missing)}, or in a "
            f"clone of hsr with: {install(extra)}"
        )


def missing_packages(extra: str) -> list[str]:
    """Return the packages of an extra that are not installed.

    >>> missing_packages("envs")
    []
    """
    return [name for name in EXTRAS[extra] if not _is_here(name)]


def install(extra: str = "") -> str:
    """Return the command that installs hsr from a clone, with an extra.

    >>> install("paper")
    "pip install '.[paper]'"
    """
    return f"pip install '.[{extra}]'" if extra else "pip install ."


def _is_here(module: str) -> bool:
    """Return whether a module can be found, without importing it."""
    try:
        return find_spec(module) is not None
    except ImportError:
        return False
