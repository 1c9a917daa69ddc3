"""The report: one HTML file that needs nothing else, with the ledger first and then each figure.

It is written from a store alone. Experiments with missing runs are listed as missing, and so are
claims without evidence. If the store has a search over readings, for each claim or for the whole
paper, a section about it follows the ledger. `hsr.paper.results_page` writes the same contents as a
page of the documentation.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from hsr import __version__
from hsr.paper import catalogue
from hsr.paper.experiment import Experiment
from hsr.paper.ledger import verdicts
from hsr.paper.ledger_file import Row, rows_of
from hsr.paper.multiverse.joint_section import JointSection
from hsr.paper.multiverse.report_section import ReadingsSection, in_brief
from hsr.paper.multiverse.runner import findings_in, joint_in
from hsr.paper.rendering import render
from hsr.paper.runner import ExperimentResult, result_of
from hsr.paper.setting import Setting
from hsr.paper.store import Store, provenance
from hsr.paper.summary import Summary
from hsr.plots import inline_image, save_figure

Picture = Callable[[Figure, str, str], str]
DOTS = 160  # per inch, of every picture


@dataclass(frozen=True, eq=False)
class Section:
    """One experiment of the report; the result is None if runs are missing."""

    experiment: Experiment
    preset: str
    setting: Setting
    result: ExperimentResult | None
    changes: Mapping[str, Any] = field(default_factory=dict)
    reading: str = "default"

    @property
    def command(self) -> str:
        """The command that runs the experiment."""
        changes = " ".join(f"--{name} {value}" for name, value in self.changes.items())
        if self.reading != "default":
            changes = f"--reading {self.reading} {changes}"
        return f"hsr run {self.experiment.name} --preset {self.preset} {changes}".rstrip()

    @property
    def title(self) -> str:
        """The figure and its subject."""
        return f"Figure {self.experiment.figure}: {self.experiment.title}"

    @property
    def runs(self) -> str:
        """How many runs there are, in which worlds, and with how many seeds."""
        assert self.result is not None
        runs, numbers = len(self.result.keys), numbers_in_words(self.result.seeds)
        if not hasattr(self.setting, "worlds"):
            return f"{runs:,} runs, seeds {numbers}"
        seeds = getattr(self.setting, "seeds", 1)
        return f"{runs:,} runs, worlds {numbers}, {seeds} {'seed' if seeds == 1 else 'seeds'} each"

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
    joint: JointSection | None = None

    @property
    def summary(self) -> Summary:
        """The ledger in words."""
        return Summary(self.rows)


def contents_of(
    store: Store,
    preset: str,
    changes: Mapping[str, Any] | None = None,
    reading: str = "default",
) -> Contents:
    """Return what a store has to report; each run file is read once.

    Parameters
    ----------
    store : Store
        The runs.
    preset : str
        Preset of the experiments.
    changes : mapping, optional
        Fields that differ from the preset, for those experiments that have them.
    reading : str
        The reading of the paper under which the experiments were run.
    """
    sections = [
        Section(one, preset, setting, result_of(one, setting, store), own, reading)
        for one, setting, own in catalogue.settings_of(preset, changes or {}, reading)
    ]
    results = [one.result for one in sections if one.result is not None]
    known = frozenset[str]().union(*(one.keys for one in results))
    findings = findings_in(store, preset, without=known)
    found = verdicts(evidence for one in results for evidence in one.evidence)
    rows = rows_of(found, {one.claim: in_brief(one) for one in findings})
    joint = joint_in(store, preset, without=known)
    return Contents(
        preset,
        rows,
        ReadingsSection(findings) if findings else None,
        sections,
        None if joint is None else JointSection(joint),
    )


def write_report(
    store: Store,
    preset: str,
    folder: Path,
    changes: Mapping[str, Any] | None = None,
    reading: str = "default",
) -> Path:
    """Write the report of a store, and its figures as PNG and SVG, into a folder.

    Parameters
    ----------
    store, preset, changes, reading
        As in `contents_of`.
    folder : Path
        Where the files are written.

    Returns
    -------
    Path
        The path of the report.
    """
    contents = contents_of(store, preset, changes, reading)
    made_by = {key: value for key, value in provenance().items() if key != "time"}
    text = render(
        "report.html",
        it=contents,
        picture=lambda figure, _, words: Markup(inline_image(figure, words, dpi=DOTS)),
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


def numbers_in_words(numbers: Sequence[int]) -> str:
    """Return sorted numbers with those that are consecutive drawn together.

    Examples
    --------
    >>> numbers_in_words((0, 1, 2, 7, 1000, 1001))
    '0-2, 7, 1000-1001'
    """
    starts = [numbers[0], *(b for a, b in pairwise(numbers) if b != a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b != a + 1), numbers[-1]]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))
