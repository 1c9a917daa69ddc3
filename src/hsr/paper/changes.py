"""Changes of a setting: read from the command line or from a TOML file, and written back.

A change names one field by its dotted path and gives its value in the syntax of TOML:

    agent.learning_rate=0.05        rates=[0.01, 0.1]        options.kind=covering

Words need no quotation marks. The word none stands for no value, which TOML does not have.
"""

import hashlib
import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hsr import InputError
from hsr.toolkit import read_regular

NOTHING = "none"
_OWN_FLAGS = ("worlds", "seeds")  # fields that have a flag of their own
_MOST_BYTES = 2**20  # of a file of settings
_LONGEST_NAME = 100  # of a file, without its ending


def read_change(text: str) -> tuple[str, Any]:
    """Return the path and value of one change written as ``path=value``."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise InputError(
            f"{text!r:.80} is not a change; write it as name=value, "
            "such as agent.learning_rate=0.05"
        )
    return path.strip(), _read_value(value.strip())


def read_file(path: Path) -> dict[str, Any]:
    """Return the changes in a TOML file, as dotted paths and values."""
    try:
        tables = tomllib.loads(read_regular(path, _MOST_BYTES).decode("utf-8"))
    except (OSError, InputError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} cannot be read as TOML: {error}") from None
    return dict(_flattened(tables, ""))


def write_value(value: Any) -> str:
    r"""Return a value in the syntax of TOML.

    Examples
    --------
    >>> print(write_value((0.1, True, None, {"kind": "nmf"})))
    [0.1, true, "none", {kind = "nmf"}]
    """
    if value is None:
        return f'"{NOTHING}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        whole = "\n" in value and "'" not in value
        return f"'''\n{value}'''" if whole else json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        pairs = (f"{key} = {write_value(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(write_value, value))}]"
    return repr(value)


def as_flags(changes: Mapping[str, Any]) -> list[str]:
    """Return changes as words of a command line, quoted for a shell.

    Examples
    --------
    >>> as_flags({"seeds": 8, "agent.epsilon": 0.2, "options.kind": "random"})
    ['--seeds', '8', '--set', 'agent.epsilon=0.2', 'options.kind=random']
    """
    own = [name for name in _OWN_FLAGS if name in changes]
    flags = [word for name in own for word in (f"--{name}", str(changes[name]))]
    rest = [f"{path}={_word(value)}" for path, value in changes.items() if path not in own]
    return [*flags, *(["--set", *map(shlex.quote, rest)] if rest else [])]


def as_file_name(parts: Sequence[str], changes: Mapping[str, Any]) -> str:
    """Return the name of a file that says what it shows: some words, then the changes.

    Names of different changes differ. Characters that are awkward in names are left out, and a name
    that is too long ends with a checksum.

    Examples
    --------
    >>> as_file_name(["online_transfer", "smoke"], {"agent.epsilon": 0.2})
    'online_transfer_smoke_agent.epsilon=0.2'
    """
    full = "_".join([*parts, *(f"{path}={_word(value)}" for path, value in changes.items())])
    name = re.sub(r"[^\w.=+-]+", "-", re.sub(r"[\[\]{}\"']", "", full)).strip("-.")
    if name == full and len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:_LONGEST_NAME]}-{hashlib.sha256(full.encode()).hexdigest()[:8]}"


def _word(value: Any) -> str:
    """Return a value as it is typed; words need no quotation marks."""
    text = value if isinstance(value, str) else write_value(value)
    return text if not isinstance(value, str) or _read_value(text) == value else write_value(value)


def _read_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _flattened(tables: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
