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
from typing import TYPE_CHECKING, Any

from hsr import InputError
from hsr._base.declaration import NOTHING, Spec, fields_of

if TYPE_CHECKING:
    from hsr.experiments.experiment import Experiment

_OWN_FLAGS = ("worlds", "seeds")  # fields that have a flag of their own
_LONGEST_NAME = 100  # of a file, without its ending


def read_change(text: str) -> tuple[str, Any]:
    """Return the path and value of one change written as ``path=value``."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise InputError(
            f"{text!r:.80} is not a change; write it as name=value, "
            "such as agent.learning_rate=0.05"
        )
    return path.strip(), read_value(value.strip())


def read_value(text: str) -> Any:
    """Return a value that is written in the syntax of TOML; everything else is a word.

    >>> read_value("[0.1, 1]"), read_value("eigen"), read_value("2020-01-01")
    ([0.1, 1], 'eigen', '2020-01-01')
    """
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):  # also of integers with thousands of digits
        return text
    return value if isinstance(value, (bool, int, float, str, list, dict)) else text


def read_file(path: Path) -> dict[str, Any]:
    """Return the changes in a TOML file, as dotted paths and values."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        return dict(_flattened(tables, ""))
    except RecursionError:
        raise InputError(f"{path} cannot be read: its tables are nested too deeply") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path} cannot be read as TOML: {error}") from None


def write_file(experiment: "Experiment", setting: Spec) -> str:
    """Return a setting as the text of a TOML file, which `read_file` reads.

    Every field is written, with a comment. So the file gives the same setting whatever preset it
    changes. Of a field that the experiment sets itself and the list of its values, one is written:
    the list, unless it has been restricted to the field.
    """
    facts = fields_of(setting)
    for path, values in experiment.swept.items():
        restricted = facts[values].value == (facts[path].value,)
        del facts[values if restricted else path]
    lines = [
        f"# Settings of {experiment.name}: {experiment.title}.",
        f"# hsr run {experiment.name} --config THIS_FILE",
    ]
    # Stable: the fields of no table come first, because a table ends where the next one begins.
    for path, one in sorted(facts.items(), key=lambda item: "." in item[0]):
        table, _, name = path.rpartition(".")
        if table and f"[{table}]" not in lines:
            lines += ["", f"[{table}]"]
        lines += ["", f"# {one.description}: {one.takes}", f"{name} = {write_value(one.value)}"]
    return "\n".join(lines) + "\n"


def write_value(value: Any) -> str:
    r"""Return a value in the syntax of TOML.

    Examples
    --------
    >>> print(write_value((0.1, True, None, {"kind": "nmf"})))
    [0.1, true, "none", {kind = "nmf"}]
    """
    if value is None:
        return f'"{NOTHING}"'
    if isinstance(value, str) and "\n" in value and "'" not in value:
        return f"'''\n{value}'''"
    if isinstance(value, Spec):
        value = value.data()
    if isinstance(value, Mapping):
        pairs = (f"{key} = {write_value(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(write_value, value))}]"
    return json.dumps(value, ensure_ascii=False)


def as_flags(changes: Mapping[str, Any]) -> list[str]:
    """Return changes as words of a command line, quoted for a shell.

    Examples
    --------
    >>> as_flags({"seeds": 8, "agent.epsilon": 0.2, "options.kind": "random"})
    ['--seeds', '8', '--set', 'agent.epsilon=0.2', 'options.kind=random']
    """
    own = [name for name in _OWN_FLAGS if name in changes]
    flags = [word for name in own for word in (f"--{name}", str(changes[name]))]
    rest = [in_short(path, value) for path, value in changes.items() if path not in own]
    return [*flags, *(["--set", *map(shlex.quote, rest)] if rest else [])]


def preset_in_words(preset: str, file: str) -> list[str]:
    """Return the preset as a list of words, empty for the whole setting of a file of your own.

    >>> preset_in_words("smoke", "mine.py"), preset_in_words("paper", "mine.py")
    (['smoke'], [])
    """
    return [] if file and preset == "paper" else [preset]


def as_file_name(parts: Sequence[str], changes: Mapping[str, Any]) -> str:
    """Return the name of a file that says what it shows: some words, then the changes.

    Names of different changes differ. Characters that are awkward in names are left out, and a name
    that is too long ends with a checksum.

    Examples
    --------
    >>> as_file_name(["online_transfer", "smoke"], {"agent.epsilon": 0.2})
    'online_transfer_smoke_agent.epsilon=0.2'
    """
    full = "_".join([*parts, *(in_short(path, value) for path, value in changes.items())])
    name = re.sub(r"[^\w.=+-]+", "-", re.sub(r"[\[\]{}\"']", "", full)).strip("-.")
    if name == full and len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:_LONGEST_NAME]}-{hashlib.sha256(full.encode()).hexdigest()[:8]}"


def in_short(path: str, value: Any) -> str:
    """Return one change as it is typed; words need no quotation marks.

    >>> in_short("options.kind", "random"), in_short("maps.trained_on", "8")
    ('options.kind=random', 'maps.trained_on="8"')
    """
    bare = isinstance(value, str) and read_value(value) == value
    return f"{path}={value if bare else write_value(value)}"


def _flattened(tables: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
