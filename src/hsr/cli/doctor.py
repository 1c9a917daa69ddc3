"""`hsr doctor`: what is installed, what the machine has, and whether `hsr` works here."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from hsr.cli.console import number_of, say, size_of
from hsr.toolkit import escape_control

if TYPE_CHECKING:
    from hsr.cli.health import Verdict

_STYLE = {"well": "green", "skipped": "dim", "advice": "yellow", "failed": "bold red"}


@dataclass(frozen=True)
class Doctor:
    """Say what is installed, what the machine has, and whether hsr works here; with what to do
    where it does not.

    Exits with 1 if a check failed. Advice is no failure.
    """

    json: bool = False
    """Print everything as JSON, for scripts and for reports of faults."""

    def __call__(self) -> int:
        """Look, check, print."""
        from hsr.cli.health import examine
        from hsr.cli.machine import describe

        here = describe()
        verdicts = examine()
        healthy = all(verdict.state != "failed" for verdict in verdicts.values())
        if self.json:
            checks = [{"name": name, **asdict(verdict)} for name, verdict in verdicts.items()]
            say(json.dumps({"healthy": healthy, **here, "checks": checks}))
        else:
            _print(list(_facts(here)), verdicts)
        return 0 if healthy else 1


def _facts(here: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (name, words) for each part of what is here."""
    words: dict[str, Callable[[Any], str]] = {
        "versions": _versions,
        "optional": _optional,
        "processor": _processor,
        "blas": _blas,
        "memory": _memory,
        "cache": _cache,
        "plugins": _plugins,
    }
    for name, part in here.items():
        broken = isinstance(part, Mapping) and "error" in part
        yield name, f"cannot be told: {part['error']}" if broken else words[name](part)


def _versions(part: Mapping[str, str | None]) -> str:
    return ", ".join(_package(name, version) for name, version in part.items())


def _optional(part: Mapping[str, Mapping[str, str | None]]) -> str:
    return "; ".join(f"{extra}: {_versions(packages)}" for extra, packages in part.items())


def _package(name: str, version: str | None) -> str:
    return f"{name} {'is missing' if version is None else version}"


def _processor(part: Mapping[str, Any]) -> str:
    vectors = " ".join(part["vectors"]) or "no vector instructions"
    return f"{part['model']}, {number_of(part['cores'], 'core')}, {part['usable']} for this process; {vectors}"


def _blas(part: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(
        f"{library['internal_api']} {library.get('version')}, {library.get('architecture')}, "
        f"{number_of(library['num_threads'], 'thread')}"
        for library in part
    )


def _memory(part: Mapping[str, int]) -> str:
    return f"{size_of(part['available'])} available, {size_of(part['total'])} in all"


def _cache(part: Mapping[str, Any]) -> str:
    if part["folder"] is None:
        return "no folder for compiled code can be written"
    kept = f"{part['folder']}: {number_of(part['files'], 'file')}, {size_of(part['bytes'])}"
    if not part["other_folders"]:
        return kept
    others = f"{number_of(part['other_folders'], 'folder')} of other versions or machines, {size_of(part['other_bytes'])}"
    return f"{kept}; {others}, may be deleted"


def _plugins(part: Sequence[Mapping[str, Any]]) -> str:
    return (
        "; ".join(
            f"{one['group']} {one['name']}, from {one['distribution']} {one['version']}"
            for one in part
        )
        or "none"
    )


def _print(facts: Sequence[tuple[str, str]], verdicts: "Mapping[str, Verdict]") -> None:
    """Print facts, verdicts, and a line that sums up: in columns and colours on a terminal, as
    plain lines elsewhere.
    """
    from rich.console import Console

    summary = _summary([verdict.state for verdict in verdicts.values()])
    console = Console()
    if console.is_terminal:
        _print_columns(console, facts, verdicts, summary)
        return
    for name, words in facts:
        say(f"{name:<10} {words}")
    for name, verdict in verdicts.items():
        say(
            f"{verdict.state:<10} {name}: {verdict.said}"
            + (f"; do: {verdict.remedy}" if verdict.remedy else "")
        )
    say(summary)


def _summary(states: Sequence[str]) -> str:
    if "failed" in states:
        return f"{number_of(states.count('failed'), 'check')} failed"
    return "all works, and there is advice" if "advice" in states else "all is well"


def _print_columns(
    console: Any, facts: Sequence[tuple[str, str]], verdicts: "Mapping[str, Verdict]", summary: str
) -> None:
    from rich.table import Table
    from rich.text import Text

    here = Table.grid(padding=(0, 2))
    for name, words in facts:
        here.add_row(Text(name, "bold"), Text(escape_control(words)))
    checks = Table.grid(padding=(0, 2))
    for name, verdict in verdicts.items():
        said = Text(escape_control(verdict.said))
        if verdict.remedy:
            said.append(f"\ndo: {escape_control(verdict.remedy)}", "bold")
        checks.add_row(Text(verdict.state, _STYLE[verdict.state]), Text(name), said)
    for part in (here, "", checks, "", Text(summary, "bold")):
        console.print(part)
