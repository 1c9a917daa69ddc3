"""Links of exercises open the lab as they say, and answers hold the library's numbers."""

import html
import re
from pathlib import Path

import numpy as np
import pytest

import hsr
from tests.lab.node.library import LibraryWorld
from tests.lab.node.page_code import computed, replies_of_the_page

PAGE = Path(__file__).parents[3] / "docs/teaching.md"
LINK = re.compile(r'href="live-lab\.html#([^"]*)"')
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-\d+)?")
ROW = {"kind": "none", "cell": 28, "held": True}
DISTANCE = {"view": "distance", "cell": 68, "n": 16}
WATCH = {"tab": "watch", "trained": True, "episode": 50}
# What each link changes of the first page, exercise by exercise.
OPENS = [
    [ROW],
    [{**ROW, "discount": 0.95, "tool": "wall", "bottlenecks": True}],
    [{"view": "options"}],
    [{"cell": 28, "held": True, "discount": 0.95, "difference": True}],
    [DISTANCE, {**DISTANCE, "matched": True}],
    [WATCH, {**WATCH, "features1": "onehot", "rate1": 1}],
]
SOURCE = """
import { readHash } from "../fragment";
import { DEFAULTS, worldOf } from "../state";
export default (links) => links.map((link) => {
  const { state, problem } = readHash(link);
  return { state, problem, usual: DEFAULTS, world: worldOf(state) };
});
"""


def maze_with_goals():
    """Return a random maze with the start and both goals in corners."""
    lines = [list(line) for line in hsr.random_maze(21, seed=1).to_text().split("\n")]
    lines[1][1], lines[-2][-2], lines[1][-2] = "S", "1", "2"
    return "\n".join(map("".join, lines))


def exercises():
    """Return the links and the answer of each exercise."""
    found = []
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[2:]:
        answer = re.search(r"<summary>Answer</summary>(.*?)</details>", part, re.S)[1]
        found.append(([html.unescape(link) for link in LINK.findall(part)], answer))
    return found


@pytest.fixture(scope="module")
def opened():
    links = [links for links, _ in exercises()]
    read = iter(computed(SOURCE, [link for one in links for link in one]))
    return [[next(read) for _ in one] for one in links]


def test_each_link_opens_what_its_exercise_says(opened):
    assert [[one["problem"] for one in links] for links in opened] == [[""] * len(o) for o in OPENS]
    for links, expected in zip(opened, OPENS, strict=True):
        for one, changes in zip(links, expected, strict=True):
            maze = maze_with_goals() if one["state"]["view"] == "distance" else one["usual"]["map"]
            assert one["state"] == {**one["usual"], "map": maze, **changes}


def brief(value):
    """Write a number as the lab does: three digits, without a tail of zeros."""
    text = f"{value:.1e}" if value < 1e-3 else f"{float(f'{value:.3g}'):g}"
    return text.replace("e-0", "e-")


def percent(share):
    return f"{100 * share:.0f}"


class Lab(LibraryWorld):
    """The library's numbers of what a link shows, with some settings changed."""

    def __init__(self, one, **changes):
        super().__init__({**one["world"], **changes})
        self.cell, columns = one["state"]["cell"], self.text.index("\n")
        self.state = self.layout.state_at(*divmod(self.cell, columns))
        self.row = {which: self.map(which).rows(self.state) for which in ("sr", "hsr")}

    def stays(self):
        rooms, row = self.layout.room_of, self.row["sr"]
        return percent(row[rooms == rooms[self.state]].sum() / row.sum())

    def place(self, state):
        return [str(number + 1) for number in self.layout.cell_of(state)]


def read_a_row(one):
    far = Lab(one, discount=0.99)
    lab = Lab(one)
    sums = [brief(where.row["sr"].sum()) for where in (lab, far)]
    return [brief(lab.row["sr"][lab.state]), sums[0], lab.stays(), sums[1], far.stays()]


def close_a_door(one):
    lines = one["world"]["map"].split("\n")
    lines[3] = f"{lines[3][:6]}#{lines[3][7:]}"
    labs = [Lab(one), Lab(one, map="\n".join(lines))]
    ways = [str(lab.layout.distances_from(lab.state)[lab.goal("1")]) for lab in labs]
    visits = [brief(lab.row["sr"][lab.goal("1")]) for lab in labs]
    return [*ways, *visits, *(lab.stays() for lab in labs)]


def what_an_option_does(one):
    lab = Lab(one)
    model, options = hsr.option_model(lab.mdp, lab.options), lab.options
    # A stop after T steps has the weight g^T, and every way of an option has one stop.
    weights = [model.stopping(4 + o) @ np.ones(lab.mdp.n_states) for o in range(len(options))]
    longest = [
        np.log(weight[able].min()) / np.log(lab.mdp.discount)
        for weight, able in zip(weights, options.initiation, strict=True)
    ]
    ways = [f"{steps:.0f}" for steps in longest]
    (end,) = np.flatnonzero(options.termination[0])
    able = str(options.initiation[0].sum())
    return ["1", able, str(lab.mdp.n_states), *lab.place(end), ways[0], *ways]


def what_options_add(one):
    lab = Lab(one)
    sr, hierarchical = lab.row["sr"], lab.row["hsr"]
    gain = int(np.argmax(hierarchical - sr))
    moved = np.abs(hierarchical - sr).sum() / (2 * sr.sum())
    assert brief(sr.sum()) == brief(hierarchical.sum())
    shown = [brief(sr[gain]), brief(hierarchical[gain]), percent(moved), brief(sr.sum())]
    return [*lab.place(gain), *shown]


def how_far_a_map_looks(one, matched):
    lengths = {}
    for discount in (0.9, 0.975):
        lab = Lab(one, discount=discount)
        lengths[discount] = [
            hsr.horizon(lab.map(which), lab.mdp, states=[lab.state]).of_states[0]
            for which in ("sr", "hsr")
        ]
    near, far = lengths[0.9], lengths[0.975]
    factors = [brief(round(b / a, 1)) for a, b in zip(near, far, strict=True)]
    needed = f"{discount_of_sr(one, near[1]):.4f}"
    flat, ballistic = ([brief(near[i]), brief(far[i]), factors[i]] for i in (0, 1))
    return [*flat, *ballistic, "1", "1", needed]  # the answer names 1/(1 - discount)


def discount_of_sr(one, length):
    """Return the discount at which the SR has a horizon, by bisection."""
    low, high = 0.9, 0.9999
    for _ in range(30):
        middle = (low + high) / 2
        lab = Lab(one, discount=middle)
        M = hsr.successor_representation(lab.mdp)
        shorter = hsr.horizon(M, lab.mdp, states=[lab.state]).of_states[0] < length
        low, high = (middle, high) if shorter else (low, middle)
    return low


def is_it_better(one, with_onehot):
    """Agents draw random numbers of the page: its means are those of the library up to chance."""
    means = []
    for link, agent in ((one, "1"), (one, "2"), (with_onehot, "1")):
        lab, state = Lab(link), link["state"]
        names = {"features": "features", "rate": "learning_rate", "epsilon": "epsilon"}
        fields = {name: state[f"{key}{agent}"] for key, name in names.items()}
        lengths = {"episodes": state["episodes"], "horizon": state["horizon"]}
        asked = {"world": link["world"], "agents": [fields], "seed": 0, "n_seeds": 20, **lengths}
        shown = replies_of_the_page({do: {"do": do, **asked} for do in ("train", "seeds")})
        runs = [shown["train"]["agents"][0], *shown["seeds"]["agents"][0]]
        page = np.reshape([run["steps"] for run in runs], (20, 2, -1)).mean(axis=2)
        tasks = [hsr.GoalTask(lab.layout.start, lab.goal(number)) for number in "12"]
        learner = hsr.LinearQ(**fields)
        run = hsr.train(lab.mdp, tasks, learner, lab.options, seeds=range(20), workers=1, **lengths)
        library = run.steps.mean(axis=2)
        error = np.sqrt((page.var(axis=0, ddof=1) + library.var(axis=0, ddof=1)) / 20)
        assert (np.abs(page.mean(axis=0) - library.mean(axis=0)) < 4 * error).all()
        means.append(page.mean(axis=0))
    sr, hierarchical, onehot = np.rint(means).astype(int).astype(str)
    both = [f"{np.mean(one):.0f}" for one in means[:2]]
    return ["2", sr[1], hierarchical[1], "1", sr[0], hierarchical[0], *both, *onehot]


NUMBERS = [
    read_a_row,
    close_a_door,
    what_an_option_does,
    what_options_add,
    how_far_a_map_looks,
    is_it_better,
]


@pytest.mark.parametrize("number", range(6))
def test_every_number_of_an_answer_is_the_librarys(opened, number):
    assert NUMBER.findall(exercises()[number][1]) == NUMBERS[number](*opened[number])
