"""`save` and `load`: maps, option sets, fitted bases, MDPs, agents and runs as files."""

import os
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hsr._base.durable import replacing
from hsr._base.errors import HSRError, InputError, TooLargeError
from hsr._base.lazy import LazyMatrix
from hsr.files import maps, mdps, option_sets
from hsr.files.contents import Contents, read, read_header, write
from hsr.mdp.fingerprint import check_made_for, read_fingerprint
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.options.option_set import OptionSet

_KINDS = {  # the module that reads and writes each kind, and what messages call it
    "map": ("maps", "the map"),
    "options": ("option_sets", "the option set"),
    "basis": ("bases", "the basis"),
    "mdp": ("mdps", "the MDP"),
    "agent": ("agents", "the agent"),
    "training_run": ("runs", "the training run"),
    "exploration_run": ("runs", "the exploration run"),
}


def save(thing: Any, path: str | os.PathLike[str], mdp: FiniteMDP | None = None) -> None:
    """Write a map, an option set, a fitted basis, an MDP, an agent or a run into a file.

    The file is written completely or not at all. It has a checksum over all bytes, and the
    fingerprint of the MDP that the object was made for. It is a zip of arrays that can be read with
    NumPy alone. For other formats, such as NetCDF, use ``to_xarray()`` of maps, bases and runs.

    Parameters
    ----------
    thing : PredictiveMap, array, OptionSet, fitted basis, FiniteMDP, agent or run
        What to save. A lazy map is written out, and refused if it would not fit in memory. An
        array of shape (S, S) is a map, such as `learn_sr` returns it. Agents are `LinearQ`, `GPI`
        and `Sarsa`, with `OnlineOptions` and `OptionSpec`. Runs are `TrainingRun` and
        `ExplorationRun`.
    path : str or path
        Ends in ``.npz``. An existing file is replaced. If it is a symbolic link, the file that it
        points to is replaced.
    mdp : FiniteMDP, optional
        The MDP of an object that does not know for which MDP it was made. An object that was made
        for another MDP is refused.

    Raises
    ------
    InputError
        If the object cannot be saved, does not belong to `mdp`, or the file cannot be written.
        Only regular files are replaced.

    Examples
    --------
    >>> import os, tempfile, hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> path = os.path.join(tempfile.mkdtemp(), "options.npz")
    >>> hsr.save(hsr.eigenoptions(mdp, n_options=8), path)
    >>> hsr.load(path, mdp=mdp)
    OptionSet(8 options, n_states=104, deterministic)
    """
    target = _read_path(path)
    contents = _contents(thing)
    if mdp is not None:
        contents = _made_for(contents, check_mdp(mdp))
    try:
        with replacing(target) as file:
            write(file, contents)
    except OSError as error:
        raise InputError(
            f"{_shown(target)} cannot be written: {error.strerror or error}"
        ) from error


def load(path: str | os.PathLike[str], mdp: FiniteMDP | None = None) -> Any:
    """Return the object that `save` wrote into a file.

    Every byte is checked, and the object is checked like any other input. Nothing is unpickled.

    Parameters
    ----------
    path : str or path
        Ends in ``.npz``.
    mdp : FiniteMDP, optional
        The MDP for which the object must have been made.

    Returns
    -------
    PredictiveMap, OptionSet, fitted basis, FiniteMDP, agent or run
        The object, with the fingerprint of its MDP. A map has all of its entries in memory.

    Raises
    ------
    InputError
        If there is no such file, `hsr.save` did not write it, another version of the format did, or
        a byte of it has changed. With `mdp` also if the object was made for another MDP, or the
        file does not say for which.

    Examples
    --------
    >>> import os, tempfile, hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> path = os.path.join(tempfile.mkdtemp(), "sr.npz")
    >>> hsr.save(hsr.successor_representation(mdp), path)
    >>> hsr.load(path)
    PredictiveMap(104 states, discount 0.9)
    """
    source = _read_path(path)
    try:
        with open(source, "rb") as file:
            header = read_header(file)
            if mdp is not None:
                _check_fits_mdp(header, check_mdp(mdp))
            return _thing(read(file, header))
    except FileNotFoundError:
        raise InputError(f"there is no file {_shown(source)}") from None
    except OSError as error:
        raise InputError(f"{_shown(source)} cannot be read: {error.strerror or error}") from error
    except TooLargeError:
        raise
    except HSRError as error:
        raise InputError(f"{_shown(source)} cannot be loaded: {error}") from error
    except Exception as error:  # a parser may find anything wrong
        raise InputError(
            f"{_shown(source)} cannot be loaded: it is damaged, or no .npz file ({error})"
        ) from error


def _contents(thing: Any) -> Contents:
    """Return an object as header and arrays, by its type."""
    if isinstance(thing, OptionSet):
        return option_sets.to_contents(thing)
    if isinstance(thing, FiniteMDP):
        return mdps.to_contents(thing)
    if isinstance(thing, LazyMatrix | np.ndarray):
        return maps.to_contents(thing)
    if hasattr(thing, "fit"):
        from hsr.files import bases

        return bases.to_contents(thing)
    from hsr.files import agents, runs

    if isinstance(thing, agents.SETTINGS):
        return agents.to_contents(thing)
    if isinstance(thing, runs.Run):
        return runs.to_contents(thing)
    raise InputError(
        f"a {type(thing).__name__} cannot be saved; "
        "maps, option sets, fitted bases, MDPs, agents and runs can"
    )


def _thing(contents: Contents) -> Any:
    """Return the object of a header and arrays. Heavy packages are imported for their kinds."""
    read_fingerprint(contents.mdp_fingerprint)
    if contents.kind not in _KINDS:
        raise InputError(f"it holds a {contents.kind!r:.40}, which is none of {', '.join(_KINDS)}")
    module, _ = _KINDS[contents.kind]
    return import_module(f"hsr.files.{module}").from_contents(contents)


def _made_for(contents: Contents, mdp: FiniteMDP) -> Contents:
    """Return the contents with the fingerprint of an MDP, after checking that they fit it."""
    _, what = _KINDS[contents.kind]
    if contents.n_states not in (None, mdp.n_states):
        raise InputError(f"{what} has {contents.n_states} states; the MDP has {mdp.n_states}")
    here = mdp.fingerprint
    check_made_for(
        here, contents.mdp_fingerprint, f"{what} was made", "save it with its own, or without mdp="
    )
    discount = (
        mdp.discount if contents.kind == "map" and contents.discount is None else contents.discount
    )
    return replace(contents, mdp_fingerprint=here, discount=discount)


def _check_fits_mdp(header: dict[str, Any], mdp: FiniteMDP) -> None:
    """Raise `InputError` unless the object in a file was made for this MDP."""
    mdp_fingerprint, (_, what) = header["mdp_fingerprint"], _KINDS[header["kind"]]
    if mdp_fingerprint is None:
        raise InputError(
            f"it does not say for which MDP {what} was made; "
            "load it without mdp=, or save it again with its MDP"
        )
    check_made_for(
        mdp.fingerprint,
        mdp_fingerprint,
        f"{what} was made",
        "load it with its own, or without mdp=",
    )


def _read_path(path: str | os.PathLike[str]) -> Path:
    read = Path(path)
    if read.suffix != ".npz":
        raise InputError(f"path is {str(read)!r}; it must end in .npz")
    return read


def _shown(path: Path) -> str:
    return repr(str(path))
