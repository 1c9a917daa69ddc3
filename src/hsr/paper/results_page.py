"""The ledger as a page of the documentation: a table of verdicts with their numbers, and one
picture per figure.

What stands on the page above a marker is written by hand and kept; what follows it is written anew:

    python -m hsr.paper.results_page STORE docs/results.md
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hsr.paper.ledger import Claim, Verdict, in_words
from hsr.paper.multiverse.report_section import in_brief, markdown_part
from hsr.paper.multiverse.runner import findings_in
from hsr.paper.report import Section, judged, sections, seeds_in_words
from hsr.paper.store import Store
from hsr.plots import save_figure

_DOTS = 80
MARKER = "<!-- What follows is written by hsr.paper.results_page. -->"


def write_results_page(store: Store, preset: str, path: Path) -> Path:
    """Write the page and, in a folder beside it with the same name, its pictures; return the path
    of the page.
    """
    by_hand = (
        path.read_text(encoding="utf-8").partition(MARKER)[0].rstrip()
        if path.exists()
        else "# What reproduces"
    )
    parts = sections(store, preset)
    rows = judged(parts)
    findings = findings_in(store, preset)
    briefly = {one.claim: in_brief(one) for one in findings}
    lines = [
        by_hand,
        "",
        MARKER,
        "",
        "| claim | figure | paper | here | verdict | controls | readings |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_row(*row, briefly) for row in rows]
    lines += ["", *markdown_part(findings, path.with_suffix(""), path.stem)] if findings else []
    lines += ["", "## The numbers behind each verdict", ""]
    lines += [
        line
        for claim, verdict, _ in rows
        if verdict is not None
        for line in _numbers(claim, verdict)
    ]
    for part in parts:
        lines += ["", f"## {part.title}", "", *_picture(part, path)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _row(
    claim: Claim, verdict: Verdict | None, controls: Sequence[Verdict], briefly: Mapping[str, str]
) -> str:
    word, here = (
        ("no evidence", "") if verdict is None else (f"**{verdict.word}**", verdict.sentence)
    )
    others = "; ".join(f"{one.control}: {one.word}" for one in controls)
    readings = briefly.get(claim.id, "not searched")
    cells = (f"`{claim.id}`: {claim.text}", claim.figure, claim.paper, here, word, others, readings)
    return "| " + " | ".join(cells) + " |"


def _numbers(claim: Claim, verdict: Verdict) -> list[str]:
    found = [f"  - {in_words(one, p)}" for one, p in zip(verdict.evidence, verdict.p, strict=True)]
    return [f"- `{claim.id}`, {verdict.word}:", *found]


def _picture(part: Section, page: Path) -> list[str]:
    if part.shown is None:
        return [f"Not run: `{part.command}`."]
    picture = save_figure(
        part.shown.figure, page.with_suffix("") / f"{part.experiment.name}.png", dpi=_DOTS
    )
    runs = (
        f"{len(part.shown.keys)} runs, seeds {seeds_in_words(part.shown.seeds)}: `{part.command}`."
    )
    return [
        f"![Figure {part.experiment.figure}]({page.stem}/{picture.name})",
        "",
        part.shown.caption.strip(),
        "",
        runs,
    ]


if __name__ == "__main__":
    folder, page = map(Path, sys.argv[1:3])
    write_results_page(Store(folder, create=False), "paper", page)
