"""The report: one HTML file that needs nothing else, with the ledger first and then each figure.

It is written from a store alone.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from markupsafe import Markup

from hsr import InputError, __version__
from hsr._base.durable import write_text
from hsr.experiments.changes import as_file_name, as_flags, preset_in_words
from hsr.experiments.experiment import Experiment
from hsr.experiments.ledger import WORDS
from hsr.experiments.ledger_file import Row
from hsr.experiments.rendering import render
from hsr.experiments.runner import ExperimentResult, result_of
from hsr.experiments.store import Store, provenance
from hsr.experiments.store.sources import in_words
from hsr.experiments.stored import StoredSetting, chosen_in, other_version
from hsr.experiments.summary import Summary
from hsr.plots import inline_image, save_figure

DOTS = 160  # per inch, of every picture


@dataclass(frozen=True, eq=False)
class Section:
    """One setting of an experiment in the report."""

    stored: StoredSetting
    experiment: Experiment
    result: ExperimentResult

    @property
    def command(self) -> str:
        """The command that runs the experiment."""
        row = self.stored.row
        name = row.file or row.experiment
        preset = [f"--preset {one}" for one in preset_in_words(row.preset, row.file)]
        return " ".join(["hsr", "run", name, *preset, *as_flags(row.changes)])

    @property
    def file_name(self) -> str:
        """The name of the figure's files, without an ending: different settings have others."""
        row = self.stored.row
        preset = preset_in_words(row.preset, row.file)
        return as_file_name([row.experiment, *preset], row.changes)

    @property
    def title(self) -> str:
        """The figure and its subject."""
        return f"Figure {self.experiment.figure}: {self.experiment.title}"

    @property
    def runs(self) -> str:
        """How many runs there are, in which worlds, and with how many seeds."""
        setting, runs = self.stored.row.setting, f"{self.stored.n_runs:,} runs"
        numbers = numbers_in_words(self.result.seeds)
        if "worlds" not in setting:
            return f"{runs}, seeds {numbers}"
        seeds = setting.get("seeds", 1)
        return f"{runs}, worlds {numbers}, {seeds} {'seed' if seeds == 1 else 'seeds'} each"

    @property
    def origin(self) -> str:
        """Which code made the runs."""
        return f"Made by: {in_words(self.result.source_version)}."

    @property
    def settings(self) -> str:
        """The setting and the controls, as JSON."""
        fields: dict[str, Any] = {
            "setting": self.stored.row.setting,
            "variants": {k: dict(v) for k, v in self.experiment.variants.items()},
        }
        return json.dumps(fields, indent=1)


@dataclass(frozen=True, eq=False)
class Contents:
    """Everything that a report says: the whole ledger, and a section for each setting."""

    rows: list[Row]
    sections: list[Section]
    others: Sequence[StoredSetting] = ()  # settings of the store that are not in the report

    @property
    def rests_on(self) -> str:
        """How many runs the report uses, and which code made them."""
        return in_words(sum((one.result.source_version for one in self.sections), Counter[str]()))

    @property
    def summary(self) -> Summary:
        """The ledger in words."""
        return Summary(self.rows)


def contents_of(
    store: Store,
    numbers: Sequence[int] = (),
    own: Sequence[Experiment] = (),
    on_figure: Callable[[int, int, str], None] = lambda number, total, name: None,
) -> Contents:
    """Return what a store has to report.

    Parameters
    ----------
    store, numbers, own
        As in `hsr.experiments.stored.chosen_in`. A setting whose experiment is neither part of hsr
        nor given has no figure, and is listed among the others.
    on_figure : callable
        Called before each figure is drawn, with its number, the number of figures, and the name of
        the experiment.
    """
    shown, others = chosen_in(store, numbers, own)
    drawn = [(one, one.experiment) for one in shown if one.experiment is not None]
    if not drawn:
        raise InputError(
            f"{str(store.folder)!r} has no experiment whose figure can be drawn: "
            f"{'; '.join(map(str, shown))}. Give its file (--file FILE.py)"
        )
    sections = []
    for i, (one, experiment) in enumerate(drawn, start=1):
        on_figure(i, len(drawn), experiment.name)
        result = result_of(experiment, one.variants, store)
        if result is None:
            raise other_version(one)
        sections.append(Section(one, experiment, result))
    rows = [row for one in sections for row in one.result.rows]
    others += [one for one in shown if one.experiment is None]
    return Contents(rows, sections, others)


def write_report(contents: Contents, folder: Path) -> Path:
    """Write a report, and its figures as PNG and SVG, into a folder; return the path of the report.

    Parameters
    ----------
    contents : Contents
        What `contents_of` returned.
    folder : Path
        Where the files are written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    figures = {one.file_name: one.result.figure for one in contents.sections}
    for one in contents.sections:
        if one.result.statistics is not None:
            figures[f"{one.file_name}_statistics"] = one.result.statistics
    for name, figure in figures.items():
        for ending in ("png", "svg"):
            save_figure(figure, folder / f"{name}.{ending}", dpi=DOTS)

    def picture(one: Section, ending: str = "") -> Markup:
        return Markup(inline_image(folder / f"{one.file_name}{ending}.png", one.title, dpi=DOTS))

    source_version = json.dumps(provenance(), indent=1)
    text = render(
        "report.html",
        it=contents,
        picture=picture,
        words=WORDS,
        version=__version__,
        source_version=source_version,
    )
    path = folder / "report.html"
    write_text(path, text)
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
