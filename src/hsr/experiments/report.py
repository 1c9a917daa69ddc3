"""The report: one HTML file that needs nothing else, with the ledger first and then each figure.

It is written from a store alone. Experiments whose runs are not all there are named as missing, and so are claims without
evidence.
"""

import base64
import io
import json
import string
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from matplotlib.figure import Figure

from hsr._base.version import __version__
from hsr.experiments import catalogue, conduct
from hsr.experiments.catalogue import Experiment
from hsr.experiments.ledger import Claim, Evidence, Verdict, claims, in_words, verdicts
from hsr.experiments.setting import Setting
from hsr.plots import save_figure
from hsr.results import Store

_DOTS = 130


@dataclass(frozen=True, eq=False)
class Section:
    """One experiment of the report; figure and evidence are None and empty where runs are missing."""

    experiment: Experiment
    preset: str
    setting: Setting
    figure: Figure | None
    evidence: Sequence[Evidence]
    n_runs: int


def sections(store: Store, preset: str) -> list[Section]:
    """Return what a store has to show of every experiment."""
    found = []
    for name in catalogue.names():
        experiment = catalogue.find(name)
        setting = experiment.setting(preset, {})
        table = conduct.table_of(experiment, setting, store)
        figure, evidence = (None, []) if table is None else conduct.shown(experiment, setting, table)
        found.append(Section(experiment, preset, setting, figure, evidence, 0 if table is None else len(table)))
    return found


def write_report(store: Store, preset: str, folder: Path) -> Path:
    """Write the report of a store, and its figures as PNG and SVG, into a folder; return the path of the report."""
    parts = sections(store, preset)
    found = {verdict.claim: verdict for verdict in verdicts(one for part in parts for one in part.evidence)}
    page = string.Template((files("hsr.experiments") / "report.html").read_text(encoding="utf-8"))
    text = page.substitute(
        version=escape(__version__),
        preset=escape(preset),
        ledger="\n".join(_row(claim, found.get(claim.id)) for claim in claims()),
        figures="\n".join(_section(part) for part in parts),
    )
    folder.mkdir(parents=True, exist_ok=True)
    for part in parts:
        if part.figure is not None:
            for ending in ("png", "svg"):
                save_figure(part.figure, folder / f"{part.experiment.name}.{ending}")
    path = folder / f"report_{preset}.html"
    path.write_text(text, encoding="utf-8")
    return path


def _row(claim: Claim, verdict: Verdict | None) -> str:
    word = "no evidence" if verdict is None else verdict.word
    ours = (
        ""
        if verdict is None
        else "<br>".join(escape(in_words(one, p)) for one, p in zip(verdict.evidence, verdict.p, strict=True))
    )
    cells = (f"<code>{escape(claim.id)}</code>", escape(claim.figure), escape(claim.text), escape(claim.paper), ours)
    badge = f'<td><span class="verdict {word.replace(" ", "-")}">{word}</span></td>'
    return f'<tr data-verdict="{word}">' + "".join(f"<td>{cell}</td>" for cell in cells) + badge + "</tr>"


def _section(part: Section) -> str:
    command = f"hsr run {part.experiment.name} --preset {part.preset}"
    title = f"Figure {escape(part.experiment.figure)}: {escape(part.experiment.title)}"
    head = f'<section id="{part.experiment.name}"><h2>{title}</h2>'
    if part.figure is None:
        return f"{head}<p>Its runs are not all in the store. Get them with <code>{command}</code>.</p></section>"
    picture = base64.b64encode(_png(part.figure)).decode("ascii")
    setting = escape(json.dumps(part.setting.model_dump(mode="json"), indent=1))
    return (
        f'{head}<img alt="{title}" src="data:image/png;base64,{picture}">'
        f"<p>{part.n_runs} runs. Get it with <code>{command}</code>.</p>"
        f"<details><summary>Settings</summary><pre>{setting}</pre></details></section>"
    )


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DOTS, metadata={"Software": None})
    return buffer.getvalue()
