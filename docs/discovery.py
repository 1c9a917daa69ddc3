"""Pictures and tables of docs/discovery.md.

`python docs/discovery.py` draws what each method of online discovery does into docs/discovery/: one
agent without a bonus in a maze of 31 x 31 cells, with the settings of the study discovery.

`python docs/discovery.py STORE` draws none of these. It writes the tables and the figure of the
study, from the runs of `hsr run studies/discovery.py --preset paper --store STORE`. Other runs of
the store are left out.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

import hsr
from hsr.paper import catalogue
from hsr.paper.contrast import Measure
from hsr.paper.exploring import Explored
from hsr.paper.ledger import Evidence, verdicts
from hsr.paper.runner import analysed
from hsr.paper.store import Store
from hsr.paper.summary import between_markers
from hsr.plots import draw_values, new_figure, panel, save_figure

sys.path.append(str(Path(__file__).parents[1]))
from studies.discovery import BONUSES, EVERY_AGENT, LOWER, METHODS, ROOMS, UPPER, Agent, Key

TIMES = (1_000, 3_000, 10_000)
HERE = Path(__file__).parent
FOLDER, PAGE = HERE / "discovery", HERE / "discovery.md"
MARKERS = (
    "<!-- What follows is written by docs/discovery.py. -->",
    "<!-- What follows is written by hand. -->",
)
WORDS = {"reproduced": "holds", "not reproduced": "does not hold"}  # the claims are ours
EARLY, NONE = 1_000, "–"
NAMES = {
    LOWER: "none: primitive actions (lower reference)",
    UPPER: "eigenoptions of the whole maze, given (upper reference)",
    "eigen": "eigen (the paper's heuristic)",
}
END, START = "#d55e00", "#f0e442"


def main() -> None:
    """Draw the pictures, or write what a store says if there is one."""
    if len(sys.argv) > 1:
        write_page(Store(sys.argv[1], create=False))
    else:
        draw_methods()


def draw_methods() -> None:
    """Draw visited states and where options lead after 1,000, 3,000 and 10,000 steps."""
    layout = hsr.random_maze(31, seed=0)
    mdp = hsr.grid_mdp(layout, discount=0.99)
    FOLDER.mkdir(exist_ok=True)
    for method in METHODS:
        every = 100 if method == "frontier" else 1000
        online = hsr.OnlineOptions(method=method, warm_up=every, refresh=every)
        figure = new_figure(11.0, 4.1)
        axes = figure.subplots(
            1, 3, gridspec_kw={"wspace": 0.04, "left": 0.01, "right": 0.99, "bottom": 0.01}
        )
        for ax, time in zip(axes, TIMES, strict=True):
            run, later = (
                hsr.explore(mdp, hsr.Sarsa("none"), online, seeds=[1], steps=steps, start=0)
                for steps in (time, time + every)
            )
            covered = f"{(run.first_visit >= 0).mean():.0%} visited"
            panel(ax, "", f"{time:,} steps: {covered}")
            # Options due after `time` steps wait for a running choice, at most until the next.
            draw(ax, layout, mdp, run, later.found_options[0])
        save_figure(figure, FOLDER / f"{method}.png", dpi=100, palette=True)


def draw(
    ax: Axes,
    layout: hsr.GridLayout,
    mdp: hsr.FiniteMDP,
    run: hsr.agents.ExplorationRun,
    options: hsr.OptionSet,
) -> None:
    """Draw visits as shades of blue, the start, and a disc wherever an option arrives and stops."""
    visits, visited = run.visits[0], run.first_visit[0] >= 0
    shade = 0.25 + 0.5 * np.log1p(visits) / np.log1p(visits.max())
    draw_values(ax, layout, np.where(visited, shade, 0.0), cmap="Blues", limits=(0.0, 1.0))
    ends = set()
    for option in options:
        running = np.flatnonzero(option.initiation & visited)
        policy = option.policy if option.policy.ndim == 1 else option.policy.argmax(axis=1)
        entered = mdp.successors[running, policy[running]]
        ends.update(entered[(option.termination[entered] > 0.0) & visited[entered]].tolist())
    cells = layout.cells[sorted(ends)]
    ax.scatter(
        cells[:, 1], cells[:, 0], s=34, color=END, edgecolor="white", linewidths=0.7, zorder=3
    )
    row, column = layout.cells[0]
    ax.scatter([column], [row], s=60, marker="*", color=START, edgecolor="black", linewidths=0.6,
               zorder=4)  # fmt: skip


def write_page(store: Store) -> None:
    """Write the tables between the markers of the page, and the figure."""
    experiment = catalogue.find(str(HERE.parent / "studies/discovery.py"))
    setting = experiment.presets["paper"]
    found = analysed(experiment, experiment.with_controls(setting), store)
    assert found is not None, "some runs of `hsr run studies/discovery.py` are missing"
    by_control, evidence, _ = found
    numbers = by_control.pop("")
    figure = experiment.drawn(numbers, by_control)
    save_figure(figure, FOLDER / "experiment.png", dpi=100, palette=True)
    text = PAGE.read_text(encoding="utf-8")
    text = between_markers(text, MARKERS, "\n\n".join(_parts(numbers, evidence)))
    PAGE.write_text(text, encoding="utf-8")


def _parts(numbers: Explored, evidence: list[Evidence]) -> Iterator[str]:
    setting = numbers.setting
    size, steps = setting.maze.size, f"{setting.steps:,}"
    yield (
        f"Mazes of {size} x {size} cells, {steps} steps: the fraction of states visited, and the\n"
        "share of goals found, mean over mazes."
    )
    yield _table(
        ("visited", "goals"),
        lambda one: _mean(numbers.covered(Key(*one, size))),
        lambda one: _mean(numbers.found(Key(*one, size))),
    )
    early = int(np.searchsorted(numbers.times, EARLY))
    yield (
        f"The four rooms: the fraction of states visited in {EARLY:,} steps, and the median number "
        "of\nsteps to a goal."
    )
    yield _table(
        ("visited", "steps"),
        lambda one: f"{numbers.coverage(Key(*one, ROOMS))[..., early].mean():.2f}",
        lambda one: _median(numbers.rows[Key(*one, ROOMS)].array("goal_entries")),
    )
    yield f"By the size of the maze: states visited / goals found in {steps} steps."
    yield "\n".join(_by_size(numbers))
    yield "\n".join(_claims(evidence))


def _table(
    measures: tuple[str, str], left: Callable[[Agent], str], right: Callable[[Agent], str]
) -> str:
    """Return a table: a row for each kind of options, columns for each measure and bonus."""
    heads = [f"{what}: {bonus}" for what in measures for bonus in BONUSES]
    rows = [
        "| options | " + " | ".join(heads) + " |",
        "|---|" + 6 * "---|",
    ]
    for options in (LOWER, UPPER, *METHODS):
        cells = [
            value((options, bonus)) if (options, bonus) in EVERY_AGENT else NONE
            for value in (left, right)
            for bonus in BONUSES
        ]
        rows.append(f"| {NAMES.get(options, options)} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _by_size(numbers: Explored) -> Iterator[str]:
    yield "| options, bonus | " + " | ".join(map(str, numbers.setting.sizes)) + " |"
    yield "|---|" + len(numbers.setting.sizes) * "---|"
    agents = [one for one in EVERY_AGENT if one[0] in (LOWER, UPPER, "eigen", "frontier")]
    for one in agents:
        cells = [
            f"{_mean(numbers.covered(Key(*one, size)))} / {_mean(numbers.found(Key(*one, size)))}"
            if Key(*one, size) in numbers.rows
            else NONE
            for size in numbers.setting.sizes
        ]
        yield f"| {one[0]}, {one[1]} | " + " | ".join(cells) + " |"


def _claims(evidence: list[Evidence]) -> Iterator[str]:
    yield "| claim | setting | verdict | worlds that agree, at least | p, at most |"
    yield "|---|---|---|---|---|"
    for one in verdicts(evidence):
        agree = min(each.worlds.agree for each in one.evidence if each.worlds is not None)
        p = max(each.judged.p for each in one.evidence if each.judged is not None)
        word = WORDS.get(one.word, one.word)
        where = one.control or "as above"
        counted = one.sentence.partition(";")[0]
        yield f"| `{one.claim}` | {where} | {word}: {counted} | {agree:.0%} | {p:.1g} |"


def _mean(measure: Measure) -> str:
    return f"{measure.values.mean():.2f}"


def _median(entries: np.ndarray) -> str:
    """Return the median step of first entry, where goals that were never entered come last."""
    middle = float(np.median(np.where(entries < 0, np.inf, entries)))
    return NONE if np.isinf(middle) else f"{middle:,.0f}"


if __name__ == "__main__":
    main()
