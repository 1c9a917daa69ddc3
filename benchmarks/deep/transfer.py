"""DQN on learned features after a goal change: `python -m benchmarks.deep.transfer FOLDER`.

A double DQN (`benchmarks.deep.dqn`) learns to reach a goal from all states. The goal moves, and the
agent, which is not told, learns on. All agents have the same algorithm, network and actions. They
differ in what they observe: the number of the state, pixels, rows of the SR or of the HSR, the SR
compressed to 32 singular vectors, or 32 non-negative parts of a map. Maps are exact, or learned
from pixels by `hsr.deep`, as are the parts of the learned HSR. The Q-network has two hidden layers
of 128 units ("mlp"), or none ("linear").

An agent acts in 16 copies of its environment. Episodes begin in any state. Half of all actions
are random, because with fewer the agent hardly ever finds a far goal in a maze. This, the length of
the runs and the size of the buffer were chosen with one seed in a maze of their own. The greedy
policy is judged.

The rules, which were written down before the comparison was run:

- The unit of evidence is a place: a maze of its own with two goals, or a pair of goals in the four
  rooms. Its value is the mean of 10 seeds. Everything that is learned about a place beforehand has
  a seed of its own. Four rooms and mazes are judged separately, and so are the two networks.
- The measure is the area after the change: the mean, over 40 evaluations at equal distances, of the
  success of the greedy policy from all starts, weighted by path length. It is 1 for an agent that
  takes the shortest paths from the first evaluation on.
- Learning rates are tuned for all inputs alike. The same six rates are tried with 5 seeds in 4
  places that are not used again, and the rate with the largest mean area after the change is used
  in the 12 places of the comparison. A best rate at an end of the list is reported as such.
- Every input is compared with pixels. Linear agents, which have no pixels, are compared with the
  one on states, which is a table. Further, rows and parts of the learned HSR are compared with rows
  of the learned SR, and rows and parts of the exact HSR with those of the exact SR. The latter four
  ask whether the hierarchy matters.
- The test is Wilcoxon's signed-rank test over the 12 places, two-sided, corrected by Holm over all
  comparisons of one kind of environment and one network. "Better" and "worse" need p < 0.05 and a
  difference of at least 0.02. Otherwise it "cannot be told". If both inputs have an area of 0.98 or
  more they are "at the ceiling", which decides nothing.
- Maps are learned beforehand, from 200,000 steps of a random walk without any reward. The agents on
  pixels and states have no such steps. The comparison says what a map is worth once there is one.

It needs JAX, Optax and Equinox, and nothing else that hsr itself does not need. Each line of
``rows-PID.jsonl`` is a finished job. Several processes with one folder share the jobs, the most
important first. `docs/figures/transfer_from_pixels.py` makes the page of the website from them.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.deep.transfer_inputs import DISCOUNT, EXACT, INPUTS, LEARNED, Place, make_inputs

RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
N_STEPS = {"four rooms": 80_000, "mazes": 160_000}
HEADS = ("mlp", "linear")


@dataclass(frozen=True)
class Plan:
    """How much is run.

    Both stages run as many agents, so that one compiled program serves both.
    """

    tuning_places: tuple[int, ...] = (100, 101, 102, 103)
    tuning_seeds: int = 5
    places: tuple[int, ...] = tuple(range(12))
    seeds: int = 10
    n_steps: int | None = None
    map_updates: int | None = None


FULL = Plan()
QUICK = Plan((100,), 1, (0, 1, 2), 2, n_steps=800, map_updates=20)


@dataclass(frozen=True)
class Job:
    """The maps of one place, or all agents with one input, network and kind of environment."""

    what: str
    kind: str
    number: int | None = None
    input: str | None = None
    head: str | None = None

    @property
    def name(self) -> str:
        """What tells the job from others."""
        return " ".join(str(value) for value in asdict(self).values() if value is not None)


def jobs(plan: Plan) -> list[Job]:
    """Return all jobs, the most important first."""
    kinds = tuple(DISCOUNT)
    found = [Job("agents", kind, input="one-hot", head="mlp") for kind in kinds]
    found += [
        Job("maps", kind, number) for kind in kinds for number in plan.tuning_places + plan.places
    ]
    inputs = ("pixels", *LEARNED, *EXACT)
    found += [Job("agents", kind, input=one, head="mlp") for one in inputs for kind in kinds]
    found += [
        Job("agents", kind, input=one, head="linear")
        for one in INPUTS
        for kind in kinds
        if one != "pixels"
    ]
    return found


def run_agents(job: Job, plan: Plan, folder: Path) -> dict[str, Any]:
    """Return the rate that was chosen for an input, and what its agents did in new places."""
    from benchmarks.deep.dqn import Agent, Network

    assert job.input is not None
    assert job.head is not None
    agent = Agent(
        n_steps=plan.n_steps or N_STEPS[job.kind],
        discount=DISCOUNT[job.kind],
        network=Network(kind=job.head, width=128),
    )
    begin = time.perf_counter()
    tuning = [Place(job.kind, number) for number in plan.tuning_places]
    tried = _trained(tuning, job.input, RATES, range(1000, 1000 + plan.tuning_seeds), agent, folder)
    area = tried.efficiency[..., agent.n_evaluations :].mean(axis=(0, 2, 3))
    rate = RATES[int(area.argmax())]
    places = [Place(job.kind, number) for number in plan.places]
    found = _trained(places, job.input, (rate,), range(plan.seeds), agent, folder)
    return {
        "discount": agent.discount,
        "steps per goal": agent.n_steps,
        "rates": list(RATES),
        "tuning areas": _rounded(area),
        "rate": rate,
        "rate at an end": rate in (RATES[0], RATES[-1]),
        "places": [list(place.goals) for place in places],
        "map errors": [place.errors(job.input, folder) for place in places],
        **_measures(found, agent.n_evaluations, agent.n_steps),
        "seconds": round(time.perf_counter() - begin, 1),
    }


def _trained(
    places: list[Place], name: str, rates: Sequence[float], seeds: range, agent: Any, folder: Path
) -> Any:
    """Return what agents did, with axes of places, rates, seeds and evaluations."""
    from benchmarks.deep.dqn import Environment, Trained, environment_of, train

    environments = [
        environment_of(one.mdp, one.goals, one.observations(name, folder)) for one in places
    ]
    each = len(rates) * len(seeds)
    arrays = zip(*environments, strict=True)
    stacked = Environment(*(np.repeat(np.stack(several), each, axis=0) for several in arrays))
    found = train(
        stacked,
        np.tile(np.repeat(rates, len(seeds)), len(places)),
        np.concatenate([np.tile(_own_seeds(one, seeds), len(rates)) for one in places]),
        agent,
    )
    shape = (len(places), len(rates), len(seeds))
    return Trained(*(array.reshape(*shape, *array.shape[1:]) for array in found))


def _own_seeds(place: Place, seeds: range) -> np.ndarray:
    """Return seeds that no other place has."""
    return np.array(seeds) + 10_000 * (1 + place.number)


def _measures(found: Any, half: int, n_steps: int) -> dict[str, Any]:
    """Return the measures of a comparison, as lists over places and seeds."""
    success, efficiency, arrivals = (array[:, 0] for array in found[:3])
    per_goal = n_steps / np.maximum(arrivals[..., half:].sum(axis=-1), 1)
    return {
        "area before": _rounded(efficiency[..., :half].mean(axis=-1)),
        "efficiency before": _rounded(efficiency[..., half - 1]),
        "area": _rounded(efficiency[..., half:].mean(axis=-1)),
        "efficiency": _rounded(efficiency[..., -1]),
        "success": _rounded(success[..., -1]),
        "steps per arrival": _rounded(per_goal, 1),
        "curve": _rounded(efficiency.mean(axis=1), 3),
    }


def _rounded(values: np.ndarray, digits: int = 4) -> Any:
    return np.round(values, digits).tolist()


def missing(job: Job, plan: Plan, folder: Path) -> list[Place]:
    """Return the places whose maps a job needs, and which are not stored yet."""
    if job.what == "maps" or job.input in ("one-hot", "pixels"):
        return []
    places = [Place(job.kind, number) for number in plan.tuning_places + plan.places]
    return [place for place in places if not place.file(folder).exists()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Do jobs until all are done or the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin no job after these")
    parser.add_argument("--quick", action="store_true", help="only show that everything runs")
    parser.add_argument("--only", default="", help="only jobs whose name contains this")
    given = parser.parse_args(arguments)
    _configure(given.folder)
    plan = QUICK if given.quick else FULL
    begin = time.monotonic()
    for job in jobs(plan):
        if given.only in job.name:
            _do(job, plan, given.folder, begin, given.seconds)


def _configure(folder: Path) -> None:
    """Let several processes share a GPU and what they compile."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    jax.config.update("jax_default_matmul_precision", "highest")
    jax.config.update("jax_compilation_cache_dir", str(folder.resolve() / "compiled"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.3)


def _do(job: Job, plan: Plan, folder: Path, begin: float, seconds: float) -> None:
    """Do a job, unless another process has begun it or the time is over."""

    def over() -> bool:
        return time.monotonic() - begin > seconds

    if over() or not _claimed(job, folder):
        return
    while missing(job, plan, folder):  # another process is about to store them
        if over():
            return
        time.sleep(0.5)
    if job.what == "maps":
        clock = time.perf_counter()
        assert job.number is not None
        errors = make_inputs(Place(job.kind, job.number), folder, plan.map_updates)
        row: dict[str, Any] = {"errors": errors, "seconds": round(time.perf_counter() - clock, 1)}
    else:
        row = run_agents(job, plan, folder)
    row = asdict(job) | {"device": _device()} | row
    with (folder / f"rows-{os.getpid()}.jsonl").open("a") as file:
        print(json.dumps(row), file=file)
    print(f"{time.monotonic() - begin:6.1f}s {job.name}: {_summary(row)}", flush=True)


def _device() -> str:
    import jax

    return f"{jax.devices()[0].device_kind}, JAX {jax.__version__}"


def _claimed(job: Job, folder: Path) -> bool:
    """Return whether this process is the first to ask for a job."""
    try:
        (folder / "claims" / job.name).mkdir(parents=True)
    except FileExistsError:
        return False
    return True


def _summary(row: dict[str, Any]) -> str:
    if "area" not in row:
        return f"{row['seconds']}s {row['errors']}"
    area, success = np.mean(row["area"]), np.mean(row["success"])
    return f"{row['seconds']}s rate {row['rate']:g}, area {area:.3f}, success {success:.3f}"


if __name__ == "__main__":
    main()
