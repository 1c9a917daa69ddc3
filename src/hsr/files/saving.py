"""`save` and `load`: maps, option sets, fitted bases, MDPs, agents and runs as files."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from hsr._base.durable import replacing
from hsr._base.errors import HSRError, InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.regular_file import check_regular
from hsr._base.shown import shown
from hsr.files import netcdf, npz
from hsr.files.contents import Contents, read_contents, read_header
from hsr.files.maps import map_contents, map_from
from hsr.files.option_sets import option_contents, options_from
from hsr.files.worlds import mdp_contents, mdp_from
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.provenance import check_made_for, read_made_for
from hsr.options.option_set import OptionSet

_FORMATS = {".npz": npz, ".nc": netcdf}
_NOUNS = {
    "map": "the map",
    "options": "the option set",
    "basis": "the basis",
    "mdp": "the MDP",
    "agent": "the agent",
    "training_run": "the training run",
    "exploration_run": "the exploration run",
}


def save(thing: Any, path: str | os.PathLike[str], mdp: FiniteMDP | None = None) -> None:
    """Write a map, an option set, a fitted basis, an MDP, an agent or a run into a file.

    The file is written completely or not at all. It has a checksum over all bytes, and the
    fingerprint of the MDP that the object was made for. ``.npz`` is fast and can be read with NumPy
    alone. ``.nc`` is NetCDF with named dimensions, for xarray, R, Julia or MATLAB. Both hold the
    same values to the last bit.

    Parameters
    ----------
    thing : PredictiveMap, array, OptionSet, fitted basis, FiniteMDP, agent or run
        What to save. A lazy map is written out, and refused if it would not fit in memory. An
        array of shape (S, S) is a map, such as `learn_sr` returns it. Agents are `LinearQ`, `GPI`
        and `Sarsa`, with `OnlineOptions` and `OptionSpec`. Runs are `TrainingRun` and
        `ExplorationRun`.
    path : str or path
        Ends in ``.npz`` or ``.nc``, which chooses the format. An existing file is replaced.
    mdp : FiniteMDP, optional
        The MDP of an object that does not know for which MDP it was made. An object that was made
        for another MDP is refused.

    Raises
    ------
    InputError
        If the object cannot be saved, does not belong to `mdp`, or the file cannot be written.

    Examples
    --------
    >>> import os, tempfile, hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> path = os.path.join(tempfile.mkdtemp(), "options.npz")
    >>> hsr.save(hsr.eigenoptions(mdp, n_options=8), path)
    >>> hsr.load(path, mdp=mdp)
    OptionSet(8 options, n_states=104, deterministic)
    """
    target, form = _read_path(path)
    contents = _contents(thing)
    if mdp is not None:
        contents = _made_for(contents, check_mdp(mdp))
    try:
        with replacing(target) as file:
            form.write(file, contents)
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
        Ends in ``.npz`` or ``.nc``.
    mdp : FiniteMDP, optional
        The MDP for which the object must have been made.

    Returns
    -------
    PredictiveMap, OptionSet, fitted basis, FiniteMDP, agent or run
        The object, with the fingerprint of its MDP. A map has all of its entries in memory. An
        agent from a file of an older version has the defaults of settings that are newer.

    Raises
    ------
    InputError
        If there is no such file, `hsr.save` did not write it, a newer `hsr` wrote it, or a byte of
        it has changed. With `mdp` also if the object was made for another MDP, or the file does not
        say for which.

    Examples
    --------
    >>> import os, tempfile, hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> path = os.path.join(tempfile.mkdtemp(), "sr.npz")
    >>> hsr.save(hsr.successor_representation(mdp), path)
    >>> hsr.load(path)
    PredictiveMap(104 states, discount 0.9)
    """
    source, form = _read_path(path)
    if not os.path.isfile(source):
        raise InputError(f"there is no file {_shown(source)}")
    if check_regular(source) == 0:
        raise InputError(f"{_shown(source)} cannot be loaded: it is empty")
    with ExitStack() as opened:
        text, read_arrays = _guarded(source, lambda: opened.enter_context(form.reading(source)))
        header = _guarded(source, lambda: read_header(text))
        if mdp is not None:
            _check_fits_mdp(source, header, check_mdp(mdp))
        return _guarded(
            source, lambda: _thing(read_contents(header, read_arrays(header["arrays"])))
        )


def _contents(thing: Any) -> Contents:
    """Return an object as header and arrays, by its type."""
    if isinstance(thing, OptionSet):
        return option_contents(thing)
    if isinstance(thing, FiniteMDP):
        return mdp_contents(thing)
    if isinstance(thing, LazyMatrix | np.ndarray):
        return map_contents(thing)
    if hasattr(thing, "fit"):
        from hsr.files.bases import basis_contents

        return basis_contents(thing)
    from hsr.files.agents import SETTINGS, agent_contents
    from hsr.files.runs import Run, run_contents

    if isinstance(thing, SETTINGS):
        return agent_contents(thing)
    if isinstance(thing, Run):
        return run_contents(thing)
    raise InputError(
        f"a {type(thing).__name__} cannot be saved; "
        "maps, option sets, fitted bases, MDPs, agents and runs can"
    )


def _thing(contents: Contents) -> Any:
    """Return the object of a header and arrays, by the kind that the header names."""
    read_made_for(contents.made_for)
    if contents.kind not in _NOUNS:
        raise InputError(f"it holds a {contents.kind!r:.40}, which is none of {', '.join(_NOUNS)}")
    return _reader(contents.kind)(contents)


def _reader(kind: str) -> Callable[[Contents], Any]:
    """Return the function that reads a kind. Heavy packages are imported only for their kinds."""
    if kind == "basis":
        from hsr.files.bases import basis_from

        return basis_from
    if kind == "agent":
        from hsr.files.agents import agent_from

        return agent_from
    if kind in ("training_run", "exploration_run"):
        from hsr.files.runs import exploration_run_from, training_run_from

        return training_run_from if kind == "training_run" else exploration_run_from
    return {"map": map_from, "options": options_from, "mdp": mdp_from}[kind]


def _made_for(contents: Contents, mdp: FiniteMDP) -> Contents:
    """Return the contents with the fingerprint of an MDP, after checking that they fit it."""
    what = _NOUNS[contents.kind]
    sizes = [
        array.shape[dims.index("state")]
        for dims, array in contents.arrays.values()
        if "state" in dims
    ]
    if sizes and sizes[0] != mdp.n_states:
        raise InputError(f"{what} has {sizes[0]} states; the MDP has {mdp.n_states}")
    here = _fingerprint(mdp, contents.kind)
    check_made_for(
        here, contents.made_for, f"{what} was made", "save it with its own, or without mdp="
    )
    discount = (
        mdp.discount if contents.kind == "map" and contents.discount is None else contents.discount
    )
    return replace(contents, made_for=here, discount=discount)


def _check_fits_mdp(path: Path, header: dict[str, Any], mdp: FiniteMDP) -> None:
    """Raise `InputError` unless the object in a file was made for this MDP."""
    made_for, what = header["made_for"], _NOUNS.get(header["kind"], "what it holds")
    if made_for is None:
        raise InputError(
            f"{_shown(path)} does not say for which MDP {what} was made; "
            "load it without mdp=, or save it again with its MDP"
        )
    here = _fingerprint(mdp, header["kind"])
    check_made_for(
        here, made_for, f"{_shown(path)}: {what} was made", "load it with its own, or without mdp="
    )


def _fingerprint(mdp: FiniteMDP, kind: str) -> str:
    return mdp.structure_fingerprint if kind == "options" else mdp.fingerprint


def _guarded(path: Path, read: Callable[[], Any]) -> Any:
    """Return what `read` returns, or raise one kind of error for whatever a parser finds wrong."""
    try:
        return read()
    except MemoryError:
        raise
    except HSRError as error:
        raise InputError(f"{_shown(path)} cannot be loaded: {error}") from error
    except OSError as error:
        raise InputError(f"{_shown(path)} cannot be read: {error.strerror or error}") from error
    except Exception as error:
        raise InputError(
            f"{_shown(path)} cannot be loaded: it is damaged, or no {path.suffix} file ({error})"
        ) from error


def _read_path(path: Any) -> tuple[Path, ModuleType]:
    """Return a path and the module of the format that its suffix names."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(
            f"path is {shown(path)}; it must be a path that ends in {' or '.join(_FORMATS)}"
        )
    read = Path(os.fsdecode(path))
    if read.suffix not in _FORMATS:
        raise InputError(
            f"path is {str(read)!r}; "
            f"it must end in {' or '.join(_FORMATS)}, which chooses the format"
        )
    if "\0" in str(read):
        raise InputError(f"path is {str(read)!r}; a path has no null characters")
    return read, _FORMATS[read.suffix]


def _shown(path: Path) -> str:
    return repr(str(path))
