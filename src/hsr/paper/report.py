"""The report: one HTML file that needs nothing else, with the ledger first and then each figure.

It is written from a store alone. Experiments whose runs are not all there are named as missing, and
so are claims without evidence. If the store has a search over readings, its part follows the
ledger.
"""

import json
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from hsr import __version__
from hsr.paper import catalogue
from hsr.paper.experiment import Experiment
from hsr.paper.ledger import Claim, Verdict, claims, in_words, verdicts
from hsr.paper.multiverse.report_section import html_part, in_brief
from hsr.paper.multiverse.runner import findings_in
from hsr.paper.runner import ExperimentResult, result_of
from hsr.paper.setting import Setting
from hsr.paper.store import Store, provenance
from hsr.plots import inline_image, save_figure

_DOTS = 130


@dataclass(frozen=True, eq=False)
class Section:
    """One experiment of the report; what is shown is None where runs are missing."""

    experiment: Experiment
    preset: str
    setting: Setting
    shown: ExperimentResult | None

    @property
    def command(self) -> str:
        """The command that gets the runs of the section."""
        return f"hsr run {self.experiment.name} --preset {self.preset}"

    @property
    def title(self) -> str:
        """The figure and what it asks."""
        return f"Figure {self.experiment.figure}: {self.experiment.title}"


def sections(store: Store, preset: str) -> list[Section]:
    """Return what a store has to show of every experiment."""
    found = []
    for name in catalogue.names():
        experiment = catalogue.find(name)
        setting = experiment.setting(preset, {})
        found.append(Section(experiment, preset, setting, result_of(experiment, setting, store)))
    return found


def judged(parts: Sequence[Section]) -> list[tuple[Claim, Verdict | None, list[Verdict]]]:
    """Return every claim with its verdict, None without evidence, and with the verdicts of the
    controls.
    """
    found = verdicts(one for part in parts if part.shown is not None for one in part.shown.evidence)
    return [
        (
            claim,
            next((one for one in found if one.claim == claim.id and not one.control), None),
            [one for one in found if one.claim == claim.id and one.control],
        )
        for claim in claims()
    ]


def seeds_in_words(seeds: Sequence[int]) -> str:
    """Return sorted seeds with their runs of consecutive numbers drawn together.

    >>> seeds_in_words((0, 1, 2, 7, 1000, 1001))
    '0-2, 7, 1000-1001'
    """
    starts = [seeds[0], *(b for a, b in pairwise(seeds) if b != a + 1)]
    ends = [*(a for a, b in pairwise(seeds) if b != a + 1), seeds[-1]]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))


def write_report(store: Store, preset: str, folder: Path) -> Path:
    """Write the report of a store, and its figures as PNG and SVG, into a folder; return the path
    of the report.
    """
    parts = sections(store, preset)
    findings = findings_in(store, preset)
    briefly = {one.claim: in_brief(one) for one in findings}
    page = string.Template((files("hsr.paper") / "report.html").read_text(encoding="utf-8"))
    made_by = {key: value for key, value in provenance().items() if key != "time"}
    text = page.substitute(
        version=escape(__version__),
        preset=escape(preset),
        ledger="\n".join(_row(*row, briefly) for row in judged(parts)),
        readings=html_part(findings) if findings else "",
        figures="\n".join(_section(part) for part in parts),
        made_by=escape(json.dumps(made_by, indent=1)),
    )
    folder.mkdir(parents=True, exist_ok=True)
    for part in parts:
        if part.shown is not None:
            for ending in ("png", "svg"):
                save_figure(part.shown.figure, folder / f"{part.experiment.name}.{ending}")
    path = folder / f"report_{preset}.html"
    path.write_text(text, encoding="utf-8")
    return path


def _row(
    claim: Claim, verdict: Verdict | None, controls: Sequence[Verdict], briefly: Mapping[str, str]
) -> str:
    word = "no evidence" if verdict is None else verdict.word
    cells = (
        f"<code>{escape(claim.id)}</code>",
        f'<a href="#{escape(claim.experiment)}">{escape(claim.figure)}</a>',
        escape(claim.text),
        escape(claim.paper),
        "" if verdict is None else _found(verdict),
        _badge(word),
        "<br>".join(f"{escape(one.control)}: {_badge(one.word)}" for one in controls),
        escape(briefly.get(claim.id, "not searched")),
    )
    return f'<tr data-verdict="{word}">' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _found(verdict: Verdict) -> str:
    lines = "".join(
        f"<li>{escape(in_words(one, p))}</li>"
        for one, p in zip(verdict.evidence, verdict.p, strict=True)
    )
    return (
        f"{escape(verdict.sentence)}<details><summary>numbers</summary><ul>{lines}</ul></details>"
    )


def _badge(word: str) -> str:
    return f'<span class="verdict {word.replace(" ", "-")}">{word}</span>'


def _section(part: Section) -> str:
    head = f'<section id="{part.experiment.name}"><h2>{escape(part.title)}</h2>'
    if part.shown is None:
        return f"{head}<p>Its runs are not all in the store. Get them with <code>{part.command}</code>.</p></section>"
    fields = {
        "setting": part.setting.model_dump(mode="json"),
        "controls": dict(part.experiment.controls),
    }
    settings = escape(json.dumps(fields, indent=1))
    caption = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(" ".join(part.shown.caption.split())))
    image = inline_image(part.shown.figure, part.title, dpi=_DOTS)
    return (
        f"{head}<figure>{image}<figcaption>{caption}</figcaption></figure>"
        f"<p>{len(part.shown.keys)} runs, seeds {seeds_in_words(part.shown.seeds)}. Get it with <code>{part.command}</code>.</p>"
        f"<details><summary>Settings and controls</summary><pre>{settings}</pre></details></section>"
    )
