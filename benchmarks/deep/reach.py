"""Goals reached from maps that networks learn: `python -m benchmarks.deep.reach FOLDER`.

It needs JAX, Optax and Equinox, and nothing else that hsr itself does not need. Every job is one
learner in one world with 10 seeds. Each line of ``rows-PID.jsonl`` is a finished job. Several
processes with one folder share the jobs, the most important first.
`python -m benchmarks.deep.reach FOLDER --collect` adds the finished jobs to ``reach.json``, from
which `docs/figures/reach.py` makes the tables of the website.
"""

import argparse
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import hsr

SEEDS = range(10)
N_STEPS = 200_000
READ_OUTS = {"end": False, "every step": True}
COLLECTED = Path(__file__).with_name("reach.json")
COLUMNS = {  # the name in `reach.json`, and where a job has it
    "actions": ("primitives", "end"),
    "options to the end": ("options", "end"),
    "options at every step": ("options", "every step"),
}
ORDER = ("world", "discount", "observation", "updates", "target rate", "learner")
PROTOTYPE = {"learning_rate": 1e-3, "target_rate": 0.01}
DEFAULTS = {"learning_rate": 2e-3, "target_rate": 0.05}
QUICK_TARGET = {"learning_rate": 2e-3, "target_rate": 0.2}


@dataclass(frozen=True)
class Job:
    """One learner in one world."""

    world: str
    learner: str
    discount: float
    updates: int = 6000
    observation: str = "one-hot"
    training: tuple[tuple[str, float], ...] = tuple(QUICK_TARGET.items())


def jobs() -> list[Job]:
    """Return all jobs, the most important first."""
    found = []

    def add(world: str, learners: str, discount: float, **more: Any) -> None:
        training = tuple(more.pop("training", QUICK_TARGET).items())
        found.extend(
            Job(world, one, discount, training=training, **more) for one in learners.split()
        )

    add("maze 21", "sr hsr log_sr log_hsr contrastive", 0.98, training=PROTOTYPE)
    add("maze 21", "sr hsr log_sr log_hsr", 0.98, training=DEFAULTS)
    add("maze 21", "sr hsr log_sr log_hsr", 0.98)
    add("maze 21", "sr log_sr", 0.98, updates=18_000, training=DEFAULTS)
    add("four rooms", "sr log_sr contrastive", 0.9, updates=1500, training=DEFAULTS)
    add("four rooms", "sr hsr log_sr", 0.9, updates=1500)
    add("four rooms", "sr", 0.9, updates=5000, training=DEFAULTS)
    add("maze 21 seed 1", "sr hsr log_sr", 0.98)
    add("rooms 3x3", "sr hsr log_sr", 0.95)
    add("pointmaze", "sr hsr log_sr", 0.9, observation="xy", updates=1500)
    for observation in ("pixels", "xy"):
        add("four rooms", "sr hsr log_sr", 0.9, updates=1500, observation=observation)
        add("maze 21", "sr hsr log_sr", 0.98, observation=observation)
    add("maze 41", "sr hsr log_sr", 0.98)
    for seed in range(2, 5):
        add(f"maze 21 seed {seed}", "sr hsr log_sr", 0.98)
    for discount in (0.9, 0.95, 0.995):
        add("maze 21", "sr hsr log_sr", discount)
    for discount in (0.9, 0.98):
        add("rooms 3x3", "sr hsr log_sr", discount)
    for discount in (0.95, 0.98, 0.99):
        add("four rooms", "sr hsr log_sr", discount, updates=5000)
    add("maze 41", "sr hsr log_sr", 0.995)
    return found


def exact_jobs() -> list[Job]:
    """Return the options of every world and discount without any map, which need no GPU."""
    pairs = dict.fromkeys((one.world, one.discount) for one in jobs() if one.world != "pointmaze")
    return [Job(world, "exact", discount, 0, "none", ()) for world, discount in pairs]


def layout_of(world: str) -> hsr.GridLayout:
    """Return the layout of a world."""
    if world.startswith("maze"):
        size, *seed = (int(word) for word in world.split() if word.isdigit())
        return hsr.random_maze(size, seed=seed[0] if seed else 0)
    return hsr.room_grid(3, 5) if world == "rooms 3x3" else hsr.load_layout("four_rooms")


class KnownMaze:
    """What is known about a world: its MDP, options and exact maps."""

    def __init__(self, world: str, discount: float) -> None:
        self.layout = layout_of(world)
        self.mdp = hsr.grid_mdp(self.layout, discount)
        self.options = hsr.eigenoptions(self.mdp, n_options=8)
        self.model = hsr.option_model(self.mdp, self.options)
        self.primitives = hsr.option_model(self.mdp, None)

    def exact(self, kind: str) -> np.ndarray:
        """Return the exact SR or HSR."""
        model = self.primitives if kind == "sr" else self.model
        return hsr.hierarchical_sr(model, hsr.uniform_policy(model)).toarray()

    def read_outs(self, psi: np.ndarray) -> dict[str, tuple[Any, np.ndarray]]:
        """Return the model and the values of every read-out of a map, by its name."""
        n_actions = self.mdp.n_actions
        if psi.shape[1] == n_actions:
            M = psi.mean(axis=1)
            with_options = hsr.representation.successor_of_choices(self.model, M)
            return {"primitives": (self.primitives, psi), "options": (self.model, with_options)}
        return {
            "primitives": (self.primitives, psi[:, :n_actions]),
            "options": (self.model, psi),
        }

    def measured(self, psi: np.ndarray) -> dict[str, dict[str, tuple[float, float]]]:
        """Return reached goals and path ratio of every read-out."""
        return {
            name: {how: _reach(model, value, every_step) for how, every_step in READ_OUTS.items()}
            for name, (model, value) in self.read_outs(psi).items()
        }


def _reach(model: Any, value: np.ndarray, every_step: bool) -> tuple[float, float]:
    found = hsr.reach_goals(model, value, every_step=every_step)
    return round(found.reached, 5), round(found.path_ratio, 4)


def learned(job: Job, world: KnownMaze, pointmaze: Path | None) -> tuple[list[np.ndarray], float]:
    """Return the successor features of choices of every seed, and the seconds of training."""
    from hsr import deep

    begin = time.perf_counter()
    how: dict[str, Any] = {
        "training": deep.Training(n_updates=job.updates, n_reports=2, **dict(job.training)),
        "seed": list(SEEDS),
    }
    centres = None
    if job.world == "pointmaze":
        steps, features, options_of, centres = _point_maze(world, pointmaze)
        how |= {"features": features, "discount": job.discount}
    else:
        steps, options_of = deep.random_steps(world.mdp, N_STEPS, seed=1), world.options
        how["mdp"] = world.mdp
        if job.observation != "one-hot":
            how["observe"] = getattr(world.layout, job.observation)()
    if job.learner.startswith("log"):
        how["scale"] = "log"
    if job.learner == "contrastive":
        from benchmarks.deep.contrastive import learn_contrastive_sr

        maps = learn_contrastive_sr(steps, **how)
    elif job.learner.endswith("hsr"):
        maps = deep.learn_hsr(steps, options_of, **how)
    else:
        maps = deep.learn_sr(steps, **how)
    seconds = time.perf_counter() - begin
    psi = (one.of_choices() if centres is None else one.at(centres) for one in maps)
    return psi, seconds  # type: ignore[return-value]


def _point_maze(world: KnownMaze, path: Path | None) -> tuple[Any, Any, Any, np.ndarray]:
    """Return log, features, options and the middles of cells of the continuous four rooms."""
    from hsr import deep

    assert path is not None
    with np.load(path) as file:
        log = deep.Observed(file["before"], file["actions"].astype(int), file["after"])
    layout, options = world.layout, world.options

    def options_of(xy: np.ndarray) -> hsr.OptionSet:
        cells = _cells(layout, xy)
        return hsr.OptionSet(
            options.policy[:, cells], options.termination[:, cells], options.initiation[:, cells]
        )

    def features(xy: np.ndarray) -> np.ndarray:
        return np.eye(layout.n_states)[_cells(layout, xy)]

    centres = layout.xy() * (0.5 * max(layout.walls.shape))
    return log, features, options_of, centres.astype(np.float32)


def _cells(layout: hsr.GridLayout, xy: np.ndarray) -> np.ndarray:
    """Return the states of positions, as `hsr.PointMaze.state_at` does."""
    rows, cols = layout.walls.shape
    row, col = np.floor(0.5 * rows - xy[:, 1]), np.floor(xy[:, 0] + 0.5 * cols)
    return layout.state_grid[row.astype(int), col.astype(int)]


def run_exact(world: KnownMaze) -> dict[str, Any]:
    """Return what the exact model of the options reaches without any map."""
    nothing = np.zeros((world.mdp.n_states, world.mdp.n_actions, world.mdp.n_states))
    return {"no map": world.measured(nothing)}


def run_learned(job: Job, world: KnownMaze, pointmaze: Path | None) -> dict[str, Any]:
    """Return errors and reach of every seed."""
    psi, seconds = learned(job, world, pointmaze)
    kind = "hsr" if job.learner.endswith("hsr") else "sr"
    model = world.primitives if kind == "sr" else world.model
    mu, exact = hsr.uniform_policy(model), world.exact(kind)
    errors, seeds = [], []
    for one in psi:
        M = np.einsum("sc,scx->sx", mu, one)
        errors.append(float(np.linalg.norm(M - exact) / np.linalg.norm(exact)))
        seeds.append(world.measured(one))
    return {"seconds": round(seconds, 2), "error": errors, "seeds": seeds}


def collect(folder: Path) -> None:
    """Add the learned maps of a folder to `reach.json`; a job that is there is replaced."""
    found = json.loads(COLLECTED.read_text(encoding="utf-8"))
    exact = [row for row in found["rows"] if row["learner"] == "exact"]
    rows = {_key(row): row for row in found["rows"] if row["learner"] != "exact"}
    for path in sorted(folder.glob("rows-*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            job = json.loads(line)
            if "seeds" in job:
                row = _collected(job)
                rows[_key(row)] = row
    found["rows"] = [*(rows[key] for key in sorted(rows)), *exact]
    lines = ",\n  ".join(json.dumps(row) for row in found.pop("rows"))
    head = json.dumps(found, indent=1).removesuffix("\n}")
    COLLECTED.write_text(f'{head},\n "rows": [\n  {lines}\n ]\n}}\n', encoding="utf-8")


def _collected(job: dict[str, Any]) -> dict[str, Any]:
    measures = {
        column: {
            name: [seed[choices][how][k] for seed in job["seeds"]]
            for name, (choices, how) in COLUMNS.items()
        }
        for k, column in enumerate(("reached", "path_ratio"))
    }
    kept = ("world", "states", "learner", "discount", "updates", "observation")
    return (
        {name: job[name] for name in kept}
        | {"training": dict(job["training"]), "on": "H200", "seconds": job["seconds"]}
        | {"error": [float(f"{one:.4g}") for one in job["error"]]}
        | measures
    )


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    known = row | {"target rate": row["training"]["target_rate"]}
    return tuple(known[name] for name in ORDER)


def main() -> None:
    """Do jobs until all are done or the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--exact", action="store_true", help="without any map, and without JAX")
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin no job after these")
    parser.add_argument("--pointmaze", type=Path, default=None)
    parser.add_argument("--quick", type=int, default=0, help="this many updates and two seeds only")
    parser.add_argument("--collect", action="store_true", help="add the rows to reach.json")
    given = parser.parse_args()
    if given.collect:
        collect(given.folder)
        return
    todo = exact_jobs() if given.exact else jobs()
    if given.pointmaze is None:
        todo = [one for one in todo if one.world != "pointmaze"]
    if given.quick:
        global SEEDS, N_STEPS
        SEEDS, N_STEPS = range(2), 2000
        todo = [Job(**(asdict(one) | {"updates": given.quick})) for one in todo]
    if not given.exact:
        import jax

        jax.config.update("jax_default_matmul_precision", "highest")
    begin = time.monotonic()
    given.folder.mkdir(parents=True, exist_ok=True)
    out = given.folder / f"rows-{os.getpid()}.jsonl"
    for number, job in enumerate(todo):
        if time.monotonic() - begin > given.seconds or not _claimed(given, number):
            continue
        world = KnownMaze(job.world, job.discount)
        try:
            row = run_exact(world) if given.exact else run_learned(job, world, given.pointmaze)
        except hsr.HSRError as error:
            row = {"failed": str(error)}
        with out.open("a") as file:
            print(json.dumps(asdict(job) | {"states": world.mdp.n_states} | row), file=file)
        print(f"{time.monotonic() - begin:6.1f}s {_summary(job, row)}", flush=True)


def _claimed(given: argparse.Namespace, number: int) -> bool:
    """Return whether this process is the first to ask for a job."""
    claims = given.folder / ("claims-exact" if given.exact else "claims")
    claims.mkdir(exist_ok=True)
    try:
        (claims / str(number)).mkdir()
    except FileExistsError:
        return False
    return True


def _summary(job: Job, row: dict[str, Any]) -> str:
    what = f"{job.world} {job.learner} {job.discount} {job.updates} {job.observation}"
    if "seeds" not in row:
        return f"{what} {row.get('failed', 'done')}"
    reached = {
        f"{name}/{how}": round(float(np.mean([one[name][how][0] for one in row["seeds"]])), 3)
        for name in ("primitives", "options")
        for how in READ_OUTS
    }
    return f"{what} {row['seconds']}s error {np.mean(row['error']):.2e} {reached}"


if __name__ == "__main__":
    main()
