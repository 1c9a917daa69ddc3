"""What the report says about a search over readings."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from hsr.paper.multiverse.figure import draw_curve, draw_heat
from hsr.paper.multiverse.findings import Finding
from hsr.paper.multiverse.reading import CHOICES, Choice


def as_data(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain data, for scripts; numbers that are not finite are null."""

    def number(x: float) -> float | None:
        return float(x) if math.isfinite(x) else None

    return {
        "claim": finding.claim,
        "share": finding.share,
        "readings": [
            {
                "changes": one.reading.changes,
                "word": one.word,
                "effect": number(one.effect),
                "low": number(one.low),
                "high": number(one.high),
            }
            for one in finding.outcomes
        ],
        "explained": {name: [number(x) for x in it] for name, it in finding.explained.items()},
        "turned_by": None if finding.turns is None else finding.turns.reading.changes,
        "confirmed": [
            {"changes": reading.changes, "holds": holds}
            for reading, holds in finding.confirmed.items()
        ],
    }


def in_brief(finding: Finding) -> str:
    """Return how many readings reproduce a claim, for a row of the ledger."""
    n, good = len(finding.outcomes), sum(one.word == "reproduced" for one in finding.outcomes)
    held, tested = sum(finding.confirmed.values()), len(finding.confirmed)
    fresh = (
        f"; {held} of {tested} that were tested in fresh worlds hold there too" if tested else ""
    )
    worlds = f"{finding.worlds} worlds each" if finding.worlds > 1 else "nothing is random"
    return f"{good} of {n} readings reproduce it ({worlds}){fresh}"


def turned_by(finding: Finding) -> str:
    """Return the smallest change of a reading that changes the verdict, in words."""
    if finding.turns is None:
        return f"No reading changes the verdict from {finding.outcomes[0].word}."
    verdict = f"from {finding.outcomes[0].word} to {finding.turns.word}"
    return f"Fewest changes that change the verdict {verdict}: {finding.turns.reading.name}."


def what_matters(finding: Finding, most: int = 3) -> str:
    """Return the choices that explain most of the effect's variance, with their intervals."""
    if not finding.explained:
        return "too few random readings"
    leading = sorted(finding.explained.items(), key=lambda item: -item[1].estimate)[:most]
    sure = [
        f"{name} {it.estimate:.2f} [{it.low:.2f}, {it.high:.2f}]"
        for name, it in leading
        if it.low > 0.0
    ]
    return ", ".join(sure) or "no choice with certainty"


@dataclass(frozen=True, eq=False)
class ReadingsSection:
    """The section of the report about a search over readings."""

    findings: Sequence[Finding]

    @property
    def choices(self) -> dict[str, Choice]:
        """Every choice that some claim depends on, in the order of CHOICES."""
        used = {name for one in self.findings for name in one.choices}
        return {name: choice for name, choice in CHOICES.items() if name in used}

    @property
    def rows(self) -> list[dict[str, str]]:
        """One row for each claim."""
        return [
            {
                "claim": one.claim,
                "brief": in_brief(one),
                "matters": what_matters(one),
                "turned_by": turned_by(one),
            }
            for one in self.findings
        ]

    def heat(self) -> Figure:
        """Return the figure of which choices matter for which claims."""
        return draw_heat(self.findings, list(self.choices))

    def curve(self, claim: str) -> Figure:
        """Return the specification curve of a claim."""
        return draw_curve(next(one for one in self.findings if one.claim == claim))
