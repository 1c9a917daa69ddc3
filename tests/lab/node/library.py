"""What the page shows of a world, computed by the library."""

import inspect
from functools import cache

import numpy as np

import hsr
from hsr.lab.page import SMALL_SIDE
from hsr.mdp import leading_vectors
from tests.lab.node.page_code import computed, world

GOALS = dict.fromkeys("123456789", ".")
GOALS_OF_EVERY = 'import { goalsOfEvery } from "./worlds"; export default goalsOfEvery;'


def marked(text):
    """Return a maze with a start and two goals in its first, middle and last open cells."""
    cells = [at for at, sign in enumerate(text) if sign == "."]
    signs = list(text)
    for sign, at in zip("S12", (cells[0], cells[len(cells) // 2], cells[-1]), strict=True):
        signs[at] = sign
    return "".join(signs)


@cache
def maze(name):
    """Return the text of a maze: a named one, a drawing, or one of a kind and a size."""
    if name in hsr.layout_names():
        return hsr.load_layout(name).to_text()
    if name[0] in "#.S":
        return name
    kind, n = name.split()
    if kind == "maze":
        return marked(hsr.random_maze(int(n), seed=int(n)).to_text())
    share = {"square": 0.0, "walls": 0.2, "parts": 0.4}[kind]  # of walls, drawn at random
    walls = np.random.default_rng(5).random((int(n), int(n))) < share
    return marked("\n".join("".join(line) for line in np.where(walls, "#", ".")))


def of(name, *how, **options):
    """Return a function that describes a world in a maze."""
    return lambda: world(maze(name), *how, **options)


class LibraryWorld:
    """A world that the page describes: its MDP, options and maps.

    `names` are the names of the page's options, which tell what the page has drawn at random.
    """

    def __init__(self, described, names=()):
        self.text, self.task = described["map"], described["task"]
        self.reading = described["reading"]
        # goals that cannot be reached are no goals of a layout
        self.layout = hsr.GridLayout.from_text(self.text.translate(str.maketrans(GOALS)))
        self.mdp = hsr.grid_mdp(self.layout, discount=described["discount"])
        self.asked, self.names = described["options"], names
        self.options, self.vectors = self.make_options()

    def goal(self, number):
        """Return the state of a goal."""
        lines = self.text.splitlines()
        row = next(row for row, line in enumerate(lines) if number in line)
        return self.layout.state_at(row, lines[row].index(number))

    def make_options(self):
        """Return the options, fewer where the maze is too small, and what they climb."""
        kind = self.asked["kind"]
        if kind == "none":
            nothing = np.zeros((0, self.mdp.n_states), dtype=int)
            return hsr.OptionSet(policy=nothing, termination=nothing), None
        if kind == "random":
            targets = [int(name.removeprefix("to ")) for name in self.names]
            return hsr.point_options(self.mdp, targets=targets), None
        entry = hsr.OPTION_KINDS[kind]
        settings = {name: self.asked[name] for name in entry.settings}
        if settings.get("signs") == "random":
            settings["signs"] = "".join(name[0] for name in self.names)
        if "return_vectors" in inspect.signature(entry.make).parameters:
            settings["return_vectors"] = True
        for n in range(self.asked["n"], 0, -1):
            try:
                made = entry.make(self.mdp, n, **settings)
            except hsr.InputError:
                continue
            return made if isinstance(made, tuple) else (made, None)
        raise AssertionError("there are no options")

    def spectrum(self):
        """Return the leading eigenvalues of the SR of the random walk."""
        chain = hsr.MarkovChain.from_policy(self.mdp)
        n_constant = len(chain.parts)
        wanted = min(64, self.mdp.n_states) - n_constant
        rest = leading_vectors(chain, wanted)[0] if wanted > 0 else np.zeros(0)
        rates = np.concatenate([np.ones(min(n_constant, 64)), rest])
        return 1.0 / (1.0 - self.mdp.discount * rates)

    def map(self, which):
        """Return the map "sr" or "hsr" of the task, or one that is named itself."""
        names = {"walk": "rw_", "every": "e"}
        if which in ("sr", "hsr") and self.task in names:
            which = names[self.task] + which
        if which in ("sr", "hsr"):
            return self.map_of_goal(which)
        n = self.mdp.n_states
        goals = range(n) if n <= SMALL_SIDE**2 else computed(GOALS_OF_EVERY, n)
        spec = hsr.representation.MapSpec(which, **self.reading)
        tasks = [hsr.GoalTask(start=None, goal=goal) for goal in goals]
        return spec.build(self.mdp, self.options, tasks=tasks)

    def map_of_goal(self, which):
        """Return a map of the optimal policy for goal 1 or 2."""
        task = hsr.GoalTask(start=None, goal=self.goal(self.task))
        if which == "sr":
            policy = hsr.greedy_policy(self.mdp, task)
            return hsr.successor_representation(self.mdp, policy, task=task)
        model = hsr.option_model(self.mdp, self.options, task=task)
        mu = hsr.plan_over_options(model, task, ties=self.reading["ties"])
        return hsr.hierarchical_sr(model, mu, stopping_state=self.reading["stopping_state"])

    def features(self, which, basis, n):
        """Return the strongest features of a map, one row each."""
        M = np.asarray(self.map(which))
        estimator = hsr.basis.BasisSpec(basis, n_components=n).estimator(len(M))
        if basis == "nmf":
            estimator.max_iter = 200
        made = estimator.fit(M)
        size = np.linalg.norm(made.features_, axis=0) * np.linalg.norm(made.components_, axis=1)
        return made.features_.T[np.argsort(-np.float32(size), kind="stable")[:n]]
