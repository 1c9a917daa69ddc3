"""`hsr doctor`: what is installed, what the machine offers, and whether `hsr` works on it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hsr.cli.console import number_of, say, size_of
from hsr.toolkit import escape_control

_STYLES = {"ok": "green", "skipped": "dim", "advice": "yellow", "failed": "bold red"}
_SIZES = ("total", "available", "bytes", "other_bytes")


@dataclass(frozen=True)
class Doctor:
    """Report what is installed and what the machine offers, and check that hsr works on it.

    Each check that does not pass says what to do about it. Exits with 1 if a check failed.
    """

    json: bool = False
    """Print everything as JSON, for scripts and bug reports."""

    def __call__(self) -> int:
        """Print the facts, then the checks, then a line that sums up."""
        from hsr.cli.health import examine
        from hsr.cli.machine import describe

        facts, verdicts = describe(), examine()
        states = [verdict.state for verdict in verdicts.values()]
        healthy = "failed" not in states
        if self.json:
            checks = [{"name": name, **asdict(verdict)} for name, verdict in verdicts.items()]
            say(json.dumps({"healthy": healthy, **facts, "checks": checks}))
            return 0 if healthy else 1
        for name, fact in facts.items():
            _print(name, _in_words(fact), "bold")
        for name, verdict in verdicts.items():
            remedy = f"; do: {verdict.remedy}" if verdict.remedy else ""
            _print(verdict.state, f"{name}: {verdict.said}{remedy}", _STYLES[verdict.state])
        say(_summary(states))
        return 0 if healthy else 1


def _in_words(fact: Any, name: str = "") -> str:
    """Return a fact as one line: names with their values."""
    if isinstance(fact, dict):
        nested = any(isinstance(value, dict) for value in fact.values())
        pairs = [
            f"{key.replace('_', ' ')}{':' if nested else ''} {_in_words(value, key)}"
            for key, value in fact.items()
        ]
        return ("; " if nested else ", ").join(pairs)
    if isinstance(fact, list):
        separator = "; " if fact and isinstance(fact[0], dict) else " "
        return separator.join(map(_in_words, fact)) or "none"
    if fact is None:
        return "missing"
    return size_of(fact) if name in _SIZES else str(fact)


def _summary(states: Sequence[str]) -> str:
    if "failed" in states:
        return f"{number_of(states.count('failed'), 'check')} failed"
    if "advice" in states:
        return f"everything works ({number_of(states.count('advice'), 'suggestion')})"
    return "everything works"


def _print(title: str, text: str, style: str) -> None:
    """Print a line, with its title in colour on a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    line = f"{title:<10} {text}"
    if not console.is_terminal:
        say(line)
        return
    styled = Text(escape_control(line))
    styled.stylize(style, 0, len(title))
    console.print(styled, soft_wrap=True)
