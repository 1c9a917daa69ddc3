"""Which readings of the paper show the facts that it reports of its agents?

**Question.** The text of the online experiment (Figure 2) leaves places open and contradicts itself
in others. Each combination of the values below is a reading. A reading in which agents do not
converge cannot test what the paper claims of agents that do. `hsr.paper.facts` lists the facts and
their thresholds, which were fixed before any reading was run. No claim of the paper plays a part.

**Runs.** All four agents of Figure 2 in every reading, in `worlds` worlds of a sample of their own
(`sample`), which are never scored. A reading in which no agent can meet the criterion, however well
it has learned (`hsr.paper.transfer.fewest`), is not run: it fails by an exact computation.

**The reference reading** is the admissible reading that departs least from what is printed. A value
that contradicts a printed sentence counts as one departure, and a value about which the text is
silent as none:

| place | printed | departures of the other values |
|---|---|---|
| what learns | the primitive action of every step (Algorithm S3) | 1 |
| what is tried at random | "epsilon-greedy given Q", over actions and options | primitive actions 1 |
| when | at each selection (Algorithm S3) | at every step 1 |
| training | until convergence (Results), 200 (caption 2c), 50 (appendix) | until convergence, at most \
200, contradicts the appendix: 1; 200 and 50 contradict two places: 2 |
| initial map | zero (Algorithm S3), identity (Algorithm S2) | 0 |
| rows of the HSR | where the option was chosen (Eq. 8) | every state passed 1 |
| ties | silent | 0 |
| steps of a curve | of the training episodes (caption 2b) | greedy evaluation 1 |
| start of the moving average | silent | 0 |

Among readings with equally many departures, the values that stand first in `PLACES` win, place by
place.

    hsr run studies/readings.py --preset paper
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from hsr.mdp import GoalTask
from hsr.paper import Experiment, scored_worlds
from hsr.paper.facts import FACTS, Observed, observed
from hsr.paper.maps import FeatureSetting
from hsr.paper.setting import seed_count, world_count
from hsr.paper.transfer import TRANSFER, TransferCondition, TransferSetting
from hsr.paper.transfer.fewest import fewest_expected_steps
from hsr.paper.transfer.setting import optimal_of
from hsr.paper.worlds import options_of, world_of
from hsr.plots import new_figure, panel

AGENTS = {
    "one-hot": FeatureSetting(kind="onehot"),
    "RW-SR rows": FeatureSetting(kind="walk_sr"),
    "SR rows": FeatureSetting(kind="sr"),
    "HSR rows": FeatureSetting(kind="hsr"),
}
# By place, the values with their departures from what is printed. The first of equals wins.
PLACES: dict[str, dict[str, int]] = {
    "update": {
        "primitives": 0, "chosen_and_primitives": 1, "chosen": 1, "running": 1, "intra_option": 1,
    },
    "training": {"until": 1, "200": 2, "50": 2},
    "explore_with": {"choices": 0, "primitives": 1},
    "explore_at": {"choices": 0, "steps": 1},
    "map_update": {"chosen": 0, "passed": 1},
    "curve": {"training": 0, "greedy": 1},
    "initial_map": {"zero": 0, "identity": 0},
    "ties": {"random": 0, "first": 0},
    "average": {"first": 0, "optimal": 0, "zero": 0, "horizon": 0},
}  # fmt: skip
OF_AGENT = ("update", "explore_with", "explore_at", "map_update", "initial_map", "ties")
_LEAST = FACTS[0].least  # of the worlds in which the criterion can be met


class Reading(NamedTuple):
    """One value for each of `PLACES`."""

    update: str
    training: str
    explore_with: str
    explore_at: str
    map_update: str
    curve: str
    initial_map: str
    ties: str
    average: str

    @property
    def departures(self) -> int:
        """How many printed sentences the reading contradicts."""
        return sum(PLACES[place][value] for place, value in self._asdict().items())

    @property
    def rank(self) -> tuple[int, ...]:
        """Order of readings: departures first, then the places one by one."""
        places = (list(PLACES[place]).index(value) for place, value in self._asdict().items())
        return self.departures, *places

    def changes(self) -> dict[str, Any]:
        """Return the fields of a `TransferSetting` that the reading sets."""
        found: dict[str, Any] = {f"agent.{name}": getattr(self, name) for name in OF_AGENT}
        found |= {"curve": self.curve, "criterion.start": self.average}
        found |= {"episodes": 50 if self.training == "50" else 200}
        return found | {"training": "criterion" if self.training == "until" else "fixed"}


@dataclass(frozen=True, kw_only=True)
class Readings(TransferSetting):
    """Settings of the search: a sample of worlds that no experiment scores."""

    sample: int = TransferSetting.__dataclass_fields__["sample"].default
    worlds: int = world_count(6)
    seeds: int = seed_count(2)


def every_reading() -> Iterator[Reading]:
    """Yield all combinations."""
    return (Reading(*values) for values in product(*PLACES.values()))
