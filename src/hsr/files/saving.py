"""`save` and `load`: maps, option sets, fitted bases, MDPs, tasks, agents and runs as files."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from hsr._base.durable import replacing
from hsr._base.errors import HSRError, InputError, TooLargeError, short_repr
from hsr._base.lazy import LazyMatrix
from hsr.files.container import read_arrays, read_header, write
from hsr.files.objects import Arrays, decode, encode, map_of
from hsr.mdp.fingerprint import check_made_for, read_fingerprint, short
from hsr.mdp.finite import FiniteMDP, check_mdp


def save(thing: Any, path: str | os.PathLike[str], mdp: FiniteMDP | None = None) -> None:
    """Write a map, an option set, a fitted basis, an MDP, a task, an agent or a run into a file.

    The file is written completely or not at all. It has a checksum over all bytes, and the
    fingerprint of the MDP that the object was made for. It is a zip of arrays that can be read with
    NumPy alone. For other formats, such as NetCDF, use ``to_xarray()`` of maps, bases and runs.

    Parameters
    ----------
    thing : PredictiveMap, array, OptionSet, fitted basis, FiniteMDP, task, agent or run
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
    if isinstance(thing, np.ndarray):
        thing = map_of(thing)
    arrays: Arrays = {}
    written = encode(thing, "", arrays)
    if not isinstance(written, dict):
        raise InputError(
            f"{short_repr(thing)} cannot be saved; maps, option sets, fitted bases, MDPs, tasks, "
            "agents and runs of hsr can, one in each file"
        )
    made_for, n_states = _owner(thing)
    if mdp is not None:
        here = check_mdp(mdp).fingerprint
        if n_states not in (None, mdp.n_states):
            raise InputError(
                f"the {written['class']} has {n_states} states; the MDP has {mdp.n_states}"
            )
        what, instead = f"the {written['class']} was made", "save it with its own, or without mdp="
        check_made_for(here, made_for, what, instead)
        made_for = here
        given = written["fields"]
        given |= {name: here for name in _CARRIED if name in given}
        if given.get("discount", 0.0) is None:
            given["discount"] = mdp.discount
    try:
        with replacing(target) as file:
            write(file, written, arrays, made_for)
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
    PredictiveMap, OptionSet, fitted basis, FiniteMDP, task, agent or run
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
            kind, made_for = header["object"]["class"], read_fingerprint(header["mdp_fingerprint"])
            if mdp is not None:
                if made_for is None:
                    raise InputError(
                        f"it does not say for which MDP the {kind} was made; "
                        "load it without mdp=, or save it again with its MDP"
                    )
                here = check_mdp(mdp).fingerprint
                what, instead = f"the {kind} was made", "load it with its own, or without mdp="
                check_made_for(here, made_for, what, instead)
            thing = decode(header["object"], read_arrays(file, header))
        own, _ = _owner(thing)
        if own not in (None, made_for):
            of = "the MDP" if isinstance(thing, FiniteMDP) else f"a {kind} of the MDP"
            raise InputError(f"it holds {of} {short(own)} and says that it is {made_for!r:.40}")
        return thing
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


_CARRIED = ("mdp_fingerprint", "mdp_fingerprint_")


def _owner(thing: Any) -> tuple[str | None, int | None]:
    """Return the fingerprint of the MDP of an object and its number of states, if it has them.

    Those of an agent are those of its features.
    """
    features = getattr(getattr(thing, "learner", thing), "features", None)
    if not isinstance(features, str | None):
        thing = features if hasattr(features, "n_states_") else _as_matrix(features)
    if isinstance(thing, FiniteMDP):
        return thing.fingerprint, thing.n_states
    made_for = next((getattr(thing, name) for name in _CARRIED if hasattr(thing, name)), None)
    if isinstance(thing, LazyMatrix | np.ndarray):
        return made_for, int(thing.shape[0])
    return made_for, getattr(thing, "n_states", getattr(thing, "n_states_", None))


def _as_matrix(features: Any) -> Any:
    return features if isinstance(features, LazyMatrix) else np.asarray(features)


def _read_path(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path is {short_repr(path)}; it must be a path that ends in .npz")
    read = Path(path)
    if read.suffix != ".npz":
        raise InputError(f"path is {str(read)!r}; it must end in .npz")
    return read


def _shown(path: Path) -> str:
    return repr(str(path))
