"""Numbers of Figure 2a-h and the evidence for its claims, from stored runs alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr.basis import value_fit_r2
from hsr.mdp import GoalTask, optimal_value
from hsr.paper.experiments.online_transfer import OnlineTransfer, conditions
from hsr.paper.ledger import Evidence
from hsr.paper.stats import relative_change, transfer_efficiency, two_sample_t
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Intervals, Learning, arrays_of, learning, mean_intervals
from hsr.paper.transfer.tuning import at_rates
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray

BASELINE, LIVE = "one-hot", ("SR rows", "HSR rows")
COMPONENTS = (1, 2, 4, 8, 16, 32, 64, 104)


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries are by agent, and arrays have the seed first."""

    learned: Learning
    efficiency: dict[str, FloatArray]  # (seed,)
    change: dict[str, FloatArray]  # (seed,)
    maps: dict[str, FloatArray]  # (task, S, S) of the first seed
    components: FloatArray
    fits: dict[str, FloatArray]  # (seed, task, component)
    intervals: Intervals  # of efficiency, and of change


def analyse(table: ResultTable, setting: OnlineTransfer) -> Numbers:
    """Return the numbers of the figure."""
    _, mdp = world_of(setting.world)
    learned = learning(table, setting, conditions(setting))
    episodes = learned.episodes
    efficiency = {
        name: transfer_efficiency(n, episodes[BASELINE])
        for name, n in episodes.items()
        if name != BASELINE
    }
    as_run = at_rates(conditions(setting), learned.rates)
    maps = {name: arrays_of(table, as_run[name], "maps") for name in LIVE}
    change = {name: np.asarray(relative_change(M[:, 0], M[:, 1])) for name, M in maps.items()}
    components = np.array([k for k in COMPONENTS if k <= mdp.n_states], dtype=float)
    v = np.stack([optimal_value(mdp, GoalTask(None, goal)) for goal in learned.goals])
    fits = {
        name: np.stack(
            [_fits(M[0], v, components, intercept=setting.intercept) for M in maps[name]]
        )
        for name in LIVE
    }
    named = {f"efficiency {name}": x for name, x in efficiency.items()} | {
        f"change {name}": x for name, x in change.items()
    }
    return Numbers(
        learned=learned,
        efficiency=efficiency,
        change=change,
        maps={name: M[0] for name, M in maps.items()},
        components=components,
        fits=fits,
        intervals=mean_intervals(named),
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    n, efficiency, change, fits = (
        numbers.learned.episodes,
        numbers.efficiency,
        numbers.change,
        numbers.fits,
    )
    found = [
        Evidence(
            "online-faster-than-raw",
            f"{name}: episodes to G2, one-hot minus {name}",
            +1,
            two_sample_t(n[BASELINE][:, 1], n[name][:, 1]),
        )
        for name in LIVE
    ]
    found.append(
        Evidence(
            "online-rw-degrades",
            "RW-SR rows: episodes to the criterion, G2 minus G1",
            +1,
            two_sample_t(n["RW-SR rows"][:, 1], n["RW-SR rows"][:, 0]),
        )
    )
    found.append(
        Evidence(
            "online-transfer-efficiency",
            "transfer efficiency (smaller is better), SR minus HSR",
            +1,
            two_sample_t(*_pair(efficiency)),
        )
    )
    found.append(
        Evidence(
            "online-stability",
            "relative change of the map, SR minus HSR",
            +1,
            two_sample_t(*_pair(change)),
        )
    )
    sr, hsr = (fits[name].mean(axis=2) for name in LIVE)
    found += [
        Evidence(
            "online-value-r2",
            f"R2 of v* of G{k + 1}, HSR minus SR, mean over basis sizes",
            predicted,
            two_sample_t(hsr[:, k], sr[:, k]),
        )
        for k, predicted in ((0, 0), (1, +1))
    ]
    return found


def _pair(values: dict[str, Any]) -> tuple[Any, Any]:
    return values[LIVE[0]], values[LIVE[1]]


def _fits(M: FloatArray, v: FloatArray, components: FloatArray, *, intercept: bool) -> FloatArray:
    """Return R2 (task, component) of values fitted by leading singular vectors of a map."""
    U, s, _ = np.linalg.svd(M)
    return np.stack(
        [value_fit_r2(U[:, : int(k)] * s[: int(k)], v, intercept=intercept) for k in components],
        axis=1,
    )
