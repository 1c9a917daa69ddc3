"""The report: one HTML file that needs nothing else, with the ledger first and then each figure.

It is written from a store alone. Experiments with missing runs are listed as missing, and so are
claims without evidence. `hsr.paper.results_page` writes the same contents as a page of the
documentation.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from hsr import InputError, __version__
from hsr.paper import catalogue
from hsr.paper.changes import as_file_name, as_flags
from hsr.paper.experiment import Experiment
from hsr.paper.holdings import others_in
from hsr.paper.ledger import verdicts
from hsr.paper.ledger_file import Row, rows_of
from hsr.paper.pictures import draw_pictures
from hsr.paper.rendering import render
from hsr.paper.runner import ExperimentResult, has_runs, result_of
from hsr.paper.setting import Setting, value_at
from hsr.paper.store import Store, provenance
from hsr.paper.store.sources import in_words, origin_of
from hsr.paper.summary import Summary
from hsr.plots import inline_image

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

    @property
    def command(self) -> str:
        """The command that runs the experiment."""
        words = ["hsr", "run", self.experiment.name, "--preset", self.preset]
        return " ".join([*words, *as_flags(self.real_changes)])

    @property
    def real_changes(self) -> dict[str, Any]:
        """Those changes that give a field another value than the preset."""
        usual = self.experiment.presets[self.preset]
        return {
            path: value
            for path, value in self.changes.items()
            if path in self.experiment.swept
            or value_at(usual, path) != value_at(self.setting, path)
        }

    @property
    def file_name(self) -> str:
        """The name of the figure's files, without an ending: different settings have others."""
        return as_file_name([self.experiment.name, self.preset], self.real_changes)

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
    def origin(self) -> str:
        """Which code made the runs."""
        assert self.result is not None
        return origin_of(self.result.made_by)

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
    sections: list[Section]
    others: Sequence[str] = ()  # what else the store has, in words
    made_by: Counter[str] = field(default_factory=Counter)  # number of runs by the code

    @property
    def is_empty(self) -> bool:
        """Whether there is no figure to report."""
        return all(one.result is None for one in self.sections)

    @property
    def rests_on(self) -> str:
        """How many runs the report uses, and which code made them."""
        return in_words(self.made_by)

    @property
    def summary(self) -> Summary:
        """The ledger in words."""
        return Summary(self.rows)


def contents_of(
    store: Store,
    preset: str,
    changes: Mapping[str, Any] | None = None,
    on_figure: Callable[[int, int, str], None] = lambda number, total, name: None,
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
    on_figure : callable
        Called before each figure is drawn, with its number, the number of figures, and the name of
        the experiment.
    """
    settings = catalogue.settings_of(preset, changes or {})
    whole = [one.name for one, setting, _ in settings if has_runs(one, setting, store)]
    sections = []
    for one, setting, own in settings:
        if one.name in whole:
            on_figure(whole.index(one.name) + 1, len(whole), one.name)
        result = result_of(one, setting, store) if one.name in whole else None
        sections.append(Section(one, preset, setting, result, own))
    results = [one.result for one in sections if one.result is not None]
    known = frozenset[str]().union(*(one.keys for one in results))
    found = verdicts(evidence for one in results for evidence in one.evidence)
    rows = rows_of(found)
    others = others_in(store, settings, known)
    made_by = sum((one.made_by for one in results), Counter[str]())
    return Contents(preset, rows, sections, others, made_by)


def no_evidence(store: Store, contents: Contents) -> InputError:
    """Return the error for a store that has all runs of no experiment, with what it has."""
    holds = f"it has {'; '.join(contents.others)}" if contents.others else "it has no runs"
    return InputError(
        f"{store.folder} has all runs of no experiment at preset {contents.preset!r} and these "
        f"settings; "
        f"{holds}. Give the settings of the runs with --preset, --set, --worlds and --seeds, or "
        "run `hsr reproduce` or `hsr run` first"
    )


def write_report(
    store: Store,
    preset: str,
    folder: Path,
    changes: Mapping[str, Any] | None = None,
    on_figure: Callable[[int, int, str], None] = lambda number, total, name: None,
) -> Path:
    """Write the report of a store, and its figures as PNG and SVG, into a folder.

    Parameters
    ----------
    store, preset, changes, on_figure
        As in `contents_of`.
    folder : Path
        Where the files are written.

    Returns
    -------
    Path
        The path of the report.

    Raises
    ------
    InputError
        If the store has all runs of no experiment. The message says what it has.
    """
    contents = contents_of(store, preset, changes, on_figure)
    if contents.is_empty:
        raise no_evidence(store, contents)
    return write_contents(contents, folder)


def write_contents(
    contents: Contents,
    folder: Path,
    on_picture: Callable[[int, int, str], None] = lambda number, total, name: None,
) -> Path:
    """Write a report and its figures into a folder, and return the path of the report.

    Figures whose files are there and up to date are not drawn again. `on_picture` is called after
    each that was drawn, with its number, how many have to be drawn, and its name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    results = {one.file_name: one.result for one in contents.sections if one.result}
    draw_pictures(results, folder, dpi=DOTS, on_picture=on_picture)
    files = {id(one.figure): folder / f"{name}.png" for name, one in results.items()}

    def picture(figure: Figure, _: str, words: str) -> Markup:
        return Markup(inline_image(files.get(id(figure)) or figure, words, dpi=DOTS))

    made_by = {key: value for key, value in provenance().items() if key != "time"}
    text = render(
        "report.html",
        it=contents,
        picture=picture,
        version=__version__,
        made_by=json.dumps(made_by, indent=1),
    )
    changes = {path: v for one in contents.sections for path, v in one.real_changes.items()}
    name = as_file_name(["report", contents.preset], changes)
    path = folder / f"{name}.html"
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
