"""Readings of the paper's text, each as the fields of a setting that it changes.

The text of the online experiment (Figures 2, S3 and S4) leaves places open and contradicts itself
in others. `studies/readings.py` runs every combination of values in worlds that are never scored. A
reading is admissible if its agents show the facts of `hsr.paper.facts`. No claim plays a part. The
reference reading is the admissible one that departs least from what is printed.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Place(NamedTuple):
    """A value for one place of the text, and the sentence that it follows."""

    value: Any
    sentence: str
    where: str


PLACES: Mapping[str, Place] = {
    "agent.update": Place(
        "primitives",
        "Update Q-function with single-step transition tuple",
        "Algorithm S3",
    ),
    "agent.explore_with": Place(
        "primitives",
        "episode-specific steps to reach the goal falls below 1.5 x optimal performance "
        "(out of reach in many worlds if whole options are tried at random)",
        "Appendix, transfer learning",
    ),
    "agent.explore_at": Place(
        "choices", "Selected action via epsilon-greedy given Q", "Algorithm S3"
    ),
    "agent.initial_map": Place(
        "identity", "agents are initialised with empty option sets and identity SR matrix",
        "Appendix, online options",
    ),
    "agent.map_update": Place(
        "chosen", "online learning of HSR follows the derived TD-learning rule", "Eq. 8"
    ),
    "agent.ties": Place("random", "(the text is silent)", "Algorithm S3"),
    "training": Place(
        "criterion", "Agents were trained to navigate to a specific terminal goal state (G1) until "
        "convergence", "Results",
    ),
    "episodes": Place(
        200, "number set of 200 if agents fail to reach optimal performance within 200 episodes",
        "caption 2c",
    ),
    "horizon": Place(
        5000, "with a finite horizon of 5000 timesteps within each episode",
        "Appendix, transfer learning",
    ),
    "criterion.start": Place(
        "first", "exponential moving average of, with step size 0.1", "Appendix, transfer learning"
    ),
}  # fmt: skip
"""The places that the text leaves open, as the reference reading fills them in."""

REFERENCE: Mapping[str, Any] = {path: place.value for path, place in PLACES.items()}
"""The reference reading, which is the default of `hsr.paper.transfer.TransferSetting`."""

FIRST: Mapping[str, Any] = {
    "agent.update": "chosen_and_primitives",
    "agent.explore_with": "choices",
    "episodes": 50,
    "training": "fixed",
}
"""The default before the search. Its agents rarely converge, so it is not admissible."""

ADMISSIBLE: Mapping[str, Mapping[str, Any]] = {
    name: {**changes, "as_control": True}
    for name, changes in {
        "map from zero": {"agent.initial_map": "zero"},
        "rows of all states passed": {"agent.map_update": "passed"},
        "exploring at every step": {"agent.explore_at": "steps"},
        "the running option learns, too": {"agent.update": "running"},
        "all consistent options learn": {"agent.update": "intra_option"},
        "200 episodes": {"training": "fixed"},
        "average from the horizon": {"criterion.start": "horizon"},
    }.items()
}
"""Other admissible readings of Figures 2, S3 and S4, as changes of the reference reading."""


def of_agent(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reading says about the agent, as fields of `hsr.LinearQ`."""
    prefix = "agent."
    return {
        path.removeprefix(prefix): value
        for path, value in reading.items()
        if path.startswith(prefix)
    }
