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


def as_variants(readings: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return readings as variants of a transfer experiment, which have fewer worlds."""
    return {name: {**changes, "as_control": True} for name, changes in readings.items()}


_AT_STEPS = {"agent.explore_at": "steps"}
_PASSED = {"agent.map_update": "passed"}
_RUNNING, _CONSISTENT = {"agent.update": "running"}, {"agent.update": "intra_option"}
ADMISSIBLE: Mapping[str, Mapping[str, Any]] = as_variants(
    {
        "all rows": _PASSED,
        "steps": _AT_STEPS,
        "steps, all rows": {**_AT_STEPS, **_PASSED},
        "steps, running option": {**_AT_STEPS, **_RUNNING},
        "steps, running option, all rows": {**_AT_STEPS, **_RUNNING, **_PASSED},
        "steps, all options": {**_AT_STEPS, **_CONSISTENT},
        "steps, all options, all rows": {**_AT_STEPS, **_CONSISTENT, **_PASSED},
        "steps, all options, all rows, 200 episodes": {
            **_AT_STEPS, **_CONSISTENT, **_PASSED, "training": "fixed",
        },
    }
)  # fmt: skip
"""Other admissible readings of Figures 2, S3 and S4, as changes of the reference reading.

They are all that are admissible and whose moving average starts at the first episode, or at the
horizon, which gives the same runs. *Steps*: epsilon applies to every primitive step. *All rows*:
the HSR learns the row of every state that a choice passes. *Running option* and *all options*: the
value of the option that runs, or of all options that would have taken the action, is learned, too.
"""

SOME: Mapping[str, Mapping[str, Any]] = {
    name: ADMISSIBLE[name] for name in ("all rows", "steps", "steps, all options")
}
"""Those that are run for Figures 2i-l, S3 and S4: one for each place in which readings differ."""


def of_agent(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reading says about the agent, as fields of `hsr.LinearQ`."""
    prefix = "agent."
    return {
        path.removeprefix(prefix): value
        for path, value in reading.items()
        if path.startswith(prefix)
    }
