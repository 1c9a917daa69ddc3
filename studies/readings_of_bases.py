"""Which readings of Figure 3 show what the paper reports of its features?

Prints the table in the docstring of `hsr.paper.experiments.basis_transfer`: scales of features,
with and without options among the choices of agents, by the facts of
`hsr.paper.facts.FACTS_OF_BASES`. The worlds are of a sample of their own and are never scored. It
takes a minute:

    python -m studies.readings_of_bases
"""

import sys
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from hsr._base.declaration import changed
from hsr.mdp import GoalTask
from hsr.paper.experiments.basis_transfer import PAPER, conditions
from hsr.paper.facts import FACTS_OF_BASES, Observed, observed
from hsr.paper.transfer import TransferCondition
from hsr.paper.transfer.fewest import fewest_expected_steps
from hsr.paper.transfer.run import options_in, run
from hsr.paper.transfer.setting import optimal_of
from hsr.paper.worlds import world_of

WORLDS, SEEDS, SAMPLE = 10, 4, 1
SCALES: dict[str, dict[str, Any]] = {
    "none": {"maps.scale": "none"},
    "max": {"maps.scale": "max"},
    "max, rows unscaled": {"maps.scale": "max", "scale_rows": False},
    "unit columns": {"maps.scale": "unit_columns"},
    "unit rows": {"maps.scale": "unit_rows"},
}
CHOICES: dict[str, dict[str, Any]] = {
    "actions": {"uses_options": False},
    "actions and options": {"uses_options": True, "agent.explore_with": "primitives"},
    "both, also at random": {"uses_options": True, "agent.explore_with": "choices"},
}


def fewest(condition: TransferCondition, number: int) -> float:
    """Return the fewest expected steps to the goal in a world, over the fewest possible."""
    _, mdp = world_of(condition.maze(number))
    world, agent = condition.world_number(number), condition.agent
    steps = fewest_expected_steps(
        mdp, options_in(condition, number), GoalTask(None, world.goals[0]),
        epsilon=agent.epsilon, explore_with=agent.explore_with, explore_at=agent.explore_at,
    )  # fmt: skip
    return float(steps[world.start]) / optimal_of(condition)[0]


def seen_in(reading: Mapping[str, Any]) -> Observed:
    """Return what agents do in a reading."""
    setting = changed(PAPER, {"sample": SAMPLE, "seeds": SEEDS, **reading})
    agents = conditions(setting)
    steps = {
        name: np.stack([run(one, number)["steps"] for number in range(WORLDS)])
        for name, one in agents.items()
    }
    condition = agents["one-hot"]
    reachable = np.array([[fewest(condition, number)] for number in range(WORLDS)])
    criterion = {**setting.criterion.data(), "horizon": setting.horizon}
    return observed(steps, optimal_of(condition), reachable, **criterion)


def table() -> str:
    """Return the numbers of the facts in each reading, with a star below the threshold."""
    names = ("choices", "scale", *(fact.name for fact in FACTS_OF_BASES))
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    for (choices, of_choices), (scale, of_scale) in product(CHOICES.items(), SCALES.items()):
        seen = seen_in({**of_choices, **of_scale})
        cells = (
            f"{fact.number(seen):.2f}{'' if fact.holds(seen) else '*'}" for fact in FACTS_OF_BASES
        )
        lines.append("| " + " | ".join((choices, scale, *cells)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
