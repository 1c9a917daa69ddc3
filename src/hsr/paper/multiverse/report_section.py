"""The part of the report about readings: in HTML for the report, in Markdown for the documentation."""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from hsr.paper.multiverse.figure import draw_curve, draw_heat
from hsr.paper.multiverse.findings import Finding
from hsr.paper.multiverse.reading import CHOICES
from hsr.plots import inline_image, save_figure

_DOTS = 90
_INTRODUCTION = (
    "Each claim under many readings of what the paper leaves open: the default, every single change from it, and a balanced "
    "random design. A verdict is by the ledger's rules within the reading. Readings that reproduce a claim, those with the "
    "fewest changes first, were tested again on fresh seeds, with p-values corrected over all that were tested. Variance "
    "explained is that of the effect over the random design, with a 95 % interval; choices whose interval contains zero are "
    "not named."
)


def as_data(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain words and numbers, for scripts; what is not finite is left out as
    null.
    """

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
    """Return what readings say about a claim, for a row of the ledger."""
    n, good = len(finding.outcomes), sum(one.word == "reproduced" for one in finding.outcomes)
    held, tested = sum(finding.confirmed.values()), len(finding.confirmed)
    fresh = f"; {held} of {tested} tested again on fresh seeds held" if tested else ""
    seeds = f"{finding.seeds} seeds each" if finding.seeds > 1 else "without chance"
    return f"{good} of {n} readings tried, {seeds}, reproduce it{fresh}"


def turned_by(finding: Finding) -> str:
    """Return the smallest change that turns the verdict, in words."""
    if finding.turns is None:
        return f"No reading that was tried turns it from {finding.outcomes[0].word}."
    return f"Fewest changes that turn it from {finding.outcomes[0].word} to {finding.turns.word}: {finding.turns.reading.name}."


def what_matters(finding: Finding, most: int = 3) -> str:
    """Return the choices that explain most of the effect's variance, with their intervals."""
    if not finding.explained:
        return "too few readings at random"
    leading = sorted(finding.explained.items(), key=lambda item: -item[1].estimate)[:most]
    sure = [
        f"{name} {it.estimate:.2f} [{it.low:.2f}, {it.high:.2f}]"
        for name, it in leading
        if it.low > 0.0
    ]
    return ", ".join(sure) or "no choice for certain"


def all_choices(findings: Sequence[Finding]) -> list[str]:
    """Return every choice that some claim depends on, in the order of CHOICES."""
    used = {choice for one in findings for choice in one.choices}
    return [name for name in CHOICES if name in used]


def html_part(findings: Sequence[Finding]) -> str:
    """Return the part as HTML, pictures included."""
    rows = "".join(
        f"<tr><td><code>{one.claim}</code></td><td>{escape(in_brief(one))}</td><td>{escape(what_matters(one))}</td>"
        f"<td>{escape(turned_by(one))}</td></tr>"
        for one in findings
    )
    head = "".join(
        f"<th>{word}</th>" for word in ("claim", "readings", "variance explained", "what turns it")
    )
    table = f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    choices = all_choices(findings)
    glossary = "".join(
        f"<li><code>{name}</code>: {escape(CHOICES[name].about)}; {escape(', '.join(CHOICES[name].words))}</li>"
        for name in choices
    )
    heat = inline_image(draw_heat(findings, choices), "claims by choices", dpi=_DOTS)
    curves = "".join(
        f"<details><summary>{one.claim}</summary>{inline_image(draw_curve(one), one.claim, dpi=_DOTS)}</details>"
        for one in findings
    )
    return (
        f'<section id="multiverse"><h2>What survives another reading</h2><p>{escape(_INTRODUCTION)}</p>'
        f"{table}<h3>What matters for which claim</h3>{heat}"
        f"<details><summary>The choices</summary><ul>{glossary}</ul></details><h3>Specification curves</h3>{curves}</section>"
    )


def markdown_part(findings: Sequence[Finding], folder: Path, link: str) -> list[str]:
    """Return the part as lines of Markdown, and write its pictures into a folder, linked to under
    another name.
    """
    choices = all_choices(findings)
    save_figure(draw_heat(findings, choices), folder / "multiverse.png", dpi=_DOTS)
    lines = [
        "## What survives another reading",
        "",
        _INTRODUCTION,
        "",
        f"![claims by choices]({link}/multiverse.png)",
        "",
    ]
    lines += ["| claim | readings | variance explained | what turns it |", "|---|---|---|---|"]
    for one in findings:
        picture = save_figure(draw_curve(one), folder / f"curve_{one.claim}.png", dpi=_DOTS)
        name = f"[`{one.claim}`]({link}/{picture.name})"
        lines.append(f"| {name} | {in_brief(one)} | {what_matters(one)} | {turned_by(one)} |")
    lines += ["", "The choices, the default first:", ""]
    return [
        *lines,
        *(
            f"- `{name}`: {CHOICES[name].about}; {', '.join(CHOICES[name].words)}"
            for name in choices
        ),
    ]
