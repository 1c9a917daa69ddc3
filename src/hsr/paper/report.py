"""The report: one HTML file that needs nothing else, with the ledger first and then each figure.

It is written from a store alone. Experiments with missing runs are listed as missing, and so are
claims without evidence. If the store has a search over readings, a section about it follows the
ledger. `hsr.paper.results_page` writes the same contents as a page of the documentation.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from hsr import __version__
from hsr.paper import catalogue
from hsr.paper.experiment import Experiment
from hsr.paper.ledger import Claim, Verdict, claims, in_words, verdicts
from hsr.paper.multiverse.report_section import ReadingsSection, in_brief
from hsr.paper.multiverse.runner import findings_in
from hsr.paper.runner import ExperimentResult, result_of
from hsr.paper.setting import Setting
from hsr.paper.store import Store, provenance
from hsr.plots import inline_image, save_figure

Picture = Callable[[Figure, str, str], str]


@dataclass(frozen=True, eq=False)
class Row:
    """One claim of the ledger, its verdict if there is evidence, and what else is known of it."""

    claim: Claim
    verdict: Verdict | None
    controls: list[Verdict]
    readings: str

    @property
    def word(self) -> str:
        """The verdict in a word or two."""
        return "no evidence" if self.verdict is None else self.verdict.word

    @property
    def numbers(self) -> list[str]:
        """One line for each comparison of the evidence."""
        if self.verdict is None:
            return []
        return list(map(in_words, self.verdict.evidence, self.verdict.p))


@dataclass(frozen=True, eq=False)
class Section:
    """One experiment of the report; the result is None if runs are missing."""

    experiment: Experiment
    preset: str
    setting: Setting
    result: ExperimentResult | None

    @property
    def command(self) -> str:
        """The command that runs the experiment."""
        return f"hsr run {self.experiment.name} --preset {self.preset}"

    @property
    def title(self) -> str:
        """The figure and its subject."""
        return f"Figure {self.experiment.figure}: {self.experiment.title}"

    @property
    def runs(self) -> str:
        """How many runs there are, and their seeds."""
        assert self.result is not None
        return f"{len(self.result.keys)} runs, seeds {seeds_in_words(self.result.seeds)}"

    @property
    def settings(self) -> str:
        """The setting and the controls, as JSON."""
        fields = {
            "setting": self.setting.model_dump(mode="json"),
            "controls": dict(self.experiment.controls),
        }
        return json.dumps(fields, indent=1)


@dataclass(frozen=True, eq=False)
class Contents:
    """Everything that a report says."""

    preset: str
    rows: list[Row]
    readings: ReadingsSection | None
    sections: list[Section]


def contents_of(store: Store, preset: str) -> Contents:
    """Return what a store has to report; each run file is read once."""
    sections = []
    for experiment in map(catalogue.find, catalogue.names()):
        setting = experiment.setting(preset, {})
        result = result_of(experiment, setting, store)
        sections.append(Section(experiment, preset, setting, result))
    results = [one.result for one in sections if one.result is not None]
    known = frozenset[str]().union(*(one.keys for one in results))
    findings = findings_in(store, preset, without=known)
    briefly = {one.claim: in_brief(one) for one in findings}
    found = verdicts(evidence for one in results for evidence in one.evidence)
    rows = [
        Row(
            claim,
            next((one for one in found if one.claim == claim.id and not one.control), None),
            [one for one in found if one.claim == claim.id and one.control],
            briefly.get(claim.id, "not searched"),
        )
        for claim in claims()
    ]
    return Contents(preset, rows, ReadingsSection(findings) if findings else None, sections)


def rendered(template: str, contents: Contents, picture: Picture, **more: Any) -> str:
    """Return the contents in the form of a template.

    Parameters
    ----------
    template : str
        A file in the folder templates.
    contents : Contents
        What to write.
    picture : callable
        ``picture(figure, name, words)`` returns what stands for a figure in the text.
    **more
        Other variables of the template.
    """
    environment = Environment(
        loader=PackageLoader("hsr.paper"),
        autoescape=lambda name: name is not None and name.endswith(".html"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["bold"] = _bold
    return environment.get_template(template).render(it=contents, picture=picture, **more)


def write_report(store: Store, preset: str, folder: Path) -> Path:
    """Write the report of a store, and its figures as PNG and SVG, into a folder.

    Returns
    -------
    Path
        The path of the report.
    """
    contents = contents_of(store, preset)
    made_by = {key: value for key, value in provenance().items() if key != "time"}
    text = rendered(
        "report.html",
        contents,
        lambda figure, name, words: Markup(inline_image(figure, words, dpi=_dots(name))),
        version=__version__,
        made_by=json.dumps(made_by, indent=1),
    )
    folder.mkdir(parents=True, exist_ok=True)
    for one in contents.sections:
        if one.result is not None:
            for ending in ("png", "svg"):
                save_figure(one.result.figure, folder / f"{one.experiment.name}.{ending}")
    path = folder / f"report_{preset}.html"
    path.write_text(text, encoding="utf-8")
    return path


def seeds_in_words(seeds: Sequence[int]) -> str:
    """Return sorted seeds with runs of consecutive numbers drawn together.

    Examples
    --------
    >>> seeds_in_words((0, 1, 2, 7, 1000, 1001))
    '0-2, 7, 1000-1001'
    """
    starts = [seeds[0], *(b for a, b in pairwise(seeds) if b != a + 1)]
    ends = [*(a for a, b in pairwise(seeds) if b != a + 1), seeds[-1]]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))


def _dots(name: str) -> int:
    """Return the dots per inch of a picture, larger for experiments than for searches."""
    return 130 if name in catalogue.names() else 90


def _bold(caption: str) -> Markup:
    """Return a caption as HTML on one line, with the letters between asterisks in bold."""
    line = str(escape(" ".join(caption.split())))
    return Markup(re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", line))
