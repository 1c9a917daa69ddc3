"""What a joint search says: in words, as data, as the closest reading, and in the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from hsr.paper.ledger_file import NO_EVIDENCE
from hsr.paper.multiverse.figure import SYMBOLS, draw_joint
from hsr.paper.multiverse.joint import Effect, JointOutcome, JointPlan, Row
from hsr.paper.multiverse.reading import CHOICES, Choice

_HEAD = """\
# The reading under which most claims were confirmed in fresh worlds, with as few changes as needed.
# Written by `hsr multiverse --joint --write-closest`.

"""


def joint_as_data(found: JointOutcome) -> dict[str, Any]:
    """Return a joint search as plain data, for scripts."""

    def row(one: Row) -> dict[str, Any]:
        return {
            "changes": one.reading.changes,
            "count": one.value.reproduced,
            "score": one.value.score,
            "words": one.words,
        }

    return {
        "claims": list(found.claims),
        "tried": list(found.tried),
        "readings": [row(one) for one in found.rows],
        "closest": row(found.closest),
        "needed": found.needed,
        "chance": {
            "permutations": found.chance.permutations,
            "mean": found.chance.mean,
            "largest": found.chance.largest,
        },
        "effects": [one._asdict() for one in found.effects],
    }


def joint_in_words(found: JointOutcome) -> list[str]:
    """Return what a joint search found, one sentence after another."""
    *stages, confirmed = found.tried
    best = max(row.value.reproduced for row in found.rows)
    n, default = len(found.claims), found.rows[0].value.reproduced
    fresh = found.plan.confirm
    leading = ", ".join(f"{one.choice} {one.explained:.2f}" for one in found.effects[:5])
    needed = ", ".join(f"{name} {lost}" for name, lost in found.needed.items() if lost) or "none"
    return [
        f"Readings tried: {', then '.join(f'{k:,}' for k in stages)}; {confirmed} in fresh worlds.",
        f"The default reproduces {default} of {n} claims in {fresh.worlds} fresh worlds "
        f"x {fresh.seeds} seeds, the best reading {best}.",
        f"With agents exchanged at random within worlds, the best of these readings reproduces "
        f"{found.chance.mean:.1f} on average ({found.chance.permutations} permutations, "
        f"at most {found.chance.largest}).",
        f"The closest reading reproduces {found.closest.value.reproduced}: "
        f"{found.closest.reading.name}.",
        f"Claims lost without each of its changes: {needed}.",
        f"Variance of the score explained by choices: {leading}.",
    ]


def joint_table(found: JointOutcome) -> list[dict[str, str]]:
    """Return one row per claim: the verdict of each reading, by the label of the reading."""
    return [
        {"claim": claim}
        | {label: row.words.get(claim, NO_EVIDENCE) for label, row in found.columns.items()}
        for claim in found.claims
    ]


def closest_as_data(found: JointOutcome) -> dict[str, Any]:
    """Return the closest reading as `hsr.paper.summary.Closest` reads it.

    These are the verdicts in fresh worlds by claim, the changes, the number of readings searched
    in the first stage, and the best count by chance on average.
    """
    words = found.closest.words
    return {
        "claims": {claim: words.get(claim, NO_EVIDENCE) for claim in found.claims},
        "changes": found.closest.reading.changes,
        "searched": found.tried[0],
        "chance": round(found.chance.mean, 6),
    }


def write_closest(found: JointOutcome, path: Path) -> Path:
    """Write the closest reading as TOML: its changes, and what was searched and confirmed."""
    closest = found.closest
    lines = [
        f"confirmed = {closest.value.reproduced}",
        f"claims = {len(found.claims)}",
        f"default = {found.rows[0].value.reproduced}",
        f"chance = {found.chance.mean:.2f}",
        f"searched = {found.tried[0]}",
        f"worlds = {found.plan.confirm.worlds}",
        f"seeds = {found.plan.confirm.seeds}",
        "",
        "[changes]",
        *(f'{name} = "{word}"' for name, word in closest.reading.changes.items()),
    ]
    path.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@dataclass(frozen=True, eq=False)
class JointSection:
    """The section of the report about a joint search.

    Parameters
    ----------
    found : JointOutcome
        What the search found.
    most : int
        Largest number of choices that are listed with what they explain.
    """

    found: JointOutcome
    most: int = 8

    @property
    def plan(self) -> JointPlan:
        """What was searched."""
        return self.found.plan

    @property
    def sentences(self) -> list[str]:
        """What was found."""
        return joint_in_words(self.found)

    @property
    def labels(self) -> list[str]:
        """The labels of the readings, in the order of the table."""
        return list(self.found.columns)

    @property
    def table(self) -> list[dict[str, str]]:
        """One row per claim, with verdicts by the label of the reading."""
        return joint_table(self.found)

    @property
    def counts(self) -> list[int]:
        """Number of claims that each reading reproduces, in the order of the table."""
        return [row.value.reproduced for row in self.found.columns.values()]

    @property
    def symbols(self) -> dict[str, str]:
        """The symbol of each verdict, of those only that the table has."""
        shown = {word for row in self.table for word in row.values()}
        return {word: symbol for word, symbol in SYMBOLS.items() if word in shown}

    @property
    def readings(self) -> dict[str, dict[str, str]]:
        """The changes of each reading but the default, by its label."""
        return {
            label: row.reading.changes
            for label, row in self.found.columns.items()
            if label != "default"
        }

    @property
    def effects(self) -> Sequence[tuple[Effect, Choice]]:
        """The choices that explain most of the score's variance, the largest first."""
        leading = [one for one in self.found.effects if one.explained > 0.0][: self.most]
        return [(one, CHOICES[one.choice]) for one in leading]

    def figure(self) -> Figure:
        """Return the figure of verdicts and choices."""
        return draw_joint(self.found)
