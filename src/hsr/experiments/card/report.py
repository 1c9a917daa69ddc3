"""`card`: takes a thing through the suite and writes one page about it."""

import inspect
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

import hsr
from hsr import InputError
from hsr._base.arrays import FloatArray
from hsr._base.compilation import seconds_compiling
from hsr._base.durable import write_text
from hsr._base.validation import check_count
from hsr.experiments.card import suite
from hsr.experiments.card.suite import Contender, Maze
from hsr.experiments.engine.progress import Progress, display
from hsr.experiments.engine.work import module_at
from hsr.experiments.rendering import render
from hsr.experiments.stats import compare_over_worlds, holm, mean_interval
from hsr.plots import COLORS, inline_image, new_figure

_COMPILED = (hsr.LinearQ, hsr.GPI)
SMALL = 0.05  # a difference of scores that nobody would notice
_NOT_FOR = {
    "representation": {
        "exploration": "a fixed representation does not change how an agent searches before it has "
        "learned anything",
    },
    "option method": {},
    "agent": dict.fromkeys(suite.OF_MAPS, "an agent shows no map"),
}
_ALL = ("learning", "transfer", "new rewards", "changed world", "exploration", *suite.OF_MAPS)


@dataclass(frozen=True, eq=False)
class Card:
    """What the suite says about a thing.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"representation", "option method", "agent"}
        What it is.
    scores : dict of str to dict of str to array
        By test and contender, one score per maze, the thing last.
    rates : dict of str to tuple
        The rates of each contender, chosen in other mazes. An agent of one's own has none.
    mazes : int
        Number of mazes.
    seeds : dict of str to int
        Number of seeds in each maze, by contender.
    left_out : dict of str to str
        The tests that do not apply, each with the reason.
    notes : list of str
        What else could not be told.
    """

    name: str
    kind: str
    scores: dict[str, dict[str, FloatArray]]
    rates: dict[str, tuple[float, ...] | None]
    mazes: int
    seeds: dict[str, int]
    left_out: dict[str, str]
    notes: list[str] = field(default_factory=list)

    @property
    def effects(self) -> list[dict[str, Any]]:
        """The thing minus each baseline in each test, paired over mazes.

        The verdict is "tie" if the 95 % interval lies within 0.05 of zero; else "better" or "worse"
        if p, corrected by Holm over the card, is below 0.05; else "cannot tell".
        """
        rows = []
        for test, of_test in self.scores.items():
            own, alike = of_test[self.name], dict[bytes, list[str]]()
            for other, theirs in of_test.items():
                if other != self.name:
                    alike.setdefault(theirs.tobytes(), []).append(other)
            for names in alike.values():  # before they have learned, all features behave alike
                found = compare_over_worlds(own[:, None], of_test[names[0]][:, None])
                rows.append(
                    {
                        "test": test,
                        "against": ", ".join(names),
                        "difference": found.difference,
                        "interval": list(found.difference_interval),
                        "effect": found.effect,
                        "p": found.p,
                        "mazes": len(own),
                    }
                )
        for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
            row["p_corrected"] = float(p)
            row["verdict"] = _verdict(row)
        return rows

    @property
    def untold(self) -> list[str]:
        """What could not be told, one sentence each."""
        open_ = [row for row in self.effects if row["verdict"] == "cannot tell"]
        found = [
            f"Whether it differs from {row['against']} in {row['test']}: of {row['mazes']} mazes, "
            f"the interval is [{row['interval'][0]:.2f}, {row['interval'][1]:.2f}] and p "
            f"{row['p_corrected']:.2g} after Holm's correction over the card."
            for row in open_
        ]
        return found + self.notes

    @property
    def citation(self) -> str:
        """How to cite the suite."""
        return (
            f"Cite hsr as its CITATION.cff says, and name the suite: report card, version "
            f"{suite.VERSION}, of hsr {hsr.__version__}, with {self.mazes} mazes."
        )

    def __repr__(self) -> str:
        lines = [f"Card of {self.name} ({self.kind})"]
        for test, of_test in self.scores.items():
            means = ", ".join(f"{name} {x.mean():.2f}" for name, x in of_test.items())
            lines.append(f"  {test:<14} {means}")
        return "\n".join(lines)

    def figure(self) -> Figure:
        """Return the profile: the mean score of every contender in every test."""
        tests = list(self.scores)
        angles = np.linspace(0.0, 2.0 * math.pi, len(tests), endpoint=False)
        figure = new_figure(6.4, 5.2)
        ax = figure.add_subplot(projection="polar")
        for k, name in enumerate(self.scores[tests[0]]):
            own = name == self.name
            means = [self.scores[test][name].mean() for test in tests]
            ax.plot(
                [*angles, angles[0]], [*means, means[0]], label=name,
                color="#c2185b" if own else COLORS[k], linewidth=2.4 if own else 1.2,
                linestyle="-" if own else "--", marker="o", markersize=3,
            )  # fmt: skip
        ax.set_xticks(angles, tests, fontsize=9)
        ax.tick_params(axis="x", pad=12)
        ax.set_ylim(0.0, 1.0)
        ax.set_yticks([0.25, 0.5, 0.75, 1.0], ["0.25", "0.5", "0.75", "1"], fontsize=7)
        ax.set_theta_zero_location("N")  # type: ignore[attr-defined]
        figure.legend(fontsize=8, frameon=False, loc="lower right")
        figure.tight_layout()
        return figure

    def html(self) -> str:
        """Return the card as one HTML page that needs no other file."""
        means = {
            test: {name: mean_interval(x) for name, x in of_test.items()}
            for test, of_test in self.scores.items()
        }
        picture = Markup(inline_image(self.figure(), f"profile of {self.name} and the baselines"))
        return render(
            "card.html",
            it=self,
            means=means,
            picture=picture,
            suite=suite,
            tuning=_tuning(self.mazes),
        )

    def save(self, folder: str | Path) -> Path:
        """Write the page into a folder and return its path."""
        path = Path(folder) / f"card_{''.join(c if c.isalnum() else '_' for c in self.name)}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, self.html())
        return path


def card(
    thing: Any,
    *,
    name: str | None = None,
    mazes: int = 200,
    seeds: int | None = None,
    progress: bool = False,
) -> Card:
    """Take an agent, a representation or an option method of your own through a fixed suite.

    It meets one-hot, RW-SR, SR and HSR rows in the same mazes, with the same goals and options. The
    rates of all of them are those that did best in other mazes.

    Parameters
    ----------
    thing : callable or agent
        - A *representation*: a function of an MDP that returns a matrix of shape (S, K) or a
          `PredictiveMap`. Its rows are features of linear Q-learning.
        - An *option method*: a function of an MDP that returns an `OptionSet`. Its options are
          chosen on rows of their HSR.
        - An *agent*: an object with ``begin``, ``act`` and ``learn``, as `train` takes it, or a
          function without arguments that makes one.
    name : str, optional
        What it is called. By default the name of the function or class.
    mazes : int
        Number of mazes, of five families in turn.
    seeds : int, optional
        Number of seeds in each maze. By default 5, and 2 for agents, which are not compiled.
    progress : bool
        Show how much is done, and the time left.

    Returns
    -------
    Card
        Scores, effects with intervals, and what could not be told. ``card.save(folder)`` writes
        one page.

    Raises
    ------
    InputError
        If the thing is none of these, or returns something else in a maze.

    Examples
    --------
    >>> import hsr
    >>> def walk(mdp):
    ...     return hsr.successor_representation(mdp)
    >>> found = hsr.card(walk, mazes=2, seeds=1)
    >>> found.kind, "exploration" in found.left_out
    ('representation', True)
    >>> {row["verdict"] for row in found.effects if row["against"] == "RW-SR"}
    {'tie'}
    """
    n_mazes = check_count(mazes, "mazes", least=2)
    kind, thing = _kind_of(thing)
    label = str(name or getattr(thing, "__name__", type(thing).__name__))
    others = suite.baselines(learn_maps=kind == "agent")
    if label in others:
        raise InputError(f"the name is {label!r}, which is that of a baseline; give another name")
    contenders = {**others, label: _contender(kind, thing)}
    n_seeds = {one: 5 if seeds is None else check_count(seeds, "seeds") for one in contenders}
    if kind == "agent" and seeds is None and not isinstance(thing, _COMPILED):
        n_seeds[label] = 2
    rates: dict[str, Any] = {}
    notes: list[str] = []
    found: list[dict[str, suite.Scores]] = []
    steps = {f"rates of {one}": len(of.rates) for one, of in contenders.items() if of.rates}
    work = Progress({**steps, **dict.fromkeys(contenders, n_mazes)})
    compiled = seconds_compiling()
    with display(work, quiet=not progress) as show:

        def count(kind: str, began: float) -> None:
            nonlocal compiled
            compiling, compiled = seconds_compiling() - compiled, seconds_compiling()
            seconds = max(time.monotonic() - began - compiling, 0.0)
            work.add(kind, 1, seconds, compiling=compiling)
            show("")

        for one, contender in contenders.items():
            show(f"choosing the rates of {one} in other mazes" if contender.rates else "")
            rates[one] = suite.tuned(
                contender, range(n_seeds[one]), _tuning(n_mazes), partial(count, f"rates of {one}")
            )
            # 1 is the largest rate that linear Q-learning takes, so only the other end is open.
            if rates[one] is not None and rates[one][0] == suite.RATES[0]:
                notes.append(
                    f"How well {one} does at its best: its best rate, {rates[one][0]:g}, is the "
                    "smallest that was tried."
                )
        for k in range(n_mazes):
            found.append({})
            for one, contender in contenders.items():
                began = time.monotonic()
                found[k][one] = suite.scores_in(
                    suite.maze_of(k), contender, rates[one], range(n_seeds[one])
                )
                count(one, began)
    if kind == "agent":
        notes.append(f"How {label} does at other rates: an agent of your own is run as it is.")
    left_out = dict(_NOT_FOR[kind])
    scores = {}
    for test in _ALL:
        if test in left_out:
            continue
        values = {
            one: np.array([in_maze[one].get(test, np.nan) for in_maze in found])
            for one in contenders
        }
        told = ~np.isnan(np.array(list(values.values()))).any(axis=0)
        if test in suite.OF_MAPS and np.isnan(values[label]).all():
            left_out[test] = f"{label} is not a map, which has a column for each state"
        elif told.sum() < 2:
            left_out[test] = "fewer than two mazes allow it"
        else:
            scores[test] = {one: x[told] for one, x in values.items()}
    lost = sum(not in_maze[label] for in_maze in found)
    if lost:
        left_out[f"{lost} of {n_mazes} mazes"] = f"an option of {label} ends at a goal"
    return Card(label, kind, scores, rates, n_mazes, n_seeds, left_out, notes)


def load_thing(text: str) -> tuple[Any, str]:
    """Return what ``FILE.py:NAME`` names, and the name.

    Raises
    ------
    InputError
        If there is no such file or name, or the file cannot be run.
    """
    file, colon, name = text.rpartition(":")
    if not colon or not file.endswith(".py") or not name:
        raise InputError(f"{text!r:.80} does not name a thing; write it as FILE.py:NAME")
    module = module_at(file)
    if not hasattr(module, name):
        known = [one for one in vars(module) if not one.startswith("_")]
        close = get_close_matches(name, known, n=3, cutoff=0.4)
        hint = f"; did you mean {', '.join(close)}?" if close else ""
        raise InputError(f"{file} defines no {name!r}{hint}")
    return getattr(module, name), name


def _tuning(n_mazes: int) -> int:
    """Return in how many mazes rates are chosen: as many as are scored, up to a limit."""
    return min(n_mazes, suite.MOST_TUNING_MAZES)


def _kind_of(thing: Any) -> tuple[str, Any]:
    """Return what a thing is, by what it has or returns in a small world."""
    if all(callable(getattr(thing, one, None)) for one in ("begin", "act", "learn")):
        return "agent", thing
    if isinstance(thing, _COMPILED):
        return "agent", thing
    if callable(thing):
        takes = inspect.signature(thing).parameters.values()
        if all(one.default is not one.empty for one in takes):
            if _kind_of(thing())[0] == "agent":
                return "agent", thing
        else:
            made = thing(suite.maze_of(0).mdp)
            if isinstance(made, hsr.OptionSet):
                return "option method", thing
            if isinstance(made, hsr.PredictiveMap) or np.ndim(made) == 2:
                return "representation", thing
    raise InputError(
        f"{thing!r:.80} is no function of an MDP that returns a matrix, a PredictiveMap or an "
        "OptionSet, and no agent with begin, act and learn"
    )


def _contender(kind: str, thing: Any) -> Contender:
    if kind == "agent":
        makes_one = inspect.isclass(thing) or inspect.isfunction(thing)
        return Contender(lambda maze, rates: thing() if makes_one else thing)
    if kind == "representation":
        return suite.fixed(lambda maze: _matrix(thing, maze))

    def options(maze: Maze) -> hsr.OptionSet:
        made: hsr.OptionSet = thing(maze.mdp)
        return made

    return suite.fixed(
        lambda maze: hsr.expected_hsr(maze.mdp, options(maze)).toarray(), options=options
    )


def _matrix(thing: Any, maze: Maze) -> FloatArray:
    made = thing(maze.mdp)
    matrix = made.toarray() if isinstance(made, hsr.PredictiveMap) else np.asarray(made, float)
    if matrix.ndim != 2 or len(matrix) != maze.mdp.n_states or not np.isfinite(matrix).all():
        raise InputError(
            f"the representation has shape {matrix.shape} in maze {maze.number}; it must be finite "
            f"and have a row for each of the {maze.mdp.n_states} states"
        )
    return matrix


def _verdict(row: Mapping[str, Any]) -> str:
    low, high = row["interval"]
    if low > -SMALL and high < SMALL:
        return "tie"
    if row["p_corrected"] >= 0.05:
        return "cannot tell"
    return "better" if row["difference"] > 0 else "worse"
